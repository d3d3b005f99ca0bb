package chattest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/askhub/askhub/chat"
)

const lease = time.Minute

// take takes the turn with that text.
func take(t *testing.T, s chat.Turns, now time.Time, text string) chat.Turn {
	t.Helper()
	turn, until, ok, err := s.Take(context.Background(), now, lease)
	if err != nil || !ok || turn.Message.Text != text || !until.IsZero() {
		t.Fatalf("took %+v, until %v, %v, %v; want %q", turn, until, ok, err, text)
	}
	return turn
}

// none sees that no turn can be taken before that time.
func none(t *testing.T, s chat.Turns, now, until time.Time) {
	t.Helper()
	turn, when, ok, err := s.Take(context.Background(), now, lease)
	if err != nil || ok || !when.Equal(until) {
		t.Fatalf("took %q, next at %v, %v, %v; want none before %v", turn.Message.Text, when, ok, err, until)
	}
}

func finish(t *testing.T, s chat.Turns, turn chat.Turn, a chat.Answer) {
	t.Helper()
	if err := s.Finish(context.Background(), turn, a); err != nil {
		t.Fatal(err)
	}
}

func turns(t *testing.T, open Opener) {
	ctx := context.Background()
	t.Run("one after the other, the oldest first, each once", func(t *testing.T) {
		s, a, b := open(t, chat.DefaultRules()), newThread(), newThread()
		none(t, s, began, time.Time{})
		post(t, s, a, "a1", began)
		post(t, s, b, "b1", began.Add(time.Second))
		post(t, s, a, "a2", began.Add(2*time.Second))
		now := began.Add(time.Minute)
		a1, b1 := take(t, s, now, "a1"), take(t, s, now, "b1")
		none(t, s, now, now.Add(lease)) // a2 waits for a1
		finish(t, s, a1, chat.Answer{Text: "to a1", Now: now})
		a2 := take(t, s, now, "a2")
		finish(t, s, b1, chat.Answer{Now: now})
		finish(t, s, a2, chat.Answer{Text: "to a2", Now: now})
		none(t, s, now, time.Time{})
		if got := texts(whole(t, s, a)); got != "a1 a2 to a1 to a2" {
			t.Errorf("the thread says %q", got)
		}
		if got := texts(whole(t, s, b)); got != "b1" {
			t.Errorf("the thread that got no answer says %q", got)
		}
	})
	t.Run("a turn has all that answering needs", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		settings, err := s.SetUp(ctx, thread, func(s *chat.Settings) { s.Person = "sam" })
		if err != nil {
			t.Fatal(err)
		}
		m := post(t, s, thread, "which?", began)
		turn := take(t, s, began, "which?")
		if turn.Holder == "" {
			t.Error("nobody holds it")
		}
		same(t, "the turn", chat.Turn{Thread: thread, Settings: settings, Message: m, Holder: turn.Holder}, turn)
		finish(t, s, turn, chat.Answer{Text: "school or email?", ReplyTo: "ask_1", Now: began.Add(time.Second)})
		post(t, s, thread, "school", began.Add(2*time.Second))
		if turn := take(t, s, began.Add(3*time.Second), "school"); turn.ReplyTo != "ask_1" {
			t.Errorf("it replies to %q", turn.ReplyTo)
		} else {
			finish(t, s, turn, chat.Answer{Text: "maths", Now: began.Add(4 * time.Second)})
		}
		post(t, s, thread, "and then?", began.Add(5*time.Second))
		if turn := take(t, s, began.Add(6*time.Second), "and then?"); turn.ReplyTo != "" {
			t.Errorf("it still replies to %q", turn.ReplyTo)
		}
	})
	t.Run("what was asked back is over when the host replies", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		post(t, s, thread, "which?", began)
		finish(t, s, take(t, s, began, "which?"), chat.Answer{Text: "school or email?", ReplyTo: "ask_1", Now: began})
		add(t, s, chat.Post{Thread: thread, Author: chat.Hermes, Text: "I have seen to it", Now: began})
		post(t, s, thread, "thank you", began)
		if turn := take(t, s, began, "thank you"); turn.ReplyTo != "" {
			t.Errorf("it replies to %q", turn.ReplyTo)
		}
	})
	t.Run("the answer is Hermes's, after what it answers", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		m := post(t, s, thread, "q", began)
		finish(t, s, take(t, s, began, "q"), chat.Answer{Text: "a", Now: began.Add(-time.Hour)})
		p := read(t, s, thread, m.Epoch)
		if len(p.Messages) != 1 || p.Messages[0].Author != chat.Hermes || p.Awaiting || !chat.IsID(p.Messages[0].ID) || p.Cursor <= m.Epoch {
			t.Errorf("%+v", p)
		}
	})
	t.Run("a turn whose holder died is another's after the lease, and is answered once", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		post(t, s, thread, "q", began)
		dead := take(t, s, began, "q")
		none(t, s, began.Add(lease-time.Nanosecond), began.Add(lease))
		alive := take(t, s, began.Add(lease), "q")
		if err := s.Finish(ctx, dead, chat.Answer{Text: "too late", Now: began}); !errors.Is(err, chat.ErrTaken) {
			t.Errorf("the dead one finished: %v", err)
		}
		if err := s.PutOff(ctx, dead, began); !errors.Is(err, chat.ErrTaken) {
			t.Errorf("the dead one put it off: %v", err)
		}
		finish(t, s, alive, chat.Answer{Text: "a", Now: began})
		if err := s.Finish(ctx, alive, chat.Answer{Text: "again", Now: began}); !errors.Is(err, chat.ErrTaken) {
			t.Errorf("finished twice: %v", err)
		}
		if err := s.Finish(ctx, chat.Turn{Thread: thread}, chat.Answer{Text: "nobody's", Now: began}); !errors.Is(err, chat.ErrTaken) {
			t.Errorf("a turn that was never taken: %v", err)
		}
		if got := texts(whole(t, s, thread)); got != "q a" {
			t.Errorf("the thread says %q", got)
		}
	})
	t.Run("a clock that steps back keeps no turn for long", func(t *testing.T) {
		s, dead, late := open(t, chat.DefaultRules()), newThread(), newThread()
		post(t, s, dead, "q", began)
		post(t, s, late, "r", began.Add(time.Second))
		ahead := began.Add(24 * time.Hour)
		take(t, s, ahead, "q")
		if err := s.PutOff(ctx, take(t, s, ahead, "r"), ahead.Add(chat.MaxHold)); err != nil {
			t.Fatal(err)
		}
		none(t, s, ahead, ahead.Add(lease))
		take(t, s, began, "q")
		take(t, s, began, "r")
		none(t, s, began, began.Add(lease))
	})
	t.Run("put off, and counted", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		post(t, s, thread, "q", began)
		now := began
		for tries := range 3 {
			turn := take(t, s, now, "q")
			if turn.Tries != tries {
				t.Errorf("tries %d, want %d", turn.Tries, tries)
			}
			later := now.Add(5 * time.Second)
			if err := s.PutOff(ctx, turn, later); err != nil {
				t.Fatal(err)
			}
			none(t, s, now.Add(time.Second), later)
			now = later
		}
		finish(t, s, take(t, s, now, "q"), chat.Answer{Text: "a", Now: now})
		post(t, s, thread, "r", now)
		if turn := take(t, s, now, "r"); turn.Tries != 0 {
			t.Errorf("the next turn has %d tries", turn.Tries)
		}
	})
	t.Run("a reply from the host answers everything", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		post(t, s, thread, "q", began)
		turn := take(t, s, began, "q")
		post(t, s, thread, "r", began)
		add(t, s, chat.Post{Thread: thread, Author: chat.Hermes, Text: "by hand", Now: began})
		if err := s.Finish(ctx, turn, chat.Answer{Text: "late", Now: began}); !errors.Is(err, chat.ErrTaken) {
			t.Errorf("the Hub answered too: %v", err)
		}
		none(t, s, began, time.Time{})
	})
	t.Run("an unpaired thread gets the hint once", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		post(t, s, thread, "q", began)
		turn := take(t, s, began, "q")
		post(t, s, thread, "hello?", began)
		finish(t, s, turn, chat.Answer{Text: "pair first", Hinted: true, Now: began})
		none(t, s, began, time.Time{})
		post(t, s, thread, "anybody?", began)
		none(t, s, began, time.Time{})
		if got, err := s.Settings(ctx, thread); err != nil || !got.Hinted {
			t.Errorf("settings %+v, %v", got, err)
		}
		if _, err := s.SetUp(ctx, thread, func(s *chat.Settings) { s.Person = "sam" }); err != nil {
			t.Fatal(err)
		}
		none(t, s, began, time.Time{}) // what was asked before it was paired stays so
		post(t, s, thread, "now", began)
		take(t, s, began, "now")
	})
	t.Run("whoever answers, and nobody", func(t *testing.T) {
		for usual, want := range map[chat.Answers]bool{chat.ByHub: true, chat.ByHost: true, chat.ByNobody: false} {
			rules := chat.DefaultRules()
			rules.Answers = usual
			s := open(t, rules)
			post(t, s, newThread(), "q", began)
			if _, _, ok, err := s.Take(ctx, began, lease); ok != want || err != nil {
				t.Errorf("usually %s: %v, %v", usual, ok, err)
			}
		}
	})
	t.Run("what retention dropped waits no more", func(t *testing.T) {
		rules := lenient()
		rules.Keep = 3
		s, thread := open(t, rules), newThread()
		for i := range 5 {
			post(t, s, thread, fmt.Sprint(i), began)
		}
		finish(t, s, take(t, s, began, "2"), chat.Answer{Now: began})
		take(t, s, began, "3")
	})
	t.Run("each to one answerer", func(t *testing.T) {
		s := open(t, lenient())
		for i := range 10 {
			thread := newThread()
			post(t, s, thread, fmt.Sprint(i), began)
			post(t, s, thread, fmt.Sprint(i, "b"), began)
		}
		got := map[string]int{}
		for _, turn := range together(16, func(int) chat.Turn {
			turn, _, _, err := s.Take(ctx, began, lease)
			if err != nil {
				t.Error(err)
			}
			return turn
		}) {
			if turn.Holder != "" {
				got[turn.Message.Text]++
			}
		}
		if len(got) != 10 {
			t.Errorf("%d turns were taken: %v", len(got), got)
		}
		for text, n := range got {
			if n != 1 || len(text) != 1 {
				t.Errorf("%q was taken %d times", text, n)
			}
		}
	})
	t.Run("who answers is told", func(t *testing.T) {
		s := open(t, chat.DefaultRules())
		waiting := s.Waiting()
		thread := newThread()
		post(t, s, thread, "q", began)
		told(t, waiting, "a message began to wait")
		turn := take(t, s, began, "q")
		post(t, s, thread, "r", began)
		told(t, waiting, "a second message began to wait")
		finish(t, s, turn, chat.Answer{Now: began})
		told(t, waiting, "the next message's turn came")
	})
}

