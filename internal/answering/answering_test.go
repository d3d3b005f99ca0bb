package answering

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
)

const (
	thread = chat.Thread("a1b2c3d4e5f60718")
	other  = chat.Thread("ffffffffffffffff")
)

// scripted is a Hub that answers as the test says.
type scripted struct {
	mu     sync.Mutex
	asked  []hub.Request
	answer func(ctx context.Context, req hub.Request) (string, routing.Status)
}

func (s *scripted) Ask(ctx context.Context, req hub.Request) hub.Reply {
	s.mu.Lock()
	s.asked = append(s.asked, req)
	id := fmt.Sprint("ask_", len(s.asked))
	s.mu.Unlock()
	text, status := "You said: "+req.Question.Question, routing.StatusAnswered
	if s.answer != nil {
		text, status = s.answer(ctx, req)
	}
	return hub.Reply{Record: record.Record{ID: id, Status: status, Reply: text}}
}

// teller is an assistant that hears as the test says.
type teller struct {
	heard []string
	fail  func(n int) error
	n     int
}

func (a *teller) Tell(_ context.Context, w Waiting) error {
	a.n++
	if a.fail != nil {
		if err := a.fail(a.n); err != nil {
			return err
		}
	}
	a.heard = append(a.heard, fmt.Sprintf("%s %s %s", w.Thread, w.Person, w.Message.Text))
	return nil
}

// deaf is an assistant that takes a minute to hear nothing.
type deaf struct{}

func (deaf) Tell(context.Context, Waiting) error {
	time.Sleep(time.Minute)
	return errors.New("nobody listens")
}

// house is a chat with its answerer, in a bubble of its own time.
type house struct {
	*testing.T
	store    *chat.Memory
	hub      *scripted
	outcomes []Outcome
	mu       sync.Mutex
}

func newHouse(t *testing.T) *house {
	return &house{T: t, store: chat.NewMemory(chat.DefaultRules()), hub: &scripted{}}
}

// run starts the answerer and gives what stops it.
func (h *house) run(turns chat.Turns, tellers ...Teller) (stop func()) {
	home, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		h.Fatal(err)
	}
	a := New(Config{
		Turns: turns, Hub: h.hub, Tellers: tellers, Rules: chat.DefaultRules(), Budget: 8 * time.Second, Now: time.Now,
		Household: func() *people.Household { return home }, Log: slog.New(slog.DiscardHandler),
		Observe: func(o Outcome) { h.mu.Lock(); h.outcomes = append(h.outcomes, o); h.mu.Unlock() },
	})
	ctx, cancel := context.WithCancel(h.Context())
	done := make(chan struct{})
	go func() { defer close(done); a.Run(ctx) }()
	return func() { cancel(); <-done }
}

func (h *house) say(t chat.Thread, text string) {
	h.Helper()
	if _, err := h.store.Append(h.Context(), chat.Post{Thread: t, Author: chat.Operator, Text: text, Now: time.Now(), Address: string(t)}); err != nil {
		h.Fatal(err)
	}
}

func (h *house) set(t chat.Thread, change func(*chat.Settings)) {
	h.Helper()
	if _, err := h.store.SetUp(h.Context(), t, change); err != nil {
		h.Fatal(err)
	}
}

func (h *house) pair(t chat.Thread, person string) {
	h.Helper()
	h.set(t, func(s *chat.Settings) { s.Person = person })
}

