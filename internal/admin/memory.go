package admin

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Memory is a Store that forgets everything when the process ends.
type Memory struct {
	mu       sync.Mutex
	passkeys []Passkey
	sessions map[string]Session
	codes    map[string]Code
	deeds    []Deed
}

var _ Store = (*Memory)(nil)

// NewMemory is an empty store in memory.
func NewMemory() *Memory {
	return &Memory{sessions: map[string]Session{}, codes: map[string]Code{}}
}

// Enrol implements Passkeys.
func (m *Memory) Enrol(_ context.Context, code string, p Passkey) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.codes[code]
	if !ok || c.Person != p.Person || !p.Created.Before(c.Expires) {
		return ErrCode
	}
	if slices.ContainsFunc(m.passkeys, func(q Passkey) bool { return bytes.Equal(q.ID, p.ID) }) {
		return ErrTaken
	}
	delete(m.codes, code)
	m.passkeys = append(m.passkeys, p)
	return nil
}

// Passkeys implements Passkeys.
func (m *Memory) Passkeys(context.Context) ([]Passkey, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.passkeys), nil
}

// Used implements Passkeys.
func (m *Memory) Used(_ context.Context, name string, count uint32, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.passkeys {
		p := &m.passkeys[i]
		if p.Name() != name {
			continue
		}
		if count <= p.Count && (count != 0 || p.Count != 0) {
			return ErrCounter
		}
		p.Count, p.Used = count, at
		return nil
	}
	return ErrUnknown
}

// Revoke implements Passkeys.
func (m *Memory) Revoke(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.revoke(func(p *Passkey) bool { return p.Name() == name }) == 0 {
		return ErrUnknown
	}
	return nil
}

// revoke takes passkeys out, and what they began.
func (m *Memory) revoke(which func(*Passkey) bool) int {
	before := len(m.passkeys)
	m.passkeys = slices.DeleteFunc(m.passkeys, func(p Passkey) bool {
		if !which(&p) {
			return false
		}
		maps.DeleteFunc(m.sessions, func(_ string, s Session) bool { return s.Passkey == p.Name() })
		return true
	})
	return before - len(m.passkeys)
}

// Begin implements Sessions.
func (m *Memory) Begin(_ context.Context, s Session) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.ContainsFunc(m.passkeys, func(p Passkey) bool { return p.Name() == s.Passkey }) {
		return ErrUnknown
	}
	maps.DeleteFunc(m.sessions, func(_ string, old Session) bool { return !s.Created.Before(old.Created.Add(SessionWhole)) })
	m.sessions[s.Digest] = s
	return nil
}

// Session implements Sessions.
func (m *Memory) Session(_ context.Context, digest string) (Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessions[digest]
	if !ok {
		return Session{}, ErrUnknown
	}
	return s, nil
}

// Touch implements Sessions.
func (m *Memory) Touch(_ context.Context, digest string, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.sessions[digest]; ok {
		s.Seen = at
		m.sessions[digest] = s
	}
	return nil
}

// Sessions implements Sessions.
func (m *Memory) Sessions(context.Context) ([]Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.sessions), func(a, b Session) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.Digest, b.Digest))
	}), nil
}

// End implements Sessions.
func (m *Memory) End(_ context.Context, digest string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.sessions[digest]; !ok {
		return ErrUnknown
	}
	delete(m.sessions, digest)
	return nil
}

// NewCode implements Codes.
func (m *Memory) NewCode(_ context.Context, c Code, replace bool) (revoked int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.codes, func(_ string, old Code) bool { return old.Person == c.Person || old.ID == c.ID })
	m.codes[c.ID] = c
	if replace {
		revoked = m.revoke(func(p *Passkey) bool { return p.Person == c.Person })
	}
	return revoked, nil
}

// Try implements Codes.
func (m *Memory) Try(_ context.Context, id string, now time.Time) (Code, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.codes[id]
	if !ok || c.Tries == 0 || !now.Before(c.Expires) {
		return Code{}, ErrCode
	}
	c.Tries--
	m.codes[id] = c
	return c, nil
}

// Note implements History.
func (m *Memory) Note(_ context.Context, d Deed) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deeds = append(m.deeds, d)
	if over := len(m.deeds) - DeedsKept; over > 0 {
		m.deeds = slices.Delete(m.deeds, 0, over)
	}
	return nil
}

// Deeds implements History.
func (m *Memory) Deeds(_ context.Context, most int) ([]Deed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := slices.Clone(m.deeds[max(0, len(m.deeds)-most):])
	slices.Reverse(out)
	return out, nil
}
