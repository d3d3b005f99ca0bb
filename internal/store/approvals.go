package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/approve"
)

// Approvals keeps what waits for a person's yes, and what became of it.
type Approvals struct {
	write, read *sql.DB
	ready       func() error
}

var (
	_ approve.Store   = (*Approvals)(nil)
	_ approve.Sweeper = (*Approvals)(nil)
)

// NewApprovals is an approval store on a migrated database; write and read may be the
// same. Ready says what keeps it from being written just now; nil is nothing.
func NewApprovals(write, read *sql.DB, ready func() error) *Approvals {
	if ready == nil {
		ready = func() error { return nil }
	}
	return &Approvals{write: write, read: read, ready: ready}
}

const approvalColumns = `id, owner, what, who, why, action, digest, same, state, created, expires, deadline, message, decided_by, decided, ended`

const (
	// Of two that take one slot at once, or ask for the same, the indexes let one through.
	addApproval = `INSERT INTO approvals (id, owner, what, who, why, action, digest, same, slot, state, created, expires, deadline, message, decided_by, decided, ended)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, free.slot, 'pending', CAST($9 AS bigint), CAST($10 AS bigint), 0, '', '', 0, 0
		FROM (SELECT 1 AS slot UNION ALL SELECT 2 UNION ALL SELECT 3) AS free
		WHERE NOT EXISTS (SELECT 1 FROM approvals AS a WHERE a.owner = $2 AND a.who = $4 AND a.slot = free.slot AND a.state = 'pending')
		AND NOT EXISTS (SELECT 1 FROM approval_mutes AS m WHERE m.owner = $2 AND m.who = $4 AND m.until > CAST($11 AS bigint))
		ORDER BY free.slot LIMIT 1
		ON CONFLICT DO NOTHING`
	isMuted      = `SELECT count(*) FROM approval_mutes WHERE owner = $1 AND who = $2 AND until > $3`
	countPending = `SELECT count(*) FROM approvals WHERE owner = $1 AND who = $2 AND state = 'pending'`
	findSame     = `SELECT ` + approvalColumns + ` FROM approvals WHERE owner = $1 AND same = $2 AND state = 'pending'`
	getApproval  = `SELECT ` + approvalColumns + ` FROM approvals WHERE owner = $1 AND id = $2`
	// This is the one statement that changes an approval.
	moveApproval = `UPDATE approvals SET state = $1, deadline = $2, message = $3, decided_by = $4, decided = $5, ended = $6
		WHERE owner = $7 AND id = $8 AND state = $9 AND ($10 = '' OR digest = $10)
		AND (CAST($11 AS bigint) = 0 OR expires > CAST($11 AS bigint) AND created <= CAST($12 AS bigint))
		AND (CAST($13 AS bigint) = 0 OR deadline <= CAST($13 AS bigint))`
	muteAsker = `INSERT INTO approval_mutes (owner, who, until) VALUES ($1, $2, $3)
		ON CONFLICT (owner, who) DO UPDATE SET until = excluded.until`
	sweepApprovals = `DELETE FROM approvals WHERE owner = $1 AND created < $2 AND state NOT IN ('pending', 'approved', 'executing')`
	// Names are as the household writes them.
	aboutApprovals  = `SELECT ` + approvalColumns + ` FROM approvals WHERE who = $1 OR decided_by = $1 ORDER BY created, id`
	forgetApprovals = `DELETE FROM approvals WHERE (who = $1 OR decided_by = $1) AND state NOT IN ('pending', 'approved', 'executing')`
	sweepMutes      = `DELETE FROM approval_mutes WHERE owner = $1 AND until < $2`
	inListOrder     = ` ORDER BY CASE state WHEN 'pending' THEN 0 WHEN 'approved' THEN 1 WHEN 'executing' THEN 1 ELSE 2 END, created DESC, id LIMIT $2`
	listAll         = `SELECT ` + approvalColumns + ` FROM approvals WHERE owner = $1` + inListOrder
	listOpen        = `SELECT ` + approvalColumns + ` FROM approvals WHERE owner = $1 AND state IN ('pending', 'approved', 'executing')` + inListOrder
)

// addTries is how often an Add looks again after it has met another.
const addTries = 20

// Add implements approve.Store.
func (s *Approvals) Add(ctx context.Context, k approve.Kept, now time.Time) (approve.Kept, error) {
	if err := s.ready(); err != nil {
		return approve.Kept{}, err
	}
	for range addTries {
		res, err := s.write.ExecContext(ctx, addApproval, k.ID, k.Owner, k.What, k.Who, k.Why, string(k.Action), k.Digest, k.Same,
			micros(k.Created), micros(k.Expires), micros(now))
		if err != nil {
			return approve.Kept{}, err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			return k, err
		}
		other, err := s.instead(ctx, &k, now)
		if err != nil || other.ID != "" {
			return other, err
		}
	}
	return approve.Kept{}, errors.New("too many ask at once for the same asker")
}

