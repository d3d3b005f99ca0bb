package store

import (
	"context"
	"database/sql"
	"sync"

	"github.com/askhub/askhub/chat"
)

// live tells those who watch.
type live struct {
	watchers chat.Watchers
	waiting  chan struct{}
	read     *statements
	// follow begins to follow other processes, once somebody watches at all.
	follow func()

	mu      sync.Mutex
	begun   bool
	closed  bool
	answers bool // somebody waits for turns
	watches int
	// known is the state's version up to which nothing is news here.
	known int64
	// seen is the version of each watched thread that its watchers know of.
	seen map[chat.Thread]int64
}

var _ Follower = (*live)(nil)

func (l *live) watch(t chat.Thread) (changed <-chan struct{}, stop func()) {
	changed, end := l.watchers.Watch(t)
	l.want(func() { l.watches++ })
	var once sync.Once
	return changed, func() {
		once.Do(func() {
			end()
			l.mu.Lock()
			defer l.mu.Unlock()
			l.watches--
		})
	}
}

// turns is the channel for who answers.
func (l *live) turns() <-chan struct{} {
	l.want(func() { l.answers = true })
	return l.waiting
}

func (l *live) want(note func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	note()
	if !l.begun && !l.closed {
		l.begun = true
		l.follow()
	}
}

// close lets nobody begin to follow any more.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// Wanted implements Follower.
func (l *live) Wanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answers || l.watches > 0
}

// told passes on what this process has written itself.
func (l *live) told(threads []chat.Thread, version int64, waits bool) {
	l.mu.Lock()
	if version == l.known+1 {
		l.known = version
	}
	for _, t := range threads {
		if _, watched := l.seen[t]; watched {
			l.seen[t] = version
		}
	}
	l.mu.Unlock()
	l.Changed(waits, threads...)
}

// Changed implements Follower.
func (l *live) Changed(waits bool, threads ...chat.Thread) {
	l.watchers.Wake(threads...)
	if waits {
		select {
		case l.waiting <- struct{}{}:
		default:
		}
	}
}

const (
	stateVersion  = `SELECT version FROM chat_state`
	threadVersion = `SELECT version FROM chat_threads WHERE thread = $1`
	anyWaits      = `SELECT count(*) FROM chat_threads WHERE waits > 0`
)

// Look implements Follower. A thread that is looked at for the first time may have
// changed since its watcher came, so that one is woken too, unless nothing was ever there.
func (l *live) Look(ctx context.Context) {
	var now int64
	if err := l.read.one(ctx, stateVersion, nil, &now); err != nil {
		return // the next look makes up for it
	}
	l.mu.Lock()
	news := now != l.known
	l.mu.Unlock()
	if !news { // this process wrote last
		return
	}
	watched := l.watchers.Watched()
	versions := make(map[chat.Thread]int64, len(watched))
	for _, t := range watched {
		var v int64
		if err := l.read.one(ctx, threadVersion, []any{string(t)}, &v); err != nil && err != sql.ErrNoRows { //nolint:errorlint // database/sql gives it as it is
			return
		}
		versions[t] = v
	}
	var moved []chat.Thread
	l.mu.Lock()
	for t, v := range versions {
		if v > l.seen[t] {
			moved = append(moved, t)
		} else {
			versions[t] = l.seen[t]
		}
	}
	l.seen = versions
	l.known = max(l.known, now)
	answers := l.answers
	l.mu.Unlock()
	waiting := 0
	if answers {
		_ = l.read.one(ctx, anyWaits, nil, &waiting) // as above
	}
	l.Changed(waiting > 0, moved...)
}
