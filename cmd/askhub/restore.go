package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/localca"
	"github.com/askhub/askhub/internal/notify/webpush"
	"github.com/askhub/askhub/internal/project/internet/linux"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/store/sqlite"
)

type restoreCmd struct {
	File   string `arg:"" type:"path" help:"The backup."`
	Config string `help:"The config folder to restore. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	Force  bool   `help:"Do it even beside a running Hub, which then goes on with what it has until it is started again; and replace what is there outside of the folder that --config names."`
}

// Help is the command's example.
func (restoreCmd) Help() string {
	return "Stop the Hub first. What was there is kept beside it, with .bak at its end.\n\nExample:\n  askhub restore askhub-monday.tar.gz"
}

// Run checks the whole backup, and only then changes anything.
func (c *restoreCmd) Run(e *env) (err error) {
	dir := c.Config
	if dir == "" {
		dir = config.DefaultDir(e.getenv)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	made, err := makeFolders(dir)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		for i := len(made) - 1; !done && i >= 0; i-- {
			err = errors.Join(err, os.Remove(made[i]))
		}
	}()
	stage, err := os.MkdirTemp(dir, ".askhub-restore-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	swaps, target, err := c.prepare(e.ctx, dir, stage)
	if err != nil {
		return err
	}
	if dir != config.DefaultDir(e.getenv) && !c.Force {
		if err := nothingOutside(dir, swaps); err != nil {
			return err
		}
	}
	keepCA, note, err := c.localCA(stage, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if keepCA {
		swaps = slices.DeleteFunc(swaps, func(s swap) bool { return filepath.Base(s.to) == config.LocalCAName })
	}
	release, err := c.hold(e.ctx, target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := swapAll(swaps); err != nil {
		return err
	}
	done = true
	if strings.Contains(target, "://") {
		note = strings.TrimSpace(note + "\nThe store is a PostgreSQL database and was not touched: bring it back with psql or pg_restore.")
	}
	return tellRestored(e, c.File, swaps, note)
}

// nothingOutside refuses what would replace a file outside of dir: where a backup is tried
// out in a folder of its own, the secrets and the store at a whole path are still those of
// the household.
func nothingOutside(dir string, swaps []swap) error {
	for _, s := range swaps {
		if within, err := filepath.Rel(dir, s.to); err == nil && filepath.IsLocal(within) {
			continue
		}
		if _, err := os.Lstat(s.to); err == nil {
			return fmt.Errorf("%s is there already, and not in %s: it may be another household's; use --force to replace it too, or a backup without it", s.to, dir)
		}
	}
	return nil
}

// swap puts a new file in an old one's place.
type swap struct {
	from, to string
	// backup is where the old one is kept; empty where there was none.
	backup string
}

// prepare unpacks and checks the backup, and says what would take whose place and
// where the store is.
func (c *restoreCmd) prepare(ctx context.Context, dir, stage string) ([]swap, string, error) {
	f, err := os.Open(c.File)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	m, err := readArchive(ctx, f, stage)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", c.File, err)
	}
	cfg, err := config.Load(stage)
	if err != nil {
		return nil, "", fmt.Errorf("%s: the askhub.toml in it: %w", c.File, err)
	}
	target := moved(cfg.Store, stage, dir)
	var swaps []swap
	for _, file := range m.Files {
		from := filepath.Join(stage, file.Name)
		to := filepath.Join(dir, file.Name)
		switch file.Name {
		case storeName:
			if cfg.StoreIsServer() {
				return nil, "", fmt.Errorf("%s: it holds a store, and its askhub.toml names a server", c.File)
			}
			to = target
			if err := sqlite.Check(ctx, from); err != nil {
				return nil, "", fmt.Errorf("%s: the store in it: %w", c.File, err)
			}
		case bedtimesName:
			to = moved(bedtimesPath(cfg), stage, dir)
			if err := linux.CheckFile(from); err != nil {
				return nil, "", fmt.Errorf("%s: the bedtimes in it: %w", c.File, err)
			}
		case webpush.KeyName:
			if _, err := webpush.LoadKey(from); err != nil {
				return nil, "", fmt.Errorf("%s: the push key in it: %w", c.File, err)
			}
		case secretsName:
			to = moved(cfg.Secrets, stage, dir)
			if _, err := secrets.Open(from, nil); err != nil {
				return nil, "", fmt.Errorf("%s: the secrets in it: %w", c.File, err)
			}
		}
		swaps = append(swaps, swap{from: from, to: to})
	}
	return swaps, target, nil
}

// localCA checks the local CA of the unpacked backup. A CA without its key would be no
// use beside the key of another, which its own household may still need: then the folder
// keeps its own.
func (c *restoreCmd) localCA(stage, dir string) (keep bool, note string, err error) {
	backup, there := &config.Config{Dir: stage}, &config.Config{Dir: dir}
	cert, err := os.ReadFile(backup.LocalCAPath())
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(backup.LocalCAKeyPath()); err == nil {
			return false, "", errors.New("the local CA in it has a key and no certificate")
		}
		return false, "", nil
	}
	if err != nil {
		return false, "", err
	}
	if _, err := localca.ParseCertificate(cert); err != nil {
		return false, "", fmt.Errorf("the local CA in it: %w", err)
	}
	key, err := os.ReadFile(backup.LocalCAKeyPath())
	if err == nil {
		if _, err := localca.Parse(cert, key); err != nil {
			return false, "", fmt.Errorf("the local CA in it: %w", err)
		}
		return false, "", nil
	}
	key, err = os.ReadFile(there.LocalCAKeyPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, "The local CA's key was not in the backup: put " + config.LocalCAKeyName + " there before the Hub can use tls = \"local-ca\".", nil
	case err != nil:
		return false, "", err
	}
	if _, err := localca.Parse(cert, key); errors.Is(err, localca.ErrNoPair) {
		return true, "The local CA in the backup has no key there, and another CA is in place: that one was kept.", nil
	}
	return false, "", nil
}

// moved is a path of the unpacked config as it will be in its own folder.
func moved(path, stage, dir string) string {
	if rest, ok := strings.CutPrefix(path, stage+string(filepath.Separator)); ok {
		return filepath.Join(dir, rest)
	}
	return path
}

// hold takes the store that is there for itself alone, so that no Hub has it open.
func (c *restoreCmd) hold(ctx context.Context, store string) (release func() error, err error) {
	nothing := func() error { return nil }
	if strings.Contains(store, "://") {
		return nothing, nil // a server's store is not touched
	}
	if _, err := os.Stat(store); errors.Is(err, fs.ErrNotExist) {
		return nothing, nil
	}
	release, err = sqlite.Hold(ctx, store)
	switch {
	case err == nil:
		return release, nil
	case errors.Is(err, sqlite.ErrNotStore), c.Force:
		// A damaged store is a reason to restore, not one against it.
		return nothing, nil
	case errors.Is(err, sqlite.ErrLocked):
		return nil, fmt.Errorf("a Hub has the store %s open; stop it first, or use --force", store)
	}
	return nil, err
}

// swapAll makes all the swaps, or none: each step that was made is taken back when a
// later one fails.
func swapAll(swaps []swap) (err error) {
	ready := make([]string, len(swaps))
	defer func() {
		for _, path := range ready {
			if path != "" {
				_ = os.Remove(path) // nothing, once it has moved
			}
		}
	}()
	var undo []func() error
	defer func() {
		for i := len(undo) - 1; err != nil && i >= 0; i-- {
			err = errors.Join(err, undo[i]())
		}
	}()
	rename := func(from, to string) error {
		if err := os.Rename(from, to); err != nil {
			return err
		}
		undo = append(undo, func() error { return os.Rename(to, from) })
		return nil
	}
	// What can go wrong for want of room or rights goes wrong here, before anything
	// that was there is touched.
	for i, s := range swaps {
		if err := os.MkdirAll(filepath.Dir(s.to), 0o700); err != nil {
			return err
		}
		if ready[i], err = copyBeside(s.from, s.to); err != nil {
			return fmt.Errorf("%s cannot be written: %w", s.to, err)
		}
	}
	for i := range swaps {
		s := &swaps[i]
		backup := freeName(s.to + ".bak")
		// A write-ahead log belongs to its store, and would spoil another.
		for _, tail := range []string{"", "-wal", "-shm"} {
			err := rename(s.to+tail, backup+tail)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if err == nil && tail == "" {
				s.backup = backup
			}
		}
		if err := rename(ready[i], s.to); err != nil {
			return err
		}
		if err := syncFolder(filepath.Dir(s.to)); err != nil {
			return err
		}
	}
	return nil
}

// freeName is path, or path with the first number that is free.
func freeName(path string) string {
	name := path
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name
		}
		name = fmt.Sprint(path, n)
	}
}

// copyBeside copies a file into the folder of another, which may be on another disk.
func copyBeside(from, beside string) (path string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(beside), ".askhub-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return "", errors.Join(err, os.Remove(out.Name()))
	}
	return out.Name(), nil
}

func tellRestored(e *env, file string, swaps []swap, note string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Restored from %s:\n", file)
	for _, s := range swaps {
		fmt.Fprintf(&b, "  %s", s.to)
		if s.backup != "" {
			fmt.Fprintf(&b, " (what was there is now %s)", s.backup)
		}
		b.WriteString("\n")
	}
	if note != "" {
		b.WriteString(note + "\n")
	}
	_, err := io.WriteString(e.stdout, b.String())
	return err
}
