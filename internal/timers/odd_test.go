package timers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/internal/timers"
)

// What is not one length of time from now, or one moment to come, sets nothing: it is
// asked for again, and never guessed at.
func TestWhatIsNoTimeSetsNothing(t *testing.T) {
	const (
		howLong = "? For how long shall the timer run? "
		when    = "- Please say when I shall remind you"
		one     = "- Please say one length of time"
		once    = "- I can do that once only, and not again and again"
		running = "- I cannot change a timer that runs; please cancel it and set another"
		over    = "- That moment is over already"
		day     = "- A timer runs for a day at most; ask for a reminder instead"
	)
	synctest.Test(t, func(t *testing.T) { // it is midnight UTC, 2000-01-01
		h := newHome(t, timers.NewMemory())
		for words, want := range map[string]string{
			"set a timer for 0 minutes":                    howLong,
			"set a timer for zero seconds":                 howLong,
			"set a timer for -5 minutes":                   howLong,
			"set a timer for −5 minutes":                   howLong,
			"set a timer for minus five minutes":           one,
			"set a timer for five to ten minutes":          one,
			"set a timer for ten or fifteen minutes":       one,
			"set a timer for ten":                          howLong,
			"set a timer for ten years":                    howLong,
			"set a timer for 99999999999999999999 minutes": howLong,
			"set a timer for 1e9h":                         howLong,
			"set a timer for 25 hours":                     day,
			"set a timer for 9999 weeks":                   day,
			"set a timer for half a second":                "- A timer runs for a second at least",
			"set a timer for five minutes ago":             over,
			"set a timer every ten minutes":                once,
			"add five minutes to the pasta timer":          running,
			"put another ten minutes on the timer":         running,
			"give the timer five more minutes":             running,
			"take two minutes off the pasta timer":         running,
			"make the pasta timer ten minutes longer":      running,
			"extend the timer by five minutes":             running,
			"pause the timer":                              running,
			"wake me up every day at seven":                once,
			"wake me up":                                   "? When shall the alarm ring? ",
			"remind me every day at six to eat":            once,
			"remind me at six to eat daily":                once,
			"remind me to put the bins out every Monday":   once,
			"remind me today at 0:00 to eat":               over,
			"remind me in 0 minutes to eat":                when,
			"remind me in -5 minutes to eat":               when,
			"remind me in 10 years to eat":                 when,
			"remind me in two years":                       when,
			"remind me at 25:00 to eat":                    when,
			"remind me at 6:75 to eat":                     when,
			"remind me yesterday to eat":                   when,
			"remind me on Tuesday next week to eat":        when,
			"remind me to eat next week on Tuesday":        when,
			"remind me next month on the 3rd to eat":       when,
			"remind me in 400 days to eat":                 "- That is more than a year ahead",
		} {
			h.expect(words, want)
		}
		if live, err := h.store.Live(t.Context()); err != nil || len(live) != 0 {
			t.Errorf("%+v was set, %v", live, err)
		}
		for words, want := range map[string]string{
			"set a timer for 1.5 hours":                      "The timer is set for 1 hour and 30 minutes.",
			"set a timer for 0.5 minutes":                    "The timer is set for 30 seconds.",
			"set a timer for 5 minutes and 30":               "The timer is set for 5 minutes and 30 seconds.",
			"set a timer for an hour twenty":                 "The timer is set for 1 hour and 20 minutes.",
			"set a timer for one second":                     "The timer is set for 1 second.",
			"set a timer for 24 hours":                       "The timer is set for 1 day.",
			"set an alarm for ten":                           "The timer is set for 10 hours.",
			"set a timer for 6:30":                           "The timer is set for 6 hours and 30 minutes.",
			"remind me at six to feed every cat":             "I will remind you at 6:00: feed every cat.",
			"remind me in an hour and 20 minutes to go":      "I will remind you at 1:20: go.",
			"remind me in 2 hours to turn the oven to 180":   "I will remind you at 2:00: turn the oven to 180.",
			"remind me at six to give the cat 1.5 tablets":   "I will remind you at 6:00: give the cat 1.5 tablets.",
			"remind me tomorrow at 8 to pay for each lesson": "I will remind you tomorrow at 8:00: pay for each lesson.",
		} {
			h.expect(words, want)
		}
	})
}

