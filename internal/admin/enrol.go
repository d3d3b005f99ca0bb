package admin

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/people"
)

// enrolPage serves GET /enrol. The code of a QR code stands behind the address's #, where no
// server and no log sees it.
func (a *App) enrolPage(v *visit) error {
	a.pages.render(v.w, 200, "enrol", &page{Title: "Enrol this device"})
	return nil
}

// knock refuses an address that tries too often.
func (a *App) knock(v *visit) error {
	if !a.knocks.may(a.cfg.Address(v.r)) {
		v.w.Header().Set("Retry-After", "60")
		return ask.NewProblem(ask.CodeTooMany, "", "Too many tries from here; wait a minute.")
	}
	return nil
}

type enrolBegin struct {
	Code string `json:"code"`
}

// enrolOptions is what the browser needs to make a passkey.
type enrolOptions struct {
	Person    string                                      `json:"person"`
	PublicKey protocol.PublicKeyCredentialCreationOptions `json:"publicKey"`
}

// beginEnrol serves POST /api/enrol/begin: a code that holds gets a challenge.
func (a *App) beginEnrol(v *visit) error {
	if err := a.knock(v); err != nil {
		return err
	}
	var body enrolBegin
	if p := ask.ReadJSON(v.w, v.r, &body); p != nil {
		return p
	}
	id, secret, ok := parseCode(body.Code)
	if !ok {
		return ownCodes.Problem(CodeCode, "code", "A code has 12 letters and digits, such as AB2D-9F3H-JK5M.")
	}
	ctx, now := v.r.Context(), a.cfg.Now()
	c, err := a.cfg.Store.Try(ctx, id, now)
	switch {
	case errors.Is(err, ErrCode):
		return codeRefused()
	case err != nil:
		return storeFault(a, err)
	case !c.opens(secret):
		a.cfg.Log.Warn("a wrong enrolment code was entered", "person", c.Person, "tries_left", c.Tries)
		return codeRefused()
	}
	if _, ok := a.adult(c.Person); !ok {
		return codeRefused()
	}
	o, err := a.ownerOf(ctx, c.Person)
	if err != nil {
		return err
	}
	exclude := webauthn.WithExclusions(webauthn.Credentials(o.WebAuthnCredentials()).CredentialDescriptors())
	options, data, err := a.keys.BeginRegistration(o, exclude)
	if err != nil {
		return err
	}
	a.guests.begin(&ceremony{kind: enrolling, data: data, code: id, person: c.Person, handle: o.handle}, now)
	return ask.WriteJSON(v.w, &enrolOptions{people.Spoken(c.Person), options.Response})
}

// shown is what a browser gives back of a passkey.
type shown struct {
	Credential jsontext.Value `json:"credential"`
}

func readShown(v *visit) (jsontext.Value, error) {
	var body shown
	if p := ask.ReadJSON(v.w, v.r, &body); p != nil {
		return nil, p
	}
	if body.Credential.Kind() != '{' {
		return nil, ask.NewProblem(ask.CodeMissingField, "credential", "Send what the passkey said.")
	}
	return body.Credential, nil
}

// done is the reply of a call that leads to a page.
type done struct {
	To string `json:"to"`
}

// enrol serves POST /api/enrol: the new passkey is kept, the code is spent, and the person
// is signed in.
func (a *App) enrol(v *visit) error {
	raw, err := readShown(v)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(raw)
	if err != nil {
		return a.refused(v, err)
	}
	ctx, now := v.r.Context(), a.cfg.Now()
	c, ok := a.guests.take(parsed.Response.CollectedClientData.Challenge, enrolling, now)
	if !ok {
		return passkeyRefused()
	}
	if _, ok := a.adult(c.person); !ok {
		return codeRefused()
	}
	made, err := a.keys.CreateCredential(&owner{person: c.person, handle: c.handle}, *c.data, parsed)
	if err != nil {
		return a.refused(v, err)
	}
	p := kept(made)
	p.Person, p.Handle, p.Host, p.Label, p.Created = c.person, c.handle, a.host, labelOf(v.r), now
	switch err := a.cfg.Store.Enrol(ctx, c.code, p); {
	case errors.Is(err, ErrCode), errors.Is(err, ErrTaken):
		return codeRefused()
	case err != nil:
		return storeFault(a, err)
	}
	a.noteOf(ctx, c.person, DidEnrol, p.Label, "", "")
	if err := a.begin(v, c.person, p.Name()); err != nil {
		return err
	}
	return ask.WriteJSON(v.w, &done{"/"})
}

// refused logs why the library took a passkey's word for none.
func (a *App) refused(v *visit, err error) error {
	cause := err.Error()
	if e, ok := errors.AsType[*protocol.Error](err); ok {
		cause += ": " + e.DevInfo
	}
	a.cfg.Log.Warn("a passkey's word was not taken", "path", v.r.URL.Path, "cause", shorten(cause, 300))
	return passkeyRefused()
}
