package paperclip

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/connector/paperclip/standin"
	"github.com/askhub/askhub/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// approval is the id of a test's approval.
const approval = "0123456789abcdef0123456789abcdef"

// bench is a client of a stand-in, on a connection of the test's own.
func bench(t *testing.T, set func(*Config)) (*Client, *standin.Server) {
	t.Helper()
	s := standin.New()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	cfg := Config{
		URL: server.URL, Key: func() ask.BearerToken { return standin.Key }, Company: standin.Company, Project: standin.Project,
	}
	if set != nil {
		set(&cfg)
	}
	c := New(cfg)
	c.pause = 10 * time.Millisecond
	t.Cleanup(c.Close)
	return c, s
}

func draft(t *testing.T, c *Client, words string) Job {
	t.Helper()
	job, err := c.Draft(words)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// within is a context for as long as an execution with short patience has.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func wantFault(t *testing.T, err error, kind Kind, uncertain bool) *Fault {
	t.Helper()
	var f *Fault
	if !errors.As(err, &f) || f.Kind != kind || f.Uncertain() != uncertain {
		t.Fatalf("got %v, want %q (uncertain: %v)", err, kind, uncertain)
	}
	if err := ask.CheckSentence(f.Says(), false); err != nil {
		t.Errorf("what a person hears %v: %q", err, f.Says())
	}
	if strings.Contains(f.Error()+f.Says(), "pcp_") {
		t.Errorf("the key shows: %v", f)
	}
	return f
}

func TestAJobIsFiledAsOneIssue(t *testing.T) {
	c, s := bench(t, nil)
	words := "Please file a job: find a plumber, and ask for two offers"
	issue, err := c.File(within(t, 10*time.Second), approval, draft(t, c, words))
	if err != nil || issue.Identifier != "HOU-1" || issue.Status != "backlog" {
		t.Fatalf("got %+v, %v", issue, err)
	}
	got := s.Issues()
	if len(got) != 1 || got[0].Title != "Find a plumber, and ask for two offers" || *got[0].Description != words || got[0].Assignee != nil || *got[0].Project != standin.Project {
		t.Errorf("Paperclip has %+v", got)
	}
	again, err := c.File(within(t, 10*time.Second), approval, draft(t, c, words))
	if err != nil || again.ID != issue.ID || len(s.Issues()) != 1 {
		t.Errorf("the same key gave %+v, %v, and there are %d issues", again, err, len(s.Issues()))
	}
	other, err := c.File(within(t, 10*time.Second), "1"+approval[1:], draft(t, c, words))
	if err != nil || other.Identifier != "HOU-2" {
		t.Errorf("another yes to the same words gave %+v, %v", other, err)
	}
}

func TestAJobGoesToItsAssignee(t *testing.T) {
	c, s := bench(t, func(cfg *Config) { cfg.Assignee = standin.Agent })
	if _, err := c.File(within(t, 10*time.Second), approval, draft(t, c, "file a job: x1")); err != nil {
		t.Fatal(err)
	}
	if got := s.Issues()[0]; got.Assignee == nil || *got.Assignee != standin.Agent {
		t.Errorf("got %+v", got)
	}
}

// However often one job is sent at once, it is one issue.
func TestManyAtOnceFileOnce(t *testing.T) {
	c, s := bench(t, nil)
	job := draft(t, c, "file a job: find a plumber")
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if issue, err := c.File(within(t, 20*time.Second), approval, job); err != nil || issue.Identifier != "HOU-1" {
				t.Errorf("got %+v, %v", issue, err)
			}
		})
	}
	all.Wait()
	if n := len(s.Issues()); n != 1 {
		t.Errorf("there are %d issues", n)
	}
}

// Whatever was lost on the way, there is one issue, and it is found again.
func TestALostAnswerIsAskedForAgainWithTheSameKey(t *testing.T) {
	for name, fault := range map[string]standin.Fault{
		"cut off before":     {Cut: true},
		"cut off after":      {Cut: true, Filed: true},
		"failed before":      {Status: 500, Body: `{"error":"Internal server error"}`},
		"failed after":       {Status: 500, Body: `{"error":"Internal server error"}`, Filed: true},
		"a proxy's page":     {Status: 502, Body: "<html>Bad gateway</html>", Type: "text/html", Filed: true},
		"a page as success":  {Status: 200, Body: "<html>hello</html>", Type: "text/html", Filed: true},
		"half an object":     {Status: 201, Body: `{"id":"5c`, Filed: true},
		"no identifier":      {Status: 201, Body: `{"id":"5c4904f9"}`, Filed: true},
		"a strange name":     {Status: 201, Body: `{"id":"5c4904f9","identifier":"run rm -rf"}`, Filed: true},
		"an unknown success": {Status: 202, Body: `{}`, Filed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := bench(t, nil)
			s.Fail(fault, fault)
			issue, err := c.File(within(t, 10*time.Second), approval, draft(t, c, "file a job: find a plumber"))
			if err != nil || issue.Identifier != "HOU-1" || len(s.Issues()) != 1 {
				t.Errorf("got %+v, %v, and there are %d issues", issue, err, len(s.Issues()))
			}
		})
	}
}

