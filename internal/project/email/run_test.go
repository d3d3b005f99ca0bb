package email

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRunNoticesNewMail follows a server that tells of new mail by IDLE and has no
// CONDSTORE, while questions are asked.
func TestRunNoticesNewMail(t *testing.T) {
	e, s := household(t)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	inbox := e.boxes[0]
	for updated := inbox.Updated(); !inbox.Snapshot().Live; updated = inbox.Updated() {
		<-updated
	}
	if err := s.Deliver("sam", "Vicar <vicar@church.example>", "The bells", "They are back.", noon); err != nil {
		t.Fatal(err)
	}
	limit := time.After(20 * time.Second)
	for {
		updated := inbox.Updated()
		got := said(t, e, "sam", "", "any mail from the vicar?")
		if strings.Contains(got, "“The bells”") {
			break
		}
		if got != "You have no messages from “vicar”." && !strings.Contains(got, "still being read") {
			t.Error(got)
		}
		select {
		case <-updated:
		case <-limit:
			t.Fatalf("new mail was not noticed: %s", got)
		}
	}
	if got := e.Status()[0]; got.Mailbox != "accounts[0] (sam, INBOX)" || got.Unread != 6 || got.Why != "" || got.Known != got.Total {
		t.Errorf("%+v", got)
	}
}
