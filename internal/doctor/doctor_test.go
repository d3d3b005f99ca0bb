package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/freeport"
	"github.com/askhub/askhub/internal/unreachable"
)

// The tokens of the tests; no check may show one.
const (
	adminToken   = "admin-token-of-the-doctors-tests-0001"
	phoneToken   = "phone-token-of-the-doctors-tests-0001"
	projectToken = string(asktest.TestToken)
)

const rules = `## 1. Topic to project map

| Topic (what the user says) | Project | Kind | Status |
|---|---|---|---|
| homework, timetable | compass_nhs | query /ask | active service |
| lights | home_assistant | command (direct) | active service |

## 3. Never-route list (control actions)

| Control action | Refuse? |
|---|---|
| Cut the kids' internet | Yes |
`

const folks = `zone = "Europe/London"

[[person]]
name = "sam"
role = "adult"

[[person]]
name = "harry"
role = "child"
asked_by = ["adults"]
`

const settings = `listen = "%s"
secrets = "secrets.conf"
guest = ["home_assistant"]

[ways_in.phone]
askers = ["sam", "guest"]

[projects.compass_nhs]
url = "%s"

[[compass.calendars]]
person = "harry"
tag = "school"
file = "harry.ics"

[admin]
listen = "127.0.0.1:2"
serve = false
`

// house is a household's folder with a project and a Hub, and nothing wrong in it.
type house struct {
	t       *testing.T
	dir     string
	hub     *httptest.Server
	project *asktest.Scripted
	setup   doctor.Setup
}

// script is a project that says what rules say.
var script = asktest.Script{Project: "compass_nhs", Topics: []string{"homework", "timetable"}, People: []ask.Person{"harry"}}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), project: asktest.NewScripted(t, script)}
	h.hub = httptest.NewServer(http.HandlerFunc(h.health))
	t.Cleanup(h.hub.Close)
	h.write("askhub.toml", fmt.Sprintf(settings, h.hub.Listener.Addr(), h.project.URL))
	h.write("people.toml", folks)
	h.write("routing.md", rules)
	h.write("secrets.conf", "HUB_TOKEN_ADMIN="+adminToken+"\nHUB_TOKEN_PHONE="+phoneToken+"\nPROJECT_TOKEN_COMPASS_NHS="+projectToken+"\n")
	h.write("harry.ics", "a calendar")
	h.write("askhub.db", "a store")
	h.setup = doctor.Setup{
		Dir: h.dir, Now: time.Now,
		Routes:   []unreachable.Route{{Method: http.MethodPost, Path: "/ask", By: []unreachable.Holder{unreachable.WayIn, unreachable.Admin}}},
		Store:    func(context.Context, string) error { return nil },
		Calendar: func([]byte) error { return nil },
	}
	return h
}

// health is the Hub's own.
func (h *house) health(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+adminToken {
		_, _ = w.Write([]byte(`{"ok":true}`))
		return
	}
	_, _ = w.Write([]byte(`{"ok":true,"parts":[{"part":"record","ok":true},{"part":"project:compass_nhs","ok":false,"fault":"It does not answer."}]}`))
}

func (h *house) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// server makes the store a PostgreSQL database with a password, about which that is to be
// said.
func (h *house) server(err error) {
	h.t.Helper()
	h.edit("askhub.toml", "secrets =", "store = \"postgres://hub@db/home\"\nsecrets =")
	h.edit("secrets.conf", "HUB_TOKEN_PHONE", "STORE_PASSWORD=sesame\nHUB_TOKEN_PHONE")
	h.setup.Server = func(_ context.Context, address, password string) error {
		if address != "postgres://hub@db/home" || password != "sesame" {
			h.t.Errorf("asked at %s with %q", address, password)
		}
		return err
	}
}

