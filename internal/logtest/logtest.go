// Package logtest keeps what a program under test says, to be read while it is still said.
package logtest

import (
	"strings"
	"sync"
)

// Log is what was written to it so far. It is safe for concurrent use, and its zero value is
// empty.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write never fails.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
