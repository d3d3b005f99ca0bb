package web_test

import (
	"context"
	"net/http"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/pairing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/qrcode"
	"github.com/askhub/askhub/internal/store"
	"github.com/askhub/askhub/internal/store/sqlite"
)

// A chatHost is the chat as the Hub serves it, with its store in a file, and its host's
// side.
type chatHost struct {
	*chat.Handler
	store *store.Chat
}

func newChat(t *testing.T) *chatHost {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "hub.db"))
	if err != nil {
		t.Fatal(err)
	}
	rules := chat.DefaultRules()
	c := &chatHost{store: db.Chat(rules)}
	done := make(chan struct{})
	t.Cleanup(func() {
		close(done)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c.Handler = chat.NewHandler(chat.Config{
		Store: c.store, Pairing: c.store, Rules: rules, Address: home, Name: people.Spoken, QR: link, Done: done,
	})
	return c
}

// home gives each chat an address of its own: the tests are many people, who write from
// one machine.
func home(r *http.Request) netip.Addr {
	token, _ := chat.TokenFrom(r)
	thread := token.Thread() + "0000000000000000"
	return netip.AddrFrom16([16]byte([]byte(thread[:16])))
}

func link(r *http.Request, t chat.Token) ([]byte, error) {
	return qrcode.SVG("http://" + r.Host + "/chat#token=" + string(t))
}

// Reply implements host.
func (c *chatHost) Reply(ctx context.Context, token, author, text string) error {
	_, err := c.store.Append(ctx, chat.Post{Thread: chat.Token(token).Thread(), Author: chat.Author(author), Text: text, Now: time.Now()})
	return err
}

// Pair implements host.
func (c *chatHost) Pair(ctx context.Context, code, person string) error {
	found, err := c.store.Code(ctx, code, "", time.Now())
	if err != nil {
		return err
	}
	_, _, err = pairing.Set(ctx, c.store, found.Thread, time.Now(), func(s *chat.Settings) { s.Person = person })
	return err
}

// Empty implements host: in 31 days, retention holds nothing of today.
func (c *chatHost) Empty(ctx context.Context, _ string) error {
	_, err := c.store.Sweep(ctx, time.Now().Add(31*24*time.Hour))
	return err
}
