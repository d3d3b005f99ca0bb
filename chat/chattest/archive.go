package chattest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/askhub/askhub/chat"
)

const day = 24 * time.Hour

func retention(t *testing.T, open Opener) {
	ctx := context.Background()
	t.Run("the newest 200 messages, on append", func(t *testing.T) {
		s, thread := open(t, lenient()), newThread()
		var all []chat.Message
		for i := range 230 {
			all = append(all, post(t, s, thread, fmt.Sprint(i), began))
		}
		same(t, "what is kept", all[30:], whole(t, s, thread))
		same(t, "since the first", all[30:], read(t, s, thread, all[0].Epoch).Messages)
	})
	t.Run("30 days, on append, in its own thread", func(t *testing.T) {
		s, thread, other := open(t, lenient()), newThread(), newThread()
		post(t, s, thread, "old", began)
		post(t, s, thread, "edge", began.Add(time.Millisecond))
		post(t, s, other, "old", began)
		post(t, s, thread, "new", began.Add(30*day+time.Millisecond))
		if got := texts(whole(t, s, thread)); got != "edge new" {
			t.Errorf("kept %q", got)
		}
		if got := texts(whole(t, s, other)); got != "old" {
			t.Errorf("another thread keeps %q", got)
		}
	})
	t.Run("by a sweep, which counts", func(t *testing.T) {
		s := open(t, lenient())
		var threads []chat.Thread
		for i := range 40 {
			threads = append(threads, newThread())
			post(t, s, threads[i], "old", began)
			post(t, s, threads[i], "old too", began)
			if i%2 == 0 {
				post(t, s, threads[i], "new", began.Add(20*day))
			}
		}
		swept, err := s.Sweep(ctx, began.Add(40*day))
		if err != nil || swept.Messages != 80 {
			t.Fatalf("%+v, %v", swept, err)
		}
		for i, thread := range threads {
			want := ""
			if i%2 == 0 {
				want = "new"
			}
			if got := read(t, s, thread, 0); texts(got.Messages) != want || (got.Cursor != 0) != (want != "") || got.Awaiting != (want != "") {
				t.Errorf("thread %d is %+v, want %q", i, got, want)
			}
		}
		if swept, err := s.Sweep(ctx, began.Add(40*day)); err != nil || swept != (chat.Swept{}) {
			t.Errorf("again: %+v, %v", swept, err)
		}
	})
	t.Run("a clock far ahead does not spoil the thread", func(t *testing.T) {
		s, thread := open(t, lenient()), newThread()
		first := post(t, s, thread, "ahead", began.Add(365*day))
		second := post(t, s, thread, "right again", began)
		if got := texts(read(t, s, thread, 0).Messages); got != "ahead right again" || second.Epoch != first.Epoch+1 {
			t.Errorf("kept %q, epochs %d and %d", got, first.Epoch, second.Epoch)
		}
	})
}

func lists(t *testing.T, open Opener) {
	ctx := context.Background()
	s := open(t, lenient())
	if list, err := s.Threads(ctx); err != nil || len(list) != 0 {
		t.Fatalf("an empty store lists %v, %v", list, err)
	}
	a, b, c, gone := newThread(), newThread(), newThread(), newThread()
	post(t, s, gone, "x", began.Add(-40*day))
	if _, err := s.Sweep(ctx, began); err != nil {
		t.Fatal(err)
	}
	post(t, s, a, "one", began)
	post(t, s, b, "two", began.Add(time.Second))
	last := add(t, s, chat.Post{Thread: a, Author: chat.Hermes, Text: "three", Now: began.Add(time.Minute)}).Message
	paired, err := s.SetUp(ctx, c, func(s *chat.Settings) { s.Person, s.Answers = "sam", chat.ByHost })
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Threads(ctx)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the list", []chat.Summary{
		{Thread: a, Messages: 2, Newest: last},
		{Thread: b, Messages: 1, Newest: whole(t, s, b)[0], Waiting: true},
		{Thread: c, Settings: paired},
	}, list)
	if got := whole(t, s, newThread()); len(got) != 0 {
		t.Errorf("a thread that is not there holds %v", got)
	}
}

