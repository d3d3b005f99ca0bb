package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
)

// routingCheck runs the command in a home of the test's own.
func routingCheck(t *testing.T, home string, c routingCheckCmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	err := c.Run(&env{
		ctx: t.Context(), stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
		getenv: func(name string) string {
			return map[string]string{"HOME": home, "PROJECT_TOKEN_EMAIL_AGENT": emailToken}[name]
		},
		environ: func() []string { return []string{"HOME=" + home, "PROJECT_TOKEN_EMAIL_AGENT=" + emailToken} },
	})
	var coded exitError
	switch {
	case errors.As(err, &coded):
		code = coded.code
	case err != nil:
		t.Fatalf("an error without an exit code: %v", err)
	}
	if err != nil {
		errs.WriteString(err.Error())
	}
	return out.String(), errs.String(), code
}

const emailToken = "token-for-tests-0123456789abcdef0123"

func writeIn(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRoutingCheckOfAGoodFile(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "routing.md")
	writeIn(t, path, string(routing.Default()))
	out, errs, code := routingCheck(t, home, routingCheckCmd{File: path})
	if code != exitFine || !strings.HasPrefix(out, path+" is fine: 12 destinations") || errs != "" {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}

func TestRoutingCheckNamesEachProblemWithItsLine(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "routing.md")
	text := strings.Replace(string(routing.Default()), "command (direct)", "comand", 1)
	text = strings.Replace(text, "email, inbox", "email, email", 1)
	writeIn(t, path, text)
	line := func(part string) int { return 1 + strings.Count(text[:strings.Index(text, part)], "\n") }

	out, _, code := routingCheck(t, home, routingCheckCmd{File: path})
	want := []string{
		path + ":" + strconv.Itoa(line("email, email")) + ": warning: the topic ",
		path + ":" + strconv.Itoa(line("comand")) + ": error: unknown kind ",
	}
	got := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitNot || len(got) < 2 || !strings.HasPrefix(got[0], want[0]) || !strings.HasPrefix(got[1], want[1]) {
		t.Errorf("exit %d, %q, want lines that begin with %q", code, got, want)
	}

	out, _, code = routingCheck(t, home, routingCheckCmd{File: path, JSON: true})
	var doc routingChecked
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if code != exitNot || doc.OK || doc.Problems[1].Line != line("comand") || doc.Problems[1].Severity != routing.Error {
		t.Errorf("exit %d, %+v", code, doc)
	}
}

func TestEachLineIsDecidedWhateverStandsInTheOthers(t *testing.T) {
	decide := func(in string) (lines []string, errs string, code int) {
		var out, err strings.Builder
		e := &env{
			ctx: t.Context(), stdin: strings.NewReader(in), stdout: &out, stderr: &err,
			getenv: func(string) string { return "" }, environ: func() []string { return nil },
		}
		code = run(e, []string{"routing", "decide", "--lines", "--config", t.TempDir()})
		return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), err.String(), code
	}
	lines, errs, code := decide("what homework is due\xff?\n\n\x00\n" + strings.Repeat("a", 1<<16) + "\nwhat homework is due?\r\n")
	if code != exitFine || errs != "" || len(lines) != 5 {
		t.Fatalf("exit %d, %q, %d lines, want 5", code, errs, len(lines))
	}
	for _, i := range []int{0, 4} {
		var d routingDecided
		if err := json.Unmarshal([]byte(lines[i]), &d); err != nil || d.Outcome != routing.OutcomeRoute {
			t.Errorf("line %d: %s, %v", i+1, lines[i], err)
		}
	}
	_, errs, code = decide("what homework is due?\n" + strings.Repeat("a", 1<<20+1) + "\n")
	if code != exitNot || !strings.Contains(errs, "line 2 is longer than 1 MB") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

func TestRoutingCheckOfAFileThatIsNotThere(t *testing.T) {
	home := t.TempDir()
	_, errs, code := routingCheck(t, home, routingCheckCmd{})
	want := filepath.Join(home, ".config", "askhub", "routing.md")
	if code != exitNot || !strings.Contains(errs, want) || !strings.Contains(errs, "askhub init") {
		t.Errorf("exit %d, %q; want the config folder's file and the mend", code, errs)
	}
}

func TestRoutingCheckComparesWithTheLiveProjects(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/health" {
			io.WriteString(w, `{"ok": true}`)
			return
		}
		io.WriteString(w, `{"project": "email_agent", "topics": ["email", "inbox", "mail", "message", "unread", "spam"], "people": []}`)
	}))
	defer srv.Close()
	home := t.TempDir()
	dir := filepath.Join(home, "config")
	writeIn(t, filepath.Join(dir, config.RoutingName), string(routing.Default()))
	secrets := filepath.Join(home, "secrets.conf")
	writeIn(t, secrets, "PROJECT_TOKEN_EMAIL_AGENT="+emailToken+"\nPROJECT_TOKEN_COMPASS_NHS="+emailToken+"x\n")
	writeIn(t, filepath.Join(dir, config.FileName), `secrets = "`+secrets+`"
[projects.email_agent]
url = "`+srv.URL+`"
[projects.compass_nhs]
url = "http://127.0.0.1:1"
`)
	out, errs, code := routingCheck(t, home, routingCheckCmd{Config: dir})
	if code != exitFine || !strings.Contains(out, `: warning: email_agent declares "spam" as well`) {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	if !strings.Contains(errs, "compass_nhs was not compared") {
		t.Errorf("nothing is said of the project that is down: %q", errs)
	}
}
