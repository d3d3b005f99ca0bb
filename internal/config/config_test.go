package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const whole = `listen = "127.0.0.1:9000"
store = "state/hub.db"
secrets = "secrets.conf"
guest = ["speakers"]
budget = "6s"
[record]
days = 7
text = false
[ways_in.phone]
askers = ["sam", "emma"]
want = "speech"
per_minute = 30
at_once = 2
[ways_in.kitchen]
askers = ["guest"]
[projects.compass_nhs]
url = "http://127.0.0.1:8421/"
run = "compass"
[[compass.calendars]]
person = "harry"
tag = "school"
file = "harry.ics"
[[compass.calendars]]
person = "harry"
tag = "health"
caldav = "https://dav.example.org/harry/"
username = "harry"
password_env = "HARRY_CALDAV_PASSWORD"
`

func load(t *testing.T, text string) (*Config, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(dir)
}

func TestAWholeFileIsRead(t *testing.T) {
	c, err := load(t, whole)
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:9000" || c.Budget.Duration != 6*time.Second || c.Record != (Record{Days: 7}) {
		t.Errorf("listen, budget or record: %+v", c)
	}
	for got, want := range map[string]string{
		c.Store:                     filepath.Join(c.Dir, "state", "hub.db"),
		c.Secrets:                   filepath.Join(c.Dir, "secrets.conf"),
		c.RoutingPath():             filepath.Join(c.Dir, "routing.md"),
		c.PeoplePath():              filepath.Join(c.Dir, "people.toml"),
		c.Compass.Calendars[0].File: filepath.Join(c.Dir, "harry.ics"),
	} {
		if got != want {
			t.Errorf("path %s, want %s", got, want)
		}
	}
	if got := c.Projects["compass_nhs"]; got != (Project{URL: "http://127.0.0.1:8421", Run: "compass"}) {
		t.Errorf("project %+v", got)
	}
	if w := c.WaysIn["kitchen"]; w.PerMinute != DefaultPerMinute || w.AtOnce != DefaultAtOnce {
		t.Errorf("limits left out are not the usual ones: %+v", w)
	}
	if w := c.WaysIn["phone"]; w.PerMinute != 30 || w.AtOnce != 2 || w.Want != "speech" {
		t.Errorf("way in %+v", w)
	}
	if len(c.Warnings()) != 0 {
		t.Errorf("warnings %q", c.Warnings())
	}
}

func TestAnEmptyFileHasTheDefaults(t *testing.T) {
	t.Setenv("HOME", "/home/sam")
	c, err := load(t, "")
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != DefaultListen || c.Budget.Duration != DefaultBudget || c.Record != (Record{30, true}) || len(c.Guest) != 3 {
		t.Errorf("defaults: %+v", c)
	}
	if c.Secrets != "/home/sam/.config/environment.d/10-secrets.conf" {
		t.Errorf("secrets at %s", c.Secrets)
	}
}

