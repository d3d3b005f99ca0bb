package timers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/timers"
	"github.com/askhub/askhub/internal/timers/timerstest"
)

func TestMemoryConforms(t *testing.T) {
	timerstest.Store(t, func(*testing.T) timers.Store { return timers.NewMemory() })
}

// home is a desk and what it told.
type home struct {
	t     *testing.T
	store timers.Store
	desk  *timers.Desk
	stop  func()

	mu    sync.Mutex
	told  []string
	fails int
	dead  string // the room whose speaker never says whether it speaks
	next  elsewhere
}

// elsewhere is the destination behind the desk.
type elsewhere struct{ did, read []string }

func (e *elsewhere) Do(_ context.Context, q ask.Question) (ask.Answer, error) {
	e.did = append(e.did, q.Question)
	return ask.Say("Done."), nil
}

func (e *elsewhere) Read(_ context.Context, q ask.Question) (ask.Answer, error) {
	e.read = append(e.read, q.Question)
	return ask.Say("It is on."), nil
}

func newHome(t *testing.T, store timers.Store) *home {
	t.Helper()
	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, store: store}
	h.desk = timers.NewDesk(timers.Config{
		Store: store, Next: &h.next, Household: func() *people.Household { return house }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Tell: func(ctx context.Context, timer timers.Timer, message string) error {
			h.mu.Lock()
			dead := h.dead != "" && timer.Room == h.dead
			h.mu.Unlock()
			if dead {
				<-ctx.Done()
				return ctx.Err()
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.fails > 0 {
				h.fails--
				return errors.New("the speaker is off")
			}
			h.told = append(h.told, fmt.Sprintf("%s/%s: %s", timer.Room, timer.Person, message))
			return nil
		},
	})
	return h
}

// run starts the telling until the test's bubble ends.
func (h *home) run() {
	ctx, cancel := context.WithCancel(h.t.Context())
	ended := make(chan struct{})
	go func() {
		h.desk.Run(ctx)
		close(ended)
	}()
	h.stop = func() {
		cancel()
		<-ended
	}
}

// says has sam say something in the kitchen.
func (h *home) says(words string) string { return h.as("sam", words, words+time.Now().String()) }

func (h *home) as(asker ask.Asker, words, request string) string {
	h.t.Helper()
	return h.from("kitchen", asker, words, request)
}

func (h *home) in(room, words string) {
	h.t.Helper()
	h.from(room, "sam", words, words+time.Now().String())
}

func (h *home) from(room string, asker ask.Asker, words, request string) string {
	h.t.Helper()
	ctx := dispatch.WithHeard(h.t.Context(), dispatch.Heard{Request: request, Room: room})
	q := ask.Question{Question: words, Asker: asker, Source: "esp32"}
	act := h.desk.Do
	if h.desk.OnlyAsks(q) {
		act = h.desk.Read
	}
	a, err := act(ctx, q)
	var unclear *dispatch.Unclear
	switch {
	case errors.As(err, &unclear):
		var labels []string
		for _, c := range unclear.Choices {
			labels = append(labels, c.Label+"="+c.Question)
		}
		return "? " + unclear.Ask + " " + strings.Join(labels, "|")
	case err != nil:
		h.t.Fatal(err)
	case a.Answer == nil:
		return "- " + a.Reason
	}
	if err := ask.CheckSentence(*a.Answer, true); err != nil {
		h.t.Errorf("%q %v", *a.Answer, err)
	}
	return *a.Answer
}

func (h *home) heard(want ...string) {
	h.t.Helper()
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	if got := strings.Join(h.told, "\n"); got != strings.Join(want, "\n") {
		h.t.Errorf("told:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	h.told = nil
}

func (h *home) expect(words, want string) {
	h.t.Helper()
	if got := h.says(words); got != want {
		h.t.Errorf("%q: got %q, want %q", words, got, want)
	}
}

func TestATimerIsSetAskedAboutAndToldInTheRoomThatItCameFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, timers.NewMemory())
		h.run()
		defer h.stop()
		h.expect("set a pasta timer for ten minutes", "The pasta timer is set for 10 minutes.")
		time.Sleep(4*time.Minute + 30*time.Second)
		h.expect("how long is left on the pasta timer?", "The pasta timer has 5 minutes and 30 seconds left.")
		h.heard()
		time.Sleep(5*time.Minute + 29*time.Second)
		h.heard()
		time.Sleep(time.Second)
		h.heard("kitchen/sam: The pasta timer is done.")
		h.expect("how long is left?", "There is no timer.")
		time.Sleep(time.Hour)
		h.heard()
	})
}

