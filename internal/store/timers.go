package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/timers"
)

// Timers keeps timers and reminders.
type Timers struct {
	write, read *sql.DB
	sound       func() error
}

var _ timers.Store = (*Timers)(nil)

// NewTimers is a store of timers on a migrated database; write and read may be the same.
// Before each write, sound says why it must not be; nil is no reason.
func NewTimers(write, read *sql.DB, sound func() error) *Timers {
	if sound == nil {
		sound = func() error { return nil }
	}
	return &Timers{write: write, read: read, sound: sound}
}

const (
	timerColumns = `id, reminder, name, words, asker, person, room, made, due, state, until, tries`
	addTimer     = `INSERT INTO timers (` + timerColumns + `, ended) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', 0, 0, 0)
		ON CONFLICT (id) DO NOTHING`
	getTimer   = `SELECT ` + timerColumns + ` FROM timers WHERE id = $1`
	liveTimers = `SELECT ` + timerColumns + ` FROM timers WHERE state IN ('waiting', 'telling') ORDER BY due, id`
	// These are the statements that change a timer: of several at once, one finds it.
	tellTimer = `UPDATE timers SET state = 'telling', until = $2, tries = tries + 1
		WHERE id = $1 AND (state = 'waiting' OR state = 'telling' AND until <= $3)`
	endTimer    = `UPDATE timers SET state = $2, until = 0, ended = $3 WHERE id = $1 AND state = $4`
	sweepTimers = `DELETE FROM timers WHERE state IN ('told', 'cancelled') AND ended < $1`
)

// Add implements timers.Store.
func (s *Timers) Add(ctx context.Context, t timers.Timer) (timers.Timer, error) {
	if err := s.sound(); err != nil {
		return timers.Timer{}, err
	}
	reminder := 0
	if t.Reminder {
		reminder = 1
	}
	if _, err := s.write.ExecContext(ctx, addTimer, t.ID, reminder, clean(t.Name), clean(t.Words), clean(string(t.Asker)), clean(string(t.Person)),
		clean(t.Room), t.Made.UnixMicro(), t.Due.UnixMicro()); err != nil {
		return timers.Timer{}, err
	}
	return scanTimer(s.write.QueryRowContext(ctx, getTimer, t.ID))
}

// Live implements timers.Store.
func (s *Timers) Live(ctx context.Context) ([]timers.Timer, error) {
	rows, err := s.read.QueryContext(ctx, liveTimers)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var live []timers.Timer
	for rows.Next() {
		t, err := scanTimer(rows)
		if err != nil {
			return nil, err
		}
		live = append(live, t)
	}
	return live, rows.Err()
}

// Move implements timers.Store.
func (s *Timers) Move(ctx context.Context, m timers.Move) (bool, error) {
	if err := s.sound(); err != nil {
		return false, err
	}
	var res sql.Result
	var err error
	switch m.To {
	case timers.Telling:
		res, err = s.write.ExecContext(ctx, tellTimer, m.ID, m.Until.UnixMicro(), m.Now.UnixMicro())
	case timers.Cancelled:
		res, err = s.write.ExecContext(ctx, endTimer, m.ID, string(m.To), m.Now.UnixMicro(), string(timers.Waiting))
	case timers.Told:
		res, err = s.write.ExecContext(ctx, endTimer, m.ID, string(m.To), m.Now.UnixMicro(), string(timers.Telling))
	default:
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Sweep implements timers.Store.
func (s *Timers) Sweep(ctx context.Context, before time.Time) error {
	if err := s.sound(); err != nil {
		return err
	}
	_, err := s.write.ExecContext(ctx, sweepTimers, before.UnixMicro())
	return err
}

// scanTimer reads one row of timerColumns.
func scanTimer(row interface{ Scan(to ...any) error }) (timers.Timer, error) {
	var t timers.Timer
	var reminder int
	var asker, person, state string
	var made, due, until int64
	if err := row.Scan(&t.ID, &reminder, &t.Name, &t.Words, &asker, &person, &t.Room, &made, &due, &state, &until, &t.Tries); err != nil {
		return timers.Timer{}, err
	}
	t.Reminder, t.Asker, t.Person, t.State = reminder == 1, ask.Asker(asker), ask.Person(person), timers.State(state)
	t.Made, t.Due = time.UnixMicro(made), time.UnixMicro(due)
	if until != 0 {
		t.Until = time.UnixMicro(until)
	}
	return t, nil
}
