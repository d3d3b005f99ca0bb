// Package chattest checks a chat store and a chat server against the contract (spec 3):
// each must of the ports of package chat and of the wire as a test, for any implementation.
package chattest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askhub/askhub/chat"
)

// Whole is a store with all its ports.
type Whole interface {
	chat.Store
	chat.Pairing
	chat.Archive
	chat.Turns
}

// Opener opens a store that is held to the rules. What it opens ends with the test.
type Opener func(t *testing.T, rules chat.Rules) Whole

// A suite is the cases of one port.
type suite struct {
	name  string
	cases func(t *testing.T, open Opener)
}

// Store checks what the ports demand. Each call of open gives an empty store.
func Store(t *testing.T, open func(t *testing.T, rules chat.Rules) Whole) {
	for _, s := range []suite{
		{"post", posts},
		{"key", keys},
		{"poll", polls},
		{"cursor", cursors},
		{"limits", limits},
		{"thread limit", threadLimit},
		{"retention", retention},
		{"watch", watching},
		{"settings", settings},
		{"codes", codes},
		{"list", lists},
		{"import", imports},
		{"turns", turns},
		{"history", histories},
	} {
		t.Run(s.name, func(t *testing.T) { s.cases(t, open) })
	}
}

// began is when the tests begin.
var began = time.Date(2026, 10, 23, 18, 40, 0, 0, time.UTC)

// lenient are rules under which no window and no number of threads is in the way.
func lenient() chat.Rules {
	r := chat.DefaultRules()
	r.PerThread, r.PerAddress, r.Threads = 1<<30, 1<<30, 1<<30
	return r
}

// newThread is a thread that nobody has used.
func newThread() chat.Thread {
	return chat.Thread(chat.NewHolder()) // it has a thread's form, too
}

// fataler is what a test and a property have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// post adds a message of the operator.
func post(t fataler, s chat.Store, thread chat.Thread, text string, now time.Time) chat.Message {
	t.Helper()
	return add(t, s, chat.Post{Thread: thread, Author: chat.Operator, Text: text, Now: now}).Message
}

func add(t fataler, s chat.Store, p chat.Post) chat.Receipt {
	t.Helper()
	r, err := s.Append(context.Background(), p)
	if err != nil {
		t.Fatalf("post %q: %v", p.Text, err)
	}
	return r
}

// read polls the thread.
func read(t fataler, s chat.Store, thread chat.Thread, since chat.Cursor) chat.Page {
	t.Helper()
	p, err := s.Read(context.Background(), thread, since)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// whole is everything that is kept of the thread.
func whole(t fataler, s Whole, thread chat.Thread) []chat.Message {
	t.Helper()
	list, err := s.Whole(context.Background(), thread)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// texts are what the messages say.
func texts(list []chat.Message) string {
	var all []string
	for _, m := range list {
		all = append(all, m.Text)
	}
	return strings.Join(all, " ")
}

// same complains of a difference; no messages are no messages, however they are written.
func same(t fataler, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (- wanted, + is):\n%s", what, d)
	}
}

// limited is the wait of a post that was refused for a limit.
func limited(t fataler, err error, by string) time.Duration {
	t.Helper()
	var e *chat.RateLimited
	if !errors.As(err, &e) || e.By != by {
		t.Fatalf("%v; want a refusal by the limit of a %s", err, by)
	}
	return e.After
}

func posts(t *testing.T, open Opener) {
	ctx := context.Background()
	t.Run("what was posted comes back", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		odd := "a\tb\u2028 “quoted” 'single' \\ 🙂 \u202eback\u202c שלום " + strings.Repeat("é", 3900)
		m := add(t, s, chat.Post{Thread: thread, Author: chat.Agent, Text: odd, Now: began, Address: "192.0.2.1"}).Message
		if !chat.IsID(m.ID) || m.Epoch != chat.Cursor(began.UnixMilli()) || m.Author != chat.Agent || m.Text != odd {
			t.Errorf("posted %+v", m)
		}
		same(t, "the page", chat.Page{Messages: []chat.Message{m}, Awaiting: true, Cursor: m.Epoch}, read(t, s, thread, 0))
	})
	t.Run("whatever it holds", func(t *testing.T) {
		s, thread := open(t, lenient()), newThread()
		for _, odd := range []string{
			"\ufffe\uffff\U0010ffff", "\ufeffbegins with a mark", strings.Repeat("\u0301", chat.MaxText), "\x01\x1b[31m\x7f\u0085",
			"$1 ? :name @x %s '' \\x00 \\u0000 \\", "ends in a line\n", "\r\n", " ", "\u00e9 e\u0301", "İıſK",
		} {
			m := post(t, s, thread, odd, began)
			if got := read(t, s, thread, m.Epoch-1).Messages; len(got) != 1 || got[0].Text != odd {
				t.Errorf("%q comes back as %+q", odd, texts(got))
			}
		}
	})
	t.Run("threads know nothing of each other", func(t *testing.T) {
		s, a, b := open(t, chat.DefaultRules()), newThread(), newThread()
		post(t, s, a, "mine", began)
		post(t, s, b, "yours", began)
		if got := texts(read(t, s, a, 0).Messages); got != "mine" {
			t.Errorf("the thread says %q", got)
		}
	})
	t.Run("a text that no store takes is refused alone", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		for _, text := range []string{"a\x00b", "\xff", "\xed\xa0\x80"} {
			if _, err := s.Append(ctx, chat.Post{Thread: thread, Author: chat.Operator, Text: text, Now: began}); !errors.Is(err, chat.ErrBadText) {
				t.Errorf("%q: %v", text, err)
			}
		}
		if _, err := s.Append(ctx, chat.Post{Thread: thread, Author: chat.Operator, Text: "fine", Key: "k\x00", Now: began}); !errors.Is(err, chat.ErrBadText) {
			t.Errorf("a key with a NUL: %v", err)
		}
		same(t, "the page", chat.Page{}, read(t, s, thread, 0))
	})
	t.Run("a post whose caller has gone is not added", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := s.Append(gone, chat.Post{Thread: thread, Author: chat.Operator, Text: "late", Now: began}); !errors.Is(err, context.Canceled) {
			t.Errorf("posted: %v", err)
		}
		same(t, "the page", chat.Page{}, read(t, s, thread, 0))
	})
}