func TestEachFaultNamesLineFieldAndMend(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"unknown field", "listen = \"127.0.0.1:1\"\nlisten_on = 3", ":2: listen_on: no such field"},
		{"unknown field in a table", "[record]\ndays = 3\nhours = 1", ":3: record.hours: no such field"},
		{"unknown table", "[llm]\nurl = \"x\"", ":1: llm"},
		{"capitals", "Listen = \"127.0.0.1:1\"", ":1: Listen: no such field"},
		{"capitals in a table", "[record]\n\nDays = 1", ":3: record.Days: no such field"},
		{"not TOML", "listen = ", ":1:"},
		{"a key twice", "listen = \"127.0.0.1:1\"\nlisten = \"127.0.0.1:2\"", ":2:"},
		{"wrong type", "\nguest = 3", ":2:"},
		{"listen without port", `listen = "127.0.0.1"`, `:1: listen: must be an address and a port`},
		{"listen port", `listen = "127.0.0.1:99999"`, `:1: listen: the port must be a number`},
		{"listen name", `listen = "hub.example.org:80"`, `:1: listen: the address must be an IP`},
		{"store of another kind", `store = "mysql://hub@db/hub"`, `:1: store: must be a file, or a PostgreSQL database`},
		{"store with a password", `store = "postgres://hub:sesame@db/hub"`, `:1: store: must hold no password; put it into the secrets file as STORE_PASSWORD`},
		{"store with a password behind", `store = "postgres://hub@db/hub?password=sesame"`, `:1: store: must hold no password`},
		{"store without a database", `store = "postgres://hub@db"`, `:1: store: must name a database`},
		{"store's port", `store = "postgres://hub@db:99999/hub"`, `:1: store: the port must be a number`},
		{"store that is no address", `store = "postgres://hub@db:port/hub"`, `:1: store: is not an address`},
		{"secrets at an address", `secrets = "postgres://hub@db/hub"`, `:1: secrets: must be a file`},
		{"store empty", `store = ""`, `:1: store: must name a file`},
		{"guest twice", `guest = ["speakers", "speakers"]`, `:1: guest: "speakers" stands there twice`},
		{"guest name", `guest = ["Speakers"]`, `:1: guest: "Speakers" is not a name`},
		{"budget form", `budget = "8 seconds"`, `:1: budget: must be a duration`},
		{"budget number", `budget = 8`, `:1: budget`},
		{"budget long", `budget = "2h"`, `:1: budget: must be a duration`},
		{"days", "[record]\ndays = -1", ":2: record.days: must be from 0"},
		{"way in name", "[ways_in.my-phone]\naskers = [\"sam\"]", `:1: ways_in.my-phone: "my-phone" is not a name`},
		{"way in capitals", "[ways_in.Phone]\naskers = [\"sam\"]", `:1: ways_in.Phone: "Phone" is not a name`},
		{"way in admin", "[ways_in.admin]\naskers = [\"sam\"]", `:1: ways_in.admin: this name is the admin app's`},
		{"way in chat", "[ways_in.chat]\naskers = [\"sam\"]", `:1: ways_in.chat: this name is the chat's own`},
		{"project hub", "[projects.hub]\nurl = \"http://127.0.0.1:1\"", `:1: projects.hub: this name is the Hub's own, so the project's notices would pass for the Hub's; choose another`},
		{"project apprise", "[projects.apprise]\nurl = \"http://127.0.0.1:1\"", `:1: projects.apprise: this name is that of the destination for notifications`},
		{"project admin", "[projects.admin]\nurl = \"http://127.0.0.1:1\"", `:1: projects.admin: this name is the admin app's`},
		{"way in and project", "[ways_in.a]\naskers = [\"sam\"]\n[projects.a]\nurl = \"http://127.0.0.1:1\"", `:1: ways_in.a: a project has the same name`},
		{"no askers", "[ways_in.phone]\nwant = \"text\"", `:1: ways_in.phone.askers: must name at least one`},
		{"asker twice", "[ways_in.phone]\naskers = [\"sam\", \"sam\"]", `:2: ways_in.phone.askers: "sam" stands there twice`},
		{"asker empty", "[ways_in.phone]\naskers = [\" \"]", `:2: ways_in.phone.askers`},
		{"want", "[ways_in.phone]\naskers = [\"sam\"]\nwant = \"song\"", `:3: ways_in.phone.want: must be text, speech`},
		{"per minute zero", "[ways_in.phone]\naskers = [\"sam\"]\nper_minute = 0", `:3: ways_in.phone.per_minute: must be from 1`},
		{"at once", "[ways_in.phone]\naskers = [\"sam\"]\nat_once = -4", `:3: ways_in.phone.at_once: must be from 1`},
		{"no url", "[projects.a]\nrun = \"compass\"", `:1: projects.a.url: must be an address`},
		{"url scheme", "[projects.a]\nurl = \"ftp://127.0.0.1\"", `:2: projects.a.url: must begin with http`},
		{"url password", "[projects.a]\nurl = \"http://sam:hunter2@127.0.0.1\"", `:2: projects.a.url: must hold no user name`},
		{"url query", "[projects.a]\nurl = \"http://127.0.0.1:8421?a=b\"", `:2: projects.a.url: must have no query`},
		{"url port", "[projects.a]\nurl = \"http://127.0.0.1:84210\"", `:2: projects.a.url: the port must be`},
		{"url twice", "[projects.a]\nurl = \"http://127.0.0.1:1\"\n[projects.b]\nurl = \"http://127.0.0.1:1/\"", `:4: projects.b.url: is the address of a too`},
		{"run unknown", "[projects.a]\nurl = \"http://127.0.0.1:1\"\nrun = \"garden\"", `:3: projects.a.run: "garden" is not a project`},
		{"run elsewhere", "[projects.a]\nurl = \"http://10.0.0.1:8421\"\nrun = \"compass\"", `:2: projects.a.url: a project that askhub starts`},
		{"calendar person", "[[compass.calendars]]\ntag = \"school\"\nfile = \"a.ics\"", `compass.calendars[0].person: must name`},
		{"calendar tag", "[[compass.calendars]]\nperson = \"a\"\nfile = \"a.ics\"\n[[compass.calendars]]\nperson = \"a\"\ntag = \"sport\"\nfile = \"a.ics\"", `:6: compass.calendars[1].tag: must be school or health`},
		{"calendar of none", "[[compass.calendars]]\nperson = \"a\"\ntag = \"school\"", `:1: compass.calendars[0]: must have exactly one`},
		{"calendar of two", "[[compass.calendars]]\nperson = \"a\"\ntag = \"school\"\nfile=\"a\"\nurl=\"http://a\"", `:1: compass.calendars[0]: must have exactly one`},
		{"calendar webcal", "[[compass.calendars]]\nperson = \"a\"\ntag = \"school\"\nurl=\"webcal://a/b\"", `:4: compass.calendars[0].url: write https://`},
		{"calendar password", "[[compass.calendars]]\nperson = \"a\"\ntag = \"school\"\ncaldav=\"http://a\"\nusername=\"a\"\npassword_env=\"not a name!\"", `:6: compass.calendars[0].password_env`},
		{"calendar name alone", "[[compass.calendars]]\nperson = \"a\"\ntag = \"school\"\ncaldav=\"http://a\"\nusername=\"a\"", `:1: compass.calendars[0]: username and password_env go together`},
		{"inline calendar", "[compass]\ncalendars = [\n {person = \"a\", tag = \"sport\", file = \"a\"},\n]", `:3: compass.calendars[0].tag: must be school`},
		{"inline capitals", "record = {Days = 3}", `:1: record.Days: no such field`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := load(t, tt.text)
			if err == nil {
				t.Fatalf("taken: %s", c)
			}
			if !strings.Contains(err.Error(), FileName) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v\nwant it to hold %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows a password: %v", err)
			}
		})
	}
}

