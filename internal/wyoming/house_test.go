package wyoming

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/pace"
	"github.com/askhub/askhub/internal/record"
)

// scripted is a Hub that says what a test wants.
type scripted struct {
	status routing.Status
	asked  []hub.Request
}

func (s *scripted) Ask(_ context.Context, r hub.Request) hub.Reply {
	s.asked = append(s.asked, r)
	return hub.Reply{Record: record.Record{ID: record.NewID(), Status: s.status, Reply: "So it is."}}
}

func newHouse(h Hub) *House {
	return &House{
		Hub: h, Else: Place{Asker: "guest"}, Limits: &pace.Limiter{PerMinute: 5, AtOnce: 4},
		Places: map[string]Place{
			"assist_satellite.kitchen": {"sam", "kitchen"},
			"3c1f":                     {"emma", "emma's room"},
		},
		Now: func() time.Time { return time.Unix(1000, 0) },
	}
}

func TestADevicesAskerAndRoomComeFromTheConfig(t *testing.T) {
	for name, c := range map[string]struct {
		context TranscriptContext
		asker   ask.Asker
		room    string
	}{
		"a satellite":              {TranscriptContext{Satellite: "assist_satellite.kitchen", Device: "aaaa"}, "sam", "kitchen"},
		"a device":                 {TranscriptContext{Satellite: "assist_satellite.attic", Device: "3c1f"}, "emma", "emma's room"},
		"a satellite before":       {TranscriptContext{Satellite: "assist_satellite.kitchen", Device: "3c1f"}, "sam", "kitchen"},
		"one that nobody knows":    {TranscriptContext{Satellite: "assist_satellite.attic"}, "guest", ""},
		"one that says not who":    {TranscriptContext{}, "guest", ""},
		"one that claims a person": {TranscriptContext{Device: "sam"}, "guest", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := &scripted{status: routing.StatusAnswered}
			a := newHouse(h).Answer(t.Context(), Transcript{Text: " is the light on? ", Language: "en-GB", Context: c.context})
			if a.Text != "So it is." || !a.Handled || len(h.asked) != 1 {
				t.Fatalf("got %+v, and the Hub %+v", a, h.asked)
			}
			got := h.asked[0]
			if got.Asker != c.asker || got.Heard.Room != c.room || got.Heard.Language != "en-GB" {
				t.Errorf("the Hub got %+v", got)
			}
			if got.Question.Question != "is the light on?" || got.Source != "esp32" || got.Want != reply.Speech || got.WayIn != "wyoming" {
				t.Errorf("the Hub got %+v", got)
			}
		})
	}
}

func TestWhatNobodyCanDoIsNotHandled(t *testing.T) {
	for status, handled := range map[routing.Status]bool{
		routing.StatusAnswered: true, routing.StatusDone: true, routing.StatusClarify: true, routing.StatusNoAnswer: true,
		routing.StatusRefused: true, routing.StatusPending: true, routing.StatusElsewhere: true,
		routing.StatusNoMatch: false, routing.StatusUnavailable: false,
	} {
		if a := newHouse(&scripted{status: status}).Answer(t.Context(), Transcript{Text: "hi"}); a.Handled != handled || a.Text != "So it is." {
			t.Errorf("%s: got %+v", status, a)
		}
	}
}

func TestAConversationContinuesWhatWasAskedBack(t *testing.T) {
	h := &scripted{status: routing.StatusClarify}
	house := newHouse(h)
	house.Limits = &pace.Limiter{PerMinute: 60, AtOnce: 4}
	say := func(conversation string) string {
		house.Answer(t.Context(), Transcript{Text: "school", Context: TranscriptContext{Conversation: conversation}})
		return h.asked[len(h.asked)-1].InReplyTo
	}
	if id := say("one"); id != "" {
		t.Errorf("the first continues %q", id)
	}
	if id := say("two"); id != "" {
		t.Errorf("another conversation continues %q", id)
	}
	if id := say("one"); !strings.HasPrefix(id, "ask_") {
		t.Errorf("its own continues %q", id)
	}
	h.status = routing.StatusPending
	say("one")
	if id := say("one"); !strings.HasPrefix(id, "ask_") {
		t.Errorf("what waits for a yes is continued as %q", id)
	}
	if id := say(""); id != "" {
		t.Errorf("one without an id continues %q", id)
	}
}

func TestWhatIsNoQuestionIsToldInASentence(t *testing.T) {
	h := &scripted{status: routing.StatusAnswered}
	house := newHouse(h)
	for text, want := range map[string]string{
		"":                          "I heard nothing.",
		"\t\n":                      "I heard nothing.",
		"a\x00b":                    "I could not make that out.",
		strings.Repeat("é", 4001):   "That was too long for me; say it in fewer words.",
		strings.Repeat("\u200b", 3): "I could not make that out.",
	} {
		if a := house.Answer(t.Context(), Transcript{Text: text}); a.Handled || a.Text != want {
			t.Errorf("%.20q: got %+v, want %q", text, a, want)
		}
	}
	if len(h.asked) > 0 {
		t.Errorf("the Hub was asked %+v", h.asked)
	}
	for _, language := range []string{"", "en", "a language", strings.Repeat("x", 1000)} {
		house.Answer(t.Context(), Transcript{Text: "hi", Language: language})
	}
	if a := house.Answer(t.Context(), Transcript{Text: "hi"}); !a.Handled {
		t.Errorf("got %+v", a)
	}
	if h.asked[2].Heard.Language != "" || h.asked[3].Heard.Language != "" || h.asked[1].Heard.Language != "en" {
		t.Errorf("the Hub got %+v", h.asked)
	}
	if a := house.Answer(t.Context(), Transcript{Text: "hi"}); a.Handled || !strings.Contains(a.Text, "too much") {
		t.Errorf("past its limit it got %+v", a)
	}
}
