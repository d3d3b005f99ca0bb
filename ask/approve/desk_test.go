package approve

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// made is a Desk over a store in memory that counts its executions.
func made(t *testing.T, change ...func(*Options)) (*Desk, *atomic.Int64) {
	t.Helper()
	var ran atomic.Int64
	o := Options{
		Owner: "school", Store: NewMemory(), Log: slog.New(slog.DiscardHandler),
		Execute: func(context.Context, Approval) (string, error) { ran.Add(1); return "Filed as HOU-1.", nil },
	}
	for _, c := range change {
		c(&o)
	}
	d, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, &ran
}

func request(what string) Request {
	return Request{What: what, Who: "sam", Why: "the tap drips", Action: jsontext.Value(`{"file": "` + what + `", "n": 1.50}`)}
}

func asked(t *testing.T, d *Desk, r Request) Approval {
	t.Helper()
	a, err := d.Ask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func yes(a Approval) Decision {
	return Decision{ID: a.ID, Decision: Yes, Digest: a.Digest, By: "alex"}
}

func decided(t *testing.T, d *Desk, dec Decision) Approval {
	t.Helper()
	a, err := d.Decide(t.Context(), dec)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAYesExecutesOnceAndEveryLaterTapHearsTheSame(t *testing.T) {
	d, ran := made(t)
	a := asked(t, d, request("Mend the tap."))
	if a.State != Pending || len(a.ID) != 32 || a.Owner != "school" || a.Result != nil || string(a.Action) != `{"file":"Mend the tap.","n":1.5}` || a.Expires.Sub(a.Created) != 10*time.Minute {
		t.Errorf("asked: %+v", a)
	}
	first := decided(t, d, yes(a))
	if first.State != Done || first.Result.Message != "Filed as HOU-1." || first.Result.By != "alex" || first.Result.Ended.IsZero() {
		t.Errorf("first tap: %+v %+v", first, first.Result)
	}
	for _, dec := range []Decision{yes(a), {ID: a.ID, Decision: No, Digest: a.Digest, By: "kim", Mute: true}} {
		if again := decided(t, d, dec); again.State != Done || *again.Result != *first.Result {
			t.Errorf("a later tap hears %+v %+v", again, again.Result)
		}
	}
	if ran.Load() != 1 {
		t.Errorf("it ran %d times", ran.Load())
	}
	if _, err := d.Ask(t.Context(), request("Mend it again.")); err != nil {
		t.Errorf("a late no has muted the asker: %v", err)
	}
}

func TestANoNeverExecutes(t *testing.T) {
	d, ran := made(t)
	a := asked(t, d, request("Mend the tap."))
	no := Decision{ID: a.ID, Decision: No, Digest: a.Digest, By: "alex"}
	if got := decided(t, d, no); got.State != Denied || got.Result.By != "alex" || strings.Contains(got.Result.Message, "carried out") {
		t.Errorf("got %+v %+v", got, got.Result)
	}
	if got := decided(t, d, yes(a)); got.State != Denied {
		t.Errorf("a yes after a no: %+v", got)
	}
	if ran.Load() != 0 {
		t.Error("it ran")
	}
}

func TestWhatBecameOfAnExecutionIsToldAsItWas(t *testing.T) {
	for name, c := range map[string]struct {
		execute Execute
		state   State
		message string
	}{
		"no words":    {func(context.Context, Approval) (string, error) { return "", nil }, Done, saysDone},
		"unfit words": {func(context.Context, Approval) (string, error) { return "see /var/lib/x/y", nil }, Done, saysDone},
		"an error":    {func(context.Context, Approval) (string, error) { return "The list is full.", errors.New("409") }, Failed, "The list is full."},
		"an error without words": {func(context.Context, Approval) (string, error) {
			return "", errors.New("disk /dev/sda")
		}, Failed, saysFailed},
		"an uncertain error": {func(context.Context, Approval) (string, error) {
			return "", errors.Join(ErrUncertain, errors.New("cut off"))
		}, Unknown, saysUnknown},
		"its time":  {func(context.Context, Approval) (string, error) { return "", context.DeadlineExceeded }, Unknown, saysUnknown},
		"a panic":   {func(context.Context, Approval) (string, error) { panic("boom") }, Unknown, saysUnknown},
		"its words": {func(_ context.Context, a Approval) (string, error) { return "Ran " + a.What, nil }, Done, "Ran Mend the tap."},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := made(t, func(o *Options) { o.Execute = c.execute })
			a := asked(t, d, request("Mend the tap."))
			for range 2 {
				if got := decided(t, d, yes(a)); got.State != c.state || got.Result.Message != c.message {
					t.Errorf("got %s %q", got.State, got.Result.Message)
				}
			}
		})
	}
}

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan Approval, 10)
		d, ran := made(t, func(o *Options) { o.Changed = func(a Approval) { told <- a } })
		a := asked(t, d, request("Mend the tap."))
		if got := <-told; got.ID != a.ID || got.State != Pending {
			t.Errorf("told of %+v", got)
		}
		time.Sleep(Lifetime - time.Second)
		if got, err := d.Get(t.Context(), a.ID); err != nil || got.State != Pending {
			t.Errorf("just before: %v %v", got.State, err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		// Nobody has looked, and it is told all the same.
		if got := <-told; got.ID != a.ID || got.State != Expired || got.Result.Message != saysExpired {
			t.Errorf("told of %+v", got)
		}
		if got := decided(t, d, yes(a)); got.State != Expired || ran.Load() != 0 {
			t.Errorf("a yes after that: %+v, ran %d times", got, ran.Load())
		}
		d.Close()
	})
}

