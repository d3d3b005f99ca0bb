// Package feed brings calendars in and keeps the last good one: from a file, an
// address or a CalDAV collection. A feed that is down, or that is not a calendar any
// more, keeps what it last had, and knows how old that is.
package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/askhub/askhub/internal/project/compass/calendar"
)

// Text is one iCalendar text of a feed.
type Text struct {
	// Path and ETag are set for a CalDAV object.
	Path string `json:"path,omitzero"`
	ETag string `json:"etag,omitzero"`
	Body string `json:"body"`
}

// Snapshot is what a source said, with what it takes to ask for changes only.
type Snapshot struct {
	ETag     string `json:"etag,omitzero"`
	Modified string `json:"modified,omitzero"`
	// Sum is the SHA-256 of a single text, by which it is known again.
	Sum   string `json:"sum,omitzero"`
	Texts []Text `json:"texts"`
}

// Source is where a calendar comes from.
type Source interface {
	// Fetch brings what the source says now. prev is the last good snapshot, or nil;
	// where nothing has changed since, it returns prev itself. An error says the mend
	// and holds no address, for an address may hold a secret.
	Fetch(ctx context.Context, prev *Snapshot) (*Snapshot, error)
	// Every is how often it is worth asking.
	Every() time.Duration
}

// State is how a feed stands.
type State struct {
	// Good is when the calendar was last known to be right; zero for never.
	Good time.Time
	// Err is why the last try failed, nil where it did not; ErrNotTried before the first.
	Err error
}

// ErrNotTried is the state of a feed that has not been read since the start.
var ErrNotTried = errors.New("it has not been read yet")

// Feed is one source with its last good calendar.
type Feed struct {
	source Source
	cache  *cache
	now    func() time.Time
	log    *slog.Logger
	check  func(*calendar.Calendar) error

	refreshing sync.Mutex // one Refresh at a time
	prev       *Snapshot
	failures   int

	mu    sync.Mutex
	cal   *calendar.Calendar
	state State
}

// Options are what a feed needs beside its source.
type Options struct {
	// CacheFile keeps the last good calendar over a restart; "" keeps none.
	CacheFile string
	Now       func() time.Time
	Log       *slog.Logger
	// Check may refuse a calendar that can be read and not be used.
	Check func(*calendar.Calendar) error
}

// New is a feed, with the calendar that its cache file holds.
func New(source Source, o Options) *Feed {
	f := &Feed{source: source, now: o.Now, log: o.Log, check: o.Check, state: State{Err: ErrNotTried}}
	if o.CacheFile == "" {
		return f
	}
	f.cache = &cache{path: o.CacheFile}
	snap, good, err := f.cache.load()
	if err != nil {
		f.log.Warn("the kept calendar cannot be read", "err", err)
		return f
	}
	if snap == nil {
		return f
	}
	cal, err := parse(snap)
	if err == nil {
		err = f.check(cal)
	}
	if err != nil {
		f.log.Warn("the kept calendar cannot be read", "err", err)
		return f
	}
	f.prev, f.cal, f.state.Good = snap.lean(), cal, good
	return f
}

// lean is s without the body of a single text, which nobody needs any more; the
// objects of a collection are needed when one of them changes.
func (s *Snapshot) lean() *Snapshot {
	if len(s.Texts) == 1 && s.Texts[0].Path == "" {
		return &Snapshot{ETag: s.ETag, Modified: s.Modified, Sum: s.Sum}
	}
	return s
}

// Calendar is the last good calendar, nil for none yet, and how the feed stands.
func (f *Feed) Calendar() (*calendar.Calendar, State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cal, f.state
}

// Refresh asks the source once. It says whether the calendar is another one now.
func (f *Feed) Refresh(ctx context.Context) (changed bool, err error) {
	f.refreshing.Lock()
	defer f.refreshing.Unlock()
	snap, cal, err := f.fetch(ctx)
	if ctx.Err() != nil {
		return false, ctx.Err() // stopping says nothing about the feed
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.failures++
		f.state.Err = err
		return false, err
	}
	f.failures = 0
	f.state = State{Good: f.now()}
	if cal == nil {
		f.cache.touch(f.state.Good, f.log)
		return false, nil
	}
	f.cal, f.prev = cal, snap.lean()
	f.cache.save(snap, f.state.Good, f.log)
	return true, nil
}

// fetch brings the source's calendar, nil where it is the same as before.
func (f *Feed) fetch(ctx context.Context) (*Snapshot, *calendar.Calendar, error) {
	snap, err := f.source.Fetch(ctx, f.prev)
	if err != nil {
		return nil, nil, err
	}
	if snap == f.prev {
		return nil, nil, nil
	}
	cal, err := parse(snap)
	if err != nil {
		return nil, nil, err
	}
	if err := f.check(cal); err != nil {
		return nil, nil, err
	}
	return snap, cal, nil
}

// parse reads all texts. A single text must be a calendar; one bad object of many
// is a fault of the calendar.
func parse(s *Snapshot) (*calendar.Calendar, error) {
	all := &calendar.Calendar{}
	for _, t := range s.Texts {
		cal, err := calendar.Parse([]byte(t.Body))
		if err != nil && t.Path == "" {
			return nil, err
		}
		if err != nil {
			all.Add(&calendar.Calendar{Unread: 1, Faults: []string{err.Error()}})
			continue
		}
		all.Add(cal)
		if len(all.Entries) > calendar.MaxEntries {
			return nil, fmt.Errorf("%w: more than %d entries", calendar.ErrTooLarge, calendar.MaxEntries)
		}
	}
	return all, nil
}

const (
	firstRetry = 15 * time.Second
	lastRetry  = 30 * time.Minute
)

// Wait is how long to leave the source alone now: its own interval while it is well,
// and longer and longer while it is not, spread so that many do not come back at once.
func (f *Feed) Wait() time.Duration {
	f.refreshing.Lock()
	defer f.refreshing.Unlock()
	d := f.source.Every()
	if f.failures > 0 {
		d = min(d, firstRetry) << min(f.failures-1, 12)
		d = min(d, lastRetry)
	}
	return d*9/10 + rand.N(d/5+1)
}
