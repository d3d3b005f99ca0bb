// Package timerstest holds what every store of timers must do.
package timerstest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/internal/timers"
)

// Began is the moment at which Example is made.
var Began = time.Date(2026, 11, 30, 15, 0, 0, 123456000, time.UTC)

// Example is a timer of n minutes.
func Example(n int) timers.Timer {
	return timers.Timer{
		ID: timers.IDOf(fmt.Sprint("request ", n)), Name: "pasta", Asker: "sam", Person: "harry", Room: "kitchen",
		Made: Began, Due: Began.Add(time.Duration(n) * time.Minute), State: timers.Waiting,
	}
}

// Store runs every case on a fresh store each.
func Store(t *testing.T, open func(t *testing.T) timers.Store) {
	for name, test := range map[string]func(*testing.T, timers.Store){
		"what is added is kept whole and the soonest stands first": keeps,
		"the same request sets nothing twice":                      once,
		"a state changes only as it may":                           moves,
		"of many at once one tells":                                races,
		"what ended is forgotten and what lives stays":             sweeps,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func add(t *testing.T, s timers.Store, timer timers.Timer) timers.Timer {
	t.Helper()
	got, err := s.Add(t.Context(), timer)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func live(t *testing.T, s timers.Store, want ...timers.Timer) {
	t.Helper()
	got, err := s.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].Made, got[i].Due = got[i].Made.UTC(), got[i].Due.UTC()
		if !got[i].Until.IsZero() {
			got[i].Until = got[i].Until.UTC()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what lives differs (-want +got):\n%s", diff)
	}
}

func move(t *testing.T, s timers.Store, want bool, m timers.Move) {
	t.Helper()
	if got, err := s.Move(t.Context(), m); err != nil || got != want {
		t.Errorf("to %s: %v, %v; want %v", m.To, got, err, want)
	}
}

func keeps(t *testing.T, s timers.Store) {
	live(t, s)
	reminder := Example(5)
	reminder.Reminder, reminder.Name = true, ""
	reminder.Words = "call Nan’s \"friend\"; DROP TABLE timers; \u00e9\U0001f370"
	add(t, s, Example(10))
	add(t, s, reminder)
	live(t, s, reminder, Example(10))
}

func once(t *testing.T, s timers.Store) {
	add(t, s, Example(10))
	other := Example(10)
	other.Name, other.Due = "eggs", Began.Add(time.Hour)
	if got := add(t, s, other); got.Name != "pasta" {
		t.Errorf("the second Add gave %+v, want what is kept", got)
	}
	live(t, s, Example(10))
	// Not after it has ended either: a crash may lie in between.
	move(t, s, true, timers.Move{ID: Example(10).ID, To: timers.Cancelled, Now: Began})
	if got := add(t, s, Example(10)); got.State != timers.Cancelled {
		t.Errorf("it is %s again", got.State)
	}
	live(t, s)
}

func moves(t *testing.T, s timers.Store) {
	id := add(t, s, Example(1)).ID
	due := Began.Add(time.Minute)
	until := due.Add(30 * time.Second)
	move(t, s, false, timers.Move{ID: "nobody", To: timers.Cancelled, Now: due})
	move(t, s, false, timers.Move{ID: id, To: timers.Told, Now: due})
	move(t, s, true, timers.Move{ID: id, To: timers.Telling, Now: due, Until: until})
	move(t, s, false, timers.Move{ID: id, To: timers.Telling, Now: until.Add(-time.Second), Until: until})
	move(t, s, false, timers.Move{ID: id, To: timers.Cancelled, Now: due})
	want := Example(1)
	want.State, want.Until, want.Tries = timers.Telling, until, 1
	live(t, s, want)
	move(t, s, true, timers.Move{ID: id, To: timers.Telling, Now: until, Until: until.Add(time.Minute)})
	want.Until, want.Tries = until.Add(time.Minute), 2
	live(t, s, want)
	move(t, s, true, timers.Move{ID: id, To: timers.Told, Now: until})
	for _, to := range []timers.State{timers.Told, timers.Cancelled, timers.Telling} {
		move(t, s, false, timers.Move{ID: id, To: to, Now: until.Add(time.Hour), Until: until.Add(2 * time.Hour)})
	}
	live(t, s)
}

func races(t *testing.T, s timers.Store) {
	for n := range 20 {
		id := add(t, s, Example(n+1)).ID
		var won atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if ok, err := s.Move(t.Context(), timers.Move{ID: id, To: timers.Telling, Now: Began, Until: Began.Add(time.Minute)}); err != nil {
					t.Error(err)
				} else if ok {
					won.Add(1)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Errorf("%d tell it, want one", won.Load())
		}
	}
}

func sweeps(t *testing.T, s timers.Store) {
	gone, stays, lives := add(t, s, Example(1)).ID, add(t, s, Example(2)).ID, Example(3)
	add(t, s, lives)
	move(t, s, true, timers.Move{ID: gone, To: timers.Cancelled, Now: Began})
	move(t, s, true, timers.Move{ID: stays, To: timers.Cancelled, Now: Began.Add(time.Hour)})
	if err := s.Sweep(t.Context(), Began.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	live(t, s, lives)
	if got := add(t, s, Example(2)); got.State != timers.Cancelled {
		t.Error("what ended later is forgotten too")
	}
	if got := add(t, s, Example(1)); got.State != timers.Waiting {
		t.Error("what ended before is still kept")
	}
}
