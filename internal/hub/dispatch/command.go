package dispatch

import (
	"context"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

// Connector reaches one command destination that does not speak the ask
// contract. It holds no model: the person's words go to the destination's own
// deterministic engine. Both calls end when ctx does. An error means that the
// destination did not answer; what a person may hear stands in the answer.
type Connector interface {
	// Do carries out what q says. Its answer says what was done, and only what was done.
	Do(ctx context.Context, q ask.Question) (ask.Answer, error)
	// Read answers q and can change nothing.
	Read(ctx context.Context, q ask.Question) (ask.Answer, error)
}

// command carries out q, or only reads where it is one part of several.
func command(ctx context.Context, project string, c Connector, q ask.Question, readOnly bool) routing.Part {
	act, status := c.Do, routing.StatusDone
	if readOnly {
		act, status = c.Read, routing.StatusAnswered
	}
	type result struct {
		answer ask.Answer
		err    error
	}
	// A connector that forgets its context must not hold the answer up.
	done := make(chan result, 1)
	go func() {
		answer, err := act(ctx, q)
		done <- result{answer, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return fault(project, r.err)
		}
		return fromAnswer(r.answer, status)
	case <-ctx.Done():
		return unavailable(routing.ReasonSlow)
	}
}
