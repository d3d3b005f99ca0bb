// Package pace holds a way in to its requests a minute and at once (spec 5).
package pace

import (
	"sync"
	"time"
)

// window is how far back a way in's requests count.
const window = time.Minute

// Limiter holds one way in to its requests a minute and at once. The window
// slides exactly: it keeps the instant of each request that counts. It is safe
// for concurrent use.
type Limiter struct {
	PerMinute, AtOnce int

	mu      sync.Mutex
	past    []time.Time // oldest first, from start on
	start   int
	running int
}

// Enter lets a request in, or says how long to wait. Whoever is let in leaves.
func (l *Limiter) Enter(now time.Time) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.start < len(l.past) && now.Sub(l.past[l.start]) >= window {
		l.start++
	}
	if l.start > len(l.past)/2 { // half of it is past counting: take the room back
		l.past = l.past[:copy(l.past, l.past[l.start:])]
		l.start = 0
	}
	if l.running >= l.AtOnce {
		return time.Second, false
	}
	if len(l.past)-l.start >= l.PerMinute {
		return window - now.Sub(l.past[l.start]), false
	}
	l.past = append(l.past, now)
	l.running++
	return 0, true
}

// Leave is for whoever was let in, once.
func (l *Limiter) Leave() {
	l.mu.Lock()
	l.running--
	l.mu.Unlock()
}
