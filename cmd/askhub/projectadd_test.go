package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/secrets"
)

// addTo is what the commands leave in a household's files.
type addTo struct {
	*home
	t *testing.T
}

func newAddTo(t *testing.T, environ ...string) addTo {
	t.Helper()
	h := addTo{newHome(t, environ...), t}
	if code := run(h.env(), []string{"init"}); code != exitFine {
		t.Fatal(h.err.String())
	}
	return h
}

// run gives the exit code.
func (h addTo) run(words ...string) int {
	h.t.Helper()
	return run(h.env(), words)
}

// want runs the words and demands the exit code, and each text in what was printed.
func (h addTo) want(code int, words []string, texts ...string) {
	h.t.Helper()
	got := h.run(words...)
	printed := h.out.String() + h.err.String()
	if got != code {
		h.t.Fatalf("askhub %s: exit %d, want %d\n%s", strings.Join(words, " "), got, code, printed)
	}
	for _, text := range texts {
		if !strings.Contains(printed, text) {
			h.t.Errorf("askhub %s does not say %q:\n%s", strings.Join(words, " "), text, printed)
		}
	}
}

func (h addTo) file(name string) string { return filepath.Join(h.conf(), name) }

// files are everything that the command may change.
func (h addTo) files() string {
	return read(h.t, h.file("askhub.toml")) + read(h.t, h.file("routing.md")) + read(h.t, h.secrets())
}

func (h addTo) token(variable string) string {
	h.t.Helper()
	found, err := secrets.Lookup(h.secrets(), nil, variable)
	if err != nil {
		h.t.Fatal(err)
	}
	return found[variable]
}

func (h addTo) routing() *routing.File {
	h.t.Helper()
	f, _, err := routing.Load(h.file("routing.md"))
	if err != nil {
		h.t.Fatal(err)
	}
	return f
}

// garden is a project that no shipped file knows.
var garden = asktest.Script{Project: "garden", Topics: []string{"garden", "watering the beds"}, People: []ask.Person{"sam"}}

const gardenEnv = "GARDEN=" + string(asktest.TestToken)

func TestANewProjectIsAddedInOneGo(t *testing.T) {
	p := asktest.NewScripted(t, garden)
	h := newAddTo(t, gardenEnv)
	before := read(t, h.file("routing.md"))
	h.want(exitFine, []string{"project", "add", p.URL + "/", "--token-env", "GARDEN", "--write"},
		"garden answers at "+p.URL+": garden, watering the beds; it knows about sam",
		"Done: PROJECT_TOKEN_GARDEN and HUB_TOKEN_GARDEN", "Done: [projects.garden]", "Done: its row in line", `restart "askhub serve"`)
	if strings.Contains(h.out.String()+h.err.String(), string(asktest.TestToken)) {
		t.Error("the token is shown")
	}
	cfg, err := config.Load(h.conf())
	if err != nil || cfg.Projects["garden"].URL != p.URL {
		t.Errorf("askhub.toml has %v (%v)", cfg.Projects, err)
	}
	if got := h.token("PROJECT_TOKEN_GARDEN"); got != string(asktest.TestToken) {
		t.Error("the secrets have another token for the project")
	}
	if got := h.token("HUB_TOKEN_GARDEN"); len(got) != 64 || got == string(asktest.TestToken) {
		t.Error("there is no token of its own for the project's notices")
	}
	d, _ := h.routing().Find("garden")
	if strings.Join(d.Topics, "; ") != "garden; watering the beds" || d.Kind != routing.KindQuery || d.Placeholder {
		t.Errorf("its row is read as %+v", d)
	}
	after := read(t, h.file("routing.md"))
	const row = "| garden, watering the beds | `garden` | query `/ask` | active service |\n"
	if strings.Replace(after, row, "", 1) != before {
		t.Error("routing.md has changed in more than its new row")
	}
	if want := "| `dsh` | peer (keeps its own chat) | active service |\n" + row; !strings.Contains(after, want) {
		t.Error("the row is not at the end of the topic map")
	}

	// A second time changes nothing.
	all := h.files()
	h.want(exitNot, []string{"project", "add", p.URL, "--token-env", "GARDEN", "--write"}, "garden is configured already at "+p.URL)
	if h.files() != all {
		t.Error("the second time has changed a file")
	}
}

