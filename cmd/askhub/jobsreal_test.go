package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/connector/paperclip/papercliptest"
)

// TestARealPaperclipGetsAJobThatWasAskedFor goes the whole way, from a question to an issue
// in a real Paperclip, over a Hub that is killed while the job waits.
func TestARealPaperclipGetsAJobThatWasAskedFor(t *testing.T) {
	peer := papercliptest.Start(t)
	h := startChatHouseWith(
		t, 1, "", fmt.Sprintf("[paperclip]\nurl = %q\ncompany = %q\nproject = %q\n", peer.URL, peer.Company, peer.Project),
		"HUB_TOKEN_ADMIN="+testAdmin+"\nPAPERCLIP_KEY="+peer.Key+"\n",
	)
	who := &house{t: t, url: h.urls[0], token: strings.Repeat("t", 40)}
	r, err := who.ask("file a job: find a plumber")
	if err != nil || r.Status != "pending" || r.Reply != "I have asked for your yes in the admin app: file the job “Find a plumber”." {
		t.Fatalf("got %+v, %v", r, err)
	}
	h.slay(0)
	if err := h.serve(0); err != nil {
		t.Fatal(err)
	}
	_, body := h.admin("GET", "/approvals", "")
	var list struct {
		Approvals []approve.Approval `json:"approvals"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Approvals) != 1 || list.Approvals[0].State != approve.Pending {
		t.Fatalf("got %s, %v", body, err)
	}
	a := list.Approvals[0]
	decision := fmt.Sprintf(`{"id":%q,"decision":"yes","digest":%q,"by":"sam"}`, a.ID, a.Digest)
	began := time.Now()
	if status, body := h.admin("POST", "/approve", decision); status != 200 || !strings.Contains(body, "It is filed as HOU-1.") {
		t.Errorf("a yes: %d %s", status, body)
	}
	t.Logf("a yes takes %v", time.Since(began).Round(time.Millisecond))
	if status, body := h.admin("POST", "/approve", decision); status != 200 || !strings.Contains(body, "It is filed as HOU-1.") {
		t.Errorf("a second tap: %d %s", status, body)
	}
	if titles := peer.Titles(); len(titles) != 1 || titles["HOU-1"] != "Find a plumber" {
		t.Errorf("Paperclip has %v", titles)
	}
	// Its end is told where sam hears of everything, once it is looked at again.
	store, token := h.store().Chat(chat.DefaultRules()), newChatToken()
	if _, err := store.SetUp(t.Context(), token.Thread(), func(s *chat.Settings) { s.Person = "sam" }); err != nil {
		t.Fatal(err)
	}
	h.say(token, "1", "turn off the kids' internet") // a thread is there once somebody has said something in it
	peer.Set("HOU-1", "done")
	h.hears(store, token.Thread(), "The job “Find a plumber”, HOU-1, is done.")
}
