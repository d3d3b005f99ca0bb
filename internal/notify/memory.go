package notify

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
)

// Memory is a store that forgets when the process ends.
type Memory struct {
	mu      sync.Mutex
	entries map[string]*Entry
	marks   map[string]string
	told    map[string]time.Time
	leases  map[[2]string]hold
}

type hold struct {
	holder string
	until  time.Time
}

var _ Keeping = (*Memory)(nil)

// NewMemory is an empty one.
func NewMemory() *Memory {
	return &Memory{entries: map[string]*Entry{}, marks: map[string]string{}, told: map[string]time.Time{}, leases: map[[2]string]hold{}}
}

// Add implements Store.
func (m *Memory) Add(ctx context.Context, e *Entry, most Cap) (Added, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Added{}, err
	}
	if old := m.entries[m.marks[e.mark()]]; old != nil && within(e.At, old.At, Merge) {
		if e.Level == Urgent && old.Level != Urgent {
			if err := m.over(e, most); err != nil {
				return Added{}, err
			}
		}
		old.merge(e)
		return Added{ID: old.ID, Merged: true}, nil
	}
	if err := m.over(e, most); err != nil {
		return Added{}, err
	}
	kept := *e
	kept.Deliveries = nil
	kept.merge(e)
	m.entries[e.ID], m.marks[e.mark()] = &kept, e.ID
	return Added{ID: e.ID}, nil
}

// merge takes up what e has beyond this entry.
func (old *Entry) merge(e *Entry) {
	if e.Level.Above(old.Level) {
		old.Level = e.Level
	}
	old.Asked = old.Asked || e.Asked
	for _, d := range e.Deliveries {
		at := slices.IndexFunc(old.Deliveries, func(have Delivery) bool { return have.Target == d.Target })
		if at < 0 {
			d.Notice = old.ID
			old.Deliveries = append(old.Deliveries, d)
			continue
		}
		have := &old.Deliveries[at]
		if d.State == Waiting && have.State == Waiting && have.Tries == 0 && d.Due.Before(have.Due) {
			have.Due, have.First = d.Due, d.Due
		}
	}
	slices.SortFunc(old.Deliveries, func(a, b Delivery) int { return cmp.Compare(a.Target, b.Target) })
}

// within says whether at counts as less than window ago: it may lie ahead, where the clock
// has stepped back, by less than Merge.
func within(now, at time.Time, window time.Duration) bool {
	age := now.Sub(at)
	return -Merge < age && age < window
}

// over is a *TooMany where the project's cap is reached.
func (m *Memory) over(e *Entry, most Cap) error {
	if e.From == Hub {
		return nil
	}
	var at []time.Time
	for _, old := range m.entries {
		if old.From == e.From && (old.Level == Urgent) == (e.Level == Urgent) && within(e.At, old.At, most.Window) {
			at = append(at, old.At)
		}
	}
	if len(at) < most.Most {
		return nil
	}
	slices.SortFunc(at, time.Time.Compare)
	key := e.From + "\x1f" + e.Person
	told, known := m.told[key]
	first := !known || !within(e.At, told, most.Window)
	if first {
		m.told[key] = e.At
	}
	return &TooMany{After: at[len(at)-most.Most].Add(most.Window).Sub(e.At), First: first}
}

// Take implements Store.
func (m *Memory) Take(ctx context.Context, t Taking) ([]Taken, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out []Taken
	for _, target := range t.Targets {
		var due []Taken
		for _, e := range m.entries {
			for _, d := range e.Deliveries {
				if d.Target == target && m.ready(&d, t.Now) {
					due = append(due, Taken{Delivery: d, Level: e.Level, From: e.From, Person: e.Person, Message: e.Message, NoticeAt: e.At, Asked: e.Asked})
				}
			}
		}
		slices.SortFunc(due, func(a, b Taken) int {
			return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Notice, b.Notice))
		})
		due = due[:min(len(due), t.Each)]
		for _, d := range due {
			m.leases[[2]string{d.Notice, d.Target}] = hold{t.Holder, t.Now.Add(t.Lease)}
		}
		out = append(out, due...)
	}
	return out, nil
}

func (m *Memory) ready(d *Delivery, now time.Time) bool {
	return d.State == Waiting && !d.Due.After(now) && !m.leases[[2]string{d.Notice, d.Target}].until.After(now)
}

