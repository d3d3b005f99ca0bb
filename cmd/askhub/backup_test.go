package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/record/recordtest"
	"github.com/askhub/askhub/internal/store/sqlite"
)

// served is a home whose Hub has run and keeps one record.
func served(t *testing.T) (*home, record.Record) {
	t.Helper()
	h, r := newHome(t), recordtest.Example()
	h.must(t, "init")
	h.save(t, r)
	return h, r
}

func (h *home) store() string { return filepath.Join(h.conf(), "askhub.db") }

func (h *home) save(t *testing.T, r record.Record) {
	t.Helper()
	h.withStore(t, func(db *sqlite.DB) {
		if err := db.Records().Save(context.Background(), record.Batch{Records: []record.Record{r}}); err != nil {
			t.Fatal(err)
		}
	})
}

func (h *home) has(t *testing.T, r record.Record) (has bool) {
	t.Helper()
	h.withStore(t, func(db *sqlite.DB) {
		_, err := db.Records().Get(context.Background(), r.ID)
		if err != nil && !errors.Is(err, record.ErrNotFound) {
			t.Fatal(err)
		}
		has = err == nil
	})
	return has
}

func (h *home) withStore(t *testing.T, do func(*sqlite.DB)) {
	t.Helper()
	db, err := sqlite.Open(context.Background(), h.store())
	if err != nil {
		t.Fatal(err)
	}
	do(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestABackupAndBack(t *testing.T) {
	h, first := served(t)
	file := filepath.Join(h.dir, "b.tar.gz")
	h.must(t, "backup", file)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if !strings.Contains(h.out.String(), "The secrets are not in it") {
		t.Error(h.out.String())
	}
	tokens := read(t, h.secrets())
	for _, line := range strings.Split(tokens, "\n") {
		if _, token, ok := strings.Cut(line, "="); ok && strings.Contains(unzipped(t, file), token) {
			t.Error("a token is in the backup")
		}
	}

	second := recordtest.Example()
	h.save(t, second)
	people := read(t, filepath.Join(h.conf(), "people.toml"))
	write(t, filepath.Join(h.conf(), "people.toml"), "spoilt")
	h.must(t, "restore", file)
	if !h.has(t, first) || h.has(t, second) {
		t.Error("the store is not that of the backup")
	}
	if read(t, filepath.Join(h.conf(), "people.toml")) != people || read(t, h.secrets()) != tokens {
		t.Error("people.toml or the secrets are not as they were")
	}
	if read(t, filepath.Join(h.conf(), "people.toml.bak")) != "spoilt" {
		t.Error("what was there is not kept")
	}
	if err := sqlite.Check(context.Background(), h.store()+".bak"); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(h.store()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	h.must(t, "restore", file) // the first .bak stays
	if read(t, filepath.Join(h.conf(), "people.toml.bak")) != "spoilt" || read(t, filepath.Join(h.conf(), "people.toml.bak2")) != people {
		t.Error("an older .bak was written over")
	}
	nothingLeft(t, h)
}

func TestABackupIsTriedOutBesideItsHousehold(t *testing.T) {
	h, r := served(t)
	file := filepath.Join(h.dir, "b.tar.gz")
	h.must(t, "backup", file, "--with-secrets")
	h.must(t, "token", "rotate", "phone")
	tokens := read(t, h.secrets())
	trial := filepath.Join(h.dir, "trial")
	h.fails(t, h.secrets()+" is there already, and not in "+trial, "restore", file, "--config", trial)
	if _, err := os.Lstat(trial); !errors.Is(err, fs.ErrNotExist) || read(t, h.secrets()) != tokens {
		t.Errorf("it changed something: %v", err)
	}
	h.must(t, "restore", file, "--config", trial, "--force")
	if read(t, h.secrets()) == tokens || read(t, h.secrets()+".bak") != tokens {
		t.Error("--force did not replace the secrets")
	}
	// So it is with a store at a whole path.
	settings := filepath.Join(h.conf(), "askhub.toml")
	write(t, settings, strings.Replace(read(t, settings), `store = "askhub.db"`, fmt.Sprintf("store = %q", h.store()), 1))
	whole := filepath.Join(h.dir, "whole.tar.gz")
	h.must(t, "backup", whole)
	h.fails(t, h.store()+" is there already", "restore", whole, "--config", filepath.Join(h.dir, "other"))
	if !h.has(t, r) {
		t.Error("the household's own store is not as it was")
	}
}

// nothingLeft checks that no temporary file or folder has stayed.
func nothingLeft(t *testing.T, h *home) {
	t.Helper()
	for path := range tree(t, h.dir) {
		if strings.Contains(path, ".askhub-") {
			t.Errorf("left behind: %s", path)
		}
	}
}

func TestABackupGoesToANewMachine(t *testing.T) {
	h, r := served(t)
	file := filepath.Join(t.TempDir(), "b.tar.gz")
	h.must(t, "backup", file, "--with-secrets")
	if !strings.Contains(h.out.String(), "keep it as safe") {
		t.Error(h.out.String())
	}
	tokens := read(t, h.secrets())
	other := newHome(t)
	other.must(t, "restore", file)
	if !other.has(t, r) || read(t, other.secrets()) != tokens {
		t.Error("the new machine is not like the old one")
	}
	if info, err := os.Stat(other.secrets()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	nothingLeft(t, other)
}

// The bedtimes and limits of a Linux router are in a file of their own.
func TestABackupHoldsBedtimes(t *testing.T) {
	h, _ := served(t)
	bedtimes := filepath.Join(h.conf(), "internet-cache", "bedtimes.json")
	write(t, bedtimes, `{"limits":{"Harry's tablet":60}}`)
	file := filepath.Join(t.TempDir(), "b.tar.gz")
	h.must(t, "backup", file)
	if !strings.Contains(h.out.String(), "bedtimes.json and the store") {
		t.Error(h.out.String())
	}
	write(t, bedtimes, `{"limits":{"Harry's tablet":90}}`)
	h.must(t, "restore", file)
	if got := read(t, bedtimes); !strings.Contains(got, "60") {
		t.Errorf("restored is %s", got)
	}
	if got := read(t, bedtimes+".bak"); !strings.Contains(got, "90") {
		t.Errorf("kept is %s", got)
	}
	other := newHome(t)
	other.must(t, "restore", file)
	if got := read(t, filepath.Join(other.conf(), "internet-cache", "bedtimes.json")); !strings.Contains(got, "60") {
		t.Errorf("on a new machine it is %s", got)
	}
	write(t, bedtimes, "spoilt")
	h.fails(t, "the file of bedtimes and limits cannot be read", "backup", file+"2")
	nothingLeft(t, h)
}

func TestABackupBesideARunningHub(t *testing.T) {
	h, _ := served(t)
	h.withStore(t, func(db *sqlite.DB) {
		stop := make(chan struct{})
		saved := make(chan int)
		go func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					saved <- n
					return
				default:
				}
				b := record.Batch{
					Records: []record.Record{recordtest.Example(), recordtest.Example()},
					Counts:  []record.Count{{Day: "2026-10-10", WayIn: "phone", Status: "answered", N: 2}},
				}
				if err := db.Records().Save(context.Background(), b); err != nil {
					t.Error(err)
				}
			}
		}()
		for i := range 5 {
			file := filepath.Join(h.dir, fmt.Sprint(i, ".tar.gz"))
			h.must(t, "backup", file)
			if _, _, err := (&restoreCmd{File: file}).prepare(context.Background(), h.conf(), t.TempDir()); err != nil {
				t.Error(err)
			}
			h.fails(t, "a Hub has the store", "restore", file)
		}
		close(stop)
		if n := <-saved; n == 0 {
			t.Error("the Hub could not save beside the backups")
		}
	})
	nothingLeft(t, h)
}

func TestAForcedRestoreBesideARunningHub(t *testing.T) {
	h, r := served(t)
	file := filepath.Join(h.dir, "b.tar.gz")
	h.must(t, "backup", file)
	late := recordtest.Example()
	h.withStore(t, func(db *sqlite.DB) {
		h.must(t, "restore", file, "--force")
		// The Hub does not touch the new one, and says that it has none any more.
		if err := db.Records().Save(context.Background(), record.Batch{Records: []record.Record{late}}); !errors.Is(err, sqlite.ErrGone) {
			t.Errorf("saving: %v", err)
		}
	})
	if err := sqlite.Check(context.Background(), h.store()); err != nil {
		t.Error(err)
	}
	if !h.has(t, r) || h.has(t, late) {
		t.Error("the restored store is not that of the backup")
	}
}

func TestADamagedStoreCanBeRestored(t *testing.T) {
	h, r := served(t)
	file := filepath.Join(h.dir, "b.tar.gz")
	h.must(t, "backup", file)
	write(t, h.store(), strings.Repeat("not a store at all ", 500))
	h.must(t, "restore", file)
	if !h.has(t, r) {
		t.Error("the record is not back")
	}
}

func TestABackupOverwritesNothing(t *testing.T) {
	h, _ := served(t)
	file := filepath.Join(h.dir, "b.tar.gz")
	write(t, file, "mine")
	h.fails(t, "is there already", "backup", file)
	if read(t, file) != "mine" {
		t.Error("it was written over")
	}
	h.fails(t, "", "backup", filepath.Join(h.dir, "no", "such", "folder", "b.tar.gz"))
	if err := os.Remove(filepath.Join(h.conf(), "routing.md")); err != nil {
		t.Fatal(err)
	}
	h.fails(t, "routing.md", "backup", file+"2")
	if _, err := os.Stat(file + "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("half a backup is there")
	}
	nothingLeft(t, h)
}

func TestABackupBeforeTheFirstServe(t *testing.T) {
	h := newHome(t)
	h.must(t, "init")
	file := filepath.Join(h.dir, "b.tar.gz")
	h.must(t, "backup", file)
	if !strings.Contains(h.out.String(), "there is no store yet") {
		t.Error(h.out.String())
	}
	h.must(t, "restore", file)
}

func unzipped(t *testing.T, file string) string {
	t.Helper()
	gz, err := gzip.NewReader(strings.NewReader(read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(gz)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// forged is a backup of the files as they are given, its manifest changed by edit.
func forged(t *testing.T, files [][2]string, edit func(string) string) string {
	t.Helper()
	dir := t.TempDir()
	paths := map[string]string{}
	for _, f := range files {
		paths[f[0]] = filepath.Join(dir, f[0])
		write(t, paths[f[0]], f[1])
	}
	var packed bytes.Buffer
	if err := writeArchive(context.Background(), &packed, paths, time.Now()); err != nil {
		t.Fatal(err)
	}
	gz, err := gzip.NewReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	zw := gzip.NewWriter(&out)
	tr, tw := tar.NewReader(gz), tar.NewWriter(zw)
	for {
		head, err := tr.Next()
		if err == io.EOF {
			break
		}
		text, err2 := io.ReadAll(tr)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if head.Name == manifestName {
			text = []byte(edit(string(text)))
			head.Size = int64(len(text))
		}
		if err := tw.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tw.Close(), zw.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "forged.tar.gz")
	write(t, path, out.String())
	return path
}

func TestARestoreThatCannotBeDoneChangesNothing(t *testing.T) {
	h, _ := served(t)
	good := filepath.Join(t.TempDir(), "b.tar.gz")
	h.must(t, "backup", good)
	same := func(s string) string { return s }
	conf := [][2]string{{"askhub.toml", "listen = \"127.0.0.1:1\"\n"}, {"routing.md", "r"}, {"people.toml", "p"}}
	with := func(more ...[2]string) [][2]string { return append(append([][2]string{}, conf...), more...) }
	damaged := func(change func([]byte) []byte) string {
		path := filepath.Join(t.TempDir(), "damaged")
		write(t, path, string(change([]byte(read(t, good)))))
		return path
	}
	for name, tt := range map[string]struct{ file, want string }{
		"no such file":      {filepath.Join(t.TempDir(), "none"), "no such file"},
		"an empty file":     {damaged(func([]byte) []byte { return nil }), "not a whole backup"},
		"a letter":          {damaged(func([]byte) []byte { return []byte("Dear Sam, …") }), "not a whole backup"},
		"cut short":         {damaged(func(b []byte) []byte { return b[:len(b)*2/3] }), "not a whole backup"},
		"its end missing":   {damaged(func(b []byte) []byte { return b[:len(b)-4] }), "not a whole backup"},
		"a byte changed":    {damaged(func(b []byte) []byte { b[len(b)/2] ^= 0x40; return b }), "not a whole backup"},
		"another format":    {forged(t, conf, func(s string) string { return strings.Replace(s, `"format":1`, `"format":2`, 1) }), "its format is 2"},
		"another checksum":  {forged(t, conf, func(s string) string { return strings.Replace(s, `"sha256":"`, `"sha256":"0`, 1) }), "checksum differs"},
		"another size":      {forged(t, conf, func(s string) string { return strings.Replace(s, `"bytes":1,`, `"bytes":2,`, 1) }), "not as its manifest says"},
		"a way out":         {forged(t, conf, func(s string) string { return strings.Replace(s, "people.toml", "../people.toml", 1) }), "which no backup does"},
		"a name twice":      {forged(t, conf, func(s string) string { return strings.Replace(s, "people.toml", "routing.md", 1) }), "does twice"},
		"no manifest":       {forged(t, conf, func(string) string { return "" }), "manifest cannot be read"},
		"no people.toml":    {forged(t, conf[:2], same), "holds no people.toml"},
		"a faulty config":   {forged(t, [][2]string{{"askhub.toml", "x = 1"}, conf[1], conf[2]}, same), "no such field"},
		"no store in it":    {forged(t, with([2]string{storeName, strings.Repeat("not a store ", 500)}), same), "the store in it"},
		"a CA that is none": {forged(t, with([2]string{"local-ca.pem", "no CA"}), same), "the local CA in it"},
		"a CA's key alone":  {forged(t, with([2]string{"local-ca.key", "a key"}), same), "the local CA in it has a key and no certificate"},
		"faulty bedtimes":   {forged(t, with([2]string{bedtimesName, "[]"}), same), "the bedtimes in it"},
		"faulty secrets":    {forged(t, with([2]string{secretsName, "HUB_TOKEN_A=short"}), same), "the secrets in it"},
	} {
		t.Run(name, func(t *testing.T) {
			before := tree(t, h.dir)
			h.fails(t, tt.want, "restore", tt.file)
			after := tree(t, h.dir)
			if len(before) != len(after) {
				t.Errorf("before %d files, after %d", len(before), len(after))
			}
			for path, text := range before {
				if after[path] != text {
					t.Errorf("%s has changed", path)
				}
			}
			other := newHome(t)
			other.fails(t, tt.want, "restore", tt.file)
			if left := tree(t, other.dir); len(left) != 1 {
				t.Errorf("left on a new machine: %v", left)
			}
		})
	}
}

// When one file cannot take its place, those that had are put back.
func TestARestoreThatFailsHalfWayIsTakenBack(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "new", "a"), "new a")
	write(t, filepath.Join(dir, "new", "b"), "new b")
	write(t, filepath.Join(dir, "a"), "old a")
	write(t, filepath.Join(dir, "b"), "old b")
	// A folder cannot take a file's place, and this one appears in the middle.
	write(t, filepath.Join(dir, "b.bak-wal", "x"), "in the way")
	write(t, filepath.Join(dir, "b-wal"), "a log")
	before := tree(t, dir)
	err := swapAll([]swap{
		{from: filepath.Join(dir, "new", "a"), to: filepath.Join(dir, "a")},
		{from: filepath.Join(dir, "new", "b"), to: filepath.Join(dir, "b")},
	})
	if err == nil {
		t.Fatal("done")
	}
	after := tree(t, dir)
	if len(before) != len(after) {
		t.Errorf("before %v, after %v", before, after)
	}
	for path, text := range before {
		if after[path] != text {
			t.Errorf("%s is %q, was %q", path, after[path], text)
		}
	}
}

// Whatever a file holds, reading it as a backup ends, and writes only into its folder.
func FuzzReadArchive(f *testing.F) {
	dir := f.TempDir()
	paths := map[string]string{}
	for _, name := range archiveOrder {
		paths[name] = filepath.Join(dir, name)
		if err := os.WriteFile(paths[name], []byte(name), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	var whole bytes.Buffer
	if err := writeArchive(context.Background(), &whole, paths, time.Unix(0, 0)); err != nil {
		f.Fatal(err)
	}
	gz, err := gzip.NewReader(bytes.NewReader(whole.Bytes()))
	if err != nil {
		f.Fatal(err)
	}
	inside, err := io.ReadAll(gz)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(inside)
	f.Fuzz(func(t *testing.T, inside []byte) {
		var packed bytes.Buffer
		zw := gzip.NewWriter(&packed)
		_, _ = zw.Write(inside)
		_ = zw.Close()
		out := t.TempDir()
		m, err := readArchive(context.Background(), &packed, out)
		files, _ := os.ReadDir(out)
		if err == nil && len(files) != len(m.Files) {
			t.Fatalf("%d files for a manifest of %d", len(files), len(m.Files))
		}
	})
}
