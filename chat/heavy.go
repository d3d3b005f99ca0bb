package chat

import (
	"context"
	"errors"
	"time"
)

// The bounds of long pages. A page is held in memory while its reader takes it, and some
// read slowly or not at all: a thread's 200 longest messages are over three megabytes.
const (
	// longPage is how many bytes of text make a page a long one.
	longPage = 64 << 10
	// maxLong is how many long pages are under way at a time.
	maxLong = 32
	// longWait is how long one more waits for its turn.
	longWait = 5 * time.Second
)

// errBusy is a long page too many.
var errBusy = errors.New("too many long pages are under way")

// page reads a thread's page, and waits where it is a long one and too many of those are
// under way. Sent ends it; it is never nil.
func (h *Handler) page(ctx context.Context, t Thread, since Cursor) (p Page, sent func(), err error) {
	sent = func() {}
	p, err = h.cfg.Store.Read(ctx, t, since)
	if err != nil || !p.long() {
		return p, sent, err
	}
	select {
	case h.longs <- struct{}{}:
		return p, h.longSent, nil
	default:
	}
	p = Page{} // whoever waits holds nothing, and reads it again
	timer := time.NewTimer(longWait)
	defer timer.Stop()
	select {
	case h.longs <- struct{}{}:
	case <-timer.C:
		return p, sent, errBusy
	case <-ctx.Done():
		return p, sent, ctx.Err()
	case <-h.cfg.Done:
		return p, sent, errBusy
	}
	if p, err = h.cfg.Store.Read(ctx, t, since); err != nil {
		h.longSent()
		return p, sent, err
	}
	return p, h.longSent, nil
}

func (h *Handler) longSent() { <-h.longs }

func (p *Page) long() bool {
	n := 0
	for i := range p.Messages {
		n += len(p.Messages[i].Text)
	}
	return n > longPage
}
