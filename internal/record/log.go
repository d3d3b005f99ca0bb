package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

const (
	// MaxWaiting is how many records wait for the store at most. One more is counted
	// as lost: a store that is full or broken must not stop the Hub from answering.
	MaxWaiting = 4096
	// gather is how long the first record waits for company: one commit for many.
	gather = 100 * time.Millisecond
	// batchSize is how many make a commit at once.
	batchSize = 512
	// The waits between tries of a store that fails, doubling from the first.
	firstRetry, lastRetry = 100 * time.Millisecond, 10 * time.Second
	// The times between sweeps of what is too old; the first one stays out of the
	// way of the start.
	firstSweep, nextSweep = time.Minute, time.Hour
)

// Keep says how much is kept: the config's [record].
type Keep struct {
	// Days is how long; 0 keeps nothing but counts.
	Days int
	// Text is whether questions and answers are kept too.
	Text bool
}

// Stats are for GET /health and GET /metrics.
type Stats struct {
	// Waiting are not in the store yet.
	Waiting int
	// Saved, Failed and Lost count records saved, saves that failed (and are tried
	// again), and records thrown away because MaxWaiting waited already or the Log
	// was closed.
	Saved, Failed, Lost uint64
	// Err is why the last save failed; nil after one that did not.
	Err error
}

// Log takes records off the answer's path and saves them in groups. Between Add and
// the save (a tenth of a second, longer while the store fails) a record is lost if
// the process is killed; Close saves all.
type Log struct {
	store Store
	keep  Keep
	log   *slog.Logger

	mu      sync.Mutex
	waiting []Record // added, in order
	saving  []Record // being saved; still found by Get
	counts  map[countKey]int64
	stats   Stats
	closed  bool
	added   uint64        // calls of Add that were taken
	settled uint64        // of those, how many are in the store
	taken   uint64        // added, when saving was taken
	saved   chan struct{} // closed, and made anew, at each save

	wake chan struct{}   // something waits
	now  chan struct{}   // do not gather: a batch is full, or somebody flushes
	stop context.Context // done when the writer must give up
	kill context.CancelFunc
	done chan struct{} // the writer has ended
	quit chan struct{} // closed by Close
}

type countKey struct {
	day    int64 // days since 1970, UTC
	wayIn  string
	status routing.Status
}

// NewLog starts a Log on the store; log may be nil.
func NewLog(store Store, keep Keep, log *slog.Logger) *Log {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l := &Log{
		store: store, keep: keep, log: log,
		counts: map[countKey]int64{},
		wake:   make(chan struct{}, 1),
		now:    make(chan struct{}, 1),
		done:   make(chan struct{}),
		saved:  make(chan struct{}),
		quit:   make(chan struct{}),
	}
	l.stop, l.kill = context.WithCancel(context.Background())
	go l.write()
	return l
}

// Add takes a record; it never waits for the store. The record's slices are the
// Log's from then on.
func (l *Log) Add(r Record) {
	if l.keep.Days > 0 && !l.keep.Text {
		r = r.withoutText()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.stats.Lost++
		return
	}
	n := len(l.waiting) + len(l.saving)
	if l.keep.Days > 0 && n >= MaxWaiting {
		l.stats.Lost++
		return
	}
	l.added++
	l.counts[countKey{r.Time.Unix() / 86400, r.WayIn, r.Status}]++
	if l.keep.Days > 0 {
		l.waiting = append(l.waiting, r)
		if len(l.waiting) == batchSize {
			signal(l.now)
		}
	}
	signal(l.wake)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Get is one record, saved or not yet; ErrNotFound where there is none.
func (l *Log) Get(ctx context.Context, id string) (Record, error) {
	if r, ok := l.waitingFor(id); ok {
		return r, nil
	}
	return l.store.Get(ctx, id)
}

func (l *Log) waitingFor(id string) (Record, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range [][]Record{l.waiting, l.saving} {
		for i := range list {
			if list[i].ID == id {
				return list[i], true
			}
		}
	}
	return Record{}, false
}

// About is every record that concerns the person, the oldest first: what each person
// may see and take a copy of.
func (l *Log) About(ctx context.Context, person ask.Person) ([]Record, error) {
	if err := l.Flush(ctx); err != nil {
		return nil, err
	}
	return l.store.About(ctx, person)
}

// Remove takes out every record that concerns the person, and says how many.
func (l *Log) Remove(ctx context.Context, person ask.Person) (int, error) {
	if err := l.Flush(ctx); err != nil {
		return 0, err
	}
	return l.store.Remove(ctx, person)
}

// Stats is how the Log is doing.
func (l *Log) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Waiting = len(l.waiting) + len(l.saving)
	return s
}