// holds checks what a thread says, each message as its author's first letter and text.
func (h *house) holds(t chat.Thread, want ...string) {
	h.Helper()
	list, err := h.store.Whole(h.Context(), t)
	if err != nil {
		h.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, string(m.Author)[:1]+": "+m.Text)
	}
	if !slices.Equal(got, want) {
		h.Errorf("the thread holds\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// pass lets time pass, and all that is due then.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func bubble(t *testing.T, test func(h *house)) {
	synctest.Test(t, func(t *testing.T) { test(newHouse(t)) })
}

func TestAPairedThreadAsksAsItsPerson(t *testing.T) {
	bubble(t, func(h *house) {
		h.pair(thread, "Mum")
		defer h.run(h.store)()
		h.say(thread, "what is on today?")
		synctest.Wait()
		h.say(thread, "and tomorrow?")
		synctest.Wait()
		h.holds(thread, "o: what is on today?", "h: You said: what is on today?", "o: and tomorrow?", "h: You said: and tomorrow?")
		req := h.hub.asked[0]
		if req.Asker != "sam" || req.Source != "chat" || req.WayIn != "chat" || req.Want != "text" || req.InReplyTo != "" {
			h.Errorf("asked as %+v", req)
		}
	})
}

func TestMessagesAreAnsweredInTheirOrder(t *testing.T) {
	bubble(t, func(h *house) {
		h.pair(thread, "sam")
		h.hub.answer = func(_ context.Context, req hub.Request) (string, routing.Status) {
			time.Sleep(time.Second)
			return "to " + req.Question.Question, routing.StatusAnswered
		}
		defer h.run(h.store)()
		h.say(thread, "1")
		h.say(thread, "2")
		h.say(thread, "3")
		pass(10 * time.Second)
		h.holds(thread, "o: 1", "o: 2", "o: 3", "h: to 1", "h: to 2", "h: to 3")
	})
}

func TestAClarifyContinuesInTheThread(t *testing.T) {
	bubble(t, func(h *house) {
		h.pair(thread, "sam")
		h.hub.answer = func(_ context.Context, req hub.Request) (string, routing.Status) {
			if req.InReplyTo == "" && req.Question.Question == "when?" {
				return "School or health?", routing.StatusClarify
			}
			return "fine", routing.StatusAnswered
		}
		defer h.run(h.store)()
		for _, text := range []string{"when?", "school", "thanks"} {
			h.say(thread, text)
			synctest.Wait()
		}
		var continued []string
		for _, req := range h.hub.asked {
			continued = append(continued, req.InReplyTo)
		}
		if !slices.Equal(continued, []string{"", "ask_1", ""}) {
			h.Errorf("continued %q", continued)
		}
	})
}

func TestWhatWaitsForAYesContinuesInTheThread(t *testing.T) {
	bubble(t, func(h *house) {
		h.pair(thread, "sam")
		h.hub.answer = func(_ context.Context, req hub.Request) (string, routing.Status) {
			if req.InReplyTo == "" {
				return "I have asked for your yes.", routing.StatusPending
			}
			return "I have withdrawn it.", routing.StatusDone
		}
		defer h.run(h.store)()
		for _, text := range []string{"file a job: x", "never mind"} {
			h.say(thread, text)
			synctest.Wait()
		}
		h.holds(thread, "o: file a job: x", "h: I have asked for your yes.", "o: never mind", "h: I have withdrawn it.")
		if got := h.hub.asked[1].InReplyTo; got != "ask_1" {
			h.Errorf("continued %q", got)
		}
	})
}

func TestAnUnpairedThreadIsToldOnceHowToPair(t *testing.T) {
	bubble(t, func(h *house) {
		defer h.run(h.store)()
		for _, text := range []string{"hello", "hello?", "anybody?"} {
			h.say(thread, text)
			synctest.Wait()
		}
		h.holds(thread, "o: hello", "h: "+hint(thread), "o: hello?", "o: anybody?")
		if len(h.hub.asked) != 0 {
			h.Errorf("the Hub was asked %+v", h.hub.asked)
		}
		// What was said before is not answered when the thread is paired, what comes then is.
		h.pair(thread, "sam")
		synctest.Wait()
		h.say(thread, "now")
		synctest.Wait()
		h.holds(thread, "o: hello", "h: "+hint(thread), "o: hello?", "o: anybody?", "o: now", "h: You said: now")
	})
}

func TestWhoAnswersIsAThreadsOwnSetting(t *testing.T) {
	bubble(t, func(h *house) {
		h.set(thread, func(s *chat.Settings) { s.Person, s.Answers = "sam", chat.ByHost })
		h.set(other, func(s *chat.Settings) { s.Person, s.Answers = "tom", chat.ByNobody })
		assistant := &teller{}
		defer h.run(h.store, assistant)()
		h.say(thread, "for the assistant")
		h.say(other, "for nobody")
		synctest.Wait()
		if want := []string{"a1b2c3d4e5f60718 sam for the assistant"}; !slices.Equal(assistant.heard, want) {
			h.Errorf("the assistant heard %q", assistant.heard)
		}
		h.holds(thread, "o: for the assistant")
		h.holds(other, "o: for nobody")
		if len(h.hub.asked) != 0 {
			h.Errorf("the Hub was asked %+v", h.hub.asked)
		}
	})
}

func TestAnAssistantIsToldUntilItHears(t *testing.T) {
	bubble(t, func(h *house) {
		h.set(thread, func(s *chat.Settings) { s.Answers = chat.ByHost })
		assistant := &teller{fail: func(n int) error {
			if n <= 4 {
				return errors.New("connection refused")
			}
			return nil
		}}
		defer h.run(h.store, assistant)()
		h.say(thread, "one")
		h.say(thread, "two")
		began := time.Now()
		pass(time.Minute)
		if want := []string{"a1b2c3d4e5f60718  one", "a1b2c3d4e5f60718  two"}; !slices.Equal(assistant.heard, want) {
			h.Errorf("it heard %q after %s", assistant.heard, time.Since(began))
		}
		if assistant.n != 6 {
			h.Errorf("it was told %d times, want 6", assistant.n)
		}
	})
}

func TestAnAssistantThatDoesNotListenKeepsNobodyElseWaiting(t *testing.T) {
	bubble(t, func(h *house) {
		for i := range 3 * tellAtOnce {
			told := chat.Thread(fmt.Sprintf("%016x", i+1))
			h.set(told, func(s *chat.Settings) { s.Answers = chat.ByHost })
			h.say(told, "for the assistant")
		}
		h.pair(thread, "sam")
		defer h.run(h.store, deaf{})()
		synctest.Wait()
		h.say(thread, "for the Hub")
		synctest.Wait()
		h.holds(thread, "o: for the Hub", "h: You said: for the Hub")
	})
}

func TestAReplyOnTheHostEndsTheTelling(t *testing.T) {
	bubble(t, func(h *house) {
		h.set(thread, func(s *chat.Settings) { s.Answers = chat.ByHost })
		assistant := &teller{fail: func(int) error { return errors.New("down") }}
		defer h.run(h.store, assistant)()
		h.say(thread, "one")
		pass(10 * time.Second)
		if _, err := h.store.Append(h.Context(), chat.Post{Thread: thread, Author: chat.Hermes, Text: "by hand", Now: time.Now()}); err != nil {
			h.Fatal(err)
		}
		tried := assistant.n
		pass(time.Hour)
		if assistant.n != tried {
			h.Errorf("it was told %d times more", assistant.n-tried)
		}
		h.holds(thread, "o: one", "h: by hand")
	})
}

func TestNobodyIsToldForEver(t *testing.T) {
	bubble(t, func(h *house) {
		h.set(thread, func(s *chat.Settings) { s.Answers = chat.ByHost })
		assistant := &teller{fail: func(int) error { return errors.New("down") }}
		defer h.run(h.store, assistant)()
		h.say(thread, "one")
		pass(26 * time.Hour)
		if last := h.outcomes[len(h.outcomes)-1]; last != GaveUp {
			h.Errorf("the last outcome is %s", last)
		}
	})
}

func TestAStopGivesTheTurnBack(t *testing.T) {
	bubble(t, func(h *house) {
		h.pair(thread, "sam")
		h.hub.answer = func(ctx context.Context, _ hub.Request) (string, routing.Status) {
			<-ctx.Done()
			return "cut short", routing.StatusUnavailable
		}
		stop := h.run(h.store)
		h.say(thread, "hello")
		synctest.Wait()
		stop()
		h.holds(thread, "o: hello")
		h.hub.answer = nil
		began := time.Now()
		defer h.run(h.store)()
		synctest.Wait()
		h.holds(thread, "o: hello", "h: You said: hello")
		if time.Since(began) > time.Second {
			h.Errorf("it took %s", time.Since(began))
		}
	})
}

func TestADeadHoldersTurnIsTakenOver(t *testing.T) {
	bubble(t, func(h *house) {
		h.pair(thread, "sam")
		h.say(thread, "hello")
		held, _, ok, err := h.store.Take(h.Context(), time.Now(), 18*time.Second)
		if !ok || err != nil {
			h.Fatal(ok, err)
		}
		defer h.run(h.store)()
		pass(17 * time.Second)
		h.holds(thread, "o: hello")
		pass(2 * time.Second)
		h.holds(thread, "o: hello", "h: You said: hello")
		// It lives after all: what it says now comes too late.
		if err := h.store.Finish(h.Context(), held, chat.Answer{Text: "twice", Now: time.Now()}); !errors.Is(err, chat.ErrTaken) {
			h.Errorf("the late answer gives %v", err)
		}
		h.holds(thread, "o: hello", "h: You said: hello")
	})
}

// failing is a store that cannot be read for a while; a fake, since no real one fails on
// command.
type failing struct {
	chat.Turns
	mu  sync.Mutex
	err error
}

func (f *failing) set(err error) { f.mu.Lock(); f.err = err; f.mu.Unlock() }

func (f *failing) Take(ctx context.Context, now time.Time, lease time.Duration) (chat.Turn, time.Time, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return chat.Turn{}, time.Time{}, false, f.err
	}
	return f.Turns.Take(ctx, now, lease)
}

