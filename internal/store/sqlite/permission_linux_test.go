package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// nobody is a user without rights, as most systems number it.
const nobody = 65534

// asNobody runs do with nobody's rights to files, where the test runs as root, who has
// all. Linux keeps those rights by thread.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setfsuid(0); err != nil {
			t.Fatal(err)
		}
	}()
	do()
}

func TestAStoreThatMayOnlyBeReadIsRefused(t *testing.T) {
	// Not t.TempDir, whose parents nobody may not enter.
	dir, err := os.MkdirTemp("", "askhub-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "hub.db")
	db, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Close(), os.Chmod(path, 0o400)); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := errors.Join(os.Chown(dir, nobody, nobody), os.Chown(path, nobody, nobody)); err != nil {
			t.Fatal(err)
		}
	}
	asNobody(t, func() { refused(t, path, ErrReadOnly, "who owns it") })
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		if _, err := Open(context.Background(), filepath.Join(dir, "other.db")); err == nil {
			t.Error("made in a folder that may only be read")
		}
	})
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}
