package asktest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/askhub/askhub/ask"
)

// Outcome is what became of one case.
type Outcome string

// The outcomes. Skipped is a case that this project gives no occasion for.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// Result is one case: what was tried, and what came.
type Result struct {
	Clause
	Tried   string  `json:"tried"`
	Got     string  `json:"got"`
	Outcome Outcome `json:"outcome"`
}

// Report is all that was tried on one project.
type Report struct {
	URL     string   `json:"url"`
	Project string   `json:"project,omitzero"`
	Results []Result `json:"results"`
	// Hint says what is at the bottom of many broken clauses, where that can be told.
	Hint string `json:"hint,omitzero"`
	// Unreachable says why nothing could be tried; empty where it could.
	Unreachable string `json:"unreachable,omitzero"`
	// Faulty is whether the fault is the address or the token that was given.
	Faulty bool `json:"-"`
}

// Broken are the clauses of that level that failed, each once, in the document's order.
func (r Report) Broken(level Level) []Clause {
	var broken []Clause
	for _, c := range Clauses {
		for _, result := range r.Results {
			if result.ID == c.ID && c.Level == level && result.Outcome == Failed {
				broken = append(broken, c)
				break
			}
		}
	}
	return broken
}

// OK says whether the project keeps the contract: no fixed clause is broken and,
// with strict, none at all.
func (r Report) OK(strict bool) bool {
	return r.Unreachable == "" && len(r.Broken(Fixed)) == 0 && (!strict || len(r.Broken(Ours)) == 0)
}

// WriteText prints the report clause by clause.
func (r Report) WriteText(w io.Writer, strict bool) error {
	var b strings.Builder
	if r.Unreachable != "" {
		fmt.Fprintf(&b, "%s cannot be reached: %s\n", r.URL, r.Unreachable)
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "%s at %s\n", cmp.Or(r.Project, "what answers"), r.URL)
	last, passed, skipped := "", 0, 0
	for _, c := range r.Results {
		if c.ID != last {
			fmt.Fprintf(&b, "\n%-5s [%s] %s\n", c.ID, c.Level, c.Text)
			last = c.ID
		}
		word := "ok     "
		switch {
		case c.Outcome == Skipped:
			word = "skipped"
			skipped++
		case c.Outcome == Passed:
			passed++
		case c.Level == Fixed || strict:
			word = "BROKEN "
		default:
			word = "warning"
		}
		fmt.Fprintf(&b, "      %s  %s → %s\n", word, c.Tried, c.Got)
	}
	fixed, ours := r.Broken(Fixed), r.Broken(Ours)
	fmt.Fprintf(&b, "\n%d tried, %d passed, %d skipped; broken: %d fixed, %d ours\n", len(r.Results), passed, skipped, len(fixed), len(ours))
	for _, c := range append(fixed, ours...) {
		fmt.Fprintf(&b, "  %s [%s] %s\n", c.ID, c.Level, c.Text)
	}
	if r.Hint != "" {
		fmt.Fprintf(&b, "\n%s\n", r.Hint)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Option changes what Check asks.
type Option func(*checker)

// Asking is a question that the project is known to answer; without it the
// checker makes one from the project's first topic.
func Asking(question string) Option { return func(c *checker) { c.question = question } }

// As is who asks; without it the first of the project's people asks about themselves.
func As(asker ask.Asker) Option { return func(c *checker) { c.asker = asker } }

// Check tries every clause that can be tried from outside on the project at
// that address. It only asks: what it sends changes nothing.
func Check(ctx context.Context, url string, token ask.BearerToken, options ...Option) Report {
	report := Report{URL: url, Results: []Result{}}
	w, err := newWire(url)
	if err == nil {
		err = token.Check()
	}
	if err != nil {
		report.Unreachable, report.Faulty = err.Error(), true
		return report
	}
	c := &checker{ctx: ctx, wire: w, token: token}
	for _, o := range options {
		o(c)
	}
	conn, err := w.dial(ctx)
	if err != nil {
		report.Unreachable = "nothing answers there"
		return report
	}
	_ = conn.Close()
	c.learn()
	for _, t := range cases {
		v := t.try(c)
		if ctx.Err() != nil {
			report.Unreachable = "the check was stopped"
			return report
		}
		report.Results = append(report.Results, Result{Clause: Clauses[place(t.clause)], Tried: t.tried, Got: v.got, Outcome: v.outcome})
	}
	// Some are judged last; people read them in the document's order.
	slices.SortStableFunc(report.Results, func(a, b Result) int { return place(a.ID) - place(b.ID) })
	report.Project, report.Hint = c.caps.Project, c.hint()
	return report
}

// Run checks a project in a Go test; each broken clause is an error, an [ours]
// one too.
func Run(t TB, url string, token ask.BearerToken, options ...Option) {
	t.Helper()
	report := Check(context.Background(), url, token, options...)
	if report.Unreachable != "" {
		t.Fatalf("%s: %s", url, report.Unreachable)
	}
	for _, r := range report.Results {
		switch r.Outcome {
		case Failed:
			t.Errorf("clause %s [%s] %s: %s → %s", r.ID, r.Level, r.Text, r.Tried, r.Got)
		case Skipped:
			t.Logf("clause %s was not tried: %s", r.ID, r.Got)
		}
	}
}

// verdict is what a case came to, with what was seen.
type verdict struct {
	outcome Outcome
	got     string
}

func pass(format string, args ...any) verdict { return verdict{Passed, fmt.Sprintf(format, args...)} }

func fail(format string, args ...any) verdict { return verdict{Failed, fmt.Sprintf(format, args...)} }

func skip(format string, args ...any) verdict { return verdict{Skipped, fmt.Sprintf(format, args...)} }

var errSlow = errors.New("too slow, see 4.3")
