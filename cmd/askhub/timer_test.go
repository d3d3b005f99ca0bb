package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// aTimer runs askhub timer beside the household's Hub.
func aTimer(t *testing.T, dir string, words ...string) (out string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := &env{ctx: context.Background(), stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, getenv: os.Getenv, environ: os.Environ}
	code = run(e, append(append([]string{"timer"}, words...), "--config", dir))
	return stdout.String() + stderr.String(), code
}

func TestATimerIsSetByVoiceSeenOnTheHostAndSurvivesARestart(t *testing.T) {
	served := startChatHouseWith(t, 1, "", "", "")
	h := &house{t: t, url: served.urls[0], token: strings.Repeat("t", 40)}
	if r, err := h.ask("set a pasta timer for ten minutes"); err != nil || r.Status != "done" || r.Reply != "The pasta timer is set for 10 minutes." {
		t.Fatalf("got %+v, %v", r, err)
	}
	served.slay(0) // as a power cut does
	if err := served.serve(0); err != nil {
		t.Fatal(err)
	}
	if r, err := h.ask("how long is left on the pasta timer?"); err != nil || r.Status != "answered" || !strings.HasPrefix(r.Reply, "The pasta timer has ") {
		t.Errorf("got %+v, %v", r, err)
	}
	out, code := aTimer(t, served.dir, "list", "--json")
	var listed struct{ Timers []timerListed }
	if err := json.Unmarshal([]byte(out), &listed, json.MatchCaseInsensitiveNames(true)); err != nil || code != 0 || len(listed.Timers) != 1 || listed.Timers[0].Room != "test" || listed.Timers[0].Asker != "sam" {
		t.Fatalf("%d, %v: %s", code, err, out)
	}
	if out, code := aTimer(t, served.dir, "list"); code != 0 || !strings.Contains(out, "pasta") {
		t.Errorf("%d: %s", code, out)
	}
	if out, code := aTimer(t, served.dir, "cancel", listed.Timers[0].ID); code != 0 || out != "cancelled\n" {
		t.Errorf("%d: %s", code, out)
	}
	if out, code := aTimer(t, served.dir, "cancel", listed.Timers[0].ID); code != exitNot || !strings.Contains(out, "askhub timer list") {
		t.Errorf("%d: %s", code, out)
	}
	if r, err := h.ask("what timers are running?"); err != nil || r.Reply != "There is no timer." {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err := h.ask("turn on the kitchen light"); err != nil || r.Status != "unavailable" {
		t.Errorf("without Home Assistant: got %+v, %v", r, err)
	}
}

func TestTheTimerThatIsMeantIsAskedForAndTaken(t *testing.T) {
	served := startChatHouseWith(t, 1, "", "", "")
	h := &house{t: t, url: served.urls[0], token: strings.Repeat("t", 40)}
	for _, words := range []string{"set an egg timer for 4 minutes", "set a bread timer for 50 minutes"} {
		if r, err := h.ask(words); err != nil || r.Status != "done" {
			t.Fatalf("got %+v, %v", r, err)
		}
	}
	asked, err := h.ask("cancel the timer")
	if err != nil || asked.Status != "clarify" || asked.Reply != "Which one: egg or bread?" || strings.Join(asked.Choices, "|") != "egg|bread" {
		t.Fatalf("got %+v, %v", asked, err)
	}
	r, err := h.asks(map[string]string{"question": "the bread one", "asker": "sam", "in_reply_to": asked.ID})
	if err != nil || r.Status != "done" || r.Reply != "The bread timer is cancelled." {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestWithoutAStoreThereIsNoTimer(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "askhub.toml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := aTimer(t, dir, "list"); code != 0 || out != "No timer and no reminder waits.\n" {
		t.Errorf("%d: %s", code, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "askhub.db")); err == nil {
		t.Error("who only looks made a store")
	}
}
