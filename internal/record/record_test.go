package record_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/record/recordtest"
)

func TestARecordReadsLikeTheReply(t *testing.T) {
	r := recordtest.Example()
	r.ID, r.InReplyTo = "ask_1", "ask_0"
	got, err := json.Marshal(r, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"ask_1","time":"2026-10-10T07:30:00Z","asker":"sam","person":"harry","way_in":"phone","source":"phone",` +
		`"status":"answered","question":"what does Harry have on today?","reply":"Harry has maths today; no email.","want":"speech",` +
		`"route":{"kind":"fanout","projects":["compass_nhs","email_agent"],"reason":"overlap:what do I have on","by":"embedded"},` +
		`"decision":{"outcome":"fanout","confidence":0.75,"why":"have on names a whole day","words":["have","on"]},` +
		`"parts":[{"project":"compass_nhs","status":"answered","answer":"Harry has maths today.","person":"harry","expires":"2026-10-10T08:30:00Z","ms":41},` +
		`{"project":"email_agent","status":"unavailable","reason":"not_answering","person":"sam","ms":3,"remembered":true}],` +
		`"choices":["school","email"],"in_reply_to":"ask_0","expires":"2026-10-10T08:30:00Z",` +
		`"timings":{"guard_ms":0.012,"decide_ms":0.08,"dispatch_ms":42,"total_ms":42.1}}`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
	var back record.Record
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, back); d != "" {
		t.Error(d)
	}
}

func TestARefusalHasItsListsAndNoMore(t *testing.T) {
	got, err := json.Marshal(record.Record{
		ID: "ask_1", Time: time.Date(2026, 10, 10, 0, 0, 0, 0, time.UTC), Asker: "sam",
		Status: routing.StatusRefused, Route: record.Route{Kind: "refused", Reason: "high_consequence_control", By: routing.ByGuard},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"projects":[]`, `"parts":[]`, `"by":"guard"`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	for _, not := range []string{"expires", "choices", "in_reply_to", "decision", "null"} {
		if strings.Contains(string(got), not) {
			t.Errorf("%s holds %s", got, not)
		}
	}
}
