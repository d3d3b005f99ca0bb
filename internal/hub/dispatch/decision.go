package dispatch

import (
	"context"
	"errors"
	"log/slog"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

// Decider reaches one destination that needs a person's yes. None of its calls carries
// anything out, and nothing that is said can: they only put an approval before the
// people who may decide, or take one back. Each part that they give says what a person
// may hear; an error means that this is not known, and its text stays in the log.
type Decider interface {
	// Propose asks for a yes to what q says. Its part is pending and names the approval,
	// or is no answer and says why nothing waits.
	Propose(ctx context.Context, q ask.Question) (routing.Part, error)
	// Waiting says how the approval stands and where to say yes to it.
	Waiting(ctx context.Context, approval string, asker ask.Asker) (routing.Part, error)
	// Withdraw takes back what that asker asked for, if it is not decided yet.
	Withdraw(ctx context.Context, approval string, asker ask.Asker) (routing.Part, error)
}

// What is said where it is not known whether an approval waits now.
const (
	notKnown    = "I could not find out whether that waits for a yes now; the admin app shows it if it does"
	notTold     = "I could not find out how that stands; the admin app shows it"
	notTakenYet = "I could not find out whether that is withdrawn; the admin app shows it if it still waits"
)

// decision puts q before a person. Nothing is sent without a yes, so without a place to
// ask for one the destination is not configured; and what needs a yes is never one
// part of several, since a person says yes to one thing that they see whole.
func decision(ctx context.Context, aim Aim, decider Decider, q ask.Question, readOnly bool) routing.Part {
	switch {
	case decider == nil && aim.Destination.Placeholder:
		return unavailable(routing.ReasonNotBuilt)
	case decider == nil:
		return unavailable(routing.ReasonNotConfigured)
	case readOnly:
		return routing.Part{Status: routing.StatusNoAnswer, Reason: routing.ReasonAlone}
	}
	call, unknown := func() (routing.Part, error) { return decider.Propose(ctx, q) }, notKnown
	switch {
	case aim.Withdraw:
		call, unknown = func() (routing.Part, error) { return decider.Withdraw(ctx, aim.Approval, q.Asker) }, notTakenYet
	case aim.Approval != "":
		call, unknown = func() (routing.Part, error) { return decider.Waiting(ctx, aim.Approval, q.Asker) }, notTold
	}
	type result struct {
		part routing.Part
		err  error
	}
	done := make(chan result, 1) // a store that forgets its context must not hold the answer up
	go func() {
		part, err := call()
		done <- result{part, err}
	}()
	select {
	case r := <-done:
		if r.err == nil {
			return r.part
		}
		if !errors.Is(r.err, context.Canceled) {
			slog.Warn("an approval could not be reached", "destination", aim.Destination.Project, "cause", r.err)
		}
	case <-ctx.Done():
	}
	return routing.Part{Status: routing.StatusNoAnswer, Reason: unknown}
}
