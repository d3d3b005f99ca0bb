package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/record/recordtest"
	"github.com/askhub/askhub/internal/store"
)

func open(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func fresh(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "a store % # ?.db")
}

func TestRecordsConform(t *testing.T) {
	recordtest.Run(t, func(t *testing.T) record.Store { return open(t, fresh(t)).Records() })
}

func TestTheFileAndItsLogAreNobodyElses(t *testing.T) {
	path := fresh(t)
	db := open(t, path)
	if err := db.Records().Save(context.Background(), record.Batch{Records: []record.Record{recordtest.Example()}}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(files) != 3 {
		t.Fatalf("files %q, %v", files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
	}
}

func TestThePragmasHoldOnEveryConnection(t *testing.T) {
	db := open(t, fresh(t))
	for name, want := range map[string][2]string{
		"journal_mode": {"wal", "wal"},
		"synchronous":  {"2", "2"},
		"foreign_keys": {"1", "1"},
		"busy_timeout": {"5000", "5000"},
		"query_only":   {"0", "1"},
		"temp_store":   {"2", "2"},

		"wal_autocheckpoint": {"4000", "4000"},
	} {
		for i, pool := range []*sql.DB{db.Writer(), db.Reader()} {
			var got string
			if err := pool.QueryRow("PRAGMA " + name).Scan(&got); err != nil || got != want[i] {
				t.Errorf("%s of pool %d is %s, want %s, %v", name, i, got, want[i], err)
			}
		}
	}
	if _, err := db.Reader().Exec("DELETE FROM records"); err == nil {
		t.Error("a reader wrote")
	}
}

func TestAPragmaThatDoesNotTakeIsRefused(t *testing.T) {
	path := fresh(t)
	open(t, path)
	c, err := connector(path, false)
	if err != nil {
		t.Fatal(err)
	}
	c.want["synchronous"] = "3"
	db := sql.OpenDB(c)
	defer db.Close()
	if err := db.Ping(); err == nil || !strings.Contains(err.Error(), "synchronous is 2 and not 3") {
		t.Error(err)
	}
}

func TestOpeningAgainKeepsWhatIsThere(t *testing.T) {
	path, r := fresh(t), recordtest.Example()
	ctx := context.Background()
	db, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	b := record.Batch{Records: []record.Record{r}, Counts: []record.Count{{Day: "2026-10-10", WayIn: "phone", Status: "answered", N: 2}}}
	if err := errors.Join(db.Records().Save(ctx, b), db.Records().Save(ctx, record.Batch{Counts: b.Counts}), db.Close()); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	if _, err := again.Records().Get(ctx, r.ID); err != nil {
		t.Error(err)
	}
	if n, err := again.Records().Remove(ctx, r.Person); n != 1 || err != nil {
		t.Error(n, err)
	}
	counts, err := again.Records().Counts(ctx)
	if err != nil || len(counts) != 1 || counts[0].N != 4 {
		t.Errorf("counts %v, %v", counts, err)
	}
}

func TestWhatCannotBeOpenedSaysWhy(t *testing.T) {
	t.Parallel() // it waits out a lock
	ctx := context.Background()
	write := func(t *testing.T, text string, mode os.FileMode) string {
		path := fresh(t)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Run("others can read it", func(t *testing.T) {
		path := write(t, "", 0o644)
		refused(t, path, nil, "chmod 600 "+path)
	})
	t.Run("not a database", func(t *testing.T) {
		text := strings.Repeat("this is a letter and no store\n", 100)
		path := write(t, text, 0o600)
		refused(t, path, ErrNotStore, "restore a backup")
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Error("the file was changed")
		}
	})
	t.Run("a folder", func(t *testing.T) {
		path := fresh(t)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		refused(t, path, nil, "is not a file")
	})
	t.Run("no folder", func(t *testing.T) {
		refused(t, filepath.Join(fresh(t), "hub.db"), nil, "mkdir -p")
	})
	t.Run("a folder that anybody writes", func(t *testing.T) {
		path := fresh(t)
		if err := os.Chmod(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		refused(t, path, nil, "chmod o-w")
	})
	t.Run("a newer schema", func(t *testing.T) {
		path := fresh(t)
		db := open(t, path)
		if _, err := db.Writer().Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`); err != nil {
			t.Fatal(err)
		}
		refused(t, path, store.ErrNewer, "schema 9999")
		if err := Check(ctx, path); !errors.Is(err, store.ErrNewer) {
			t.Errorf("check: %v", err)
		}
	})
	t.Run("held by another", func(t *testing.T) {
		path := fresh(t)
		db, err := Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		release, err := Hold(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		refused(t, path, ErrLocked, "stop it")
	})
}

func refused(t *testing.T, path string, want error, text string) {
	t.Helper()
	db, err := Open(context.Background(), path)
	if err == nil {
		_ = db.Close()
		t.Fatal("opened")
	}
	if (want != nil && !errors.Is(err, want)) || !strings.Contains(err.Error(), text) {
		t.Errorf("%v\nwant %v, with %q", err, want, text)
	}
}

// A store that was taken away is not written on in secret, nor made anew without its
// schema.
func TestAStoreThatIsTakenAwayIsMissed(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"taken away": func(string) error { return nil },
		"replaced":   func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			path := fresh(t)
			db := open(t, path)
			ctx := context.Background()
			if err := db.Records().Save(ctx, record.Batch{Records: []record.Record{recordtest.Example()}}); err != nil {
				t.Fatal(err)
			}
			for _, f := range []string{path, path + "-wal", path + "-shm"} {
				if err := os.Remove(f); err != nil {
					t.Fatal(err)
				}
			}
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			late := recordtest.Example()
			late.ID = record.NewID()
			if err := db.Records().Save(ctx, record.Batch{Records: []record.Record{late}}); !errors.Is(err, ErrGone) {
				t.Errorf("saving: %v", err)
			}
			_, _ = db.Records().Get(ctx, late.ID)
			if info, err := os.Stat(path); err == nil && name == "taken away" {
				t.Errorf("a store of %v came about", info)
			}
			again, err := Open(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(again.Records().Save(ctx, record.Batch{Records: []record.Record{late}}), again.Close()); err != nil {
				t.Errorf("opened again: %v", err)
			}
		})
	}
}

func TestAWriteTakesItsLockAtItsStart(t *testing.T) {
	path := fresh(t)
	a, b := open(t, path), open(t, path)
	tx, err := a.Writer().Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if tx2, err := b.Writer().BeginTx(ctx, nil); err == nil {
		_ = tx2.Rollback()
		t.Error("two write transactions at once")
	}
}

func TestAStoreInUseIsNotHeld(t *testing.T) {
	path := fresh(t)
	db := open(t, path)
	if _, err := Hold(context.Background(), path); !errors.Is(err, ErrLocked) {
		t.Fatalf("held beside a server: %v", err)
	}
	// The server must not have noticed.
	if err := db.Records().Save(context.Background(), record.Batch{Records: []record.Record{recordtest.Example()}}); err != nil {
		t.Error(err)
	}
}

func TestACopyBesideAServerIsWhole(t *testing.T) {
	ctx := context.Background()
	path := fresh(t)
	db := open(t, path)
	r := recordtest.Example()
	if err := db.Records().Save(ctx, record.Batch{Records: []record.Record{r}}); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(filepath.Dir(path), "copy.db")
	if err := Copy(ctx, path, to); err != nil {
		t.Fatal(err)
	}
	if err := Check(ctx, to); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := open(t, to).Records().Get(ctx, r.ID); err != nil {
		t.Error(err)
	}
	if err := Copy(ctx, path, to); !errors.Is(err, os.ErrExist) {
		t.Errorf("a copy over a file: %v", err)
	}
}

func TestLookingAtAStoreThatIsNotThereMakesNone(t *testing.T) {
	ctx, path := context.Background(), fresh(t)
	if err := Check(ctx, path); err == nil {
		t.Error("checked")
	}
	if err := Copy(ctx, path, path+".copy"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("copied: %v", err)
	}
	if _, err := Hold(ctx, path); err == nil {
		t.Error("held")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) > 0 {
		t.Errorf("made %q", left)
	}
}

// Whichever page is damaged, the store opens or is said to be damaged: it is never
// taken for one whose schema is half there.
func TestADamagedPageIsNeverTakenForAnotherFault(t *testing.T) {
	t.Parallel() // a file whose header is damaged is waited for as if another process had it
	path := fresh(t)
	db, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Records().Save(context.Background(), record.Batch{Records: []record.Record{recordtest.Example()}}), db.Close()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	const page = 4096
	for from := 0; from < len(whole); from += page {
		for _, n := range []int{1, 2} {
			data := append([]byte(nil), whole...)
			for i := from; i < min(from+n*page, len(data)); i++ {
				data[i] = 0xA5
			}
			other := fresh(t)
			if err := os.WriteFile(other, data, 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := Open(context.Background(), other)
			if err == nil {
				_ = db.Close()
				continue
			}
			if found++; !errors.Is(err, ErrNotStore) || !strings.Contains(err.Error(), "restore a backup") {
				t.Errorf("%d pages from byte %d: %v", n, from, err)
			}
		}
	}
	if found == 0 {
		t.Error("no damage was found")
	}
}

func TestADamagedStoreIsFound(t *testing.T) {
	ctx := context.Background()
	path := fresh(t)
	db := open(t, path)
	var list []record.Record
	for range 200 {
		list = append(list, recordtest.Example())
	}
	if err := db.Records().Save(ctx, record.Batch{Records: list}); err != nil {
		t.Fatal(err)
	}
	to := path + ".copy"
	if err := Copy(ctx, path, to); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	for i := 8192; i < 8192+4096; i++ {
		data[i] = 0xA5
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Check(ctx, to); !errors.Is(err, ErrNotStore) {
		t.Errorf("check: %v", err)
	}
}

// A full disk is no outage: the Log counts and tries again, and nothing is lost once
// there is room.
func TestAFullDiskLosesNothing(t *testing.T) {
	ctx := context.Background()
	db := open(t, fresh(t))
	var pages int
	if err := db.Writer().QueryRow(`PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Writer().Exec(`PRAGMA max_page_count = 30`); err != nil {
		t.Fatal(err)
	}
	big := record.Batch{}
	for range 100 {
		big.Records = append(big.Records, recordtest.Example())
	}
	err := db.Records().Save(ctx, big)
	if !errors.Is(explain("hub.db", err), ErrFull) {
		t.Fatalf("saved on a full disk: %v", err)
	}
	log := record.NewLog(db.Records(), record.Keep{Days: 30, Text: true}, nil)
	for _, r := range big.Records {
		log.Add(r)
	}
	await(t, func() bool { return log.Stats().Failed > 0 })
	soon, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if err := log.Flush(soon); err == nil {
		t.Fatal("flushed to a full disk")
	}
	if s := log.Stats(); s.Failed == 0 || s.Waiting != 100 || s.Lost != 0 || s.Err == nil {
		t.Errorf("%+v", s)
	}
	if _, err := log.Get(ctx, big.Records[7].ID); err != nil {
		t.Errorf("a record that waits is not seen: %v", err)
	}
	if _, err := db.Writer().Exec(`PRAGMA max_page_count = 100000`); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	for _, r := range big.Records {
		if _, err := db.Records().Get(ctx, r.ID); err != nil {
			t.Fatal(err)
		}
	}
}
