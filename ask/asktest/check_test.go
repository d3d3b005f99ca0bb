package asktest_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/ask/asktest"
)

// good is a project that keeps every clause.
func good(t *testing.T) http.Handler {
	t.Helper()
	h, err := askserve.New(askserve.Project{
		Name: "school", Topics: []string{"school", "homework"}, People: []ask.Person{"sam", "harry"}, Token: asktest.TestToken,
		Answer: func(_ context.Context, _ ask.Question) (ask.Answer, error) {
			return ask.Say("Harry has maths today.").Until(time.Now().Add(time.Hour)), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// serve serves h, with the watched server or with another.
func serve(t *testing.T, s *http.Server) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(ask.Guarded(ln)) }()
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + ln.Addr().String()
}

func TestAGoodProjectPasses(t *testing.T) {
	url := serve(t, ask.NewServer(good(t)))
	asktest.Run(t, url, asktest.TestToken)
	report := asktest.Check(t.Context(), url, asktest.TestToken)
	if !report.OK(true) {
		t.Error("it is not strictly fine")
	}
	tried := map[string]bool{}
	for _, r := range report.Results {
		tried[r.ID] = true
		if r.Outcome == asktest.Skipped {
			t.Errorf("%s was skipped: %s", r.ID, r.Got)
		}
	}
	for _, c := range asktest.Clauses {
		if !tried[c.ID] {
			t.Errorf("clause %s is never tried", c.ID)
		}
	}
}

// recorder keeps a reply, so that a wrong project can spoil it.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// spoil is the good project with each reply changed on its way out.
func spoil(h http.Handler, change func(r *http.Request, rec *recorder)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{header: w.Header(), status: 200}
		h.ServeHTTP(rec, r)
		change(r, rec)
		rec.header.Del("Content-Length") // it was that of the reply before its change
		w.WriteHeader(rec.status)
		_, _ = w.Write(rec.body.Bytes())
	})
}

func (r *recorder) say(status int, body string) {
	r.status = status
	r.body.Reset()
	r.body.WriteString(body)
}

func (r *recorder) replace(old, with string) {
	r.say(r.status, strings.ReplaceAll(r.body.String(), old, with))
}

// before is the good project behind a change of each request.
func before(h http.Handler, change func(w http.ResponseWriter, r *http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if change(w, r) {
			h.ServeHTTP(w, r)
		}
	})
}
