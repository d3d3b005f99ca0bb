package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/askhub/askhub/internal/notify"
)

// Notices keeps the outbox of notices.
type Notices struct {
	write, read *sql.DB
	// sound says why nothing may be written just now; nil where it may.
	sound func() error
	// explain says what to mend.
	explain func(error) error
}

var _ notify.Keeping = (*Notices)(nil)

// NewNotices is an outbox's store on a migrated database; write and read may be the same.
// Before each write, sound says why it must not be; explain puts a fault into words.
func NewNotices(write, read *sql.DB, sound func() error, explain func(error) error) *Notices {
	return &Notices{write: write, read: read, sound: sound, explain: explain}
}

const (
	markNotice = `INSERT INTO notice_marks (mark, at, notice) VALUES ($1, $2, $3)
		ON CONFLICT (mark) DO UPDATE SET at = excluded.at, notice = excluded.notice
		WHERE notice_marks.at <= $4 OR notice_marks.at >= $5`
	// The level is null where the notice has been swept meanwhile.
	markedNotice = `SELECT m.notice, n.level FROM notice_marks m LEFT JOIN notices n ON n.id = m.notice WHERE m.mark = $1`
	lockSender   = `INSERT INTO notice_senders (project, person, told) VALUES ($1, '', 0)
		ON CONFLICT (project, person) DO UPDATE SET told = 0`
	// The oldest of those that fill the cap: there is one only where it is full.
	fullSince = `SELECT at FROM notices WHERE project = $1 AND at > $2 AND at < $3 AND CASE WHEN level = 2 THEN 1 ELSE 0 END = $4
		ORDER BY at DESC LIMIT 1 OFFSET $5`
	tellSender = `INSERT INTO notice_senders (project, person, told) VALUES ($1, $2, $3)
		ON CONFLICT (project, person) DO UPDATE SET told = excluded.told
		WHERE notice_senders.told <= $4 OR notice_senders.told >= $5`
	insertNotice = `INSERT INTO notices (id, at, project, person, message, level, asked) VALUES ($1, $2, $3, $4, $5, $6, $7)`
	raiseNotice  = `UPDATE notices SET level = CASE WHEN level < $2 THEN $2 ELSE level END, asked = CASE WHEN asked < $3 THEN $3 ELSE asked END
		WHERE id = $1 AND (level < $2 OR asked < $3)`
	// A notice that has been swept meanwhile gets no delivery.
	insertDelivery = `INSERT INTO notice_deliveries (notice, target, name, state, tries, due, first_due, done, reason, holder, until)
		SELECT $1, $2, $3, $4, 0, $5, $6, $7, $8, '', 0 WHERE EXISTS (SELECT 1 FROM notices WHERE id = $1)
		ON CONFLICT (notice, target) DO NOTHING`
	hurryDelivery = `UPDATE notice_deliveries SET due = $3, first_due = $3
		WHERE notice = $1 AND target = $2 AND state = 'waiting' AND tries = 0 AND due > $3`
)

// levels are how levels stand in the store.
var levels = map[notify.Level]int{notify.Info: 0, notify.Important: 1, notify.Urgent: 2}

func levelOf(n int) notify.Level {
	return []notify.Level{notify.Info, notify.Important, notify.Urgent}[min(max(n, 0), 2)]
}

// Add implements notify.Store.
func (s *Notices) Add(ctx context.Context, e *notify.Entry, most notify.Cap) (added notify.Added, err error) {
	refusal := error(nil)
	err = s.within(ctx, func(tx *sql.Tx) error {
		added, refusal, err = s.add(ctx, tx, e, most)
		return err
	})
	if err == nil {
		err = refusal
	}
	return added, err
}

// add gives a refusal apart from a fault: what it notes is kept.
func (s *Notices) add(ctx context.Context, tx *sql.Tx, e *notify.Entry, most notify.Cap) (added notify.Added, refusal, err error) {
	mark := markOf(e)
	won, err := changes(tx.ExecContext(ctx, markNotice, mark, e.At.UnixMicro(), e.ID, e.At.Add(-notify.Merge).UnixMicro(), ahead(e)))
	if err != nil {
		return added, nil, err
	}
	if won == 0 {
		return merge(ctx, tx, e, mark, most)
	}
	many, err := over(ctx, tx, e, most)
	if err != nil {
		return added, nil, err
	}
	if many != nil {
		_, err := tx.ExecContext(ctx, `DELETE FROM notice_marks WHERE mark = $1`, mark)
		return added, many, err
	}
	added.ID = e.ID
	if _, err := tx.ExecContext(ctx, insertNotice, e.ID, e.At.UnixMicro(), e.From, clean(e.Person), clean(e.Message), levels[e.Level], number(e.Asked)); err != nil {
		return added, nil, err
	}
	return added, nil, addDeliveries(ctx, tx, e.ID, e.Deliveries)
}

