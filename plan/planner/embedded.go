package planner

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/askhub/askhub/plan"
)

// Embedded is the planner that needs no model. It matches the words of a question to
// what the tools say of themselves, and fills their arguments with what the question
// says. It plans only where every word of the question is accounted for, and says none
// with a reason otherwise. The same question always gets the same plan.
type Embedded struct {
	mu   sync.Mutex
	read map[string]*compiled
}

var _ Planner = (*Embedded)(nil)

// NewEmbedded is the planner of words.
func NewEmbedded() *Embedded { return &Embedded{read: map[string]*compiled{}} }

// maxRead bounds how many offers are kept as they were read.
const maxRead = 64

// Plan never fails: a question that it does not understand is a plan without a call.
func (e *Embedded) Plan(_ context.Context, ask Ask) ([]byte, error) {
	return e.plan(ask).AppendJSON(nil), nil
}

func (e *Embedded) plan(ask Ask) plan.Plan {
	q := readQuestion(ask.Question, ask.Today, ask.People, e.compiled(ask.Tools))
	switch {
	case q == nil:
		return none(plan.ReasonNoTool)
	case q.wantsWrite():
		return plan.Plan{Intent: plan.IntentWrite}
	case q.needsJudgement():
		return none(plan.ReasonNeedsJudgment)
	case q.negated:
		return none(q.why())
	}
	calls, ok := q.choose()
	if !ok {
		return none(q.why())
	}
	p := plan.Plan{Intent: plan.IntentLookup}
	for _, c := range calls {
		p.Calls = append(p.Calls, c.call)
	}
	if q.concludes(calls) {
		p.Intent = plan.IntentAnalyse
	}
	return p
}

func none(why plan.Reason) plan.Plan { return plan.Plan{Intent: plan.IntentNone, Reason: why} }

// why tells a question that no tool answers from one about something else.
func (q *question) why() plan.Reason {
	for i := range q.ts {
		if q.kind[i].strong && !q.timed[i] {
			return plan.ReasonNoTool
		}
	}
	return plan.ReasonOutOfScope
}

// compiled reads the tools once: reading them takes longer than planning.
func (e *Embedded) compiled(tools []plan.Offered) *compiled {
	var key strings.Builder
	for _, t := range tools {
		key.WriteString(t.ID + "\x00" + t.Description)
		for _, a := range t.Args {
			key.WriteString("\x01" + a.Name + "\x00" + a.Describe + "\x00" + strings.Join(a.Values, "\x00") + "\x00" + itoa(a.MaxLength))
			if a.Nullable {
				key.WriteByte('?')
			}
		}
		for _, g := range t.Gives {
			key.WriteString("\x02" + g.Name + "\x00" + g.Describe + "\x00" + g.Kind)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.read[key.String()]
	if c == nil {
		if len(e.read) >= maxRead {
			clear(e.read)
		}
		c = compile(tools)
		e.read[key.String()] = c
	}
	return c
}

// choose is the one call that answers all of the question, or the two of which one
// gives what the other takes, or one for each of its parts.
func (q *question) choose() ([]fitted, bool) {
	if best, ok := q.best(0, nil); ok {
		return []fitted{best}, true
	}
	if two, ok := q.twoRounds(0); ok {
		return two, true
	}
	return q.parts()
}

// best is the tool that answers to every word outside skip; among equals the first
// that was registered. heirs are tools that may answer without a word of their own.
func (q *question) best(skip bits, heirs []*toolWords) (best fitted, ok bool) {
	for i := range q.c.tools {
		t := &q.c.tools[i]
		f := q.fit(t, skip, slices.Contains(heirs, t), false)
		if f.whole && (!ok || f.score > best.score+1e-9) {
			best, ok = f, true
		}
	}
	return best, ok
}

// twoRounds looks for a tool that takes an id, and for one that gives it.
func (q *question) twoRounds(skip bits) (out []fitted, ok bool) {
	score := 0.0
	for i := range q.c.tools {
		taker := &q.c.tools[i]
		f := q.fit(taker, skip, false, false)
		if f.missing < 0 || f.rare == 0 || taker.args[f.missing].role != roleID {
			continue
		}
		a := &taker.args[f.missing]
		for k := range q.c.tools {
			giver := &q.c.tools[k]
			if giver == taker {
				continue
			}
			for _, gives := range giver.tool.Gives {
				if !a.takesID(gives) {
					continue
				}
				// What the taker alone says is its own; the giver must answer to the rest.
				g := q.fit(giver, skip|f.rare, false, true)
				if !g.whole || ok && g.score <= score {
					continue
				}
				call := plan.Call{Tool: f.call.Tool}
				for n := range taker.args {
					call.Args = append(call.Args, plan.Argument{Name: taker.args[n].Name, Null: n != f.missing})
				}
				call.Args[f.missing].Value = "@r1." + gives.Name
				if slices.ContainsFunc(taker.args, func(b arg) bool { return !b.Nullable && b.Name != a.Name }) {
					continue
				}
				second := f
				second.call = call
				out, score, ok = []fitted{g, second}, g.score, true
				break
			}
		}
	}
	return out, ok
}

// parts answers a question that asks for several things: lessons tomorrow and any mail
// from the school. Every part must be answered whole.
func (q *question) parts() ([]fitted, bool) {
	var out []fitted
	var heirs []*toolWords
	start := 0
	everything := between(0, len(q.ts))
	ends := q.partEnds()
	if len(ends) < 2 || len(ends) > plan.MaxCalls {
		return nil, false
	}
	for _, end := range ends {
		skip := everything &^ between(start, end)
		f, ok := q.best(skip, nil)
		if !ok {
			f, ok = q.best(skip, heirs)
		}
		if !ok {
			return nil, false
		}
		out, heirs = append(out, f), []*toolWords{f.tool}
		start = end
	}
	return out, true
}

// partEnds cuts a question at "and" and at commas.
func (q *question) partEnds() []int {
	var ends []int
	for i := 1; i < len(q.ts); i++ {
		if (q.ts[i].low == "and" && !q.ts[i].quoted || q.ts[i].broken && q.ts[i].low != "and") && i+1 < len(q.ts) && !q.timed[i] {
			ends = append(ends, i)
		}
	}
	return append(ends, len(q.ts))
}

// concludes says that the question compares or sums up in words that are not the
// chosen tools' own.
func (q *question) concludes(calls []fitted) bool {
	for i := range q.ts {
		t := &q.ts[i]
		if !compare[t.low] && t.low != "than" || t.quoted {
			continue
		}
		own := slices.ContainsFunc(calls, func(f fitted) bool { return f.tool.strong[t.stem] })
		if !own {
			return true
		}
	}
	return false
}
