// Package learn holds a household's past questions against its routing.md: what a
// changed file would decide otherwise, and which phrases people's own corrections
// propose for it. It changes nothing by itself.
package learn

import (
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
)

// Verdict is what was decided, as far as two of them can be compared.
type Verdict struct {
	Outcome  routing.Outcome `json:"outcome"`
	Projects []string        `json:"projects"`
}

// VerdictOf is the decision's. The candidates of a question back are left out: which
// of them are named is no other decision.
func VerdictOf(d routing.Decision) Verdict {
	v := Verdict{Outcome: d.Outcome, Projects: []string{}}
	if d.Outcome == routing.OutcomeRoute || d.Outcome == routing.OutcomeFanout {
		v.Projects = append(v.Projects, d.Projects...)
	}
	return v
}

// String is the verdict in words: "route email_agent".
func (v Verdict) String() string {
	return strings.Join(append([]string{string(v.Outcome)}, v.Projects...), " ")
}

func (v Verdict) same(o Verdict) bool {
	return v.Outcome == o.Outcome && slices.Equal(sorted(v.Projects), sorted(o.Projects))
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// Asked is one past question, and how often it was asked.
type Asked struct {
	Question string
	Times    int
	// Then is what was decided when it was last asked; nil where that is not known.
	Then *Verdict
}

// Past gathers questions, each once: those that differ in letter case, blanks or the
// mark at the end are one. Its zero value is empty.
type Past struct {
	list []Asked
	at   map[string]int
	// Untold counts records whose text was not kept.
	Untold int
	// Continued counts replies to a question back, which mean nothing by themselves.
	Continued int
}

// Add takes a question without its decision.
func (p *Past) Add(question string) { p.add(question, nil) }

// AddRecord takes a question off the record.
func (p *Past) AddRecord(r record.Record) {
	switch {
	case r.Question == "":
		p.Untold++
	case r.InReplyTo != "":
		p.Continued++
	default:
		p.add(r.Question, verdictThen(r))
	}
}

// verdictThen is what the embedded router or the guard decided; nil where another did.
func verdictThen(r record.Record) *Verdict {
	if r.Route.By != routing.ByEmbedded && r.Route.By != routing.ByGuard {
		return nil
	}
	d := routing.Decision{Outcome: r.Decision.Outcome, Projects: r.Route.Projects}
	if r.Route.Reason == "person" { // which person was asked back, not which project
		d.Outcome = routing.OutcomeRoute
		if len(d.Projects) > 1 {
			d.Outcome = routing.OutcomeFanout
		}
	}
	v := VerdictOf(d)
	return &v
}

func (p *Past) add(question string, then *Verdict) {
	question = strings.Join(strings.Fields(question), " ")
	key := keyOf(question)
	if key == "" {
		return
	}
	if p.at == nil {
		p.at = map[string]int{}
	}
	i, ok := p.at[key]
	if !ok {
		i = len(p.list)
		p.at[key] = i
		p.list = append(p.list, Asked{Question: question})
	}
	p.list[i].Times++
	p.list[i].Then = then
}

// keyOf is the same for questions that are asked alike.
func keyOf(question string) string {
	return strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(question), " "), " .?!"))
}

// Total is how many questions were added, Different how many of them differ.
func (p *Past) Total() (total int) {
	for _, a := range p.list {
		total += a.Times
	}
	return total
}

// Different is how many different questions there are.
func (p *Past) Different() int { return len(p.list) }

// Change is one question that is decided otherwise.
type Change struct {
	Question string `json:"question"`
	Times    int    `json:"times"`
}

// Group are the questions whose decision changes in the same way.
type Group struct {
	Before    Verdict  `json:"before"`
	After     Verdict  `json:"after"`
	Times     int      `json:"times"`
	Questions []Change `json:"questions"`
}

// Compare is what changes between two ways to decide, the largest group first. Where
// before is nil it is what was decided then; questions of which that is not known
// are counted as unknown and left out.
func (p *Past) Compare(before, after func(question string) routing.Decision) (groups []Group, unknown int) {
	for _, a := range p.list {
		was := a.Then
		if before != nil {
			v := VerdictOf(before(a.Question))
			was = &v
		}
		if was == nil {
			unknown++
			continue
		}
		is := VerdictOf(after(a.Question))
		if was.same(is) {
			continue
		}
		at := slices.IndexFunc(groups, func(g Group) bool { return g.Before.same(*was) && g.After.same(is) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, Group{Before: *was, After: is})
		}
		g := &groups[at]
		g.Times += a.Times
		g.Questions = append(g.Questions, Change{a.Question, a.Times})
	}
	for _, g := range groups {
		slices.SortStableFunc(g.Questions, func(a, b Change) int { return b.Times - a.Times })
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return b.Times - a.Times })
	return groups, unknown
}

// Days is how far back the record is read when nobody says.
const Days = 30

// From is the time that many days before now.
func From(now time.Time, days int) time.Time { return now.AddDate(0, 0, -days) }
