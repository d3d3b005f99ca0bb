package dispatch

import (
	"context"
	"errors"

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

// Reader is a Connector that tells a question from a command. What only asks is read,
// so that a question never changes anything and its answer is not "done".
type Reader interface {
	OnlyAsks(q ask.Question) bool
}

// ErrNotConfigured is a connector's error for what it has nothing to reach it with.
var ErrNotConfigured = errors.New("this is not set up here")

// ErrAlone is a connector's error for an order that came beside a question or another order:
// reading, it carries nothing out, and the person has to hear that.
var ErrAlone = errors.New("this has to be asked for by itself")

// oneAtATime is said of an order beside a question to the same destination.
const oneAtATime = "Please ask for one thing at a time; I have done none of it"

// Completer is a Connector that asks back for what was not said, such as how long a timer
// shall run.
type Completer interface {
	// Complete is the whole question that the words make of the one that was asked back; false
	// where they are something of their own, which is then a new question. It changes nothing.
	Complete(asked, words string) (question string, ok bool)
}

// Unclear is a connector's error for words that may mean several things. The person is
// asked which, and whoever answers is taken to have said that choice's question.
type Unclear struct {
	// Ask is the question back, one sentence.
	Ask string
	// Choices are what it may be.
	Choices []routing.Choice
	// Missing is whether something is asked for that was not said, and not which choice: the
	// connector is a Completer and reads the answer.
	Missing bool
}

func (u *Unclear) Error() string { return u.Ask }

// Complete is the whole question that the words make of one which that destination asked
// back; false where they make none.
func (d *Dispatcher) Complete(project, asked, words string) (question string, ok bool) {
	c, ok := d.connectors[project].(Completer)
	if !ok {
		return "", false
	}
	return c.Complete(asked, words)
}

// command carries out q, or only reads where it is one part of several.
func command(ctx context.Context, project string, c Connector, q ask.Question, readOnly bool) routing.Part {
	act, status := c.Do, routing.StatusDone
	if r, ok := c.(Reader); readOnly || ok && r.OnlyAsks(q) {
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
		return commanded(project, r.answer, r.err, status, readOnly)
	case <-ctx.Done():
		return unavailable(routing.ReasonSlow)
	}
}

// commanded is the part that a connector's answer makes. One part of several asks
// nothing back: who hears the whole could not tell what is asked.
func commanded(project string, answer ask.Answer, err error, status routing.Status, oneOfSeveral bool) routing.Part {
	var unclear *Unclear
	switch {
	case err == nil:
		return fromAnswer(answer, status)
	case errors.Is(err, ErrNotConfigured):
		return unavailable(routing.ReasonNotConfigured)
	case errors.Is(err, ErrAlone) && oneOfSeveral:
		return routing.Part{Status: routing.StatusNoAnswer, Reason: routing.ReasonAlone}
	case errors.Is(err, ErrAlone):
		return routing.Part{Status: routing.StatusNoAnswer, Reason: oneAtATime}
	case !errors.As(err, &unclear):
		return fault(project, err)
	case oneOfSeveral || len(unclear.Choices) == 0 && !unclear.Missing:
		return routing.Part{Status: routing.StatusNoAnswer, Reason: unclear.Ask}
	}
	choices := unclear.Choices[:min(len(unclear.Choices), routing.MaxChoices)]
	return routing.Part{Status: routing.StatusClarify, Answer: unclear.Ask, Choices: choices}
}