// clock is one that a test sets.
type clock struct{ at atomic.Int64 }

func (c *clock) set(t time.Time)     { c.at.Store(t.UnixMicro()) }
func (c *clock) add(d time.Duration) { c.at.Add(d.Microseconds()) }
func (c *clock) now() time.Time      { return time.UnixMicro(c.at.Load()) }

func TestAClockThatSteps(t *testing.T) {
	start := time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC)
	for name, step := range map[string]func(*clock, *Desk, string){
		"over the expiry": func(c *clock, _ *Desk, _ string) { c.add(Lifetime) },
		"over the expiry and back, looked at there": func(c *clock, d *Desk, id string) {
			c.add(Lifetime)
			if a, err := d.Get(context.Background(), id); err != nil || a.State != Expired {
				panic("it has not expired")
			}
			c.set(start.Add(time.Minute))
		},
		"back to before it was made": func(c *clock, _ *Desk, _ string) { c.set(start.Add(-time.Hour)) },
	} {
		t.Run(name, func(t *testing.T) {
			c := &clock{}
			c.set(start)
			d, ran := made(t, func(o *Options) { o.Now = c.now })
			a := asked(t, d, request("Mend the tap."))
			step(c, d, a.ID)
			if got := decided(t, d, yes(a)); got.State != Expired || ran.Load() != 0 {
				t.Errorf("got %s, ran %d times", got.State, ran.Load())
			}
		})
	}
}

func TestAClockThatIsSetBackDoesNotLengthenALife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		d, ran := made(t, func(o *Options) {
			// A clock that stands still after four minutes, as one that is set back each minute.
			o.Now = func() time.Time { return begun.Add(min(time.Since(begun), 4*time.Minute)) }
		})
		a := asked(t, d, request("Mend the tap."))
		time.Sleep(Lifetime + time.Second)
		synctest.Wait()
		if got := decided(t, d, yes(a)); got.State != Expired || ran.Load() != 0 {
			t.Errorf("got %s, ran %d times", got.State, ran.Load())
		}
		d.Close()
	})
}

func TestAnExecutionThatNeverEndsIsUnknownAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		d, _ := made(t, func(o *Options) {
			o.Execute = func(context.Context, Approval) (string, error) { <-free; return "Done after all.", nil }
		})
		a := asked(t, d, request("Mend the tap."))
		start := time.Now()
		got := decided(t, d, yes(a))
		if got.State != Unknown || time.Since(start) > Within+margin+time.Second {
			t.Errorf("got %s after %v", got.State, time.Since(start))
		}
		close(free)
		synctest.Wait()
		if again := decided(t, d, yes(a)); again.State != Unknown || *again.Result != *got.Result {
			t.Errorf("a late end was told: %+v", again.Result)
		}
		d.Close()
	})
}

func TestAnExecutionThatKeepsItsTimeIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := made(t, func(o *Options) {
			o.Execute = func(ctx context.Context, _ Approval) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		})
		a := asked(t, d, request("Mend the tap."))
		start := time.Now()
		if got := decided(t, d, yes(a)); got.State != Unknown || time.Since(start) != Within {
			t.Errorf("got %s after %v", got.State, time.Since(start))
		}
		d.Close()
	})
}

func TestWhoTapsAndGoesDoesNotStopIt(t *testing.T) {
	begun, free := make(chan struct{}), make(chan struct{})
	d, _ := made(t, func(o *Options) {
		o.Execute = func(context.Context, Approval) (string, error) { close(begun); <-free; return "", nil }
	})
	a := asked(t, d, request("Mend the tap."))
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-begun; leave() }()
	if _, err := d.Decide(ctx, yes(a)); !errors.Is(err, context.Canceled) {
		t.Errorf("who has left hears %v", err)
	}
	close(free)
	if got := decided(t, d, yes(a)); got.State != Done {
		t.Errorf("got %s", got.State)
	}
}

func TestTapsWhileItExecutesWaitAndHearTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := NewMemory()
		d, _ := made(t, func(o *Options) {
			o.Store = store
			o.Execute = func(context.Context, Approval) (string, error) { time.Sleep(20 * time.Second); return "Once.", nil }
		})
		// Another process on the same store.
		other, ran := made(t, func(o *Options) { o.Store = store })
		a := asked(t, d, request("Mend the tap."))
		var all sync.WaitGroup
		tap := func(d *Desk) {
			if got, err := d.Decide(t.Context(), yes(a)); err != nil || got.State != Done || got.Result.Message != "Once." {
				t.Errorf("a tap hears %+v %v", got, err)
			}
		}
		start := time.Now()
		all.Go(func() { tap(d) })
		time.Sleep(time.Second)
		if got, err := other.Get(t.Context(), a.ID); err != nil || got.State != Executing || got.Result.Message != saysYes {
			t.Errorf("meanwhile it is %s %+v, %v", got.State, got.Result, err)
		}
		for range 4 {
			all.Go(func() { tap(d) })
			all.Go(func() { tap(other) })
		}
		all.Wait()
		if took := time.Since(start); took < 20*time.Second || took > 20*time.Second+lastLook {
			t.Errorf("they heard it after %v", took)
		}
		if ran.Load() != 0 {
			t.Error("the other process executed it too")
		}
		d.Close()
		other.Close()
	})
}

func TestEqualRequestsAreMergedAndAFourthIsRefused(t *testing.T) {
	d, _ := made(t)
	first := asked(t, d, request("Mend the tap."))
	again := request("Mend the tap.")
	again.Why, again.Action = "it still drips", jsontext.Value(`{ "n":1.5, "file":"Mend the tap." }`)
	if got := asked(t, d, again); got.ID != first.ID || got.Why != first.Why {
		t.Errorf("an equal request is another approval: %+v", got)
	}
	other := request("Mend the tap.")
	other.Who = "emma"
	if got := asked(t, d, other); got.ID == first.ID {
		t.Error("another asker's request was merged")
	}
	asked(t, d, request("Mow the lawn."))
	last := asked(t, d, request("Paint the door."))
	if _, err := d.Ask(t.Context(), request("Buy a boat.")); !errors.Is(err, ErrTooMany) {
		t.Errorf("a fourth: %v", err)
	}
	if got := asked(t, d, request("Paint the door.")); got.ID != last.ID {
		t.Error("an equal request is not merged where three wait")
	}
	decided(t, d, Decision{ID: last.ID, Decision: No, Digest: last.Digest})
	if got := asked(t, d, request("Paint the door.")); got.ID == last.ID {
		t.Error("an old no answers a new request")
	}
}

func TestIDidNotAskForThisMutesForAnHour(t *testing.T) {
	c := &clock{}
	c.set(time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC))
	d, _ := made(t, func(o *Options) { o.Now = c.now })
	a := asked(t, d, request("Mend the tap."))
	if got := decided(t, d, Decision{ID: a.ID, Decision: No, Digest: a.Digest, Mute: true}); got.State != Denied {
		t.Errorf("got %s", got.State)
	}
	for _, wait := range []time.Duration{0, 59 * time.Minute} {
		c.add(wait)
		if _, err := d.Ask(t.Context(), request("Mow the lawn.")); !errors.Is(err, ErrMuted) {
			t.Errorf("after %v: %v", wait, err)
		}
	}
	other := request("Mow the lawn.")
	other.Who = "emma"
	asked(t, d, other)
	c.add(time.Minute)
	asked(t, d, request("Mow the lawn."))
}

