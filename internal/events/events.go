// Package events tells whoever watches the Hub what has just happened in it. It keeps the
// newest events only: who was away for longer is told so, and looks at the whole again.
package events

import (
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what an event tells of.
type Kind string

// The kinds of spec 5.
const (
	Request  Kind = "request"
	Notice   Kind = "notice"
	Approval Kind = "approval"
	Project  Kind = "project"
)

// kept is how many events can be caught up on.
const kept = 256

// Event is one of them.
type Event struct {
	// ID is by which a watcher goes on later.
	ID   string
	Kind Kind
	// Data is a JSON object.
	Data jsontext.Value
}

// Stream is the Hub's events. It is safe for concurrent use.
type Stream struct {
	life string // of this process: numbers begin anew with each

	mu      sync.Mutex
	newest  uint64
	ring    [kept]published // number n is at n modulo kept
	changed chan struct{}   // nil where nobody waits
}

// published is an event before anybody watches: most are never looked at.
type published struct {
	kind Kind
	v    any
}

// New is a stream without events. Life tells it from the streams of other processes, and
// holds no "-".
func New(life string) *Stream { return &Stream{life: life} }

// Publish adds an event. What watchers see of it is v as a JSON object, when they look; so
// v must not change any more, and one that is no JSON is not seen. It waits for nobody.
func (s *Stream) Publish(kind Kind, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest++
	s.ring[s.newest%kept] = published{kind, v}
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// id is the number as watchers see it.
func (s *Stream) id(n uint64) string { return s.life + "-" + strconv.FormatUint(n, 10) }

// Now is the id of the newest event, or one before the first.
func (s *Stream) Now() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id(s.newest)
}

// After gives the events after the one with that id, oldest first, the id to go on with,
// and a channel that is closed when there is another. Missed says that there were more, or
// that the id is of another process.
func (s *Stream) After(id string) (list []Event, last string, missed bool, changed <-chan struct{}) {
	past, from, newest, missed, changed := s.after(id)
	for i, one := range past {
		if data, err := json.Marshal(one.v); err == nil {
			list = append(list, Event{ID: s.id(from + 1 + uint64(i)), Kind: one.kind, Data: data})
		}
	}
	return list, s.id(newest), missed, changed
}

// after are the events behind the number from.
func (s *Stream) after(id string) (past []published, from, newest uint64, missed bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	from, ok := s.number(id)
	if !ok {
		return nil, s.newest, s.newest, true, s.changed
	}
	if s.newest-from > kept {
		from, missed = s.newest-kept, true
	}
	for n := from + 1; n <= s.newest; n++ {
		past = append(past, s.ring[n%kept])
	}
	return past, from, s.newest, missed, s.changed
}

// number is an id's number, where it is one of this stream.
func (s *Stream) number(id string) (uint64, bool) {
	life, digits, _ := strings.Cut(id, "-")
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && life == s.life && n <= s.newest
}
