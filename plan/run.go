package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Remote asks another project the ask contract's question, for the same asker and
// person as the request in hand. An empty answer with no error means that it has
// none. The error is kept in the record and told to nobody.
type Remote interface {
	Ask(ctx context.Context, service, question string) (answer string, err error)
}

// Asking is what one question brings to Run.
type Asking struct {
	Given
	// Question is the person's own words. Only a remote tool without a question
	// argument reads it.
	Question string
	// Remote asks other projects. Without it a remote tool's look-up fails.
	Remote Remote
	// PromptHash is PromptHash of what the planner was told; empty without a model.
	PromptHash string
}

// Ran is what a plan found, one entry for each of its calls, and the record of it.
type Ran struct {
	Found  []Found
	Record Record
}

// Record is what is kept with an answered question.
type Record struct {
	// Catalogue and Prompt are hashes.
	Catalogue string         `json:"catalogue"`
	Prompt    string         `json:"prompt,omitempty"`
	Intent    Intent         `json:"intent"`
	Reason    Reason         `json:"reason,omitempty"`
	Lookups   []LookupRecord `json:"lookups"`
}

// LookupRecord is one look-up of a question.
type LookupRecord struct {
	// Position is from 1 to MaxCalls.
	Position int     `json:"position"`
	Tool     string  `json:"tool"`
	Outcome  Outcome `json:"outcome"`
	// MS is how many milliseconds it ran; 0 where it did not run.
	MS float64 `json:"ms"`
	// Why says why the outcome is not the tool's own, in words that hold nothing of what
	// was found.
	Why string `json:"why,omitempty"`
	// Err is what a tool that failed said. It is for the household's own log: it may name
	// what nobody else should see, and does not travel with the record.
	Err error `json:"-"`
}

// Run runs a plan: the calls of round 1 side by side, then those of round 2. It
// returns by ctx's deadline, whatever a look-up does; one that fails, panics or is
// late does not sink the others. The error is a RefusedError for a plan that is not
// within the offer, and then nothing ran.
func (o *Offer) Run(ctx context.Context, p Plan, asking Asking) (Ran, error) {
	p, err := o.Check(p)
	if err != nil {
		return Ran{}, err
	}
	ran := Ran{Record: Record{Catalogue: o.catalogue.hash, Prompt: asking.PromptHash, Intent: p.Intent, Reason: p.Reason}}
	n := len(p.Calls)
	lookups := make([]lookup, n)
	results := make([]Result, n)
	for round := 1; round <= 2; round++ {
		start := time.Now()
		var waiting []chan lookup
		var at []int
		for i := range p.Calls {
			if p.Calls[i].Round() != round {
				continue
			}
			done := make(chan lookup, 1) // so that a late look-up holds nobody up
			known := slices.Clone(results)
			go func() {
				l := lookup{result: Result{Outcome: OutcomeFailed}, why: "the look-up ended without a result"}
				defer func() { done <- l }() // even where its goroutine is ended from within
				l = o.look(ctx, p, i, known, asking)
			}()
			waiting, at = append(waiting, done), append(at, i)
		}
		for k, done := range waiting {
			lookups[at[k]] = await(ctx, done, start)
			results[at[k]] = lookups[at[k]].result
		}
	}
	for i, l := range lookups {
		t := o.find(p.Calls[i].Tool)
		ran.Found = append(ran.Found, Found{
			Position: i + 1, Call: p.Calls[i], Args: l.args, About: l.about, Says: t.says, Result: l.result,
		})
		ran.Record.Lookups = append(ran.Record.Lookups, LookupRecord{
			Position: i + 1, Tool: t.id, Outcome: l.result.Outcome, MS: float64(l.took.Microseconds()) / 1000, Why: l.why, Err: l.err,
		})
	}
	return ran, nil
}

// lookup is one look-up that ended.
type lookup struct {
	args   []Argument
	about  string
	result Result
	took   time.Duration
	why    string
	err    error // the tool's own
}

func (l *lookup) fail(why string, err error) {
	l.result, l.why, l.err = Result{Outcome: OutcomeFailed}, why, err
}

// await waits for a look-up that began at start as long as ctx allows. One that ended
// in time counts, even if ctx ended meanwhile.
func await(ctx context.Context, done <-chan lookup, start time.Time) lookup {
	select {
	case l := <-done:
		return l
	default:
	}
	select {
	case l := <-done:
		return l
	case <-ctx.Done():
	}
	select {
	case l := <-done:
		return l
	default:
		l := lookup{took: time.Since(start)}
		l.fail("no result in time", nil)
		return l
	}
}

// look resolves one call's arguments and runs it. A panic is that look-up's failure.
func (o *Offer) look(ctx context.Context, p Plan, at int, results []Result, asking Asking) (l lookup) {
	start := time.Now()
	started := false
	defer func() {
		if wrong := recover(); wrong != nil {
			l.fail("the look-up broke off", fmt.Errorf("panic: %v", wrong))
		}
		if started {
			l.took = time.Since(start)
		}
	}()
	if ctx.Err() != nil {
		l.fail("there was no time left", nil)
		return l
	}
	args, err := o.Resolve(ctx, p, at+1, results, asking.Given)
	if err != nil {
		var why *ResolveError
		errors.As(err, &why)
		l.result.Outcome, l.why = why.Outcome, why.Error()
		return l
	}
	t := o.find(p.Calls[at].Tool)
	l.args = args
	started, start = true, time.Now()
	switch {
	case t.service != "":
		l.about = "asks " + t.service
		l.result, err = t.askRemote(ctx, args, asking)
	case t.run == nil:
		err = errors.New("the tool has no code here")
	default:
		l.about = oneLine(t.describe(args))
		l.result, err = t.run(ctx, args)
	}
	if err != nil {
		l.fail("the look-up failed", err)
		return l
	}
	if wrong := t.conform(&l.result); wrong != "" {
		l.fail("the result does not match the tool's declaration: "+wrong, nil)
	}
	if l.result.Outcome == OutcomeDenied || l.result.Outcome == OutcomeFailed {
		l.result = Result{Outcome: l.result.Outcome} // what the asker may not know goes no further
	}
	return l
}

func (t *tool) askRemote(ctx context.Context, args []Argument, asking Asking) (Result, error) {
	if asking.Remote == nil {
		return Result{}, errors.New("nobody asks remote projects here")
	}
	question := asking.Question
	for _, a := range args {
		if a.Name == QuestionArg && !a.Null {
			question = a.Value
		}
	}
	if trim(question) == "" {
		return Result{}, errors.New("there is no question to ask there")
	}
	answer, err := asking.Remote.Ask(ctx, t.service, question)
	if err != nil {
		return Result{}, err
	}
	if answer == "" {
		return Result{Outcome: OutcomeNone}, nil
	}
	return Result{Outcome: OutcomeOK, Facts: map[string]any{AnswerFact: answer}}, nil
}

// Round is 2 for a call that takes a reference, else 1.
func (c Call) Round() int {
	for _, a := range c.Args {
		if looksLikeReference(a.Value) {
			return 2
		}
	}
	return 1
}
