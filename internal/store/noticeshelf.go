package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/askhub/askhub/internal/notify"
)

const (
	noticeColumns = `SELECT n.id, n.at, n.project, n.person, n.message, n.level, n.asked,
		d.target, d.name, d.state, d.tries, d.due, d.first_due, d.done, d.reason
		FROM notices n LEFT JOIN notice_deliveries d ON d.notice = n.id `
	getNotice   = noticeColumns + `WHERE n.id = $1`
	listNotices = noticeColumns + `WHERE n.id IN (SELECT id FROM notices WHERE ($1 = '' OR person = $1)
		AND ($2 = 0 OR id IN (SELECT notice FROM notice_deliveries WHERE state = 'dead'))
		ORDER BY at DESC, id DESC LIMIT $3)`
	countNotices = `SELECT state, count(*) FROM notice_deliveries WHERE state IN ('waiting', 'dead') GROUP BY state`
	sweepNotices = `DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE at < $1 AND NOT EXISTS (
			SELECT 1 FROM notice_deliveries d WHERE d.notice = notices.id AND d.state = 'waiting')
		ORDER BY at LIMIT $2)`
	sweepMarks = `DELETE FROM notice_marks WHERE at < $1`
)

// List implements notify.Shelf.
func (s *Notices) List(ctx context.Context, q notify.Query) ([]notify.Entry, error) {
	undelivered := 0
	if q.Undelivered {
		undelivered = 1
	}
	return s.entries(ctx, listNotices, clean(q.Person), undelivered, q.Limit)
}

// Get implements notify.Shelf.
func (s *Notices) Get(ctx context.Context, id string) (notify.Entry, error) {
	list, err := s.entries(ctx, getNotice, clean(id))
	if err != nil {
		return notify.Entry{}, err
	}
	if len(list) == 0 {
		return notify.Entry{}, notify.ErrNotFound
	}
	return list[0], nil
}

// entries are the notices that a query gives, the newest first.
func (s *Notices) entries(ctx context.Context, query string, args ...any) ([]notify.Entry, error) {
	byID := map[string]*notify.Entry{}
	rows, err := s.read.QueryContext(ctx, query, args...)
	err = eachRow(rows, err, func(rows *sql.Rows) error {
		var e notify.Entry
		var at int64
		var level, asked int
		var target, name, state, reason sql.NullString
		var tries, due, first, done sql.NullInt64
		if err := rows.Scan(&e.ID, &at, &e.From, &e.Person, &e.Message, &level, &asked, &target, &name, &state, &tries, &due, &first, &done, &reason); err != nil {
			return err
		}
		e.At, e.Level, e.Asked = instant(at), levelOf(level), asked != 0
		if byID[e.ID] == nil {
			byID[e.ID] = &e
		}
		if target.Valid {
			byID[e.ID].Deliveries = append(byID[e.ID].Deliveries, notify.Delivery{
				Notice: e.ID, Target: target.String, Name: name.String, State: notify.State(state.String), Tries: int(tries.Int64),
				Due: instant(due.Int64), First: instant(first.Int64), Done: instant(done.Int64), Reason: reason.String,
			})
		}
		return nil
	})
	if err != nil {
		return nil, s.explain(err)
	}
	list := make([]notify.Entry, 0, len(byID))
	for _, e := range byID {
		slices.SortFunc(e.Deliveries, func(a, b notify.Delivery) int { return cmp.Compare(a.Target, b.Target) })
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b notify.Entry) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID)) })
	return list, nil
}

// Counts implements notify.Shelf.
func (s *Notices) Counts(ctx context.Context) (c notify.Counts, err error) {
	rows, err := s.read.QueryContext(ctx, countNotices)
	err = eachRow(rows, err, func(rows *sql.Rows) error {
		var state string
		var n int
		err := rows.Scan(&state, &n)
		if notify.State(state) == notify.Dead {
			c.Dead = n
		} else {
			c.Waiting = n
		}
		return err
	})
	return c, s.explain(err)
}

// Sweep implements notify.Shelf.
func (s *Notices) Sweep(ctx context.Context, before time.Time) (int, error) {
	total := 0
	for {
		var n int64
		err := s.within(ctx, func(tx *sql.Tx) (err error) {
			n, err = changes(tx.ExecContext(ctx, sweepNotices, before.UnixMicro(), sweepChunk))
			return err
		})
		total += int(n)
		if err != nil {
			return total, err
		}
		if n < sweepChunk {
			break
		}
	}
	return total, s.within(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, sweepMarks, before.UnixMicro())
		return err
	})
}