func TestWithdraw(t *testing.T) {
	d, ran := made(t)
	a := asked(t, d, request("Mend the tap."))
	var p *ask.Problem
	if _, err := d.Withdraw(t.Context(), a.ID, "emma"); !errors.As(err, &p) || p.Code != ask.CodeForbidden || p.Field != "who" {
		t.Errorf("another withdraws: %v", err)
	}
	got, err := d.Withdraw(t.Context(), a.ID, "sam")
	if err != nil || got.State != Denied || !strings.Contains(got.Result.Message, "withdrawn") || got.Result.By != "" {
		t.Errorf("got %+v %v", got.Result, err)
	}
	if got := decided(t, d, yes(a)); got.State != Denied || ran.Load() != 0 {
		t.Errorf("a yes after that: %s", got.State)
	}
	b := asked(t, d, request("Mow the lawn."))
	decided(t, d, yes(b))
	if got, err := d.Withdraw(t.Context(), b.ID, "sam"); err != nil || got.State != Done {
		t.Errorf("withdrawn after it was done: %+v %v", got, err)
	}
}

func TestWhatWasChangedAfterItWasShownIsRefused(t *testing.T) {
	for field, change := range map[string]func(*Kept){
		"what":   func(k *Kept) { k.What = "Mow the lawn." },
		"who":    func(k *Kept) { k.Who = "emma" },
		"why":    func(k *Kept) { k.Why = "" },
		"action": func(k *Kept) { k.Action = jsontext.Value(`{"file":"Buy a boat."}`) },
		"digest": func(k *Kept) {
			k.What = "Mow the lawn."
			k.Digest, _ = Digest(k.What, k.Who, k.Why, k.Action)
		},
	} {
		t.Run(field, func(t *testing.T) {
			store := NewMemory()
			d, ran := made(t, func(o *Options) { o.Store = store })
			a := asked(t, d, request("Mend the tap."))
			m := store.(*Memory)
			k := m.at(a.ID)
			change(&k)
			m.put(k)
			if _, err := d.Decide(t.Context(), yes(a)); !errors.Is(err, ErrDigest) || ran.Load() != 0 {
				t.Errorf("got %v, ran %d times", err, ran.Load())
			}
		})
	}
	d, ran := made(t)
	a := asked(t, d, request("Mend the tap."))
	wrong := yes(a)
	wrong.Digest = strings.Repeat("0", 64)
	if _, err := d.Decide(t.Context(), wrong); !errors.Is(err, ErrDigest) || ran.Load() != 0 {
		t.Errorf("another digest: %v", err)
	}
}

func TestACrashIsUnknownAndAnotherProcessIsLeftAlone(t *testing.T) {
	c := &clock{}
	c.set(time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC))
	store := NewMemory()
	d, _ := made(t, func(o *Options) { o.Store, o.Now = store, c.now })
	states := map[string]State{}
	m := store.(*Memory)
	for what, state := range map[string]State{"A.": Executing, "B.": Approved} {
		a := asked(t, d, request(what))
		k := m.at(a.ID)
		k.State, k.Deadline = state, c.now().Add(Within+margin)
		m.put(k)
		states[a.ID] = state
	}
	open := func() *Desk {
		d, ran := made(t, func(o *Options) { o.Store, o.Now = store, c.now })
		t.Cleanup(func() {
			if ran.Load() != 0 {
				t.Error("it was run again by itself")
			}
		})
		return d
	}
	open()
	for id, state := range states {
		if m.at(id).State != state {
			t.Errorf("what another process executes was taken from it: %s", m.at(id).State)
		}
	}
	c.add(Within + margin)
	d = open()
	for id, state := range states {
		want := map[State]State{Executing: Unknown, Approved: Failed}[state]
		if got := m.at(id); got.State != want || got.Result.Message == "" {
			t.Errorf("%s became %s %+v", state, got.State, got.Result)
		}
		if got := decided(t, d, Decision{ID: id, Decision: Yes, Digest: m.at(id).Digest}); got.State != want {
			t.Errorf("a tap after that: %s", got.State)
		}
	}
}

