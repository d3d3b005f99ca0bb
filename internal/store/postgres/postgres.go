// Package postgres opens the Hub's state in a PostgreSQL database, which several Hubs may
// share.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/store"
)

const (
	// connectWait is how long one connection may take to come about, patience how long
	// one transaction may take before its connection counts as dead.
	connectWait = 5 * time.Second
	patience    = 20 * time.Second
	// mayRest is how long a connection may have rested and still be used unasked.
	mayRest = 50 * time.Millisecond
)

// The faults that a caller may want to tell apart.
var (
	// ErrUnreachable is a server that does not answer.
	ErrUnreachable = errors.New("the store's server cannot be reached")
	// ErrDenied is a server that does not let askhub in, or not do what it has to.
	ErrDenied = errors.New("the store's server refuses")
	// ErrMissing is a database that is not there.
	ErrMissing = errors.New("the store's database is not there")
	// ErrReadOnly is a server that takes no writes, such as a standby.
	ErrReadOnly = errors.New("the store cannot be written")
	// ErrAddress is an address that is none.
	ErrAddress = errors.New("the store's address cannot be read; write it like postgres://askhub@localhost/askhub")
	// ErrPassword is an address with a password in it.
	ErrPassword = errors.New("the store's address holds a password; take it out of there and put it into the secrets file, as STORE_PASSWORD")
)

// DB is an open store.
type DB struct {
	name        string
	config      *pgx.ConnConfig
	write, read *sql.DB
	records     *store.Records

	mu    sync.Mutex
	chats []*store.Chat
}

// Open opens the database at the address, its schema up to date. Without a password,
// PGPASSFILE and the like say it, as for every program of PostgreSQL's. An error says
// what to mend, and never a password.
func Open(ctx context.Context, address, password string) (*DB, error) {
	db, err := connect(address, password)
	if err != nil {
		return nil, err
	}
	if err := db.start(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	db.records = store.NewRecords(db.write, db.read)
	return db, nil
}

// connect makes the pools, which connect by themselves when they are first used.
func connect(address, password string) (*DB, error) {
	config, err := parse(address, password)
	if err != nil {
		return nil, err
	}
	db := &DB{name: Name(address), config: config}
	// A server may be set up to acknowledge what is not on the disk yet; here an
	// acknowledgement means that it is.
	durable := stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`)
		return err
	})
	// A server that was started again in the meantime is noticed before a query meets it.
	rested := stdlib.OptionShouldPing(func(_ context.Context, p stdlib.ShouldPingParams) bool { return p.IdleDuration > mayRest })
	db.write, db.read = stdlib.OpenDB(*config, durable, rested), stdlib.OpenDB(*config, rested)
	for pool, most := range map[*sql.DB]int{db.write: 2, db.read: 4} {
		pool.SetMaxOpenConns(most)
		pool.SetMaxIdleConns(2)
		pool.SetConnMaxIdleTime(time.Minute)
	}
	return db, nil
}

func parse(address, password string) (*pgx.ConnConfig, error) {
	if u, err := url.Parse(address); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, ErrAddress
	} else if _, in := u.User.Password(); in || u.Query().Has("password") {
		return nil, ErrPassword
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		// The library's own words may quote what is secret.
		return nil, ErrAddress
	}
	if password != "" {
		config.Password = password
	}
	config.ConnectTimeout = connectWait
	for name, value := range map[string]string{
		"application_name":              "askhub",
		"default_transaction_isolation": "read committed", // a turn that was waited for must see what came before it
		"statement_timeout":             fmt.Sprint(patience.Milliseconds()),
		"client_encoding":               "UTF8",
	} {
		config.RuntimeParams[name] = value
	}
	return config, nil
}

// Name is the address as it may be shown: without what may be secret in it.
func Name(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres://…"
	}
	name := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User != nil {
		name.User = url.User(u.User.Username())
	}
	return name.String()
}

// start migrates, with one process at a time, and sees that the store can be written.
func (db *DB) start(ctx context.Context) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 60))
	if err != nil {
		return err
	}
	if err := db.write.PingContext(ctx); err != nil {
		return db.explain(err)
	}
	if err := store.Migrate(ctx, db.write, goose.DialectPostgres, goose.WithSessionLocker(locker)); err != nil {
		return db.explain(err)
	}
	if _, err := db.write.ExecContext(ctx, `DELETE FROM goose_db_version WHERE version_id < 0`); err != nil {
		return db.explain(err)
	}
	return nil
}

// explain says what to mend.
func (db *DB) explain(err error) error {
	var refused *pgconn.PgError
	var failed *pgconn.ConnectError
	switch {
	case err == nil, errors.Is(err, store.ErrNewer):
		return err
	case errors.As(err, &refused):
		return fmt.Errorf("%s: %w", db.name, explainCode(refused))
	case errors.As(err, &failed):
		return fmt.Errorf("%s: %w (%s); see that it runs and that its address and port are right", db.name, ErrUnreachable, cause(failed))
	}
	return fmt.Errorf("%s: %w: %w", db.name, store.ErrLost, err)
}

// explainCode goes by PostgreSQL's own table of codes.
func explainCode(e *pgconn.PgError) error {
	said := e.Message
	switch e.Code {
	case "28P01", "28000":
		return fmt.Errorf("%w to let askhub in: %s; see the name in the address, and the password in the secrets file (STORE_PASSWORD) or in PGPASSFILE", ErrDenied, said)
	case "3D000":
		return fmt.Errorf("%w; make it with: createdb", ErrMissing)
	case "42501":
		return fmt.Errorf("%w: %s; make askhub the database's owner", ErrDenied, said)
	case "25006":
		return fmt.Errorf("%w: %s; is it a standby? Name the server that takes writes", ErrReadOnly, said)
	case "53100":
		return fmt.Errorf("%w: %s; make room on the server", chat.ErrFull, said)
	case "57P01", "57P02":
		// Said in the middle of a commit, it does not say whether that was kept.
		return fmt.Errorf("%w just now: %s; wait, or look at its log: %w", ErrUnreachable, said, store.ErrLost)
	case "53300", "57P03":
		return fmt.Errorf("%w just now: %s; wait, or look at its log", ErrUnreachable, said)
	}
	return fmt.Errorf("the store's server says: %s (%s)", said, e.Code)
}

// cause is what is at the bottom of a failed connection, in one line: the words above it
// name user and database again.
func cause(err error) string {
	var dial *net.OpError
	if errors.As(err, &dial) {
		return dial.Error()
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	text := err.Error()
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// Records is the record of requests.
func (db *DB) Records() record.Store { return db.records }

// Writer is the pool of connections that write, Reader that of those that need not.
func (db *DB) Writer() *sql.DB { return db.write }

// Reader is the pool of connections that need not write.
func (db *DB) Reader() *sql.DB { return db.read }

// Close closes the store, once what its chats have begun is kept.
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