func TestAProjectWithoutATokenIsGivenOneFirst(t *testing.T) {
	p := asktest.NewScripted(t, garden)
	h := newAddTo(t)
	settings := read(t, h.file("askhub.toml"))
	words := []string{"project", "add", p.URL, "--name", "garden"}
	h.want(exitFine, words, "This is PROJECT_TOKEN_GARDEN", "run the same command again")
	token := strings.TrimSpace(h.out.String())
	if len(token) != 64 || token != h.token("PROJECT_TOKEN_GARDEN") {
		t.Errorf("standard output has %d characters and not the token alone", len(token))
	}
	if read(t, h.file("askhub.toml")) != settings {
		t.Error("a project that nobody has seen is in askhub.toml")
	}
	h.want(exitNot, words, "refused the token", "--token-env")
	p.Change(func(s *asktest.Script) { s.Token = ask.BearerToken(token) })
	h.want(exitFine, words, "Done: HUB_TOKEN_GARDEN in", "Done: [projects.garden]",
		"Left to do: put its row into line", "  | garden, watering the beds | `garden` | query `/ask` | active service |")
	if strings.Contains(h.out.String()+h.err.String(), token) {
		t.Error("the token is shown a second time")
	}
	if _, ok := h.routing().Find("garden"); ok {
		t.Error("routing.md was written without --write")
	}
	// The address is enough now, and the row is what is left.
	h.want(exitFine, []string{"project", "add", p.URL, "--write"}, "Done: its row in line")
	if _, ok := h.routing().Find("garden"); !ok {
		t.Error("the row is missing")
	}
	if n := strings.Count(read(t, h.file("askhub.toml")), "[projects.garden]"); n != 1 {
		t.Errorf("askhub.toml has the project %d times", n)
	}
}

// TestAPlaceholderIsKept: the row of a project that was planned is there already.
func TestAPlaceholderIsKept(t *testing.T) {
	p := asktest.NewScripted(t, asktest.Script{Project: "compass_nhs", Topics: []string{"school"}})
	h := newAddTo(t, gardenEnv)
	before := read(t, h.file("routing.md"))
	h.want(exitFine, []string{"project", "add", p.URL, "--token-env", "GARDEN", "--write"},
		"Kept: routing.md has its row already", "compass_nhs is marked as a placeholder and answers already")
	if read(t, h.file("routing.md")) != before {
		t.Error("routing.md has changed")
	}
}

func TestAClashOfTopicsIsTold(t *testing.T) {
	p := asktest.NewScripted(t, asktest.Script{Project: "post", Topics: []string{"parcels", "Mail"}})
	h := newAddTo(t, gardenEnv)
	h.want(exitFine, []string{"project", "add", p.URL, "--token-env", "GARDEN", "--write"}, "Done: its row",
		`the topic "Mail" is also in the row of email_agent`, "overlap table")
}

