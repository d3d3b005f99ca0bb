package webpush

import (
	"context"
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	push "github.com/SherClockHolmes/webpush-go"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/people"
)

// Payload is all that a push says.
const Payload = `{"title":"askhub","body":"Something waits for you in the admin app."}`

const (
	// ttl is how long a push service keeps what it cannot deliver, in seconds.
	ttl = 24 * 60 * 60
	// topic lets a later push take the place of one that still waits.
	topic = "askhub"
	// timeout is the longest that one push service may take.
	timeout = 8 * time.Second
	// maxEndpoint is the longest address of a browser, in bytes.
	maxEndpoint = 2048
)

// usualContact stands for a household that has no address of its own: a push service wants
// to know whom it deals with.
const usualContact = "https://github.com/askhub/askhub"

// Sender tells a person's browsers. It is safe for concurrent use.
type Sender struct {
	// KeyPath is the file of the household's key, which is made when it is first needed.
	KeyPath       string
	Subscriptions notify.Subscriptions
	// Contact is the household's https address; it may be empty.
	Contact string
	// Client calls the push services; nil is one that follows no redirect.
	Client *http.Client
	Log    *slog.Logger
}

// usual follows no redirect, since a push is for the service that the browser named.
var usual = &http.Client{
	Timeout:       timeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Check says what makes a subscription one that cannot be pushed to, before it is kept.
func Check(s notify.Subscription) *ask.Problem {
	u, err := url.Parse(s.Endpoint)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || len(s.Endpoint) > maxEndpoint {
		return ask.NewProblem(ask.CodeInvalidField, "endpoint", `Send the browser's own https address in "endpoint".`)
	}
	point, err := decode(s.P256dh)
	if err == nil {
		_, err = ecdh.P256().NewPublicKey(point)
	}
	if err != nil {
		return ask.NewProblem(ask.CodeInvalidField, "p256dh", `Send the browser's key in "p256dh", in base64url.`)
	}
	if auth, err := decode(s.Auth); err != nil || len(auth) != 16 {
		return ask.NewProblem(ask.CodeInvalidField, "auth", `Send the browser's secret in "auth", in base64url.`)
	}
	return nil
}

func decode(s string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
}

// Send tells all of the person's browsers that something waits. A browser that its push
// service no longer knows is forgotten. It is nil where one of them was reached; else a
// *notify.Fault, which names no browser.
func (s *Sender) Send(ctx context.Context, person ask.Person) error {
	list, err := s.Subscriptions.Of(ctx, person)
	if err != nil {
		return notify.Retry("the browsers that take pushes cannot be read just now")
	}
	if len(list) == 0 {
		return notify.Hopeless(fmt.Sprintf("no browser of %s takes pushes; switch them on in the admin app", people.Spoken(string(person))))
	}
	key, err := LoadKey(s.KeyPath)
	if err != nil {
		return notify.Retry("the push key cannot be read; askhub doctor says why")
	}
	faults := make([]*notify.Fault, len(list))
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() { faults[i] = s.one(ctx, key, list[i]) })
	}
	all.Wait()
	worst := notify.Hopeless(fmt.Sprintf("the browsers of %s take no pushes any more; switch them on in the admin app", person))
	for _, f := range faults {
		switch {
		case f == nil:
			return nil
		case f.State == notify.Waiting, worst.State != notify.Waiting && f.Reason != gone:
			worst = f
		}
	}
	return worst
}

// gone is a browser that is forgotten.
const gone = "the push service no longer knows this browser"

// one tells one browser; nil where its push service took it.
func (s *Sender) one(ctx context.Context, key Key, sub notify.Subscription) *notify.Fault {
	if Check(sub) != nil {
		s.forget(ctx, sub)
		return notify.Hopeless(gone)
	}
	options := &push.Options{
		HTTPClient: s.client(), Subscriber: usualContact, Topic: topic, TTL: ttl, Urgency: push.UrgencyHigh,
		VAPIDPublicKey: key.Public(), VAPIDPrivateKey: key.secret(),
	}
	if strings.HasPrefix(s.Contact, "https://") {
		options.Subscriber = s.Contact
	}
	resp, err := push.SendNotificationWithContext(ctx, []byte(Payload), &push.Subscription{
		Endpoint: sub.Endpoint, Keys: push.Keys{Auth: sub.Auth, P256dh: sub.P256dh},
	}, options)
	if err != nil {
		// The library's own words may quote the endpoint, which is a secret.
		if timed, ok := errors.AsType[interface {
			error
			Timeout() bool
		}](err); ok && timed.Timeout() {
			return notify.Retry("the push service does not answer in time")
		}
		return notify.Retry("the push service cannot be reached")
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that its connection is used again
	return s.judge(ctx, sub, resp)
}

func (s *Sender) judge(ctx context.Context, sub notify.Subscription, resp *http.Response) *notify.Fault {
	switch status := resp.StatusCode; {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusNotFound || status == http.StatusGone:
		s.forget(ctx, sub)
		return notify.Hopeless(gone)
	case status >= 500 || status == http.StatusTooManyRequests:
		fault := notify.Retry(fmt.Sprintf("the push service answers %d just now", status))
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
			fault.After = time.Duration(min(seconds, ttl)) * time.Second
		}
		return fault
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return notify.Hopeless("the push service does not know the push key that this browser was given; switch pushes off and on in the admin app")
	default:
		return notify.Hopeless(fmt.Sprintf("the push service answers %d", status))
	}
}

func (s *Sender) forget(ctx context.Context, sub notify.Subscription) {
	if err := s.Subscriptions.Remove(ctx, sub.Endpoint); err != nil && s.Log != nil {
		s.Log.Error("a browser that takes no pushes any more could not be forgotten", "person", sub.Person, "cause", err)
	}
}

func (s *Sender) client() *http.Client {
	if s.Client != nil {
		return s.Client
	}
	return usual
}

// Notices lets a Sender be a target of notices.
type Notices struct{ *Sender }

var _ notify.Sender = Notices{}

// Send implements notify.Sender.
func (n Notices) Send(ctx context.Context, m *notify.Message) error {
	return n.Sender.Send(ctx, ask.Person(m.Person))
}
