package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/askhub/askhub/chat"
)

// kept is one message of a thread, without its words.
type kept struct {
	epoch chat.Cursor
	asks  bool
}

// row is one thread as the writer knows it: a row of chat_threads, with what is kept.
type row struct {
	thread        chat.Thread
	version       int64
	last, handled chat.Cursor
	kept          []kept
	awaiting      bool
	posts         window
	settings      chat.Settings
	replyTo       string
	holder        string
	until         time.Time
	tries         int

	// age is the writer's when this was read.
	age int
	// What is to be saved: the row, the messages that are new, and those that went.
	dirty, moved bool
	fresh        []freshMessage
	gone         []chat.Cursor
}

type freshMessage struct {
	chat.Message
	asks bool
}

// address is one address as the writer knows it.
type address struct {
	posts window
	age   int
	dirty bool
}

// keyOf names a post that may be repeated.
type keyOf struct {
	thread chat.Thread
	key    string
}

// given is what a key gave.
type given struct {
	message chat.Message
	at      int64
}

// A batch is one transaction.
type batch struct {
	w   *writer
	ctx context.Context
	tx  *sql.Tx
	// version is the state's as this batch will leave it.
	version int64
	keys    map[keyOf]given
	touched []*row
	posted  []string
	keyed   []keyOf
	// wrote is whether there is anything to keep, changed are the threads whose messages
	// change, waits is whether one begins to wait, and latest when the last post with
	// an address came in.
	wrote   bool
	changed []chat.Thread
	waits   bool
	latest  int64
	// proof is a message whose being there shows that the batch was kept.
	proof   chat.Message
	proofOf chat.Thread
	// fault is what went wrong below; it ends the batch.
	fault error
}

// failed notes a fault, the first one.
func (b *batch) failed(err error) bool {
	if err != nil && b.fault == nil {
		b.fault = err
	}
	return b.fault != nil
}

// begin takes the turn to write and reads what the jobs will want.
func (b *batch) begin(jobs []*job) error {
	if b.one(bumpState, nil, &b.version) {
		return b.fault
	}
	if b.version != b.w.version+1 {
		b.w.age++
		b.w.count = -1
	}
	var threads []chat.Thread
	var addresses []string
	var keys []keyOf
	for _, j := range jobs {
		threads = append(threads, j.threads...)
		if j.post == nil {
			continue
		}
		if j.post.Address != "" {
			addresses = append(addresses, j.post.Address)
		}
		if j.post.Key != "" {
			keys = append(keys, keyOf{j.post.Thread, j.post.Key})
		}
	}
	b.load(threads)
	b.loadAddresses(addresses)
	b.loadKeys(keys)
	return b.fault
}

// one reads the only row of a query; true after a fault.
func (b *batch) one(query string, args []any, into ...any) bool {
	if b.fault != nil {
		return true
	}
	stmt, err := b.w.single.preparedStmt(b.ctx, query)
	if err != nil {
		return b.failed(err)
	}
	return b.failed(b.tx.StmtContext(b.ctx, stmt).QueryRowContext(b.ctx, args...).Scan(into...))
}

// exec changes something and says how many rows; 0 after a fault.
func (b *batch) exec(query string, args ...any) int {
	if b.fault != nil {
		return 0
	}
	res, err := b.tx.ExecContext(b.ctx, query, args...)
	if b.failed(err) {
		return 0
	}
	b.wrote = true
	n, err := res.RowsAffected()
	b.failed(err)
	return int(n)
}

// each reads rows for n things, whose parameters arg appends.
func (b *batch) each(s *shape, n int, arg func(args []any, i int) []any, scan func(*sql.Rows) error) {
	for from := 0; from < n && b.fault == nil; {
		which := b.w.room(s, n-from)
		args := b.w.args[:0]
		for i := range sizes[which] {
			args = arg(args, min(from+i, n-1))
		}
		from += sizes[which]
		rows, err := b.tx.StmtContext(b.ctx, b.w.byShape[s][which]).QueryContext(b.ctx, args...)
		b.failed(eachRow(rows, err, scan))
		b.w.args = args
	}
}

// room is the smallest prepared size that n fit in, or else the largest.
func (w *writer) room(s *shape, n int) int {
	which := 0
	for which+1 < len(sizes) && sizes[which] < n && w.byShape[s][which+1] != nil {
		which++
	}
	return which
}

