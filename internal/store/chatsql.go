package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
)

// statements are a database's prepared statements, made when they are first needed.
type statements struct {
	db *sql.DB
	// byText has each *sql.Stmt by its query.
	byText sync.Map
}

func newStatements(db *sql.DB) *statements { return &statements{db: db} }

// Close gives the statements back.
func (s *statements) Close() error {
	var all []error
	s.byText.Range(func(_, stmt any) bool {
		all = append(all, stmt.(*sql.Stmt).Close())
		return true
	})
	return errors.Join(all...)
}

func (s *statements) preparedStmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := s.byText.Load(query); ok {
		return stmt.(*sql.Stmt), nil
	}
	stmt, err := s.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if first, there := s.byText.LoadOrStore(query, stmt); there {
		return first.(*sql.Stmt), stmt.Close()
	}
	return stmt, nil
}

// one reads the only row of a query; sql.ErrNoRows where there is none.
func (s *statements) one(ctx context.Context, query string, args []any, into ...any) error {
	stmt, err := s.preparedStmt(ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, args...).Scan(into...)
}

// each reads the rows of a query, one call of scan a row.
func (s *statements) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	stmt, err := s.preparedStmt(ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	return eachRow(rows, err, scan)
}

func eachRow(rows *sql.Rows, err error, scan func(*sql.Rows) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// A shape is a statement for several rows at once: one for each row would cost more
// than the row itself.
type shape struct {
	before, row, after string
}

// text is the statement for n rows; parameter writes the one with that number.
func (s *shape) text(n int, parameter func(number int) string) string {
	var b strings.Builder
	b.WriteString(s.before)
	between := ", "
	if s == dropMessages {
		between = " OR "
	}
	number := 0
	for i := range n {
		if i > 0 {
			b.WriteString(between)
		}
		for _, c := range s.row {
			if c != '?' {
				b.WriteRune(c)
				continue
			}
			number++
			b.WriteString(parameter(number))
		}
	}
	b.WriteString(s.after)
	return b.String()
}

// sizes are for how many rows there are statements, the smallest first.
var sizes = []int{1, 4, 16, 64}

// The shapes of what a batch reads: where there are fewer rows than the statement has
// room for, the last one is repeated.
var (
	loadThreads = &shape{`SELECT thread, version, last, handled, awaiting, posts, person, answers, hinted, reply_to,
		holder, until, tries FROM chat_threads WHERE thread IN (`, `?`, `)`}
	loadKept      = &shape{`SELECT thread, epoch, asks FROM chat_messages WHERE thread IN (`, `?`, `) ORDER BY thread, epoch`}
	loadAddresses = &shape{`SELECT address, posts FROM chat_addresses WHERE address IN (`, `?`, `)`}
	loadKeys      = &shape{`WITH wanted (thread, mark) AS (VALUES `, `(?, ?)`, `) SELECT k.thread, k.mark, k.id, k.epoch, k.author, m.body
		FROM wanted w JOIN chat_keys k ON k.thread = w.thread AND k.mark = w.mark
		LEFT JOIN chat_messages m ON m.thread = k.thread AND m.epoch = k.epoch`}
)

// The shapes of what it writes.
var (
	saveMessages = &shape{`INSERT INTO chat_messages (thread, epoch, id, author, asks, body) VALUES `, `(?, ?, ?, ?, ?, ?)`, ``}
	saveThreads  = &shape{
		`INSERT INTO chat_threads (thread, version, last, newest, oldest, kept, awaiting, handled, waits,
		posts, person, answers, hinted, reply_to, holder, until, tries) VALUES `, `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		` ON CONFLICT (thread) DO UPDATE SET version = excluded.version, last = excluded.last, newest = excluded.newest,
		oldest = excluded.oldest, kept = excluded.kept, awaiting = excluded.awaiting, handled = excluded.handled,
		waits = excluded.waits, posts = excluded.posts, person = excluded.person, answers = excluded.answers,
		hinted = excluded.hinted, reply_to = excluded.reply_to, holder = excluded.holder, until = excluded.until,
		tries = excluded.tries`,
	}
	saveAddresses = &shape{
		`INSERT INTO chat_addresses (address, newest, posts) VALUES `, `(?, ?, ?)`,
		` ON CONFLICT (address) DO UPDATE SET newest = excluded.newest, posts = excluded.posts`,
	}
	// What goes, rather than all before an epoch: that would be a statement a thread.
	// SQLite would go through the whole table for a list of pairs.
	dropMessages = &shape{`DELETE FROM chat_messages WHERE `, `(thread = ? AND epoch = ?)`, ``}
	saveKeys     = &shape{`INSERT INTO chat_keys (thread, mark, id, epoch, author, at) VALUES `, `(?, ?, ?, ?, ?, ?)`, ``}
)

const (
	bumpState    = `UPDATE chat_state SET version = version + 1 WHERE id = 1 RETURNING version`
	countThreads = `SELECT count(*) FROM chat_threads WHERE kept > 0`
	findMessage  = `SELECT count(*) FROM chat_messages WHERE thread = $1 AND epoch = $2 AND id = $3`
)

// prepared is a shape's statements by size; nil where one was not needed yet.
type prepared [4]*sql.Stmt
