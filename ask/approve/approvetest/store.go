// Package approvetest says whether a store keeps approvals as package approve wants them
// kept, and whether Desks on it carry out at most once whatever happens: races, histories
// and crashes. A new store gets the whole of it in a few lines.
package approvetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/ask/approve"
)

// at is when the suite's approvals are made: a time with microseconds.
var at = time.Date(2026, 11, 30, 21, 0, 0, 123456000, time.UTC)

// Kept is a pending approval of the suite's, of the owner "hub"; numbers make it another.
func Kept(n int) approve.Kept {
	what := fmt.Sprintf("Mend tap %d: “é\u200d” \U0001f527.", n)
	action := jsontext.Value(fmt.Sprintf(`{"file":"tap %d","n":1.5}`, n))
	digest, err := approve.Digest(what, "sam", "it drips\n'; --", action)
	if err != nil {
		panic(err)
	}
	return approve.Kept{
		Approval: approve.Approval{
			ID: fmt.Sprintf("%032x", n), Owner: "hub", What: what, Who: "sam", Why: "it drips\n'; --", Action: action, Digest: digest,
			State: approve.Pending, Created: at.Add(time.Duration(n) * time.Second), Expires: at.Add(10 * time.Minute),
		},
		Same: fmt.Sprintf("%064x", n),
	}
}

func add(t *testing.T, s approve.Store, k approve.Kept) {
	t.Helper()
	if got, err := s.Add(t.Context(), k, at); err != nil || got.ID != k.ID {
		t.Fatalf("added as %+v, %v", got, err)
	}
}

func move(t *testing.T, s approve.Store, m approve.Move, want bool) {
	t.Helper()
	if got, err := s.Move(t.Context(), m); err != nil || got != want {
		t.Errorf("from %s to %s: moved %v, %v; want %v", m.From, m.To, got, err, want)
	}
}

func wants(t *testing.T, s approve.Store, want approve.Kept) {
	t.Helper()
	got, err := s.Get(t.Context(), want.Owner, want.ID)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v: kept otherwise (-want +got):\n%s", err, diff)
	}
}