// merge makes e one with the notice of its mark.
func merge(ctx context.Context, tx *sql.Tx, e *notify.Entry, mark string, most notify.Cap) (added notify.Added, refusal, err error) {
	added.Merged = true
	var level sql.NullInt64
	if err := tx.QueryRowContext(ctx, markedNotice, mark).Scan(&added.ID, &level); err != nil {
		return added, nil, err
	}
	if e.Level == notify.Urgent && level.Valid && levelOf(int(level.Int64)) != notify.Urgent {
		many, err := over(ctx, tx, e, most)
		if err != nil {
			return added, nil, err
		}
		if many != nil {
			return notify.Added{}, many, nil
		}
	}
	if _, err := tx.ExecContext(ctx, raiseNotice, added.ID, levels[e.Level], number(e.Asked)); err != nil {
		return added, nil, err
	}
	for _, d := range e.Deliveries {
		if d.State != notify.Waiting {
			continue
		}
		if _, err := tx.ExecContext(ctx, hurryDelivery, added.ID, clean(d.Target), micro(d.Due)); err != nil {
			return added, nil, err
		}
	}
	return added, nil, addDeliveries(ctx, tx, added.ID, e.Deliveries)
}

// ahead is from when on a time lies so far ahead of e that the clock has stepped back.
func ahead(e *notify.Entry) int64 { return e.At.Add(notify.Merge).UnixMicro() }

// number is how a yes or no stands in the store.
func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func markOf(e *notify.Entry) string {
	sum := sha256.Sum256([]byte(e.From + "\x1f" + e.Person + "\x1f" + e.Message + "\x1f" + e.Mark))
	return hex.EncodeToString(sum[:])
}

// over is the refusal of a notice over its project's cap; nil where there is room, as there
// always is for the Hub. Several Hubs count one after the other.
func over(ctx context.Context, tx *sql.Tx, e *notify.Entry, most notify.Cap) (*notify.TooMany, error) {
	if e.From == notify.Hub {
		return nil, nil //nolint:nilnil // there is room
	}
	if _, err := tx.ExecContext(ctx, lockSender, e.From); err != nil {
		return nil, err
	}
	begins := e.At.Add(-most.Window).UnixMicro()
	var since int64
	err := tx.QueryRowContext(ctx, fullSince, e.From, begins, ahead(e), number(e.Level == notify.Urgent), most.Most-1).Scan(&since)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil //nolint:nilnil // there is room
	}
	if err != nil {
		return nil, err
	}
	first, err := changes(tx.ExecContext(ctx, tellSender, e.From, clean(e.Person), e.At.UnixMicro(), begins, ahead(e)))
	if err != nil {
		return nil, err
	}
	return &notify.TooMany{After: time.UnixMicro(since).Add(most.Window).Sub(e.At), First: first > 0}, nil
}

func addDeliveries(ctx context.Context, tx *sql.Tx, id string, list []notify.Delivery) error {
	for _, d := range list {
		if _, err := tx.ExecContext(ctx, insertDelivery, id, clean(d.Target), clean(d.Name), string(d.State),
			micro(d.Due), micro(d.First), micro(d.Done), clean(d.Reason)); err != nil {
			return err
		}
	}
	return nil
}

// micro is t in microseconds, 0 where it is zero; instant is the way back.
func micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func instant(micro int64) time.Time {
	if micro == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micro).UTC()
}

// within runs f in a transaction that writes.
func (s *Notices) within(ctx context.Context, f func(*sql.Tx) error) error {
	if err := s.sound(); err != nil {
		return err
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return s.explain(err)
	}
	defer tx.Rollback() // nothing, after a commit
	if err := f(tx); err != nil {
		return s.explain(err)
	}
	return s.explain(tx.Commit())
}