// What is asked back is completed by the words that follow, and by nothing else.
func TestWhatWasNotSaidIsAskedForAndCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, timers.NewMemory())
		time.Sleep(1234567890 * time.Nanosecond) // so that seven o'clock is no whole number of seconds away
		for _, row := range [][4]string{
			{"set a pasta timer", "? For how long shall the timer run? ", "five minutes", "The pasta timer is set for 5 minutes."},
			{"wake me up", "? When shall the alarm ring? ", "at seven", "The timer will ring at 7:00."},
			{"remind me to call Nan", "? When shall I remind you? ", "at eight", "I will remind you at 8:00: call Nan."},
			{"remind Harry", "? When shall I remind you, and of what? ", "tomorrow at noon to pack", "I will remind Harry tomorrow at 12:00: pack."},
		} {
			h.expect(row[0], row[1])
			whole, ok := h.desk.Complete(row[0], row[2])
			if !ok {
				t.Errorf("%q does not complete %q", row[2], row[0])
			}
			h.expect(whole, row[3])
			for _, other := range []string{"never mind", "turn on the light", "what is the time?"} {
				if whole, ok := h.desk.Complete(row[0], other); ok {
					t.Errorf("%q, %q makes %q", row[0], other, whole)
				}
			}
		}
		if whole, ok := h.desk.Complete("turn on the light", "five minutes"); ok {
			t.Errorf("what the house asked back makes %q", whole)
		}
	})
}

// A speaker that does not answer holds up its own room alone, and what comes due there is
// told in turn.
func TestADeadSpeakerHoldsUpNoOtherRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, timers.NewMemory())
		h.dead = "attic"
		for range 5 {
			h.in("attic", "set a timer for ten minutes")
			time.Sleep(time.Second)
		}
		h.in("kitchen", "set a timer for ten minutes")
		h.run()
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if len(h.told) != 1 || h.told[0] != "kitchen/sam: The timer is done." {
			t.Errorf("told %q", h.told)
		}
		h.mu.Lock()
		h.dead = ""
		h.mu.Unlock()
		time.Sleep(5 * time.Minute)
		if h.stop(); len(h.told) != 6 {
			t.Errorf("told %q", h.told)
		}
		if live, err := h.store.Live(t.Context()); err != nil || len(live) != 0 {
			t.Errorf("left are %v, %v", live, err)
		}
	})
}

// A store that cannot keep that something is told is asked again after a while, not at once.
func TestAStoreThatIsFullIsNotAskedWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fullStore{Store: timers.NewMemory()}
		h := newHome(t, store)
		h.says("set a timer for ten minutes")
		h.run()
		time.Sleep(12 * time.Minute)
		h.stop()
		if store.moves < 1 || store.moves > 10 || len(h.told) != 0 {
			t.Errorf("it was asked %d times, and %q was told", store.moves, h.told)
		}
	})
}

// fullStore has no room left for a change.
type fullStore struct {
	timers.Store

	moves int
}

func (s *fullStore) Move(context.Context, timers.Move) (bool, error) {
	s.moves++
	return false, errors.New("no space left on device")
}

// Several that run are all told, without asking which.
func TestHowLongIsLeftIsToldOfAllThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, timers.NewMemory())
		h.says("set a pasta timer for ten minutes")
		h.says("set a timer for 20 minutes")
		for _, words := range []string{"how long is left?", "how long left", "how much time is left on the timers", "how long is left on both timers", "is the timer done?", "when will the timer go off"} {
			h.expect(words, "The pasta timer has 10 minutes left; the timer has 20 minutes left.")
		}
		h.says("set a timer for 30 minutes")
		h.says("set a timer for 40 minutes")
		if got := h.says("how long is left?"); !strings.HasSuffix(got, "and there is one more.") {
			t.Errorf("got %q", got)
		}
	})
}
