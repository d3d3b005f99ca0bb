package planner

import (
	"context"
	"fmt"
	"time"
)

// Bounded is a model that returns by its patience, whatever it does.
type Bounded struct {
	model    Model
	patience time.Duration
	running  chan struct{}
}

var _ Model = (*Bounded)(nil)

// Bound waits patience for m.
func Bound(m Model, patience time.Duration) *Bounded {
	return &Bounded{model: m, patience: patience, running: make(chan struct{}, maxAsked)}
}

// Complete returns by its patience or ctx's end.
func (b *Bounded) Complete(ctx context.Context, prompt string, schema []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, b.patience)
	defer cancel()
	select {
	case b.running <- struct{}{}:
	default:
		return nil, errBusy
	}
	type reply struct {
		text []byte
		err  error
	}
	done := make(chan reply, 1)
	go func() {
		var r reply
		defer func() {
			if wrong := recover(); wrong != nil {
				r = reply{err: fmt.Errorf("the model's code panicked: %v", wrong)}
			}
			<-b.running
			done <- r
		}()
		r.text, r.err = b.model.Complete(ctx, prompt, schema)
	}()
	select {
	case r := <-done:
		if len(r.text) > maxReply {
			return nil, errReply
		}
		return r.text, r.err
	case <-ctx.Done():
		return nil, errLate
	}
}