// edit replaces one text in a file of the folder, which must have it.
func (h *house) edit(name, old, with string) {
	h.t.Helper()
	src, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil || !strings.Contains(string(src), old) {
		h.t.Fatalf("%s has no %q (%v)", name, old, err)
	}
	h.write(name, strings.Replace(string(src), old, with, 1))
}

func (h *house) chmod(name string, mode os.FileMode) {
	h.t.Helper()
	if err := os.Chmod(filepath.Join(h.dir, name), mode); err != nil {
		h.t.Fatal(err)
	}
}

// remove takes a file out of the folder.
func (h *house) remove(name string) {
	h.t.Helper()
	if err := os.Remove(filepath.Join(h.dir, name)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) examine() []doctor.Check {
	h.t.Helper()
	checks := doctor.Examine(h.t.Context(), h.setup)
	for _, c := range checks {
		line := c.String()
		for _, secret := range []string{adminToken, phoneToken, projectToken} {
			if strings.Contains(line, secret) {
				h.t.Errorf("a check shows a token: %s", strings.ReplaceAll(line, secret, "[token]"))
			}
		}
		if (c.State == doctor.OK) != (c.Mend == "") {
			h.t.Errorf("what is ok needs no mend, and the rest needs one: %s", line)
		}
		if strings.Contains(line, "\n") {
			h.t.Errorf("a check is one line: %q", line)
		}
	}
	return checks
}

// find is the first check whose line has all the words.
func find(checks []doctor.Check, words ...string) (doctor.Check, bool) {
	i := slices.IndexFunc(checks, func(c doctor.Check) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(c.String(), w) })
	})
	if i < 0 {
		return doctor.Check{}, false
	}
	return checks[i], true
}

func lines(checks []doctor.Check) string {
	var b strings.Builder
	for _, c := range checks {
		b.WriteString(c.String() + "\n")
	}
	return b.String()
}

func TestAGoodSetUpIsFine(t *testing.T) {
	h := newHouse(t)
	checks := h.examine()
	if v := doctor.VerdictOf(checks); v != doctor.Fine {
		t.Errorf("verdict %v", v)
	}
	for _, want := range []string{
		"ok    folder", "ok    config", "ok    people: people.toml names 2 people, on the clock of Europe/London",
		"ok    routing: routing.md has 2 destinations", "ok    guest", "ok    ways_in.phone", "ok    secrets", "ok    disk",
		"ok    store", "ok    hub: the Hub answers", "ok    hub.record", "ok    projects.compass_nhs: it answers in",
		"ok    connectors", "ok    compass: 1 calendar", "ok    chat: the Hub answers", "ok    phones: 1 person gets notices by the admin app's push", "ok    phones: no phone is named of harry", "ok    reach", "ok    clock", "ok    model: none is configured: the embedded router decides",
		"ok    unreachable: no token reaches a control action, by 6 ways that were walked",
		// The Hub's own view of a project is told, and weighs nothing.
		"warn  hub.project:compass_nhs: the Hub says: It does not answer. Look",
	} {
		if _, ok := find(checks, want); !ok {
			t.Errorf("no line with %q", want)
		}
	}
	if len(checks) != 23 {
		t.Errorf("%d checks, want 23", len(checks))
	}
	if t.Failed() {
		t.Log("\n" + lines(checks))
	}
}

// phone gives Sam these phones.
func (h *house) phone(list string) {
	h.edit("people.toml", "name = \"sam\"\n", "name = \"sam\"\nphone = ["+list+"]\n")
}

