package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
)

// earlier are the records of a test, the oldest first.
type earlier struct {
	list  []record.Record
	fault error
}

func (e *earlier) Since(_ context.Context, from time.Time, f func(record.Record) error) error {
	for i := range e.list {
		if e.list[i].Time.Before(from) {
			continue
		}
		if err := f(e.list[i]); err != nil {
			return err
		}
	}
	return e.fault
}

func TestTheRecordIsListedNewestFirst(t *testing.T) {
	s := serve(t)
	if status, _, _ := s.call("GET", "/records", adminToken, ""); status != 503 {
		t.Errorf("a Hub without a record: %d", status)
	}
	past := &earlier{}
	s.server.cfg.Past = past
	if status, _, body := s.call("GET", "/records", adminToken, ""); status != 200 || body != `{"records":[]}` {
		t.Errorf("%d %s", status, body)
	}
	past.list = append(past.list, record.Record{ID: "too old", Time: s.now.Add(-49 * time.Hour)})
	for i := range 450 {
		past.list = append(past.list, record.Record{
			ID: fmt.Sprint("ask ", i), Time: s.now.Add(time.Duration(i-450) * time.Minute), Asker: "sam", Person: "harry", Status: routing.StatusAnswered,
			Decision: record.Decision{Why: "it names the school"},
			Parts:    []routing.Part{{Project: "compass_nhs", Answer: "Maths.", Took: 41 * time.Millisecond, Data: jsontext.Value(`{"secret":1}`)}},
		})
	}
	status, header, body := s.call("GET", "/records", adminToken, "")
	var got struct {
		Records []struct {
			ID       string     `json:"id"`
			Asker    ask.Asker  `json:"asker"`
			Person   ask.Person `json:"person"`
			Decision struct {
				Why string `json:"why"`
			} `json:"decision"`
		} `json:"records"`
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 || header.Get("Cache-Control") != "no-store" {
		t.Fatal(status, err)
	}
	if n := len(got.Records); n != 200 || got.Records[0].ID != "ask 449" || got.Records[199].ID != "ask 250" {
		t.Errorf("%d records, from %s to %s", n, got.Records[0].ID, got.Records[n-1].ID)
	}
	if r := got.Records[0]; r.Asker != "sam" || r.Person != "harry" || r.Decision.Why == "" {
		t.Errorf("%+v", r)
	}
	if strings.Contains(body, "secret") {
		t.Error("a project's own detail goes along")
	}
	past.fault = errors.New("disk I/O error at /secret/path")
	if status, _, body := s.call("GET", "/records", adminToken, ""); status != 503 || strings.Contains(body, "secret") {
		t.Errorf("%d %s", status, body)
	}
}

func TestWhatWasSaidInAChatIsNotListed(t *testing.T) {
	s := serve(t)
	said := func(wayIn string) record.Record {
		return record.Record{
			ID: "ask by " + wayIn, Time: s.now.Add(-time.Minute), Asker: "harry", Person: "sam", WayIn: wayIn, Status: routing.StatusAnswered,
			Question: "secret one", Reply: "secret two", Choices: []string{"secret three"},
			Decision: record.Decision{Why: "secret four", Words: []string{"secret five"}},
			Parts:    []routing.Part{{Project: "compass", Answer: "secret six", Reason: "secret seven", Took: time.Millisecond}},
		}
	}
	past := &earlier{list: []record.Record{said("chat")}}
	s.server.cfg.Past = past
	status, _, body := s.call("GET", "/records", adminToken, "")
	if status != 200 || strings.Contains(body, "secret") {
		t.Errorf("%d %s", status, body)
	}
	for _, kept := range []string{"ask by chat", `"harry"`, `"sam"`, `"compass"`, `"answered"`} {
		if !strings.Contains(body, kept) {
			t.Errorf("%s is left out of %s", kept, body)
		}
	}
	past.list = []record.Record{said("phone")}
	if _, _, body := s.call("GET", "/records", adminToken, ""); strings.Count(body, "secret") != 7 {
		t.Errorf("of another way in, something is left out: %s", body)
	}
}

func TestOnlyTheAdminAppListsTheRecord(t *testing.T) {
	s := serve(t)
	s.server.cfg.Past = &earlier{}
	for token, want := range map[string]int{adminToken: 200, phoneToken: 403, kitchenToken: 403, projectToken: 403, "": 401} {
		if status, _, _ := s.call("GET", "/records", token, ""); status != want {
			t.Errorf("%q: %d, want %d", token, status, want)
		}
	}
}
