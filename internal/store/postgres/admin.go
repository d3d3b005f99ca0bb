package postgres

import "github.com/askhub/askhub/internal/store"

// Admin is what the admin app keeps; it ends with the store.
func (db *DB) Admin() *store.Admin { return store.NewAdmin(db.write, db.read, nil) }
