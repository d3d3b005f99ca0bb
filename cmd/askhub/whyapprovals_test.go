package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/ask/approve/approvetest"
)

func TestWhatAPersonAskedAYesForIsListedAndForgotten(t *testing.T) {
	h := startChatHouse(t, 1, "")
	s := h.store().Approvals()
	for n, state := range []approve.State{approve.Done, approve.Pending, approve.Denied} {
		k := approvetest.Kept(n)
		if n == 2 {
			k.Who = "emma" // whom sam refused
		}
		if _, err := s.Add(t.Context(), k, k.Created); err != nil {
			t.Fatal(err)
		}
		if state != approve.Pending {
			m := approve.Move{Owner: k.Owner, ID: k.ID, From: approve.Pending, To: state, Result: approve.Result{Message: "Over.", By: "sam", Decided: k.Created}}
			if ok, err := s.Move(t.Context(), m); err != nil || !ok {
				t.Fatal(ok, err)
			}
		}
	}
	why := func(args ...string) string {
		out, err := exec.Command(h.program, append([]string{"why", "--config", h.dir}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if said := why("--about", "Sam"); !strings.Contains(said, "asked for by emma: Mend tap 2") || !strings.Contains(said, "(denied, decided by sam)") || !strings.Contains(said, "3 approvals about sam.") {
		t.Errorf("about Sam: %s", said)
	}
	if said := why("--forget", "sam"); !strings.Contains(said, "Removed: 0 records and 2 approvals about sam.") {
		t.Errorf("forgotten: %s", said)
	}
	// What waits still waits.
	if said := why("--about", "sam"); !strings.Contains(said, "1 approval about sam.") || !strings.Contains(said, "(pending)") {
		t.Errorf("after that: %s", said)
	}
	// A slip is not taken for somebody of whom nothing is kept.
	for _, flag := range []string{"--about", "--forget"} {
		out, err := exec.Command(h.program, "why", "--config", h.dir, flag, "hary").CombinedOutput()
		if err == nil || !strings.Contains(string(out), `nobody is called "hary": people.toml has sam`) {
			t.Errorf("%s hary: %v: %s", flag, err, out)
		}
	}
}
