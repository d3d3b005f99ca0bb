package api

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/askhub/askhub/internal/events"
)

// removable are tokens of which one can go.
type removable struct {
	mu sync.Mutex
	of tokens
}

func (r *removable) Caller(token string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of.Caller(token)
}

func (r *removable) remove(token string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of, token)
}

// follow opens a stream of events.
func (s *served) follow(last string) *bufio.Reader {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/events", http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+adminToken)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("Cache-Control") != "no-store" {
		s.t.Fatalf("got %d %v", resp.StatusCode, resp.Header)
	}
	r := bufio.NewReader(resp.Body)
	if got := nextEvent(s.t, r); !strings.HasPrefix(got, ":") {
		s.t.Fatalf("it begins with %q", got)
	}
	return r
}

// nextEvent is the next block of the stream.
func nextEvent(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	var b strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended: %v", err)
		}
		if line == "\n" {
			return b.String()
		}
		b.WriteString(line)
	}
}

func (s *served) publish(kind events.Kind, v any) {
	s.t.Helper()
	s.events.Publish(kind, v)
}

func TestEventsComeAsTheyHappenAndCanBeCaughtUpOn(t *testing.T) {
	s := serve(t)
	s.publish(events.Request, map[string]string{"id": "before"})
	r := s.follow("")
	s.publish(events.Project, struct {
		Project string `json:"project"`
		Up      bool   `json:"up"`
	}{"compass_nhs", false})
	if got, want := nextEvent(t, r), "event: project\nid: test-2\ndata: {\"project\":\"compass_nhs\",\"up\":false}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := nextEvent(t, s.follow("test-1")); !strings.Contains(got, "id: test-2\n") {
		t.Errorf("caught up with %q", got)
	}
	if got, want := nextEvent(t, s.follow("another-9")), "event: missed\nid: test-2\ndata: {}\n"; got != want {
		t.Errorf("after another process's event: %q", got)
	}
	for range 300 {
		s.publish(events.Notice, map[string]string{})
	}
	late := s.follow("test-2")
	if got := nextEvent(t, late); !strings.HasPrefix(got, "event: missed\n") {
		t.Errorf("after too long: %q", got)
	}
	if got := nextEvent(t, late); !strings.HasPrefix(got, "event: notice\nid: test-47\n") {
		t.Errorf("and then: %q", got)
	}
}

// It is so whether or not something happens, by a clock of the test's own.
func TestARemovedTokenIsDeadOnOpenStreamsWithinASecond(t *testing.T) {
	for name, happens := range map[string]bool{"something happens": true, "nothing happens": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				callers, stream := &removable{of: tokens{adminToken: "admin"}}, events.New("test")
				s := New(Config{Callers: callers, Events: stream, Metrics: metrics.NewSet(), Now: time.Now})
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/events", http.NoBody)
				r.Header.Set("Authorization", "Bearer "+adminToken)
				w, ended := httptest.NewRecorder(), make(chan struct{})
				go func() {
					defer close(ended)
					s.ServeHTTP(w, r)
				}()
				synctest.Wait()
				time.Sleep(time.Minute)
				callers.remove(adminToken)
				gone := time.Now()
				if happens {
					stream.Publish(events.Notice, map[string]string{"message": "not for them any more"})
				}
				<-ended
				if took := time.Since(gone); took > time.Second {
					t.Errorf("it ended after %v", took)
				}
				if heard := w.Body.String(); w.Code != http.StatusOK || !strings.HasPrefix(heard, ":") || strings.Contains(heard, "event:") {
					t.Errorf("%d, and it heard %q", w.Code, heard)
				}
			})
		})
	}
}

func TestStreamsOfEventsAreBounded(t *testing.T) {
	s := serve(t)
	for range maxStreams {
		s.follow("")
	}
	if status, _, body := s.call("GET", "/events", adminToken, ""); status != 429 {
		t.Errorf("one more: %d %s", status, body)
	}
	if status, _, _ := s.call("HEAD", "/approvals", adminToken, ""); status != 200 {
		t.Errorf("another call: %d", status)
	}
}
