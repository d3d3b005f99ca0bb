// Package admin is the app in which a person says yes: passkeys, the approvals that wait,
// and the console. It runs as a process of its own, and nothing but a fresh passkey tap
// approves anything in it. It asks the Hub and the projects over HTTP, as anybody could who
// holds its tokens, and never sends the Hub a control change.
package admin

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/askhub/askhub/internal/people"
)

// DefaultPort is where the app listens (spec 5).
const DefaultPort = "8430"

// Config is what an App is built from.
type Config struct {
	// Origin is the address that people type, such as "https://askhub.home:8430". Passkeys
	// are bound to its host, which therefore is a name and no IP address.
	Origin string
	Store  Store
	// Hub is the Hub, and Projects are those that have approvals of their own.
	Hub      *Remote
	Projects []*Remote
	// Household is the one in force, since people.toml may change.
	Household func() *people.Household
	// Push tells people that something waits; nil where nothing does.
	Push Push
	// Address is from which address a request comes.
	Address func(*http.Request) netip.Addr
	Now     func() time.Time
	Log     *slog.Logger
}

// App serves the admin app.
type App struct {
	cfg    Config
	gate   gate
	keys   *webauthn.WebAuthn
	host   string
	secure bool
	mux    *http.ServeMux
	// guests are ceremonies of whoever is not signed in, and adults those of who is: a
	// stranger can fill up only the first.
	guests, adults *ceremonies
	knocks         *knocks
	pages          *pages
	watch          *watch
	live           *live
}

// New is the app over cfg.
func New(cfg Config) (*App, error) {
	u, err := url.Parse(cfg.Origin)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the admin app's address %q is none", cfg.Origin)
	}
	keys, err := newKeys(u)
	if err != nil {
		return nil, err
	}
	pages, err := loadPages()
	if err != nil {
		return nil, err
	}
	a := &App{
		cfg: cfg, gate: newGate(u), keys: keys, host: u.Hostname(), secure: u.Scheme == "https", mux: http.NewServeMux(),
		guests: newCeremonies(), adults: newCeremonies(), knocks: newKnocks(cfg.Now), pages: pages, live: newLive(),
	}
	a.watch = newWatch(a)
	for _, e := range table {
		a.mux.HandleFunc(e.method+" "+e.path, a.serve(e))
	}
	a.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.fail(w, r, notFound()) })
	return a, nil
}

// endpoint is one row of the table.
type endpoint struct {
	method, path string
	by           callers
	serve        func(*App, *visit) error
}

// callers is who may make a call.
type callers int

const (
	// anyone needs no session.
	anyone callers = iota
	// adult needs a session that holds, of somebody who is still an adult in people.toml.
	adult
	// idle needs the same, and is no use of the session: an open page makes the call by itself.
	idle
)

// table has every call of the app. A GET changes nothing.
var table = []endpoint{
	{"GET", "/{$}", adult, (*App).waitingPage},
	{"GET", "/signin", anyone, (*App).signInPage},
	{"POST", "/api/signin/begin", anyone, (*App).beginSignIn},
	{"POST", "/api/signin", anyone, (*App).signIn},
	{"GET", "/enrol", anyone, (*App).enrolPage},
	{"POST", "/api/enrol/begin", anyone, (*App).beginEnrol},
	{"POST", "/api/enrol", anyone, (*App).enrol},
	{"POST", "/signout", adult, (*App).signOut},
	{"GET", "/approvals/{owner}/{id}", adult, (*App).approvalPage},
	{"POST", "/api/approvals/{owner}/{id}/begin", adult, (*App).beginYes},
	{"POST", "/api/approvals/{owner}/{id}/yes", adult, (*App).yes},
	{"POST", "/api/approvals/{owner}/{id}/no", adult, (*App).no},
	{"GET", "/api/waiting", idle, (*App).waiting},
	{"GET", "/api/events", idle, (*App).events},
	{"GET", "/notices", adult, (*App).feedPage},
	{"GET", "/history", adult, (*App).historyPage},
	{"GET", "/ask", adult, (*App).askPage},
	{"POST", "/api/ask", adult, (*App).ask},
	{"GET", "/changes", adult, (*App).changesPage},
	{"POST", "/api/changes", adult, (*App).change},
	{"GET", "/me", adult, (*App).mePage},
	{"POST", "/me/sessions/end", adult, (*App).endSession},
	{"POST", "/me/passkeys/revoke", adult, (*App).revokePasskey},
	{"GET", "/api/push", adult, (*App).pushKey},
	{"POST", "/api/push", adult, (*App).pushOn},
	{"POST", "/api/push/off", adult, (*App).pushOff},
	{"GET", "/console", adult, (*App).consolePage},
	{"POST", "/console/pair", adult, (*App).pair},
	{"GET", "/health", anyone, (*App).health},
	{"GET", "/manifest.webmanifest", anyone, (*App).file},
	{"GET", "/sw.js", anyone, (*App).file},
	{"GET", "/static/{name}", anyone, (*App).file},
}

// visit is one request under way.
type visit struct {
	w http.ResponseWriter
	r *http.Request
	// session and person are set where a session is needed.
	session Session
	person  people.Person
}

// ServeHTTP serves one request.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if cause := recover(); cause != nil {
			if cause == http.ErrAbortHandler { //nolint:errorlint // what was panicked with, which nobody wraps
				panic(cause)
			}
			a.cfg.Log.Error("a request failed", "path", r.URL.Path, "cause", cause)
			a.fail(w, r, errors.New("panic"))
		}
	}()
	if to, err := a.gate.admit(w, r); err != nil {
		a.fail(w, r, err)
		return
	} else if to != "" {
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// serve is one row's handler.
func (a *App) serve(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r}
		if e.by != anyone {
			if err := a.recognise(v, e.by == adult); err != nil {
				a.fail(w, r, err)
				return
			}
		}
		if err := e.serve(a, v); err != nil {
			a.fail(w, r, err)
		}
	}
}

// health serves GET /health.
func (a *App) health(v *visit) error {
	v.w.Header().Set("Content-Type", "application/json")
	_, err := v.w.Write([]byte(`{"ok":true}`))
	return err
}