// TestARowGoesWhereItsTableHasIt: the household's own order of columns, its line ends,
// and a table without a line behind it.
func TestARowGoesWhereItsTableHasIt(t *testing.T) {
	const end = "\n## Never-route list\n\n| Control action | Refuse? |\n|---|---|\n| Cut the kids' internet | Yes |\n"
	const never = "## Never-route list\n\n| Control action | Refuse? |\n|---|---|\n| Cut the kids' internet | Yes |\n\n"
	tests := []struct{ name, before, after string }{
		{
			"other columns",
			"# Topic to project map\n\n| Status | Who cares | **Project** | Topics (what is said) | Kind |\n|:--|---|---|--:|:-:|\n| active | sam | email_agent | mail | query /ask |\n" + end,
			"# Topic to project map\n\n| Status | Who cares | **Project** | Topics (what is said) | Kind |\n|:--|---|---|--:|:-:|\n| active | sam | email_agent | mail | query /ask |\n" +
				"| active service |  | `garden` | garden, watering the beds | query `/ask` |\n" + end,
		},
		{
			"a table without bars at its ends",
			"# Topic to project map\n\nTopic | Project | Kind | Status\n--- | --- | --- | ---\nmail | email_agent | query /ask | active\n" + end,
			"# Topic to project map\n\nTopic | Project | Kind | Status\n--- | --- | --- | ---\nmail | email_agent | query /ask | active\n" +
				"garden, watering the beds | `garden` | query `/ask` | active service\n" + end,
		},
		{
			"Windows line ends",
			strings.ReplaceAll("# Topic to project map\n\n| Topic | Project | Kind | Status |\n|---|---|---|---|\n| mail | email_agent | query /ask | active |\n"+end, "\n", "\r\n"),
			strings.ReplaceAll("# Topic to project map\n\n| Topic | Project | Kind | Status |\n|---|---|---|---|\n| mail | email_agent | query /ask | active |\n"+
				"| garden, watering the beds | `garden` | query `/ask` | active service |\n"+end, "\n", "\r\n"),
		},
		{
			"no line end at the end",
			never + "# Topic to project map\n\n| Topic | Project | Kind | Status |\n|---|---|---|---|\n| mail | email_agent | query /ask | active |",
			never + "# Topic to project map\n\n| Topic | Project | Kind | Status |\n|---|---|---|---|\n| mail | email_agent | query /ask | active |\n" +
				"| garden, watering the beds | `garden` | query `/ask` | active service |",
		},
		{
			"a table in a list, and text right behind it",
			"\ufeff# Topic to project map\n\n- what we have\n\n  | Topic | Project | Kind | Status |\n  |---|---|---|---|\n  | mail | email_agent | query /ask | active |\n\n  And that is it.\n" + end,
			"\ufeff# Topic to project map\n\n- what we have\n\n  | Topic | Project | Kind | Status |\n  |---|---|---|---|\n  | mail | email_agent | query /ask | active |\n" +
				"  | garden, watering the beds | `garden` | query `/ask` | active service |\n\n  And that is it.\n" + end,
		},
	}
	p := asktest.NewScripted(t, garden)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newAddTo(t, gardenEnv)
			write(t, h.file("routing.md"), test.before)
			if err := os.Chmod(h.file("routing.md"), 0o640); err != nil {
				t.Fatal(err)
			}
			h.want(exitFine, []string{"project", "add", p.URL, "--token-env", "GARDEN", "--write"}, "Done: its row")
			if got := read(t, h.file("routing.md")); got != test.after {
				t.Errorf("routing.md is now\n%q\nwant\n%q", got, test.after)
			}
			if info, err := os.Stat(h.file("routing.md")); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("its mode is %v (%v)", info.Mode(), err)
			}
		})
	}
}