// TestFaults breaks one thing at a time. Each must show as its own line, and weigh
// what it should.
func TestFaults(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*house)
		// want are the words of one line.
		want    []string
		verdict doctor.Verdict
	}{
		{"no folder", func(h *house) { h.setup.Dir += "/none" }, []string{"FAULT folder", "is not there", `Run "askhub init`}, doctor.Wrong},
		{"an Apprise API server where a topic belongs", func(h *house) {
			h.phone(`"http://apprise.home/notify/sams-secret"`)
		}, []string{"FAULT people.sam.phone", "the address of an Apprise API server stands where", "Write apprise+http:// in front"}, doctor.Wrong},
		{"an address without its secret", func(h *house) {
			h.phone(`"https://:$NTFY_TOKEN@ntfy.home/sams-secret"`)
		}, []string{"FAULT people.sam.phone", "the secrets file has no NTFY_TOKEN", "Put the line NTFY_TOKEN="}, doctor.Wrong},
		{"one of several addresses that is none", func(h *house) {
			h.phone(`"push", "sams-secret"`)
		}, []string{"FAULT people.sam.phone: an address (number 2 under phone) cannot be used: it is no address"}, doctor.Wrong},
		{"a phone's server that is down", func(h *house) {
			h.phone(`"http://127.0.0.1:1/sams-secret", "push"`)
		}, []string{"FAULT people.sam.phone: ntfy at 127.0.0.1:1: it cannot be reached", "Start it"}, doctor.Down},
		{"a push to a child, who has no admin app", func(h *house) {
			h.edit("people.toml", "name = \"harry\"\n", "name = \"harry\"\nphone = [\"push\"]\n")
		}, []string{"warn  people.harry.phone: push comes from the admin app, which is for adults", "such as a topic of ntfy"}, doctor.Fine},
		{"a phone's server that is no ntfy", func(h *house) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<title>A router</title>")) }))
			h.t.Cleanup(s.Close)
			h.phone(`"` + s.URL + `/sams-secret"`)
		}, []string{"FAULT people.sam.phone: ntfy at 127.0.0.1:", "so this is no ntfy server", "Mend its address in people.toml"}, doctor.Wrong},
		{"a phone where internet control listens", func(h *house) {
			h.edit("askhub.toml", "[[compass.calendars]]", "[projects.internet_control]\nurl = \"http://127.0.0.1:1\"\n\n[[compass.calendars]]")
			h.edit("routing.md", "| lights |", "| notify | apprise | command (direct) | active service |\n| lights |")
			h.phone(`"http://127.0.0.1:1/sams-secret"`)
		}, []string{"FAULT unreachable: routing.md:", "apprise is reached by a connector that acts where the internet-control service listens"}, doctor.Wrong},
		{"a room without speakers", func(h *house) {
			h.edit("people.toml", "name = \"sam\"\n", "name = \"sam\"\nspeak_in = [\"bedroom\"]\n")
		}, []string{"FAULT people.sam.speak_in", "askhub.toml has no speakers", "Write the room under [[speakers.rooms]] there"}, doctor.Wrong},
		{"a push key that others can read", func(h *house) {
			h.write("push.key", "x")
			h.chmod("push.key", 0o644)
		}, []string{"FAULT push: others can read", "chmod 600"}, doctor.Wrong},
		{"no askhub.toml", func(h *house) { h.remove("askhub.toml") }, []string{"FAULT config: there is no askhub.toml", "askhub init"}, doctor.Wrong},
		{"a fault in askhub.toml", func(h *house) { h.edit("askhub.toml", "askers", "oskers") }, []string{"FAULT config: askhub.toml line 6: ways_in.phone.oskers", "Mend line 6 of "}, doctor.Wrong},
		{"a second fault in askhub.toml", func(h *house) {
			h.edit("askhub.toml", `askers = ["sam", "guest"]`, "askers = []\nwant = \"song\"")
		}, []string{"FAULT config: askhub.toml line 7: ways_in.phone.want"}, doctor.Wrong},
		{"what depends on a broken askhub.toml", func(h *house) { h.edit("askhub.toml", "askers", "oskers") }, []string{"warn  config", "were not looked at"}, doctor.Wrong},
		{"askhub.toml that anybody can change", func(h *house) { h.chmod("askhub.toml", 0o606) }, []string{"FAULT folder", "askhub.toml (mode 0606)", "chmod o-w"}, doctor.Wrong},
		{"calendar addresses that others can read", func(h *house) {
			h.edit("askhub.toml", `file = "harry.ics"`, `url = "https://school.test/secret-key.ics"`)
			h.chmod("askhub.toml", 0o644)
		}, []string{"warn  config", "often its own key", "chmod 600"}, doctor.Fine},
		{"a Hub that others reach", func(h *house) {
			h.edit("askhub.toml", h.hub.Listener.Addr().String(), strings.Replace(h.hub.Listener.Addr().String(), "127.0.0.1", "0.0.0.0", 1))
		}, []string{"warn  config: askhub.toml:1: listen: others on the network", "Set tls to local-ca, files or proxy"}, doctor.Fine},

		{"no people.toml", func(h *house) { h.remove("people.toml") }, []string{"FAULT people", "is not there", "askhub init"}, doctor.Wrong},
		{"a fault in people.toml", func(h *house) { h.edit("people.toml", `"child"`, `"kid"`) }, []string{"FAULT people: people.toml line 9: "}, doctor.Wrong},
		{"an unknown zone", func(h *house) { h.edit("people.toml", "Europe/London", "Europe/Londn") }, []string{"FAULT people", "zone"}, doctor.Wrong},
		{"no zone", func(h *house) { h.edit("people.toml", `zone = "Europe/London"`, "") }, []string{"warn  people", "no time zone"}, doctor.Fine},
		{"nobody in people.toml", func(h *house) {
			h.write("people.toml", "zone = \"Europe/London\"\n")
			h.edit("askhub.toml", `["sam", "guest"]`, `["guest"]`)
		}, []string{"warn  people: people.toml names nobody"}, doctor.Fine},
		{"a way in for a stranger", func(h *house) { h.edit("askhub.toml", `"sam", `, `"alex", `) }, []string{"FAULT ways_in.phone: it speaks for alex"}, doctor.Wrong},
		{"a calendar of a stranger", func(h *house) { h.edit("askhub.toml", `"harry"`, `"alex"`) }, []string{"warn  compass.calendars[0]: it is alex's"}, doctor.Fine},

		{"no routing.md", func(h *house) { h.remove("routing.md") }, []string{"FAULT routing", "is not there"}, doctor.Wrong},
		{"an unknown kind", func(h *house) { h.edit("routing.md", "query /ask", "quest") }, []string{"FAULT routing: routing.md line 5: unknown kind", "Write query /ask"}, doctor.Wrong},
		{"no never-route list", func(h *house) { h.edit("routing.md", "| Cut the kids' internet | Yes |\n", "") }, []string{"FAULT routing: routing.md line 8", "has no row"}, doctor.Wrong},
		{"topics that differ", func(h *house) { h.edit("routing.md", "homework, ", "") }, []string{"warn  routing: routing.md line 5: compass_nhs declares \"homework\" as well", "Add it to the row."}, doctor.Fine},
		{"a project without a row", func(h *house) { h.edit("routing.md", "compass_nhs", "other") }, []string{"warn  routing", "compass_nhs answers and has no row"}, doctor.Fine},
		{"a silent project without a row", func(h *house) {
			h.edit("routing.md", "compass_nhs", "other")
			h.project.Stop()
		}, []string{"warn  routing", "compass_nhs is configured and has no row"}, doctor.Down},
		{"a row that leads nowhere", func(h *house) { h.edit("routing.md", "compass_nhs", "other") }, []string{"warn  routing", "not configured", "other", "askhub project add"}, doctor.Fine},
		{"a guest list that leads nowhere", func(h *house) { h.edit("askhub.toml", `guest = ["home_assistant"]`, `guest = ["speakers"]`) }, []string{"warn  guest", "speakers"}, doctor.Fine},

		{"secrets that others can read", func(h *house) { h.chmod("secrets.conf", 0o640) }, []string{"FAULT secrets: others can read", "(mode 0640)", "chmod 600"}, doctor.Wrong},
		{"a short token", func(h *house) { h.edit("secrets.conf", phoneToken, "short") }, []string{"FAULT secrets", "HUB_TOKEN_PHONE is shorter than 32 characters", "askhub token rotate"}, doctor.Wrong},
		{"one token twice", func(h *house) { h.edit("secrets.conf", phoneToken, adminToken) }, []string{"FAULT secrets", "HUB_TOKEN_PHONE is the same token as HUB_TOKEN_ADMIN"}, doctor.Wrong},
		{"no admin token", func(h *house) { h.edit("secrets.conf", "HUB_TOKEN_ADMIN="+adminToken+"\n", "") }, []string{"FAULT secrets: HUB_TOKEN_ADMIN is missing", `Run "askhub token new admin".`}, doctor.Wrong},
		{"a way in without a token", func(h *house) { h.edit("secrets.conf", "HUB_TOKEN_PHONE="+phoneToken+"\n", "") }, []string{"FAULT secrets: HUB_TOKEN_PHONE is missing", "askhub token new phone"}, doctor.Wrong},
		{"a project without a token", func(h *house) { h.edit("secrets.conf", "PROJECT_TOKEN_COMPASS_NHS="+projectToken+"\n", "") }, []string{"FAULT secrets: PROJECT_TOKEN_COMPASS_NHS is missing"}, doctor.Wrong},
		{"a project that is not asked for want of a token", func(h *house) { h.chmod("secrets.conf", 0o640) }, []string{"warn  projects.compass_nhs: it is well, and was not asked more", "which the secrets cannot give"}, doctor.Wrong},
		{"a token that nobody uses", func(h *house) {
			h.edit("secrets.conf", "HUB_TOKEN_PHONE", "HUB_TOKEN_OLD=old-token-of-somebody-who-left-000001\nHUB_TOKEN_PHONE")
		}, []string{"warn  secrets", "HUB_TOKEN_OLD"}, doctor.Fine},
		{"a secret that hides the file's", func(h *house) { h.setup.Environ = []string{"HUB_TOKEN_PHONE=another-token-of-the-phone-000000001"} }, []string{"warn  secrets: HUB_TOKEN_PHONE comes from the environment"}, doctor.Fine},
		{"a line without effect", func(h *house) { h.edit("secrets.conf", "HUB_TOKEN_PHONE", "export A=b\nHUB_TOKEN_PHONE") }, []string{"warn  secrets", "line 2", "no effect"}, doctor.Fine},

		{"a store in PostgreSQL", func(h *house) { h.server(nil) }, []string{"ok    store: postgres://hub@db/home can be used", "pg_dump"}, doctor.Fine},
		{"a PostgreSQL that does not run", func(h *house) {
			h.server(errors.Join(doctor.ErrStoreDown, errors.New("postgres://hub@db/home: it cannot be reached; see that it runs")))
		}, []string{"FAULT store: postgres://hub@db/home: it cannot be reached. See that it runs."}, doctor.Down},
		{"a PostgreSQL that refuses", func(h *house) { h.server(errors.New("it refuses; see STORE_PASSWORD")) }, []string{"FAULT store: it refuses. See STORE_PASSWORD."}, doctor.Wrong},
		{"a PostgreSQL that does not wait for its disk", func(h *house) {
			h.server(errors.Join(doctor.ErrStoreUnsafe, errors.New("it may lose what it has acknowledged; set fsync = on")))
		}, []string{"warn  store: it may lose", "Set fsync = on."}, doctor.Fine},

		{"a PostgreSQL with another clock", func(h *house) {
			h.server(errors.Join(doctor.ErrStoreClock, errors.New("the clock is another, by about 40s; let both machines set their clocks from the network")))
		}, []string{"warn  store: the clock is another, by about 40s. Let both machines set their clocks"}, doctor.Fine},

		{"no Hub", func(h *house) { h.edit("askhub.toml", h.hub.Listener.Addr().String(), freeport.For(h.t).Address) }, []string{"warn  hub: the Hub is not running", "askhub serve"}, doctor.Fine},
		{"somebody else on the Hub's port", func(h *house) {
			h.hub.Config.Handler = http.NotFoundHandler()
		}, []string{"FAULT hub", "is held by something"}, doctor.Wrong},
		{"a Hub on other secrets", func(h *house) { h.edit("secrets.conf", adminToken, adminToken+"x") }, []string{"FAULT hub", "does not know HUB_TOKEN_ADMIN"}, doctor.Wrong},
		{"an address of another machine", func(h *house) { h.edit("askhub.toml", h.hub.Listener.Addr().String(), "192.0.2.1:8420") }, []string{"FAULT hub: the Hub cannot listen on 192.0.2.1:8420"}, doctor.Wrong},
		{"port 0", func(h *house) { h.edit("askhub.toml", h.hub.Listener.Addr().String(), "127.0.0.1:0") }, []string{"warn  hub: port 0"}, doctor.Fine},
		{"a part of the Hub that is not well", func(h *house) {
			h.hub.Config.Handler = reply(`{"ok":true,"parts":[{"part":"record","ok":false,"fault":"requests cannot be saved just now; see the log"}]}`)
		}, []string{"FAULT hub.record: the Hub says: requests cannot be saved"}, doctor.Wrong},
		{"a Hub that started before askhub.toml named the project", func(h *house) {
			h.hub.Config.Handler = reply(`{"ok":true,"parts":[{"part":"record","ok":true}]}`)
		}, []string{"warn  hub: the running Hub has not read of compass_nhs", "start it again"}, doctor.Fine},

		{"a project that is down", func(h *house) { h.project.Stop() }, []string{"FAULT projects.compass_nhs: nothing answers at", "Start the project"}, doctor.Down},
		{"a shipped project that is down", func(h *house) {
			h.project.Stop()
			h.edit("askhub.toml", "[projects.compass_nhs]\n", "[projects.compass_nhs]\nrun = \"compass\"\n")
		}, []string{"FAULT projects.compass_nhs", `Run "askhub serve", which starts it; where that runs already, its log says why`}, doctor.Down},
		{"a project on another token", func(h *house) { h.edit("secrets.conf", projectToken, projectToken+"x") }, []string{"FAULT projects.compass_nhs: it does not take the Hub's token", "PROJECT_TOKEN_COMPASS_NHS"}, doctor.Wrong},
		{"a project of another name", func(h *house) { h.project.Change(func(s *asktest.Script) { s.Project = "compass" }) }, []string{"FAULT projects.compass_nhs: askhub.toml calls it compass_nhs, and it calls itself compass"}, doctor.Wrong},
		{"a project that knows a stranger", func(h *house) { h.project.Change(func(s *asktest.Script) { s.People = []ask.Person{"harry", "alex"} }) }, []string{"warn  projects.compass_nhs: it knows about alex"}, doctor.Fine},
		{"something that is no project", projectIs(http.NotFoundHandler()), []string{"FAULT projects.compass_nhs: what answers at", "is not a project (the project's reply is not the ask contract's (status 404))"}, doctor.Wrong},
		{"a project that is not well", projectIs(reply(`{"ok":false}`)), []string{"FAULT projects.compass_nhs: it says that it is not well"}, doctor.Down},
		{"a project that is broken", projectIs(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })), []string{"FAULT projects.compass_nhs: it says that it is broken (status 500)"}, doctor.Down},
		{"a project whose capabilities are nonsense", projectIs(reply(`{"ok":true}`)), []string{"FAULT projects.compass_nhs: its capabilities are not the ask contract's", `askhub check http`}, doctor.Wrong},
		{"a project on another clock", func(h *house) {
			h.setup.Now = func() time.Time { return time.Now().Add(-10 * time.Minute) }
		}, []string{"warn  projects.compass_nhs: its clock is", "ahead of this machine's"}, doctor.Fine},
		{"a clock that was never set", func(h *house) { h.setup.Now = func() time.Time { return time.Unix(0, 0).UTC() } }, []string{"FAULT clock: this machine believes that it is 1970"}, doctor.Wrong},

		{"a calendar that is not there", func(h *house) { h.remove("harry.ics") }, []string{"FAULT compass.calendars[0]", "is not there"}, doctor.Wrong},
		{"a calendar that is none", func(h *house) { h.setup.Calendar = func([]byte) error { return errors.New("no VCALENDAR") } }, []string{"FAULT compass.calendars[0]", "is not a calendar that can be read (no VCALENDAR)"}, doctor.Wrong},
		{"a calendar without its password", func(h *house) {
			h.edit("askhub.toml", `file = "harry.ics"`, "caldav = \"https://cal.test/harry/\"\nusername = \"harry\"\npassword_env = \"HARRY_PASSWORD\"")
		}, []string{"FAULT compass.calendars[0]: its password HARRY_PASSWORD is missing"}, doctor.Wrong},
		{"a calendar's password in the open", func(h *house) {
			h.edit("askhub.toml", `file = "harry.ics"`, "caldav = \"http://cal.test/harry/\"\nusername = \"harry\"\npassword_env = \"HARRY_PASSWORD\"")
			h.edit("secrets.conf", "HUB_TOKEN_PHONE", "HARRY_PASSWORD=pa55\nHUB_TOKEN_PHONE")
		}, []string{"warn  compass.calendars[0]", "goes over the network unencrypted"}, doctor.Fine},

		{"a damaged store", func(h *house) {
			h.setup.Store = func(context.Context, string) error { return fmt.Errorf("%w: page 3", doctor.ErrStoreDamaged) }
		}, []string{"FAULT store", "it is damaged", "askhub restore"}, doctor.Wrong},
		{"a store that is held", func(h *house) {
			h.setup.Store = func(context.Context, string) error { return doctor.ErrStoreBusy }
		}, []string{"warn  store: another process holds"}, doctor.Fine},
		{"a store of a newer version", func(h *house) {
			h.setup.Store = func(context.Context, string) error { return errors.New("a newer askhub wrote it; use that version") }
		}, []string{"FAULT store: a newer askhub wrote it. Use that version."}, doctor.Wrong},
		{"a control action as a command", func(h *house) {
			h.edit("routing.md", "| lights | home_assistant | command (direct)", "| screen time | internet_control | command (direct)")
		}, []string{"FAULT unreachable: routing.md:6: internet_control is a command there, and it may only be asked. Write query"}, doctor.Wrong},
		{"a key to internet control", func(h *house) { h.setup.Environ = append(h.setup.Environ, "INTERNET_CONTROL_ADMIN_TOKEN=secret") }, []string{"FAULT unreachable: INTERNET_CONTROL_ADMIN_TOKEN: ", "Give it to the admin app alone."}, doctor.Wrong},
		{"a route that nobody answers for", func(h *house) {
			h.setup.Routes = append(h.setup.Routes, unreachable.Route{Method: http.MethodPost, Path: "/relay", By: []unreachable.Holder{unreachable.WayIn}})
		}, []string{"FAULT unreachable: POST /relay: nothing says how far"}, doctor.Wrong},
		{"the admin's token for a project", func(h *house) {
			h.edit("secrets.conf", "PROJECT_TOKEN_COMPASS_NHS="+projectToken, "PROJECT_TOKEN_COMPASS_NHS="+adminToken)
		}, []string{"FAULT unreachable: PROJECT_TOKEN_COMPASS_NHS: it has the same value as HUB_TOKEN_ADMIN"}, doctor.Wrong},
		{"a store that others can read", func(h *house) { h.chmod("askhub.db", 0o644) }, []string{"FAULT store: others can read", "chmod 600"}, doctor.Wrong},
		{"no store yet", func(h *house) { h.remove("askhub.db") }, []string{"ok    store", "the first start makes it"}, doctor.Fine},
		{"no folder for the store", func(h *house) { h.edit("askhub.toml", "secrets", "store = \"none/askhub.db\"\nsecrets") }, []string{"FAULT disk", "is not there", "mkdir"}, doctor.Wrong},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			test.spoil(h)
			checks := h.examine()
			if _, ok := find(checks, test.want...); !ok {
				t.Errorf("no line with %q", test.want)
			}
			if got := doctor.VerdictOf(checks); got != test.verdict {
				t.Errorf("verdict %d, want %d", got, test.verdict)
			}
			if t.Failed() {
				t.Log("\n" + lines(checks))
			}
		})
	}
}