func TestOneStartShowsEveryFault(t *testing.T) {
	_, err := load(t, "listen = \"x\"\nbudget = \"1ns\"\n[record]\ndays = 9999")
	for _, field := range []string{"listen", "budget", "record.days"} {
		if err == nil || !strings.Contains(err.Error(), field+":") {
			t.Errorf("%s is not named in: %v", field, err)
		}
	}
}

func TestAMissingFileSaysInit(t *testing.T) {
	_, err := Load(t.TempDir())
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "askhub init") {
		t.Error(err)
	}
}

func TestAnAddressOthersReachIsWarnedOf(t *testing.T) {
	for listen, warned := range map[string]bool{
		"127.0.0.1:8420": false, "[::1]:8420": false, "localhost:0": false,
		"0.0.0.0:8420": true, ":8420": true, "192.168.1.5:8420": true,
	} {
		c, err := load(t, fmt.Sprintf("listen = %q", listen))
		if err != nil {
			t.Errorf("%s: %v", listen, err)
			continue
		}
		if got := len(c.Warnings()) > 0; got != warned {
			t.Errorf("%s: warnings %q", listen, c.Warnings())
		}
	}
}

func TestAnAddressNamedAtTheStartIsJudgedAsTheFilesIs(t *testing.T) {
	open, err := load(t, `listen = "0.0.0.0:8420"`)
	if err != nil {
		t.Fatal(err)
	}
	if err := open.ListenOn("127.0.0.1:8500"); err != nil || open.Listen != "127.0.0.1:8500" || len(open.Warnings()) != 0 {
		t.Errorf("listens on %s: %v, warnings %q", open.Listen, err, open.Warnings())
	}
	if err := open.ListenOn(":8500"); err != nil || len(open.Warnings()) != 1 || !strings.Contains(open.Warnings()[0], "others on the network") {
		t.Errorf("an open address: %v, warnings %q", err, open.Warnings())
	}
	for _, address := range []string{"nonsense", "127.0.0.1:99999", "hub.example.org:80"} {
		if err := open.ListenOn(address); err == nil || !strings.HasPrefix(err.Error(), "--listen: ") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestACalendarsAddressIsNotShown(t *testing.T) {
	c, err := load(t, "[[compass.calendars]]\nperson = \"a\"\ntag = \"school\"\nurl = \"https://cal.example.org/private-k3y/basic.ics?auth=k3y\"")
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"%s", "%v", "%+v", "%#v"} {
		if s := fmt.Sprintf(form, c); strings.Contains(s, "k3y") || !strings.Contains(s, "cal.example.org") {
			t.Errorf("%s shows %s", form, s)
		}
	}
	if !strings.Contains(c.Compass.Calendars[0].URL, "k3y") {
		t.Error("redacting changed the config itself")
	}
}

func TestTheDefaultFolder(t *testing.T) {
	for xdg, want := range map[string]string{
		"":          "/home/sam/.config/askhub",
		"/conf":     "/conf/askhub",
		"not/whole": "/home/sam/.config/askhub",
	} {
		got := DefaultDir(func(name string) string {
			return map[string]string{"HOME": "/home/sam", "XDG_CONFIG_HOME": xdg}[name]
		})
		if got != want {
			t.Errorf("XDG_CONFIG_HOME=%q: %s, want %s", xdg, got, want)
		}
	}
}

// What is shown must be readable again, or a person could not copy from it.
func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add("[[compass.calendars]]\nperson=\"a\"")
	f.Add("a.b.c = [{x = 1}, [2]]")
	f.Add("[[a]]\n[a.b]\n[[a.b.c]]\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parse("/conf/"+FileName, []byte(text))
		if (c == nil) == (err == nil) {
			t.Fatal("neither or both of a config and an error")
		}
		if c != nil {
			_ = c.String()
		}
	})
}

// The page shows a file that is read.
func TestThePagesExample(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```toml\n")
	example, _, ok := strings.Cut(example, "```")
	if !ok {
		t.Fatal("the page has no example")
	}
	t.Setenv("HOME", "/home/sam")
	c, err := load(t, example)
	if err != nil {
		t.Fatal(err)
	}
	silent, err := load(t, "")
	if err != nil {
		t.Fatal(err)
	}
	// What it says of the values that hold anyway is true.
	if c.Listen != silent.Listen || c.Secrets != silent.Secrets || c.Budget != silent.Budget || c.Record != silent.Record ||
		strings.Join(c.Guest, " ") != strings.Join(silent.Guest, " ") || filepath.Base(c.Store) != filepath.Base(silent.Store) {
		t.Errorf("its defaults are not the real ones:\n%s", c)
	}
	if w := c.WaysIn["phone"]; w.PerMinute != DefaultPerMinute || w.AtOnce != DefaultAtOnce {
		t.Errorf("its limits are not the usual ones: %+v", w)
	}
}
