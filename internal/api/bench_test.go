package api

import (
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

// BenchmarkAsk is one question through the whole Hub to a project that answers at
// once, over loopback; the project shares the process.
func BenchmarkAsk(b *testing.B) {
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
	defer project.Close()
	client := askclient.New(askclient.Config{URL: "http://" + ln.Addr().String(), Token: asktest.TestToken})
	defer client.Close()

	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		b.Fatal(err)
	}
	file, _ := routing.Parse("routing.md", routing.Default())
	log := record.NewLog(recordtest.NewMemory(), record.Keep{Days: 30, Text: true}, nil)
	defer log.Close(b.Context())
	h := hub.New(hub.Config{Projects: onlyProject{client}, Record: log, Budget: 8 * time.Second, Now: time.Now})
	h.Use(hub.NewRules(file, house, []ask.Capabilities{{Project: "compass_nhs", Topics: []string{"school"}, People: []ask.Person{"harry"}}}))
	s := New(Config{
		Hub: h, Records: log, Projects: someProjects{}, Callers: tokens{phoneToken: "phone"},
		WaysIn:    map[string]WayIn{"phone": {Askers: []ask.Asker{"sam"}, PerMinute: 1 << 30, AtOnce: 16, Want: "text"}},
		Household: func() *people.Household { return house }, Metrics: metrics.NewSet(), Now: time.Now,
	})
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/ask", strings.NewReader(`{"question": "what's on Harry's timetable?", "asker": "sam"}`))
		r.Header.Set("Authorization", "Bearer "+phoneToken)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
