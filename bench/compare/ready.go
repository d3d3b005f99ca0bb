package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"
)

// ready measures how long the Hub takes from its start to the first 200 of GET /health,
// and its memory when nobody asks anything, against a bare program on the same file.
func (r *runner) ready(ctx context.Context) (rows []row, err error) {
	h, err := newHousehold(ctx, r.bin, r.dir("ready"), 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.stop()) }()
	bare := func(ctx context.Context) (*process, error) {
		return start(ctx, "the bare program", filepath.Join(r.bin, "bare"), "{}", h.store())
	}
	subject := h.hub
	if r.self {
		subject = bare
	}
	// The first start makes the store; what counts is every later one.
	first, err := subject(ctx)
	if err != nil {
		return nil, err
	}
	if err := first.stop(); err != nil {
		return nil, err
	}

	took := row{what: "start to the first 200 of /health", unit: "ms", limit: 2}
	starts := []func(context.Context) (*process, error){bare, subject}
	for round := range 2 * r.rounds {
		r.progress("start, round %d of %d", round+1, 2*r.rounds)
		for i := range starts {
			which := (i + round) % 2
			p, err := starts[which](ctx)
			if err != nil {
				return nil, err
			}
			ms := micros(p.ready) / 1000
			if which == 0 {
				took.ref = append(took.ref, ms)
			} else {
				took.hub = append(took.hub, ms)
			}
			if err := p.stop(); err != nil {
				return nil, err
			}
		}
	}

	idle := row{what: "resident memory when idle", unit: "MB", limit: 25, absolute: true}
	r.progress("memory after %v of rest", r.rest)
	for i, begin := range starts {
		mb, err := rest(ctx, begin, r.rest)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			idle.ref = append(idle.ref, mb)
		} else {
			idle.hub = append(idle.hub, mb)
		}
	}
	return []row{took, idle}, nil
}

// rest starts a process, leaves it alone and reads its memory.
func rest(ctx context.Context, begin func(context.Context) (*process, error), d time.Duration) (mb float64, err error) {
	p, err := begin(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	select {
	case <-time.After(d):
		return p.memory()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
