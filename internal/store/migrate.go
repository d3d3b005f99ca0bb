// Package store keeps the Hub's state in SQL that SQLite and PostgreSQL both take.
// The engines are in packages of their own; package sqlite opens one.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// ErrNewer is a store that a newer askhub has written.
var ErrNewer = errors.New("a newer askhub has written this store; use that version, or restore a backup made before it")

// Migrate brings the schema up to date. Where it is already, that takes one query.
func Migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, options ...goose.ProviderOption) error {
	version, newest, err := versions(ctx, db)
	switch {
	case err == nil && version == newest:
		return nil
	case err == nil && version > newest:
		return newer(version, newest)
	}
	// An error here is a store without the version's table, as a new one is; whatever
	// else is wrong, the migration meets it again and says so.
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	// The one table that the engines spell differently has a file for each.
	others := map[goose.Dialect]string{goose.DialectSQLite3: "postgres", goose.DialectPostgres: "sqlite"}
	names, err := fs.Glob(sub, "*_"+others[dialect]+".sql")
	if err != nil {
		return err
	}
	options = append(options, goose.WithExcludeNames(names), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	p, err := goose.NewProvider(dialect, db, sub, options...)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	// Another process may have begun the same at the same moment: what one of the two
	// then cannot make is there, and the rest is tried again.
	for before := int64(-1); ; before = version {
		if _, err = p.Up(ctx); err == nil {
			return nil
		}
		var fault error
		if version, newest, fault = versions(ctx, db); fault == nil && version == newest {
			return nil
		}
		if fault != nil || version <= before {
			return fmt.Errorf("bringing the store's schema up to date: %w", err)
		}
	}
}

// Known says whether this version can open the store, changing nothing.
func Known(ctx context.Context, db *sql.DB) error {
	version, newest, err := versions(ctx, db)
	if err == nil && version > newest {
		return newer(version, newest)
	}
	return err
}

func newer(version, newest int64) error {
	return fmt.Errorf("%w (schema %d, this version knows %d)", ErrNewer, version, newest)
}

// versions are the schema's version in the store and the newest one here.
func versions(ctx context.Context, db *sql.DB) (version, newest int64, err error) {
	if newest, err = newestMigration(); err != nil {
		return 0, 0, err
	}
	var v sql.NullInt64
	err = db.QueryRowContext(ctx, `SELECT max(version_id) FROM goose_db_version`).Scan(&v)
	return v.Int64, newest, err
}

// newestMigration is the highest number in front of an embedded file's name.
func newestMigration() (int64, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, err
	}
	var newest int64
	for _, f := range files {
		number, _, _ := strings.Cut(path.Base(f), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("migration %s: its name must begin with a number", f)
		}
		newest = max(newest, n)
	}
	return newest, nil
}
