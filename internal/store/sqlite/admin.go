package sqlite

import (
	"context"

	"github.com/askhub/askhub/internal/store"
)

// Admin is what the admin app keeps; it ends with the store.
func (db *DB) Admin() *store.Admin { return store.NewAdmin(db.write, db.read, db.there) }

// closeCopied ends the admin app's sessions and codes in a copy; a store of before there were
// any has none.
func closeCopied(ctx context.Context, path string) error {
	db, err := plain(path, busy)
	if err != nil {
		return err
	}
	defer db.Close()
	var there int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'admin_sessions'`).Scan(&there); err != nil {
		return explain(path, err)
	}
	if there == 0 {
		return nil
	}
	if err := store.CloseCopied(ctx, db); err != nil {
		return explain(path, err)
	}
	return nil
}
