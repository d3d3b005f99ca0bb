package chat

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// The patience of a stream.
const (
	// heartbeat is how often a quiet stream says that it is still there.
	heartbeat = 15 * time.Second
	// writeTimeout is how long a reader may keep one event waiting.
	writeTimeout = 10 * time.Second
	// maxStreams is how many are open at a time: each holds memory, and a token costs
	// nothing. One address has no more than half of them, so that it pushes nobody else out.
	maxStreams, maxStreamsOfOne = 4096, 2048
)

// streams counts those that are open.
type streams struct {
	mu     sync.Mutex
	all    int
	byAddr map[string]int
}

// enter lets one more in from that address. Whoever is let in leaves.
func (s *streams) enter(address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxStreams || s.byAddr[address] >= maxStreamsOfOne {
		return false
	}
	if s.byAddr == nil {
		s.byAddr = map[string]int{}
	}
	s.all++
	s.byAddr[address]++
	return true
}

func (s *streams) leave(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.byAddr[address]--; s.byAddr[address] == 0 {
		delete(s.byAddr, address)
	}
}

// Streams is how many streams are open.
func (h *Handler) Streams() int {
	h.streams.mu.Lock()
	defer h.streams.mu.Unlock()
	return h.streams.all
}

// stream gives what poll gives, as soon as it is there, until the reader goes.
func (h *Handler) stream(w http.ResponseWriter, r *http.Request, t Thread) *problem {
	since, p := readSince(r)
	if p != nil {
		return p
	}
	seen, p := readLast(r)
	if p != nil {
		return p
	}
	since = max(since, seen)
	from := AddressKey(h.cfg.Address(r))
	if !h.streams.enter(from) {
		return &problem{code: CodeUnavailable, text: "too many streams are open; poll instead, or try again later"}
	}
	defer h.streams.leave(from)
	// Watching begins before reading, so that nothing falls between.
	changed, stop := h.cfg.Store.Watch(t)
	defer stop()
	page, sent, err := h.page(r.Context(), t, since)
	if err != nil {
		return h.fault(r.Context(), err)
	}
	head := w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Accel-Buffering", "no") // a proxy would hold events back
	w.WriteHeader(http.StatusOK)
	s := &events{w: w, control: http.NewResponseController(w), thread: t, since: since}
	going := s.send(&page)
	sent()
	if !going {
		return nil
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-changed:
			page, sent, err := h.page(r.Context(), t, s.since)
			if err != nil {
				_ = h.fault(r.Context(), err) // the reader comes again, and catches up
				return nil
			}
			going := !s.news(&page) || s.send(&page)
			sent()
			if !going {
				return nil
			}
		case <-beat.C:
			if !s.write([]byte(": still here\n\n")) {
				return nil
			}
		case <-r.Context().Done():
			return nil
		case <-h.cfg.Done:
			return nil
		}
	}
}

// events is one stream's writing end.
type events struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	thread   Thread
	since    Cursor
	awaiting bool
}

// news says whether the page tells the reader anything.
func (s *events) news(p *Page) bool { return len(p.Messages) > 0 || p.Awaiting != s.awaiting }

func (s *events) send(p *Page) bool {
	// As with poll, the cursor is what counts from here on, also for a reader who came with
	// one of another life of this thread, ahead of all that is here.
	s.since, s.awaiting = p.Cursor, p.Awaiting
	body := p.Wire(s.thread)
	data, err := json.Marshal(&body)
	if err != nil {
		panic(err) // the types are fixed and the texts are checked, so a test meets this first
	}
	out := make([]byte, 0, len(data)+64)
	out = append(out, "event: messages\nid: "...)
	out = strconv.AppendInt(out, int64(s.since), 10)
	out = append(out, "\ndata: "...)
	out = append(out, data...)
	return s.write(append(out, "\n\n"...))
}

// write sends at once, and gives up on a reader that takes nothing.
func (s *events) write(b []byte) bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // none can be set in a test's recorder
	if _, err := s.w.Write(b); err != nil {
		return false
	}
	return s.control.Flush() == nil
}
