package sqlite

import (
	"context"

	"github.com/askhub/askhub/internal/store"
)

// Approvals keeps what waits for a person's yes.
func (db *DB) Approvals() *store.Approvals { return store.NewApprovals(db.write, db.read, db.there) }

// settleCopied ends the open approvals of a copy; a store of before there were any has none.
func settleCopied(ctx context.Context, path string) error {
	db, err := plain(path, busy)
	if err != nil {
		return err
	}
	defer db.Close()
	var there int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'approvals'`).Scan(&there); err != nil {
		return explain(path, err)
	}
	if there == 0 {
		return nil
	}
	if err := store.SettleCopied(ctx, db); err != nil {
		return explain(path, err)
	}
	return nil
}