func reply(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	})
}

// projectIs puts another server in the project's place.
func projectIs(handler http.Handler) func(*house) {
	return func(h *house) {
		s := httptest.NewServer(handler)
		h.t.Cleanup(s.Close)
		h.edit("askhub.toml", h.project.URL, s.URL)
	}
}

// TestAStrangerOnTheHubsPortSeesNoToken: nothing is shown to what does not even look
// like a Hub.
func TestAStrangerOnTheHubsPortSeesNoToken(t *testing.T) {
	h := newHouse(t)
	var mu sync.Mutex
	asked, shown := 0, 0
	h.hub.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		if r.Header.Get("Authorization") != "" {
			shown++
		}
		w.WriteHeader(http.StatusNotFound)
	})
	h.examine()
	mu.Lock()
	defer mu.Unlock()
	if asked == 0 || shown > 0 {
		t.Errorf("asked %d times, %d of them with a token", asked, shown)
	}
}

// TestEverythingBrokenStillGivesEachFault is the household after a bad night.
func TestEverythingBrokenStillGivesEachFault(t *testing.T) {
	h := newHouse(t)
	h.edit("askhub.toml", "listen", "lisen")
	h.edit("people.toml", `"child"`, `"kid"`)
	h.edit("routing.md", "query /ask", "quest")
	h.setup.Now = func() time.Time { return time.Unix(0, 0).UTC() }
	checks := h.examine()
	for _, want := range []string{"FAULT config", "FAULT people", "FAULT routing", "FAULT clock"} {
		if _, ok := find(checks, want); !ok {
			t.Errorf("no line with %q in\n%s", want, lines(checks))
		}
	}
}

