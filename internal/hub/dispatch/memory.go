package dispatch

import (
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
)

// memoryKey is a question as one asker put it about one person. Another asker's
// answer is never found under it.
type memoryKey struct {
	project  string
	asker    ask.Asker
	person   ask.Person
	question string
}

// remembered bounds the memory: a household asks few different things a day.
const remembered = 256

// memory holds answers until they stop being true.
type memory struct {
	mu      sync.Mutex
	answers map[memoryKey]ask.Answer
}

func newMemory() *memory { return &memory{answers: make(map[memoryKey]ask.Answer)} }

func (m *memory) get(key memoryKey, now time.Time) (ask.Answer, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	answer, ok := m.answers[key]
	if ok && !answer.Expires.After(now) {
		delete(m.answers, key)
		return ask.Answer{}, false
	}
	return answer, ok
}

func (m *memory) put(key memoryKey, answer ask.Answer, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.answers) >= remembered {
		m.makeRoom(now)
	}
	m.answers[key] = answer
}

// makeRoom drops what is no longer true and, where all of it is, the answer
// that will stop being true first.
func (m *memory) makeRoom(now time.Time) {
	var first memoryKey
	var firstAt time.Time
	for key, answer := range m.answers {
		if !answer.Expires.After(now) {
			delete(m.answers, key)
			continue
		}
		if firstAt.IsZero() || answer.Expires.Before(firstAt) {
			first, firstAt = key, answer.Expires
		}
	}
	if len(m.answers) >= remembered {
		delete(m.answers, first)
	}
}
