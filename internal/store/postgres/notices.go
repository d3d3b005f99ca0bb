package postgres

import "github.com/askhub/askhub/internal/store"

// Notices is the outbox of notices.
func (db *DB) Notices() *store.Notices {
	return store.NewNotices(db.write, db.read, func() error { return nil }, db.explain)
}
