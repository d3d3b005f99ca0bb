// Package sqlite opens the Hub's state in one SQLite file: nothing that was
// acknowledged is lost, whatever kills the process or the machine.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/store"
)

// busy is how long one connection waits for another's write.
const busy = 5 * time.Second

// DB is an open store.
type DB struct {
	path        string
	write, read *sql.DB
	records     *Records
	// file is the store as it was opened.
	file os.FileInfo

	mu    sync.Mutex
	chats []*store.Chat
}

// Records is the record of requests.
type Records struct {
	*store.Records
	db *DB
}

// Save keeps the batch. It is an ErrGone where the store's file is no longer the one
// that was opened: SQLite would go on to write into what nobody finds again.
func (r *Records) Save(ctx context.Context, b record.Batch) error {
	if err := r.db.there(); err != nil {
		return err
	}
	return r.Records.Save(ctx, b)
}

// Drop marks the records, under the same condition as Save.
func (r *Records) Drop(ctx context.Context, ids ...string) error {
	if err := r.db.there(); err != nil {
		return err
	}
	return r.Records.Drop(ctx, ids...)
}

// there is an ErrGone where the store's file is another one, or none.
func (db *DB) there() error {
	if now, err := os.Stat(db.path); err != nil || !os.SameFile(now, db.file) {
		return fmt.Errorf("%s: %w", db.path, ErrGone)
	}
	return nil
}

// The faults that a caller may want to tell apart.
var (
	// ErrLocked is a store that another process holds.
	ErrLocked = errors.New("another process holds the store")
	// ErrReadOnly is a store that cannot be written.
	ErrReadOnly = errors.New("the store cannot be written")
	// ErrNotStore is a file that is no SQLite database, or a damaged one.
	ErrNotStore = errors.New("this is not a store, or it is damaged")
	// ErrGone is a store whose file was taken away or replaced while it was open.
	ErrGone = errors.New("the store's file was taken away or replaced while askhub had it open; start askhub again")
	// ErrFull is a disk with no room left.
	ErrFull = errors.New("the disk is full")
)

// Open opens the store at path and makes it where there is none (mode 0600), its
// schema up to date. Its errors say what to mend.
func Open(ctx context.Context, path string) (*DB, error) {
	if err := prepare(path); err != nil {
		return nil, err
	}
	writer, err := connector(path, false)
	if err != nil {
		return nil, err
	}
	reader, err := connector(path, true)
	if err != nil {
		return nil, err
	}
	db := &DB{path: path, write: sql.OpenDB(writer), read: sql.OpenDB(reader)}
	db.write.SetMaxOpenConns(1)
	db.write.SetMaxIdleConns(1)
	db.read.SetMaxOpenConns(4)
	db.read.SetMaxIdleConns(2)
	db.read.SetConnMaxIdleTime(time.Minute)
	if err := db.start(ctx); err != nil {
		_ = db.Close()
		// Damage can look like a schema that is half there.
		if damage := Check(ctx, path); errors.Is(damage, ErrNotStore) {
			return nil, damage
		}
		return nil, explain(path, err)
	}
	db.records = &Records{store.NewRecords(db.write, db.read), db}
	if db.file, err = os.Stat(path); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("the store: %w", err)
	}
	return db, nil
}

// start migrates, and makes sure first that nobody holds the store and then that it can
// be written: SQLite opens a file that it may only read without a word, and begins a
// write there too. The last statement changes nothing.
func (db *DB) start(ctx context.Context) error {
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if err := store.Migrate(ctx, db.write, goose.DialectSQLite3); err != nil {
		return err
	}
	_, err = db.write.ExecContext(ctx, `DELETE FROM goose_db_version WHERE version_id < 0`)
	return err
}

// prepare checks the folder and the file, and makes the file: SQLite would make it
// readable by others.
func prepare(path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the store's folder %s is not there; make it with: mkdir -p -m 700 %s", dir, dir)
	}
	if err != nil {
		return fmt.Errorf("the store's folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("the store's folder %s is not a folder", dir)
	}
	if m := info.Mode(); m.Perm()&0o002 != 0 && m&fs.ModeSticky == 0 {
		return fmt.Errorf("anybody can replace files in the store's folder; mend it with: chmod o-w %s", dir)
	}
	info, err = os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return fmt.Errorf("the store cannot be made: %w", err)
		}
		return f.Close()
	}
	if err != nil {
		return fmt.Errorf("the store: %w", err)
	}
	// The file is never opened here: closing it would drop the locks that this
	// process holds on it through SQLite.
	if !info.Mode().IsRegular() {
		return fmt.Errorf("the store %s is not a file", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others can read the store (mode %04o); mend it with: chmod 600 %s", info.Mode().Perm(), path)
	}
	return nil
}

