package secrets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askhub/askhub/internal/leaktest"
)

// within waits for a change. The contract gives it a second; a busy machine is not
// held to that, so that what fails here is a change that does not come.
func within(t *testing.T, changed <-chan struct{}) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(30 * time.Second):
		t.Fatal("no change within 30 seconds")
	}
}

func watch(t *testing.T, s *Secrets) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Watch(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestAChangeTakesEffectWithoutARestart(t *testing.T) {
	defer leaktest.None(t, goleak.IgnoreCurrent())
	path := file(t, "HUB_TOKEN_A="+tok("a")+"\n")
	s := open(t, path)
	t.Run("watched", func(t *testing.T) {
		watch(t, s)

		changed := s.Changed()
		put(t, path, "HUB_TOKEN_A="+tok("a")+"\nHUB_TOKEN_B="+tok("b")+"\nPROJECT_TOKEN_C="+tok("c")+"\n")
		within(t, changed)
		is(t, s, tok("a"), "a")
		is(t, s, tok("b"), "b")
		if _, ok := s.Project("c"); !ok {
			t.Error("the project's token is not there")
		}

		changed = s.Changed()
		if err := Replace(path, Pair{"HUB_TOKEN_A", NewToken()}); err != nil {
			t.Fatal(err)
		}
		within(t, changed)
		is(t, s, tok("a"), "")

		changed = s.Changed()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		within(t, changed)
		is(t, s, tok("b"), "")
		if s.Problem() == nil {
			t.Error("nobody is told that the file is gone")
		}

		changed = s.Changed()
		if err := os.WriteFile(path, []byte("HUB_TOKEN_B="+tok("b")), 0o600); err != nil {
			t.Fatal(err)
		}
		within(t, changed)
		is(t, s, tok("b"), "b")
	})
}

func TestAChangeBeforeTheWatchIsSeen(t *testing.T) {
	path := file(t, "HUB_TOKEN_A="+tok("a")+"\n")
	s := open(t, path)
	put(t, path, "HUB_TOKEN_A="+tok("b")+"\n")
	changed := s.Changed()
	watch(t, s)
	within(t, changed)
	is(t, s, tok("a"), "")
}

// Where the folder sends no events, looking from time to time finds the change.
func TestAChangeBehindALinkIsFound(t *testing.T) {
	path := file(t, "HUB_TOKEN_A="+tok("a")+"\n")
	link := filepath.Join(t.TempDir(), "link.conf")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	s := open(t, link)
	watch(t, s)
	changed := s.Changed()
	put(t, path, "# none any more\n")
	within(t, changed)
	is(t, s, tok("a"), "")
}

func TestABrokenEditKeepsWhatWas(t *testing.T) {
	good := "HUB_TOKEN_A=" + tok("a") + "\nHUB_TOKEN_B=\"" + tok("b") + "\"\nPROJECT_TOKEN_C=" + tok("c") + "\n"
	for name, tt := range map[string]struct {
		text string
		mode os.FileMode
		a, b string // whose tokens a and b are then
		want string
	}{
		"an open quote":          {good + "X='\n", 0o600, "a", "b", "never closed"},
		"a short token":          {good + "HUB_TOKEN_D=short\n", 0o600, "a", "b", "shorter"},
		"readable by others":     {good, 0o644, "a", "b", "chmod 600"},
		"and one removed":        {"HUB_TOKEN_A=" + tok("a") + "\nX='\n", 0o600, "a", "", "never closed"},
		"and one in a comment":   {"HUB_TOKEN_A=" + tok("a") + "\n # HUB_TOKEN_B=" + tok("b") + "\nX='\n", 0o600, "a", "", "never closed"},
		"removed, and readable":  {"HUB_TOKEN_B=" + tok("b") + "\n", 0o644, "", "b", "chmod 600"},
		"too large":              {good + strings.Repeat("#", maxFile), 0o600, "a", "b", "larger"},
		"too large, one removed": {"HUB_TOKEN_A=" + tok("a") + "\n" + strings.Repeat("#", maxFile), 0o600, "a", "", "larger"},
		"rotated to a short one": {"HUB_TOKEN_A=short\nHUB_TOKEN_B=" + tok("b") + "\n", 0o600, "", "b", "shorter"},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, good)
			s := open(t, path)
			put(t, path, tt.text)
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			s.reload()
			is(t, s, tok("a"), tt.a)
			is(t, s, tok("b"), tt.b)
			if _, ok := s.Project("c"); !ok {
				t.Error("the project's token is gone")
			}
			if err := s.Problem(); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), tok("b")) {
				t.Errorf("problem: %v", err)
			}
			put(t, path, good)
			s.reload()
			is(t, s, tok("a"), "a")
			if s.Problem() != nil {
				t.Errorf("mended, and yet: %v", s.Problem())
			}
		})
	}
}

// What is no file holds no token: whoever took the file away took its tokens away.
func TestWhatIsNoFileHoldsNoToken(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a folder":           func(path string) error { return os.Mkdir(path, 0o700) },
		"a pipe":             func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link to a folder": func(path string) error { return os.Symlink(t.TempDir(), path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "HUB_TOKEN_A="+tok("a")+"\n")
			s := open(t, path)
			if err := errors.Join(os.Remove(path), make(path)); err != nil {
				t.Fatal(err)
			}
			s.reload()
			is(t, s, tok("a"), "")
			if err := s.Problem(); err == nil || !strings.Contains(err.Error(), "not a file") {
				t.Errorf("problem: %v", err)
			}
		})
	}
}

// The user's systemd puts the file's own lines into the environment.
func TestTheFilesOwnCopyInTheEnvironmentDoesNotHoldItBack(t *testing.T) {
	path := file(t, "HUB_TOKEN_A="+tok("a")+"\nHUB_TOKEN_B="+tok("b")+"\n")
	s := open(t, path, "HUB_TOKEN_A="+tok("a"), "HUB_TOKEN_B="+tok("e"))
	put(t, path, "\n")
	s.reload()
	is(t, s, tok("a"), "")
	is(t, s, tok("e"), "b")
	put(t, path, "X='") // a broken file says nothing of what the environment holds
	s.reload()
	is(t, s, tok("e"), "b")
}

func TestReadersBesideAReload(t *testing.T) {
	path := file(t, "HUB_TOKEN_A="+tok("a")+"\n")
	s := open(t, path)
	watch(t, s)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-s.Changed():
				default:
				}
				s.Caller(tok("a"))
				s.Project("a")
				_ = s.Problem()
				_, _ = s.Named("X")
			}
		})
	}
	for i := range 10 {
		text := "HUB_TOKEN_A=" + tok("a") + "\n"
		if i%2 == 0 {
			text = "HUB_TOKEN_A=" + tok("b") + "\n"
		}
		put(t, path, text)
		s.reload()
	}
	close(stop)
	wg.Wait()
	is(t, s, tok("a"), "a")
}