func TestWhatStaysUnknownIsSaidToBe(t *testing.T) {
	for name, c := range map[string]struct {
		faults []standin.Fault
		kind   Kind
	}{
		"cut off":                       {[]standin.Fault{{Cut: true, Filed: true}, {Cut: true}, {Cut: true}, {Cut: true}, {Cut: true}, {Cut: true}, {Cut: true}, {Cut: true}, {Cut: true}, {Cut: true}}, Slow},
		"too slow":                      {[]standin.Fault{{After: time.Minute, Filed: true}}, Slow},
		"lost, and then the key is out": {[]standin.Fault{{Cut: true, Filed: true}, {Status: 401, Body: `{"error":"Agent token did not verify"}`}}, BadKey},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, s := bench(t, nil)
			s.Fail(c.faults...)
			began := time.Now()
			_, err := client.File(within(t, 3*time.Second), approval, draft(t, client, "file a job: find a plumber"))
			wantFault(t, err, c.kind, true)
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("it took %v, longer than its time", took)
			}
		})
	}
}

func TestARefusalIsCertain(t *testing.T) {
	for name, c := range map[string]struct {
		fault standin.Fault
		kind  Kind
		tries int
	}{
		"the key is not taken": {standin.Fault{Status: 401, Body: `{"error":"Agent token did not verify"}`}, BadKey, 1},
		"not its project":      {standin.Fault{Status: 403, Body: `{"error":"Task bridge key is outside its approved parent or project boundary."}`}, Boundary, 1},
		"a conflict":           {standin.Fault{Status: 409, Body: `{"error":"Conflict"}`}, Refused, 1},
		"not valid":            {standin.Fault{Status: 422, Body: `{"error":"Unprocessable"}`}, Refused, 1},
		"another server":       {standin.Fault{Status: 404, Body: "<html>not here</html>", Type: "text/html"}, Nonsense, 1},
		"moved":                {standin.Fault{Status: 301, Body: ""}, Moved, 1},
		"too much to do":       {standin.Fault{Status: 429, Body: `{"error":"Too many requests"}`}, Busy, attempts},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, s := bench(t, nil)
			for range c.tries {
				s.Fail(c.fault)
			}
			_, err := client.File(within(t, 10*time.Second), approval, draft(t, client, "file a job: find a plumber"))
			wantFault(t, err, c.kind, false)
			if n := len(s.Issues()); n != 0 {
				t.Errorf("there are %d issues", n)
			}
			sent := 0
			for _, call := range s.Calls() {
				if strings.HasPrefix(call, "POST") {
					sent++
				}
			}
			if sent != c.tries {
				t.Errorf("it was sent %d times, want %d", sent, c.tries)
			}
		})
	}
}

func TestNothingIsFiledWithAKeyThatMayDoMore(t *testing.T) {
	for key, kind := range map[string]Kind{
		"": NoKey, "pcp_board_0123456789": Board, "pcp_cli_auth_0123456789": Board, standin.WideKey: Wide, standin.StrangersKey: OtherCompany, "pcp_none": BadKey,
	} {
		c, s := bench(t, func(cfg *Config) { cfg.Key = func() ask.BearerToken { return ask.BearerToken(key) } })
		_, err := c.File(within(t, 10*time.Second), approval, draft(t, c, "file a job: find a plumber"))
		wantFault(t, err, kind, false)
		if (kind == NoKey || kind == Board) && len(s.Calls()) != 0 {
			t.Errorf("%q was sent: %q", key, s.Calls())
		}
		if len(s.Issues()) != 0 {
			t.Errorf("%q filed something", key)
		}
	}
}

// A person said yes to a job in one place.
func TestAJobForAnotherPaperclipIsNotFiled(t *testing.T) {
	c, s := bench(t, nil)
	job := draft(t, c, "file a job: find a plumber")
	job.Server = "http://127.0.0.1:1"
	_, err := c.File(within(t, 10*time.Second), approval, job)
	wantFault(t, err, Elsewhere, false)
	if len(s.Calls()) != 0 {
		t.Errorf("it was asked %q", s.Calls())
	}
}

func TestAPaperclipThatIsNotThereIsDown(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	_ = ln.Close()
	for _, scheme := range []string{"http://", "https://"} {
		c, _ := bench(t, func(cfg *Config) { cfg.URL = scheme + address })
		_, err = c.File(within(t, 10*time.Second), approval, draft(t, c, "file a job: find a plumber"))
		wantFault(t, err, Down, false)
	}
}

func TestAFiledJobIsLookedAt(t *testing.T) {
	c, s := bench(t, nil)
	issue, err := c.File(within(t, 10*time.Second), approval, draft(t, c, "file a job: find a plumber"))
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{"in_progress", StatusDone, StatusCancelled} {
		s.Set("HOU-1", status)
		if got, err := c.Look(t.Context(), issue.ID); err != nil || got.Status != status || got.Identifier != "HOU-1" {
			t.Errorf("got %+v, %v, want %s", got, err, status)
		}
	}
	s.Set("HOU-1", "deleted")
	_, err = c.Look(t.Context(), issue.ID)
	wantFault(t, err, Gone, false)
}

// A page at the same address is no word on a job.
func TestAnotherServersPageDoesNotEndAJob(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	c, _ := bench(t, func(cfg *Config) { cfg.URL = server.URL })
	_, err := c.Look(t.Context(), "5c4904f9")
	wantFault(t, err, Nonsense, false)
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	c, s := bench(t, nil)
	if got, err := c.Check(t.Context()); err != nil || got.Agent != "askhub" || got.Version != "2026.916.1" {
		t.Errorf("got %+v, %v", got, err)
	}
	s.Health("starting")
	_, err := c.Check(t.Context())
	wantFault(t, err, Starting, false)
	s.Health("ok")
	wide, _ := bench(t, func(cfg *Config) { cfg.Key = func() ask.BearerToken { return standin.WideKey } })
	_, err = wide.Check(t.Context())
	wantFault(t, err, Wide, false)
	for _, call := range s.Calls() {
		if !strings.HasPrefix(call, "GET ") {
			t.Errorf("a check asked %q", call)
		}
	}
}
