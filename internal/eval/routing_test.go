package eval

import (
	"strings"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/google/go-cmp/cmp"
)

func TestRoutingScoresDecisionAndProjects(t *testing.T) {
	file := `{"id":"1","text":"a","decision":"route","projects":["mail"],"person":"sam","source":"own"}
{"id":"2","text":"b","decision":"fanout","projects":["mail","school"],"person":"emma","person_by_project":{"mail":null,"school":"emma"},"source":"own"}

{"id":"3","text":"c","decision":"clarify","projects":["mail","school"],"person":null,"source":"public"}
{"id":"4","text":"d","decision":"route","projects":["mail"],"person":null,"source":"public","also_ok":[{"decision":"no_match","projects":[]}]}
{"id":"5","text":"e","decision":"route","projects":["mail"],"person":null,"source":"public","placeholder":true}
{"id":"6","text":"f","decision":"no_match","projects":[],"person":null,"source":"public"}
{"id":"7","text":"g","decision":"route","projects":["mail"],"person":"tom","source":"public"}
{"id":"8","text":"h","decision":"fanout","projects":["mail","school"],"person":"emma","source":"own"}
`
	decisions := map[string]routing.Decision{
		"a": {Outcome: routing.OutcomeRoute, Projects: []string{"mail"}},
		"b": {Outcome: routing.OutcomeFanout, Projects: []string{"school", "mail"}}, // any order
		"c": {Outcome: routing.OutcomeClarify, Projects: []string{"lamp"}},          // the decision alone counts
		"d": {Outcome: routing.OutcomeNoMatch},                                      // also_ok counts
		"e": {Outcome: routing.OutcomeRoute, Projects: []string{"lamp"}, Reason: "model:device"},
		"f": {Outcome: routing.OutcomeClarify, Reason: "unsure"},
		"g": {Outcome: routing.OutcomeRefused, Reason: "high_consequence_control"}, // a refusal is a wrong decision
		"h": {Outcome: routing.OutcomeFanout, Projects: []string{"mail", "school"}},
	}
	named := map[string]map[string]ask.Person{
		"a": {"mail": "sam"}, "b": {"school": "emma"}, "h": {"school": "emma"},
	}
	got, err := Routing(strings.NewReader(file),
		func(q string) routing.Decision { return decisions[q] },
		func(q string, _ []string) map[string]ask.Person { return named[q] })
	if err != nil {
		t.Fatal(err)
	}
	want := RoutingReport{
		N: 8, Right: 5,
		BySource: map[string]Sum{"own": {3, 3}, "public": {5, 2}},
		ByDecision: map[string]Sum{
			"route": {4, 2}, "fanout": {2, 2}, "clarify": {1, 1}, "no_match": {1, 0},
		},
		WrongConfident: 0.125,
		Person:         Sum{6, 5},
		Wrong: []RoutingWrong{
			{"5", "e", "route [mail]", "route [lamp]", "model:device"},
			{"6", "f", "no_match", "clarify", "unsure"},
			{"7", "g", "route [mail]", "refused", "high_consequence_control"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRoutingNamesTheFaultyLine(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"{\"text\":\"a\",\"decision\":\"route\"}\n{", "line 2"},
		{"\n{\"text\":\"a\"}", "line 2"},
		{`{"text":"a","text":"b","decision":"route"}`, "line 1"},
	} {
		_, err := Routing(strings.NewReader(c.file),
			func(string) routing.Decision { return routing.Decision{} },
			func(string, []string) map[string]ask.Person { return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s named", c.file, err, c.want)
		}
	}
}

func TestAnEmptyFileScoresNothing(t *testing.T) {
	got, err := Routing(strings.NewReader(""), nil, nil)
	if err != nil || got.N != 0 || got.Wrong == nil {
		t.Errorf("%+v, %v", got, err)
	}
}