// changes is how many rows a statement changed.
func changes(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

const (
	// The inner choice may be another taker's too; who changes a row first has it.
	takeDeliveries = `UPDATE notice_deliveries SET holder = $1, until = $2
		WHERE target = $3 AND state = 'waiting' AND until <= $4 AND notice IN (
			SELECT notice FROM notice_deliveries WHERE target = $3 AND state = 'waiting' AND due <= $4 AND until <= $4
			ORDER BY due, notice LIMIT $5)
		RETURNING notice, name, tries, due, first_due, reason`
	noticeOf = `SELECT at, project, person, message, level, asked FROM notices WHERE id = $1`
	settle   = `UPDATE notice_deliveries SET state = $1, due = $2, tries = tries + $3, done = $4,
		reason = CASE WHEN $1 = 'delivered' OR $5 <> '' THEN $5 ELSE reason END, holder = '', until = 0
		WHERE notice = $6 AND target = $7 AND holder = $8 AND state = 'waiting'`
	// The targets are found by going from one to the next in the index, however many
	// deliveries each has.
	dueTargets = `WITH RECURSIVE t(target) AS (
			SELECT min(target) FROM notice_deliveries WHERE state = 'waiting'
			UNION ALL
			SELECT (SELECT min(d.target) FROM notice_deliveries d WHERE d.state = 'waiting' AND d.target > t.target)
			FROM t WHERE t.target IS NOT NULL)
		SELECT target FROM t WHERE target IS NOT NULL AND EXISTS (
			SELECT 1 FROM notice_deliveries d WHERE d.target = t.target AND d.state = 'waiting' AND d.due <= $1 AND d.until <= $1)`
	nextDue = `SELECT min(due) FROM notice_deliveries WHERE state = 'waiting' AND due > $1`
)

// Take implements notify.Store.
func (s *Notices) Take(ctx context.Context, t notify.Taking) (out []notify.Taken, err error) {
	err = s.within(ctx, func(tx *sql.Tx) error {
		out = nil
		notices := map[string]notify.Taken{}
		for _, target := range t.Targets {
			taken, err := takeOf(ctx, tx, t, target)
			if err != nil {
				return err
			}
			for i := range taken {
				if err := bring(ctx, tx, &taken[i], notices); err != nil {
					return err
				}
			}
			out = append(out, taken...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// takeOf holds one target's deliveries.
func takeOf(ctx context.Context, tx *sql.Tx, t notify.Taking, target string) ([]notify.Taken, error) {
	rows, err := tx.QueryContext(ctx, takeDeliveries, t.Holder, t.Now.Add(t.Lease).UnixMicro(), target, t.Now.UnixMicro(), t.Each)
	var taken []notify.Taken
	err = eachRow(rows, err, func(rows *sql.Rows) error {
		d := notify.Delivery{Target: target, State: notify.Waiting}
		var due, first int64
		err := rows.Scan(&d.Notice, &d.Name, &d.Tries, &due, &first, &d.Reason)
		d.Due, d.First = instant(due), instant(first)
		taken = append(taken, notify.Taken{Delivery: d})
		return err
	})
	slices.SortFunc(taken, func(a, b notify.Taken) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Notice, b.Notice))
	})
	return taken, err
}

// bring fills in the notice that a delivery brings.
func bring(ctx context.Context, tx *sql.Tx, t *notify.Taken, known map[string]notify.Taken) error {
	n, ok := known[t.Notice]
	if !ok {
		var at int64
		var level, asked int
		if err := tx.QueryRowContext(ctx, noticeOf, t.Notice).Scan(&at, &n.From, &n.Person, &n.Message, &level, &asked); err != nil {
			return err
		}
		n.NoticeAt, n.Level, n.Asked = instant(at), levelOf(level), asked != 0
		known[t.Notice] = n
	}
	n.Delivery = t.Delivery
	*t = n
	return nil
}

// Settle implements notify.Store.
func (s *Notices) Settle(ctx context.Context, results []notify.Result) error {
	return s.within(ctx, func(tx *sql.Tx) error {
		stmt, err := tx.PrepareContext(ctx, settle)
		if err != nil {
			return err
		}
		for _, r := range results {
			tried, done := 0, int64(0)
			if r.Tried {
				tried = 1
			}
			if r.State != notify.Waiting {
				done = micro(r.At)
			}
			if _, err := stmt.ExecContext(ctx, string(r.State), micro(r.Due), tried, done, clean(r.Reason), r.Notice, r.Target, r.Holder); err != nil {
				return err
			}
		}
		return nil
	})
}

// Due implements notify.Store.
func (s *Notices) Due(ctx context.Context, now time.Time) (targets []string, next time.Time, err error) {
	rows, err := s.read.QueryContext(ctx, dueTargets, now.UnixMicro())
	err = eachRow(rows, err, func(rows *sql.Rows) error {
		var target string
		err := rows.Scan(&target)
		targets = append(targets, target)
		return err
	})
	if err != nil {
		return nil, next, s.explain(err)
	}
	var at sql.NullInt64
	if err := s.read.QueryRowContext(ctx, nextDue, now.UnixMicro()).Scan(&at); err != nil {
		return nil, next, s.explain(err)
	}
	slices.Sort(targets)
	return targets, instant(at.Int64), nil
}