// told waits until a channel has a value, and says how long that took. How long it may
// take is for whoever asks: a machine may be busy.
func told(t *testing.T, ch <-chan struct{}, what string) time.Duration {
	t.Helper()
	begin := time.Now()
	select {
	case <-ch:
	case <-time.After(60 * time.Second):
		t.Fatalf("%s, and nobody was told", what)
	}
	return time.Since(begin)
}

func watching(t *testing.T, open Opener) {
	ctx := context.Background()
	t.Run("each change wakes", func(t *testing.T) {
		s, thread := open(t, lenient()), newThread()
		changed, stop := s.Watch(thread)
		defer stop()
		post(t, s, thread, "x", began)
		told(t, changed, "a message came")
		finish(t, s, take(t, s, began, "x"), chat.Answer{Text: "y", Now: began})
		told(t, changed, "an answer came")
		if _, err := s.Import(ctx, thread, []chat.Message{{ID: chat.NewID(1), Epoch: chat.Cursor(began.UnixMilli()) - 5, Author: chat.Operator, Text: "z"}}, began); err != nil {
			t.Fatal(err)
		}
		told(t, changed, "an import came")
		if _, err := s.Sweep(ctx, began.Add(31*day)); err != nil {
			t.Fatal(err)
		}
		told(t, changed, "a sweep dropped messages")
	})
	t.Run("many watch, and stop", func(t *testing.T) {
		s, thread := open(t, lenient()), newThread()
		a, stopA := s.Watch(thread)
		b, stopB := s.Watch(thread)
		stopA()
		stopA()
		post(t, s, thread, "x", began)
		told(t, b, "a message came")
		select {
		case <-a:
			t.Error("who stopped was told")
		default:
		}
		stopB()
	})
}

