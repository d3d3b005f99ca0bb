package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/store"
)

// lookEvery is how often somebody who watches has the file asked whether another
// process has written it.
const lookEvery = 250 * time.Millisecond

// Chat gives the chat's threads, held to the rules. It ends with the store.
func (db *DB) Chat(rules chat.Rules) *store.Chat {
	c := store.NewChat(db.write, db.read, chatEngine{db}, rules)
	db.mu.Lock()
	defer db.mu.Unlock()
	db.chats = append(db.chats, c)
	return c
}

// chatEngine is what the chat has to know of SQLite.
type chatEngine struct{ db *DB }

var _ store.Engine = chatEngine{}

// Begin implements store.Engine. The busy time bounds each wait for another process.
func (e chatEngine) Begin() (ctx context.Context, end func(), err error) {
	return context.Background(), func() {}, e.db.there()
}

// Parameter implements store.Engine. SQLite finds a parameter that has a number of its
// own by going through all before it, which costs much where there are a thousand.
func (chatEngine) Parameter(int) string { return "?" }

// Explain implements store.Engine.
func (e chatEngine) Explain(err error) error {
	var fault *sqlite.Error
	if !errors.As(err, &fault) {
		return err
	}
	if fault.Code()&0xff == lib.SQLITE_FULL || noRoom(e.db.path, fault) {
		return fmt.Errorf("%w: %w", chat.ErrFull, explain(e.db.path, err))
	}
	return explain(e.db.path, err)
}

// Tell implements store.Engine: the other processes look by themselves.
func (chatEngine) Tell(context.Context, *sql.Tx, []chat.Thread, bool) error { return nil }

// Follow implements store.Engine. SQLite keeps a number for each connection that moves
// when another one has written; asking for it reads no more than shared memory.
func (e chatEngine) Follow(ctx context.Context, to store.Follower) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var conn *sql.Conn
	defer func() {
		if conn != nil {
			conn.Close()
		}
	}()
	last, first := int64(0), true
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !to.Wanted() {
			continue
		}
		if conn == nil {
			var err error
			if conn, err = e.db.read.Conn(ctx); err != nil {
				continue // the next tick tries again
			}
			first = true
		}
		var version int64
		if err := conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version); err != nil {
			conn.Close()
			conn = nil
			continue
		}
		if first || version != last {
			to.Look(ctx)
		}
		last, first = version, false
	}
}

// noRoom says whether a fault of writing came from a full disk: SQLite has no code of
// its own for a log or its index that cannot grow.
func noRoom(path string, fault *sqlite.Error) bool {
	switch fault.Code() {
	case lib.SQLITE_IOERR_WRITE, lib.SQLITE_IOERR_SHMSIZE, lib.SQLITE_IOERR_FSYNC, lib.SQLITE_IOERR_TRUNCATE, lib.SQLITE_IOERR_SHMMAP:
	default:
		return false
	}
	// Whether a block more can be had is found out as SQLite does, by writing one.
	f, err := os.OpenFile(path+"-room", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	defer f.Close()
	_, err = f.Write(make([]byte, 64<<10))
	return err != nil
}
