package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/store"
)

// channel is where Hubs tell each other of changed threads.
const channel = "askhub_chat"

// Chat gives the chat's threads, held to the rules. It ends with the store.
func (db *DB) Chat(rules chat.Rules) *store.Chat {
	// A process hears its own notifications too, and knows them by its mark.
	c := store.NewChat(db.write, db.read, &chatEngine{db: db, self: chat.NewHolder()}, rules)
	db.mu.Lock()
	defer db.mu.Unlock()
	db.chats = append(db.chats, c)
	return c
}

// chatEngine is what the chat has to know of PostgreSQL.
type chatEngine struct {
	db   *DB
	self string
}

var _ store.Engine = (*chatEngine)(nil)

// Begin implements store.Engine. A connection that is silent for too long is given up.
func (*chatEngine) Begin() (ctx context.Context, end func(), err error) {
	ctx, end = context.WithTimeout(context.Background(), patience)
	return ctx, end, nil
}

// Parameter implements store.Engine.
func (*chatEngine) Parameter(number int) string { return fmt.Sprint("$", number) }

// Explain implements store.Engine.
func (e *chatEngine) Explain(err error) error { return e.db.explain(err) }

// perNotice is how many threads one notification names: it holds 8,000 bytes.
const perNotice = 400

// Tell implements store.Engine. The server passes it on when the transaction is kept.
func (e *chatEngine) Tell(ctx context.Context, tx *sql.Tx, threads []chat.Thread, waits bool) error {
	for part := range slices.Chunk(threads, perNotice) {
		names := make([]string, len(part))
		for i, t := range part {
			names[i] = string(t)
		}
		if _, err := tx.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, notice{e.self, waits, names}.String()); err != nil {
			return err
		}
	}
	if len(threads) == 0 && waits {
		_, err := tx.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, notice{e.self, true, nil}.String())
		return err
	}
	return nil
}

// notice is what one Hub tells the others.
type notice struct {
	from    string
	waits   bool
	threads []string
}

// String is the notice on its way: who, whether a message waits, and which threads.
func (n notice) String() string {
	return fmt.Sprintf("%s %t %s", n.from, n.waits, strings.Join(n.threads, ","))
}

func parseNotice(s string) (n notice, ok bool) {
	parts := strings.Split(s, " ")
	if len(parts) != 3 {
		return n, false
	}
	n = notice{from: parts[0], waits: parts[1] == "true"}
	if parts[2] != "" {
		n.threads = strings.Split(parts[2], ",")
	}
	return n, true
}

// The waits of Follow: for a notification before the connection is asked whether it
// lives, and between two tries to connect.
const (
	alive     = 15 * time.Second
	firstTry  = 100 * time.Millisecond
	latestTry = 5 * time.Second
)

// Follow implements store.Engine: on a connection of its own, made again where it breaks.
func (e *chatEngine) Follow(ctx context.Context, to store.Follower) {
	for wait := firstTry; ; wait = min(2*wait, latestTry) {
		begun := time.Now()
		e.listen(ctx, to)
		if time.Since(begun) > latestTry {
			wait = firstTry
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// listen passes notifications on until the connection breaks.
func (e *chatEngine) listen(ctx context.Context, to store.Follower) {
	conn, err := pgx.ConnectConfig(ctx, e.db.config.Copy())
	if err != nil {
		return
	}
	defer func() {
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(soon) // it may be broken
	}()
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return
	}
	to.Look(ctx) // for what came while nobody listened
	for ctx.Err() == nil {
		n, err := e.next(ctx, conn)
		switch {
		case err != nil && !pgconn.Timeout(err):
			return
		case err != nil:
			if e.ping(ctx, conn) != nil {
				return
			}
		default:
			e.pass(n, to)
		}
	}
}

func (*chatEngine) next(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	ctx, cancel := context.WithTimeout(ctx, alive)
	defer cancel()
	return conn.WaitForNotification(ctx)
}

func (*chatEngine) ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, connectWait)
	defer cancel()
	return conn.Ping(ctx)
}

// pass takes one notification. What cannot be read is another version's, and may be of
// anything.
func (e *chatEngine) pass(n *pgconn.Notification, to store.Follower) {
	told, ok := parseNotice(n.Payload)
	switch {
	case !ok:
		to.Look(context.Background())
	case told.from != e.self:
		threads := make([]chat.Thread, len(told.threads))
		for i, t := range told.threads {
			threads[i] = chat.Thread(t)
		}
		to.Changed(told.waits, threads...)
	}
}