func settings(t *testing.T, open Opener) {
	ctx := context.Background()
	s, thread := open(t, chat.DefaultRules()), newThread()
	if got, err := s.Settings(ctx, thread); err != nil || got != (chat.Settings{}) {
		t.Errorf("of a thread that is not there: %+v, %v", got, err)
	}
	want := chat.Settings{Person: "sam", Answers: chat.ByHost, Hinted: true}
	if got, err := s.SetUp(ctx, thread, func(s *chat.Settings) { *s = want }); err != nil || got != want {
		t.Errorf("set up: %+v, %v", got, err)
	}
	post(t, s, thread, "q", began)
	if got, err := s.Settings(ctx, thread); err != nil || got != want {
		t.Errorf("after a message: %+v, %v", got, err)
	}
	turn := take(t, s, began, "q")
	if _, err := s.SetUp(ctx, thread, func(s *chat.Settings) { s.Hinted = false }); err != nil {
		t.Fatal(err)
	}
	if err := s.PutOff(ctx, turn, began); err != nil {
		t.Errorf("another setting took the turn: %v", err)
	}
	if _, err := s.SetUp(ctx, thread, func(s *chat.Settings) { s.Person = "emma" }); err != nil {
		t.Fatal(err)
	}
	none(t, s, began, time.Time{})
	if _, err := s.SetUp(ctx, thread, func(s *chat.Settings) { s.Person = "\x00" }); !errors.Is(err, chat.ErrBadText) {
		t.Errorf("a name with a NUL: %v", err)
	}
	if got, err := s.Settings(ctx, thread); err != nil || got.Person != "emma" {
		t.Errorf("after a refusal: %+v, %v", got, err)
	}
}

