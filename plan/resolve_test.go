package plan_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/askhub/askhub/plan"
)

// What stands between the rounds decides whether the second call runs at all.
func TestResolving(t *testing.T) {
	for name, test := range map[string]struct {
		found   plan.Result
		err     error
		given   plan.Given
		output  string
		outcome plan.Outcome
		why     string
	}{
		"several values are a choice": {
			found: plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "m-1"}, {Ref: "m-2"}}},
			given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeAmbiguous, why: "several",
		},
		"nothing there": {
			found: plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Title: "x"}}},
			given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeNone, why: "nothing",
		},
		"the source found nothing": {
			found: plan.Result{Outcome: plan.OutcomeNone}, given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeNone, why: "is none",
		},
		"the source was denied": {
			found: plan.Result{Outcome: plan.OutcomeDenied, Rows: []plan.Row{{Ref: "m-1"}}},
			given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeDenied, why: "is denied",
		},
		"the source failed": {
			err: errors.New("no line"), given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeFailed, why: "is failed",
		},
		"a reference in the data": {
			found: plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "@R1.message_id"}}},
			given: plan.Given{IDs: func(context.Context, string, string) bool { return true }}, outcome: plan.OutcomeFailed, why: "looks like",
		},
		"the context token in the data": {
			found: plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "@Context"}}},
			given: plan.Given{IDs: func(context.Context, string, string) bool { return true }}, outcome: plan.OutcomeFailed, why: "looks like",
		},
		"no id of ours": {
			found: plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "x-1"}}},
			given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeFailed, why: "message id",
		},
		"no id check": {
			found:   plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "m-1"}}},
			outcome: plan.OutcomeFailed, why: "no id check",
		},
		"a safe output needs none": {
			found:  plan.Result{Outcome: plan.OutcomeOK, Facts: map[string]any{"newest": 12.0}},
			output: "newest", outcome: plan.OutcomeOK,
		},
		"too long for the argument": {
			found:  plan.Result{Outcome: plan.OutcomeOK, Facts: map[string]any{"newest": "1234567890123"}},
			output: "newest", outcome: plan.OutcomeFailed, why: "longer than 12",
		},
		"a control character": {
			found:  plan.Result{Outcome: plan.OutcomeOK, Facts: map[string]any{"newest": "1\x002"}},
			output: "newest", outcome: plan.OutcomeFailed, why: "control character",
		},
	} {
		t.Run(name, func(t *testing.T) {
			read := 0
			m := mail{
				find: func(context.Context, findArgs) (plan.Result, error) { return test.found, test.err },
				thread: func(context.Context, threadArgs) (plan.Result, error) {
					read++
					return found()
				},
			}
			o := m.offer(t)
			reply := lookups(findSchool, itsThread)
			if test.output != "" {
				reply = strings.Replace(reply, "message_id", test.output, 1)
			}
			ran, err := o.Run(t.Context(), validate(t, o, reply), plan.Asking{Given: test.given})
			if err != nil {
				t.Fatal(err)
			}
			second := ran.Record.Lookups[1]
			if second.Outcome != test.outcome || !strings.Contains(second.Why, test.why) {
				t.Errorf("got %+v", second)
			}
			if (read == 1) != (test.outcome == plan.OutcomeOK) {
				t.Errorf("the second look-up ran %d times", read)
			}
		})
	}
}

func TestTheContextTokenIsWhatThePageIsAbout(t *testing.T) {
	for page, want := range map[string]plan.Outcome{
		" m-3 ": plan.OutcomeOK, "": plan.OutcomeFailed, "@r1.message_id": plan.OutcomeFailed, "much too long an id": plan.OutcomeFailed,
	} {
		got := ""
		m := mail{thread: func(_ context.Context, a threadArgs) (plan.Result, error) {
			got = a.Message
			return found()
		}}
		o := m.offer(t)
		p := validate(t, o, lookups(`{"tool":"mail.thread","args":{"message":"@context"}}`))
		ran, err := o.Run(t.Context(), p, plan.Asking{Given: plan.Given{Context: page}})
		if err != nil {
			t.Fatal(err)
		}
		if ran.Found[0].Result.Outcome != want || want == plan.OutcomeOK && got != "m-3" {
			t.Errorf("%q: %+v, read %q", page, ran.Record.Lookups, got)
		}
	}
}

// Resolve on its own trusts neither the plan nor the results that it is given.
func TestResolveAlone(t *testing.T) {
	o := mail{}.offer(t)
	p := validate(t, o, lookups(findSchool, itsThread))
	ok := []plan.Result{{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "m-1"}}}}
	given := plan.Given{IDs: isMessage}
	got, err := o.Resolve(t.Context(), p, 2, ok, given)
	if err != nil || got[0].Value != "m-1" || p.Calls[1].Args[0].Value != "@r1.message_id" {
		t.Errorf("got %v, %v; the plan is now %v", got, err, p)
	}
	few := o.Catalogue().Offer(plan.Access{Permissions: []string{"mail"}})
	for name, try := range map[string]func() error{
		"no such call":  func() error { _, err := o.Resolve(t.Context(), p, 3, ok, given); return err },
		"no result":     func() error { _, err := o.Resolve(t.Context(), p, 2, nil, given); return err },
		"another offer": func() error { _, err := few.Resolve(t.Context(), p, 2, ok, given); return err },
		"args left out": func() error {
			_, err := o.Resolve(t.Context(), plan.Plan{Calls: []plan.Call{{Tool: "mail.find"}}}, 1, nil, given)
			return err
		},
		"a later call": func() error {
			q := plan.Plan{Calls: slices.Clone(p.Calls)}
			q.Calls[1] = plan.Call{Tool: "mail.thread", Args: []plan.Argument{{Name: "message", Value: "@r2.message_id"}}}
			_, err := o.Resolve(t.Context(), q, 2, append(ok, ok...), given)
			return err
		},
		"an output that is not there": func() error {
			q := plan.Plan{Calls: slices.Clone(p.Calls)}
			q.Calls[1] = plan.Call{Tool: "mail.thread", Args: []plan.Argument{{Name: "message", Value: "@r1.title"}}}
			_, err := o.Resolve(t.Context(), q, 2, ok, given)
			return err
		},
	} {
		var why *plan.ResolveError
		if err := try(); !errors.As(err, &why) || why.Outcome != plan.OutcomeFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
}
