package filewatch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOnlyAFileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "people.toml")
	if err := os.WriteFile(path, []byte("twelve bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(path, 6); err != nil || string(got) != "twelve" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := Read(path+".not", 6); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: got %v", err)
	}
	for name, put := range map[string]func(at string) error{
		"a folder":         func(at string) error { return os.Mkdir(at, 0o700) },
		"a pipe":           func(at string) error { return syscall.Mkfifo(at, 0o600) },
		"a link to a pipe": func(at string) error { return errors.Join(syscall.Mkfifo(at+".p", 0o600), os.Symlink(at+".p", at)) },
		"a device":         func(at string) error { return os.Symlink("/dev/zero", at) },
	} {
		t.Run(name, func(t *testing.T) {
			at := filepath.Join(t.TempDir(), "it")
			if err := put(at); err != nil {
				t.Fatal(err)
			}
			if got, err := Read(at, 6); !errors.Is(err, ErrNotFile) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