// instead says why k was not kept: the equal one that waits, or an error. It is a zero Kept
// where that is no longer so.
func (s *Approvals) instead(ctx context.Context, k *approve.Kept, now time.Time) (approve.Kept, error) {
	var n int
	if err := s.write.QueryRowContext(ctx, isMuted, k.Owner, k.Who, micros(now)).Scan(&n); err != nil {
		return approve.Kept{}, err
	}
	if n > 0 {
		return approve.Kept{}, approve.ErrMuted
	}
	same, err := scanApproval(s.write.QueryRowContext(ctx, findSame, k.Owner, k.Same))
	if !errors.Is(err, sql.ErrNoRows) {
		return same, err
	}
	if err := s.write.QueryRowContext(ctx, countPending, k.Owner, k.Who).Scan(&n); err != nil {
		return approve.Kept{}, err
	}
	if n >= approve.MaxPending {
		return approve.Kept{}, approve.ErrTooMany
	}
	return approve.Kept{}, nil
}

// Move implements approve.Store.
func (s *Approvals) Move(ctx context.Context, m approve.Move) (bool, error) {
	if err := s.ready(); err != nil {
		return false, err
	}
	if m.Mute.IsZero() {
		return move(ctx, s.write, &m)
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // nothing, after a commit
	moved, err := move(ctx, tx, &m)
	if err != nil || !moved {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, muteAsker, m.Owner, m.Who, micros(m.Mute)); err != nil {
		return false, err
	}
	return true, tx.Commit()
}

// execer is a database or a transaction of it.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func move(ctx context.Context, db execer, m *approve.Move) (bool, error) {
	skewed := int64(0)
	if !m.Within.IsZero() {
		skewed = micros(m.Within.Add(approve.Skew))
	}
	res, err := db.ExecContext(ctx, moveApproval, string(m.To), micros(m.Deadline), clean(m.Result.Message), clean(m.Result.By),
		micros(m.Result.Decided), micros(m.Result.Ended), m.Owner, clean(m.ID), string(m.From), m.Digest, micros(m.Within), skewed, micros(m.Due))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Get implements approve.Store.
func (s *Approvals) Get(ctx context.Context, owner, id string) (approve.Kept, error) {
	k, err := scanApproval(s.read.QueryRowContext(ctx, getApproval, owner, clean(id)))
	if errors.Is(err, sql.ErrNoRows) {
		return k, approve.ErrUnknown
	}
	return k, err
}

// List implements approve.Store.
func (s *Approvals) List(ctx context.Context, owner string, open bool, most int) ([]approve.Kept, error) {
	query := listAll
	if open {
		query = listOpen
	}
	return s.query(ctx, query, owner, most)
}

// About gives what a person has asked for or decided, of every owner, oldest first.
func (s *Approvals) About(ctx context.Context, person string) ([]approve.Kept, error) {
	return s.query(ctx, aboutApprovals, clean(person))
}

// Forget removes what a person has asked for or decided and is over, of every owner, and
// says how many it removed.
func (s *Approvals) Forget(ctx context.Context, person string) (int, error) {
	if err := s.ready(); err != nil {
		return 0, err
	}
	res, err := s.write.ExecContext(ctx, forgetApprovals, clean(person))
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

func (s *Approvals) query(ctx context.Context, query string, args ...any) ([]approve.Kept, error) {
	rows, err := s.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []approve.Kept
	for rows.Next() {
		k, err := scanApproval(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, rows.Err()
}

// Sweep implements approve.Sweeper.
func (s *Approvals) Sweep(ctx context.Context, owner string, before time.Time) (int, error) {
	if err := s.ready(); err != nil {
		return 0, err
	}
	if _, err := s.write.ExecContext(ctx, sweepMutes, owner, micros(before)); err != nil {
		return 0, err
	}
	res, err := s.write.ExecContext(ctx, sweepApprovals, owner, micros(before))
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

func scanApproval(row interface{ Scan(dest ...any) error }) (k approve.Kept, err error) {
	var action string
	var created, expires, deadline, decided, ended int64
	var r approve.Result
	err = row.Scan(&k.ID, &k.Owner, &k.What, &k.Who, &k.Why, &action, &k.Digest, &k.Same, &k.State, &created, &expires, &deadline,
		&r.Message, &r.By, &decided, &ended)
	if err != nil {
		return approve.Kept{}, err
	}
	k.Action = jsontext.Value(action)
	k.Created, k.Expires, k.Deadline = fromMicros(created), fromMicros(expires), fromMicros(deadline)
	r.Decided, r.Ended = fromMicros(decided), fromMicros(ended)
	if k.State != approve.Pending {
		k.Result = &r
	}
	if !k.Action.IsValid() {
		// Somebody has changed the row. It is shown as a text, and its digest is another's.
		k.Action, err = jsontext.AppendQuote(nil, clean(action))
	}
	return k, err
}

// micros is t in microseconds since 1970; 0 is no time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// settleCopied ends what is open. A copy may be brought back at any time: a yes that came
// after it was made must not be given a second time.
const settleCopied = `UPDATE approvals SET
	message = CASE state WHEN 'executing' THEN 'It was being carried out when this backup was made; please look whether it was.'
		ELSE 'It was open when this backup was made, so nothing was done from here.' END,
	decided = CASE state WHEN 'pending' THEN expires ELSE decided END,
	ended = CASE state WHEN 'pending' THEN 0 ELSE deadline END,
	deadline = 0,
	state = CASE state WHEN 'pending' THEN 'expired' WHEN 'approved' THEN 'failed' ELSE 'unknown' END
	WHERE state IN ('pending', 'approved', 'executing')`

// SettleCopied ends the open approvals of a copy of a store.
func SettleCopied(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, settleCopied)
	return err
}
