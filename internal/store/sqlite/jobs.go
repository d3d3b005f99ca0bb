package sqlite

import "github.com/askhub/askhub/internal/store"

// Jobs keeps the jobs that were asked for.
func (db *DB) Jobs() *store.Jobs { return store.NewJobs(db.write, db.read) }
