package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"

	"github.com/askhub/askhub/chat"
)

// Engine is what SQLite and PostgreSQL do differently for the chat.
type Engine interface {
	// Begin gives the context of one transaction, or what keeps the store from being
	// written at all.
	Begin() (ctx context.Context, end func(), err error)
	// Parameter writes a statement's parameter with that number.
	Parameter(number int) string
	// Explain says what a fault means: chat.ErrFull where there is no room left, and
	// ErrLost where nobody knows whether a commit that failed was kept.
	Explain(err error) error
	// Tell passes on within a transaction, to other processes, which threads change in
	// it and whether a message begins to wait.
	Tell(ctx context.Context, tx *sql.Tx, threads []chat.Thread, waits bool) error
	// Follow tells of what other processes write until ctx ends.
	Follow(ctx context.Context, to Follower)
}

// Follower is told of other processes' writes.
type Follower interface {
	// Wanted says whether anybody wants to know just now.
	Wanted() bool
	// Changed names threads that have changed; waits says that a message there may wait.
	Changed(waits bool, threads ...chat.Thread)
	// Look finds out by itself what has changed.
	Look(ctx context.Context)
}

// Chat keeps the chat's threads. One goroutine writes: it takes every post that waits,
// keeps all of them in one transaction, and answers each when that is on the disk.
type Chat struct {
	rules  chat.Rules
	engine Engine
	read   *statements
	write  *writer
	live   *live
	stop   context.CancelFunc
	all    sync.WaitGroup
}

var (
	_ chat.Store   = (*Chat)(nil)
	_ chat.Pairing = (*Chat)(nil)
	_ chat.Archive = (*Chat)(nil)
	_ chat.Turns   = (*Chat)(nil)
)

var (
	// ErrClosed is a chat store that was closed.
	ErrClosed = errors.New("the store is closed")
	// ErrLost is a connection to the store that broke.
	ErrLost = errors.New("the connection to the store was lost")
)

// NewChat is a chat store on a migrated database; write and read may be the same. It is
// closed before they are.
func NewChat(write, read *sql.DB, engine Engine, rules chat.Rules) *Chat {
	ctx, stop := context.WithCancel(context.Background())
	c := &Chat{rules: rules, engine: engine, read: newStatements(read), stop: stop}
	c.live = &live{waiting: make(chan struct{}, 1), seen: map[chat.Thread]int64{}, read: c.read}
	c.live.follow = func() { c.all.Go(func() { engine.Follow(ctx, c.live) }) }
	c.write = newWriter(write, c.read, engine, &c.rules, c.live)
	c.all.Go(c.write.loop)
	return c
}

// Close waits until what was begun is kept, and then ends.
func (c *Chat) Close() error {
	c.write.close()
	c.live.close()
	c.stop()
	c.all.Wait()
	return errors.Join(c.read.Close(), c.write.single.Close())
}

// ChatStats is how busy a chat store is.
type ChatStats struct {
	// Waiting are changes that wait for their turn; Taken are being written.
	Waiting, Taken int
}

// Stats says how busy the store is just now.
func (c *Chat) Stats() ChatStats {
	c.write.mu.Lock()
	defer c.write.mu.Unlock()
	return ChatStats{Waiting: len(c.write.queue), Taken: c.write.taken}
}

// Append implements chat.Store.
func (c *Chat) Append(ctx context.Context, p chat.Post) (r chat.Receipt, err error) {
	if err := chat.Plain(string(p.Thread), string(p.Author), p.Text, p.Key, p.Address); err != nil {
		return r, err
	}
	err = c.write.do(ctx, &job{
		threads: []chat.Thread{p.Thread}, post: &p,
		run: func(b *batch) (err error) { r, err = b.append(&p); return err },
	})
	return r, err
}

const (
	readHead  = `SELECT newest, awaiting FROM chat_threads WHERE thread = $1`
	readLater = `SELECT epoch, id, author, body FROM chat_messages WHERE thread = $1 AND epoch > $2 ORDER BY epoch`
	readNew   = `SELECT epoch, id, author, body FROM chat_messages WHERE thread = $1 ORDER BY epoch DESC LIMIT $2`
)

// Read implements chat.Store. Each of its two queries is a snapshot of its own: the
// first one alone says that there is nothing new, and the second alone what there is.
// So nothing can be missed between them, and most polls end after the first.
func (c *Chat) Read(ctx context.Context, t chat.Thread, since chat.Cursor) (chat.Page, error) {
	if err := chat.Plain(string(t)); err != nil {
		return chat.Page{}, err
	}
	for {
		var newest chat.Cursor
		var awaiting int
		err := c.read.one(ctx, readHead, []any{string(t)}, &newest, &awaiting)
		switch {
		case errors.Is(err, sql.ErrNoRows), err == nil && newest == 0:
			return chat.Page{}, nil
		case err != nil:
			return chat.Page{}, c.engine.Explain(err)
		case since >= newest:
			return chat.Page{Awaiting: awaiting != 0, Cursor: newest}, nil
		}
		var list []chat.Message
		if since > 0 {
			list, err = c.messages(ctx, readLater, string(t), int64(since))
		} else if list, err = c.messages(ctx, readNew, string(t), chat.Newest); err == nil {
			slices.Reverse(list)
		}
		if err != nil {
			return chat.Page{}, err
		}
		// Retention may have emptied the thread in between: look again.
		if len(list) > 0 {
			last := &list[len(list)-1]
			return chat.Page{Messages: list, Awaiting: last.Author != chat.Hermes, Cursor: last.Epoch}, nil
		}
	}
}

func (c *Chat) messages(ctx context.Context, query string, args ...any) ([]chat.Message, error) {
	var list []chat.Message
	err := c.read.each(ctx, query, args, func(rows *sql.Rows) error {
		var m chat.Message
		err := rows.Scan(&m.Epoch, &m.ID, &m.Author, &m.Text)
		list = append(list, m)
		return err
	})
	if err != nil {
		return nil, c.engine.Explain(err)
	}
	return list, nil
}

// Watch implements chat.Store.
func (c *Chat) Watch(t chat.Thread) (changed <-chan struct{}, stop func()) { return c.live.watch(t) }
