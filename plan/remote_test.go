package plan_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/askhub/askhub/plan"
)

type remote func(service, question string) (string, error)

func (r remote) Ask(_ context.Context, service, question string) (string, error) {
	return r(service, question)
}

func TestARemoteToolAsksItsService(t *testing.T) {
	o := mail{}.offer(t)
	p := validate(t, o, lookups(`{"tool":"calendar","args":{"question":"what is on today?"}}`))
	for answer, want := range map[string]plan.Outcome{"Nothing today.": plan.OutcomeOK, "": plan.OutcomeNone, "down": plan.OutcomeFailed} {
		ran, err := o.Run(t.Context(), p, plan.Asking{Remote: remote(func(service, question string) (string, error) {
			if service != "calendar" || question != "what is on today?" {
				t.Errorf("asked %s %q", service, question)
			}
			if answer == "down" {
				return "", errors.New("down")
			}
			return answer, nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		got := ran.Found[0]
		if got.Result.Outcome != want || !slices.Contains(got.Says.AttackerFields, "facts.answer") {
			t.Errorf("%q: %+v", answer, got)
		}
		if want == plan.OutcomeOK && got.Result.Facts[plan.AnswerFact] != answer {
			t.Errorf("got %+v", got.Result)
		}
	}
}

func TestARemoteToolNeedsSomebodyToAskAndSomethingToAsk(t *testing.T) {
	c, err := plan.ParseCatalogue([]byte(`{"tools": [{"id": "calendar", "description": "Asks.", "attackerFields": [], "kind": "remote", "service": "compass"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	o := c.Offer(plan.Access{Remote: true})
	p := validate(t, o, lookups(`{"tool":"calendar","args":{}}`))
	asked := ""
	asks := remote(func(service, question string) (string, error) {
		asked = service + ": " + question
		return "Yes.", nil
	})
	for name, test := range map[string]struct {
		asking plan.Asking
		want   plan.Outcome
	}{
		"nobody":           {plan.Asking{Question: "well?"}, plan.OutcomeFailed},
		"nothing":          {plan.Asking{Remote: asks}, plan.OutcomeFailed},
		"the person's own": {plan.Asking{Remote: asks, Question: "well?"}, plan.OutcomeOK},
	} {
		asked = ""
		ran, err := o.Run(t.Context(), p, test.asking)
		if err != nil || ran.Found[0].Result.Outcome != test.want || (asked == "compass: well?") != (test.want == plan.OutcomeOK) {
			t.Errorf("%s: asked %q: %+v, %v", name, asked, ran, err)
		}
	}
	says, ok := c.Statement("calendar")
	if !ok || !slices.Equal(says.AttackerFields, []string{"facts.answer"}) {
		t.Errorf("says %+v", says)
	}
	if _, ok := c.Statement("post"); ok {
		t.Error("a tool that is not there has a statement")
	}
}
