package askplan

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
	"github.com/askhub/askhub/plan/planner"
)

type fixed string

func (f fixed) Plan(context.Context, planner.Ask) ([]byte, error) { return []byte(f), nil }

// A project's own sentences stand before the template's, the first that the check lets
// pass; a reason of its own stands for everything.
func TestAWriterIsAskedBeforeTheTemplates(t *testing.T) {
	now := time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC)
	until := now.Add(time.Hour)
	look := fixed(`{"intent":"lookup","reason":null,"calls":[{"tool":"books.lent","args":{}}]}`)
	for _, tt := range []struct {
		name    string
		plan    fixed
		written Written
		answer  string
		reason  string
		until   time.Time
	}{
		{"its own", look, Written{Sentences: []string{"You have Momo, due on Friday."}, Until: until}, "You have Momo, due on Friday.", "", until},
		{"the first that holds", look, Written{Sentences: []string{"You have Matilda.", "You have Momo."}}, "You have Momo.", "", now.Add(time.Minute)},
		{"the template's where none holds", look, Written{Sentences: []string{"You have 3 books."}}, "You have one book.", "", now.Add(time.Minute)},
		{"the template's where there is none", look, Written{}, "You have one book.", "", now.Add(time.Minute)},
		{"a reason", look, Written{Reason: "the list is old", Sentences: []string{"You have Momo."}}, "", "the list is old", time.Time{}},
		{"a reason without a look-up", `{"intent":"none","reason":"no_tool","calls":[]}`, Written{Reason: "books only"}, "", "books only", time.Time{}},
		{"no reason without a look-up", `{"intent":"none","reason":"no_tool","calls":[]}`, Written{}, "", whyNoTool, time.Time{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := New(Project{
				Name: "books", People: []ask.Person{"sam"}, Planner: tt.plan, FreshFor: time.Minute, Log: slog.New(slog.DiscardHandler),
				Now: func() time.Time { return now }, Zone: time.UTC,
				Catalogue: func(ask.Person) (*plan.Catalogue, error) {
					return plan.NewCatalogue([]plan.Tool{plan.New(
						plan.Spec{ID: "books.lent", Description: "The books.", AttackerFields: []string{}, RowName: []string{"title"}},
						func(struct{}) string { return "the books" },
						func(context.Context, struct{}) (plan.Result, error) {
							return plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Title: "Momo", Fields: map[string]any{"due": "2026-12-04"}}}}, nil
						})}, nil)
				},
				Templates: map[string]answer.Spec{"books.lent": {About: "the books", Few: "{have} {count:book:books}"}},
				Writer:    func(plan.Intent, []plan.Found, answer.Context) Written { return tt.written },
			})
			if err != nil {
				t.Fatal(err)
			}
			a, err := p.Answer(t.Context(), ask.Question{Question: "what have I borrowed", Asker: "sam"})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if a.Answer != nil {
				got = *a.Answer
			}
			if got != tt.answer || a.Reason != tt.reason || !a.Expires.Equal(tt.until) {
				t.Errorf("%q, %q until %v; want %q, %q until %v", got, a.Reason, a.Expires, tt.answer, tt.reason, tt.until)
			}
		})
	}
}