func keys(t *testing.T, open Opener) {
	ctx := context.Background()
	t.Run("the same key in one thread is one message", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		first := add(t, s, chat.Post{Thread: thread, Author: chat.Operator, Text: "once", Key: "k", Now: began})
		again := add(t, s, chat.Post{Thread: thread, Author: chat.Agent, Text: "other", Key: "k", Now: began.Add(time.Hour)})
		if first.Repeated || !again.Repeated {
			t.Errorf("repeated: %v, then %v", first.Repeated, again.Repeated)
		}
		same(t, "the answer", first.Message, again.Message)
		if got := texts(whole(t, s, thread)); got != "once" {
			t.Errorf("the thread says %q", got)
		}
	})
	t.Run("in another thread it is another message", func(t *testing.T) {
		s, a, b := open(t, chat.DefaultRules()), newThread(), newThread()
		add(t, s, chat.Post{Thread: a, Author: chat.Operator, Text: "a", Key: "k", Now: began})
		if r := add(t, s, chat.Post{Thread: b, Author: chat.Operator, Text: "b", Key: "k", Now: began}); r.Repeated || r.Message.Text != "b" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("a repeat passes where no post does", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		var last chat.Post
		for i := range 20 {
			last = chat.Post{Thread: thread, Author: chat.Operator, Text: "x", Key: string(rune('a' + i)), Now: began, Address: "192.0.2.1"}
			add(t, s, last)
		}
		if r := add(t, s, last); !r.Repeated {
			t.Error("it was posted again")
		}
		last.Key = "new"
		if _, err := s.Append(ctx, last); err == nil {
			t.Error("a 21st message passed")
		}
	})
	t.Run("a refused post leaves its key free", func(t *testing.T) {
		rules := chat.DefaultRules()
		rules.PerThread = 1
		s, thread := open(t, rules), newThread()
		p := chat.Post{Thread: thread, Author: chat.Operator, Text: "x", Now: began, Address: "192.0.2.1"}
		add(t, s, p)
		p.Key = "k"
		if _, err := s.Append(ctx, p); err == nil {
			t.Fatal("a second message passed")
		}
		p.Now = began.Add(rules.Window)
		if r := add(t, s, p); r.Repeated {
			t.Error("what was refused counts as posted")
		}
	})
	t.Run("at once it is one message too", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		got := together(32, func(int) chat.Receipt {
			return add(t, s, chat.Post{Thread: thread, Author: chat.Operator, Text: "once", Key: "k", Now: began})
		})
		fresh := 0
		for _, r := range got {
			if !r.Repeated {
				fresh++
			}
			same(t, "the answer", got[0].Message, r.Message)
		}
		if n := len(whole(t, s, thread)); fresh != 1 || n != 1 {
			t.Errorf("%d were new, %d are kept", fresh, n)
		}
	})
	t.Run("a key outlives its message, for as long as messages are kept", func(t *testing.T) {
		s, thread := open(t, lenient()), newThread()
		first := add(t, s, chat.Post{Thread: thread, Author: chat.Operator, Text: "first", Key: "k", Now: began})
		for i := range 200 {
			post(t, s, thread, "more", began.Add(time.Duration(i)*time.Second))
		}
		again := add(t, s, chat.Post{Thread: thread, Author: chat.Operator, Text: "first", Key: "k", Now: began.Add(time.Hour)})
		if !again.Repeated || again.Message.ID != first.Message.ID || again.Message.Epoch != first.Message.Epoch {
			t.Errorf("got %+v, want %+v", again, first)
		}
		swept, err := s.Sweep(ctx, began.Add(30*24*time.Hour-time.Nanosecond))
		if err != nil || swept.Keys != 0 {
			t.Errorf("too early: %+v, %v", swept, err)
		}
		swept, err = s.Sweep(ctx, began.Add(30*24*time.Hour))
		if err != nil || swept.Keys != 1 {
			t.Errorf("after 30 days: %+v, %v", swept, err)
		}
		if r := add(t, s, chat.Post{Thread: thread, Author: chat.Operator, Text: "anew", Key: "k", Now: began.Add(31 * 24 * time.Hour)}); r.Repeated {
			t.Error("the key was kept")
		}
	})
}

