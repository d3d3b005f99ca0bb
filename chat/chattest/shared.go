package chattest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/askhub/askhub/chat"
)

// Shared checks what a store demands that lasts and that several have open at a time.
// Each call of place gives an empty store, by what opens one more handle of it.
func Shared(t *testing.T, place func(t *testing.T) (open func(t *testing.T, rules chat.Rules) Whole)) {
	ctx := context.Background()
	two := func(t *testing.T, rules chat.Rules) []Whole {
		open := place(t)
		return []Whole{open(t, rules), open(t, rules)}
	}
	t.Run("everything survives reopening", func(t *testing.T) { reopened(t, place(t)) })
	t.Run("whatever the clock does, a poller of two handles misses nothing", func(t *testing.T) {
		s := two(t, lenient())
		rapid.Check(t, func(r *rapid.T) { follow(r, s) })
	})
	t.Run("the limits are exact over two handles", func(t *testing.T) {
		rules := chat.DefaultRules()
		rules.Threads = 1 << 30
		s := two(t, rules)
		rapid.Check(t, func(r *rapid.T) { schedule(r, s, rules) })
	})
	t.Run("at once as well", func(t *testing.T) {
		s := two(t, chat.DefaultRules())
		thread, passed := newThread(), 0
		for _, err := range together(60, func(i int) error {
			_, err := s[i%2].Append(ctx, chat.Post{Thread: thread, Author: chat.Operator, Text: "x", Now: began, Address: fmt.Sprint("address ", i)})
			return err
		}) {
			if err == nil {
				passed++
			}
		}
		if passed != 20 {
			t.Errorf("%d passed in one thread, want 20", passed)
		}
	})
	t.Run("the same key over two handles is one message", func(t *testing.T) {
		s, thread := two(t, chat.DefaultRules()), newThread()
		got := together(16, func(i int) chat.Receipt {
			return add(t, s[i%2], chat.Post{Thread: thread, Author: chat.Operator, Text: "once", Key: "k", Now: began})
		})
		for _, r := range got {
			same(t, "the answer", got[0].Message, r.Message)
		}
		if n := len(whole(t, s[0], thread)); n != 1 {
			t.Errorf("%d are kept", n)
		}
	})
	t.Run("the thread limit is one", func(t *testing.T) {
		rules := chat.DefaultRules()
		rules.Threads = 10
		s, passed := two(t, rules), 0
		for _, err := range together(40, func(i int) error {
			_, err := s[i%2].Append(ctx, chat.Post{Thread: newThread(), Author: chat.Operator, Text: "x", Now: began})
			return err
		}) {
			switch {
			case err == nil:
				passed++
			case !errors.Is(err, chat.ErrThreadLimit):
				t.Error(err)
			}
		}
		if passed != 10 {
			t.Errorf("%d threads began, want 10", passed)
		}
	})
	t.Run("retention of one handle is the other's", func(t *testing.T) {
		s, thread := two(t, lenient()), newThread()
		for i := range 210 {
			post(t, s[i%2], thread, fmt.Sprint(i), began)
		}
		list := whole(t, s[0], thread)
		if len(list) != 200 || list[0].Text != "10" || !sorted(list) {
			t.Errorf("%d are kept, the first is %q", len(list), list[0].Text)
		}
	})
	t.Run("is linearizable over two handles", func(t *testing.T) { linearizable(t, two(t, lenient())) })
	t.Run("a change by the other handle is told within a second", func(t *testing.T) {
		s, thread := two(t, lenient()), newThread()
		changed, stop := s[0].Watch(thread)
		defer stop()
		best := time.Hour // of ten, for a machine may be busy
		for i := 0; i < 10 && best > time.Second; i++ {
			select { // nothing of before counts
			case <-changed:
			default:
			}
			m := post(t, s[1], thread, fmt.Sprint(i), began)
			best = min(best, told(t, changed, "a message came"))
			if got := read(t, s[0], thread, 0); got.Cursor != m.Epoch {
				t.Errorf("the newest is %d, want %d", got.Cursor, m.Epoch)
			}
		}
		if best > time.Second {
			t.Errorf("it took %v at best", best)
		}
	})
	t.Run("a message that the other handle takes in is waited for", func(t *testing.T) {
		s := two(t, chat.DefaultRules())
		waiting := s[0].Waiting()
		post(t, s[1], newThread(), "q", began)
		told(t, waiting, "a message began to wait in another process")
	})
	t.Run("each turn to one answerer", func(t *testing.T) {
		s := two(t, lenient())
		for i := range 8 {
			post(t, s[0], newThread(), fmt.Sprint(i), began)
		}
		got := map[string]int{}
		for _, turn := range together(12, func(i int) chat.Turn {
			turn, _, _, err := s[i%2].Take(ctx, began, lease)
			if err != nil {
				t.Error(err)
			}
			return turn
		}) {
			if turn.Holder != "" {
				got[turn.Message.Text]++
			}
		}
		for text, n := range got {
			if n != 1 {
				t.Errorf("%q was taken %d times", text, n)
			}
		}
		if len(got) != 8 {
			t.Errorf("%d of 8 were taken", len(got))
		}
	})
}

// reopened closes a store and opens it again: nothing that was acknowledged is gone.
func reopened(t *testing.T, open Opener) {
	ctx := context.Background()
	s, thread, rules := open(t, chat.DefaultRules()), newThread(), chat.DefaultRules()
	if _, err := s.SetUp(ctx, thread, func(s *chat.Settings) { s.Person = "sam" }); err != nil {
		t.Fatal(err)
	}
	p := chat.Post{Thread: thread, Author: chat.Operator, Text: "x", Now: began, Address: "192.0.2.1"}
	for i := range 20 {
		p.Key = fmt.Sprint("k", i)
		p.Text = fmt.Sprint(i)
		add(t, s, p)
	}
	turn := take(t, s, began, "0")
	if err := s.PutOff(ctx, turn, began.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	code, err := s.NewCode(ctx, thread, "192.0.2.1", began)
	if err != nil {
		t.Fatal(err)
	}
	page, list := read(t, s, thread, 0), whole(t, s, thread)
	if c, ok := s.(interface{ Close() error }); ok {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(ctx, p); err == nil {
			t.Error("posted into a closed store")
		}
	}

	s = open(t, rules)
	same(t, "the page", page, read(t, s, thread, 0))
	same(t, "what is kept", list, whole(t, s, thread))
	if r := add(t, s, p); !r.Repeated || r.Message != list[19] {
		t.Errorf("the key gave %+v", r)
	}
	p.Key, p.Now = "", began.Add(time.Minute)
	if _, err := s.Append(ctx, p); limited(t, err, "thread") != 9*time.Minute {
		t.Errorf("the thread's window: %v", err)
	}
	p.Thread = newThread()
	for range 20 {
		add(t, s, p)
	}
	if _, err := s.Append(ctx, chat.Post{Thread: newThread(), Author: chat.Operator, Text: "x", Now: p.Now, Address: p.Address}); limited(t, err, "address") != 9*time.Minute {
		t.Errorf("the address's window: %v", err)
	}
	if got, err := s.Code(ctx, code.Digits, "", began); err != nil || got.Thread != thread {
		t.Errorf("the code: %+v, %v", got, err)
	}
	if got := take(t, s, began.Add(time.Minute), "0"); got.Tries != 1 || got.Settings.Person != "sam" {
		t.Errorf("the turn: %+v", got)
	}
	if next := post(t, s, thread, "next", began.Add(-time.Hour)); next.Epoch != page.Cursor+1 {
		t.Errorf("the next epoch is %d after %d", next.Epoch, page.Cursor)
	}
}
