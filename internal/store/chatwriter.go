package store

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askhub/askhub/chat"
)

// maxBatch is how many jobs one transaction takes.
const maxBatch = 256

// maxRows is how many threads and how many addresses the writer remembers.
const maxRows = 2048

// A job is a change that waits for its turn.
type job struct {
	// threads are those that run will want; post is set where it is one. Both are read
	// for the whole batch at once.
	threads []chat.Thread
	post    *chat.Post
	// run makes the change. An error of its own is a refusal, and has changed nothing.
	run func(*batch) error

	ctx  context.Context
	turn atomic.Int32
	done chan error
}

// What becomes of a job.
const (
	jobWaits int32 = iota
	jobTaken
	jobWithdrawn
)

// writer is the one goroutine that writes.
type writer struct {
	db     *sql.DB
	read   *statements
	engine Engine
	rules  *chat.Rules
	live   *live

	mu      sync.Mutex
	queue   []*job
	taken   int
	closed  bool
	arrived chan struct{}

	// What follows is the goroutine's own.

	byShape map[*shape]*prepared
	single  *statements
	// version is the state's as the last batch left it: where the next one finds another,
	// somebody else has written. What was read before their write is of an older age.
	version int64
	age     int
	rows    map[chat.Thread]*row
	addrs   map[string]*address
	// count is how many threads have messages; -1 where that must be counted.
	count  int
	forget forgetting
	args   []any
}

func newWriter(db *sql.DB, read *statements, engine Engine, rules *chat.Rules, live *live) *writer {
	w := &writer{
		db: db, read: read, engine: engine, rules: rules, live: live,
		arrived: make(chan struct{}, 1), byShape: map[*shape]*prepared{}, single: newStatements(db),
	}
	w.doubt()
	return w
}

// doubt makes the writer read everything anew.
func (w *writer) doubt() {
	w.version, w.count = -1, -1
	w.rows, w.addrs = map[chat.Thread]*row{}, map[string]*address{}
}

// do queues the job and waits for its end. One whose caller goes before its turn is not
// run; after that its caller hears how it went.
func (w *writer) do(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.ctx, j.done = ctx, make(chan error, 1)
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	w.queue = append(w.queue, j)
	w.mu.Unlock()
	w.wake()
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		if j.turn.CompareAndSwap(jobWaits, jobWithdrawn) {
			return ctx.Err()
		}
		return <-j.done
	}
}

func (w *writer) wake() {
	select {
	case w.arrived <- struct{}{}:
	default:
	}
}

// close lets nothing more in; the loop ends when all that is in is done.
func (w *writer) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.wake()
}

func (w *writer) loop() {
	defer w.forget.stop()
	for {
		select {
		case <-w.arrived:
		case <-w.forget.due():
			w.forgetAddresses()
			continue
		}
		for {
			// Those who were answered just now are about to post again: the moment that
			// this gives them makes one batch of them.
			runtime.Gosched()
			jobs, closed := w.take()
			if len(jobs) > 0 {
				w.commit(jobs)
				continue
			}
			if closed {
				return
			}
			break
		}
	}
}

// take takes what waits, as much as one batch holds.
func (w *writer) take() (jobs []*job, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(w.queue), maxBatch)
	for _, j := range w.queue[:n] {
		if j.ctx.Err() == nil && j.turn.CompareAndSwap(jobWaits, jobTaken) {
			jobs = append(jobs, j)
		} else if j.turn.CompareAndSwap(jobWaits, jobWithdrawn) {
			j.done <- j.ctx.Err()
		}
	}
	rest := copy(w.queue, w.queue[n:])
	clear(w.queue[rest:])
	w.queue, w.taken = w.queue[:rest], len(jobs)
	return jobs, w.closed && rest == 0
}

// commit runs the jobs in one transaction and answers each of them. A fault is
// everybody's, since nothing was kept.
func (w *writer) commit(jobs []*job) {
	refused := make([]error, len(jobs))
	err := w.transact(jobs, refused)
	if err != nil {
		w.doubt()
		err = w.engine.Explain(err)
	}
	for i, j := range jobs {
		if err != nil {
			refused[i] = err
		}
		j.done <- refused[i]
	}
}

func (w *writer) transact(jobs []*job, refused []error) error {
	ctx, end, err := w.engine.Begin()
	if err != nil {
		return err
	}
	defer end()
	tx, err := w.beginTx(ctx, jobs)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing, after a commit
	b := &batch{w: w, ctx: ctx, tx: tx}
	if err := b.begin(jobs); err != nil {
		return err
	}
	for i, j := range jobs {
		refused[i] = j.run(b)
		if b.fault != nil {
			return b.fault
		}
	}
	if b.flush(); b.fault != nil {
		return b.fault
	}
	if !b.wrote {
		// What was read is as old as the version before this one.
		w.version = b.version - 1
		return tx.Rollback()
	}
	if err := w.engine.Tell(ctx, tx, b.changed, b.waits); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil && !w.kept(b, err) {
		return err
	}
	w.version = b.version
	w.live.told(b.changed, b.version, b.waits)
	if b.latest != 0 {
		w.forget.noted(b.latest, w.rules.Window)
	}
	return nil
}

