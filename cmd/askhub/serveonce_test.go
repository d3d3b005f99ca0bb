package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/config"
)

// One process serves a folder, on whichever port. A second is told which one does, and
// changes nothing there; one that was killed holds nothing any more.
func TestOneProcessServesAFolder(t *testing.T) {
	h := startChatHouse(t, 1, "")
	for _, folder := range []string{h.dir, linked(t, h.dir)} {
		second := exec.Command(h.program, "serve", "--config", folder, "--listen", addressOf(t))
		said, err := second.CombinedOutput()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exitNeedDown {
			t.Fatalf("it ends with %v and says %s", err, said)
		}
		first := fmt.Sprintf("%s is in use: process %d, which listens on %s, serves it", folder, h.servers[0].Process.Pid, strings.TrimPrefix(h.urls[0], "http://"))
		if !strings.Contains(string(said), first) {
			t.Errorf("it says %s, want %s", said, first)
		}
	}
	h.slay(0)
	h.urls[0] = "http://" + addressOf(t)
	if err := h.serve(0); err != nil {
		t.Error(err)
	}
}

// linked is another name of the folder.
func linked(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "household")
	if err := os.Symlink(dir, name); err != nil {
		t.Fatal(err)
	}
	return name
}

// What stands in the file is no lock: one that a crash or a copy left there holds nothing.
func TestAFileThatWasLeftHoldsNoFolder(t *testing.T) {
	cfg := &config.Config{Dir: t.TempDir(), Listen: "127.0.0.1:1"}
	path := filepath.Join(cfg.Dir, lockName)
	if err := os.WriteFile(path, []byte(strings.Repeat("process 1, which is long gone ", 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		release, err := serveAlone(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := serveAlone(cfg); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d, which listens on 127.0.0.1:1, serves it", os.Getpid())) {
			t.Errorf("while it is held: %v", err)
		}
		release()
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	release, err := serveAlone(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := serveAlone(cfg); err == nil || !strings.Contains(err.Error(), "another askhub serves it") {
		t.Errorf("held by one without a name: %v", err)
	}
}

// What stands in the file's place is left as it is: a link leads to a file that is not ours.
func TestWhatIsNoPlainFileHoldsNoFolderAndStays(t *testing.T) {
	other := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(other, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func(path string) error{
		"a link":         func(path string) error { return os.Symlink(other, path) },
		"a link to none": func(path string) error { return os.Symlink(other+"s", path) },
		"a folder":       func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		cfg := &config.Config{Dir: t.TempDir(), Listen: "127.0.0.1:1"}
		if err := put(filepath.Join(cfg.Dir, lockName)); err != nil {
			t.Fatal(err)
		}
		if _, err := serveAlone(cfg); err == nil || !strings.Contains(err.Error(), "askhub.lock in it is no plain file; take it away") {
			t.Errorf("%s: %v", name, err)
		}
		if kept, err := os.ReadFile(other); err != nil || string(kept) != "precious" {
			t.Errorf("%s: the file that it leads to holds %q, %v", name, kept, err)
		}
		if _, err := os.Lstat(other + "s"); err == nil {
			t.Errorf("%s: a file was made elsewhere", name)
		}
	}
}
