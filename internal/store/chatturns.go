package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/askhub/askhub/chat"
)

const (
	waitingThreads = `SELECT thread, until FROM chat_threads WHERE waits > 0 ORDER BY waits, thread`
	getMessage     = `SELECT epoch, id, author, body FROM chat_messages WHERE thread = $1 AND epoch = $2`
)

// next is the thread whose turn it is; where there is none, when there will be one.
func next(now time.Time, each func(scan func(*sql.Rows) error) error) (t chat.Thread, until time.Time, ok bool, err error) {
	err = each(func(rows *sql.Rows) error {
		var thread chat.Thread
		var held int64
		if err := rows.Scan(&thread, &held); err != nil || ok {
			return err
		}
		switch free := timeOf(held); {
		case chat.Free(free, now):
			t, ok = thread, true
		case until.IsZero() || free.Before(until):
			until = free
		}
		return nil
	})
	if ok {
		until = time.Time{}
	}
	return t, until, ok, err
}

// Take implements chat.Turns.
func (c *Chat) Take(ctx context.Context, now time.Time, lease time.Duration) (turn chat.Turn, until time.Time, ok bool, err error) {
	// Mostly there is nothing to take, and so nothing to write.
	_, until, ok, err = next(now, func(scan func(*sql.Rows) error) error { return c.read.each(ctx, waitingThreads, nil, scan) })
	if err != nil {
		return turn, time.Time{}, false, c.engine.Explain(err)
	}
	if !ok {
		return turn, until, false, nil
	}
	err = c.write.do(ctx, &job{run: func(b *batch) error {
		turn, until, ok = b.take(now, lease)
		return b.fault
	}})
	if err != nil {
		return chat.Turn{}, time.Time{}, false, err
	}
	return turn, until, ok, nil
}

func (b *batch) take(now time.Time, lease time.Duration) (turn chat.Turn, until time.Time, ok bool) {
	b.flush() // what this batch has changed already is asked for too
	t, until, ok, err := next(now, func(scan func(*sql.Rows) error) error {
		rows, err := b.tx.QueryContext(b.ctx, waitingThreads)
		return eachRow(rows, err, scan)
	})
	if b.failed(err) || !ok {
		return turn, until, false
	}
	r := b.row(t)
	if b.fault != nil {
		return turn, until, false
	}
	turn = chat.Turn{Thread: t, Settings: r.settings, ReplyTo: r.replyTo, Tries: r.tries, Holder: chat.NewHolder()}
	m := &turn.Message
	if b.failed(b.tx.QueryRowContext(b.ctx, getMessage, string(t), int64(r.kept[r.waits()].epoch)).Scan(&m.Epoch, &m.ID, &m.Author, &m.Text)) {
		return turn, until, false
	}
	r.holder, r.until = turn.Holder, now.Add(lease)
	b.touch(r)
	return turn, time.Time{}, true
}

// held is the thread of a turn that is still its holder's.
func (b *batch) held(t *chat.Turn) (*row, error) {
	r := b.row(t.Thread)
	switch {
	case b.fault != nil:
		return nil, b.fault
	case t.Holder == "" || r.holder != t.Holder:
		return nil, chat.ErrTaken
	}
	return r, nil
}

// Finish implements chat.Turns.
func (c *Chat) Finish(ctx context.Context, t chat.Turn, a chat.Answer) error {
	if err := chat.Plain(string(t.Thread), a.Text, a.ReplyTo); err != nil {
		return err
	}
	return c.write.do(ctx, &job{threads: []chat.Thread{t.Thread}, run: func(b *batch) error {
		r, err := b.held(&t)
		if err != nil {
			return err
		}
		r.settled(t.Message.Epoch)
		r.replyTo = a.ReplyTo
		r.settings.Hinted = r.settings.Hinted || a.Hinted
		if a.Text != "" {
			b.add(r, chat.Hermes, a.Text, a.Now, false)
		}
		if a.Hinted {
			r.settled(r.last) // what came while the hint was on its way has its answer in it
		}
		b.waits = b.waits || r.waits() >= 0
		b.touch(r)
		return b.fault
	}})
}

// PutOff implements chat.Turns.
func (c *Chat) PutOff(ctx context.Context, t chat.Turn, until time.Time) error {
	if err := chat.Plain(string(t.Thread)); err != nil {
		return err
	}
	return c.write.do(ctx, &job{threads: []chat.Thread{t.Thread}, run: func(b *batch) error {
		r, err := b.held(&t)
		if err != nil {
			return err
		}
		r.holder, r.until = "", until
		r.tries++
		b.touch(r)
		return b.fault
	}})
}

// Waiting implements chat.Turns.
func (c *Chat) Waiting() <-chan struct{} { return c.live.turns() }
