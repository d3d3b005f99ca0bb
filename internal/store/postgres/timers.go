package postgres

import "github.com/askhub/askhub/internal/store"

// Timers keeps timers and reminders.
func (db *DB) Timers() *store.Timers { return store.NewTimers(db.write, db.read, nil) }