func TestAReminderIsTheWordsAsTheyWereSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it is midnight UTC, 2000-01-01
		h := newHome(t, timers.NewMemory())
		h.run()
		defer h.stop()
		h.expect("remind me at 8 am to take the Bins out", "I will remind you at 8:00: take the Bins out.")
		h.expect("remind Harry tomorrow at noon to pack his bag", "I will remind Harry tomorrow at 12:00: pack his bag.")
		h.expect("remind Boris to pack", "- I can remind only people who live here")
		h.expect("remind Boris in an hour to pack", "- I can remind only people who live here")
		h.expect("do I have any reminders?", "The reminder “take the Bins out” comes at 8:00; the reminder “pack his bag” comes tomorrow at 12:00.")
		if got := h.as("emma", "do I have any reminders?", "x"); got != "There is no reminder." {
			t.Errorf("Emma is told of others' reminders: %q", got)
		}
		if got := h.as("emma", "cancel all reminders", "y"); got != "- There is no reminder" {
			t.Errorf("Emma cancels others' reminders: %q", got)
		}
		time.Sleep(8 * time.Hour)
		h.heard("kitchen/sam: Sam, your reminder: take the Bins out.")
		time.Sleep(28 * time.Hour)
		h.heard("kitchen/harry: Harry, your reminder: pack his bag.")
	})
}

func TestAskedTwiceIsSetOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, timers.NewMemory())
		h.as("sam", "set a timer for ten minutes", "request 1")
		time.Sleep(time.Minute)
		// The Hub was killed before it had answered, and the way in asks again.
		if got := h.as("sam", "set a timer for ten minutes", "request 1"); got != "The timer is set for 10 minutes." {
			t.Errorf("got %q", got)
		}
		if live, _ := h.store.Live(t.Context()); len(live) != 1 || time.Until(live[0].Due) != 9*time.Minute {
			t.Errorf("got %+v", live)
		}
		h.as("sam", "set a timer for ten minutes", "request 2")
		if live, _ := h.store.Live(t.Context()); len(live) != 2 {
			t.Errorf("another request set %d", len(live))
		}
	})
}

func TestCancellingOneOfSeveralAsksWhich(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, timers.NewMemory())
		h.expect("cancel the timer", "- There is no timer")
		h.expect("set an egg timer for 4 minutes", "The egg timer is set for 4 minutes.")
		h.expect("set a timer for 20 minutes", "The timer is set for 20 minutes.")
		h.expect("set a bread timer for 1 hour", "The bread timer is set for 1 hour.")
		live, _ := h.store.Live(t.Context())
		h.expect("cancel the timer", fmt.Sprintf("? Which one: egg, 20 minutes set at 0:00 or bread? egg=cancel the timer %s|20 minutes set at 0:00=cancel the timer %s|bread=cancel the timer %s", live[0].ID, live[1].ID, live[2].ID))
		h.expect("cancel the timer "+live[1].ID, "The timer is cancelled.")
		h.expect("cancel the pasta timer", "- There is no pasta timer")
		h.expect("set an egg timer for 8 minutes", "The egg timer is set for 8 minutes.")
		live, _ = h.store.Live(t.Context())
		h.expect("cancel the egg timer", fmt.Sprintf("? Which one: egg with 4 minutes left or egg with 8 minutes left? egg with 4 minutes left=cancel the timer %s|egg with 8 minutes left=cancel the timer %s", live[0].ID, live[1].ID))
		h.expect("cancel the timer "+live[1].ID, "The egg timer is cancelled.")
		h.expect("what timers are running", "The egg timer has 4 minutes left; the bread timer has 1 hour left.")
		h.expect("cancel all timers", "2 timers are cancelled.")
		h.run()
		defer h.stop()
		time.Sleep(2 * time.Hour)
		h.heard()
	})
}

func TestAMomentThatWasMissedIsToldAsMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := timers.NewMemory()
		before := newHome(t, store)
		before.expect("set a pasta timer for ten minutes", "The pasta timer is set for 10 minutes.")
		before.expect("remind me in an hour to call Nan", "I will remind you at 1:00: call Nan.")
		time.Sleep(3 * time.Hour) // askhub is down
		after := newHome(t, store)
		after.run()
		defer after.stop()
		after.heard("kitchen/sam: The pasta timer was over at 0:10 and could not be told.", "kitchen/sam: Sam, you missed a reminder at 1:00: call Nan.")
	})
}

func TestWhatCannotBeToldIsTriedAgainAndBySomebodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := timers.NewMemory()
		h, other := newHome(t, store), newHome(t, store)
		h.fails = 1
		other.fails = 1
		h.expect("set a timer for one minute", "The timer is set for 1 minute.")
		h.run()
		other.run()
		defer h.stop()
		defer other.stop()
		time.Sleep(time.Minute)
		h.heard()
		other.heard()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if n := len(h.told) + len(other.told); n != 1 {
			t.Errorf("told %d times by both, want once", n)
		}
	})
}

func TestWhatIsNotAboutTimersIsHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, timers.NewMemory())
		h.expect("turn on the light", "Done.")
		if len(h.next.did) != 1 || len(h.next.read) != 0 {
			t.Errorf("got %+v", h.next)
		}
		a, err := h.desk.Read(t.Context(), ask.Question{Question: "set a timer for one minute", Asker: "sam"})
		if live, _ := h.store.Live(t.Context()); !errors.Is(err, dispatch.ErrAlone) || a.Answer != nil || len(live) != 0 {
			t.Errorf("a question set %+v (%+v, %v)", live, a, err)
		}
		alone := timers.NewDesk(timers.Config{Store: h.store, Household: func() *people.Household { return &people.Household{} }, Now: time.Now})
		if _, err := alone.Do(t.Context(), ask.Question{Question: "turn on the light"}); !errors.Is(err, dispatch.ErrNotConfigured) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWhatCannotBeSetIsSaidWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, timers.NewMemory())
		for words, want := range map[string]string{
			"set a timer for two days":                               "- A timer runs for a day at most; ask for a reminder instead",
			"remind me in 9999 days to smile":                        "- That is more than a year ahead",
			"remind me in an hour to " + strings.Repeat("talk ", 60): "- That is too long for a reminder; please say it in fewer words",
			"remind me in an hour to read /etc/passwd":               "- I cannot keep those words",
		} {
			h.expect(words, want)
		}
		for n := range timers.Most {
			h.as("sam", "set a timer for one hour", fmt.Sprint(n))
		}
		h.expect("set a timer for one hour", "- So many wait already; please cancel some first")
	})
}

func TestATimerToATimeOfDaySaysWhenItRings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, timers.NewMemory())
		time.Sleep(1234567890 * time.Nanosecond)
		h.expect("set an alarm for 7 am", "The timer will ring at 7:00.")
		h.expect("set a timer for ten minutes", "The timer is set for 10 minutes.")
		h.expect("what alarms are set", "The timer has 10 minutes left; the timer rings at 7:00.")
		live, _ := h.store.Live(t.Context())
		h.expect("cancel my alarm", fmt.Sprintf("? Which one: 10 minutes set at 0:00 or the one at 7:00? 10 minutes set at 0:00=cancel the timer %s|the one at 7:00=cancel the timer %s", live[0].ID, live[1].ID))
	})
}

func TestWhomNothingCouldTellSetsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, timers.NewMemory())
		d := timers.NewDesk(timers.Config{
			Store: h.store, Household: func() *people.Household { return &people.Household{} }, Now: time.Now,
			Reaches: func(timer timers.Timer) bool { return timer.Room == "kitchen" },
		})
		for room, want := range map[string]bool{"kitchen": true, "phone": false} {
			ctx := dispatch.WithHeard(t.Context(), dispatch.Heard{WayIn: room})
			if a, err := d.Do(ctx, ask.Question{Question: "set a timer for one minute", Asker: "guest"}); err != nil || (a.Answer != nil) != want {
				t.Errorf("in %s: got %+v, %v", room, a, err)
			}
		}
		if live, _ := h.store.Live(t.Context()); len(live) != 1 {
			t.Errorf("%d are set", len(live))
		}
	})
}
