package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/connector/paperclip/standin"
)

// yes says yes to the first approval of the list, as the admin app does.
func (h *chatHouse) yes() {
	h.Helper()
	_, body := h.admin("GET", "/approvals", "")
	var list struct {
		Approvals []approve.Approval `json:"approvals"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Approvals) == 0 {
		h.Fatalf("got %s, %v", body, err)
	}
	a := list.Approvals[0]
	if status, body := h.admin("POST", "/approve", fmt.Sprintf(`{"id":%q,"decision":"yes","digest":%q,"by":"sam"}`, a.ID, a.Digest)); status != 200 {
		h.Fatalf("a yes gives %d %s", status, body)
	}
}

// hears waits until the host has said that in the thread.
func (h *chatHouse) hears(store chat.Archive, t chat.Thread, words string) {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), time.Minute)
	defer cancel()
	for {
		whole, err := store.Whole(ctx, t)
		if err != nil {
			h.Fatalf("%q was never said: %v", words, err)
		}
		for _, m := range whole {
			if m.Author == chat.Hermes && strings.Contains(m.Text, words) {
				return
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestAJobFromTheChatIsToldThere(t *testing.T) {
	s := standin.New()
	bench := httptest.NewServer(s)
	defer bench.Close()
	h := startChatHouseWith(
		t, 1, "", fmt.Sprintf("[paperclip]\nurl = %q\ncompany = %q\nproject = %q\n", bench.URL, standin.Company, standin.Project),
		"HUB_TOKEN_ADMIN="+testAdmin+"\nPAPERCLIP_KEY="+standin.Key+"\n",
	)
	store, token := h.store().Chat(chat.DefaultRules()), newChatToken()
	thread := token.Thread()
	if _, err := store.SetUp(t.Context(), thread, func(s *chat.Settings) { s.Person = "sam" }); err != nil {
		t.Fatal(err)
	}
	h.say(token, "1", "file a job: find a plumber")
	h.hears(store, thread, "I have asked for your yes in the admin app: file the job “Find a plumber”.")
	h.hears(store, thread, "Something waits for your yes in the admin app.")
	h.say(token, "2", "approve it")
	h.hears(store, thread, "Only a yes in the admin app counts, and it still waits there")
	if n := len(s.Issues()); n != 0 {
		t.Fatalf("%d jobs were filed before a yes", n)
	}
	h.yes()
	h.hears(store, thread, "The job “Find a plumber” is filed as HOU-1.")

	h.say(token, "3", "file a job: mow the lawn")
	h.hears(store, thread, "file the job “Mow the lawn”")
	// What waits is known after a restart too.
	if err := h.servers[0].Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = h.servers[0].Wait()
	if err := h.serve(0); err != nil {
		t.Fatal(err)
	}
	h.say(token, "4", "never mind")
	h.hears(store, thread, "I have withdrawn the job “Mow the lawn”, so nothing is filed.")
	if n := len(s.Issues()); n != 1 {
		t.Errorf("%d jobs are filed, want one", n)
	}
}