func polls(t *testing.T, open Opener) {
	t.Run("an empty thread", func(t *testing.T) {
		s := open(t, chat.DefaultRules())
		for _, since := range []chat.Cursor{0, 1, 1 << 60} {
			same(t, "the page", chat.Page{}, read(t, s, newThread(), since))
		}
	})
	t.Run("a poll never makes a thread", func(t *testing.T) {
		s := open(t, chat.DefaultRules())
		read(t, s, newThread(), 0)
		if list, err := s.Threads(context.Background()); err != nil || len(list) != 0 {
			t.Errorf("%d threads, %v", len(list), err)
		}
	})
	t.Run("the newest 50 without since, and every later one with it", func(t *testing.T) {
		s, thread := open(t, lenient()), newThread()
		var all []chat.Message
		for i := range 120 {
			all = append(all, post(t, s, thread, "x", began.Add(time.Duration(i)*time.Millisecond)))
		}
		last := all[119].Epoch
		same(t, "without since", chat.Page{Messages: all[70:], Awaiting: true, Cursor: last}, read(t, s, thread, 0))
		same(t, "with the first", chat.Page{Messages: all[1:], Awaiting: true, Cursor: last}, read(t, s, thread, all[0].Epoch))
		same(t, "between two", chat.Page{Messages: all, Awaiting: true, Cursor: last}, read(t, s, thread, all[0].Epoch-1))
		same(t, "with the last", chat.Page{Awaiting: true, Cursor: last}, read(t, s, thread, last))
		same(t, "with one to come", chat.Page{Awaiting: true, Cursor: last}, read(t, s, thread, last+1000))
	})
	t.Run("awaiting until Hermes has written last", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		for i, a := range []chat.Author{chat.Operator, chat.Hermes, chat.Agent, chat.Hermes, chat.Hermes, chat.Operator} {
			m := add(t, s, chat.Post{Thread: thread, Author: a, Text: "x", Now: began}).Message
			for _, since := range []chat.Cursor{0, m.Epoch - 1, m.Epoch} {
				if p := read(t, s, thread, since); p.Awaiting != (a != chat.Hermes) || p.Cursor != m.Epoch {
					t.Errorf("message %d by %s, since %d: awaiting %v, cursor %d", i, a, since, p.Awaiting, p.Cursor)
				}
			}
		}
	})
}

// together runs n calls at once and gives their results.
func together[T any](n int, call func(i int) T) []T {
	results := make([]T, n)
	done := make(chan struct{})
	begin := make(chan struct{})
	for i := range n {
		go func() {
			<-begin
			results[i] = call(i)
			done <- struct{}{}
		}()
	}
	close(begin)
	for range n {
		<-done
	}
	return results
}

// sorted says whether the epochs rise strictly.
func sorted(list []chat.Message) bool {
	return slices.IsSortedFunc(list, func(a, b chat.Message) int {
		if a.Epoch < b.Epoch {
			return -1
		}
		return 1
	})
}
