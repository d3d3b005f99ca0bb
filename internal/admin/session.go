package admin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/people"
)

// touchEvery is how old a session's last use may be before it is noted anew: not every
// look is worth a write.
const touchEvery = time.Minute

// cookieName is the session's cookie. The prefix makes browsers hold it to this host and
// to TLS; on plain localhost they would not take it.
func (a *App) cookieName() string {
	if a.secure {
		return "__Host-askhub-admin"
	}
	return "askhub-admin"
}

func (a *App) setCookie(w http.ResponseWriter, token string, age time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: a.cookieName(), Value: token, Path: "/", MaxAge: int(age.Seconds()),
		HttpOnly: true, Secure: a.secure, SameSite: http.SameSiteStrictMode,
	})
}

func digestOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// begin signs the person in, in this browser.
func (a *App) begin(v *visit, person, passkey string) error {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails
	token := base64.RawURLEncoding.EncodeToString(raw[:])
	now := a.cfg.Now()
	s := Session{Digest: digestOf(token), Passkey: passkey, Person: person, Label: labelOf(v.r), Created: now, Seen: now}
	switch err := a.cfg.Store.Begin(v.r.Context(), s); {
	case errors.Is(err, ErrUnknown):
		return passkeyRefused()
	case err != nil:
		return storeFault(a, err)
	}
	a.setCookie(v.w, token, SessionWhole)
	return nil
}

// recognise finds the session of a visit, and refuses one that does not hold any more:
// ended, expired, or of somebody who is no adult in people.toml now. A use keeps it from
// ending.
func (a *App) recognise(v *visit, use bool) error {
	c, err := v.r.Cookie(a.cookieName())
	if err != nil || len(c.Value) > 100 {
		return signInFirst()
	}
	ctx, now := v.r.Context(), a.cfg.Now()
	s, err := a.cfg.Store.Session(ctx, digestOf(c.Value))
	switch {
	case errors.Is(err, ErrUnknown):
		return signInFirst()
	case err != nil:
		return storeFault(a, err)
	case !s.Live(now):
		return signInFirst()
	}
	p, ok := a.adult(s.Person)
	if !ok {
		return signInFirst()
	}
	if use && now.Sub(s.Seen) > touchEvery {
		if err := a.cfg.Store.Touch(ctx, s.Digest, now); err != nil {
			return storeFault(a, err)
		}
	}
	v.session, v.person = s, p
	return nil
}

// adult is the person of people.toml who may use the app.
func (a *App) adult(name string) (people.Person, bool) {
	p, ok := a.cfg.Household().Find(name)
	return p, ok && p.Role == people.RoleAdult
}

// signOut serves POST /signout.
func (a *App) signOut(v *visit) error {
	ctx := v.r.Context()
	if err := a.cfg.Store.End(ctx, v.session.Digest); err != nil && !errors.Is(err, ErrUnknown) {
		return storeFault(a, err)
	}
	a.note(ctx, v, DidSignOut, "", "", "")
	a.setCookie(v.w, "", -time.Second)
	http.Redirect(v.w, v.r, "/signin", http.StatusSeeOther)
	return nil
}

// note keeps what the person did. A deed that cannot be noted is done even so, and logged.
func (a *App) note(ctx context.Context, v *visit, did Did, about, owner, approval string) {
	a.noteOf(ctx, string(v.person.Name), did, about, owner, approval)
}

func (a *App) noteOf(ctx context.Context, person string, did Did, about, owner, approval string) {
	d := Deed{At: a.cfg.Now(), Person: person, Did: did, About: shorten(about, 500), Owner: owner, Approval: approval}
	if err := a.cfg.Store.Note(context.WithoutCancel(ctx), d); err != nil {
		a.cfg.Log.Error("a deed could not be noted", "person", person, "did", did, "owner", owner, "approval", approval, "cause", err)
	}
}

// shorten cuts a text that is too long for a list, and says so by a …
func shorten(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// signInAt is the sign-in page that leads back to where somebody wanted to go.
func signInAt(u *url.URL) string {
	if u.Path == "/" || u.Path == "/signin" {
		return "/signin"
	}
	return "/signin?to=" + url.QueryEscape(u.RequestURI())
}

// wayBack is where a sign-in leads: a page of this app, and nowhere else.
func wayBack(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\x00\t\r\n") {
		return "/"
	}
	return to
}

// labelOf says in what browser somebody is, as far as it tells.
func labelOf(r *http.Request) string {
	agent := r.UserAgent()
	pick := func(unknown string, names ...string) string {
		for i := 0; i+1 < len(names); i += 2 {
			if strings.Contains(agent, names[i]) {
				return names[i+1]
			}
		}
		return unknown
	}
	browser := pick("A browser", "Edg", "Edge", "OPR/", "Opera", "SamsungBrowser", "Samsung Internet", "Firefox", "Firefox", "FxiOS", "Firefox", "CriOS", "Chrome", "Chrome", "Chrome", "Safari", "Safari")
	system := pick("", "iPhone", "iPhone", "iPad", "iPad", "Android", "Android", "Windows", "Windows", "CrOS", "ChromeOS", "Mac OS", "Mac", "Linux", "Linux")
	if system == "" {
		return browser
	}
	return browser + " on " + system
}
