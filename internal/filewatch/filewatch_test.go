package filewatch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// watched starts a Watch on path and gives the texts that it saw change.
func watched(t *testing.T, path string) func(want string) {
	t.Helper()
	texts := make(chan string, 100)
	go Watch(t.Context(), path, func() {
		src, err := os.ReadFile(path)
		if err != nil {
			src = []byte("gone")
		}
		texts <- string(src)
	})
	return func(want string) {
		t.Helper()
		for limit := time.After(30 * time.Second); ; {
			select {
			case got := <-texts:
				if got == want {
					return
				}
			case <-limit:
				t.Fatalf("never saw %q", want)
			}
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryWayOfChangingAFileIsSeen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "people.toml")
	write(t, path, "first")
	sees := watched(t, path)
	sees("first")

	write(t, path, "written in place")
	sees("written in place")

	write(t, path+".new", "renamed over")
	do(t, os.Rename(path+".new", path))
	sees("renamed over")

	do(t, os.Remove(path))
	sees("gone")
	write(t, path, "back again")
	sees("back again")
}

func TestALinkedFolderIsFollowed(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"one", "two"} {
		do(t, os.Mkdir(filepath.Join(dir, version), 0o700))
		write(t, filepath.Join(dir, version, "people.toml"), version)
	}
	do(t, os.Symlink("one", filepath.Join(dir, "current")))
	do(t, os.Symlink(filepath.Join("current", "people.toml"), filepath.Join(dir, "people.toml")))
	sees := watched(t, filepath.Join(dir, "people.toml"))
	sees("one")

	do(t, os.Symlink("two", filepath.Join(dir, "next")))
	do(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "current")))
	sees("two")

	write(t, filepath.Join(dir, "two", "people.toml"), "two, edited")
	sees("two, edited")
}

func TestAFolderThatComesLaterIsSeen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	path := filepath.Join(dir, "10-secrets.conf")
	sees := watched(t, path)
	sees("gone")
	do(t, os.Mkdir(dir, 0o700))
	write(t, path, "there")
	sees("there")
}
