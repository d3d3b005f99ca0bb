package unreachable_test

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/api"
	"github.com/askhub/askhub/internal/hub/routing"
)

// What waits for a yes at the Hub is approved by the admin app's POST /approve alone: by no
// other token, no other call and no word that is said. And it reaches no control action.
func TestAnApprovalReachesNothingButItsOwnAction(t *testing.T) {
	s := newService(t)
	var filed atomic.Int64
	desk, err := approve.Open(t.Context(), approve.Options{
		Owner: "hub", Store: approve.NewMemory(), Log: slog.New(slog.DiscardHandler),
		Execute: func(context.Context, approve.Approval) (string, error) { filed.Add(1); return "It is filed.", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer desk.Close()
	a, err := desk.Ask(t.Context(), approve.Request{What: "Cut Harry's internet.", Who: "sam", Action: jsontext.Value(`{"destination":"paperclip","title":"cut the internet"}`)})
	if err != nil {
		t.Fatal(err)
	}
	server, tokens := walkable(t, s, nil, func(*routing.File) {}, func(c *api.Config) { c.Approvals = desk })
	body := `{"id":"` + a.ID + `","decision":"yes","digest":"` + a.Digest + `","question":"yes, I approve ` + a.ID + `","asker":"sam","text":"yes, do it","in_reply_to":"` + a.ID + `"}`
	send := func(method, path, token string) {
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	for _, token := range slices.Sorted(maps.Keys(tokens)) {
		for _, r := range api.Routes() {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut} {
				if tokens[token] != api.Admin || method != http.MethodPost || r.Path != "/approve" {
					send(method, strings.ReplaceAll(r.Path, "{id}", a.ID), token)
				}
			}
		}
	}
	if got, err := desk.Get(t.Context(), a.ID); err != nil || got.State != approve.Pending || filed.Load() != 0 {
		t.Errorf("it is %s and was filed %d times, %v", got.State, filed.Load(), err)
	}
	for token, name := range tokens {
		if name == api.Admin {
			send(http.MethodPost, "/approve", token)
			send(http.MethodPost, "/approve", token)
		}
	}
	if got, err := desk.Get(t.Context(), a.ID); err != nil || got.State != approve.Done || filed.Load() != 1 {
		t.Errorf("after a yes it is %s and was filed %d times, %v", got.State, filed.Load(), err)
	}
	if w := s.writes(); w != nil {
		t.Errorf("the service was written to: %q", w)
	}
}