// TestSilentProjectsAreWaitedForTogether: all of them have been asked before the
// first one has answered, and a caller that leaves is not held up.
func TestSilentProjectsAreWaitedForTogether(t *testing.T) {
	h := newHouse(t)
	const silent = 5
	asked := make(chan struct{}, silent)
	for i := range silent {
		s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			asked <- struct{}{}
			<-r.Context().Done()
		}))
		t.Cleanup(s.Close)
		h.edit("askhub.toml", "[[compass", fmt.Sprintf("[projects.silent_%d]\nurl = %q\n\n[[compass", i, s.URL))
	}
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan []doctor.Check, 1)
	go func() { done <- doctor.Examine(ctx, h.setup) }()
	for range silent {
		select {
		case <-asked:
		case checks := <-done:
			t.Fatalf("the examination ended before every project was asked:\n%s", lines(checks))
		}
	}
	leave()
	checks := <-done
	for i := range silent {
		if _, ok := find(checks, "FAULT", fmt.Sprintf("projects.silent_%d", i)); !ok {
			t.Errorf("silent_%d is not reported", i)
		}
	}
}

func TestACheckInOneLineIsWellPunctuated(t *testing.T) {
	for what, want := range map[string]string{
		"no such field; did you mean url?": "FAULT config: no such field; did you mean url? Mend line 3.",
		"it is too small":                  "FAULT config: it is too small. Mend line 3.",
	} {
		if got := (doctor.Check{Check: "config", State: doctor.Fault, What: what, Mend: "Mend line 3."}).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
