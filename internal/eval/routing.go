package eval

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

// RoutingLine is one line of a routing file.
type RoutingLine struct {
	ID       string          `json:"id"`
	Text     string          `json:"text"`
	Decision routing.Outcome `json:"decision"`
	Projects []string        `json:"projects"`
	// Person is who is named; nil where nobody is, and the asker is meant.
	Person *ask.Person `json:"person"`
	// PersonByProject is what counts for a fanout whose projects list different people.
	PersonByProject map[string]*ask.Person `json:"person_by_project,omitzero"`
	// AlsoOK are further decisions that are right.
	AlsoOK []struct {
		Decision routing.Outcome `json:"decision"`
		Projects []string        `json:"projects"`
	} `json:"also_ok,omitzero"`
	Source string `json:"source"`
}

// RoutingReport is how well a router did.
type RoutingReport struct {
	N int `json:"n"`
	// Right is the number of lines whose decision and projects are both right.
	Right      int            `json:"right"`
	BySource   map[string]Sum `json:"by_source"`
	ByDecision map[string]Sum `json:"by_decision"`
	// WrongConfident is the share of all that named a wrong project without asking.
	WrongConfident Share          `json:"wrong_confident"`
	Person         Sum            `json:"person"`
	Wrong          []RoutingWrong `json:"wrong"`
	// Model is what a model cost, nil where none was used.
	Model *ModelCost `json:"model,omitzero"`
}

// ModelCost is how often a model was asked, what came of it, and how long it took.
type ModelCost struct {
	// Decide is how it was used: model, sure-first or embedded.
	Decide string `json:"decide"`
	// Asked and Decided count questions; the rest of Asked is in Unused, by the reason.
	Asked   int            `json:"asked"`
	Decided int            `json:"decided"`
	Unused  map[string]int `json:"unused"`
	// MedianMS, SlowestMS and TotalMS are of the questions that were asked.
	MedianMS  int64 `json:"median_ms"`
	SlowestMS int64 `json:"slowest_ms"`
	TotalMS   int64 `json:"total_ms"`
}

// Share is from 0 to 1.
type Share float64

// Sum is how many of a kind there were, and how many of them were right.
type Sum struct {
	N     int `json:"n"`
	Right int `json:"right"`
}

// Share is the share that was right; 0 of none.
func (s Sum) Share() Share { return share(s.Right, s.N) }

// RoutingWrong is one line that went wrong.
type RoutingWrong struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Want string `json:"want"`
	Got  string `json:"got"`
	Why  string `json:"why"`
}

// Routing scores a router on a file of RoutingLines. decide is the guard and then
// the router; people says whom each project of a decision would be asked about, the
// empty person where the question names nobody.
func Routing(r io.Reader, decide func(question string) routing.Decision, people func(question string, projects []string) map[string]ask.Person) (RoutingReport, error) {
	s := routingScore{sources: map[string]*tally{}, decisions: map[string]*tally{}}
	report := RoutingReport{BySource: map[string]Sum{}, ByDecision: map[string]Sum{}, Wrong: []RoutingWrong{}}
	err := eachLine(r, func(n int, line RoutingLine) error {
		if line.Text == "" || line.Decision == "" {
			return fmt.Errorf("line %d: text and decision are required", n)
		}
		d := decide(line.Text)
		right := line.right(d.Outcome, d.Projects)
		s.all.add(right)
		tallyOf(s.sources, line.Source).add(right)
		tallyOf(s.decisions, string(line.Decision)).add(right)
		if !right {
			report.Wrong = append(report.Wrong, RoutingWrong{
				ID: line.ID, Text: line.Text, Want: told(line.Decision, line.Projects), Got: told(d.Outcome, d.Projects), Why: d.Reason,
			})
			if len(d.Projects) > 0 && d.Outcome != routing.OutcomeClarify {
				s.wrongConfident++
			}
		}
		if line.Decision == routing.OutcomeRoute || line.Decision == routing.OutcomeFanout {
			s.person.add(line.rightPeople(people(line.Text, line.Projects)))
		}
		return nil
	})
	if err != nil {
		return RoutingReport{}, err
	}
	report.N, report.Right, report.Person = s.all.n, s.all.right, s.person.sum()
	report.WrongConfident = share(s.wrongConfident, s.all.n)
	for name, t := range s.sources {
		report.BySource[name] = t.sum()
	}
	for name, t := range s.decisions {
		report.ByDecision[name] = t.sum()
	}
	return report, nil
}

type routingScore struct {
	all, person        tally
	sources, decisions map[string]*tally
	wrongConfident     int
}

// right is whether a decision is the wanted one; for a clarify its candidates do
// not count.
func (l RoutingLine) right(outcome routing.Outcome, projects []string) bool {
	if sameDecision(l.Decision, l.Projects, outcome, projects) {
		return true
	}
	for _, also := range l.AlsoOK {
		if sameDecision(also.Decision, also.Projects, outcome, projects) {
			return true
		}
	}
	return false
}

func sameDecision(want routing.Outcome, wanted []string, got routing.Outcome, projects []string) bool {
	if want != got {
		return false
	}
	if want == routing.OutcomeClarify {
		return true
	}
	a, b := slices.Clone(wanted), slices.Clone(projects)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// rightPeople compares whom the wanted projects would be asked about: each where
// the line tells them apart, else the first that is named at all.
func (l RoutingLine) rightPeople(got map[string]ask.Person) bool {
	if l.PersonByProject == nil {
		return firstNamed(l.Projects, got) == deref(l.Person)
	}
	for _, project := range l.Projects {
		if got[project] != deref(l.PersonByProject[project]) {
			return false
		}
	}
	return true
}

func firstNamed(projects []string, got map[string]ask.Person) ask.Person {
	for _, project := range projects {
		if p := got[project]; p != "" {
			return p
		}
	}
	return ""
}

func deref(p *ask.Person) ask.Person {
	if p == nil {
		return ""
	}
	return *p
}

func told(outcome routing.Outcome, projects []string) string {
	if len(projects) == 0 {
		return string(outcome)
	}
	return fmt.Sprintf("%s %v", outcome, projects)
}

func tallyOf(m map[string]*tally, name string) *tally {
	if m[name] == nil {
		m[name] = new(tally)
	}
	return m[name]
}

// Names are the keys of a report's groups in order, for a table.
func Names(groups map[string]Sum) []string { return slices.Sorted(maps.Keys(groups)) }
