package chattest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/askhub/askhub/chat"
)

// clock moves as no good clock does: it stands, steps back, and leaps forward.
func clock(r *rapid.T, now time.Time) time.Time {
	steps := []time.Duration{0, time.Millisecond, 700 * time.Microsecond, time.Second, 40 * time.Second, 4 * time.Minute, -time.Millisecond, -time.Minute, -2 * time.Hour, 3 * time.Hour}
	return now.Add(rapid.SampledFrom(steps).Draw(r, "step"))
}

// cursors: within a thread every message's epoch is greater than the one before.
func cursors(t *testing.T, open Opener) {
	t.Run("whatever the clock does, epochs rise and a poller misses nothing", func(t *testing.T) {
		s := open(t, lenient())
		rapid.Check(t, func(r *rapid.T) { follow(r, []Whole{s}) })
	})
	t.Run("posts in one millisecond", func(t *testing.T) {
		s, thread := open(t, lenient()), newThread()
		together(64, func(int) chat.Message { return post(t, s, thread, "x", began) })
		list := whole(t, s, thread)
		if len(list) != 64 || !sorted(list) || list[63].Epoch != chat.Cursor(began.UnixMilli())+63 {
			t.Errorf("%d messages, in order: %v", len(list), sorted(list))
		}
	})
	t.Run("a thread that retention emptied goes on rising", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		ahead := began.Add(time.Hour)
		m := post(t, s, thread, "from a clock that was ahead", ahead)
		if _, err := s.Sweep(context.Background(), ahead.Add(31*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		same(t, "the page", chat.Page{}, read(t, s, thread, 0))
		if next := post(t, s, thread, "later", began); next.Epoch <= m.Epoch {
			t.Errorf("%d after %d", next.Epoch, m.Epoch)
		}
	})
}

// one is one of the handles.
func one(r *rapid.T, what string, handles []Whole) Whole {
	return handles[rapid.IntRange(0, len(handles)-1).Draw(r, what)]
}

// follow posts through several handles while a poller follows the cursor.
func follow(r *rapid.T, handles []Whole) {
	thread, now := newThread(), began
	var since, last chat.Cursor
	seen := map[string]int{}
	poll := func() {
		p := read(r, one(r, "reader", handles), thread, since)
		for _, m := range p.Messages {
			if m.Epoch <= since {
				r.Fatalf("a poll since %d gave %d", since, m.Epoch)
			}
			seen[m.ID]++
		}
		if p.Cursor < since || !sorted(p.Messages) {
			r.Fatalf("since %d came %d messages, sorted: %v, and cursor %d", since, len(p.Messages), sorted(p.Messages), p.Cursor)
		}
		since = p.Cursor
	}
	for range rapid.IntRange(1, 45).Draw(r, "messages") {
		now = clock(r, now)
		m := post(r, one(r, "writer", handles), thread, "x", now)
		if m.Epoch <= last || m.Epoch < chat.Cursor(now.UnixMilli()) {
			r.Fatalf("epoch %d after %d, at %d", m.Epoch, last, now.UnixMilli())
		}
		last = m.Epoch
		if rapid.IntRange(0, 3).Draw(r, "poll") == 0 {
			poll()
		}
	}
	poll()
	kept := whole(r, handles[0], thread)
	for _, m := range kept {
		if seen[m.ID] != 1 {
			r.Errorf("message %d was seen %d times", m.Epoch, seen[m.ID])
		}
	}
	if len(seen) != len(kept) {
		r.Errorf("%d were seen, %d are kept", len(seen), len(kept))
	}
}

// model is a limit said as plainly as can be: when the posts of one key were accepted.
type model struct {
	most int
	at   []time.Time
}

// wait is the least time after which fewer than the most are in the window. What has
// left it once stays out, whatever the clock does then.
func (m *model) wait(now time.Time, window time.Duration) time.Duration {
	m.at = slices.DeleteFunc(m.at, func(at time.Time) bool { return now.Sub(at) >= window })
	for i := range m.at {
		if m.at[i].After(now) { // the clock stepped back: it came in now, as far as anybody knows
			m.at[i] = now
		}
	}
	count := func(later time.Time) int {
		n := 0
		for _, at := range m.at {
			if later.Sub(at) < window {
				n++
			}
		}
		return n
	}
	if count(now) < m.most {
		return 0
	}
	var waits []time.Duration
	for _, at := range m.at {
		if d := at.Add(window).Sub(now); d > 0 && count(now.Add(d)) < m.most {
			waits = append(waits, d)
		}
	}
	return slices.Min(waits)
}

func limits(t *testing.T, open Opener) {
	ctx := context.Background()
	t.Run("20 a thread and 40 an address in 10 minutes, exactly", func(t *testing.T) {
		rules := chat.DefaultRules()
		rules.Threads = 1 << 30
		s := open(t, rules)
		rapid.Check(t, func(r *rapid.T) { schedule(r, []Whole{s}, rules) })
	})
	t.Run("at once as well", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		passed := 0
		for _, err := range together(100, func(i int) error {
			_, err := s.Append(ctx, chat.Post{Thread: thread, Author: chat.Operator, Text: "x", Now: began, Address: fmt.Sprint("address ", i)})
			return err
		}) {
			if err == nil {
				passed++
			}
		}
		if passed != 20 {
			t.Errorf("%d passed in one thread, want 20", passed)
		}
		passed = 0
		for _, err := range together(100, func(int) error {
			_, err := s.Append(ctx, chat.Post{Thread: newThread(), Author: chat.Operator, Text: "x", Now: began, Address: "one address"})
			return err
		}) {
			if err == nil {
				passed++
			}
		}
		if passed != 40 {
			t.Errorf("%d passed from one address, want 40", passed)
		}
	})
	t.Run("only accepted posts from the web count", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		for range 30 { // the host's own
			add(t, s, chat.Post{Thread: thread, Author: chat.Hermes, Text: "x", Now: began})
		}
		p := chat.Post{Thread: thread, Author: chat.Operator, Text: "x", Now: began, Address: "192.0.2.1"}
		for range 20 {
			add(t, s, p)
		}
		for i := range 30 {
			p.Now = began.Add(time.Duration(i) * time.Second)
			_, err := s.Append(ctx, p)
			if got, want := limited(t, err, "thread"), 10*time.Minute-time.Duration(i)*time.Second; got != want {
				t.Fatalf("wait %v, want %v", got, want)
			}
		}
		p.Now = began.Add(10*time.Minute - time.Nanosecond)
		if _, err := s.Append(ctx, p); limited(t, err, "thread") != time.Nanosecond {
			t.Error(err)
		}
		p.Now = began.Add(10 * time.Minute)
		add(t, s, p)
	})
	t.Run("no address is forgotten too early by a sweep", func(t *testing.T) {
		s := open(t, chat.DefaultRules())
		p := chat.Post{Author: chat.Operator, Text: "x", Now: began, Address: "192.0.2.1"}
		for range 40 {
			p.Thread = newThread()
			add(t, s, p)
		}
		p.Now = began.Add(10*time.Minute - time.Second)
		if _, err := s.Sweep(ctx, p.Now); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(ctx, p); limited(t, err, "address") != time.Second {
			t.Error(err)
		}
		p.Now = began.Add(10 * time.Minute)
		if _, err := s.Sweep(ctx, p.Now); err != nil {
			t.Fatal(err)
		}
		add(t, s, p)
	})
	t.Run("a sweep beside posts takes nothing from them", func(t *testing.T) {
		s := open(t, lenient())
		for round := range 20 {
			for _, err := range together(64, func(i int) error {
				if i%4 == 0 {
					_, err := s.Sweep(ctx, began)
					return err
				}
				_, err := s.Append(ctx, chat.Post{Thread: newThread(), Author: chat.Operator, Text: "x", Now: began, Address: fmt.Sprint("of round ", round, ", ", i)})
				return err
			}) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// schedule posts at random and compares each verdict with the model's.
func schedule(r *rapid.T, handles []Whole, rules chat.Rules) {
	var threads [3]chat.Thread
	var addresses [2]string
	models := map[string]*model{}
	for i := range threads {
		threads[i] = newThread()
		models[string(threads[i])] = &model{most: rules.PerThread}
	}
	for i := range addresses {
		addresses[i] = "from " + string(newThread())
		models[addresses[i]] = &model{most: rules.PerAddress}
	}
	now := began
	for range rapid.IntRange(1, 120).Draw(r, "posts") {
		if rapid.IntRange(0, 4).Draw(r, "tick") == 0 {
			now = clock(r, now)
		}
		thread, address := rapid.SampledFrom(threads[:]).Draw(r, "thread"), rapid.SampledFrom(addresses[:]).Draw(r, "address")
		of, from := models[string(thread)], models[address]
		// The post passes when both limits let it.
		by, want := "thread", of.wait(now, rules.Window)
		if wait := from.wait(now, rules.Window); wait > want {
			by, want = "address", wait
		}
		s := one(r, "handle", handles)
		_, err := s.Append(context.Background(), chat.Post{Thread: thread, Author: chat.Operator, Text: "x", Now: now, Address: address})
		if want > 0 {
			if got := limited(r, err, by); got != want {
				r.Fatalf("wait %v for the %s, want %v", got, by, want)
			}
			continue
		}
		if err != nil {
			r.Fatal(err)
		}
		of.at, from.at = append(of.at, now), append(from.at, now)
	}
}

func threadLimit(t *testing.T, open Opener) {
	ctx := context.Background()
	rules := chat.DefaultRules()
	rules.Threads = 3
	begin := func(s Whole, thread chat.Thread) error {
		_, err := s.Append(ctx, chat.Post{Thread: thread, Author: chat.Operator, Text: "x", Now: began})
		return err
	}
	t.Run("only threads with messages count", func(t *testing.T) {
		s := open(t, rules)
		if _, err := s.SetUp(ctx, newThread(), func(s *chat.Settings) { s.Person = "sam" }); err != nil {
			t.Fatal(err)
		}
		if _, err := s.NewCode(ctx, newThread(), "192.0.2.1", began); err != nil {
			t.Fatal(err)
		}
		first := newThread()
		for _, thread := range []chat.Thread{first, newThread(), newThread()} {
			if err := begin(s, thread); err != nil {
				t.Fatal(err)
			}
		}
		if err := begin(s, newThread()); !errors.Is(err, chat.ErrThreadLimit) {
			t.Errorf("a fourth thread: %v", err)
		}
		if err := begin(s, first); err != nil {
			t.Errorf("a thread that is there: %v", err)
		}
		if _, err := s.Import(ctx, newThread(), []chat.Message{{ID: chat.NewID(1), Epoch: chat.Cursor(began.UnixMilli()), Author: chat.Operator, Text: "x"}}, began); !errors.Is(err, chat.ErrThreadLimit) {
			t.Errorf("a fourth thread by import: %v", err)
		}
	})
	t.Run("a thread that retention emptied no longer counts", func(t *testing.T) {
		s := open(t, rules)
		for range 3 {
			if err := begin(s, newThread()); err != nil {
				t.Fatal(err)
			}
		}
		late := chat.Post{Thread: newThread(), Author: chat.Operator, Text: "x", Now: began.Add(31 * 24 * time.Hour)}
		if _, err := s.Append(ctx, late); !errors.Is(err, chat.ErrThreadLimit) {
			t.Fatalf("before the sweep: %v", err)
		}
		if swept, err := s.Sweep(ctx, late.Now); err != nil || swept.Messages != 3 {
			t.Fatalf("%+v, %v", swept, err)
		}
		add(t, s, late)
	})
	t.Run("the limits come first, and a refused post costs nothing", func(t *testing.T) {
		rules := chat.DefaultRules()
		rules.Threads = 1
		s := open(t, rules)
		p := chat.Post{Thread: newThread(), Author: chat.Operator, Text: "x", Now: began, Address: "192.0.2.1"}
		add(t, s, p)
		other := p
		for range 50 {
			other.Thread = newThread()
			if _, err := s.Append(ctx, other); !errors.Is(err, chat.ErrThreadLimit) {
				t.Fatal(err)
			}
		}
		for range 19 {
			add(t, s, p)
		}
		if _, err := s.Append(ctx, p); limited(t, err, "thread") != rules.Window {
			t.Error(err)
		}
	})
}
