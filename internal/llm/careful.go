package llm

import (
	"context"
	"errors"
	"time"

	"github.com/sony/gobreaker/v2"
)

// Limits are how a model is treated.
type Limits struct {
	// Timeout is the longest that one request may take, whatever its context allows.
	Timeout time.Duration
	// AtOnce is how many requests are in flight at most. One more is not kept waiting:
	// by the time of its turn nobody would wait any more.
	AtOnce int
	// Failures in a row after which the model is left alone, and for how long. Then one
	// request tries it.
	Failures uint32
	Rest     time.Duration
}

// The usual circuit breaker: a model that is down costs a house five questions' waiting,
// and one in every half minute after that.
const (
	DefaultFailures = 5
	DefaultRest     = 30 * time.Second
)

// Careful is a model that cannot do harm: it returns by its time whatever the provider
// does, holds few requests in flight, checks each reply, and is left alone for a while
// after it has failed again and again.
type Careful struct {
	model   Model
	limits  Limits
	room    chan struct{}
	breaker *gobreaker.CircuitBreaker[[]byte]
}

var _ Model = (*Careful)(nil)

// NewCareful asks m within limits. Zero limits of the circuit breaker are the usual.
func NewCareful(m Model, limits Limits) *Careful {
	if limits.Failures == 0 {
		limits.Failures = DefaultFailures
	}
	if limits.Rest == 0 {
		limits.Rest = DefaultRest
	}
	c := &Careful{model: m, limits: limits, room: make(chan struct{}, max(1, limits.AtOnce))}
	c.breaker = gobreaker.NewCircuitBreaker[[]byte](gobreaker.Settings{
		Timeout:     limits.Rest,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= limits.Failures },
		// A person who hangs up, and a house that asks much at once, say nothing of the model.
		IsExcluded: func(err error) bool { k := KindOf(err); return k == Stopped || k == Busy },
	})
	return c
}

// Resting says whether the model is left alone just now.
func (c *Careful) Resting() bool { return c.breaker.State() == gobreaker.StateOpen }

// Complete asks the model, if it may be asked.
func (c *Careful) Complete(ctx context.Context, r Request) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, Ended(ctx)
	}
	reply, err := c.breaker.Execute(func() ([]byte, error) { return c.attempt(ctx, r) })
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return nil, &Fault{Kind: Resting}
	}
	return reply, err
}

func (c *Careful) attempt(ctx context.Context, r Request) ([]byte, error) {
	select {
	case c.room <- struct{}{}:
	default:
		return nil, &Fault{Kind: Busy}
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.Timeout)
	defer cancel()
	type result struct {
		reply []byte
		err   error
	}
	done := make(chan result, 1)
	// In a goroutine of its own, so that a provider that does not listen to its context
	// holds up nobody. It keeps its place among those in flight until it ends, and gives it
	// back before its caller can ask again.
	go func() {
		var res result
		defer func() {
			if recover() != nil {
				res = result{err: &Fault{Kind: Panic}}
			}
			<-c.room
			done <- res
		}()
		res.reply, res.err = c.model.Complete(ctx, r)
	}()
	select {
	case res := <-done:
		return c.judge(ctx, r, res.reply, res.err)
	case <-ctx.Done():
		return nil, Ended(ctx)
	}
}

// judge is the reply where it counts.
func (c *Careful) judge(ctx context.Context, r Request, reply []byte, err error) ([]byte, error) {
	switch {
	case err != nil && ctx.Err() != nil && KindOf(err) != Panic:
		return nil, Ended(ctx)
	case err != nil && KindOf(err) == other:
		return nil, &Fault{Kind: other}
	case err != nil:
		return nil, err
	case len(reply) > MaxReply:
		return nil, &Fault{Kind: Flood}
	case r.Check != nil:
		if wrong := r.Check(reply); wrong != nil {
			return nil, &Fault{Kind: Nonsense, Why: wrong}
		}
	}
	return reply, nil
}
