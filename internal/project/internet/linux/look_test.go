//go:build unix

package linux

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/askhub/askhub/internal/project/internet"
)

func TestALookReadsAndChangesNothing(t *testing.T) {
	f := newFakeNft(t)
	f.o.Log, f.o.Leases = filepath.Join(f.dir, "dnsmasq.log"), filepath.Join(f.dir, "leases")
	for _, path := range []string{f.o.Log, f.o.Leases} {
		var unable *internet.UnableError
		if err := f.router().Look(t.Context()); !errors.As(err, &unable) {
			t.Errorf("without %s: %v", path, err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.router().Look(t.Context()); err != nil {
		t.Error(err)
	}
	// Where the table is not there yet it stays so.
	f.file("", "echo 'Error: No such file or directory' >&2; exit 1")
	if err := f.router().Look(t.Context()); err != nil {
		t.Errorf("without a table: %v", err)
	}
	if took := f.took(); took != "" {
		t.Errorf("it changed %s", took)
	}
	f.file("", "echo 'Operation not permitted (you must be root)' >&2; exit 1")
	var unable *internet.UnableError
	if err := f.router().Look(t.Context()); !errors.As(err, &unable) {
		t.Errorf("without the right to: %v", err)
	}
	f.o.Nft = []string{filepath.Join(f.dir, "none")}
	if err := f.router().Look(t.Context()); err == nil {
		t.Error("without nft it is well")
	}
}
