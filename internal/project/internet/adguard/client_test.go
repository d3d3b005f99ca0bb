package adguard

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/project/internet"
)

// Five wrong passwords lock the caller out, and anybody else on the same machine.
func TestTheFirstRefusedPasswordEndsAllCalls(t *testing.T) {
	s := newStandIn(t)
	now := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	h := s.home(func(o *Options) { o.Password, o.Now = "wrong", func() time.Time { return now } })
	for range 20 {
		_, err := h.State(t.Context(), harrys)
		var down *internet.UnableError
		if !errors.As(err, &down) || down.Why != whyRefused || strings.Contains(err.Error(), "wrong") {
			t.Fatalf("it says %v", err)
		}
	}
	if s.failures != 1 || s.calls != 1 {
		t.Errorf("%d calls were made, of which %d were refused", s.calls, s.failures)
	}
	now = now.Add(silence)
	if _, err := h.State(t.Context(), harrys); err == nil || s.failures != 2 {
		t.Errorf("after the silence it says %v, and %d were refused", err, s.failures)
	}
	if _, err := s.home(nil).State(t.Context(), harrys); err != nil {
		t.Errorf("the right password is locked out: %v", err)
	}
}

// Calls at the same time show one wrong password, too: those that wait for their turn
// learn of the refusal before they are made.
func TestCallsAtOnceShowAWrongPasswordOnce(t *testing.T) {
	s := newStandIn(t)
	h := s.home(func(o *Options) { o.Password = "wrong" })
	ask := func() {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if _, err := h.State(t.Context(), harrys); err == nil {
					t.Error("a wrong password is taken")
				}
			})
		}
		all.Wait()
	}
	counts := func() (calls, failures int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.calls, s.failures
	}
	ask()
	if calls, failures := counts(); calls != 1 || failures != 1 {
		t.Errorf("%d calls were made, of which %d were refused", calls, failures)
	}
	// One that was taken until now, and is another at AdGuard Home, locks nobody out either.
	s = newStandIn(t)
	h = s.home(nil)
	if _, err := h.State(t.Context(), harrys); err != nil {
		t.Fatal(err)
	}
	h.password = "of before"
	ask()
	if _, failures := counts(); failures == 0 || failures >= maxFails {
		t.Errorf("%d calls were refused, and %d lock the caller out", failures, maxFails)
	}
}
