package approvetest

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/approve"
)

// lifetime is short enough that a clock which is ahead by it lapses what is pending, and
// not what is being executed.
const lifetime = 20 * time.Second

// household is several processes on one store: two whose clocks are right, and one for
// which everything has expired.
type household struct {
	desks [3]*approve.Desk
	mu    sync.Mutex
	ran   map[string]int
	told  map[string][]approve.State
}

func newHousehold(t testing.TB, s approve.Store) *household {
	t.Helper()
	s = unsteady{s}
	h := &household{ran: map[string]int{}, told: map[string][]approve.State{}}
	begun := time.Now().UTC()
	for i := range h.desks {
		now := begun // the clocks stand, so that nothing expires by itself
		if i == 2 {
			now = now.Add(lifetime)
		}
		d, err := approve.Open(context.Background(), approve.Options{
			Owner: "hub", Store: s, Lifetime: lifetime, Log: slog.New(slog.DiscardHandler),
			Now: func() time.Time { return now },
			Changed: func(a approve.Approval) {
				h.mu.Lock()
				defer h.mu.Unlock()
				h.told[a.ID] = append(h.told[a.ID], a.State)
			},
			Execute: func(_ context.Context, a approve.Approval) (string, error) {
				h.mu.Lock()
				defer h.mu.Unlock()
				h.ran[a.ID]++
				return fmt.Sprintf("Done by process %d as number %d.", i, h.ran[a.ID]), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		h.desks[i] = d
	}
	return h
}

// unsteady is a store whose callers meet in the middle of things: each call lets others go
// first for a while.
type unsteady struct{ approve.Store }

func (unsteady) waits() {
	for range rand.N(64) {
		runtime.Gosched()
	}
}

func (u unsteady) Get(ctx context.Context, owner, id string) (approve.Kept, error) {
	u.waits()
	defer u.waits()
	return u.Store.Get(ctx, owner, id)
}

func (u unsteady) Move(ctx context.Context, m approve.Move) (bool, error) {
	u.waits()
	defer u.waits()
	return u.Store.Move(ctx, m)
}

func (h *household) times(id string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ran[id]
}

// courses are all that can be told of an approval, one after the other.
var courses = map[approve.State][]approve.State{
	approve.Done:    {approve.Pending, approve.Approved, approve.Executing, approve.Done},
	approve.Denied:  {approve.Pending, approve.Denied},
	approve.Expired: {approve.Pending, approve.Expired},
}

// course is what was told of an approval.
func (h *household) course(id string) []approve.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.told[id])
}

// asks makes a new approval.
func (h *household) asks(t testing.TB, n int) approve.Approval {
	t.Helper()
	a, err := h.desks[n%2].Ask(context.Background(), approve.Request{What: fmt.Sprintf("Do number %d.", n), Who: "sam", Action: jsontext.Value(fmt.Sprintf(`{"n":%d}`, n))})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tap is one decision: a yes or a no at a process whose clock is right, or either at the
// one that takes everything for expired.
func (h *household) tap(i int, a approve.Approval) (approve.Approval, error) {
	dec := approve.Decision{ID: a.ID, Decision: approve.Yes, Digest: a.Digest, By: fmt.Sprintf("person %d", i)}
	if i%4 == 1 {
		dec.Decision = approve.No
	}
	return h.desks[deskOf(i)].Decide(context.Background(), dec)
}

func deskOf(i int) int {
	if i%4 == 3 {
		return 2
	}
	return i % 4 / 2
}

// Rounds has 32 taps at once on each of that many approvals, a yes, a no or an expiry
// each, at three processes. It executes at most once, and all hear the same.
func Rounds(t *testing.T, s approve.Store, rounds int) {
	h := newHousehold(t, s)
	ends := map[approve.State]int{}
	for n := range rounds {
		a := h.asks(t, n)
		var heard [32]approve.Approval
		order := rand.Perm(32)
		at32(func(i int) {
			var err error
			if heard[i], err = h.tap(order[i], a); err != nil {
				t.Error(err)
			}
		})
		first := heard[0]
		if first.Result == nil {
			t.Fatalf("round %d: it is %s", n, first.State)
		}
		for _, other := range heard[1:] {
			if other.State != first.State || other.Result == nil || *other.Result != *first.Result {
				t.Fatalf("round %d: one hears %s %+v, another %s %+v", n, first.State, first.Result, other.State, other.Result)
			}
		}
		want := 0
		if first.State == approve.Done {
			want = 1
		}
		if ran := h.times(a.ID); ran != want {
			t.Fatalf("round %d: it is %s and ran %d times", n, first.State, ran)
		}
		if got := h.course(a.ID); !slices.Equal(got, courses[first.State]) {
			t.Fatalf("round %d: it is %s, and was told as %v", n, first.State, got)
		}
		ends[first.State]++
	}
	t.Logf("%d rounds: %v", rounds, ends)
	for _, state := range []approve.State{approve.Done, approve.Denied, approve.Expired} {
		if ends[state] == 0 && rounds >= 200 {
			t.Errorf("none became %s: these rounds have shown little", state)
		}
	}
}

// seen is what a call saw of an approval, as the model knows it.
type seen struct {
	kind string // pending, yes, no, expired
	by   string
}

// input is one call of the history: a look, or a decision.
type input struct {
	id   string
	kind string // look, yes, no, expired
	by   string
}

// approvalModel is what one approval may do: whoever comes first decides, and all later
// ones see that.
var approvalModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		by := map[string][]porcupine.Operation{}
		for _, op := range history {
			id := op.Input.(input).id
			by[id] = append(by[id], op)
		}
		var all [][]porcupine.Operation
		for _, one := range by {
			all = append(all, one)
		}
		return all
	},
	Init: func() any { return seen{kind: "pending"} },
	Step: func(state, in, out any) (bool, any) {
		now, call := state.(seen), in.(input)
		if now.kind == "pending" && call.kind != "look" {
			now = seen{call.kind, call.by}
		}
		return out.(seen) == now, now
	},
}

