package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/askhub/askhub/chat"
)

const (
	listThreads = `SELECT t.thread, t.person, t.answers, t.hinted, t.kept, t.waits, m.epoch, m.id, m.author, m.body
		FROM chat_threads t LEFT JOIN chat_messages m ON m.thread = t.thread AND m.epoch = t.newest
		WHERE t.kept > 0 OR t.person <> '' OR t.answers <> '' OR t.hinted <> 0 ORDER BY t.newest DESC, t.thread`
	wholeThread = `SELECT epoch, id, author, body FROM chat_messages WHERE thread = $1 ORDER BY epoch`
	threadIDs   = `SELECT id FROM chat_messages WHERE thread = $1`
)

// Threads implements chat.Archive.
func (c *Chat) Threads(ctx context.Context) ([]chat.Summary, error) {
	var list []chat.Summary
	err := c.read.each(ctx, listThreads, nil, func(rows *sql.Rows) error {
		var s chat.Summary
		var hinted int
		var waits int64
		var epoch sql.NullInt64
		var id, author, body sql.NullString
		err := rows.Scan(&s.Thread, &s.Settings.Person, &s.Settings.Answers, &hinted, &s.Messages, &waits, &epoch, &id, &author, &body)
		s.Settings.Hinted, s.Waiting = hinted != 0, waits > 0
		s.Newest = chat.Message{Epoch: chat.Cursor(epoch.Int64), ID: id.String, Author: chat.Author(author.String), Text: body.String}
		list = append(list, s)
		return err
	})
	if err != nil {
		return nil, c.engine.Explain(err)
	}
	return list, nil
}

// Whole implements chat.Archive.
func (c *Chat) Whole(ctx context.Context, t chat.Thread) ([]chat.Message, error) {
	if err := chat.Plain(string(t)); err != nil {
		return nil, err
	}
	return c.messages(ctx, wholeThread, string(t))
}

// Import implements chat.Archive.
func (c *Chat) Import(ctx context.Context, t chat.Thread, messages []chat.Message, now time.Time) (done chat.Imported, err error) {
	if err := chat.Plain(string(t)); err != nil {
		return done, err
	}
	for i := range messages {
		if err := chat.Plain(messages[i].ID, string(messages[i].Author), messages[i].Text); err != nil {
			return done, err
		}
	}
	err = c.write.do(ctx, &job{threads: []chat.Thread{t}, run: func(b *batch) (err error) {
		done, err = b.imports(t, messages, now)
		return err
	}})
	if err != nil {
		return chat.Imported{}, err
	}
	return done, nil
}

func (b *batch) imports(t chat.Thread, messages []chat.Message, now time.Time) (done chat.Imported, err error) {
	r := b.row(t)
	if b.fault != nil {
		return done, b.fault
	}
	if len(r.kept) == 0 && b.threads() >= b.w.rules.Threads {
		return done, chat.ErrThreadLimit
	}
	ids := b.ids(r)
	taken := make(map[chat.Cursor]bool, len(r.kept))
	for _, k := range r.kept {
		taken[k.epoch] = true
	}
	ours := map[chat.Cursor]chat.Author{}
	oldest := oldestKept(b.w.rules, now)
	b.counting(r, func() {
		for _, m := range messages {
			switch {
			case ids[m.ID]:
				done.There++
				continue
			case m.Epoch < oldest:
				done.Old++
				continue
			}
			for taken[m.Epoch] {
				m.Epoch++
			}
			ids[m.ID], taken[m.Epoch], ours[m.Epoch] = true, true, m.Author
			r.fresh = append(r.fresh, freshMessage{Message: m})
			r.kept = append(r.kept, kept{epoch: m.Epoch})
			r.last = max(r.last, m.Epoch)
		}
		slices.SortFunc(r.kept, func(a, b kept) int { return cmp.Compare(a.epoch, b.epoch) })
		b.retain(r, now)
	})
	for _, k := range r.kept {
		if _, is := ours[k.epoch]; is {
			done.Added++
		}
	}
	done.Old += len(ours) - done.Added
	if n := len(r.kept); n > 0 {
		if author, is := ours[r.kept[n-1].epoch]; is {
			r.awaiting = author != chat.Hermes
		}
	}
	if len(ours)+len(r.gone) > 0 {
		b.move(r)
	}
	return done, b.fault
}

// ids are those of the thread's messages.
func (b *batch) ids(r *row) map[string]bool {
	ids := map[string]bool{}
	rows, err := b.tx.QueryContext(b.ctx, threadIDs, string(r.thread))
	b.failed(eachRow(rows, err, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids[id] = true
		return err
	}))
	for _, m := range r.fresh {
		ids[m.ID] = true
	}
	return ids
}
