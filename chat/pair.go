package chat

import (
	"errors"
	"net/http"
)

// Paired is the reply of the pairing call.
type Paired struct {
	Success bool   `json:"success"`
	Thread  Thread `json:"thread" example:"a1b2c3d4e5f60718"`
	// Person is whom the thread speaks for.
	Person  string  `json:"person,omitzero" doc:"Whom the thread speaks for; left out until it is paired."`
	Answers Answers `json:"answers" enum:"hub,host,off" doc:"Who answers."`
	// Code and Expires are there while a pairing code lives.
	Code    string `json:"code,omitzero" example:"48392017" doc:"What the host confirms with askhub chat pair CODE NAME."`
	Expires string `json:"expires,omitzero" example:"2026-10-23T18:50:00+00:00"`
}

// pair tells whom the thread speaks for; a post asks for a pairing code. Whoever runs
// the host reads it from this thread's own page, so that no other thread can take its
// place.
func (h *Handler) pair(w http.ResponseWriter, r *http.Request, t Thread) *problem {
	settings, err := h.cfg.Pairing.Settings(r.Context(), t)
	if err != nil {
		return h.fault(r.Context(), err)
	}
	out := Paired{Success: true, Thread: t, Answers: h.cfg.Rules.By(settings)}
	if settings.Person != "" {
		out.Person = h.cfg.Name(settings.Person)
	}
	status := http.StatusOK
	var code Code
	if r.Method == http.MethodPost {
		status = http.StatusCreated
		code, err = h.cfg.Pairing.NewCode(r.Context(), t, AddressKey(h.cfg.Address(r)), h.cfg.Now())
	} else {
		code, err = h.cfg.Pairing.Code(r.Context(), "", t, h.cfg.Now())
	}
	switch {
	case err == nil:
		out.Code, out.Expires = code.Digits, Timestamp(code.Expires)
	case !errors.Is(err, ErrUnknownCode):
		return h.fault(r.Context(), err)
	}
	writeJSON(w, status, &out)
	return nil
}

// qr draws the token for the same person's next device. Nobody else asks: it takes the
// token to get it.
func (h *Handler) qr(w http.ResponseWriter, r *http.Request, t Token) *problem {
	svg, err := h.cfg.QR(r, t)
	if err != nil {
		h.cfg.Log.Error("a QR code could not be drawn", "cause", err)
		return &problem{code: CodeUnavailable, text: "the QR code cannot be drawn; take the token along as text"}
	}
	head := w.Header()
	head.Set("Content-Type", "image/svg+xml")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(svg)
	return nil
}
