package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// aDesk is the Hub's, which files whatever was approved.
func aDesk(t *testing.T) *approve.Desk {
	t.Helper()
	d, err := approve.Open(t.Context(), approve.Options{
		Owner: "hub", Store: approve.NewMemory(), Log: slog.New(slog.DiscardHandler),
		Execute: func(context.Context, approve.Approval) (string, error) { return "It is filed as HOU-1.", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func (s *served) asksForAJob() approve.Approval {
	s.t.Helper()
	a, err := s.desk.Ask(s.t.Context(), approve.Request{
		What: "File the job “Mend the tap”.", Who: "sam", Why: "file a job: mend the tap", Action: jsontext.Value(`{"destination":"paperclip","title":"Mend the tap"}`),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func TestAnApprovalOnTheWire(t *testing.T) {
	s := serve(t)
	if status, _, body := s.call("GET", "/approvals", adminToken, ""); status != 200 || body != `{"approvals":[]}` {
		t.Errorf("none: %d %s", status, body)
	}
	a := s.asksForAJob()
	want := `{"id":"` + a.ID + `","owner":"hub","what":"File the job “Mend the tap”.","who":"sam","why":"file a job: mend the tap",` +
		`"action":{"destination":"paperclip","title":"Mend the tap"},"digest":"` + a.Digest + `","state":"pending",` +
		`"created":"` + a.Created.Format(time.RFC3339Nano) + `","expires":"` + a.Expires.Format(time.RFC3339Nano) + `"}`
	if status, header, body := s.call("GET", "/approvals/"+a.ID, adminToken, ""); status != 200 || body != want || header.Get("Cache-Control") != "no-store" {
		t.Errorf("got  %d %s\nwant %s", status, body, want)
	}
	if _, _, body := s.call("GET", "/approvals", adminToken, ""); body != `{"approvals":[`+want+`]}` {
		t.Errorf("all: %s", body)
	}
	status, _, first := s.call("POST", "/approve", adminToken, `{"id":"`+a.ID+`","decision":"yes","digest":"`+a.Digest+`","by":"alex"}`)
	var got approval
	if err := json.Unmarshal([]byte(first), &got); err != nil || status != 200 || got.State != "done" || got.Result == nil ||
		got.Result.Message != "It is filed as HOU-1." || got.Result.By != "alex" || got.Result.Decided == nil || got.Result.Ended == nil {
		t.Errorf("a yes: %d %s", status, first)
	}
	for _, body := range []string{`{"id":"` + a.ID + `","decision":"no","digest":"` + a.Digest + `","mute":true}`, `{"id":"` + a.ID + `","decision":"yes","digest":"` + a.Digest + `"}`} {
		if status, _, later := s.call("POST", "/approve", adminToken, body); status != 200 || later != first {
			t.Errorf("a later tap: %d %s", status, later)
		}
	}
}

func TestOnlyTheAdminAppSeesAndDecides(t *testing.T) {
	s := serve(t)
	a := s.asksForAJob()
	yes := `{"id":"` + a.ID + `","decision":"yes","digest":"` + a.Digest + `"}`
	for token, want := range map[string]int{"": 401, strings.Repeat("x", 40): 401, kitchenToken: 403, phoneToken: 403, projectToken: 403, strayToken: 403} {
		for path, method := range map[string]string{"/approvals": "GET", "/approvals/" + a.ID: "GET", "/approve": "POST", "/events": "GET"} {
			body := ""
			if method == "POST" {
				body = yes
			}
			if status, _, said := s.call(method, path, token, body); status != want || strings.Contains(said, "tap") {
				t.Errorf("%s %s: %d %s", method, path, status, said)
			}
		}
	}
	if got, err := s.desk.Get(t.Context(), a.ID); err != nil || got.State != approve.Pending {
		t.Errorf("it is %s, %v", got.State, err)
	}
}

func TestBadDecisionsNameTheField(t *testing.T) {
	s := serve(t)
	a := s.asksForAJob()
	zeros := strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		body   string
		status int
		code   ask.Code
		field  string
	}{
		"no id":              {`{"decision":"yes","digest":"` + a.Digest + `"}`, 400, ask.CodeMissingField, "id"},
		"an unknown id":      {`{"id":"` + zeros[:32] + `","decision":"yes","digest":"` + a.Digest + `"}`, 404, approve.CodeUnknown, "id"},
		"another digest":     {`{"id":"` + a.ID + `","decision":"yes","digest":"` + zeros + `"}`, 409, approve.CodeDigest, "digest"},
		"no digest":          {`{"id":"` + a.ID + `","decision":"yes"}`, 400, ask.CodeInvalidField, "digest"},
		"neither yes nor no": {`{"id":"` + a.ID + `","decision":"perhaps","digest":"` + a.Digest + `"}`, 400, ask.CodeInvalidField, "decision"},
		"a key twice":        {`{"id":"` + a.ID + `","decision":"no","decision":"yes","digest":"` + a.Digest + `"}`, 400, ask.CodeDuplicateKey, "decision"},
		"a key in capitals":  {`{"id":"` + a.ID + `","Decision":"yes","digest":"` + a.Digest + `"}`, 400, ask.CodeKeyCase, "decision"},
		"a list":             {`[{"id":"` + a.ID + `"}]`, 400, ask.CodeInvalidJSON, "body"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, body := s.call("POST", "/approve", adminToken, c.body)
			if p := problemOf(t, body); status != c.status || p.Code != c.code || p.Field != c.field || p.Detail == "" {
				t.Errorf("got %d %s", status, body)
			}
		})
	}
	// Nor does a link that somebody opens, or a preview of it, decide anything.
	query := "?id=" + a.ID + "&decision=yes&digest=" + a.Digest
	for _, path := range []string{"/approve", "/approvals", "/approvals/" + a.ID} {
		for _, method := range []string{"GET", "HEAD"} {
			s.call(method, path+query, adminToken, "")
		}
	}
	if got, err := s.desk.Get(t.Context(), a.ID); err != nil || got.State != approve.Pending {
		t.Errorf("it is %s, %v", got.State, err)
	}
}

func TestAHubWithoutADeskHasNoApprovals(t *testing.T) {
	s := &Server{}
	if list, err := s.desk().List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("got %v %v", list, err)
	}
	for _, err := range []error{
		func() error { _, err := s.desk().Get(t.Context(), "1"); return err }(),
		func() error { _, err := s.desk().Decide(t.Context(), approve.Decision{}); return err }(),
	} {
		if p := approvalProblem(t.Context(), err); p.Status != http.StatusNotFound {
			t.Errorf("got %v", p)
		}
	}
}