func imports(t *testing.T, open Opener) {
	ctx := context.Background()
	at := chat.Cursor(began.UnixMilli())
	message := func(epoch chat.Cursor, author chat.Author, text string) chat.Message {
		return chat.Message{ID: chat.NewID(epoch), Epoch: epoch, Author: author, Text: text}
	}
	bring := func(t *testing.T, s Whole, thread chat.Thread, list []chat.Message, now time.Time, want chat.Imported) {
		t.Helper()
		got, err := s.Import(ctx, thread, list, now)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "what became of it", want, got)
	}
	t.Run("ids and epochs are kept, and twice is safe", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		list := []chat.Message{message(at-3000, chat.Operator, "a"), message(at-2000, chat.Hermes, "b"), message(at-1000, chat.Agent, "c")}
		bring(t, s, thread, list, began, chat.Imported{Added: 3})
		same(t, "what is kept", list, whole(t, s, thread))
		same(t, "the page", chat.Page{Messages: list, Awaiting: true, Cursor: at - 1000}, read(t, s, thread, 0))
		bring(t, s, thread, list, began, chat.Imported{There: 3})
		same(t, "what is kept after twice", list, whole(t, s, thread))
		if m := post(t, s, thread, "d", began.Add(-time.Hour)); m.Epoch != at-999 {
			t.Errorf("the next epoch is %d, want %d", m.Epoch, at-999)
		}
	})
	t.Run("epochs that are taken give way", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		m := post(t, s, thread, "b", began)
		bring(t, s, thread, []chat.Message{message(m.Epoch, chat.Operator, "c"), message(m.Epoch, chat.Operator, "d"), message(m.Epoch-1, chat.Operator, "a")}, began, chat.Imported{Added: 3})
		if list := whole(t, s, thread); texts(list) != "a b c d" || !sorted(list) {
			t.Errorf("kept %q, in order: %v", texts(list), sorted(list))
		}
	})
	t.Run("what retention does not hold is left out, and said", func(t *testing.T) {
		s, thread := open(t, lenient()), newThread()
		var list []chat.Message
		for i := range 210 {
			list = append(list, message(at+chat.Cursor(i), chat.Operator, fmt.Sprint(i)))
		}
		list = append([]chat.Message{message(at-chat.Cursor((31*day).Milliseconds()), chat.Operator, "ancient")}, list...)
		bring(t, s, thread, list, began, chat.Imported{Added: 200, Old: 11})
		same(t, "what is kept", list[11:], whole(t, s, thread))
		// What was there and has to go is none of the imported.
		bring(t, s, thread, []chat.Message{message(at+1000, chat.Operator, "new")}, began, chat.Imported{Added: 1})
		if got := len(whole(t, s, thread)); got != 200 {
			t.Errorf("%d are kept", got)
		}
	})
	t.Run("nothing imported waits for an answer, also where something else does", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		bring(t, s, thread, []chat.Message{message(at-5000, chat.Operator, "old")}, began, chat.Imported{Added: 1})
		if _, _, ok, err := s.Take(ctx, began, time.Minute); ok || err != nil {
			t.Errorf("it waits: %v, %v", ok, err)
		}
		post(t, s, thread, "new", began)
		bring(t, s, thread, []chat.Message{message(at-4000, chat.Operator, "older"), message(at+10, chat.Operator, "between")}, began, chat.Imported{Added: 2})
		turn, _, ok, err := s.Take(ctx, began, time.Minute)
		if err != nil || !ok || turn.Message.Text != "new" {
			t.Fatalf("took %+v, %v, %v", turn, ok, err)
		}
		if err := s.Finish(ctx, turn, chat.Answer{Text: "yes", Now: began.Add(time.Second)}); err != nil {
			t.Fatal(err)
		}
		if turn, _, ok, _ := s.Take(ctx, began, time.Minute); ok {
			t.Errorf("%q waits", turn.Message.Text)
		}
	})
	t.Run("a text that no store takes", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		if _, err := s.Import(ctx, thread, []chat.Message{message(at, chat.Operator, "fine"), message(at, chat.Operator, "\x00")}, began); !errors.Is(err, chat.ErrBadText) {
			t.Errorf("imported: %v", err)
		}
		if got := whole(t, s, thread); len(got) != 0 {
			t.Errorf("a part is kept: %v", got)
		}
	})
	t.Run("nothing makes nothing", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		bring(t, s, thread, nil, began, chat.Imported{})
		if list, err := s.Threads(ctx); err != nil || len(list) > 0 {
			t.Errorf("%v, %v", list, err)
		}
	})
}
