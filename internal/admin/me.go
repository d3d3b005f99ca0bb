package admin

import (
	"errors"
	"net/http"
	"slices"
)

// meShown is the content of the page of one's own sessions and passkeys.
type meShown struct {
	Sessions []sessionShown
	Passkeys []Passkey
	// Push is whether anything can be told by push.
	Push bool
}

type sessionShown struct {
	Session
	// This is the one that the page is shown in.
	This bool
}

// mePage serves GET /me.
func (a *App) mePage(v *visit) error {
	ctx, now := v.r.Context(), a.cfg.Now()
	sessions, err := a.cfg.Store.Sessions(ctx)
	if err != nil {
		return storeFault(a, err)
	}
	shown := meShown{Push: a.cfg.Push != nil}
	for _, s := range sessions {
		if s.Person == v.session.Person && s.Live(now) {
			shown.Sessions = append(shown.Sessions, sessionShown{s, s.Digest == v.session.Digest})
		}
	}
	keys, err := a.cfg.Store.Passkeys(ctx)
	if err != nil {
		return storeFault(a, err)
	}
	shown.Passkeys = slices.DeleteFunc(keys, func(p Passkey) bool { return p.Person != v.session.Person })
	a.pages.render(v.w, http.StatusOK, "me", v.page("You", "/me", &shown))
	return nil
}

// maxForm is the largest form that is read, in bytes.
const maxForm = 8 << 10

// formValue is one field of a small form.
func formValue(v *visit, name string) (string, error) {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		return "", notFound()
	}
	return v.r.PostForm.Get(name), nil
}

// endSession serves POST /me/sessions/end: one of the person's own.
func (a *App) endSession(v *visit) error {
	name, err := formValue(v, "session")
	if err != nil {
		return err
	}
	ctx := v.r.Context()
	all, err := a.cfg.Store.Sessions(ctx)
	if err != nil {
		return storeFault(a, err)
	}
	for _, s := range all {
		if s.Name() != name || s.Person != v.session.Person {
			continue
		}
		if err := a.cfg.Store.End(ctx, s.Digest); err != nil && !errors.Is(err, ErrUnknown) {
			return storeFault(a, err)
		}
		a.note(ctx, v, DidEnd, s.Label, "", "")
	}
	http.Redirect(v.w, v.r, "/me", http.StatusSeeOther)
	return nil
}

// revokePasskey serves POST /me/passkeys/revoke: one of the person's own, with the sessions
// that it began.
func (a *App) revokePasskey(v *visit) error {
	name, err := formValue(v, "passkey")
	if err != nil {
		return err
	}
	ctx := v.r.Context()
	all, err := a.cfg.Store.Passkeys(ctx)
	if err != nil {
		return storeFault(a, err)
	}
	for i := range all {
		if all[i].Name() != name || all[i].Person != v.session.Person {
			continue
		}
		if err := a.cfg.Store.Revoke(ctx, name); err != nil && !errors.Is(err, ErrUnknown) {
			return storeFault(a, err)
		}
		a.note(ctx, v, DidRevoke, all[i].Label, "", "")
	}
	http.Redirect(v.w, v.r, "/me", http.StatusSeeOther)
	return nil
}
