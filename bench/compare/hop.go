package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// turns is in how many turns a round's questions at 16 at once are asked.
const turns = 4

// hop measures what the Hub adds to one question, against what a tuned reverse
// proxy adds before the same project: at the median at 100 requests a second, and
// in processor time at 16 at once. Rounds are interleaved, since the machine's mood
// changes from minute to minute.
func (r *runner) hop(ctx context.Context) (rows []row, err error) {
	h, err := newHousehold(ctx, r.bin, r.dir("hop"), 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.stop()) }()
	project := h.projects[0]
	proxy, err := start(ctx, "the proxy", filepath.Join(r.bin, "peers"), "proxy", "{}", project.url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, proxy.stop()) }()

	const answer = "The cellar has two boxes."
	tokens := []string{h.projectToken}
	direct := newTarget(project, askOne, tokens, answer)
	reference := newTarget(proxy, askOne, tokens, answer)
	hub, err := r.subject(ctx, h, func(p *process) *target {
		return newTarget(p, askOne, h.tokens, answer, `"status":"answered"`)
	}, "proxy", "{}", project.url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, hub.stop()) }()

	adds := row{what: "adds to one question, median at 100/s", unit: "µs", limit: 1}
	cpu := row{what: "processor time a question, 16 at once", unit: "µs", limit: 1}
	targets := []*target{direct, reference, hub}
	for _, t := range targets {
		if _, err := t.atOnce(ctx, r.requests/12, 16); err != nil { // warm up
			return nil, err
		}
	}
	for round := range r.rounds {
		r.progress("hop, round %d of %d", round+1, r.rounds)
		medians, err := side(ctx, targets, r.pacedFor)
		if err != nil {
			return nil, err
		}
		adds.hub = append(adds.hub, medians[hub]-medians[direct])
		adds.ref = append(adds.ref, medians[reference]-medians[direct])

		used := map[*target]float64{}
		for i := range 2 * turns {
			t := []*target{reference, hub}[(i+round)%2]
			each, err := t.cpuEach(ctx, r.requests/turns)
			if err != nil {
				return nil, err
			}
			used[t] += each / turns
		}
		cpu.hub = append(cpu.hub, used[hub])
		cpu.ref = append(cpu.ref, used[reference])
	}
	return []row{adds, cpu}, nil
}

// side asks each target 100 questions a second for d, one after the other within each
// hundredth, so that all of them meet the machine in the same mood. It returns the
// medians in µs.
func side(ctx context.Context, targets []*target, d time.Duration) (map[*target]float64, error) {
	medians := map[*target]float64{}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	for i, t := range targets {
		g.Go(func() error {
			time.Sleep(time.Duration(i) * 10 * time.Millisecond / time.Duration(len(targets)))
			times, err := t.paced(ctx, 100, d)
			mu.Lock()
			defer mu.Unlock()
			medians[t] = micros(median(times))
			return err
		})
	}
	return medians, g.Wait()
}

// cpuEach is the processor time in µs that the target's process spends on each of
// n questions, 16 at once.
func (t *target) cpuEach(ctx context.Context, n int) (float64, error) {
	before, err := t.cpu()
	if err != nil {
		return 0, err
	}
	if _, err := t.atOnce(ctx, n, 16); err != nil {
		return 0, err
	}
	after, err := t.cpu()
	if err != nil {
		return 0, err
	}
	return micros(after-before) / float64(n), nil
}

// subject starts what is measured: the Hub, or with -self a second reference, which
// shows how far the machine alone moves a ratio.
func (r *runner) subject(ctx context.Context, h *household, make func(*process) *target, self ...string) (*target, error) {
	if r.self {
		p, err := start(ctx, "a second reference", filepath.Join(r.bin, "peers"), self...)
		if err != nil {
			return nil, err
		}
		t := make(p)
		t.tokens, t.want = []string{h.projectToken}, t.want[:1]
		return t, nil
	}
	p, err := h.hub(ctx)
	if err != nil {
		return nil, err
	}
	t := make(p)
	if err := t.settle(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, p.stderr), p.stop())
	}
	return t, nil
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
