package hub

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
)

// bench is a decider whose approval waits for ten minutes.
type bench struct {
	h      *home
	called []string
}

func (b *bench) call(what string, status routing.Status, answer string) (routing.Part, error) {
	b.called = append(b.called, what)
	return routing.Part{Status: status, Answer: answer, Approval: "a1", Expires: b.h.now.Add(10 * time.Minute)}, nil
}

func (b *bench) Propose(_ context.Context, q ask.Question) (routing.Part, error) {
	return b.call("propose: "+q.Question, routing.StatusPending, "I have asked for your yes in the admin app: file the job “Find a plumber”.")
}

func (b *bench) Waiting(_ context.Context, approval string, asker ask.Asker) (routing.Part, error) {
	return b.call("waiting "+approval+" "+string(asker), routing.StatusPending, "It still waits in the admin app.")
}

func (b *bench) Withdraw(_ context.Context, approval string, asker ask.Asker) (routing.Part, error) {
	return b.call("withdraw "+approval+" "+string(asker), routing.StatusDone, "I have withdrawn it.")
}

// workshop is the family with a bench.
func workshop(t *testing.T) (*home, *bench) {
	h := family(t)
	b := &bench{h: h}
	h.cfg.Deciders = map[string]dispatch.Decider{"paperclip": b}
	h.dispatcher = dispatch.New(h, h.cfg.Connectors, h.cfg.Deciders, h.cfg.Now)
	return h, b
}

const plumber = "file a job: find a plumber"

func TestAJobWaitsForAYes(t *testing.T) {
	h, b := workshop(t)
	r := h.ask("sam", plumber)
	want(t, r, routing.StatusPending, "I have asked for your yes in the admin app: file the job “Find a plumber”.")
	if r.Approval != "a1" || r.Route.Kind != "decision" || !slices.Equal(r.Route.Projects, []string{"paperclip"}) || !r.Expires.Equal(h.now.Add(10*time.Minute)) {
		t.Errorf("got %+v", r.Record)
	}
	if !slices.Equal(b.called, []string{"propose: " + plumber}) {
		t.Errorf("the bench was called %q", b.called)
	}
}

func TestAChildAndAGuestCannotAskForAJob(t *testing.T) {
	for asker, words := range map[string]string{"harry": "Only an adult can ask for that.", "guest": "Guests cannot ask about that."} {
		h, b := workshop(t)
		want(t, h.ask(asker, plumber), routing.StatusNoAnswer, words)
		if len(b.called) != 0 {
			t.Errorf("%s: the bench was called %q", asker, b.called)
		}
	}
}

func TestAJobWithAControlActionIsRefused(t *testing.T) {
	h, b := workshop(t)
	if r := h.ask("sam", "file a job: turn off the kids' internet at nine"); r.Status != routing.StatusRefused || len(b.called) != 0 {
		t.Errorf("got %+v; the bench was called %q", r.Record, b.called)
	}
}

func TestWhoAskedTakesItBackInTheirOwnWords(t *testing.T) {
	for _, words := range []string{"never mind", "withdraw it", "No, cancel the job."} {
		h, b := workshop(t)
		waits := h.ask("sam", plumber)
		h.now = h.now.Add(9 * time.Minute)
		r := h.then(waits, "sam", words)
		want(t, r, routing.StatusDone, "I have withdrawn it.")
		if r.Route.Kind != "decision" || r.Route.By != routing.ByChoice || r.Route.Reason != reasonWithdraw || r.Approval != "a1" {
			t.Errorf("%q: got %+v", words, r.Record)
		}
		if b.called[1] != "withdraw a1 sam" {
			t.Errorf("%q: the bench was called %q", words, b.called)
		}
	}
}

// No chat text and no spoken code approves anything.
func TestNothingThatIsSaidIsAYes(t *testing.T) {
	for _, words := range []string{"yes", "approve it", "go ahead", "the code is 4711", "swordfish", "abracadabra please", "1 2 3"} {
		h, b := workshop(t)
		r := h.then(h.ask("sam", plumber), "sam", words)
		want(t, r, routing.StatusPending, "It still waits in the admin app.")
		if b.called[1] != "waiting a1 sam" || r.Route.Reason != reasonYesInApp {
			t.Errorf("%q: the bench was called %q; %+v", words, b.called, r.Route)
		}
		// And it can be taken back after that too.
		if r = h.then(r, "sam", "never mind"); r.Status != routing.StatusDone || b.called[2] != "withdraw a1 sam" {
			t.Errorf("%q, then never mind: got %+v; the bench was called %q", words, r.Record, b.called)
		}
	}
}

