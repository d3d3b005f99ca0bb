package hub

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/llm/script"
	"github.com/askhub/askhub/internal/people"
)

// withModel puts a model into a home.
func (h *home) withModel(m llm.Model, now func() time.Time) {
	h.cfg.Decider = decide.NewDecider(m, nil, decide.ModeModel, now, nil)
}

const toSchool = `{"outcome":"route","projects":["compass_nhs"],"confidence":90,"reason":"he means the school"}`

func TestTheModelDecidesAndTheRecordSaysWhy(t *testing.T) {
	h := family(t)
	m := script.Replies(toSchool)
	h.withModel(m, time.Now)
	got := h.ask("sam", "what is Harry up to with his sums")
	if got.Status != routing.StatusAnswered || got.Route.By != routing.ByModel || got.Route.Reason != "model" {
		t.Errorf("got %s, %+v", got.Status, got.Route)
	}
	if got.Decision.Confidence != 0.9 || got.Decision.Why != "he means the school" || got.Person != "harry" {
		t.Errorf("the record says %+v, about %s", got.Decision, got.Person)
	}
}

func TestNoModelIsAskedAboutAControlAction(t *testing.T) {
	h := family(t)
	m := script.Replies(toSchool)
	h.withModel(m, time.Now)
	got := h.ask("sam", "turn off the kids' internet")
	if got.Status != routing.StatusRefused || got.Route.By != routing.ByGuard || len(m.Asked()) != 0 {
		t.Errorf("got %s by %s, and the model was asked %d times", got.Status, got.Route.By, len(m.Asked()))
	}
}

func TestAWrongReplyIsReplacedByTheEmbeddedRouter(t *testing.T) {
	h := family(t)
	h.withModel(script.Replies(`{"outcome":"route","projects":["nobody"],"confidence":90,"reason":""}`), time.Now)
	got := h.ask("sam", "what homework has Harry got?")
	if got.Status != routing.StatusAnswered || got.Route.By != routing.ByEmbedded || got.Decision.Why == "" {
		t.Errorf("got %s, %+v, %+v", got.Status, got.Route, got.Decision)
	}
}

// A request has 8 seconds, and its project 3 of them (spec 5).
func TestTheModelHasWhatAProjectLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &home{t: t}
		h.Hub = New(Config{Projects: h, Record: h, Budget: 8 * time.Second, Now: time.Now})
		h.withModel(llm.NewCareful(script.New(script.Act{Reply: toSchool, After: time.Hour}), llm.Limits{Timeout: time.Minute, AtOnce: 1}), time.Now)
		file, _ := routing.Parse("routing.md", routing.Default())
		house, err := people.Parse("people.toml", people.Sample())
		if err != nil {
			t.Fatal(err)
		}
		h.Use(NewRules(file, house, nil))
		start := time.Now()
		r := h.ask("sam", "what homework has Harry got?")
		if took := time.Since(start); took != 5*time.Second || r.Route.By != routing.ByEmbedded || r.Timings.Decide != 5*time.Second {
			t.Errorf("after %v by %s; the record says %v", took, r.Route.By, r.Timings.Decide)
		}
	})
}

func TestAChoiceNeedsNoModelAndAContinuationAsksItOnce(t *testing.T) {
	h := family(t)
	m := script.Replies(`{"outcome":"clarify","projects":["email_agent","compass_nhs"],"confidence":40,"reason":"letter"}`, toSchool)
	h.withModel(m, time.Now)
	first := h.ask("sam", "has the letter come for Harry")
	want(t, first, routing.StatusClarify, "Email or school?")
	chosen := h.then(first, "sam", "school")
	want(t, chosen, routing.StatusAnswered, "Harry has maths.")
	if chosen.Route.By != routing.ByChoice || len(m.Asked()) != 1 {
		t.Errorf("by %s, and the model was asked %d times", chosen.Route.By, len(m.Asked()))
	}

	m = script.Replies(`{"outcome":"clarify","projects":[],"confidence":10,"reason":""}`, toSchool)
	h.withModel(m, time.Now)
	first = h.ask("sam", "and what about tomorrow")
	want(t, first, routing.StatusClarify, "What do you mean?")
	more := h.then(first, "sam", "Harry's homework")
	want(t, more, routing.StatusAnswered, "Harry has maths.")
	if more.Route.By != routing.ByModel || len(m.Asked()) != 2 {
		t.Errorf("by %s, and the model was asked %d times", more.Route.By, len(m.Asked()))
	}
}