// sees is an approval in the model's words: what is being executed is a yes already.
func sees(a approve.Approval) seen {
	switch a.State {
	case approve.Pending:
		return seen{kind: "pending"}
	case approve.Denied:
		return seen{"no", a.Result.By}
	case approve.Expired:
		return seen{kind: "expired"}
	case approve.Approved, approve.Executing, approve.Done:
		return seen{"yes", a.Result.By}
	}
	return seen{kind: string(a.State)} // fits nothing
}

// Histories records what several clients see who tap and look at that many approvals, and
// has it checked against the model by porcupine.
func Histories(t *testing.T, s approve.Store, approvals int) {
	h := newHousehold(t, s)
	var mu sync.Mutex
	var history []porcupine.Operation
	begun := time.Now()
	for n := range approvals {
		a := h.asks(t, n)
		var all sync.WaitGroup
		start := make(chan struct{})
		for client := range 8 {
			all.Go(func() {
				<-start
				for call := range 4 {
					in := input{id: a.ID, kind: "look"}
					var out approve.Approval
					var err error
					called := time.Since(begun)
					if i := 8*call + client; (client+call)%2 == 0 {
						out, err = h.desks[client%2].Get(context.Background(), a.ID)
					} else {
						in.kind, in.by = inputOf(i)
						out, err = h.tap(i, a)
					}
					returned := time.Since(begun)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					history = append(history, porcupine.Operation{ClientId: client, Input: in, Call: called.Nanoseconds(), Output: sees(out), Return: returned.Nanoseconds()})
					mu.Unlock()
				}
			})
		}
		close(start)
		all.Wait()
		if ran := h.times(a.ID); ran > 1 {
			t.Errorf("it ran %d times", ran)
		}
	}
	switch porcupine.CheckOperationsTimeout(approvalModel, history, time.Minute) {
	case porcupine.Illegal:
		t.Error("no order of these calls explains what they saw")
	case porcupine.Unknown:
		t.Error("the history could not be checked in time")
	}
}

// inputOf is tap i in the model's words.
func inputOf(i int) (kind, by string) {
	switch {
	case deskOf(i) == 2:
		return "expired", ""
	case i%4 == 1:
		return "no", fmt.Sprintf("person %d", i)
	}
	return "yes", fmt.Sprintf("person %d", i)
}
