package chat

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sort"
	"sync"
	"time"
)

// Memory keeps everything in this process's memory: a store for tests and for
// programs whose chat may end with them.
type Memory struct {
	rules   Rules
	waiting chan struct{}

	mu       sync.Mutex
	threads  map[Thread]*conversation
	byThread map[Thread]*log
	byAddr   map[string]*log
	codes    map[Thread]memoryCode
	watchers Watchers
}

var (
	_ Store   = (*Memory)(nil)
	_ Pairing = (*Memory)(nil)
	_ Archive = (*Memory)(nil)
	_ Turns   = (*Memory)(nil)
)

// conversation is one thread.
type conversation struct {
	settings Settings
	messages []Message
	// last is the newest epoch that ever was; asks are the messages that wait.
	last    Cursor
	asks    map[Cursor]bool
	replyTo string
	holder  string
	until   time.Time
	tries   int
	keys    map[string]keyed
}

type keyed struct {
	receipt Message
	at      time.Time
}

type memoryCode struct {
	Code
	address string
}

// log is when each post of one key came in, the oldest first.
type log []time.Time

// NewMemory is an empty store.
func NewMemory(rules Rules) *Memory {
	return &Memory{
		rules: rules, waiting: make(chan struct{}, 1), threads: map[Thread]*conversation{},
		byThread: map[Thread]*log{}, byAddr: map[string]*log{}, codes: map[Thread]memoryCode{},
	}
}

// in is the log's part in the window, forgetting the rest. A clock that stepped back
// makes no post younger than now.
func (l *log) in(now time.Time, window time.Duration) log {
	for i, at := range *l {
		if at.After(now) {
			(*l)[i] = now
		}
	}
	*l = slices.DeleteFunc(*l, func(at time.Time) bool { return now.Sub(at) >= window })
	return *l
}

// room says how long the next post has to wait.
func (l *log) room(now time.Time, window time.Duration, most int) time.Duration {
	in := l.in(now, window)
	switch {
	case len(in) < most:
		return 0
	case most < 1:
		return window
	}
	return window - now.Sub(in[len(in)-most])
}

func logOf[K comparable](m map[K]*log, key K) *log {
	if m[key] == nil {
		m[key] = &log{}
	}
	return m[key]
}

