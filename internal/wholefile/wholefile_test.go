package wholefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/wholefile"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "askhub.conf")
	for _, text := range []string{"first", "a longer second", ""} {
		err := wholefile.Replace(path, []byte(text), func(file string) error {
			if got := read(t, file); got != text {
				t.Errorf("ready sees %q, want %q", got, text)
			}
			if strings.HasSuffix(file, ".conf") || filepath.Dir(file) != filepath.Dir(path) {
				t.Errorf("the new file is %s", file)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != text {
			t.Errorf("the file holds %q, want %q", got, text)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the mode is %v, %v", info.Mode(), err)
		}
		alone(t, path)
	}
}

func TestReplaceCalledOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept")
	if err := wholefile.Replace(path, []byte("old"), nil); err != nil {
		t.Fatal(err)
	}
	off := errors.New("off")
	if err := wholefile.Replace(path, []byte("new"), func(string) error { return off }); !errors.Is(err, off) {
		t.Errorf("the error is %v", err)
	}
	if got := read(t, path); got != "old" {
		t.Errorf("the file holds %q", got)
	}
	alone(t, path)
}

func TestReplaceOfAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Replace(path, []byte("new"), nil); err == nil {
		t.Error("a folder was replaced")
	}
	alone(t, path)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func alone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("beside the file there is something: %v", entries)
	}
}
