// Package askedback remembers what the Hub asked back at ways in whose protocol has no
// word for it, so that the next words there continue the question as in_reply_to does.
package askedback

import (
	"sync"
	"time"

	"github.com/askhub/askhub/internal/hub/routing"
)

// Continues is whether a reply with that status may be continued: one that asked back, or
// one that waits for a yes.
func Continues(s routing.Status) bool {
	return s == routing.StatusClarify || s == routing.StatusPending
}

// The bounds of a Memory. What is too late to continue is dropped, and so is the oldest
// where somebody makes the Hub ask back without end.
const (
	lives = 2 * time.Minute
	most  = 1000
)

// Talk tells one conversation at one way in from all others. Which asker may continue
// what is still the Hub's to check.
type Talk struct {
	WayIn, Asker string
	// Mark is what the protocol has to know a conversation by: its id, or the very words
	// that were asked back.
	Mark string
}

// Memory holds the last thing that was asked back in each talk. The zero Memory is
// ready, and it is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	talks map[Talk]asked
}

type asked struct {
	id   string
	when time.Time
}

// Put keeps that the request with this id was asked back.
func (m *Memory) Put(t Talk, id string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.talks == nil {
		m.talks = make(map[Talk]asked)
	}
	if _, there := m.talks[t]; !there && len(m.talks) >= most {
		m.makeRoom(now)
	}
	m.talks[t] = asked{id, now}
}

// makeRoom drops what is too late, or else the oldest.
func (m *Memory) makeRoom(now time.Time) {
	var oldest Talk
	var when time.Time
	for t, a := range m.talks {
		if now.Sub(a.when) >= lives {
			delete(m.talks, t)
		} else if when.IsZero() || a.when.Before(when) {
			oldest, when = t, a.when
		}
	}
	if len(m.talks) >= most {
		delete(m.talks, oldest)
	}
}

// Take gives the id of what was asked back in that talk, once; empty where nothing was,
// or too long ago.
func (m *Memory) Take(t Talk, now time.Time) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, there := m.talks[t]
	delete(m.talks, t)
	if !there || now.Sub(a.when) >= lives {
		return ""
	}
	return a.id
}
