package jobs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Memory is a Store that forgets everything at its end.
type Memory struct {
	mu   sync.Mutex
	jobs map[string]Job
}

var (
	_ Store   = (*Memory)(nil)
	_ Sweeper = (*Memory)(nil)
)

// NewMemory is an empty store.
func NewMemory() *Memory { return &Memory{jobs: make(map[string]Job)} }

// Put implements Store.
func (m *Memory) Put(_ context.Context, j Job) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.jobs[j.Approval]; !there {
		j.Version = 1
		m.jobs[j.Approval] = j.kept()
	}
	return nil
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, approval string) (Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, there := m.jobs[approval]
	if !there {
		return Job{}, ErrUnknown
	}
	return j, nil
}

// Due implements Store.
func (m *Memory) Due(_ context.Context, most int) ([]Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var due []Job
	for _, j := range m.jobs {
		if j.State != Over {
			due = append(due, j)
		}
	}
	slices.SortFunc(due, func(a, b Job) int {
		return cmp.Or(a.Next.Compare(b.Next), cmp.Compare(a.Approval, b.Approval))
	})
	return due[:min(most, len(due))], nil
}

// Save implements Store.
func (m *Memory) Save(_ context.Context, j Job) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, there := m.jobs[j.Approval]
	switch {
	case !there:
		return ErrUnknown
	case old.Version != j.Version:
		return ErrStale
	}
	j.Version++
	m.jobs[j.Approval] = j.kept()
	return nil
}

// Sweep implements Sweeper.
func (m *Memory) Sweep(_ context.Context, before time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.jobs)
	maps.DeleteFunc(m.jobs, func(_ string, j Job) bool { return j.State == Over && j.Since.Before(before) })
	return n - len(m.jobs), nil
}

// kept is the job with its times as a store keeps them.
func (j Job) kept() Job {
	const unit = 1000 // nanoseconds in the microsecond to which times are kept
	j.Since, j.Next = j.Since.UTC().Truncate(unit), j.Next.UTC().Truncate(unit)
	return j
}
