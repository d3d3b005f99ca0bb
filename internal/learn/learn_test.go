package learn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
)

func to(projects ...string) routing.Decision {
	d := routing.Decision{Outcome: routing.OutcomeRoute, Projects: projects, By: routing.ByEmbedded}
	switch len(projects) {
	case 0:
		d.Outcome = routing.OutcomeNoMatch
	case 1:
	default:
		d.Outcome = routing.OutcomeFanout
	}
	return d
}

func TestEachChangedQuestionIsShownOnceAndGrouped(t *testing.T) {
	var p Past
	for _, q := range []string{"Any post?", "any post", "any  POST?", "lamp on", "what's up", "letters", ""} {
		p.Add(q)
	}
	before := func(string) routing.Decision { return to() }
	after := func(q string) routing.Decision {
		switch {
		case strings.Contains(strings.ToLower(q), "post") || q == "letters":
			return to("email_agent")
		case q == "lamp on":
			return to("b", "a")
		}
		return to()
	}
	groups, unknown := p.Compare(before, after)
	want := []Group{
		{
			Before: Verdict{routing.OutcomeNoMatch, []string{}}, After: Verdict{routing.OutcomeRoute, []string{"email_agent"}},
			Times: 4, Questions: []Change{{"Any post?", 3}, {"letters", 1}},
		},
		{
			Before: Verdict{routing.OutcomeNoMatch, []string{}}, After: Verdict{routing.OutcomeFanout, []string{"b", "a"}},
			Times: 1, Questions: []Change{{"lamp on", 1}},
		},
	}
	if d := cmp.Diff(want, groups); d != "" || unknown != 0 {
		t.Error(d, unknown)
	}
	if p.Total() != 6 || p.Different() != 4 {
		t.Errorf("%d asked, %d different", p.Total(), p.Different())
	}
	if got := groups[0].Before.String() + " → " + groups[0].After.String(); got != "no_match → route email_agent" {
		t.Error(got)
	}
}

func TestAQuestionBackIsOneVerdictWhateverItsCandidates(t *testing.T) {
	var p Past
	p.Add("has the letter come")
	clarify := func(projects ...string) func(string) routing.Decision {
		return func(string) routing.Decision {
			return routing.Decision{Outcome: routing.OutcomeClarify, Projects: projects}
		}
	}
	if groups, _ := p.Compare(clarify("a", "b"), clarify("b", "c")); len(groups) > 0 {
		t.Errorf("%+v", groups)
	}
	fanout := func(projects ...string) func(string) routing.Decision {
		return func(string) routing.Decision { return to(projects...) }
	}
	if groups, _ := p.Compare(fanout("a", "b"), fanout("b", "a")); len(groups) > 0 {
		t.Errorf("%+v", groups)
	}
}

func TestTheRecordSaysWhatWasDecidedThen(t *testing.T) {
	rec := func(question string, d routing.Decision, by routing.By) record.Record {
		return record.Record{Question: question, Route: record.Route{Projects: d.Projects, By: by}, Decision: record.Decision{Outcome: d.Outcome}}
	}
	var p Past
	p.AddRecord(rec("lamp", to("x"), routing.ByEmbedded))
	p.AddRecord(rec("Lamp!", to("home_assistant"), routing.ByEmbedded)) // the last time counts
	p.AddRecord(rec("post", to("x"), routing.By("llm")))
	p.AddRecord(rec("", to("x"), routing.ByEmbedded))
	p.AddRecord(record.Record{Question: "school", InReplyTo: "ask_1", Route: record.Route{By: routing.ByChoice}})
	p.AddRecord(rec("cut it", routing.Decision{Outcome: routing.OutcomeRefused}, routing.ByGuard))
	two := rec("Harry's and Emma's lessons", to("home_assistant"), routing.ByEmbedded)
	two.Decision.Outcome, two.Route.Reason = routing.OutcomeClarify, "person"
	p.AddRecord(two)

	groups, unknown := p.Compare(nil, func(string) routing.Decision { return to("home_assistant") })
	if len(groups) != 1 || groups[0].Before.String() != "refused" || unknown != 1 || p.Untold != 1 || p.Continued != 1 {
		t.Errorf("%+v, %d unknown, %d without text, %d continued", groups, unknown, p.Untold, p.Continued)
	}
}
