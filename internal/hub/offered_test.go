package hub

import (
	"context"
	"slices"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
)

// doubtful is a destination that asks back which of its things is meant.
type doubtful struct{ did *[]string }

func (d doubtful) Do(_ context.Context, q ask.Question) (ask.Answer, error) {
	if q.Question == "turn on the lamp" {
		return ask.Answer{}, &dispatch.Unclear{Ask: "Which one: hall or children?", Choices: []routing.Choice{
			{Label: "hall", Question: "turn on the Hall Lamp"},
			{Label: "children", Question: "turn off the kids' internet"}, // a device may be called anything
		}}
	}
	*d.did = append(*d.did, q.Question)
	return ask.Say("The lamp is on."), nil
}

func (doubtful) Read(context.Context, ask.Question) (ask.Answer, error) {
	return ask.Say("It is on."), nil
}

// askedBack is a home whose lamp is not clear, and what it did.
func askedBack(t *testing.T) (*home, *[]string, Reply) {
	t.Helper()
	h, did := family(t), &[]string{}
	h.dispatcher = dispatch.New(h, map[string]dispatch.Connector{"home_assistant": doubtful{did}}, nil, h.cfg.Now)
	asked := h.ask("sam", "turn on the lamp")
	if asked.Status != routing.StatusClarify || asked.Reply != "Which one: hall or children?" || !slices.Equal(asked.Choices, []string{"hall", "children"}) {
		t.Fatalf("got %s %q %q", asked.Status, asked.Reply, asked.Choices)
	}
	return h, did, asked
}

func (h *home) replies(asker, words, to string) Reply {
	h.t.Helper()
	return h.Ask(h.t.Context(), Request{
		Question: ask.Question{Question: words, Asker: ask.Asker(asker), Source: "chat"}, WayIn: "test", Want: reply.Text, InReplyTo: to,
	})
}

func TestWhatADestinationAsksBackIsContinued(t *testing.T) {
	for _, words := range []string{"the hall", "the first", "hall please"} {
		h, did, asked := askedBack(t)
		got := h.replies("sam", words, asked.ID)
		if got.Status != routing.StatusDone || got.Route.By != routing.ByChoice || !slices.Equal(*did, []string{"turn on the Hall Lamp"}) {
			t.Errorf("%q: got %s %q, and %q was done", words, got.Status, got.Reply, *did)
		}
	}
}

// What a choice stands for is guarded like any other question.
func TestAChoiceThatMeansAControlActionIsRefused(t *testing.T) {
	h, did, asked := askedBack(t)
	if got := h.replies("sam", "the children one", asked.ID); got.Status != routing.StatusRefused || len(*did) != 0 {
		t.Errorf("got %s %q, and %q was done", got.Status, got.Reply, *did)
	}
}

func TestWordsThatAreNoChoiceAreANewQuestion(t *testing.T) {
	h, did, asked := askedBack(t)
	if got := h.replies("sam", "any new email?", asked.ID); got.Reply != "There is one new mail." || len(*did) != 0 {
		t.Errorf("got %s %q, and %q was done", got.Status, got.Reply, *did)
	}
	// It is sam's alone to answer.
	if got := h.replies("tom", "the hall", asked.ID); slices.Contains(*did, "turn on the Hall Lamp") {
		t.Errorf("somebody else got %s %q, and %q was done", got.Status, got.Reply, *did)
	}
}

// lackingTimer is a destination that asks how long its timer shall run.
type lackingTimer struct{ did *[]string }

func (l lackingTimer) Do(_ context.Context, q ask.Question) (ask.Answer, error) {
	if q.Question == "set a timer" {
		return ask.Answer{}, &dispatch.Unclear{Ask: "For how long?", Missing: true}
	}
	*l.did = append(*l.did, q.Question)
	return ask.Say("The timer is set."), nil
}

func (lackingTimer) Read(context.Context, ask.Question) (ask.Answer, error) {
	return ask.Say("It runs."), nil
}

func (lackingTimer) Complete(asked, words string) (string, bool) {
	switch words {
	case "five minutes":
		return asked + " for five minutes", true
	case "the children's":
		return "turn off the kids' internet", true
	}
	return "", false
}

// askedForLength is a home that was asked for a timer, and what it did.
func askedForLength(t *testing.T) (*home, *[]string, Reply) {
	t.Helper()
	h, did := family(t), &[]string{}
	h.dispatcher = dispatch.New(h, map[string]dispatch.Connector{"home_assistant": lackingTimer{did}}, nil, h.cfg.Now)
	asked := h.ask("sam", "set a timer")
	if asked.Status != routing.StatusClarify || asked.Reply != "For how long?" || len(asked.Choices) != 0 {
		t.Fatalf("got %s %q %q", asked.Status, asked.Reply, asked.Choices)
	}
	return h, did, asked
}

func TestWhatADestinationLacksIsCompleted(t *testing.T) {
	h, did, asked := askedForLength(t)
	got := h.replies("sam", "five minutes", asked.ID)
	if got.Status != routing.StatusDone || got.Route.By != routing.ByChoice || !slices.Equal(*did, []string{"set a timer for five minutes"}) {
		t.Errorf("got %s %q, and %q was done", got.Status, got.Reply, *did)
	}
}

// The words that complete nothing are never joined to the order, and whole it is guarded like
// any other question.
func TestWordsThatCompleteNothingAreANewQuestion(t *testing.T) {
	for words, status := range map[string]routing.Status{
		"any new email?": routing.StatusAnswered, "the blue one": routing.StatusClarify, "the children's": routing.StatusRefused,
	} {
		h, did, asked := askedForLength(t)
		if got := h.replies("sam", words, asked.ID); got.Status != status || len(*did) != 0 {
			t.Errorf("%q: got %s %q, and %q was done", words, got.Status, got.Reply, *did)
		}
	}
	h, did, asked := askedForLength(t)
	if got := h.replies("tom", "five minutes", asked.ID); len(*did) != 0 {
		t.Errorf("somebody else got %s %q, and %q was done", got.Status, got.Reply, *did)
	}
}

// "Never mind" ends what a destination had asked back, and nothing is done.
func TestNeverMindEndsWhatWasAskedBack(t *testing.T) {
	for _, words := range []string{"never mind", "no", "Cancel it, please.", "stop"} {
		h, did, asked := askedForLength(t)
		left := h.replies("sam", words, asked.ID)
		want(t, left, routing.StatusAnswered, "All right, I leave it.")
		if got := h.replies("sam", "five minutes", left.ID); len(*did) != 0 {
			t.Errorf("%q: then got %s %q, and %q was done", words, got.Status, got.Reply, *did)
		}
		h, did, asked = askedBack(t)
		want(t, h.replies("sam", words, asked.ID), routing.StatusAnswered, "All right, I leave it.")
		if len(*did) != 0 {
			t.Errorf("%q: %q was done", words, *did)
		}
	}
}
