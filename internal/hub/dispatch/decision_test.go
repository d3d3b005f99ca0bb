package dispatch

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/hub/routing"
)

// bench is a decider that notes what it is told.
type bench struct {
	called []string
	err    error
	hang   bool
}

func (b *bench) call(ctx context.Context, what string) (routing.Part, error) {
	b.called = append(b.called, what)
	if b.hang {
		<-ctx.Done()
		time.Sleep(time.Second) // as one that forgets its context does
		return routing.Part{}, ctx.Err()
	}
	return routing.Part{Status: routing.StatusPending, Answer: "It waits.", Approval: "a1"}, b.err
}

func (b *bench) Propose(ctx context.Context, q ask.Question) (routing.Part, error) {
	return b.call(ctx, "propose "+q.Question)
}

func (b *bench) Waiting(ctx context.Context, approval string, asker ask.Asker) (routing.Part, error) {
	return b.call(ctx, "waiting "+approval+" "+string(asker))
}

func (b *bench) Withdraw(ctx context.Context, approval string, asker ask.Asker) (routing.Part, error) {
	return b.call(ctx, "withdraw "+approval+" "+string(asker))
}

func jobs() routing.Destination {
	return routing.Destination{Project: "jobs", Kind: routing.KindDecision}
}

var wish = ask.Question{Question: "file a job: find a plumber", Asker: "sam"}

func TestADecisionIsProposedAndNothingElse(t *testing.T) {
	for want, aim := range map[string]Aim{
		"propose file a job: find a plumber": {Destination: jobs(), Person: "sam"},
		"waiting a1 sam":                     {Destination: jobs(), Person: "sam", Approval: "a1"},
		"withdraw a1 sam":                    {Destination: jobs(), Person: "sam", Approval: "a1", Withdraw: true},
	} {
		b := &bench{}
		part := New(projects{}, nil, map[string]Decider{"jobs": b}, time.Now).Dispatch(t.Context(), ask.Budget, []Aim{aim}, wish)[0]
		if strings.Join(b.called, ", ") != want || part.Status != routing.StatusPending || part.Approval != "a1" || part.Project != "jobs" {
			t.Errorf("called %q and gave %+v, want %q", b.called, part, want)
		}
	}
}

func TestADecisionNeverRunsInsideAFanout(t *testing.T) {
	all := projects{}
	all.start(t, asktest.Script{Project: "school", Answer: says("Maths.")})
	b := &bench{}
	parts := New(all, nil, map[string]Decider{"jobs": b}, time.Now).Dispatch(t.Context(), ask.Budget,
		[]Aim{{Destination: query("school")}, {Destination: jobs()}}, wish)
	if len(b.called) != 0 || parts[1].Status != routing.StatusNoAnswer || parts[1].Reason != routing.ReasonAlone || parts[0].Answer != "Maths." {
		t.Errorf("called %q and gave %+v", b.called, parts)
	}
}

func TestABarredAskerProposesNothing(t *testing.T) {
	b := &bench{}
	part := New(projects{}, nil, map[string]Decider{"jobs": b}, time.Now).Dispatch(t.Context(), ask.Budget,
		[]Aim{{Destination: jobs(), Barred: "only an adult can ask for that"}}, wish)[0]
	if len(b.called) != 0 || part.Status != routing.StatusNoAnswer || part.Reason != "only an adult can ask for that" {
		t.Errorf("called %q and gave %+v", b.called, part)
	}
}

func TestWithoutADeciderADecisionIsNotSetUp(t *testing.T) {
	d := New(projects{}, nil, nil, time.Now)
	if got := d.Dispatch(t.Context(), ask.Budget, []Aim{{Destination: jobs()}}, wish)[0]; got.Reason != routing.ReasonNotConfigured {
		t.Errorf("got %+v", got)
	}
	planned := routing.Destination{Project: "jobs", Kind: routing.KindDecision, Placeholder: true}
	if got := d.Dispatch(t.Context(), ask.Budget, []Aim{{Destination: planned}}, wish)[0]; got.Reason != routing.ReasonNotBuilt {
		t.Errorf("got %+v", got)
	}
}

// Where it is not known whether something waits, that is what is said.
func TestALostDecisionIsNotToldAsNothing(t *testing.T) {
	for name, b := range map[string]*bench{"an error": {err: errors.New("disk full at 10.0.0.7")}, "too slow": {hang: true}} {
		synctest.Test(t, func(t *testing.T) {
			d := New(projects{}, nil, map[string]Decider{"jobs": b}, time.Now)
			for said, aim := range map[string]Aim{
				"waits for a yes now": {Destination: jobs()}, "how that stands": {Destination: jobs(), Approval: "a1"},
				"is withdrawn": {Destination: jobs(), Approval: "a1", Withdraw: true},
			} {
				began := time.Now()
				part := d.Dispatch(t.Context(), ask.Budget, []Aim{aim}, wish)[0]
				if part.Status != routing.StatusNoAnswer || !strings.Contains(part.Reason, said) || strings.Contains(part.Reason, "10.0.0.7") {
					t.Errorf("%s: got %+v, want it to say %q", name, part, said)
				}
				if took := time.Since(began); took > ask.Budget {
					t.Errorf("%s: it took %v", name, took)
				}
				synctest.Wait()
			}
			time.Sleep(2 * time.Second)
		})
	}
}
