package admin

import (
	"context"

	"github.com/askhub/askhub/ask"
)

// Push tells a person's phones that something waits, and no more than that.
type Push interface {
	// Key is the public key that browsers want to know, in base64url.
	Key() string
	// Add keeps a browser's subscription. Its error is an *ask.Problem where the
	// subscription is none.
	Add(ctx context.Context, person string, s Subscription) error
	// Remove takes one of that person's out; nothing happens where there is none.
	Remove(ctx context.Context, person, endpoint string) error
	// Send tells all of that person's browsers.
	Send(ctx context.Context, person string) error
}

// Subscription is what a browser gives, by which it can be told something.
type Subscription struct {
	Endpoint string `json:"endpoint"`
	Keys     struct {
		P256DH string `json:"p256dh"`
		Auth   string `json:"auth"`
	} `json:"keys"`
}

// pushOffered is the reply of GET /api/push; Key is empty where there is no push.
type pushOffered struct {
	Key string `json:"key"`
}

func (a *App) pushKey(v *visit) error {
	var out pushOffered
	if a.cfg.Push != nil {
		out.Key = a.cfg.Push.Key()
	}
	return ask.WriteJSON(v.w, &out)
}

func noPush() *ask.Problem {
	return ask.NewProblem(ask.CodeUnavailable, "", "This household has no push.")
}

// pushOn serves POST /api/push: this browser wants to be told.
func (a *App) pushOn(v *visit) error {
	var s Subscription
	if p := ask.ReadJSON(v.w, v.r, &s); p != nil {
		return p
	}
	if a.cfg.Push == nil {
		return noPush()
	}
	if err := a.cfg.Push.Add(v.r.Context(), v.session.Person, s); err != nil {
		return err
	}
	return ask.WriteJSON(v.w, &done{})
}

// pushOff serves POST /api/push/off.
func (a *App) pushOff(v *visit) error {
	var s Subscription
	if p := ask.ReadJSON(v.w, v.r, &s); p != nil {
		return p
	}
	if a.cfg.Push == nil {
		return noPush()
	}
	if err := a.cfg.Push.Remove(v.r.Context(), v.session.Person, s.Endpoint); err != nil {
		return err
	}
	return ask.WriteJSON(v.w, &done{})
}
