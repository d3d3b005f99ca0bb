package askplan_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/askplan"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
	"github.com/askhub/askhub/plan/planner"
)

// told is an error that tells why.
type told string

func (e told) Error() string  { return "internal: " + string(e) }
func (e told) Reason() string { return string(e) }

// always plans one look-up.
type always struct{}

func (always) Plan(context.Context, planner.Ask) ([]byte, error) {
	return plan.Plan{Intent: plan.IntentLookup, Calls: []plan.Call{{Tool: "lamps.on"}}}.AppendJSON(nil), nil
}

func TestALookupTellsWhyItCouldNotBeMade(t *testing.T) {
	for _, c := range []struct {
		result plan.Result
		err    error
		want   string
	}{
		{plan.Result{}, told("the lamps cannot be reached"), "the lamps cannot be reached"},
		{plan.Result{}, errors.Join(errors.New("dial"), told("the lamps cannot be reached")), "the lamps cannot be reached"},
		{plan.Result{}, errors.New("dial tcp 10.0.0.7: refused"), "that could not be looked up just now"},
		{plan.Result{}, told("open /etc/lamps.conf"), "that could not be looked up just now"}, // nothing internal goes out
		{plan.Result{}, told(""), "that could not be looked up just now"},
		{plan.Result{Outcome: plan.OutcomeDenied}, nil, "you may not be told that"},
	} {
		p, err := askplan.New(askplan.Project{
			Name: "lamps", Planner: always{}, Log: slog.New(slog.DiscardHandler),
			Catalogue: func(ask.Person) (*plan.Catalogue, error) {
				return plan.NewCatalogue([]plan.Tool{plan.New(plan.Spec{ID: "lamps.on", Description: "Which lamps are on.", AttackerFields: []string{}},
					func(struct{}) string { return "the lamps that are on" },
					func(context.Context, struct{}) (plan.Result, error) { return c.result, c.err })}, nil)
			},
			Templates: map[string]answer.Spec{"lamps.on": {About: "the lamps that are on", None: "No lamps are on", Few: "{have} {count:lamp:lamps} on"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Answer(t.Context(), ask.Question{Question: "Which lamps are on?", Asker: "sam"})
		if err != nil || a.Answer != nil || a.Reason != c.want {
			t.Errorf("%v: %+v, %v, want %q", c.err, a, err, c.want)
		}
	}
}