// beginTx begins a transaction, on another connection where one turns out to have been
// lost: nothing has been asked of the store yet.
func (w *writer) beginTx(ctx context.Context, jobs []*job) (tx *sql.Tx, err error) {
	for range 3 {
		// Statements are prepared before the transaction, which holds the one connection.
		if err = w.prepare(ctx, jobs); err == nil {
			tx, err = w.db.BeginTx(ctx, nil)
		}
		if err == nil || ctx.Err() != nil || !errors.Is(w.engine.Explain(err), ErrLost) {
			return tx, err
		}
	}
	return nil, err
}

// doubtful is how long a commit that nobody knows of is asked after, and how often.
const (
	doubtful      = 10 * time.Second
	doubtfulPause = 200 * time.Millisecond
)

// kept says whether a commit that failed was kept after all: where a connection breaks
// in that moment, only the store knows.
func (w *writer) kept(b *batch, fault error) bool {
	if !errors.Is(w.engine.Explain(fault), ErrLost) {
		return false
	}
	for until := time.Now().Add(doubtful); ; {
		kept, err := w.find(b)
		if err == nil || time.Now().After(until) {
			return kept
		}
		<-time.After(doubtfulPause)
	}
}

// find looks for what the batch has written. Taking the turn to write first, it comes
// after whatever became of the commit.
func (w *writer) find(b *batch) (kept bool, err error) {
	ctx, end, err := w.engine.Begin()
	if err != nil {
		return false, err
	}
	defer end()
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // it only asks
	var version int64
	if err := tx.QueryRowContext(ctx, bumpState).Scan(&version); err != nil {
		return false, err
	}
	if b.proof.ID == "" {
		return version == b.version+1, nil
	}
	n := 0
	err = tx.QueryRowContext(ctx, findMessage, string(b.proofOf), int64(b.proof.Epoch), b.proof.ID).Scan(&n)
	return n == 1, err
}

// shapes are all that a batch may need.
var shapes = []*shape{loadThreads, loadKept, loadAddresses, loadKeys, dropMessages, saveMessages, saveThreads, saveAddresses, saveKeys}

// prepare makes the statements that batches of this size need.
func (w *writer) prepare(ctx context.Context, jobs []*job) error {
	for _, text := range []string{bumpState, countThreads} {
		if _, err := w.single.preparedStmt(ctx, text); err != nil {
			return err
		}
	}
	most := len(jobs)
	for _, j := range jobs {
		most = max(most, len(j.threads))
	}
	for i, size := range sizes {
		if i > 0 && most <= sizes[i-1] {
			break
		}
		for _, s := range shapes {
			if w.byShape[s] == nil {
				w.byShape[s] = &prepared{}
			}
			if w.byShape[s][i] != nil {
				continue
			}
			stmt, err := w.single.preparedStmt(ctx, s.text(size, w.engine.Parameter))
			if err != nil {
				return err
			}
			w.byShape[s][i] = stmt
		}
	}
	return nil
}

// forgetting is when addresses are to be forgotten next. The clock is the callers', as
// they gave it last, and goes on from there by itself.
type forgetting struct {
	timer  *time.Timer
	latest int64
	given  time.Time
}

// forgetPause is the least time between two looks for addresses to forget.
const forgetPause = 10 * time.Second

func (f *forgetting) due() <-chan time.Time {
	if f.timer == nil {
		return nil
	}
	return f.timer.C
}

// noted takes notice of a post that came in at that time.
func (f *forgetting) noted(at int64, length time.Duration) {
	f.latest, f.given = at, time.Now()
	if f.timer == nil {
		f.in(length)
	}
}

func (f *forgetting) in(wait time.Duration) { f.timer = time.NewTimer(max(wait, forgetPause)) }

func (f *forgetting) now() int64 { return f.latest + int64(time.Since(f.given)) }

func (f *forgetting) stop() {
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
}

// oldestAddress is the time of the address, and the end of the code, that go next.
const oldestAddress = `SELECT min(at) FROM (SELECT min(newest) AS at FROM chat_addresses
	UNION ALL SELECT min(expires) - $1 FROM chat_codes) both_of_them`

// forgetAddresses forgets those whose window is over, and says when to look again.
func (w *writer) forgetAddresses() {
	w.forget.stop()
	now, length := w.forget.now(), w.rules.Window
	var oldest sql.NullInt64
	err := w.read.one(context.Background(), oldestAddress, []any{int64(length)}, &oldest)
	for more := true; err == nil && more && oldest.Valid && oldest.Int64 <= now-int64(length); {
		j := &job{done: make(chan error, 1), run: func(b *batch) error {
			_, more = b.forget(now)
			return nil
		}}
		w.commit([]*job{j})
		if err = <-j.done; err == nil && !more {
			err = w.read.one(context.Background(), oldestAddress, []any{int64(length)}, &oldest)
		}
	}
	switch {
	case err != nil:
		w.forget.in(length)
	case oldest.Valid:
		w.forget.in(min(time.Duration(oldest.Int64+int64(length)-now), length))
	}
}
