package api

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/record/recordtest"
)

// onlyProject is the registry of the benchmark: one project, whatever the name.
type onlyProject struct{ client *askclient.Client }

func (p onlyProject) Client(string) (*askclient.Client, bool) { return p.client, true }

// benched is a whole Hub with one project that answers at once, over loopback; the project
// shares the process.
func benched(b *testing.B) *Server {
	b.Helper()
	ln, err := ask.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	project := ask.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"answer":"Harry has maths."}`)
	}))
	go func() { _ = project.Serve(ln) }()
	b.Cleanup(func() { _ = project.Close() })
	client := askclient.New(askclient.Config{URL: "http://" + ln.Addr().String(), Token: asktest.TestToken})
	b.Cleanup(client.Close)

	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		b.Fatal(err)
	}
	file, _ := routing.Parse("routing.md", routing.Default())
	log := record.NewLog(recordtest.NewMemory(), record.Keep{Days: 30, Text: true}, nil)
	b.Cleanup(func() { _ = log.Close(context.WithoutCancel(b.Context())) })
	h := hub.New(hub.Config{Projects: onlyProject{client}, Record: log, Budget: 8 * time.Second, Now: time.Now})
	h.Use(hub.NewRules(file, house, []ask.Capabilities{{Project: "compass_nhs", Topics: []string{"school"}, People: []ask.Person{"harry"}}}))
	return New(Config{
		Hub: h, Records: log, Projects: someProjects{}, Callers: tokens{phoneToken: "phone"},
		WaysIn:    map[string]WayIn{"phone": {Askers: []ask.Asker{"sam"}, PerMinute: 1 << 30, AtOnce: 16, Want: "text"}},
		Household: func() *people.Household { return house }, Metrics: metrics.NewSet(), Now: time.Now,
	})
}

// BenchmarkAsk is one question through the whole Hub.
func BenchmarkAsk(b *testing.B) {
	benchPost(b, "/ask", `{"question": "what's on Harry's timetable?", "asker": "sam"}`)
}

// BenchmarkAskByOpenAIsProtocol is the same question in a talk of some messages; what it
// takes beyond BenchmarkAsk is the protocol's.
func BenchmarkAskByOpenAIsProtocol(b *testing.B) {
	benchPost(b, "/v1/chat/completions", `{"model": "askhub", "messages": [{"role": "system", "content": "You are a kind assistant."},
		{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hello."}, {"role": "user", "content": "what's on Harry's timetable?"}]}`)
}

// BenchmarkAskByTheModelContextProtocol is the same question as a tool's call.
func BenchmarkAskByTheModelContextProtocol(b *testing.B) {
	benchPost(b, "/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": {"question": "what's on Harry's timetable?"}}}`)
}

func benchPost(b *testing.B, at, body string) {
	b.Helper()
	s := benched(b)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, at, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+phoneToken)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Harry has maths.") {
			b.Fatal(w.Body)
		}
	}
}
