package sqlite

import "github.com/askhub/askhub/internal/store"

// Notices is the outbox of notices. Nothing is written where the store's file is no longer
// the one that was opened.
func (db *DB) Notices() *store.Notices {
	return store.NewNotices(db.write, db.read, db.there, func(err error) error {
		if err == nil {
			return nil
		}
		return chatEngine{db}.Explain(err)
	})
}
