package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/store"
	"github.com/askhub/askhub/internal/store/postgrestest"
	"github.com/askhub/askhub/internal/store/smalldisk"
)

var noon = time.Date(2026, 10, 23, 12, 0, 0, 0, time.UTC)

const thread = chat.Thread("00000000000000f1")

// roomy are rules that nothing here comes up against.
func roomy() chat.Rules {
	r := chat.DefaultRules()
	r.Keep, r.Threads = 1<<20, 1<<20
	return r
}

// talk posts into one thread and knows what was acknowledged.
type talk struct {
	*store.Chat
	n    int
	kept []chat.Message
}

func (c *talk) post(length int) error {
	c.n++
	r, err := c.Append(context.Background(), chat.Post{Thread: thread, Author: chat.Operator, Text: fmt.Sprint(c.n, " ", noise(length)), Now: noon})
	if err == nil {
		c.kept = append(c.kept, r.Message)
	}
	return err
}

// noise is a text that the server cannot press together.
func noise(length int) string {
	b := make([]byte, length/2)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

func (c *talk) until(most int) error {
	for range most {
		if err := c.post(3900); err != nil {
			return err
		}
	}
	return nil
}

// whole sees that what was acknowledged is there, and nothing else.
func (c *talk) whole(t *testing.T) {
	t.Helper()
	list, err := c.Whole(context.Background(), thread)
	if err != nil || len(list) != len(c.kept) {
		t.Fatalf("%d messages can be read, %d were acknowledged, %v", len(list), len(c.kept), err)
	}
	for i := range list {
		if list[i] != c.kept[i] {
			t.Fatalf("message %d is %s, want %s", i, list[i].ID, c.kept[i].ID)
		}
	}
}

func TestAFullDiskTakesNoMessage(t *testing.T) {
	if _, err := postgrestest.Find(); err != nil {
		t.Skip("postgresql is not installed")
	}
	smalldisk.Run(t, "4m", func(t *testing.T, d *smalldisk.Disk) {
		c := postgrestest.Start(t)
		folder := filepath.Join(c.Dir, "small")
		if err := errors.Join(c.Folder(filepath.Join(d.Dir, "space")), d.Bind(filepath.Join(d.Dir, "space"), folder)); err != nil {
			t.Fatal(err)
		}
		address, err := c.Create("filled")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"CREATE TABLESPACE small LOCATION '" + folder + "'", "ALTER DATABASE filled SET default_tablespace = small"} {
			if _, err := c.SQL("postgres", text); err != nil {
				t.Fatal(err)
			}
		}
		s := &talk{Chat: open(t, address).Chat(roomy())}
		if err := s.until(3000); !errors.Is(err, chat.ErrFull) {
			t.Fatalf("after %d messages: %v", s.n, err)
		}
		for range 10 {
			if err := s.post(3900); err != nil && !errors.Is(err, chat.ErrFull) {
				t.Errorf("on a full disk: %v", err)
			}
			s.whole(t)
		}
		d.Resize("40m")
		if err := s.until(50); err != nil {
			t.Fatalf("with room again: %v", err)
		}
		s.whole(t)
		if err := c.Whole("filled"); err != nil {
			t.Error(err)
		}
	})
}

func TestAServerThatFallsOverIsWaitedFor(t *testing.T) {
	c := postgrestest.Start(t)
	address, err := c.Create("fallen")
	if err != nil {
		t.Fatal(err)
	}
	s := &talk{Chat: open(t, address).Chat(roomy())}
	other := &talk{Chat: open(t, address).Chat(roomy())}
	changed, stop := s.Watch(thread)
	defer stop()
	if err := s.until(5); err != nil {
		t.Fatal(err)
	}
	for _, atOnce := range []bool{true, false} {
		if err := c.Stop(atOnce); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := s.post(10); err == nil || errors.Is(err, chat.ErrFull) {
				t.Errorf("without a server: %v", err)
			}
		}
		if _, err := s.Read(context.Background(), thread, 0); err == nil {
			t.Error("read without a server")
		}
		if err := c.Run(); err != nil {
			t.Fatal(err)
		}
		if err := s.until(5); err != nil {
			t.Errorf("with the server again: %v", err)
		}
		s.whole(t)
		// Who watched is told again of what others write.
		for len(changed) > 0 {
			<-changed
		}
		if err := other.post(10); err != nil {
			t.Fatal(err)
		}
		s.kept = append(s.kept, other.kept[len(other.kept)-1])
		select {
		case <-changed:
		case <-time.After(30 * time.Second):
			t.Error("nobody listens any more")
		}
	}
}

func TestAServerThatTakesNoWritesIsReadOn(t *testing.T) {
	c := postgrestest.Start(t)
	address, err := c.Create("readonly")
	if err != nil {
		t.Fatal(err)
	}
	s := &talk{Chat: open(t, address).Chat(roomy())}
	if err := s.until(5); err != nil {
		t.Fatal(err)
	}
	set := func(value string) {
		t.Helper()
		// The server takes the new setting up by itself; a connection that sees it shows that.
		for _, text := range []string{"ALTER SYSTEM SET default_transaction_read_only = " + value, "SELECT pg_reload_conf()"} {
			if _, err := c.SQL("postgres", text); err != nil {
				t.Fatal(err)
			}
		}
	}
	waitFor := func(what string, ok func(error) bool) {
		t.Helper()
		for limit := time.Now().Add(20 * time.Second); ; {
			if ok(s.post(10)) {
				return
			}
			if time.Now().After(limit) {
				t.Fatal(what)
			}
		}
	}
	set("on")
	waitFor("it still takes writes", func(err error) bool { return errors.Is(err, ErrReadOnly) })
	s.whole(t)
	set("off")
	waitFor("it takes no writes again", func(err error) bool { return err == nil })
	s.whole(t)
}
