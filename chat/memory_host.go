package chat

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// Threads implements Archive.
func (m *Memory) Threads(context.Context) ([]Summary, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []Summary
	for t, c := range m.threads {
		if len(c.messages) == 0 && c.settings == (Settings{}) {
			continue
		}
		s := Summary{Thread: t, Settings: c.settings, Messages: len(c.messages)}
		if n := len(c.messages); n > 0 {
			s.Newest = c.messages[n-1]
		}
		_, s.Waiting = c.waits()
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Summary) int {
		return cmp.Or(cmp.Compare(b.Newest.Epoch, a.Newest.Epoch), strings.Compare(string(a.Thread), string(b.Thread)))
	})
	return list, nil
}

// Whole implements Archive.
func (m *Memory) Whole(_ context.Context, t Thread) ([]Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.threads[t]; c != nil {
		return slices.Clone(c.messages), nil
	}
	return nil, nil
}

// Import implements Archive.
func (m *Memory) Import(_ context.Context, t Thread, messages []Message, now time.Time) (Imported, error) {
	var done Imported
	for i := range messages {
		if err := Plain(messages[i].ID, messages[i].Text); err != nil {
			return done, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.threads[t]
	if (c == nil || len(c.messages) == 0) && m.full() {
		return done, ErrThreadLimit
	}
	c = m.conversation(t)
	ids, epochs := map[string]bool{}, map[Cursor]bool{}
	for _, msg := range c.messages {
		ids[msg.ID], epochs[msg.Epoch] = true, true
	}
	oldest := Cursor(now.Add(-m.rules.KeepFor).UnixMilli())
	ours := map[Cursor]bool{}
	for _, msg := range messages {
		switch {
		case ids[msg.ID]:
			done.There++
			continue
		case msg.Epoch < oldest:
			done.Old++
			continue
		}
		for epochs[msg.Epoch] {
			msg.Epoch++
		}
		ids[msg.ID], epochs[msg.Epoch], ours[msg.Epoch] = true, true, true
		c.messages = append(c.messages, msg)
		c.last = max(c.last, msg.Epoch)
	}
	slices.SortFunc(c.messages, func(a, b Message) int { return cmp.Compare(a.Epoch, b.Epoch) })
	m.retain(c, now)
	for _, msg := range c.messages {
		if ours[msg.Epoch] {
			done.Added++
		}
	}
	done.Old += len(ours) - done.Added
	m.watchers.Wake(t)
	return done, nil
}

// Take implements Turns.
func (m *Memory) Take(_ context.Context, now time.Time, lease time.Duration) (turn Turn, until time.Time, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var of *conversation
	for t, c := range m.threads {
		msg, waits := c.waits()
		if !waits {
			continue
		}
		if !Free(c.until, now) {
			if until.IsZero() || c.until.Before(until) {
				until = c.until
			}
			continue
		}
		if of == nil || msg.Epoch < turn.Message.Epoch {
			of = c
			turn = Turn{Thread: t, Settings: c.settings, Message: msg, ReplyTo: c.replyTo, Tries: c.tries}
		}
	}
	if of == nil {
		return Turn{}, until, false, nil
	}
	turn.Holder = NewHolder()
	of.holder, of.until = turn.Holder, now.Add(lease)
	return turn, time.Time{}, true, nil
}

// held is the thread of a turn that is still its holder's.
func (m *Memory) held(t Turn) (*conversation, error) {
	c := m.threads[t.Thread]
	if c == nil || t.Holder == "" || c.holder != t.Holder {
		return nil, ErrTaken
	}
	return c, nil
}

// Finish implements Turns.
func (m *Memory) Finish(_ context.Context, t Turn, a Answer) error {
	if err := Plain(a.Text, a.ReplyTo); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.held(t)
	if err != nil {
		return err
	}
	c.settled(t.Message.Epoch)
	c.replyTo = a.ReplyTo
	c.settings.Hinted = c.settings.Hinted || a.Hinted
	if a.Text != "" {
		epoch := c.last.After(a.Now)
		c.messages = append(c.messages, Message{ID: NewID(epoch), Epoch: epoch, Author: Hermes, Text: a.Text})
		c.last = epoch
		m.retain(c, a.Now)
		m.watchers.Wake(t.Thread)
	}
	if a.Hinted {
		c.settled(c.last) // what came while the hint was on its way has its answer in it
	}
	if _, more := c.waits(); more {
		m.begins()
	}
	return nil
}

// PutOff implements Turns.
func (m *Memory) PutOff(_ context.Context, t Turn, until time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.held(t)
	if err != nil {
		return err
	}
	c.holder, c.until = "", until
	c.tries++
	return nil
}

// Waiting implements Turns.
func (m *Memory) Waiting() <-chan struct{} { return m.waiting }
