package admin

import (
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/askhub/askhub/ask"
)

// signInPage serves GET /signin.
func (a *App) signInPage(v *visit) error {
	to := wayBack(v.r.URL.Query().Get("to"))
	if a.recognise(v, true) == nil {
		v.w.Header().Set("Location", to)
		v.w.WriteHeader(303)
		return nil
	}
	a.pages.render(v.w, 200, "signin", &page{Title: "Sign in", Content: to})
	return nil
}

// useOptions is what the browser needs to use a passkey.
type useOptions struct {
	PublicKey protocol.PublicKeyCredentialRequestOptions `json:"publicKey"`
}

// beginSignIn serves POST /api/signin/begin: whoever has a passkey gets a challenge. It
// names nobody, so that a stranger learns nothing.
func (a *App) beginSignIn(v *visit) error {
	if err := a.knock(v); err != nil {
		return err
	}
	options, data, err := a.keys.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return err
	}
	a.guests.begin(&ceremony{kind: signingIn, data: data}, a.cfg.Now())
	return ask.WriteJSON(v.w, &useOptions{options.Response})
}

// signIn serves POST /api/signin.
func (a *App) signIn(v *visit) error {
	if err := a.knock(v); err != nil {
		return err
	}
	raw, err := readShown(v)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(raw)
	if err != nil {
		return a.refused(v, err)
	}
	c, ok := a.guests.take(parsed.Response.CollectedClientData.Challenge, signingIn, a.cfg.Now())
	if !ok {
		return passkeyRefused()
	}
	ctx := v.r.Context()
	user, used, err := a.keys.ValidatePasskeyLogin(func(id, handle []byte) (webauthn.User, error) {
		return a.byHandle(ctx, id, handle)
	}, *c.data, parsed)
	if err != nil {
		return a.refused(v, err)
	}
	person := user.WebAuthnName()
	if _, ok := a.adult(person); !ok {
		return passkeyRefused()
	}
	name, err := a.used(ctx, used)
	if err != nil {
		return err
	}
	if err := a.begin(v, person, name); err != nil {
		return err
	}
	a.noteOf(ctx, person, DidSignIn, labelOf(v.r), "", "")
	return ask.WriteJSON(v.w, &done{"/"})
}
