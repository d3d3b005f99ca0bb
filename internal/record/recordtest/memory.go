// Package recordtest has a record store in memory, and the conformance suite that
// every record store passes.
package recordtest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/record"
)

// Memory is a record store that forgets when the process ends.
type Memory struct {
	mu      sync.Mutex
	records map[string]record.Record
	counts  map[record.Count]int64
	dropped map[string]bool
	fail    error
	saves   int
}

var (
	_ record.Store = (*Memory)(nil)
	_ record.Past  = (*Memory)(nil)
)

// NewMemory is an empty one.
func NewMemory() *Memory {
	return &Memory{records: map[string]record.Record{}, counts: map[record.Count]int64{}, dropped: map[string]bool{}}
}

// Fail lets every later Save fail with err, until it is nil again.
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

// Saves is how many saves have worked.
func (m *Memory) Saves() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.saves
}

// Len is how many records are kept.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.records)
}

// Count is how many requests by the way in to the status are counted, on all days.
func (m *Memory) Count(wayIn string, status string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var n int64
	for c, k := range m.counts {
		if c.WayIn == wayIn && string(c.Status) == status {
			n += k
		}
	}
	return n
}

// Save implements record.Store.
func (m *Memory) Save(ctx context.Context, b record.Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.fail != nil {
		return m.fail
	}
	m.saves++
	for _, r := range b.Records {
		if _, there := m.records[r.ID]; !there {
			m.records[r.ID] = r
		}
	}
	for _, c := range b.Counts {
		n := c.N
		c.N = 0
		m.counts[c] += n
	}
	return nil
}

// Get implements record.Store.
func (m *Memory) Get(_ context.Context, id string) (record.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[id]
	if !ok {
		return r, record.ErrNotFound
	}
	return r, nil
}

// About implements record.Store.
func (m *Memory) About(_ context.Context, person ask.Person) ([]record.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []record.Record
	for _, r := range m.records {
		if slices.Contains(r.People(), person) {
			list = append(list, r)
		}
	}
	inOrder(list)
	return list, nil
}

// inOrder sorts records by their time.
func inOrder(list []record.Record) {
	slices.SortFunc(list, func(a, b record.Record) int {
		if c := a.Time.Compare(b.Time); c != 0 {
			return c
		}
		return cmp.Compare(a.ID, b.ID)
	})
}

// Since implements record.Past.
func (m *Memory) Since(ctx context.Context, from time.Time, f func(record.Record) error) error {
	m.mu.Lock()
	var list []record.Record
	for _, r := range m.records {
		if !r.Time.Before(from) {
			list = append(list, r)
		}
	}
	m.mu.Unlock()
	inOrder(list)
	for _, r := range list {
		if err := cmp.Or(ctx.Err(), f(r)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Drop implements record.Past.
func (m *Memory) Drop(ctx context.Context, ids ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if _, there := m.records[id]; !there {
			return record.ErrNotFound
		}
	}
	for _, id := range ids {
		m.dropped[id] = true
	}
	return ctx.Err()
}

// Dropped implements record.Past.
func (m *Memory) Dropped(ctx context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.dropped)), ctx.Err()
}

// Remove implements record.Store.
func (m *Memory) Remove(_ context.Context, person ask.Person) (int, error) {
	return m.drop(func(r record.Record) bool { return slices.Contains(r.People(), person) }), nil
}

// Sweep implements record.Store.
func (m *Memory) Sweep(_ context.Context, before time.Time) (int, error) {
	return m.drop(func(r record.Record) bool { return r.Time.Before(before) }), nil
}

func (m *Memory) drop(which func(record.Record) bool) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for id, r := range m.records {
		if which(r) {
			delete(m.records, id)
			delete(m.dropped, id)
			n++
		}
	}
	return n
}
