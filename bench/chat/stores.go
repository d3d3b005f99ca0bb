package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/store"
	"github.com/askhub/askhub/internal/store/postgres"
	"github.com/askhub/askhub/internal/store/sqlite"
)

// The kinds of store; the first is the reference.
const (
	kindFiles  = "files"
	kindSQLite = "SQLite"
	kindServer = "PostgreSQL"
)

// text is a message as people write them.
const text = "what does Harry have on today, and does he need his trainers?"

// began is when the stores' messages begin.
var began = time.Date(2026, 10, 23, 18, 40, 0, 0, time.UTC)

// A subject is a store under measurement.
type subject struct {
	kind string
	poster
	// fill gives a thread so many messages, not one by one.
	fill  func(t chat.Thread, n int) error
	close func() error
}

// poster is what is measured of a store.
type poster interface {
	Append(ctx context.Context, p chat.Post) (chat.Receipt, error)
	Read(ctx context.Context, t chat.Thread, since chat.Cursor) (chat.Page, error)
}

// rules are the contract's, but for how many threads there may be.
func rules() chat.Rules {
	r := chat.DefaultRules()
	r.Threads = 1 << 20
	return r
}

// open opens a store at its place.
func open(ctx context.Context, place string) (*subject, error) {
	var c *store.Chat
	s := &subject{}
	switch {
	case strings.Contains(place, "://"):
		db, err := postgres.Open(ctx, place, "")
		if err != nil {
			return nil, err
		}
		s.kind, c, s.close = kindServer, db.Chat(rules()), db.Close
	case strings.HasSuffix(place, ".db"):
		db, err := sqlite.Open(ctx, place)
		if err != nil {
			return nil, err
		}
		s.kind, c, s.close = kindSQLite, db.Chat(rules()), db.Close
	default:
		f := &files{dir: place, rules: rules()}
		return &subject{kindFiles, f, f.fill, func() error { return nil }}, nil
	}
	s.poster = c
	s.fill = func(t chat.Thread, n int) error {
		list := make([]chat.Message, n)
		for i := range list {
			epoch := chat.Cursor(began.Add(time.Duration(i-n) * time.Second).UnixMilli())
			list[i] = chat.Message{ID: fmt.Sprintf("%s%06x", chat.NewID(epoch)[:20], i), Epoch: epoch, Author: chat.Operator, Text: text}
		}
		done, err := c.Import(ctx, t, list, began)
		if err == nil && done.Added != n {
			err = fmt.Errorf("%d of %d messages were taken", done.Added, n)
		}
		return err
	}
	return s, nil
}

// threadOf names the threads of a run.
func threadOf(i int) chat.Thread { return chat.Thread(fmt.Sprintf("%016x", i)) }
