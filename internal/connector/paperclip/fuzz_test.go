package paperclip

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/connector/paperclip/standin"
)

// says is a server that says the same to everything but whose key it is.
type says struct {
	status int
	kind   string
	body   string
}

func (s says) RoundTrip(r *http.Request) (*http.Response, error) {
	status, kind, body := s.status, s.kind, s.body
	if strings.HasSuffix(r.URL.Path, "/agents/me") {
		status, kind = http.StatusOK, "application/json"
		body = `{"id":"a","name":"askhub","companyId":"` + standin.Company + `","keyScope":{"kind":"task_bridge"}}`
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

// Whatever a server says, a job is filed under a name that can be spoken, or it is not told
// as filed; and what was said stays out of what a person hears.
func FuzzReply(f *testing.F) {
	f.Add(201, "application/json", `{"id":"5c4904f9","identifier":"HOU-1","status":"backlog"}`)
	f.Add(200, "application/json; charset=utf-8", `{"id":"5c4904f9","identifier":"HOU-1\u001b[2J","status":"backlog"}`)
	f.Add(403, "application/json", `{"error":"Task bridge key is outside its approved parent or project boundary."}`)
	f.Add(500, "text/html", "<html>\x00")
	f.Add(404, "application/json", `{"error":""}`)
	f.Add(302, "", "")
	f.Fuzz(func(t *testing.T, status int, kind, body string) {
		c := New(Config{
			URL: "http://paperclip.test", Company: standin.Company, Project: standin.Project,
			Key: func() ask.BearerToken { return standin.Key }, Transport: says{status, kind, body},
		})
		c.pause = time.Microsecond
		job, err := c.Draft("file a job: find a plumber")
		if err != nil {
			t.Fatal(err)
		}
		issue, err := c.File(within(t, margin+time.Millisecond), approval, job)
		var fault *Fault
		switch {
		case err == nil:
			if !speakable(issue.Identifier) || status != http.StatusOK && status != http.StatusCreated {
				t.Errorf("%d %q was taken for %+v", status, body, issue)
			}
		case !errors.As(err, &fault):
			t.Errorf("got %v", err)
		case ask.CheckSentence(fault.Says(), false) != nil:
			t.Errorf("a person hears %q", fault.Says())
		case status >= 200 && status < 300 && !fault.Uncertain():
			t.Errorf("%d is told as certainly not filed: %v", status, err)
		case strings.ContainsFunc(fault.Detail, func(r rune) bool { return r < ' ' || r == 0x7f }):
			t.Errorf("the log gets %q", fault.Detail)
		}
		if seen, err := c.Look(t.Context(), "HOU-1"); err == nil && (seen.Status == "" || !speakable(seen.Identifier)) {
			t.Errorf("%q was taken for %+v", body, seen)
		}
	})
}

func FuzzReadJob(f *testing.F) {
	f.Add([]byte(`{"destination":"paperclip","server":"http://x","company":"c","project":"p","title":"t","description":"d"}`))
	f.Add([]byte(`{"destination":"paperclip","title":"t","title":"u"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, action []byte) {
		job, err := ReadJob(action)
		if err != nil {
			return
		}
		again, err := job.Action()
		if err != nil {
			t.Fatal(err)
		}
		if same, err := ReadJob(again); err != nil || same != job {
			t.Errorf("%s reads back as %+v, %v", action, same, err)
		}
	})
}