func TestAQuestionAfterAJobIsAQuestion(t *testing.T) {
	for words, status := range map[string]routing.Status{
		"what's on Harry's timetable?":           routing.StatusAnswered,
		"turn on the lamp":                       routing.StatusDone,
		"turn off the kids' internet":            routing.StatusRefused,
		"tell me how the whole wide world works": routing.StatusUnavailable, // a search, which is not built
	} {
		h, b := workshop(t)
		if r := h.then(h.ask("sam", plumber), "sam", words); r.Status != status {
			t.Errorf("%q: got %+v, want %s", words, r.Record, status)
		}
		if len(b.called) != 1 {
			t.Errorf("%q: the bench was called %q", words, b.called)
		}
	}
}

func TestOnlyTheAskerGoesOnAndOnlyWhileItWaits(t *testing.T) {
	h, b := workshop(t)
	waits := h.ask("sam", plumber)
	h.then(waits, "tom", "never mind")
	h.now = h.now.Add(10 * time.Minute)
	h.then(waits, "sam", "never mind")
	if len(b.called) != 1 {
		t.Errorf("the bench was called %q", b.called)
	}
}

func TestAJobBesideAQuestionIsSaidToBeLeftOut(t *testing.T) {
	h, b := workshop(t)
	r := h.Ask(t.Context(), Request{Question: ask.Question{Question: "x", Asker: "sam"}, Want: "text"})
	q := &question{rules: h.rules.Load(), now: func() time.Time { return h.now }, req: Request{Question: ask.Question{Asker: "sam"}}, began: h.now}
	q.text = "what is on Harry's timetable, and find a plumber"
	q.decision = routing.Decision{Outcome: routing.OutcomeFanout, Projects: []string{"compass_nhs", "paperclip"}}
	q.whom()
	parts := q.dispatch(t.Context(), h.Hub)
	if got := q.merge(parts); !strings.Contains(got.Sentence, "by itself") || !strings.Contains(got.Sentence, "Harry has maths") {
		t.Errorf("got %+v of %+v (%s)", got, parts, r.Status)
	}
	if len(b.called) != 0 {
		t.Errorf("the bench was called %q", b.called)
	}
}

// TestWhatWaitsIsTakenBackAfterARestartToo has another Hub that knows of the request by its
// record alone.
func TestWhatWaitsIsTakenBackAfterARestartToo(t *testing.T) {
	for _, c := range []struct {
		asker, words string
		later        time.Duration
		change       func(*record.Record)
		called       string
	}{
		{asker: "sam", words: "never mind", called: "withdraw a1 sam"},
		{asker: "sam", words: "approve it", called: "waiting a1 sam"},
		{asker: "sam", words: "never mind", later: 9 * time.Minute, called: "withdraw a1 sam"},
		{asker: "sam", words: "never mind", later: 10 * time.Minute},
		{asker: "tom", words: "never mind"},
		{asker: "sam", words: "what's on Harry's timetable?"},
		{asker: "sam", words: "never mind", change: func(r *record.Record) { r.WayIn = "kitchen" }},
		{asker: "sam", words: "never mind", change: func(r *record.Record) { r.Status = routing.StatusDone }},
		{asker: "sam", words: "never mind", change: func(r *record.Record) { r.Approval = "" }},
		{asker: "sam", words: "never mind", change: func(r *record.Record) { r.ID = "another" }},
	} {
		before, _ := workshop(t)
		waits := before.ask("sam", plumber)
		kept := waits.Record
		if c.change != nil {
			c.change(&kept)
		}
		h, b := workshop(t)
		h.cfg.Recall = func(_ context.Context, id string) (record.Record, error) {
			if id != kept.ID {
				return record.Record{}, record.ErrNotFound
			}
			return kept, nil
		}
		h.now = before.now.Add(c.later)
		r := h.then(waits, c.asker, c.words)
		if c.called == "" && len(b.called) != 0 || c.called != "" && !slices.Equal(b.called, []string{c.called}) {
			t.Errorf("%+v: the bench was called %q; %+v", c, b.called, r.Record)
		}
	}
}
