// Package jobstest says whether a store of jobs is true to its port.
package jobstest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/internal/jobs"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 123_456_789, time.UTC)

// sample is a job that waits, whose Next is that many minutes after noon.
func sample(n int) jobs.Job {
	return jobs.Job{
		Approval: fmt.Sprintf("%032x", n), Person: "sam", Title: "Find a plumber; “quickly”",
		State: jobs.Waiting, Since: noon, Next: noon.Add(time.Duration(n) * time.Minute),
	}
}

// kept is the job as a store gives it back.
func kept(j jobs.Job, version int64) jobs.Job {
	j.Since, j.Next, j.Version = j.Since.Truncate(time.Microsecond), j.Next.Truncate(time.Microsecond), version
	return j
}

// Store checks the stores that open makes, each of them empty.
func Store(t *testing.T, open func(t *testing.T) jobs.Store) {
	t.Run("a job is kept as it was put, and put once", func(t *testing.T) { put(t, open(t)) })
	t.Run("a job that is not kept is unknown", func(t *testing.T) { unknown(t, open(t)) })
	t.Run("what is over is not due, and the rest comes in its order", func(t *testing.T) { due(t, open(t)) })
	t.Run("a job is saved only by who has read it last", func(t *testing.T) { stale(t, open(t)) })
	t.Run("what is over is dropped when it is old, and nothing else is", func(t *testing.T) { sweep(t, open(t)) })
	t.Run("of many that save at once, one does", func(t *testing.T) { race(t, open(t)) })
}

func put(t *testing.T, s jobs.Store) {
	j := sample(1)
	must(t, s.Put(t.Context(), j))
	other := j
	other.Title = "Something else"
	must(t, s.Put(t.Context(), other))
	got, err := s.Get(t.Context(), j.Approval)
	must(t, err)
	if diff := cmp.Diff(kept(j, 1), got); diff != "" {
		t.Error(diff)
	}
}

func unknown(t *testing.T, s jobs.Store) {
	if _, err := s.Get(t.Context(), "nothing"); !errors.Is(err, jobs.ErrUnknown) {
		t.Errorf("Get gave %v", err)
	}
	if err := s.Save(t.Context(), sample(1)); !errors.Is(err, jobs.ErrUnknown) {
		t.Errorf("Save gave %v", err)
	}
	if list, err := s.Due(t.Context(), 10); err != nil || len(list) != 0 {
		t.Errorf("Due gave %v, %v", list, err)
	}
}

func due(t *testing.T, s jobs.Store) {
	for _, n := range []int{3, 1, 4, 2} {
		must(t, s.Put(t.Context(), sample(n)))
	}
	j, err := s.Get(t.Context(), sample(1).Approval)
	must(t, err)
	j.State = jobs.Over
	must(t, s.Save(t.Context(), j))
	list, err := s.Due(t.Context(), 2)
	must(t, err)
	if diff := cmp.Diff([]jobs.Job{kept(sample(2), 1), kept(sample(3), 1)}, list); diff != "" {
		t.Error(diff)
	}
	if got, err := s.Get(t.Context(), j.Approval); err != nil || got.State != jobs.Over {
		t.Errorf("what is over is kept: got %+v, %v", got, err)
	}
}

func stale(t *testing.T, s jobs.Store) {
	must(t, s.Put(t.Context(), sample(1)))
	first, err := s.Get(t.Context(), sample(1).Approval)
	must(t, err)
	second := first
	first.Issue, first.Name, first.State, first.Tries = "5c4904f9", "HOU-1", jobs.Open, 7
	first.Next = noon.Add(time.Hour)
	must(t, s.Save(t.Context(), first))
	second.Title = "lost"
	if err := s.Save(t.Context(), second); !errors.Is(err, jobs.ErrStale) {
		t.Errorf("the second Save gave %v", err)
	}
	got, err := s.Get(t.Context(), first.Approval)
	must(t, err)
	if diff := cmp.Diff(kept(first, 2), got); diff != "" {
		t.Error(diff)
	}
}

func sweep(t *testing.T, s jobs.Store) {
	old, young, waiting := sample(1), sample(2), sample(3)
	young.Since = noon.Add(time.Hour)
	for _, j := range []jobs.Job{old, young, waiting} {
		must(t, s.Put(t.Context(), j))
	}
	for _, j := range []jobs.Job{old, young} {
		j, err := s.Get(t.Context(), j.Approval)
		must(t, err)
		j.State = jobs.Over
		must(t, s.Save(t.Context(), j))
	}
	sweeper, ok := s.(jobs.Sweeper)
	if !ok {
		t.Fatal("the store cannot forget")
	}
	if n, err := sweeper.Sweep(t.Context(), noon.Add(time.Minute)); err != nil || n != 1 {
		t.Errorf("it dropped %d, %v, want one", n, err)
	}
	for approval, want := range map[string]error{old.Approval: jobs.ErrUnknown, young.Approval: nil, waiting.Approval: nil} {
		if _, err := s.Get(t.Context(), approval); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", approval, err, want)
		}
	}
}

func race(t *testing.T, s jobs.Store) {
	must(t, s.Put(t.Context(), sample(1)))
	j, err := s.Get(t.Context(), sample(1).Approval)
	must(t, err)
	const many = 16
	var all sync.WaitGroup
	saved := make(chan int, many)
	for n := range many {
		all.Go(func() {
			mine := j
			mine.Tries = n
			switch err := s.Save(t.Context(), mine); {
			case err == nil:
				saved <- n
			case !errors.Is(err, jobs.ErrStale):
				t.Errorf("Save gave %v", err)
			}
		})
	}
	all.Wait()
	if len(saved) != 1 {
		t.Fatalf("%d of %d were saved", len(saved), many)
	}
	if got, err := s.Get(t.Context(), j.Approval); err != nil || got.Tries != <-saved {
		t.Errorf("got %+v, %v", got, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