func TestAClockThatStepsWhileItRunsEndsNothing(t *testing.T) {
	c := &clock{}
	c.set(time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC))
	var d *Desk
	d, _ = made(t, func(o *Options) {
		o.Now = c.now
		o.Execute = func(ctx context.Context, a Approval) (string, error) {
			c.add(24 * time.Hour)
			if got, err := d.Get(ctx, a.ID); err != nil || got.State != Executing {
				t.Errorf("while it runs it is %s, %v", got.State, err)
			}
			return "Once.", nil
		}
	})
	a := asked(t, d, request("Mend the tap."))
	if got := decided(t, d, yes(a)); got.State != Done || got.Result.Message != "Once." {
		t.Errorf("got %s %+v", got.State, got.Result)
	}
}

// faulty is a store whose changes to a state fail, so many times, after or before they are made.
type faulty struct {
	Store
	to     State
	after  bool
	faults atomic.Int64
}

func (f *faulty) Move(ctx context.Context, m Move) (bool, error) {
	if m.To != f.to || f.faults.Add(-1) < 0 {
		return f.Store.Move(ctx, m)
	}
	if f.after {
		if _, err := f.Store.Move(ctx, m); err != nil {
			return false, err
		}
	}
	return false, errors.New("the connection is gone")
}

func TestAStoreThatFailsAtAnyChange(t *testing.T) {
	for _, c := range []struct {
		name   string
		to     State
		after  bool
		faults int64
		// err is whether the first tap hears no more than an error; end is what all hear at last.
		err bool
		end State
		ran int64
	}{
		{"before the yes", Approved, false, 1, true, Done, 1}, // by the next tap
		{"after the yes", Approved, true, 1, true, Failed, 0},
		{"before it begins", Executing, false, 1, false, Failed, 0},
		{"after it begins", Executing, true, 1, false, Unknown, 0},
		{"before the end", Done, false, 3, false, Done, 1},
		{"after the end", Done, true, 1, false, Done, 1},
		{"at the end, for good", Done, false, 1000, false, Unknown, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &faulty{Store: NewMemory(), to: c.to, after: c.after}
				store.faults.Store(c.faults)
				var mu sync.Mutex
				var told State
				d, ran := made(t, func(o *Options) {
					o.Store = store
					o.Changed = func(a Approval) { mu.Lock(); defer mu.Unlock(); told = a.State }
				})
				a := asked(t, d, request("Mend the tap."))
				first, err := d.Decide(t.Context(), yes(a))
				if (err != nil) != c.err || err == nil && first.State != c.end {
					t.Errorf("the first tap hears %s, %v", first.State, err)
				}
				for range 2 {
					if got := decided(t, d, yes(a)); got.State != c.end {
						t.Errorf("a later one hears %s", got.State)
					}
				}
				// It is told a moment after it is kept, and where the store did keep it in spite of
				// its error, once that was asked again.
				d.Close()
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				if ran.Load() != c.ran || told != c.end {
					t.Errorf("it ran %d times, and the last that was told is %s", ran.Load(), told)
				}
			})
		})
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	good := Options{Owner: "hub", Store: NewMemory(), Execute: func(context.Context, Approval) (string, error) { return "", nil }}
	for name, change := range map[string]func(*Options){
		"owner":   func(o *Options) { o.Owner = "The Hub" },
		"store":   func(o *Options) { o.Store = nil },
		"execute": func(o *Options) { o.Execute = nil },
	} {
		o := good
		change(&o)
		if _, err := Open(t.Context(), o); err == nil {
			t.Errorf("without a proper %s it opens", name)
		}
	}
	d, err := Open(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	a := asked(t, d, request("Mend the tap."))
	d.Close()
	if _, err := d.Decide(t.Context(), yes(a)); err == nil {
		t.Error("a closed desk executes")
	}
}

// at is what the memory keeps under that id.
func (m *Memory) at(id string) Kept {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept[id]
}

// put changes what the memory keeps, as nobody should.
func (m *Memory) put(k Kept) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[k.ID] = k
}
