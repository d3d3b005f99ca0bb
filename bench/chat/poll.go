package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/askhub/askhub/chat"
)

// processor is the processor time, user and system, that this process has used.
func processor() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// poll measures a poll that finds nothing new, in a thread that is as full as it gets:
// what every open page does all day. PostgreSQL's own share is in another process, and so
// it is left out.
func (r *runner) poll(ctx context.Context) ([]row, error) {
	costs := map[string][]float64{}
	for round := range r.rounds {
		for _, kind := range []string{kindFiles, kindSQLite} {
			r.progress("poll: round %d, %s", round+1, kind)
			cost, err := r.pollRound(ctx, kind)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind, err)
			}
			costs[kind] = append(costs[kind], cost)
		}
	}
	return compare("processor time of an empty poll", "µs", costs, 0.1), nil
}

func (r *runner) pollRound(ctx context.Context, kind string) (cost float64, err error) {
	s, err := r.full(ctx, kind, 1)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	p, err := s.Read(ctx, threadOf(0), 0)
	if err != nil || p.Cursor == 0 {
		return 0, fmt.Errorf("cursor %d: %w", p.Cursor, err)
	}
	begin, err := processor()
	if err != nil {
		return 0, err
	}
	for range r.polls {
		if got, err := s.Read(ctx, threadOf(0), p.Cursor); err != nil || len(got.Messages) != 0 || got.Cursor != p.Cursor {
			return 0, fmt.Errorf("a poll gave %d messages: %w", len(got.Messages), err)
		}
	}
	end, err := processor()
	return float64((end - begin).Nanoseconds()) / 1e3 / float64(r.polls), err
}

// page measures a page of 50 messages in a store of 200 messages and in a large one: the
// large one must cost no more.
func (r *runner) page(ctx context.Context) ([]row, error) {
	var rows []row
	for _, kind := range r.kinds()[1:] {
		keep := rules().Keep
		small, large := row{what: "a page of 50 messages, 200 stored", unit: "µs", kind: kind}, row{what: fmt.Sprintf("a page of 50 messages, %d stored", r.stored), unit: "µs", kind: kind, limit: 1.25}
		one, err := r.full(ctx, kind, 1)
		if err != nil {
			return nil, err
		}
		many, err := r.full(ctx, kind, r.stored/keep)
		if err != nil {
			return nil, errors.Join(err, one.close())
		}
		for round := range r.rounds {
			r.progress("page: round %d, %s", round+1, kind)
			few, err1 := r.pages(ctx, one, 1)
			lots, err2 := r.pages(ctx, many, r.stored/keep)
			if err := errors.Join(err1, err2); err != nil {
				return nil, errors.Join(err, one.close(), many.close())
			}
			small.got = append(small.got, few)
			large.got, large.ref = append(large.got, lots), append(large.ref, few)
		}
		if err := errors.Join(one.close(), many.close()); err != nil {
			return nil, err
		}
		rows = append(rows, small, large)
	}
	return rows, nil
}

// pages reads the newest page of one thread after the other, and gives the median time.
func (r *runner) pages(ctx context.Context, s *subject, threads int) (float64, error) {
	times := make([]float64, r.polls)
	for i := range times {
		begin := time.Now()
		p, err := s.Read(ctx, threadOf(i*7919%threads), 0)
		times[i] = float64(time.Since(begin).Nanoseconds()) / 1e3
		if err != nil || len(p.Messages) != chat.Newest {
			return 0, fmt.Errorf("a page of %d messages: %w", len(p.Messages), err)
		}
	}
	return median(times), nil
}