// Settle implements Store.
func (m *Memory) Settle(ctx context.Context, results []Result) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, r := range results {
		key := [2]string{r.Notice, r.Target}
		e := m.entries[r.Notice]
		if e == nil || m.leases[key].holder != r.Holder {
			continue
		}
		delete(m.leases, key)
		at := slices.IndexFunc(e.Deliveries, func(d Delivery) bool { return d.Target == r.Target })
		d := &e.Deliveries[at]
		d.State, d.Due = r.State, r.Due
		if r.Tried {
			d.Tries++
		}
		if r.State == Delivered || r.Reason != "" {
			d.Reason = r.Reason
		}
		if r.State != Waiting {
			d.Done = r.At
		}
	}
	return nil
}

// Due implements Store.
func (m *Memory) Due(ctx context.Context, now time.Time) (targets []string, next time.Time, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.entries {
		for _, d := range e.Deliveries {
			switch {
			case d.State != Waiting:
			case m.ready(&d, now):
				targets = append(targets, d.Target)
			case d.Due.After(now) && (next.IsZero() || d.Due.Before(next)):
				next = d.Due
			}
		}
	}
	slices.Sort(targets)
	return slices.Compact(targets), next, ctx.Err()
}

// List implements Shelf.
func (m *Memory) List(ctx context.Context, q Query) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Entry
	for _, e := range m.entries {
		dead := slices.ContainsFunc(e.Deliveries, func(d Delivery) bool { return d.State == Dead })
		if (q.Person == "" || q.Person == e.Person) && (!q.Undelivered || dead) {
			out = append(out, e.clone())
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID)) })
	return out[:min(len(out), q.Limit)], ctx.Err()
}

func (old *Entry) clone() Entry {
	e := *old
	e.Deliveries = slices.Clone(old.Deliveries)
	return e
}

// Get implements Shelf.
func (m *Memory) Get(ctx context.Context, id string) (Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entries[id]
	if e == nil {
		return Entry{}, ErrNotFound
	}
	return e.clone(), ctx.Err()
}

// Counts implements Shelf.
func (m *Memory) Counts(ctx context.Context) (Counts, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var c Counts
	for _, e := range m.entries {
		for _, d := range e.Deliveries {
			switch d.State {
			case Waiting:
				c.Waiting++
			case Dead:
				c.Dead++
			}
		}
	}
	return c, ctx.Err()
}

// Sweep implements Shelf.
func (m *Memory) Sweep(ctx context.Context, before time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for id, e := range m.entries {
		waits := slices.ContainsFunc(e.Deliveries, func(d Delivery) bool { return d.State == Waiting })
		if e.At.Before(before) && !waits {
			delete(m.entries, id)
			n++
		}
	}
	return n, ctx.Err()
}

// MemorySubscriptions forgets them when the process ends.
type MemorySubscriptions struct {
	mu   sync.Mutex
	list []Subscription
}

var _ Subscriptions = (*MemorySubscriptions)(nil)

// Add implements Subscriptions.
func (m *MemorySubscriptions) Add(ctx context.Context, s Subscription) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	m.drop(s.Endpoint)
	m.list = append(m.list, s)
	return nil
}

func (m *MemorySubscriptions) drop(endpoint string) {
	m.list = slices.DeleteFunc(m.list, func(s Subscription) bool { return s.Endpoint == endpoint })
}

// Remove implements Subscriptions.
func (m *MemorySubscriptions) Remove(ctx context.Context, endpoint string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(endpoint)
	return ctx.Err()
}

// Of implements Subscriptions.
func (m *MemorySubscriptions) Of(ctx context.Context, person ask.Person) ([]Subscription, error) {
	all, err := m.All(ctx)
	return slices.DeleteFunc(all, func(s Subscription) bool { return s.Person != person }), err
}

// All implements Subscriptions.
func (m *MemorySubscriptions) All(ctx context.Context) ([]Subscription, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.Clone(m.list)
	slices.SortStableFunc(list, func(a, b Subscription) int {
		return cmp.Or(cmp.Compare(a.Person, b.Person), a.Added.Compare(b.Added), cmp.Compare(a.Endpoint, b.Endpoint))
	})
	return list, ctx.Err()
}
