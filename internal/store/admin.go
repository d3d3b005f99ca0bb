package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/admin"
)

// Admin keeps what the admin app keeps.
type Admin struct {
	write, read *sql.DB
	there       func() error
}

var _ admin.Store = (*Admin)(nil)

// NewAdmin is the admin app's store on a migrated database; write and read may be the
// same. there says before each write whether the database is still the one that was
// opened; it may be nil.
func NewAdmin(write, read *sql.DB, there func() error) *Admin {
	if there == nil {
		there = func() error { return nil }
	}
	return &Admin{write: write, read: read, there: there}
}

const (
	spendAdminCode  = `DELETE FROM admin_codes WHERE id = $1 AND person = $2 AND expires > $3`
	addAdminKey     = `INSERT INTO admin_passkeys (name, id, person, handle, host, label, public_key, flags, aaguid, transports, sign_count, created, used) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`
	listAdminKeys   = `SELECT id, person, handle, host, label, public_key, flags, aaguid, transports, sign_count, created, used FROM admin_passkeys ORDER BY created, name`
	countAdminKey   = `SELECT count(*) FROM admin_passkeys WHERE name = $1`
	useAdminKey     = `UPDATE admin_passkeys SET sign_count = $2, used = $3 WHERE name = $1 AND (sign_count < $2 OR sign_count = 0 AND $2 = 0)`
	dropSessionsOf  = `DELETE FROM admin_sessions WHERE passkey = $1`
	dropAdminKey    = `DELETE FROM admin_passkeys WHERE name = $1`
	dropPushesOf    = `DELETE FROM push_subscriptions WHERE person = (SELECT person FROM admin_passkeys WHERE name = $1) AND NOT EXISTS (SELECT 1 FROM admin_passkeys k WHERE k.person = push_subscriptions.person AND k.name <> $1)`
	dropOldSessions = `DELETE FROM admin_sessions WHERE created <= $1`
	addSession      = `INSERT INTO admin_sessions (digest, passkey, person, label, created, seen) SELECT CAST($1 AS text), name, CAST($3 AS text), CAST($4 AS text), CAST($5 AS bigint), CAST($6 AS bigint) FROM admin_passkeys WHERE name = $2`
	getSession      = `SELECT digest, passkey, person, label, created, seen FROM admin_sessions WHERE digest = $1`
	listSessions    = `SELECT digest, passkey, person, label, created, seen FROM admin_sessions ORDER BY created DESC, digest`
	touchSession    = `UPDATE admin_sessions SET seen = $2 WHERE digest = $1 AND seen < $2`
	endSession      = `DELETE FROM admin_sessions WHERE digest = $1`
	dropCodesOf     = `DELETE FROM admin_codes WHERE person = $1 OR id = $2`
	addAdminCode    = `INSERT INTO admin_codes (id, digest, person, expires, tries) VALUES ($1, $2, $3, $4, $5)`
	dropAllSessions = `DELETE FROM admin_sessions WHERE person = $1`
	dropAllPushes   = `DELETE FROM push_subscriptions WHERE person = $1`
	dropAdminKeysOf = `DELETE FROM admin_passkeys WHERE person = $1`
	tryCode         = `UPDATE admin_codes SET tries = tries - 1 WHERE id = $1 AND tries > 0 AND expires > $2 RETURNING id, digest, person, expires, tries`
	lastDeed        = `SELECT coalesce(max(n), 0) FROM admin_deeds`
	addDeed         = `INSERT INTO admin_deeds (n, at, person, did, about, owner, approval) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`
	dropOldDeeds    = `DELETE FROM admin_deeds WHERE n <= $1`
	listDeeds       = `SELECT at, person, did, about, owner, approval FROM admin_deeds ORDER BY n DESC LIMIT $1`
)