func codes(t *testing.T, open Opener) {
	ctx := context.Background()
	newCode := func(t *testing.T, s Whole, thread chat.Thread, address string, now time.Time) chat.Code {
		t.Helper()
		c, err := s.NewCode(ctx, thread, address, now)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	t.Run("spent with the pairing", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		c := newCode(t, s, thread, "192.0.2.1", began)
		other := newCode(t, s, newThread(), "192.0.2.1", began)
		for _, change := range []func(*chat.Settings){
			func(s *chat.Settings) { s.Answers = chat.ByHost },
			func(s *chat.Settings) { s.Person = "sam" },
		} {
			if got, err := s.Code(ctx, c.Digits, "", began); err != nil || got != c {
				t.Fatalf("%+v, %v", got, err)
			}
			if _, err := s.SetUp(ctx, thread, change); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Code(ctx, c.Digits, "", began); !errors.Is(err, chat.ErrUnknownCode) {
			t.Errorf("after the pairing: %v", err)
		}
		if got, err := s.Code(ctx, other.Digits, "", began); err != nil || got != other {
			t.Errorf("another thread's: %+v, %v", got, err)
		}
	})
	t.Run("one a thread, while it lives", func(t *testing.T) {
		s, thread := open(t, chat.DefaultRules()), newThread()
		c := newCode(t, s, thread, "192.0.2.1", began)
		if len(c.Digits) != 8 || c.Thread != thread || !c.Expires.Equal(began.Add(chat.CodeLives)) {
			t.Errorf("%+v", c)
		}
		last := c.Expires.Add(-time.Nanosecond)
		same(t, "asked again", c, newCode(t, s, thread, "192.0.2.2", last))
		for _, by := range []struct {
			digits string
			thread chat.Thread
		}{{c.Digits, ""}, {"", thread}, {c.Digits, thread}} {
			got, err := s.Code(ctx, by.digits, by.thread, last)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "looked up", c, got)
			if _, err := s.Code(ctx, by.digits, by.thread, c.Expires); !errors.Is(err, chat.ErrUnknownCode) {
				t.Errorf("after its end: %v", err)
			}
		}
		if next := newCode(t, s, thread, "192.0.2.1", c.Expires); !next.Expires.After(c.Expires) {
			t.Errorf("no new one: %+v", next)
		}
	})
	t.Run("none for what is not there", func(t *testing.T) {
		s := open(t, chat.DefaultRules())
		for _, digits := range []string{"", "00000000", "' OR 1=1 --"} {
			if _, err := s.Code(ctx, digits, newThread(), began); !errors.Is(err, chat.ErrUnknownCode) {
				t.Errorf("%q: %v", digits, err)
			}
		}
	})
	t.Run("so many from an address, and in all", func(t *testing.T) {
		s := open(t, chat.DefaultRules())
		for i := range chat.MaxCodesPerAddress {
			newCode(t, s, newThread(), "192.0.2.1", began.Add(time.Duration(i)*time.Second))
		}
		_, err := s.NewCode(ctx, newThread(), "192.0.2.1", began.Add(time.Minute))
		if got := limited(t, err, "address"); got != 9*time.Minute {
			t.Errorf("wait %v, want 9 m", got)
		}
		for i := chat.MaxCodesPerAddress; i < chat.MaxCodes; i++ {
			newCode(t, s, newThread(), fmt.Sprint("address ", i/chat.MaxCodesPerAddress), began.Add(time.Minute))
		}
		if _, err := s.NewCode(ctx, newThread(), "another", began.Add(time.Minute)); !errors.Is(err, chat.ErrThreadLimit) {
			t.Errorf("one too many: %v", err)
		}
		newCode(t, s, newThread(), "192.0.2.1", began.Add(chat.CodeLives))
		swept, err := s.Sweep(ctx, began.Add(time.Hour))
		if err != nil || swept.Codes == 0 {
			t.Errorf("swept %+v, %v", swept, err)
		}
	})
}