func TestAStoreThatFailsIsTriedAgain(t *testing.T) {
	bubble(t, func(h *house) {
		h.pair(thread, "sam")
		store := &failing{Turns: h.store, err: errors.New("disk I/O error")}
		defer h.run(store)()
		h.say(thread, "hello")
		pass(time.Minute)
		h.holds(thread, "o: hello")
		store.set(nil)
		pass(3 * time.Second)
		h.holds(thread, "o: hello", "h: You said: hello")
	})
}

func TestAPersonWhoLeft(t *testing.T) {
	bubble(t, func(h *house) {
		h.pair(thread, "nobody")
		defer h.run(h.store)()
		h.say(thread, "hello")
		synctest.Wait()
		h.holds(thread, "o: hello", "h: This chat is paired with somebody who does not live here any more; pair it anew.")
	})
}

func TestATextThatIsNone(t *testing.T) {
	bubble(t, func(h *house) {
		h.pair(thread, "sam")
		defer h.run(h.store)()
		h.say(thread, "a\x07b")
		synctest.Wait()
		h.holds(thread, "o: a\x07b", "h: I cannot read that: it holds characters that are no text.")
	})
}

// slow is an assistant who takes nearly all of its time.
type slow struct {
	mu        sync.Mutex
	now, most int
	heard     int
}

func (s *slow) Tell(ctx context.Context, _ Waiting) error {
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.heard++
	s.mu.Unlock()
	by, _ := ctx.Deadline()
	time.Sleep(time.Until(by) - time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
	return nil
}

func TestSeveralSlowAssistantsAreToldOnceEach(t *testing.T) {
	bubble(t, func(h *house) {
		h.set(thread, func(s *chat.Settings) { s.Answers = chat.ByHost })
		all := []*slow{{}, {}, {}, {}}
		stop := h.run(h.store, all[0], all[1], all[2], all[3])
		h.say(thread, "hello?")
		pass(5 * time.Minute)
		stop()
		for i, s := range all {
			if s.heard != 1 || s.most != 1 {
				t.Errorf("assistant %d was told %d times, %d of them at once", i, s.heard, s.most)
			}
		}
		if !slices.Equal(h.outcomes, []Outcome{Told}) {
			t.Errorf("outcomes %v", h.outcomes)
		}
	})
}
