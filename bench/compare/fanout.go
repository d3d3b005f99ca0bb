package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"
)

// fanout measures what three parts at once cost over the slowest of them, against
// a plain errgroup: parts that answer at once, which is a matter of processor time, and
// parts of 20 ms, which leave the processor time to spare. In the end one is stopped.
func (r *runner) fanout(ctx context.Context) (rows []row, err error) {
	for _, delay := range []time.Duration{0, 20 * time.Millisecond} {
		more, err := r.fanoutOf(ctx, delay)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// fanoutOf measures with parts that each take the delay: what a reply takes longer is
// the fan-out's own.
func (r *runner) fanoutOf(ctx context.Context, delay time.Duration) (rows []row, err error) {
	h, err := newHousehold(ctx, r.bin, r.dir("fanout-"+delay.String()), delay)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.stop()) }()
	args := []string{"fanout", "{}", h.projects[0].url, h.projects[1].url, h.projects[2].url}
	plain, err := start(ctx, "the errgroup", filepath.Join(r.bin, "peers"), args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, plain.stop()) }()

	// Each room's answer must be there: a reply that lost a part is no fan-out.
	all := []string{"The cellar has two boxes", "The attic has two boxes", "The garage has two boxes"}
	reference := newTarget(plain, askThree, []string{h.projectToken}, all...)
	hub, err := r.subject(ctx, h, func(p *process) *target {
		return newTarget(p, askThree, h.tokens, all...)
	}, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, hub.stop()) }()

	over := row{what: fmt.Sprintf("three parts of %v: p99 over the slowest, 16 at once", delay), unit: "µs", limit: 1}
	targets := []*target{reference, hub}
	for _, t := range targets {
		if _, err := t.atOnce(ctx, r.requests/12, 16); err != nil { // warm up
			return nil, err
		}
	}
	for round := range r.rounds {
		r.progress("fan-out of %v, round %d of %d", delay, round+1, r.rounds)
		p99 := map[*target]float64{}
		for i := range targets {
			t := targets[(i+round)%2]
			times, err := t.atOnce(ctx, r.requests/6, 16)
			if err != nil {
				return nil, err
			}
			p99[t] = micros(quantile(times, 0.99) - delay)
		}
		over.hub = append(over.hub, p99[hub])
		over.ref = append(over.ref, p99[reference])
	}
	if delay == 0 {
		return []row{over}, nil
	}
	stopped, err := r.stoppedPart(ctx, h.projects[2], hub, reference)
	return []row{over, stopped}, err
}

// stoppedPart is the longest of 64 answers at once while one project is stopped; the
// other two parts must be in each.
func (r *runner) stoppedPart(ctx context.Context, project *process, hub, reference *target) (row, error) {
	slow := row{what: "one part stopped: slowest of 64 at once", unit: "ms", limit: 3030, absolute: true}
	if err := project.signal(syscall.SIGSTOP); err != nil {
		return slow, err
	}
	defer func() { _ = project.signal(syscall.SIGCONT) }() // it is stopped for good right after
	for _, t := range []*target{reference, hub} {
		r.progress("one part stopped: %s", t.name)
		want := t.want
		t.want = want[:2]
		times, err := t.atOnce(ctx, 64, 64)
		t.want = want
		if err != nil {
			return slow, err
		}
		worst := micros(quantile(times, 1)) / 1000
		if t == hub {
			slow.hub = append(slow.hub, worst)
		} else {
			slow.ref = append(slow.ref, worst)
		}
	}
	return slow, nil
}