// TestFaultsLeaveEverythingAsItWas: whatever is wrong, no file has changed.
func TestFaultsLeaveEverythingAsItWas(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	tests := []struct {
		name   string
		script asktest.Script
		// spoil makes the household's files ready; words are what stands behind the address.
		spoil func(h addTo, url string)
		url   string
		words []string
		code  int
		say   string
	}{
		{name: "no token and no name", words: nil, code: exitUsage, say: "say --name NAME"},
		{name: "an empty variable", words: []string{"--token-env", "NONE"}, code: exitUsage, say: "NONE: the token is empty"},
		{name: "no address", url: "127.0.0.1:8422", code: exitUsage, say: "the address must be like"},
		{name: "an address with a password", url: "http://sam:secret@127.0.0.1:8422", code: exitUsage, say: "no user name or password"},
		{name: "an address with a query", url: "http://127.0.0.1:8422/?a=b", code: exitUsage, say: "no ? and no #"},
		{name: "down", url: down.URL, code: exitNeedDown, say: "the project is not answering at"},
		{name: "not a project", url: other.URL, code: exitNot, say: "is not a project"},
		{name: "broken", script: asktest.Script{Fault: asktest.Down}, code: exitNeedDown, say: "the project is not answering"},
		{name: "another token", script: asktest.Script{Fault: asktest.Unwilling}, code: exitNot, say: "refused the token"},
		{name: "another name", words: []string{"--token-env", "GARDEN", "--name", "patio"}, code: exitNot, say: "calls itself garden and not patio"},
		{name: "a name that makes no variable", script: asktest.Script{Project: "my-garden"}, code: exitNot, say: `"my-garden" cannot be a project's name`},
		{name: "a name that is no name", words: []string{"--name", "My Garden"}, code: exitNot, say: "cannot be a project's name"},
		{name: "the name of a way in", script: asktest.Script{Project: "phone"}, code: exitNot, say: "phone is the name of a way in already"},
		{name: "the name of the admin app", script: asktest.Script{Project: "admin"}, code: exitNot, say: "admin is the name of a way in already"},
		{name: "no topics", script: asktest.Script{Project: "garden"}, code: exitNot, say: "declares no topics"},
		{
			name: "a comma in a topic", script: asktest.Script{Project: "garden", Topics: []string{"beds, and pots"}}, code: exitNot,
			say: "perhaps for a comma in a topic; write it by hand: | beds, and pots | `garden`",
		},
		{
			name: "the address of another project", code: exitNot, say: "is the address of patio in askhub.toml already",
			spoil: func(h addTo, url string) {
				write(h.t, h.file("askhub.toml"), "[projects.patio]\nurl = \""+url+"\"\n")
			},
			words: []string{"--token-env", "GARDEN", "--name", "garden"},
		},
		{
			name: "the name of another project", code: exitNot, say: "garden is configured already, at http://127.0.0.1:1",
			spoil: func(h addTo, _ string) {
				write(h.t, h.file("askhub.toml"), "[projects.garden]\nurl = \"http://127.0.0.1:1\"\n")
			},
		},
		{
			name: "another token in the secrets", code: exitNot, say: "another token as PROJECT_TOKEN_GARDEN",
			spoil: func(h addTo, _ string) {
				if _, err := secrets.Append(h.secrets(), secrets.Pair{Name: "PROJECT_TOKEN_GARDEN", Token: secrets.NewToken()}); err != nil {
					h.t.Fatal(err)
				}
			},
		},
		{
			name: "the token of somebody else", code: exitNot, say: "is that of PROJECT_TOKEN_PATIO too",
			spoil: func(h addTo, _ string) {
				if _, err := secrets.Append(h.secrets(), secrets.Pair{Name: "PROJECT_TOKEN_PATIO", Token: asktest.TestToken}); err != nil {
					h.t.Fatal(err)
				}
			},
		},
		{
			name: "an askhub.toml that takes no table at its end", code: exitNot, say: "askhub.toml does not take [projects.garden] at its end",
			spoil: func(h addTo, _ string) {
				write(h.t, h.file("askhub.toml"), "projects = {patio = {url = \"http://127.0.0.1:1\"}}\n")
			},
		},
		{
			name: "a routing.md with a fault", code: exitNot, say: "routing.md:",
			spoil: func(h addTo, _ string) { write(h.t, h.file("routing.md"), "# Nothing\n") },
		},
		{
			name: "a row of another kind", code: exitNot, say: "has garden as a command",
			spoil: func(h addTo, _ string) {
				write(h.t, h.file("routing.md"), strings.ReplaceAll(read(h.t, h.file("routing.md")), "`apprise` | command", "`garden` | command"))
				write(h.t, h.file("routing.md"), strings.ReplaceAll(read(h.t, h.file("routing.md")), "| `apprise` | Home", "| `garden` | Home"))
			},
		},
		{
			name: "secrets that others can read", code: exitNot, say: "chmod 600",
			spoil: func(h addTo, _ string) {
				if err := os.Chmod(h.secrets(), 0o644); err != nil {
					h.t.Fatal(err)
				}
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newAddTo(t, gardenEnv)
			if test.url == "" {
				script := test.script
				if script.Project == "" {
					script.Project, script.Topics = garden.Project, garden.Topics
				} else if script.Topics == nil && script.Project != "garden" {
					script.Topics = garden.Topics
				}
				test.url = asktest.NewScripted(t, script).URL
			}
			if test.spoil != nil {
				test.spoil(h, test.url)
			}
			words := []string{"project", "add", test.url, "--write"}
			switch {
			case test.words != nil:
				words = append(words, test.words...)
			case test.name != "no token and no name":
				words = append(words, "--token-env", "GARDEN")
			}
			before := h.files()
			h.want(test.code, words, test.say)
			if h.files() != before {
				t.Error("a file has changed")
			}
			if strings.Contains(h.out.String()+h.err.String(), string(asktest.TestToken)) {
				t.Error("the token is shown")
			}
			left, err := filepath.Glob(h.file(".*"))
			if err != nil || len(left) > 0 {
				t.Errorf("files are left behind: %v (%v)", left, err)
			}
		})
	}
}

// TestAnEditInTheMeantimeIsNotLost: somebody saves the file while the row is made.
func TestAnEditInTheMeantimeIsNotLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "routing.md")
	write(t, path, "as it is now")
	err := change{path, []byte("as it was"), []byte("as we want it")}.replace()
	if err == nil || !strings.Contains(err.Error(), "changed in the meantime") {
		t.Errorf("error %v", err)
	}
	if got := read(t, path); got != "as it is now" {
		t.Errorf("the file is now %q", got)
	}
}
