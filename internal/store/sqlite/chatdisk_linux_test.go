package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/store"
	"github.com/askhub/askhub/internal/store/smalldisk"
)

// filling posts long messages into one thread, and knows which were acknowledged.
type filling struct {
	*store.Chat
	n    int
	kept []chat.Message
}

func (f *filling) post() error {
	f.n++
	r, err := f.Append(context.Background(), chat.Post{
		Thread: filled, Author: chat.Operator, Text: fmt.Sprint(f.n, " ", strings.Repeat("x", 3900)), Now: noon,
	})
	if err == nil {
		f.kept = append(f.kept, r.Message)
	}
	return err
}

// whole sees that what was acknowledged is there, and nothing else.
func (f *filling) whole(t *testing.T) {
	t.Helper()
	list, err := f.Whole(context.Background(), filled)
	if err != nil || len(list) != len(f.kept) {
		t.Fatalf("%d messages can be read, %d were acknowledged, %v", len(list), len(f.kept), err)
	}
	for i := range list {
		if list[i] != f.kept[i] {
			t.Fatalf("message %d is %s, want %s", i, list[i].ID, f.kept[i].ID)
		}
	}
	p, err := f.Read(context.Background(), filled, 0)
	if err != nil || p.Cursor != list[len(list)-1].Epoch {
		t.Fatalf("a poll gives cursor %d, %v", p.Cursor, err)
	}
}

// until posts until it fails, so many times at most.
func (f *filling) until(most int) error {
	for range most {
		if err := f.post(); err != nil {
			return err
		}
	}
	return nil
}

func TestAFullDiskTakesNoMessage(t *testing.T) {
	smalldisk.Run(t, "3m", func(t *testing.T, d *smalldisk.Disk) {
		path := filepath.Join(d.Dir, "hub.db")
		f := &filling{Chat: open(t, path).Chat(roomy())}
		if err := f.until(2000); !errors.Is(err, chat.ErrFull) {
			t.Fatalf("after %d messages: %v", f.n, err)
		}
		if len(f.kept) < 20 {
			t.Fatalf("full after %d messages", len(f.kept))
		}
		for range 20 {
			if err := f.post(); err != nil && !errors.Is(err, chat.ErrFull) {
				t.Errorf("on a full disk: %v", err)
			}
			f.whole(t)
		}
		d.Resize("20m")
		for range 50 {
			if err := f.post(); err != nil {
				t.Fatalf("with room again: %v", err)
			}
		}
		f.whole(t)
		if err := Check(context.Background(), path); err != nil {
			t.Error(err)
		}
	})
}

// A disk that cannot be written for another reason is no full one.
func TestADiskThatFailsTakesNoMessage(t *testing.T) {
	smalldisk.Run(t, "40m", func(t *testing.T, d *smalldisk.Disk) {
		signal.Ignore(syscall.SIGXFSZ) // a file that may not grow is an error and no end
		path := filepath.Join(d.Dir, "hub.db")
		f := &filling{Chat: open(t, path).Chat(roomy())}
		if err := f.until(20); err != nil {
			t.Fatal(err)
		}
		var usual syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 400 << 10, Max: usual.Max}); err != nil {
			t.Fatal(err)
		}
		err := f.until(200)
		if err == nil || errors.Is(err, chat.ErrFull) {
			t.Errorf("with files that cannot grow: %v", err)
		}
		for range 5 {
			if err := f.post(); err == nil {
				t.Error("acknowledged what cannot be written")
			}
			f.whole(t)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
			t.Fatal(err)
		}
		if err := f.until(50); err != nil {
			t.Fatalf("when files can grow again: %v", err)
		}
		f.whole(t)
		if err := Check(context.Background(), path); err != nil {
			t.Error(err)
		}
	})
}

func TestAReadOnlyDiskIsSaidAndLosesNothing(t *testing.T) {
	smalldisk.Run(t, "20m", func(t *testing.T, d *smalldisk.Disk) {
		ctx, path := context.Background(), filepath.Join(d.Dir, "hub.db")
		db, err := Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		f := &filling{Chat: db.Chat(roomy())}
		if err := errors.Join(f.until(20), db.Close()); err != nil {
			t.Fatal(err)
		}
		d.ReadOnly(true)
		refused(t, path, ErrReadOnly, "read-only")
		d.ReadOnly(false)
		f.Chat = open(t, path).Chat(roomy())
		f.whole(t)
		if err := f.until(20); err != nil {
			t.Fatal(err)
		}
		f.whole(t)
	})
}
