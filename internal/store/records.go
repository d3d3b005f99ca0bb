package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/record"
)

// sweepChunk is how many records one transaction takes out, so that a sweep never
// keeps a save waiting for long.
const sweepChunk = 500

// Records keeps the record of requests.
type Records struct {
	write, read *sql.DB

	mu     sync.Mutex
	insert map[int]*sql.Stmt // by how many records it adds: one or chunk
}

var (
	_ record.Store = (*Records)(nil)
	_ record.Past  = (*Records)(nil)
)

// NewRecords is a record store on a migrated database; write and read may be the same.
func NewRecords(write, read *sql.DB) *Records {
	return &Records{write: write, read: read, insert: make(map[int]*sql.Stmt)}
}

const (
	insertOther = `INSERT INTO record_others (record_id, person) VALUES ($1, $2)
		ON CONFLICT (record_id, person) DO NOTHING`
	addCount = `INSERT INTO record_counts (day, way_in, status, n) VALUES ($1, $2, $3, $4)
		ON CONFLICT (day, way_in, status) DO UPDATE SET n = record_counts.n + excluded.n`
	getRecord    = `SELECT body FROM records WHERE id = $1`
	aboutRecords = `SELECT body FROM records WHERE asker = $1 OR person = $1
		OR id IN (SELECT record_id FROM record_others WHERE person = $1)
		ORDER BY at, id`
	removeRecords = `DELETE FROM records WHERE asker = $1 OR person = $1
		OR id IN (SELECT record_id FROM record_others WHERE person = $1)`
	sweepRecords = `DELETE FROM records WHERE id IN (SELECT id FROM records WHERE at < $1 ORDER BY at LIMIT $2)`
	listCounts   = `SELECT day, way_in, status, n FROM record_counts ORDER BY day, way_in, status`
)

// insertRecords adds n records with one statement, since a statement for each
// costs more than the record itself.
func insertRecords(n int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO records (id, at, asker, person, body) VALUES ")
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "($%d, $%d, $%d, $%d, $%d)", 5*i+1, 5*i+2, 5*i+3, 5*i+4, 5*i+5)
	}
	b.WriteString(" ON CONFLICT (id) DO NOTHING")
	return b.String()
}

// chunk is how many records one statement adds at most.
const chunk = 32

// inserting is the statement that adds n records, prepared once.
func (s *Records) inserting(ctx context.Context, n int) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt := s.insert[n]; stmt != nil {
		return stmt, nil
	}
	stmt, err := s.write.PrepareContext(ctx, insertRecords(n))
	if err == nil {
		s.insert[n] = stmt
	}
	return stmt, err
}

// Save implements record.Store.
func (s *Records) Save(ctx context.Context, b record.Batch) error {
	// Encoding comes first: it must not lengthen the time that the store is locked.
	bodies := make([]string, len(b.Records))
	for i := range b.Records {
		body, err := json.Marshal(&b.Records[i], jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return fmt.Errorf("record %s: %w", b.Records[i].ID, err)
		}
		bodies[i] = string(body)
	}
	// They are prepared before the transaction, which holds the one connection.
	one, err := s.inserting(ctx, 1)
	if err != nil {
		return err
	}
	many, err := s.inserting(ctx, chunk)
	if err != nil {
		return err
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing, after a commit
	if err := saveRecords(ctx, tx, one, many, b.Records, bodies); err != nil {
		return err
	}
	if err := saveOthers(ctx, tx, b.Records); err != nil {
		return err
	}
	for _, c := range b.Counts {
		if _, err := tx.ExecContext(ctx, addCount, c.Day, clean(c.WayIn), string(c.Status), c.N); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func saveRecords(ctx context.Context, tx *sql.Tx, one, many *sql.Stmt, records []record.Record, bodies []string) error {
	one, many = tx.StmtContext(ctx, one), tx.StmtContext(ctx, many)
	args := make([]any, 0, 5*chunk)
	for start, end := 0, 0; start < len(records); start = end {
		insert := one
		end = start + 1
		if len(records)-start >= chunk {
			insert, end = many, start+chunk
		}
		args = args[:0]
		for i := start; i < end; i++ {
			r := &records[i]
			args = append(args, r.ID, r.Time.UnixMicro(), clean(string(r.Asker)), clean(string(r.Person)), bodies[i])
		}
		if _, err := insert.ExecContext(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// saveOthers notes whom a record concerns besides its asker and its person.
func saveOthers(ctx context.Context, tx *sql.Tx, records []record.Record) error {
	for i := range records {
		r := &records[i]
		for j := range r.Parts {
			person := r.Parts[j].Person
			if person == "" || person == r.Person || person == ask.Person(r.Asker) {
				continue
			}
			if _, err := tx.ExecContext(ctx, insertOther, r.ID, clean(string(person))); err != nil {
				return err
			}
		}
	}
	return nil
}

// clean keeps out what only one of the engines takes: a NUL, and bytes that are not UTF-8.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// Get implements record.Store.
func (s *Records) Get(ctx context.Context, id string) (record.Record, error) {
	var body string
	err := s.read.QueryRowContext(ctx, getRecord, clean(id)).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return record.Record{}, record.ErrNotFound
	}
	if err != nil {
		return record.Record{}, err
	}
	return decode(body)
}

func decode(body string) (r record.Record, err error) {
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		return r, fmt.Errorf("a record in the store cannot be read: %w", err)
	}
	return r, nil
}

// About implements record.Store.
func (s *Records) About(ctx context.Context, person ask.Person) ([]record.Record, error) {
	rows, err := s.read.QueryContext(ctx, aboutRecords, clean(string(person)))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []record.Record
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil {
			return nil, err
		}
		r, err := decode(body)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// Remove implements record.Store.
func (s *Records) Remove(ctx context.Context, person ask.Person) (int, error) {
	return s.delete(ctx, removeRecords, clean(string(person)))
}

// Sweep implements record.Store.
func (s *Records) Sweep(ctx context.Context, before time.Time) (int, error) {
	total := 0
	for {
		n, err := s.delete(ctx, sweepRecords, before.UnixMicro(), sweepChunk)
		total += n
		if err != nil || n < sweepChunk {
			return total, err
		}
	}
}

func (s *Records) delete(ctx context.Context, query string, args ...any) (int, error) {
	res, err := s.write.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// Counts are all counts kept, by day.
func (s *Records) Counts(ctx context.Context) ([]record.Count, error) {
	rows, err := s.read.QueryContext(ctx, listCounts)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []record.Count
	for rows.Next() {
		var c record.Count
		if err := rows.Scan(&c.Day, &c.WayIn, &c.Status, &c.N); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}
