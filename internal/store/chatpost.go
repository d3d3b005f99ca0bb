package store

import (
	"slices"
	"time"

	"github.com/askhub/askhub/chat"
)

// append is chat.Store's Append within a batch.
func (b *batch) append(p *chat.Post) (chat.Receipt, error) {
	key := keyOf{p.Thread, p.Key}
	if g, ok := b.keys[key]; ok {
		return chat.Receipt{Message: g.message, Repeated: true}, nil
	}
	r, rules := b.row(p.Thread), b.w.rules
	if b.fault != nil {
		return chat.Receipt{}, b.fault
	}
	if err := b.limits(p, r); err != nil {
		return chat.Receipt{}, err
	}
	if len(r.kept) == 0 && b.threads() >= rules.Threads {
		return chat.Receipt{}, chat.ErrThreadLimit
	}
	m := b.add(r, p.Author, p.Text, p.Now, p.Author != chat.Hermes && rules.Waits(r.settings))
	if p.Author == chat.Hermes {
		r.settled(m.Epoch)
		r.replyTo = ""
	}
	if p.Key != "" {
		b.keys[key] = given{message: m, at: p.Now.UnixNano()}
		b.keyed = append(b.keyed, key)
	}
	if p.Address != "" {
		at := p.Now.UnixNano()
		r.posts = append(r.posts, at)
		a := b.address(p.Address)
		a.posts = append(a.posts, at)
		b.post(p.Address, a)
		b.latest = at
	}
	return chat.Receipt{Message: m}, b.fault
}

// limits holds a post from the web to the two windows.
func (b *batch) limits(p *chat.Post, r *row) error {
	if p.Address == "" {
		return nil
	}
	rules, a := b.w.rules, b.address(p.Address)
	if r.posts.in(p.Now, rules.Window) {
		b.touch(r)
	}
	if a.posts.in(p.Now, rules.Window) {
		b.post(p.Address, a)
	}
	return chat.Longer(r.posts.room(p.Now, rules.Window, rules.PerThread), a.posts.room(p.Now, rules.Window, rules.PerAddress))
}

// post notes that the address is to be saved.
func (b *batch) post(name string, a *address) {
	if !a.dirty {
		a.dirty = true
		b.posted = append(b.posted, name)
	}
}

// add adds a message at the thread's end, with the epoch that follows, and drops what
// retention then no longer holds.
func (b *batch) add(r *row, author chat.Author, text string, now time.Time, asks bool) chat.Message {
	epoch := r.last.After(now)
	m := chat.Message{ID: chat.NewID(epoch), Epoch: epoch, Author: author, Text: text}
	b.counting(r, func() {
		r.fresh = append(r.fresh, freshMessage{m, asks})
		r.kept = append(r.kept, kept{epoch, asks})
		r.last, r.awaiting = epoch, author != chat.Hermes
		b.retain(r, now)
	})
	b.waits = b.waits || asks
	b.move(r)
	return m
}

// counting keeps the count of threads right over a change.
func (b *batch) counting(r *row, change func()) {
	before := min(len(r.kept), 1)
	change()
	if b.w.count >= 0 {
		b.w.count += min(len(r.kept), 1) - before
	}
}

// retain drops what the rules no longer hold, and says how much that was.
func (b *batch) retain(r *row, now time.Time) int {
	rules := b.w.rules
	oldest := oldestKept(rules, now)
	young := slices.IndexFunc(r.kept, func(k kept) bool { return k.epoch >= oldest })
	if young < 0 {
		young = len(r.kept)
	}
	n := max(young, len(r.kept)-rules.Keep)
	if n == 0 {
		return 0
	}
	for _, k := range r.kept[:n] {
		r.gone = append(r.gone, k.epoch)
	}
	r.kept = slices.Delete(r.kept, 0, n)
	return n
}

// oldestKept is the oldest epoch that the rules keep.
func oldestKept(rules *chat.Rules, now time.Time) chat.Cursor {
	return chat.Cursor(now.Add(-rules.KeepFor).UnixMilli())
}
