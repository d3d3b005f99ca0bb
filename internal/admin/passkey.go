package admin

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// newKeys is the passkeys' rules: made and used at this address alone, kept on the
// device, and never used without the person's finger, face or PIN.
func newKeys(origin *url.URL) (*webauthn.WebAuthn, error) {
	limit := webauthn.TimeoutConfig{Timeout: ceremonyLives, TimeoutUVD: ceremonyLives}
	return webauthn.New(&webauthn.Config{
		RPID: origin.Hostname(), RPDisplayName: "askhub", RPOrigins: []string{origin.Scheme + "://" + origin.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: limit, Registration: limit},
	})
}

// owner is one person as the library wants to know them.
type owner struct {
	person string
	handle []byte
	keys   []Passkey
}

var _ webauthn.User = (*owner)(nil)

// WebAuthnID implements webauthn.User.
func (o *owner) WebAuthnID() []byte { return o.handle }

// WebAuthnName implements webauthn.User.
func (o *owner) WebAuthnName() string { return o.person }

// WebAuthnDisplayName implements webauthn.User.
func (o *owner) WebAuthnDisplayName() string { return o.person }

// WebAuthnCredentials implements webauthn.User.
func (o *owner) WebAuthnCredentials() []webauthn.Credential {
	out := make([]webauthn.Credential, len(o.keys))
	for i := range o.keys {
		out[i] = credential(&o.keys[i])
	}
	return out
}

// credential is a kept passkey as the library has it.
func credential(p *Passkey) webauthn.Credential {
	c := webauthn.Credential{
		ID: p.ID, PublicKey: p.PublicKey, AttestationType: "none", AttestationFormat: "none",
		Flags:         webauthn.NewCredentialFlags(protocol.AuthenticatorFlags(p.Flags)),
		Authenticator: webauthn.Authenticator{AAGUID: p.AAGUID, SignCount: p.Count},
	}
	for _, t := range p.Transports {
		c.Transport = append(c.Transport, protocol.AuthenticatorTransport(t))
	}
	return c
}

// kept is a new credential as a passkey of that person.
func kept(c *webauthn.Credential) Passkey {
	p := Passkey{
		ID: c.ID, PublicKey: c.PublicKey, Flags: uint8(c.Flags.ProtocolValue()),
		AAGUID: c.Authenticator.AAGUID, Count: c.Authenticator.SignCount,
	}
	for _, t := range c.Transport {
		p.Transports = append(p.Transports, string(t))
	}
	return p
}

// ownerOf gathers a person's passkeys that work at this host, and the handle that all
// of their passkeys share: a new one where they have none.
func (a *App) ownerOf(ctx context.Context, person string) (*owner, error) {
	all, err := a.cfg.Store.Passkeys(ctx)
	if err != nil {
		return nil, storeFault(a, err)
	}
	o := &owner{person: person}
	for i := range all {
		if all[i].Person != person {
			continue
		}
		o.handle = all[i].Handle
		if all[i].Host == a.host {
			o.keys = append(o.keys, all[i])
		}
	}
	if o.handle == nil {
		o.handle = make([]byte, 32)
		_, _ = rand.Read(o.handle) // never fails
	}
	return o, nil
}

// byHandle finds whose passkey it is that a sign-in shows.
func (a *App) byHandle(ctx context.Context, id, handle []byte) (*owner, error) {
	all, err := a.cfg.Store.Passkeys(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(p Passkey) bool {
		return bytes.Equal(p.ID, id) && bytes.Equal(p.Handle, handle) && p.Host == a.host
	})
	if i < 0 {
		return nil, ErrUnknown
	}
	return &owner{person: all[i].Person, handle: all[i].Handle, keys: all[i : i+1]}, nil
}

// used takes a passkey's word: the library has verified it, and the counter must have
// risen since.
func (a *App) used(ctx context.Context, c *webauthn.Credential) (name string, err error) {
	p := Passkey{ID: c.ID}
	if c.Authenticator.CloneWarning {
		a.cfg.Log.Warn("a passkey's counter did not rise: there may be a copy of it; revoke it on the host", "passkey", p.Name())
		return "", passkeyRefused()
	}
	switch err := a.cfg.Store.Used(ctx, p.Name(), c.Authenticator.SignCount, a.cfg.Now()); {
	case err == nil:
		return p.Name(), nil
	case errors.Is(err, ErrUnknown), errors.Is(err, ErrCounter):
		a.cfg.Log.Warn("a passkey was refused", "passkey", p.Name(), "cause", err)
		return "", passkeyRefused()
	default:
		return "", storeFault(a, err)
	}
}

// storeFault logs what the store says, and tells the person no more than that it is down.
func storeFault(a *App, err error) error {
	a.cfg.Log.Error("the store failed", "cause", err)
	return storeDown()
}
