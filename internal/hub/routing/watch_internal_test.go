package routing

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// follower runs a watcher on the shipped file with events of the test's own.
func follower(t *testing.T, events <-chan fsnotify.Event) (path string, seen *atomic.Int32) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "routing.md")
	if err := os.WriteFile(path, Default(), 0o600); err != nil {
		t.Fatal(err)
	}
	seen = new(atomic.Int32)
	w := &watcher{path: path, log: slog.New(slog.DiscardHandler), changed: func(*File, []Problem) { seen.Add(1) }, last: Default()}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go w.run(ctx, events, nil)
	return path, seen
}

func appendLine(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("\nmore\n"); err != nil {
		t.Fatal(err)
	}
}

func TestAFileSystemWithoutNotesIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, seen := follower(t, nil)
		appendLine(t, path)
		time.Sleep(lookAnyway - time.Millisecond)
		synctest.Wait()
		if seen.Load() != 0 {
			t.Errorf("%d versions before it was time to look", seen.Load())
		}
		time.Sleep(2 * lookAnyway)
		synctest.Wait()
		if seen.Load() != 1 {
			t.Errorf("%d versions, want one", seen.Load())
		}
	})
}

func TestABurstOfWritesIsReadOnceAndNeverPutOffForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := make(chan fsnotify.Event)
		path, seen := follower(t, events)
		change := fsnotify.Event{Name: path, Op: fsnotify.Write}

		appendLine(t, path)
		for range 5 {
			events <- change
			time.Sleep(quiet / 2)
		}
		synctest.Wait()
		if seen.Load() != 0 {
			t.Error("the file was read while it was being written")
		}
		time.Sleep(quiet)
		synctest.Wait()
		if seen.Load() != 1 {
			t.Errorf("%d versions after the burst, want one", seen.Load())
		}

		appendLine(t, path)
		for start := time.Now(); time.Since(start) <= patience; time.Sleep(quiet / 2) {
			events <- change
		}
		synctest.Wait()
		if seen.Load() != 2 {
			t.Errorf("%d versions while the writing goes on, want two", seen.Load())
		}
	})
}

func TestWhatIsWrittenBesideTheFileDoesNotConcernIt(t *testing.T) {
	w := &watcher{path: filepath.Join(t.TempDir(), "routing.md")}
	for _, c := range []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"routing.md", fsnotify.Write, true},
		{"routing.md", fsnotify.Chmod, true},
		{"askhub.db", fsnotify.Write, false},
		{"data", fsnotify.Create, true},
		{"data", fsnotify.Remove, true},
	} {
		if got := w.concerns(fsnotify.Event{Name: "/somewhere/" + c.name, Op: c.op}); got != c.want {
			t.Errorf("%s of %s concerns the file: %v", c.op, c.name, got)
		}
	}
}