// Append implements Store.
func (m *Memory) Append(ctx context.Context, p Post) (Receipt, error) {
	if err := ctx.Err(); err != nil {
		return Receipt{}, err
	}
	if err := Plain(string(p.Thread), p.Text, p.Key, p.Address); err != nil {
		return Receipt{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.threads[p.Thread]
	if c != nil && p.Key != "" {
		if k, ok := c.keys[p.Key]; ok {
			return Receipt{Message: k.receipt, Repeated: true}, nil
		}
	}
	if p.Address != "" {
		wait := Longer(logOf(m.byThread, p.Thread).room(p.Now, m.rules.Window, m.rules.PerThread),
			logOf(m.byAddr, p.Address).room(p.Now, m.rules.Window, m.rules.PerAddress))
		if wait != nil {
			return Receipt{}, wait
		}
	}
	if (c == nil || len(c.messages) == 0) && m.full() {
		return Receipt{}, ErrThreadLimit
	}
	c = m.conversation(p.Thread)
	epoch := c.last.After(p.Now)
	msg := Message{ID: NewID(epoch), Epoch: epoch, Author: p.Author, Text: p.Text}
	c.messages = append(c.messages, msg)
	c.last = epoch
	switch {
	case p.Author == Hermes:
		c.settled(epoch)
		c.replyTo = ""
	case m.rules.Waits(c.settings):
		c.asks[epoch] = true
		m.begins()
	}
	if p.Key != "" {
		c.keys[p.Key] = keyed{msg, p.Now}
	}
	if p.Address != "" {
		for _, l := range []*log{logOf(m.byThread, p.Thread), logOf(m.byAddr, p.Address)} {
			*l = append(*l, p.Now)
		}
	}
	m.retain(c, p.Now)
	m.watchers.Wake(p.Thread)
	return Receipt{Message: msg}, nil
}

// begins says that a message waits.
func (m *Memory) begins() {
	select {
	case m.waiting <- struct{}{}:
	default:
	}
}

// waits is the oldest message that waits.
func (c *conversation) waits() (Message, bool) {
	for _, msg := range c.messages {
		if c.asks[msg.Epoch] {
			return msg, true
		}
	}
	return Message{}, false
}

// settled notes that nothing up to there waits any more.
func (c *conversation) settled(upTo Cursor) {
	maps.DeleteFunc(c.asks, func(at Cursor, _ bool) bool { return at <= upTo })
	c.holder, c.until, c.tries = "", time.Time{}, 0
}

func (m *Memory) conversation(t Thread) *conversation {
	if m.threads[t] == nil {
		m.threads[t] = &conversation{keys: map[string]keyed{}, asks: map[Cursor]bool{}}
	}
	return m.threads[t]
}

func (m *Memory) full() bool {
	n := 0
	for _, c := range m.threads {
		if len(c.messages) > 0 {
			n++
		}
	}
	return n >= m.rules.Threads
}

// retain drops what the rules no longer hold, and says how much that was.
func (m *Memory) retain(c *conversation, now time.Time) int {
	oldest := Cursor(now.Add(-m.rules.KeepFor).UnixMilli())
	before := len(c.messages)
	c.messages = slices.DeleteFunc(c.messages, func(msg Message) bool { return msg.Epoch < oldest })
	if over := len(c.messages) - m.rules.Keep; over > 0 {
		c.messages = slices.Delete(c.messages, 0, over)
	}
	if len(c.messages) > 0 {
		oldest = c.messages[0].Epoch
	}
	maps.DeleteFunc(c.asks, func(at Cursor, _ bool) bool { return at < oldest })
	return before - len(c.messages)
}

// Read implements Store.
func (m *Memory) Read(_ context.Context, t Thread, since Cursor) (Page, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.threads[t]
	if c == nil || len(c.messages) == 0 {
		return Page{}, nil
	}
	newest := c.messages[len(c.messages)-1]
	p := Page{Awaiting: newest.Author != Hermes, Cursor: newest.Epoch}
	from := max(0, len(c.messages)-Newest)
	if since > 0 {
		from = sort.Search(len(c.messages), func(i int) bool { return c.messages[i].Epoch > since })
	}
	p.Messages = slices.Clone(c.messages[from:])
	return p, nil
}

// Watch implements Store.
func (m *Memory) Watch(t Thread) (changed <-chan struct{}, stop func()) { return m.watchers.Watch(t) }

// Sweep implements Store.
func (m *Memory) Sweep(_ context.Context, now time.Time) (Swept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var s Swept
	for t, c := range m.threads {
		if n := m.retain(c, now); n > 0 {
			s.Messages += n
			m.watchers.Wake(t)
		}
		had := len(c.keys)
		maps.DeleteFunc(c.keys, func(_ string, k keyed) bool { return now.Sub(k.at) >= m.rules.KeepFor })
		s.Keys += had - len(c.keys)
	}
	had := len(m.codes)
	maps.DeleteFunc(m.codes, func(_ Thread, c memoryCode) bool { return !now.Before(c.Expires) })
	s.Codes = had - len(m.codes)
	maps.DeleteFunc(m.byThread, func(_ Thread, l *log) bool { return len(l.in(now, m.rules.Window)) == 0 })
	maps.DeleteFunc(m.byAddr, func(_ string, l *log) bool { return len(l.in(now, m.rules.Window)) == 0 })
	return s, nil
}

// Settings implements Pairing.
func (m *Memory) Settings(_ context.Context, t Thread) (Settings, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.threads[t]; c != nil {
		return c.settings, nil
	}
	return Settings{}, nil
}

// SetUp implements Pairing.
func (m *Memory) SetUp(_ context.Context, t Thread, change func(*Settings)) (Settings, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var was Settings
	if c := m.threads[t]; c != nil {
		was = c.settings
	}
	is := was
	change(&is)
	if err := Plain(is.Person, string(is.Answers)); err != nil {
		return was, err
	}
	c := m.conversation(t)
	c.settings = is
	if was.Person != c.settings.Person || was.Answers != c.settings.Answers {
		c.settled(c.last)
		c.replyTo = ""
	}
	if was.Person != c.settings.Person {
		delete(m.codes, t)
	}
	return c.settings, nil
}

// NewCode implements Pairing.
func (m *Memory) NewCode(_ context.Context, t Thread, address string, now time.Time) (Code, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.codes, func(_ Thread, c memoryCode) bool { return !now.Before(c.Expires) })
	if c, ok := m.codes[t]; ok {
		return c.Code, nil
	}
	var soonest time.Time
	digits, from := map[string]bool{}, 0
	for _, c := range m.codes {
		digits[c.Digits] = true
		if c.address == address {
			from++
			if soonest.IsZero() || c.Expires.Before(soonest) {
				soonest = c.Expires
			}
		}
	}
	switch {
	case from >= MaxCodesPerAddress:
		return Code{}, &RateLimited{By: "address", After: soonest.Sub(now)}
	case len(m.codes) >= MaxCodes:
		return Code{}, ErrThreadLimit
	}
	code := Code{Digits: NewDigits(), Thread: t, Expires: now.Add(CodeLives)}
	for digits[code.Digits] {
		code.Digits = NewDigits()
	}
	m.codes[t] = memoryCode{code, address}
	return code, nil
}

// NewDigits makes the digits of a pairing code, evenly at random.
func NewDigits() string {
	n, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil {
		panic(err) // the system's random numbers never fail
	}
	return fmt.Sprintf("%08d", n)
}

// NewHolder makes the mark by which a taken turn is known.
func NewHolder() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// Code implements Pairing.
func (m *Memory) Code(_ context.Context, digits string, t Thread, now time.Time) (Code, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.codes {
		if now.Before(c.Expires) && (digits == "" && c.Thread == t || digits != "" && c.Digits == digits) {
			return c.Code, nil
		}
	}
	return Code{}, ErrUnknownCode
}
