package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/approve"
)

var testAdmin = strings.Repeat("a", 40)

// admin calls a server as the admin app does.
func (h *chatHouse) admin(method, path, body string) (int, string) {
	h.Helper()
	resp := h.adminStream(method, path, body)
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		h.Fatal(err)
	}
	return resp.StatusCode, string(said)
}

func (h *chatHouse) adminStream(method, path, body string) *http.Response {
	h.Helper()
	req, err := http.NewRequestWithContext(h.Context(), method, h.urls[0]+path, strings.NewReader(body))
	if err != nil {
		h.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testAdmin)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { resp.Body.Close() })
	return resp
}

// waits puts an approval before the household, as another process on its store.
func (h *chatHouse) waits(destination string) approve.Approval {
	h.Helper()
	d, err := approve.Open(h.Context(), approve.Options{
		Owner: hubOwner, Store: h.store().Approvals(), Log: slog.New(slog.DiscardHandler),
		Execute: func(context.Context, approve.Approval) (string, error) { return "", errors.New("not here") },
	})
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(d.Close)
	a, err := d.Ask(h.Context(), approve.Request{What: "File a job.", Who: "sam", Action: jsontext.Value(`{"destination":"` + destination + `"}`)})
	if err != nil {
		h.Fatal(err)
	}
	return a
}

func TestTheHubServesItsApprovalsAndTellsOfThem(t *testing.T) {
	h := startChatHouseWith(t, 1, "", "", "HUB_TOKEN_ADMIN="+testAdmin+"\n")
	a := h.waits("nowhere")
	if status, body := h.admin("GET", "/approvals/"+a.ID, ""); status != 200 || !strings.Contains(body, `"state":"pending"`) {
		t.Errorf("got %d %s", status, body)
	}
	stream := h.adminStream("GET", "/events", "")
	lines := bufio.NewReader(stream.Body)
	status, body := h.admin("POST", "/approve", `{"id":"`+a.ID+`","decision":"yes","digest":"`+a.Digest+`","by":"alex"}`)
	// Nobody here carries that out, which is no success.
	if status != 200 || !strings.Contains(body, `"state":"failed"`) || !strings.Contains(body, "nothing was done") {
		t.Errorf("a yes: %d %s", status, body)
	}
	if status, body := h.admin("POST", "/ask", `{"question":"what is on today?","asker":"sam"}`); status != 200 {
		t.Errorf("a question: %d %s", status, body)
	}
	var kinds []string
	for len(kinds) < 4 {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if kind, ok := strings.CutPrefix(line, "event: "); ok {
			kinds = append(kinds, strings.TrimSpace(kind))
		}
		if strings.Contains(line, "today?") {
			t.Errorf("the question's text is told: %s", line)
		}
	}
	if got := strings.Join(kinds, " "); got != "approval approval approval request" {
		t.Errorf("the events are %s", got)
	}
	if status, body := h.admin("GET", "/metrics", ""); status != 200 || !strings.Contains(body, `askhub_approvals_total{state="failed"} 1`) {
		t.Errorf("the metrics are %d %s", status, body)
	}
	// A removed token is dead within a second, on the open stream too.
	secrets := filepath.Join(h.dir, "secrets.conf")
	if err := os.WriteFile(secrets, []byte("HUB_TOKEN_TEST="+strings.Repeat("t", 40)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gone := time.Now()
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Error(err)
	}
	// That it is a second is tested on a clock of its own; this is a busy machine's.
	if took := time.Since(gone); took > 30*time.Second {
		t.Errorf("the stream ended after %v", took)
	}
	if status, _ := h.admin("GET", "/approvals", ""); status != 401 {
		t.Errorf("the removed token gets %d", status)
	}
}

// Two Hubs on one store are tapped at once, a yes or a no each, by several people.
func TestAllWhoTapAtTwoHubsHearTheSame(t *testing.T) {
	h := startChatHouseWith(t, 2, "", "", "HUB_TOKEN_ADMIN="+testAdmin+"\n")
	for range 3 {
		a := h.waits("nowhere")
		var all sync.WaitGroup
		heard := make([]string, 16)
		for i := range heard {
			all.Go(func() {
				dec := []string{"yes", "yes", "no"}[i%3]
				body := fmt.Sprintf(`{"id":%q,"decision":%q,"digest":%q,"by":"person %d"}`, a.ID, dec, a.Digest, i)
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.urls[i%2]+"/approve", strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+testAdmin)
				req.Header.Set("Content-Type", "application/json")
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				said, err := io.ReadAll(resp.Body)
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("%d %s %v", resp.StatusCode, said, err)
				}
				heard[i] = string(said)
			})
		}
		all.Wait()
		for _, one := range heard {
			if one != heard[0] || !strings.Contains(one, `"state":"failed"`) && !strings.Contains(one, `"state":"denied"`) {
				t.Fatalf("one hears %s\nanother %s", heard[0], one)
			}
		}
	}
}

func TestAnApprovedActionIsCarriedOutByItsDestination(t *testing.T) {
	p := &approvalPart{log: slog.New(slog.DiscardHandler)}
	var told []approve.State
	p.told(func(a approve.Approval) { told = append(told, a.State) })
	p.by("bench", func(_ context.Context, a approve.Approval) (string, error) { return "Filed by " + a.ID + ".", nil })
	d, err := p.open(t.Context(), approve.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for destination, want := range map[string]approve.State{"bench": approve.Done, "lamps": approve.Failed, "": approve.Failed} {
		action, err := json.Marshal(map[string]string{"destination": destination})
		if err != nil {
			t.Fatal(err)
		}
		a, err := d.Ask(t.Context(), approve.Request{What: "Do it.", Who: "sam", Action: action})
		if err != nil {
			t.Fatal(err)
		}
		if a, err = d.Decide(t.Context(), approve.Decision{ID: a.ID, Decision: approve.Yes, Digest: a.Digest}); err != nil || a.State != want {
			t.Errorf("%q: %s %v", destination, a.State, err)
		}
	}
	if len(told) != 12 { // new, approved, executing and its end of each
		t.Errorf("told of %v", told)
	}
	defer func() {
		if recover() == nil {
			t.Error("two carry out one destination's actions")
		}
	}()
	p.by("bench", func(context.Context, approve.Approval) (string, error) { return "", nil })
}
