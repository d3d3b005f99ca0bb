package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
)

// A target is where questions go and how a right reply looks.
type target struct {
	*process
	// tokens are presented in turn.
	tokens []string
	// question is the text of the n-th question; no two are the same, so that no answer
	// can come from memory.
	question func(n int) string
	// want are texts that each reply must hold.
	want []string

	client *http.Client
	sent   atomic.Int64
}

func newTarget(p *process, question func(int) string, tokens []string, want ...string) *target {
	return &target{
		process: p, tokens: tokens, question: question, want: want,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}},
	}
}

// one asks one question and returns how long the whole reply took.
func (t *target) one(ctx context.Context) (time.Duration, error) {
	n := int(t.sent.Add(1))
	body, err := json.Marshal(map[string]string{"question": t.question(n), "asker": "sam"})
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url+"/ask", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+t.tokens[n%len(t.tokens)])
	begin := time.Now()
	resp, err := t.client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t.name, err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	took := time.Since(begin)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t.name, err)
	}
	for _, w := range t.want {
		if resp.StatusCode != http.StatusOK || !bytes.Contains(reply, []byte(w)) {
			return 0, fmt.Errorf("%s answered %s to %q, without %s: %.300s", t.name, resp.Status, t.question(n), w, reply)
		}
	}
	return took, nil
}

// paced asks rate questions a second for d, whether or not the last one is answered.
func (t *target) paced(ctx context.Context, rate int, d time.Duration) ([]time.Duration, error) {
	n := int(d.Seconds() * float64(rate))
	begin := time.Now()
	return gather(n, n, func(i int) (time.Duration, error) {
		at := begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
		select {
		case <-time.After(time.Until(at)):
			return t.one(ctx)
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	})
}

// atOnce asks n questions, so many at any moment.
func (t *target) atOnce(ctx context.Context, n, together int) ([]time.Duration, error) {
	return gather(n, together, func(int) (time.Duration, error) { return t.one(ctx) })
}

// gather calls f for 0 to n-1 on so many goroutines and returns every time, or the
// first error.
func gather(n, goroutines int, f func(int) (time.Duration, error)) ([]time.Duration, error) {
	times := make([]time.Duration, n)
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for range min(goroutines, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				took, err := f(i)
				if err != nil {
					failed.CompareAndSwap(nil, &err)
					return
				}
				times[i] = took
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	return times, nil
}

// quantile is the value below which that share of the times lies (nearest rank).
func quantile[T int64 | float64 | time.Duration](values []T, share float64) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(share*float64(len(sorted)))) - 1
	return sorted[min(max(rank, 0), len(sorted)-1)]
}

func median[T int64 | float64 | time.Duration](values []T) T { return quantile(values, 0.5) }