// save writes n rows, whose parameters arg appends.
func (b *batch) save(s *shape, n int, arg func(args []any, i int) []any) {
	for from := 0; from < n && b.fault == nil; {
		which := 0
		for which+1 < len(sizes) && sizes[which+1] <= n-from && b.w.byShape[s][which+1] != nil {
			which++
		}
		args := b.w.args[:0]
		for i := range sizes[which] {
			args = arg(args, from+i)
		}
		from += sizes[which]
		_, err := b.tx.StmtContext(b.ctx, b.w.byShape[s][which]).ExecContext(b.ctx, args...)
		b.failed(err)
		b.wrote = true
		b.w.args = args
	}
}

// row is the thread as it stands; after a fault it is an empty one.
func (b *batch) row(t chat.Thread) *row {
	b.load([]chat.Thread{t})
	if b.fault != nil {
		return &row{thread: t}
	}
	return b.w.rows[t]
}

// load reads those of the threads that are not known.
func (b *batch) load(threads []chat.Thread) {
	w := b.w
	if len(w.rows) > maxRows && len(b.touched) == 0 {
		clear(w.rows)
	}
	var unknown []chat.Thread
	for _, t := range threads {
		if r := w.rows[t]; r == nil || r.age != w.age {
			unknown = append(unknown, t)
		}
	}
	if len(unknown) == 0 {
		return
	}
	slices.Sort(unknown)
	unknown = slices.Compact(unknown)
	found := map[chat.Thread]*row{}
	b.each(loadThreads, len(unknown), func(args []any, i int) []any { return append(args, string(unknown[i])) }, func(rows *sql.Rows) error {
		r := &row{age: w.age}
		var awaiting, hinted int
		var until int64
		var posts []byte
		err := rows.Scan(&r.thread, &r.version, &r.last, &r.handled, &awaiting, &posts, &r.settings.Person,
			&r.settings.Answers, &hinted, &r.replyTo, &r.holder, &until, &r.tries)
		r.awaiting, r.settings.Hinted, r.posts, r.until = awaiting != 0, hinted != 0, readWindow(posts), timeOf(until)
		found[r.thread] = r
		return err
	})
	var changed []chat.Thread
	for _, t := range unknown {
		r, old := found[t], w.rows[t]
		switch {
		case r == nil:
			r = &row{thread: t, age: w.age}
		case old != nil && old.version == r.version:
			r.kept = old.kept
		default:
			changed = append(changed, t)
		}
		w.rows[t] = r
	}
	b.each(loadKept, len(changed), func(args []any, i int) []any { return append(args, string(changed[i])) }, func(rows *sql.Rows) error {
		var t chat.Thread
		var k kept
		var asks int
		err := rows.Scan(&t, &k.epoch, &asks)
		k.asks = asks != 0
		w.rows[t].kept = append(w.rows[t].kept, k)
		return err
	})
}

// address is the address as it stands; after a fault it is an empty one. It is asked for
// anew each time, since what went before in this batch may have forgotten it.
func (b *batch) address(name string) *address {
	b.loadAddresses([]string{name})
	if b.fault != nil {
		return &address{}
	}
	return b.w.addrs[name]
}

func (b *batch) loadAddresses(list []string) {
	w := b.w
	if len(w.addrs) > maxRows && len(b.posted) == 0 {
		clear(w.addrs)
	}
	var unknown []string
	for _, a := range list {
		if known := w.addrs[a]; known == nil || known.age != w.age {
			unknown = append(unknown, a)
		}
	}
	if len(unknown) == 0 {
		return
	}
	slices.Sort(unknown)
	unknown = slices.Compact(unknown)
	for _, a := range unknown {
		w.addrs[a] = &address{age: w.age}
	}
	b.each(loadAddresses, len(unknown), func(args []any, i int) []any { return append(args, unknown[i]) }, func(rows *sql.Rows) error {
		var name string
		var posts []byte
		if err := rows.Scan(&name, &posts); err != nil {
			return err
		}
		w.addrs[name].posts = readWindow(posts)
		return nil
	})
}

