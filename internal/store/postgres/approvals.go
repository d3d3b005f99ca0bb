package postgres

import "github.com/askhub/askhub/internal/store"

// Approvals keeps what waits for a person's yes.
func (db *DB) Approvals() *store.Approvals { return store.NewApprovals(db.write, db.read, nil) }
