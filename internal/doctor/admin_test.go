package doctor_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/doctor"
)

// quiet is what askhub.toml says of the admin app where a test says nothing.
const quiet = "listen = \"127.0.0.1:2\"\nserve = false"

// app starts something at the admin app's address that answers for its health.
func (h *house) app() {
	h.t.Helper()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"ok":true}`)) }))
	h.t.Cleanup(app.Close)
	h.edit("askhub.toml", quiet, "listen = \""+app.Listener.Addr().String()+"\"")
}

// of are the checks whose name begins so.
func of(checks []doctor.Check, name string) []doctor.Check {
	var out []doctor.Check
	for _, c := range checks {
		if c.Check == name || strings.HasPrefix(c.Check, name+".") {
			out = append(out, c)
		}
	}
	return out
}

func (h *house) keys(list ...doctor.Enrolled) {
	h.setup.Passkeys = func(context.Context, *config.Config) ([]doctor.Enrolled, error) { return list, nil }
}

func TestTheAdminAppIsLookedAt(t *testing.T) {
	localhost := doctor.Enrolled{Person: "sam", Host: "localhost"}
	for name, c := range map[string]struct {
		set  func(*house)
		want string
		down bool
	}{
		"it does not run and need not": {func(*house) {}, "ok    admin: \"askhub serve\" does not start the admin app", false},
		"it does not run": {func(h *house) {
			h.edit("askhub.toml", quiet, "listen = \"127.0.0.1:2\"")
		}, "FAULT admin: nothing that is the admin app answers at 127.0.0.1:2", true},
		"nor does the Hub": {func(h *house) {
			h.edit("askhub.toml", quiet, "listen = \"127.0.0.1:2\"")
			h.hub.Close()
		}, "warn  admin: the admin app does not run, since no Hub does", false},
		"nobody has enrolled": {func(h *house) { h.app(); h.keys() }, "warn  admin.passkeys: no passkey is enrolled, so nobody can say yes. Run \"askhub admin enrol", false},
		"somebody has":        {func(h *house) { h.app(); h.keys(localhost) }, "ok    admin.passkeys: 1 passkey is enrolled, of sam", false},
		"at another address": {func(h *house) {
			h.app()
			h.keys(doctor.Enrolled{Person: "sam", Host: "old.home"})
		}, "warn  admin.passkeys: all passkeys were made for old.home, and the admin app is now at localhost", false},
		"somebody who is no adult": {func(h *house) {
			h.app()
			h.keys(localhost, doctor.Enrolled{Person: "harry", Host: "localhost"})
		}, "warn  admin.passkeys: a passkey is enrolled of harry, who is no adult", false},
		"others reach the Hub": {func(h *house) {
			h.app()
			h.keys(localhost)
			h.edit("askhub.toml", "secrets =", "public_url = \"http://hub.home:8420\"\nsecrets =")
		}, "warn  admin.public_url: others reach the Hub, and passkeys work on this machine alone", false},
		"port 0": {func(h *house) {
			h.edit("askhub.toml", quiet, "listen = \"127.0.0.1:0\"")
		}, "warn  admin: port 0", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			c.set(h)
			checks := of(doctor.Examine(t.Context(), h.setup), "admin")
			var said []string
			for _, check := range checks {
				said = append(said, check.String())
				if check.State == doctor.Fault && check.Down != c.down {
					t.Errorf("down is %v of %s", check.Down, check)
				}
				if check.State != doctor.OK && check.Mend == "" {
					t.Errorf("%s says no mend", check)
				}
			}
			if !strings.Contains(strings.Join(said, "\n"), c.want) {
				t.Errorf("it says\n%s\nwant %s", strings.Join(said, "\n"), c.want)
			}
		})
	}
}
