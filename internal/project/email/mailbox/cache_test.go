package mailbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAKeptFileThatCannotBeUsedIsNoFault(t *testing.T) {
	for name, body := range map[string]string{
		"cut":           `{"version":1,"validity":7,"messages":[{"uid":1`,
		"other version": `{"version":99,"validity":7}`,
		"not JSON":      "\x00\x01",
		"empty":         "",
	} {
		t.Run(name, func(t *testing.T) {
			o := options()
			o.CacheFile = filepath.Join(t.TempDir(), "box.json")
			if err := os.WriteFile(o.CacheFile, []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
			s := New(Account{}, "INBOX", o).Snapshot()
			if len(s.Messages) != 0 || !s.Confirmed.IsZero() || !errors.Is(s.Err, ErrNotTried) {
				t.Errorf("%+v", s)
			}
		})
	}
	o := options()
	o.CacheFile = filepath.Join(t.TempDir(), "box.json")
	if err := os.WriteFile(o.CacheFile, []byte(`{"version":1,"validity":7,"complete":true,"confirmed":"2026-11-30T11:00:00Z","messages":[null,{"uid":0},{"uid":3,"subject":"Kept"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := New(Account{}, "INBOX", o).Snapshot(); len(s.Messages) != 1 || s.Messages[0].Subject != "Kept" || s.Messages[0].SubjectKey != " kept " {
		t.Errorf("%+v", s)
	}
}
