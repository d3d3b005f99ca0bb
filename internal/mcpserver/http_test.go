package mcpserver

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// over serves an endpoint as whoever the header says.
func over(t *testing.T, hubs map[string]Hub) *httptest.Server {
	t.Helper()
	e := NewEndpoint("1")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Header.Get("Caller")
		if p := e.Serve(w, r, Caller{Name: name, Hub: hubs[name]}); p != nil {
			ask.WriteProblem(w, p)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// post calls the tool ask as that caller.
func post(ctx context.Context, s *httptest.Server, caller string) error {
	body := `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": {"question": "hi"}}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Caller", caller)
	resp, err := s.Client().Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = jsontext.NewDecoder(resp.Body).ReadValue()
	return err
}

// patient is a Hub that answers when nobody waits any more.
type patient struct {
	scripted

	began, over chan struct{}
}

func (p *patient) Ask(ctx context.Context, _ Question) (*Reply, error) {
	close(p.began)
	<-ctx.Done()
	close(p.over)
	return nil, ctx.Err()
}

func TestACallEndsWhenItsCallerHasGone(t *testing.T) {
	hub := &patient{began: make(chan struct{}), over: make(chan struct{})}
	s := over(t, map[string]Hub{"desk": hub})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-hub.began
		leave()
	}()
	if err := post(ctx, s, "desk"); err == nil {
		t.Error("it was answered")
	}
	select {
	case <-hub.over:
	case <-time.After(30 * time.Second):
		t.Error("the Hub is still asking")
	}
}

// counting notes how often it was asked.
type counting struct {
	scripted

	mu sync.Mutex
	n  int
}

func (c *counting) Ask(context.Context, Question) (*Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return ReadReply(jsontext.Value(`{"id":"ask_1","status":"answered","reply":"So it is."}`))
}

// Callers at once are each answered by the Hub as they see it, never by another's.
func TestCallersAtOnceAreNotTakenForEachOther(t *testing.T) {
	hubs := map[string]Hub{"desk": &counting{}, "hall": &counting{}, "attic": &counting{}}
	s := over(t, hubs)
	const each = 30
	var all sync.WaitGroup
	for name := range hubs {
		for range each {
			all.Go(func() {
				if err := post(t.Context(), s, name); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	for name, hub := range hubs {
		if n := hub.(*counting).n; n != each {
			t.Errorf("%s was asked %d times, want %d", name, n, each)
		}
	}
}

// What is sent in another form is refused over HTTP as on standard input, without inner names.
func TestParametersOfAnotherFormOverHTTP(t *testing.T) {
	s := over(t, map[string]Hub{"desk": &scripted{}})
	for _, params := range []string{`[1]`, `7`, `{"name":7}`, `{"name":"ask","arguments":7,"_meta":7}`} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Caller", "desk")
		resp, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || len(raw) == 0 || inner(string(raw)) {
			t.Errorf("%s: got %s, %v", params, raw, err)
		}
	}
}

// What is JSON and no message is refused over HTTP as on standard input, without inner names;
// a list of messages is refused where one of them is none.
func TestWhatIsNoMessageOverHTTP(t *testing.T) {
	e := NewEndpoint("1")
	for _, body := range []string{
		`{}`, `[]`, `null`, `5`, `"x"`, `true`, `[null]`, `[5]`, ` [[{"jsonrpc":"2.0","id":1,"method":"ping"}]]`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":2,"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":5}`, `{"jsonrpc":"2.0","id":1,"method":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":5}`, `{"jsonrpc":"2.0"}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":7}]`,
	} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		p := e.Serve(w, r, Caller{Name: "desk", Hub: &scripted{}})
		if p == nil || p.Code != ask.CodeInvalidJSON || p.Detail != noMessage {
			t.Errorf("%s: got %+v and %s", body, p, w.Body)
		}
	}
}
