package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/store/sqlite"
)

// TestADoctorsExitCodes follows one household from its first minute on.
func TestADoctorsExitCodes(t *testing.T) {
	h := newAddTo(t, gardenEnv)
	settings := strings.Replace(read(t, h.file("askhub.toml")), "127.0.0.1:8420", "127.0.0.1:0", 1)
	write(t, h.file("askhub.toml"), settings)
	h.want(exitFine, []string{"doctor"}, "ok    config: askhub.toml names 1 way in and 0 projects", "warn  people: people.toml names nobody",
		"ok    store: ", "ok    model: none is configured: the embedded router decides", " 0 to mend (FAULT)")

	p := asktest.NewScripted(t, garden)
	h.want(exitFine, []string{"project", "add", p.URL, "--token-env", "GARDEN", "--write"})
	h.want(exitFine, []string{"doctor"}, "ok    projects.garden: it answers in", "warn  projects.garden: it knows about sam")
	p.Stop()
	h.want(exitNeedDown, []string{"doctor"}, "FAULT projects.garden: nothing answers at "+p.URL)
	if err := os.Chmod(h.secrets(), 0o644); err != nil {
		t.Fatal(err)
	}
	h.want(exitNot, []string{"doctor"}, "FAULT secrets: others can read")
	if strings.Contains(h.err.String(), "askhub:") {
		t.Errorf("a fault that was told is told again: %s", h.err.String())
	}
}

func TestADoctorsJSON(t *testing.T) {
	h := newAddTo(t)
	write(t, h.file("routing.md"), "# Nothing\n")
	h.want(exitNot, []string{"doctor", "--json"})
	var checks []doctor.Check
	if err := json.Unmarshal(h.out.Bytes(), &checks, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%v in\n%s", err, h.out.String())
	}
	found := false
	for _, c := range checks {
		if c.State != doctor.OK && c.State != doctor.Warn && c.State != doctor.Fault || c.Check == "" || c.What == "" {
			t.Errorf("%+v", c)
		}
		found = found || c.Check == "routing" && c.State == doctor.Fault
	}
	if !found {
		t.Error("the fault of routing.md is not there")
	}
	h.want(exitNot, []string{"doctor", "--json", "--config", h.dir + "/none"}, `"check": "folder"`, `"state": "fault"`)
}

// TestTheDoctorReadsTheStore: a sound one beside whoever has it open, and a damaged one.
func TestTheDoctorReadsTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "askhub.db")
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkStore(t.Context(), path); err != nil {
		t.Errorf("a store that is open: %v", err)
	}
	if _, err := db.Writer().ExecContext(t.Context(), `CREATE TABLE more (n INTEGER)`); err != nil {
		t.Errorf("the Hub cannot write after the doctor: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Repeat("no store ", 1000))
	if err := checkStore(t.Context(), path); !errors.Is(err, doctor.ErrStoreDamaged) || strings.Contains(err.Error(), "SQL") {
		t.Errorf("a damaged store: %v", err)
	}
}

func TestAStoppedDoctorSaysSo(t *testing.T) {
	h := newAddTo(t)
	e := h.env()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	e.ctx = ctx
	if code := run(e, []string{"doctor"}); code != exitNot || !strings.Contains(h.err.String(), "stopped") || h.out.Len() > 0 {
		t.Errorf("exit %d, %q, %q", code, h.out.String(), h.err.String())
	}
}