func (b *batch) loadKeys(list []keyOf) {
	if len(list) == 0 {
		return
	}
	b.keys = map[keyOf]given{}
	b.each(loadKeys, len(list), func(args []any, i int) []any { return append(args, string(list[i].thread), list[i].key) }, func(rows *sql.Rows) error {
		var k keyOf
		var g given
		var text sql.NullString
		err := rows.Scan(&k.thread, &k.key, &g.message.ID, &g.message.Epoch, &g.message.Author, &text)
		g.message.Text = text.String
		b.keys[k] = g
		return err
	})
}

// threads is how many threads have messages.
func (b *batch) threads() int {
	if b.w.count < 0 {
		b.flush() // what this batch has begun counts too
		b.one(countThreads, nil, &b.w.count)
	}
	return b.w.count
}

// flush writes what is not written yet.
func (b *batch) flush() {
	if b.fault != nil {
		return
	}
	var fresh []freshMessage
	var of, goneOf []chat.Thread
	var gone []chat.Cursor
	for _, r := range b.touched {
		oldest := r.last + 1
		if len(r.kept) > 0 {
			oldest = r.kept[0].epoch
		}
		for _, epoch := range r.gone {
			gone, goneOf = append(gone, epoch), append(goneOf, r.thread)
		}
		for _, m := range r.fresh {
			if m.Epoch >= oldest {
				fresh, of = append(fresh, m), append(of, r.thread)
			}
		}
		if r.moved {
			r.version = b.version
			b.changed = append(b.changed, r.thread)
		}
	}
	b.save(dropMessages, len(gone), func(args []any, i int) []any { return append(args, string(goneOf[i]), int64(gone[i])) })
	if len(fresh) > 0 {
		b.proof, b.proofOf = fresh[len(fresh)-1].Message, of[len(of)-1]
	}
	b.save(saveMessages, len(fresh), func(args []any, i int) []any {
		m := &fresh[i]
		return append(args, string(of[i]), int64(m.Epoch), m.ID, string(m.Author), bit(m.asks), m.Text)
	})
	b.save(saveThreads, len(b.touched), func(args []any, i int) []any { return b.touched[i].args(args) })
	b.save(saveAddresses, len(b.posted), func(args []any, i int) []any {
		posts := b.w.addrs[b.posted[i]].posts
		return append(args, b.posted[i], posts.newest(), posts.bytes())
	})
	b.save(saveKeys, len(b.keyed), func(args []any, i int) []any {
		k := b.keyed[i]
		g := b.keys[k]
		return append(args, string(k.thread), k.key, g.message.ID, int64(g.message.Epoch), string(g.message.Author), g.at)
	})
	for _, r := range b.touched {
		r.dirty, r.moved, r.fresh, r.gone = false, false, nil, nil
	}
	for _, a := range b.posted {
		b.w.addrs[a].dirty = false
	}
	b.touched, b.posted, b.keyed = b.touched[:0], b.posted[:0], b.keyed[:0]
}

// touch notes that the thread's row is to be saved.
func (b *batch) touch(r *row) {
	if !r.dirty {
		r.dirty = true
		b.touched = append(b.touched, r)
	}
}

// move notes that the thread's messages change.
func (b *batch) move(r *row) {
	b.touch(r)
	r.moved = true
}

// args are the row's columns as saveThreads has them.
func (r *row) args(args []any) []any {
	var newest, oldest, waits chat.Cursor
	if n := len(r.kept); n > 0 {
		oldest, newest = r.kept[0].epoch, r.kept[n-1].epoch
	}
	if i := r.waits(); i >= 0 {
		waits = r.kept[i].epoch
	}
	return append(args, string(r.thread), r.version, int64(r.last), int64(newest), int64(oldest), len(r.kept),
		bit(r.awaiting && len(r.kept) > 0), int64(r.handled), int64(waits), r.posts.bytes(), r.settings.Person, string(r.settings.Answers),
		bit(r.settings.Hinted), r.replyTo, r.holder, nanos(r.until), r.tries)
}

// waits is where the oldest message that waits is in kept; -1 where none does.
func (r *row) waits() int {
	return slices.IndexFunc(r.kept, func(k kept) bool { return k.asks && k.epoch > r.handled })
}

// settled notes that nothing up to there waits any more.
func (r *row) settled(upTo chat.Cursor) {
	r.handled, r.holder, r.until, r.tries = max(r.handled, upTo), "", time.Time{}, 0
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// nanos is an instant as the store keeps it; 0 where there is none.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func timeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
