package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askhub/askhub/chat"
)

// step is how fast a writer's clock goes from post to post, so that the windows let every
// one through and are kept all the same.
const step = 31 * time.Second

// posts has so many writers post, each in its own thread, for that long or that often,
// and gives how long each post took.
func posts(ctx context.Context, s *subject, writers int, long time.Duration, most int64) ([]time.Duration, error) {
	var left atomic.Int64
	left.Store(most)
	end := time.Now().Add(long)
	took, errs := make([][]time.Duration, writers), make([]error, writers)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			p := chat.Post{Thread: threadOf(w), Author: chat.Operator, Text: text, Address: fmt.Sprint("writer ", w), Now: began}
			for ctx.Err() == nil && left.Add(-1) >= 0 {
				begin := time.Now()
				if most == forever && begin.After(end) {
					return
				}
				p.Now = p.Now.Add(step)
				if _, err := s.Append(ctx, p); err != nil {
					errs[w] = err
					return
				}
				took[w] = append(took[w], time.Since(begin))
			}
		})
	}
	all.Wait()
	return slices.Concat(took...), errors.Join(append(errs, ctx.Err())...)
}

// forever is how often who posts for a while posts at most.
const forever = 1 << 62

// full is a store whose threads are as full as they get.
func (r *runner) full(ctx context.Context, kind string, writers int) (*subject, error) {
	place, err := r.place(kind)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, place)
	if err != nil {
		return nil, err
	}
	for w := range writers {
		if err := s.fill(threadOf(w), rules().Keep); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// post measures posting: rounds of each kind in turn, on stores that are full.
func (r *runner) post(ctx context.Context) ([]row, error) {
	var rows []row
	for _, writers := range []int{1, 64} {
		mean, tail := map[string][]float64{}, map[string][]float64{}
		for round := range r.rounds {
			for _, kind := range r.kinds() {
				r.progress("post: %d at once, round %d, %s", writers, round+1, kind)
				times, err := r.postRound(ctx, kind, writers)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", kind, err)
				}
				mean[kind] = append(mean[kind], r.posting.Seconds()*1e6/float64(len(times)))
				slices.Sort(times)
				tail[kind] = append(tail[kind], float64(times[len(times)*99/100].Microseconds())/1e3)
			}
		}
		perPost, p99 := 0.0, 0.0
		if writers > 1 {
			perPost, p99 = 0.1, 0.1
		}
		rows = append(rows, compare(fmt.Sprintf("time a post, %d at once", writers), "µs", mean, perPost)...)
		rows = append(rows, compare(fmt.Sprintf("99th percentile of a post, %d at once", writers), "ms", tail, p99)...)
	}
	return rows, nil
}

func (r *runner) postRound(ctx context.Context, kind string, writers int) (times []time.Duration, err error) {
	s, err := r.full(ctx, kind, writers)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	times, err = posts(ctx, s, writers, r.posting, forever)
	if err == nil && len(times) == 0 {
		err = errors.New("nothing was posted")
	}
	return times, err
}

// postSome is the process whose waits for the disk are counted.
func postSome(place, writers, count, fill string) (err error) {
	ctx := context.Background()
	w, err1 := strconv.Atoi(writers)
	n, err2 := strconv.ParseInt(count, 10, 64)
	keep, err3 := strconv.Atoi(fill)
	s, err4 := open(ctx, place)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for i := range w {
		if err := s.fill(threadOf(i), keep); err != nil {
			return err
		}
	}
	_, err = posts(ctx, s, w, 0, n)
	return err
}

// fsync counts waits for the disk: with strace, and for PostgreSQL by its own count.
func (r *runner) fsync(ctx context.Context) ([]row, error) {
	_, err := exec.LookPath("strace")
	if err != nil {
		fmt.Fprintln(r.progressTo, "strace is not installed: waits for the disk are not counted")
	}
	var rows []row
	for _, writers := range []int{1, 64} {
		counts := map[string][]float64{}
		for _, kind := range r.kinds() {
			if err != nil && kind != kindServer {
				continue
			}
			r.progress("fsync: %d at once, %s", writers, kind)
			n, err := r.fsyncs(ctx, kind, writers)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind, err)
			}
			counts[kind] = []float64{n}
		}
		most := 0.12
		if writers == 1 {
			most = 1.05 // one, and the log's folding in now and then
		}
		for _, row := range compare(fmt.Sprintf("waits for the disk a post, %d at once", writers), "", counts, most) {
			row.absolute = true
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// fsyncs is how often a post of that many writers waits for the disk: the difference
// between a process that posts much and one that posts little.
func (r *runner) fsyncs(ctx context.Context, kind string, writers int) (float64, error) {
	if kind == kindServer {
		return r.serverFsyncs(ctx, writers)
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	few := 2 * writers
	var counted [2]int
	for i, n := range []int{few, few + r.fsynced} {
		place, err := r.place(kind)
		if err != nil {
			return 0, err
		}
		log := filepath.Join(r.work, "strace")
		cmd := exec.CommandContext(ctx, "strace", "-f", "-q", "-e", "trace=fsync,fdatasync", "-e", "signal=none", "-o", log,
			self, postFlag, place, strconv.Itoa(writers), strconv.Itoa(n), strconv.Itoa(rules().Keep))
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%w: %s", err, out)
		}
		lines, err := os.ReadFile(log)
		if err != nil {
			return 0, err
		}
		// A call that another thread's line cuts in two is begun once.
		counted[i] = len(begun.FindAll(lines, -1))
	}
	return float64(counted[1]-counted[0]) / float64(r.fsynced), nil
}

var begun = regexp.MustCompile(`(?m)^\d+ +(fsync|fdatasync)\(`)

func (r *runner) serverFsyncs(ctx context.Context, writers int) (n float64, err error) {
	s, err := r.full(ctx, kindServer, writers)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	count := func() (int, error) {
		text, err := r.cluster.SQL("postgres", "SELECT pg_stat_force_next_flush(), wal_sync FROM pg_stat_wal")
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(text[1:])
	}
	before, err := count()
	if err != nil {
		return 0, err
	}
	if _, err := posts(ctx, s, writers, 0, int64(r.fsynced)); err != nil {
		return 0, err
	}
	// A connection tells its counts when it ends.
	if err := s.close(); err != nil {
		return 0, err
	}
	s.close = func() error { return nil }
	after, err := count()
	return float64(after-before) / float64(r.fsynced), err
}
