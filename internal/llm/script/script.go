// Package script is a language model that does what a test tells it to: in process, and
// as a real HTTP server of either protocol. It is for tests alone, and brings the suite
// that every provider passes.
package script

import (
	"context"
	"sync"
	"time"

	"github.com/askhub/askhub/internal/llm"
)

// Act is what a scripted model does with one request.
type Act struct {
	// Reply is its text; a model that behaves replies with one JSON document.
	Reply string
	// After is how long it takes. It ends early with its caller, unless it is Deaf.
	After time.Duration
	Deaf  bool
	// Fault is the error that it gives instead of a reply, Panic that its code breaks.
	Fault error
	Panic bool
}

// Model does its acts in turn, the last one again and again.
type Model struct {
	mu    sync.Mutex
	acts  []Act
	asked []llm.Request
}

var _ llm.Model = (*Model)(nil)

// New is a model with these acts.
func New(acts ...Act) *Model { return &Model{acts: acts} }

// Replies is a model that replies at once, with each of these in turn.
func Replies(replies ...string) *Model {
	m := new(Model)
	for _, r := range replies {
		m.acts = append(m.acts, Act{Reply: r})
	}
	return m
}

// Asked are the requests so far.
func (m *Model) Asked() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.asked...)
}

// Complete does the next act.
func (m *Model) Complete(ctx context.Context, r llm.Request) ([]byte, error) {
	m.mu.Lock()
	m.asked = append(m.asked, r)
	act := m.acts[0]
	if len(m.acts) > 1 {
		m.acts = m.acts[1:]
	}
	m.mu.Unlock()
	if act.Panic {
		panic("the script says so")
	}
	if act.After > 0 {
		wait := time.NewTimer(act.After)
		defer wait.Stop()
		done := ctx.Done()
		if act.Deaf {
			done = nil
		}
		select {
		case <-wait.C:
		case <-done:
			return nil, llm.Ended(ctx)
		}
	}
	if act.Fault != nil {
		return nil, act.Fault
	}
	return []byte(act.Reply), nil
}