func connector(path string, readOnly bool) (checked, error) {
	want := map[string]string{
		"journal_mode": "wal",
		"synchronous":  "2", // FULL
		"busy_timeout": fmt.Sprint(busy.Milliseconds()),
		"foreign_keys": "1",
		"query_only":   "0",
		// 16 MB of log: folding it into the file costs two more waits for the disk.
		"wal_autocheckpoint": "4000",
		"temp_store":         "2", // MEMORY: what a statement may have to take back is no file
	}
	// A write transaction takes its lock at its start, where waiting helps; taken
	// half-way, SQLite refuses at once.
	// The file is there, and one that goes is not made anew without its schema.
	options := url.Values{"_txlock": {"immediate"}, "mode": {"rw"}}
	if readOnly {
		want["query_only"] = "1"
		options.Del("_txlock")
	}
	for _, name := range pragmas {
		options.Add("_pragma", name+"("+want[name]+")")
	}
	base, err := sqlite.NewConnector(address(path) + "?" + options.Encode())
	if err != nil {
		return checked{}, fmt.Errorf("the store: %w", err)
	}
	return checked{base, want}, nil
}

// pragmas in the order in which they are set: waiting first, since the others may
// have to; no writing last.
var pragmas = []string{"busy_timeout", "journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint", "temp_store", "query_only"}

func address(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// checked reads the pragmas of every new connection back: a driver passes over an
// option that it does not know, and a filesystem may not do WAL.
type checked struct {
	driver.Connector
	want map[string]string
}

func (c checked) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range pragmas {
		got, err := readPragma(ctx, conn, name)
		if err == nil && got != c.want[name] {
			err = fmt.Errorf("the store's %s is %s and not %s: its filesystem may not be able to do it; put the store on a local disk", name, got, c.want[name])
		}
		if err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	return conn, nil
}

func readPragma(ctx context.Context, conn driver.Conn, name string) (string, error) {
	rows, err := conn.(driver.QueryerContext).QueryContext(ctx, "PRAGMA "+name, nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	value := make([]driver.Value, 1)
	if err := rows.Next(value); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return fmt.Sprint(value[0]), nil
}

// explain says what to mend.
func explain(path string, err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", path, err)
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("%s: %w; stop it, or name another store: %w", path, ErrLocked, err)
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_AUTH, lib.SQLITE_CANTOPEN:
		return fmt.Errorf("%s: %w; look who owns it and its folder, and whether the disk is mounted read-only: %w", path, ErrReadOnly, err)
	case lib.SQLITE_NOTADB, lib.SQLITE_CORRUPT:
		return fmt.Errorf("%s: %w; look at what `store` names, or restore a backup: %w", path, ErrNotStore, err)
	case lib.SQLITE_FULL:
		return fmt.Errorf("%s: %w; make room: %w", path, ErrFull, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Records is the record of requests.
func (db *DB) Records() *Records { return db.records }

// Path is the store's file.
func (db *DB) Path() string { return db.path }

// Writer is the one connection that writes, Reader the pool of those that cannot.
func (db *DB) Writer() *sql.DB { return db.write }

// Reader is the pool of connections that cannot write.
func (db *DB) Reader() *sql.DB { return db.read }

// Close closes the store, once what its chats have begun is kept. The writer goes last,
// since the last connection folds the write-ahead log into the file.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	var all []error
	for _, c := range db.chats {
		all = append(all, c.Close())
	}
	db.chats = nil
	return errors.Join(append(all, db.read.Close(), db.write.Close())...)
}

// Copy writes a consistent copy of the store at path to a new file, beside whoever
// uses it.
func Copy(ctx context.Context, path, to string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	// SQLite fills an empty file, and this one is nobody else's to read.
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	db, err := plain(path, busy)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?`, to); err != nil {
		return explain(path, err)
	}
	if err := settleCopied(ctx, to); err != nil {
		return err
	}
	return closeCopied(ctx, to)
}

// Check reads the whole file and says whether it is a sound store that this version
// can open.
func Check(ctx context.Context, path string) error {
	db, err := plain(path, 0)
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `PRAGMA integrity_check(5)`)
	if err != nil {
		return explain(path, err)
	}
	defer rows.Close()
	var faults []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return explain(path, err)
		}
		if line != "ok" {
			faults = append(faults, line)
		}
	}
	if err := rows.Err(); err != nil {
		return explain(path, err)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%s: %w; restore a backup: %s", path, ErrNotStore, strings.Join(faults, "; "))
	}
	if err := store.Known(ctx, db); err != nil {
		return explain(path, err)
	}
	return nil
}

// Hold takes the store for itself alone until release is called; ErrLocked where
// another process has it open. The file then stands alone, with no write-ahead log
// beside it, and may be moved.
func Hold(ctx context.Context, path string) (release func() error, err error) {
	db, err := plain(path, 0)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	for _, step := range []string{
		`PRAGMA locking_mode = EXCLUSIVE`,
		`BEGIN EXCLUSIVE`, // fails where anybody else has the store open
		`COMMIT`,
		`PRAGMA journal_mode = DELETE`,
		`BEGIN EXCLUSIVE`,
	} {
		if _, err := db.ExecContext(ctx, step); err != nil {
			_ = db.Close()
			return nil, explain(path, err)
		}
	}
	return db.Close, nil
}

// plain opens a file that is there, with no more than a time to wait.
func plain(path string, wait time.Duration) (*sql.DB, error) {
	base, err := sqlite.NewConnector(fmt.Sprintf("%s?mode=rw&_pragma=busy_timeout(%d)", address(path), wait.Milliseconds()))
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(base), nil
}
