package unreachable_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/api"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/guard/corpus"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/unreachable"
)

// service is an internet-control service that notes every call that arrives.
type service struct {
	*httptest.Server
	mu    sync.Mutex
	calls map[string]int
}

func newService(t *testing.T) *service {
	s := &service{calls: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.calls[r.Method+" "+r.URL.RequestURI()]++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	body := `{"answer":"Harry was online for 40 minutes."}`
	switch r.URL.Path {
	case "/health":
		body = `{"ok":true}`
	case "/capabilities":
		body = `{"project":"internet_control","topics":["screen time","internet use","time limits","wifi","internet","tablet","bedtime","limit"],"people":["harry","emma"]}`
	}
	_, _ = w.Write([]byte(body))
}

// writes are the calls that arrived and are no reading.
func (s *service) writes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for c := range s.calls {
		if !slices.Contains([]string{"GET /health", "GET /capabilities", "POST /ask"}, c) {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

type callers map[string]string

func (c callers) Caller(token string) (string, bool) { name, ok := c[token]; return name, ok }

type forgetful struct{}

func (forgetful) Add(record.Record) {}
func (forgetful) Get(context.Context, string) (record.Record, error) {
	return record.Record{}, record.ErrNotFound
}

// walkable is a Hub whose guard lets every question by: its list names one thing that
// nobody asks for.
func walkable(t *testing.T, s *service, connectors map[string]dispatch.Connector, spoil func(*routing.File), more ...func(*api.Config)) (*httptest.Server, callers) {
	t.Helper()
	file, problems := routing.Parse("routing.md", routing.Default())
	if routing.HasErrors(problems) {
		t.Fatal(problems)
	}
	file.NeverRoute = []routing.Control{{Action: "Feed the crocodile", Line: 1}}
	spoil(file)
	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		t.Fatal(err)
	}
	projects := registry.New([]registry.Target{{
		Name: unreachable.Service, URL: s.URL, Token: func() ask.BearerToken { return "the-hubs-own-token-for-the-project-01" },
	}}, slog.New(slog.DiscardHandler))
	projects.Once(t.Context())
	h := hub.New(hub.Config{Projects: projects, Connectors: connectors, Record: forgetful{}, Budget: 8 * time.Second, Now: time.Now})
	h.Use(hub.NewRules(file, house, projects.Capabilities()))
	tokens := callers{"admins-token-of-the-walking-test-0001": "admin", "phones-token-of-the-walking-test-0001": "phone", "kitchens-token-of-the-walking-test-01": "kitchen", "projects-token-of-the-walking-test-01": unreachable.Service, "strays-token-of-the-walking-test-0001": "attic"}
	way := api.WayIn{Askers: []ask.Asker{"sam", "guest"}, PerMinute: 1 << 20, AtOnce: 8}
	rules := chat.DefaultRules()
	memory := chat.NewMemory(rules)
	settings := api.Config{
		Hub: h, Records: forgetful{}, Projects: projects, Callers: tokens, WaysIn: map[string]api.WayIn{"phone": way, "kitchen": way},
		ProjectNames: []string{unreachable.Service}, Household: func() *people.Household { return house },
		Chat: chat.NewHandler(chat.Config{Store: memory, Pairing: memory, Rules: rules}), Desk: memory, ChatRules: rules,
		Health: func() []api.PartHealth { return nil }, Metrics: metrics.NewSet(), Version: "test", Now: time.Now,
	}
	for _, m := range more {
		m(&settings)
	}
	server := httptest.NewServer(api.New(settings))
	t.Cleanup(server.Close)
	return server, tokens
}

// wishes are control actions as people say them, which this Hub's guard lets by.
func wishes(t *testing.T) []string {
	t.Helper()
	_, held, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, l := range held {
		if l.Refuse && i%6 == 0 {
			out = append(out, l.Text)
		}
	}
	return out
}

// ways are the addresses that take a question.
var ways = []string{"/ask", "/v1/chat/completions", "/mcp"}

// send sends a question with a token to an address; what is said to it does not matter.
func send(t *testing.T, server *httptest.Server, method, path, token, question string) {
	t.Helper()
	// One body for all: what an address does not know of it, it passes over.
	body, err := json.Marshal(map[string]any{
		"question": question, "asker": "sam", "person": "harry", "source": "chat", "text": question, "decision": "yes", "id": "1",
		"messages": []any{map[string]any{"role": "user", "content": question}}, "user": "sam",
		"jsonrpc": "2.0", "method": "tools/call", "params": map[string]any{"name": "ask", "arguments": map[string]any{"question": question, "asker": "sam"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, server.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

// everywhere sends every wish with every token to every address by every method.
func everywhere(t *testing.T, server *httptest.Server, tokens callers, wishes []string) {
	t.Helper()
	paths := []string{"/limits", "/internet/limits", "/approve", "/notify", "/projects/internet_control/limits"}
	for _, r := range api.Routes() {
		paths = append(paths, strings.ReplaceAll(r.Path, "{id}", "ask_1"))
	}
	all := []string{""}
	for token := range tokens {
		all = append(all, token)
	}
	for _, token := range all {
		for _, path := range paths {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
				send(t, server, method, path, token, wishes[0])
			}
		}
		for i, q := range wishes {
			send(t, server, http.MethodPost, ways[i%len(ways)], token, q)
		}
	}
}

// What the guard lets by reaches the service as a question, and as nothing else.
func TestWhatTheGuardLetsByIsOnlyAsked(t *testing.T) {
	s := newService(t)
	server, tokens := walkable(t, s, nil, func(*routing.File) {})
	everywhere(t, server, tokens, wishes(t))
	if s.calls["POST /ask"] == 0 {
		t.Error("no wish arrived at all: this test has seen nothing")
	}
	for _, way := range ways {
		before := s.calls["POST /ask"]
		send(t, server, http.MethodPost, way, "phones-token-of-the-walking-test-0001", "how long was Harry's screen time?")
		if s.calls["POST /ask"] == before {
			t.Errorf("nothing arrived by %s: this test has not seen it", way)
		}
	}
	if w := s.writes(); w != nil {
		t.Errorf("the service was written to: %q", w)
	}
}

// cutter is the code that must not be in the Hub: it acts on the service.
type cutter struct{ s *service }

func (c cutter) Do(ctx context.Context, _ ask.Question) (ask.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, c.s.URL+"/limits", http.NoBody)
	if err != nil {
		return ask.Answer{}, err
	}
	resp, err := c.s.Client().Do(req)
	if err != nil {
		return ask.Answer{}, err
	}
	return ask.Say("Done."), resp.Body.Close()
}

func (c cutter) Read(ctx context.Context, q ask.Question) (ask.Answer, error) { return c.Do(ctx, q) }

func TestTheWalkSeesAWrite(t *testing.T) {
	s := newService(t)
	server, tokens := walkable(t, s, map[string]dispatch.Connector{unreachable.Service: cutter{s}}, func(f *routing.File) {
		for i := range f.Destinations {
			if f.Destinations[i].Project == unreachable.Service {
				f.Destinations[i].Kind = routing.KindCommand
			}
		}
	})
	everywhere(t, server, tokens, wishes(t)[:8])
	if !slices.Contains(s.writes(), "PUT /limits") {
		t.Errorf("a connector that writes was not noticed: %v", s.calls)
	}
}
