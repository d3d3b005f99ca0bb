package admin_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/askhub/askhub/internal/admin"
)

// serveEvents stands in for the Hub's GET /events.
func (o *owner) serveEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	// Whoever has heard the first words misses nothing that comes after them.
	last, gone := o.events.Now(), o.left()
	_, _ = w.Write([]byte(": here is what happens\n\n"))
	_ = out.Flush()
	for {
		list, next, _, changed := o.events.After(last)
		last = next
		for _, e := range list {
			_, _ = w.Write([]byte("event: " + string(e.Kind) + "\nid: " + e.ID + "\ndata: " + string(e.Data) + "\n\n"))
		}
		if out.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-gone:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// run runs the app until the test ends, or until stop is called.
func (h *house) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { h.app.Run(ctx) })
	stop = func() {
		cancel()
		running.Wait()
	}
	h.t.Cleanup(stop)
	return stop
}

// enrolled is a browser of that person's, signed in.
func (h *house) enrolled(person string) *browser {
	h.t.Helper()
	b := h.browser()
	b.enrol(person)
	return b
}

// stream is an open page's stream of events.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
}

// follow opens one, as the page does.
func (b *browser) follow(t *testing.T) (*stream, int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.h.server.URL+"/api/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = strings.TrimPrefix(b.h.origin, "http://")
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return &stream{t, bufio.NewScanner(resp.Body)}, resp.StatusCode
}

// changed waits until the page is told that something has changed.
func (s *stream) changed() {
	s.t.Helper()
	for s.lines.Scan() {
		switch line := s.lines.Text(); {
		case line == "event: changed":
			return
		case line != "" && line != "data: {}" && line != "event: beat":
			s.t.Fatalf("it says %q, and what waits is nobody's to read here", line)
		}
	}
	s.t.Fatal("the stream ended")
}

// ends waits for the end of the stream.
func (s *stream) ends() {
	s.t.Helper()
	for s.lines.Scan() {
		if strings.Contains(s.lines.Text(), "approval") {
			s.t.Errorf("it says %q", s.lines.Text())
		}
	}
}

func TestAnOpenPageIsToldThatSomethingNewWaits(t *testing.T) {
	h := newHouse(t)
	h.run()
	b := h.enrolled("sam")
	page, status := b.follow(t)
	if status != http.StatusOK {
		t.Fatal(status)
	}
	page.changed() // at the start, of what came before
	a := h.hub.wants(t, "File a job.")
	for page.changed(); !strings.Contains(b.get("/api/waiting").body, a.ID); page.changed() {
	}
	c := h.net.wants(t, "Cut the internet.")
	for page.changed(); !strings.Contains(b.get("/api/waiting").body, c.ID); page.changed() {
	}
}

func TestAnOpenPageIsToldAgainAfterTheHubWasAway(t *testing.T) {
	h := newHouse(t)
	h.run()
	b := h.enrolled("sam")
	page, _ := b.follow(t)
	page.changed()
	h.hub.leave() // the streams end, as where the Hub is started again
	a := h.hub.wants(t, "File a job.")
	for page.changed(); !strings.Contains(b.get("/api/waiting").body, a.ID); page.changed() {
	}
}

func TestAPagesStreamNeedsASessionAndEndsWithIt(t *testing.T) {
	h := newHouse(t)
	stop := h.run()
	if _, status := h.browser().follow(t); status != http.StatusUnauthorized {
		t.Errorf("without a session: %d", status)
	}
	b := h.enrolled("sam")
	page, _ := b.follow(t)
	page.changed()
	another := h.enrolled("tom")
	stays, _ := another.follow(t)
	stays.changed()
	if r := b.form("/signout", ""); r.status != http.StatusSeeOther {
		t.Fatal(r.status)
	}
	h.hub.wants(t, "File a job.")
	page.ends()
	stays.changed()
	stop() // the app ends, and waits for no page
	stays.ends()
}

func TestOneStreamTooManyIsRefusedAndThePageAsksByItself(t *testing.T) {
	h := newHouse(t)
	h.run()
	b := h.enrolled("sam")
	for range admin.MaxStreams {
		page, status := b.follow(t)
		if status != http.StatusOK {
			t.Fatal(status)
		}
		page.changed()
	}
	if _, status := b.follow(t); status != http.StatusTooManyRequests {
		t.Errorf("one too many: %d", status)
	}
	if r := b.get("/api/waiting"); r.status != http.StatusOK {
		t.Errorf("asking: %d", r.status)
	}
}
