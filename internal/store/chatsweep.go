package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/askhub/askhub/chat"
)

const (
	staleThreads = `SELECT thread FROM chat_threads WHERE kept > $1 OR kept > 0 AND oldest < $2`
	staleKeys    = `SELECT thread, mark FROM chat_keys WHERE at <= $1`
	dropKey      = `DELETE FROM chat_keys WHERE thread = $1 AND mark = $2 AND at <= $3`
	dropCodes    = `DELETE FROM chat_codes WHERE expires <= $1`
	// The inner query is spelt out, since PostgreSQL has no LIMIT on a DELETE.
	dropAddresses = `DELETE FROM chat_addresses WHERE address IN
		(SELECT address FROM chat_addresses WHERE newest <= $1 LIMIT $2)`
)

// sweepThreads and sweepRows are how much one transaction of a sweep takes, so that it
// never keeps a post waiting for long.
const (
	sweepThreads = 16
	sweepRows    = 512
)

// Sweep implements chat.Store.
func (c *Chat) Sweep(ctx context.Context, now time.Time) (chat.Swept, error) {
	var s chat.Swept
	for _, part := range []func(context.Context, time.Time, *chat.Swept) error{c.sweepMessages, c.sweepKeys, c.sweepRest} {
		if err := part(ctx, now, &s); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (c *Chat) sweepMessages(ctx context.Context, now time.Time, s *chat.Swept) error {
	var stale []chat.Thread
	err := c.read.each(ctx, staleThreads, []any{c.rules.Keep, int64(oldestKept(&c.rules, now))}, func(rows *sql.Rows) error {
		var t chat.Thread
		err := rows.Scan(&t)
		stale = append(stale, t)
		return err
	})
	if err != nil {
		return c.engine.Explain(err)
	}
	for len(stale) > 0 {
		threads := stale[:min(len(stale), sweepThreads)]
		stale = stale[len(threads):]
		gone := 0
		err := c.write.do(ctx, &job{threads: threads, run: func(b *batch) error {
			for _, t := range threads {
				r, n := b.row(t), 0
				b.counting(r, func() { n = b.retain(r, now) })
				if n > 0 {
					b.move(r)
				}
				gone += n
			}
			return b.fault
		}})
		if err != nil {
			return err
		}
		s.Messages += gone
	}
	return nil
}

func (c *Chat) sweepKeys(ctx context.Context, now time.Time, s *chat.Swept) error {
	before := now.Add(-c.rules.KeepFor).UnixNano()
	var stale []keyOf
	err := c.read.each(ctx, staleKeys, []any{before}, func(rows *sql.Rows) error {
		var k keyOf
		err := rows.Scan(&k.thread, &k.key)
		stale = append(stale, k)
		return err
	})
	if err != nil {
		return c.engine.Explain(err)
	}
	for len(stale) > 0 {
		keys := stale[:min(len(stale), sweepRows)]
		stale = stale[len(keys):]
		gone := 0
		err := c.write.do(ctx, &job{run: func(b *batch) error {
			for _, k := range keys {
				gone += b.exec(dropKey, string(k.thread), k.key, before)
			}
			return b.fault
		}})
		if err != nil {
			return err
		}
		s.Keys += gone
	}
	return nil
}

// sweepRest drops addresses and codes.
func (c *Chat) sweepRest(ctx context.Context, now time.Time, s *chat.Swept) error {
	for more := true; more; {
		codes := 0
		err := c.write.do(ctx, &job{run: func(b *batch) error {
			codes, more = b.forget(now.UnixNano())
			return b.fault
		}})
		if err != nil {
			return err
		}
		s.Codes += codes
	}
	return nil
}

// forget drops codes that have run out and addresses whose window is over: so many of
// those that a post need not wait, and whether there may be more.
func (b *batch) forget(now int64) (codes int, more bool) {
	before := now - int64(b.w.rules.Window)
	for name, a := range b.w.addrs {
		if !a.dirty && a.posts.newest() <= before {
			delete(b.w.addrs, name)
		}
	}
	wrote := b.wrote
	codes = b.exec(dropCodes, now)
	addresses := b.exec(dropAddresses, before, sweepRows)
	b.wrote = wrote || codes+addresses > 0
	return codes, addresses == sweepRows
}