// Store holds a store to its port. Open gives an empty one.
func Store(t *testing.T, open func(t *testing.T) approve.Store) {
	for name, test := range map[string]func(*testing.T, approve.Store){
		"what is added is kept as it is":      keeps,
		"a change keeps its result":           changes,
		"a change needs all its conditions":   conditions,
		"equal requests are one":              merges,
		"one asker has three that wait":       counts,
		"an asker is muted until then":        mutes,
		"a list has what waits first":         lists,
		"owners do not see each other's":      owners,
		"what is over is forgotten in time":   sweeps,
		"of many changes at once one is made": onlyOne,
		"of many who ask three get in":        onlyThree,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func keeps(t *testing.T, s approve.Store) {
	k := Kept(1)
	k.Why, k.What = strings.Repeat("é", approve.MaxWhy), strings.Repeat("é", approve.MaxWhat)
	k.Action = jsontext.Value(`{"a":"` + strings.Repeat("é", approve.MaxAction-8) + `"}`)
	add(t, s, k)
	wants(t, s, k)
	if _, err := s.Get(t.Context(), "hub", fmt.Sprintf("%032x", 2)); !errors.Is(err, approve.ErrUnknown) {
		t.Errorf("what is not there: %v", err)
	}
}

func changes(t *testing.T, s approve.Store) {
	k := Kept(1)
	add(t, s, k)
	result := approve.Result{Message: "It was “approved”.", By: "alex", Decided: at.Add(time.Minute)}
	deadline := at.Add(2 * time.Minute)
	move(t, s, approve.Move{Owner: "hub", ID: k.ID, From: approve.Pending, To: approve.Approved, Result: result, Deadline: deadline}, true)
	k.State, k.Result, k.Deadline = approve.Approved, &result, deadline
	wants(t, s, k)
	last := result
	last.Message, last.Ended = "Filed as HOU-1.", at.Add(time.Minute+time.Microsecond)
	move(t, s, approve.Move{Owner: "hub", ID: k.ID, From: approve.Approved, To: approve.Done, Result: last}, true)
	k.State, k.Result, k.Deadline = approve.Done, &last, time.Time{}
	wants(t, s, k)
}

func conditions(t *testing.T, s approve.Store) {
	k := Kept(0)
	add(t, s, k)
	good := approve.Move{Owner: "hub", ID: k.ID, From: approve.Pending, To: approve.Approved, Digest: k.Digest, Within: at, Deadline: at.Add(time.Minute)}
	for name, change := range map[string]func(*approve.Move){
		"another owner":       func(m *approve.Move) { m.Owner = "school" },
		"another id":          func(m *approve.Move) { m.ID = Kept(9).ID },
		"another state":       func(m *approve.Move) { m.From = approve.Approved },
		"another digest":      func(m *approve.Move) { m.Digest = Kept(9).Digest },
		"at its expiry":       func(m *approve.Move) { m.Within = k.Expires },
		"before it was made":  func(m *approve.Move) { m.Within = k.Created.Add(-approve.Skew - time.Microsecond) },
		"the mute of another": func(m *approve.Move) { m.ID, m.Mute, m.Who = Kept(9).ID, at.Add(time.Hour), "sam" },
	} {
		m := good
		change(&m)
		if moved, err := s.Move(t.Context(), m); err != nil || moved {
			t.Errorf("%s: moved %v, %v", name, moved, err)
		}
		wants(t, s, k)
	}
	if _, err := s.Add(t.Context(), k, at); err != nil {
		t.Errorf("a change that was not made has muted: %v", err)
	}
	good.Within = k.Expires.Add(-time.Microsecond)
	move(t, s, good, true)
	move(t, s, good, false)
	due := approve.Move{Owner: "hub", ID: k.ID, From: approve.Approved, To: approve.Failed, Due: good.Deadline.Add(-time.Microsecond)}
	move(t, s, due, false)
	due.Due = good.Deadline
	move(t, s, due, true)
}

func merges(t *testing.T, s approve.Store) {
	first, second := Kept(1), Kept(2)
	second.Same = first.Same
	add(t, s, first)
	got, err := s.Add(t.Context(), second, at)
	if diff := cmp.Diff(first, got); err != nil || diff != "" {
		t.Errorf("%v, merged into another: %s", err, diff)
	}
	if _, err := s.Get(t.Context(), "hub", second.ID); !errors.Is(err, approve.ErrUnknown) {
		t.Errorf("it was kept too: %v", err)
	}
	move(t, s, approve.Move{Owner: "hub", ID: first.ID, From: approve.Pending, To: approve.Denied}, true)
	add(t, s, second) // what is decided answers no new request
}

func counts(t *testing.T, s approve.Store) {
	for n := range approve.MaxPending {
		add(t, s, Kept(n))
	}
	if _, err := s.Add(t.Context(), Kept(8), at); !errors.Is(err, approve.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	if got, err := s.Add(t.Context(), Kept(1), at); err != nil || got.ID != Kept(1).ID {
		t.Errorf("an equal one where it is full: %+v %v", got, err)
	}
	other := Kept(9)
	other.Who = "emma"
	add(t, s, other)
	move(t, s, approve.Move{Owner: "hub", ID: Kept(1).ID, From: approve.Pending, To: approve.Approved}, true)
	add(t, s, Kept(8))
}

func mutes(t *testing.T, s approve.Store) {
	k, until := Kept(1), at.Add(time.Hour)
	add(t, s, k)
	move(t, s, approve.Move{Owner: "hub", ID: k.ID, From: approve.Pending, To: approve.Denied, Mute: until, Who: "sam"}, true)
	if _, err := s.Add(t.Context(), Kept(2), until.Add(-time.Microsecond)); !errors.Is(err, approve.ErrMuted) {
		t.Errorf("just before: %v", err)
	}
	for change, k := range map[string]approve.Kept{"asker": Kept(3), "owner": Kept(4)} {
		if change == "asker" {
			k.Who = "emma"
		} else {
			k.Owner = "school"
		}
		if _, err := s.Add(t.Context(), k, at); err != nil {
			t.Errorf("another %s: %v", change, err)
		}
	}
	if _, err := s.Add(t.Context(), Kept(2), until); err != nil {
		t.Errorf("just then: %v", err)
	}
	// An equal one that waits is no way round it.
	move(t, s, approve.Move{Owner: "hub", ID: Kept(2).ID, From: approve.Pending, To: approve.Denied, Mute: until.Add(time.Hour), Who: "sam"}, true)
	if _, err := s.Add(t.Context(), Kept(2), until); !errors.Is(err, approve.ErrMuted) {
		t.Errorf("muted again: %v", err)
	}
}

func lists(t *testing.T, s approve.Store) {
	states := []approve.State{
		approve.Done, approve.Pending, approve.Executing, approve.Denied, approve.Approved, approve.Pending, approve.Unknown,
		approve.Failed, approve.Expired, approve.Pending,
	}
	for n, state := range states {
		add(t, s, Kept(n))
		if state != approve.Pending {
			move(t, s, approve.Move{Owner: "hub", ID: Kept(n).ID, From: approve.Pending, To: state, Deadline: at}, true)
		}
	}
	ids := func(open bool, most int) (out []string) {
		list, err := s.List(t.Context(), "hub", open, most)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			out = append(out, strings.TrimLeft(k.ID, "0"))
		}
		return out
	}
	for _, c := range []struct {
		open bool
		most int
		want []string
	}{
		{false, 99, []string{"9", "5", "1", "4", "2", "8", "7", "6", "3", ""}},
		{true, 99, []string{"9", "5", "1", "4", "2"}},
		{false, 4, []string{"9", "5", "1", "4"}},
	} {
		if diff := cmp.Diff(c.want, ids(c.open, c.most)); diff != "" {
			t.Errorf("open %v, %d: %s", c.open, c.most, diff)
		}
	}
}

func owners(t *testing.T, s approve.Store) {
	k := Kept(1)
	add(t, s, k)
	if _, err := s.Get(t.Context(), "school", k.ID); !errors.Is(err, approve.ErrUnknown) {
		t.Errorf("another owner finds it: %v", err)
	}
	if list, err := s.List(t.Context(), "school", false, 9); err != nil || len(list) != 0 {
		t.Errorf("another owner lists %d, %v", len(list), err)
	}
	theirs := Kept(2)
	theirs.Owner, theirs.Same = "school", k.Same
	add(t, s, theirs)
}

func sweeps(t *testing.T, s approve.Store) {
	sweeper, ok := s.(approve.Sweeper)
	if !ok {
		t.Skip("this store keeps everything")
	}
	for n, state := range []approve.State{approve.Done, approve.Pending, approve.Executing, approve.Unknown, approve.Denied} {
		add(t, s, Kept(n))
		if state != approve.Pending {
			move(t, s, approve.Move{Owner: "hub", ID: Kept(n).ID, From: approve.Pending, To: state, Deadline: at, Mute: at.Add(time.Second), Who: fmt.Sprint(n)}, true)
		}
	}
	if n, err := sweeper.Sweep(t.Context(), "school", at.Add(time.Hour)); err != nil || n != 0 {
		t.Errorf("another owner's: %d, %v", n, err)
	}
	// What is open stays, and so does what was made since.
	if n, err := sweeper.Sweep(t.Context(), "hub", Kept(4).Created); err != nil || n != 2 {
		t.Errorf("swept %d, %v", n, err)
	}
	for n, want := range []bool{false, true, true, false, true} {
		if _, err := s.Get(t.Context(), "hub", Kept(n).ID); (err == nil) != want {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// onlyOne is the heart of it.
func onlyOne(t *testing.T, s approve.Store) {
	ends := []approve.State{approve.Approved, approve.Denied, approve.Expired}
	for n := range 20 {
		k := Kept(n)
		add(t, s, k)
		var moved atomic.Int64
		var state atomic.Value
		at32(func(i int) {
			m := approve.Move{Owner: "hub", ID: k.ID, From: approve.Pending, To: ends[i%len(ends)], Result: approve.Result{Message: fmt.Sprint(i)}}
			ok, err := s.Move(context.Background(), m)
			if err != nil {
				t.Error(err)
			}
			if ok {
				moved.Add(1)
				state.Store(m)
			}
		})
		if moved.Load() != 1 {
			t.Fatalf("%d of the changes were made", moved.Load())
		}
		won := state.Load().(approve.Move)
		if got, err := s.Get(t.Context(), "hub", k.ID); err != nil || got.State != won.To || got.Result.Message != won.Result.Message {
			t.Errorf("%+v is kept, and %+v was made: %v", got, won, err)
		}
	}
}

func onlyThree(t *testing.T, s approve.Store) {
	var in, out atomic.Int64
	at32(func(i int) {
		switch got, err := s.Add(context.Background(), Kept(i/2), at); {
		case errors.Is(err, approve.ErrTooMany):
			out.Add(1)
		case err != nil:
			t.Error(err)
		case got.ID != Kept(i/2).ID:
			t.Errorf("got %s for %d", got.ID, i/2)
		default:
			in.Add(1)
		}
	})
	if list, err := s.List(t.Context(), "hub", true, 99); err != nil || len(list) != approve.MaxPending {
		t.Errorf("%d wait, %v", len(list), err)
	}
	if in.Load() < int64(approve.MaxPending) || out.Load() == 0 {
		t.Errorf("%d got in, %d did not", in.Load(), out.Load())
	}
}

// at32 calls f from 32 goroutines at once.
func at32(f func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range 32 {
		all.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	all.Wait()
}
