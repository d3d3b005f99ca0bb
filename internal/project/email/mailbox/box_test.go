package mailbox

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/leaktest"
	"github.com/askhub/askhub/internal/project/email/message"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func options() Options {
	return Options{Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler)}
}

func mail(from, subject, body string, more ...string) string {
	header := append([]string{"From: " + from, "To: sam@home.example", "Subject: " + subject}, more...)
	return strings.Join(header, "\r\n") + "\r\n\r\n" + body + "\r\n"
}

func refresh(t *testing.T, b *Box) *Snapshot {
	t.Helper()
	if err := b.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b.Snapshot()
}

func bySubject(t *testing.T, s *Snapshot, subject string) *message.Message {
	t.Helper()
	i := slices.IndexFunc(s.Messages, func(m *message.Message) bool { return m.Subject == subject })
	if i < 0 {
		var have []string
		for _, m := range s.Messages {
			have = append(have, m.Subject)
		}
		t.Fatalf("there is no message %q among %q", subject, have)
	}
	return s.Messages[i]
}

// runs starts b.Run and returns what waits for a state of the snapshot.
func runs(t *testing.T, b *Box) (until func(what string, ok func(*Snapshot) bool) *Snapshot) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { b.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return func(what string, ok func(*Snapshot) bool) *Snapshot {
		t.Helper()
		limit := time.After(30 * time.Second)
		for {
			updated := b.Updated()
			if s := b.Snapshot(); ok(s) {
				return s
			}
			select {
			case <-updated:
			case <-limit:
				s := b.Snapshot()
				t.Fatalf("waited in vain for %s: %d messages, %d unread, err %v", what, len(s.Messages), s.Unread, s.Err)
			}
		}
	}
}

func TestUnreadStaysUnread(t *testing.T) {
	d := newDovecot(t, false)
	d.deliver("sam", "S", noon.Add(-3*time.Hour), mail("Shop <shop@shop.example>", "Your order", "It is on its way."))
	for i := range 3 {
		d.deliver("sam", "", noon.Add(time.Duration(i)*time.Minute), mail("The School <office@school.example>", fmt.Sprint("Letter ", i), "Dear parents, please confirm."))
	}
	b := New(d.account("sam"), "INBOX", options())
	s := refresh(t, b)
	if s.Unread != 3 || s.Total != 4 || len(s.Messages) != 4 || !s.Complete || !s.Confirmed.Equal(noon) || s.Err != nil {
		t.Fatalf("unread %d, total %d, messages %d, complete %t, err %v\n%s", s.Unread, s.Total, len(s.Messages), s.Complete, s.Err, d.log())
	}
	newest := s.Messages[0]
	if newest.Subject != "Letter 2" || newest.From != (message.Address{Name: "The School", Addr: "office@school.example"}) || newest.Text != "Dear parents, please confirm." || !newest.Unread {
		t.Errorf("newest is %+v", newest)
	}
	// Another program looks: as unread as they were.
	refresh(t, b)
	if again := refresh(t, New(d.account("sam"), "INBOX", options())); again.Unread != 3 {
		t.Errorf("%d are unread after they were read by look-ups, want 3", again.Unread)
	}
	for _, f := range d.files("sam") {
		if _, flags, _ := strings.Cut(f, ":2,"); flags != "" && flags != "S" || strings.HasSuffix(f, "S") != strings.Contains(f, fmt.Sprint(noon.Add(-3*time.Hour).Unix())) {
			t.Errorf("the message %s has other flags than before", f)
		}
	}
}
