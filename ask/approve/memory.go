package approve

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Memory is a Store for tests and for what need not outlive its process.
type Memory struct {
	mu    sync.Mutex
	kept  map[string]Kept
	muted map[[2]string]time.Time // by owner and asker
}

var (
	_ Store   = (*Memory)(nil)
	_ Sweeper = (*Memory)(nil)
)

// NewMemory is an empty one.
func NewMemory() Store {
	return &Memory{kept: map[string]Kept{}, muted: map[[2]string]time.Time{}}
}

// Add implements Store.
func (m *Memory) Add(_ context.Context, k Kept, now time.Time) (Kept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.muted[[2]string{k.Owner, k.Who}].After(now) {
		return Kept{}, ErrMuted
	}
	waiting := 0
	for _, other := range m.kept {
		if other.Owner != k.Owner || other.Who != k.Who || other.State != Pending {
			continue
		}
		if other.Same == k.Same {
			return other.clone(), nil
		}
		waiting++
	}
	if waiting >= MaxPending {
		return Kept{}, ErrTooMany
	}
	m.kept[k.ID] = k.clone()
	return k, nil
}

// Move implements Store.
func (m *Memory) Move(_ context.Context, move Move) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.kept[move.ID]
	if !ok || !move.Fits(k) {
		return false, nil
	}
	result := move.Result
	k.State, k.Result, k.Deadline = move.To, &result, move.Deadline
	m.kept[move.ID] = k
	if !move.Mute.IsZero() {
		m.muted[[2]string{move.Owner, move.Who}] = move.Mute
	}
	return true, nil
}

// Fits says whether the conditions hold for k.
func (m Move) Fits(k Kept) bool {
	return k.Owner == m.Owner && k.ID == m.ID && k.State == m.From && (m.Digest == "" || k.Digest == m.Digest) &&
		(m.Within.IsZero() || k.alive(m.Within)) && (m.Due.IsZero() || !k.Deadline.After(m.Due))
}

// alive says whether now lies in the approval's life. A clock that was set back to before
// it was made cannot say that it has not expired.
func (k *Kept) alive(now time.Time) bool {
	return k.Expires.After(now) && !k.Created.After(now.Add(Skew))
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, owner, id string) (Kept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.kept[id]
	if !ok || k.Owner != owner {
		return Kept{}, ErrUnknown
	}
	return k.clone(), nil
}

// List implements Store.
func (m *Memory) List(_ context.Context, owner string, open bool, most int) ([]Kept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []Kept
	for _, k := range m.kept {
		if k.Owner == owner && (!open || k.State.open()) {
			list = append(list, k.clone())
		}
	}
	slices.SortFunc(list, func(a, b Kept) int {
		return cmp.Or(cmp.Compare(a.State.rank(), b.State.rank()), b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(most, len(list))], nil
}

// Sweep implements Sweeper.
func (m *Memory) Sweep(_ context.Context, owner string, before time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := len(m.kept)
	maps.DeleteFunc(m.kept, func(_ string, k Kept) bool { return k.Owner == owner && !k.State.open() && k.Created.Before(before) })
	maps.DeleteFunc(m.muted, func(of [2]string, until time.Time) bool { return of[0] == owner && until.Before(before) })
	return all - len(m.kept), nil
}

// rank is a state's place in a list.
func (s State) rank() int {
	switch s {
	case Pending:
		return 0
	case Approved, Executing:
		return 1
	}
	return 2
}

// open says whether something will still become of it.
func (s State) open() bool { return s.rank() < 2 }

// clone shares nothing with k.
func (k *Kept) clone() Kept {
	c := *k
	c.Action = slices.Clone(k.Action)
	if k.Result != nil {
		result := *k.Result
		c.Result = &result
	}
	return c
}
