package store

import (
	"context"
	"time"

	"github.com/askhub/askhub/internal/record"
)

const (
	sinceRecords = `SELECT body FROM records WHERE at >= $1 ORDER BY at, id`
	dropRecord   = `INSERT INTO record_dropped (record_id) SELECT id FROM records WHERE id = $1
		ON CONFLICT (record_id) DO UPDATE SET record_id = excluded.record_id`
	listDropped = `SELECT record_id FROM record_dropped ORDER BY record_id`
)

// Since implements record.Past.
func (s *Records) Since(ctx context.Context, from time.Time, f func(record.Record) error) error {
	rows, err := s.read.QueryContext(ctx, sinceRecords, from.UnixMicro())
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil {
			return err
		}
		r, err := decode(body)
		if err != nil {
			return err
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Drop implements record.Past.
func (s *Records) Drop(ctx context.Context, ids ...string) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing, after a commit
	for _, id := range ids {
		res, err := tx.ExecContext(ctx, dropRecord, clean(id))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			return record.ErrNotFound
		}
	}
	return tx.Commit()
}

// Dropped implements record.Past.
func (s *Records) Dropped(ctx context.Context) ([]string, error) {
	rows, err := s.read.QueryContext(ctx, listDropped)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
