package timers

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Memory is a Store that ends with the process.
type Memory struct {
	mu    sync.Mutex
	byID  map[string]Timer
	ended map[string]time.Time
}

var _ Store = (*Memory)(nil)

// NewMemory is an empty store.
func NewMemory() *Memory {
	return &Memory{byID: make(map[string]Timer), ended: make(map[string]time.Time)}
}

// Add implements Store.
func (m *Memory) Add(_ context.Context, t Timer) (Timer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept, ok := m.byID[t.ID]; ok {
		return kept, nil
	}
	t.Made, t.Due = t.Made.Truncate(time.Microsecond), t.Due.Truncate(time.Microsecond)
	t.State, t.Until, t.Tries = Waiting, time.Time{}, 0
	m.byID[t.ID] = t
	return t, nil
}

// Live implements Store.
func (m *Memory) Live(context.Context) ([]Timer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var live []Timer
	for _, t := range m.byID {
		if t.State == Waiting || t.State == Telling {
			live = append(live, t)
		}
	}
	slices.SortFunc(live, func(a, b Timer) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID)) })
	return live, nil
}

// Move implements Store.
func (m *Memory) Move(_ context.Context, move Move) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.byID[move.ID]
	over := t.State == Telling && !t.Until.After(move.Now)
	switch {
	case !ok:
		return false, nil
	case move.To == Cancelled && t.State == Waiting, move.To == Told && t.State == Telling:
		t.Until = time.Time{}
		m.ended[t.ID] = move.Now
	case move.To == Telling && (t.State == Waiting || over):
		t.Until = move.Until.Truncate(time.Microsecond)
		t.Tries++
	default:
		return false, nil
	}
	t.State = move.To
	m.byID[t.ID] = t
	return true, nil
}

// Sweep implements Store.
func (m *Memory) Sweep(_ context.Context, before time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, at := range m.ended {
		if at.Before(before) {
			delete(m.byID, id)
			delete(m.ended, id)
		}
	}
	return nil
}