// Flush waits until everything added before it is in the store.
func (l *Log) Flush(ctx context.Context) error {
	l.mu.Lock()
	upTo := l.added
	l.mu.Unlock()
	for {
		l.mu.Lock()
		there, saved := l.settled >= upTo, l.saved
		l.mu.Unlock()
		if there {
			return nil
		}
		signal(l.now)
		select {
		case <-saved:
		case <-l.done:
			return l.leftError()
		case <-ctx.Done():
			return errors.Join(ctx.Err(), l.leftError())
		}
	}
}

// Close saves everything and ends the Log. When ctx ends first it gives up, and its
// error says how many records are lost. Later calls of Add are counted as lost.
func (l *Log) Close(ctx context.Context) error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.quit)
	}
	l.mu.Unlock()
	select {
	case <-l.done:
	case <-ctx.Done():
		l.kill()
		<-l.done
	}
	l.kill()
	return l.leftError()
}

func (l *Log) emptyLocked() bool { return l.added == l.settled }

func (l *Log) leftError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.emptyLocked() {
		return nil
	}
	return errors.Join(fmt.Errorf("%d requests are not in the record", l.added-l.settled), l.stats.Err)
}

// write is the one goroutine that saves and sweeps.
func (l *Log) write() {
	defer close(l.done)
	sweep := time.NewTimer(firstSweep)
	defer sweep.Stop()
	for {
		select {
		case <-l.wake:
			l.linger()
			l.save()
		case <-sweep.C:
			l.sweep()
			sweep.Reset(nextSweep)
		case <-l.quit:
			for l.save() {
			}
			return
		}
	}
}

// linger lets more records come, so that they share a commit.
func (l *Log) linger() {
	t := time.NewTimer(gather)
	defer t.Stop()
	select {
	case <-t.C:
	case <-l.now:
	case <-l.quit:
	}
}

// save saves what waits, trying again until it is saved. It is false where nothing
// waited or it was told to give up.
func (l *Log) save() bool {
	if l.stop.Err() != nil {
		return false
	}
	b := l.take()
	if len(b.Counts) == 0 {
		return false
	}
	quit := l.quit
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := l.store.Save(l.stop, b)
		l.settle(b, err)
		if err == nil {
			return true
		}
		l.log.Error("the record of requests cannot be saved; trying again", "err", err, "wait", wait, "waiting", l.Stats().Waiting)
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-quit: // no time for a long wait now
			quit, wait = nil, firstRetry
		case <-l.stop.Done():
			t.Stop()
			return false
		}
		t.Stop()
	}
}

// take moves what waits into saving. Each record has its count, so that a batch
// without counts is empty.
func (l *Log) take() Batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The two slices change places, so that a steady flow allocates nothing.
	l.waiting, l.saving = l.saving[:0], l.waiting
	l.taken = l.added
	b := Batch{Records: l.saving}
	for k, n := range l.counts {
		day := time.Unix(k.day*86400, 0).UTC().Format(time.DateOnly)
		b.Counts = append(b.Counts, Count{day, k.wayIn, k.status, n})
	}
	clear(l.counts)
	return b
}

// settle notes how saving b went.
func (l *Log) settle(b Batch, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Err = err
	if err != nil {
		l.stats.Failed++
		return
	}
	l.stats.Saved += uint64(len(b.Records))
	l.settled = l.taken
	clear(l.saving) // let go of what the records hold
	l.saving = l.saving[:0]
	if cap(l.saving) > 2*batchSize {
		l.saving = nil // a burst's memory goes back
	}
	close(l.saved)
	l.saved = make(chan struct{})
}

// sweep takes out what is older than Keep.Days.
func (l *Log) sweep() {
	before := time.Now().AddDate(0, 0, -l.keep.Days)
	n, err := l.store.Sweep(l.stop, before)
	switch {
	case err != nil:
		l.log.Error("old records cannot be taken out; trying again in an hour", "err", err)
	case n > 0:
		l.log.Info("old records taken out", "records", n, "days", l.keep.Days)
	}
}