// change runs one transaction that writes.
func (a *Admin) change(ctx context.Context, work func(*sql.Tx) error) error {
	if err := a.there(); err != nil {
		return err
	}
	tx, err := a.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing, after a commit
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// adminChanged runs one statement and says how many rows it met.
func adminChanged(ctx context.Context, tx *sql.Tx, query string, args ...any) (int, error) {
	done, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}

// adminMust is none where the statement met no row.
func adminMust(ctx context.Context, tx *sql.Tx, none error, query string, args ...any) error {
	n, err := adminChanged(ctx, tx, query, args...)
	if err == nil && n == 0 {
		return none
	}
	return err
}

// Enrol implements admin.Passkeys.
func (a *Admin) Enrol(ctx context.Context, code string, p admin.Passkey) error {
	return a.change(ctx, func(tx *sql.Tx) error {
		if err := adminMust(ctx, tx, admin.ErrCode, spendAdminCode, clean(code), clean(p.Person), p.Created.UnixMicro()); err != nil {
			return err
		}
		return adminMust(ctx, tx, admin.ErrTaken, addAdminKey, p.Name(), p.ID, clean(p.Person), p.Handle, clean(p.Host), clean(p.Label),
			p.PublicKey, int64(p.Flags), orEmptyBytes(p.AAGUID), clean(strings.Join(p.Transports, ",")), int64(p.Count), p.Created.UnixMicro(), adminMicro(p.Used))
	})
}

// orEmptyBytes is the bytes, never NULL.
func orEmptyBytes(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// adminMicro is the zero time as 0.
func adminMicro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func adminTime(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// Passkeys implements admin.Passkeys.
func (a *Admin) Passkeys(ctx context.Context) (out []admin.Passkey, err error) {
	return adminRows(ctx, a.read, func(scan func(...any) error) (p admin.Passkey, err error) {
		var transports string
		var created, used int64
		err = scan(&p.ID, &p.Person, &p.Handle, &p.Host, &p.Label, &p.PublicKey, &p.Flags, &p.AAGUID, &transports, &p.Count, &created, &used)
		if transports != "" {
			p.Transports = strings.Split(transports, ",")
		}
		p.Created, p.Used = adminTime(created), adminTime(used)
		return p, err
	}, listAdminKeys)
}

// adminRows reads the rows of a query.
func adminRows[T any](ctx context.Context, db *sql.DB, read func(scan func(...any) error) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		one, err := read(rows.Scan)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, rows.Err()
}

// Used implements admin.Passkeys.
func (a *Admin) Used(ctx context.Context, name string, count uint32, at time.Time) error {
	return a.change(ctx, func(tx *sql.Tx) error {
		n, err := adminChanged(ctx, tx, useAdminKey, clean(name), int64(count), at.UnixMicro())
		if err != nil || n > 0 {
			return err
		}
		if err := tx.QueryRowContext(ctx, countAdminKey, clean(name)).Scan(&n); err != nil {
			return err
		}
		if n == 0 {
			return admin.ErrUnknown
		}
		return admin.ErrCounter
	})
}

// Revoke implements admin.Passkeys. With a person's last passkey go the browsers that take
// pushes for them: one of those may be on the lost phone.
func (a *Admin) Revoke(ctx context.Context, name string) error {
	return a.change(ctx, func(tx *sql.Tx) error {
		if _, err := adminChanged(ctx, tx, dropSessionsOf, clean(name)); err != nil {
			return err
		}
		if _, err := adminChanged(ctx, tx, dropPushesOf, clean(name)); err != nil {
			return err
		}
		return adminMust(ctx, tx, admin.ErrUnknown, dropAdminKey, clean(name))
	})
}

// Begin implements admin.Sessions.
func (a *Admin) Begin(ctx context.Context, s admin.Session) error {
	return a.change(ctx, func(tx *sql.Tx) error {
		if _, err := adminChanged(ctx, tx, dropOldSessions, s.Created.Add(-admin.SessionWhole).UnixMicro()); err != nil {
			return err
		}
		return adminMust(ctx, tx, admin.ErrUnknown, addSession, clean(s.Digest), clean(s.Passkey), clean(s.Person), clean(s.Label), s.Created.UnixMicro(), s.Seen.UnixMicro())
	})
}

func scanSession(scan func(...any) error) (s admin.Session, err error) {
	var created, seen int64
	err = scan(&s.Digest, &s.Passkey, &s.Person, &s.Label, &created, &seen)
	s.Created, s.Seen = adminTime(created), adminTime(seen)
	return s, err
}

// Session implements admin.Sessions.
func (a *Admin) Session(ctx context.Context, digest string) (admin.Session, error) {
	s, err := scanSession(a.read.QueryRowContext(ctx, getSession, clean(digest)).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return admin.Session{}, admin.ErrUnknown
	}
	return s, err
}

// Touch implements admin.Sessions.
func (a *Admin) Touch(ctx context.Context, digest string, at time.Time) error {
	return a.change(ctx, func(tx *sql.Tx) error {
		_, err := adminChanged(ctx, tx, touchSession, clean(digest), at.UnixMicro())
		return err
	})
}

// Sessions implements admin.Sessions.
func (a *Admin) Sessions(ctx context.Context) ([]admin.Session, error) {
	return adminRows(ctx, a.read, scanSession, listSessions)
}

// End implements admin.Sessions.
func (a *Admin) End(ctx context.Context, digest string) error {
	return a.change(ctx, func(tx *sql.Tx) error { return adminMust(ctx, tx, admin.ErrUnknown, endSession, clean(digest)) })
}

// NewCode implements admin.Codes. With replace, the person's pushes go as by Revoke.
func (a *Admin) NewCode(ctx context.Context, c admin.Code, replace bool) (revoked int, err error) {
	err = a.change(ctx, func(tx *sql.Tx) (err error) {
		if _, err := adminChanged(ctx, tx, dropCodesOf, clean(c.Person), clean(c.ID)); err != nil {
			return err
		}
		if _, err := adminChanged(ctx, tx, addAdminCode, clean(c.ID), clean(c.Digest), clean(c.Person), c.Expires.UnixMicro(), c.Tries); err != nil {
			return err
		}
		if !replace {
			return nil
		}
		if _, err := adminChanged(ctx, tx, dropAllSessions, clean(c.Person)); err != nil {
			return err
		}
		if _, err := adminChanged(ctx, tx, dropAllPushes, clean(c.Person)); err != nil {
			return err
		}
		revoked, err = adminChanged(ctx, tx, dropAdminKeysOf, clean(c.Person))
		return err
	})
	return revoked, err
}

// Try implements admin.Codes.
func (a *Admin) Try(ctx context.Context, id string, now time.Time) (c admin.Code, err error) {
	err = a.change(ctx, func(tx *sql.Tx) error {
		var expires int64
		err := tx.QueryRowContext(ctx, tryCode, clean(id), now.UnixMicro()).Scan(&c.ID, &c.Digest, &c.Person, &expires, &c.Tries)
		if errors.Is(err, sql.ErrNoRows) {
			return admin.ErrCode
		}
		c.Expires = adminTime(expires)
		return err
	})
	if err != nil {
		return admin.Code{}, err
	}
	return c, nil
}

// Note implements admin.History.
func (a *Admin) Note(ctx context.Context, d admin.Deed) error {
	for {
		met := 0
		err := a.change(ctx, func(tx *sql.Tx) error {
			var last int64
			if err := tx.QueryRowContext(ctx, lastDeed).Scan(&last); err != nil {
				return err
			}
			if _, err := adminChanged(ctx, tx, dropOldDeeds, last+1-admin.DeedsKept); err != nil {
				return err
			}
			var err error
			met, err = adminChanged(ctx, tx, addDeed, last+1, d.At.UnixMicro(), clean(d.Person), clean(string(d.Did)), clean(d.About), clean(d.Owner), clean(d.Approval))
			return err
		})
		if err != nil || met > 0 {
			return err
		}
		// Another process had the same number; the next one is free.
	}
}

// Deeds implements admin.History.
func (a *Admin) Deeds(ctx context.Context, most int) ([]admin.Deed, error) {
	return adminRows(ctx, a.read, func(scan func(...any) error) (d admin.Deed, err error) {
		var at int64
		err = scan(&at, &d.Person, &d.Did, &d.About, &d.Owner, &d.Approval)
		d.At = adminTime(at)
		return d, err
	}, listDeeds, most)
}

// CloseCopied ends the sessions and the codes of a copy of a store: one that was ended since
// must not come back to life with it.
func CloseCopied(ctx context.Context, db *sql.DB) error {
	for _, drop := range []string{`DELETE FROM admin_sessions`, `DELETE FROM admin_codes`} {
		if _, err := db.ExecContext(ctx, drop); err != nil {
			return err
		}
	}
	return nil
}
