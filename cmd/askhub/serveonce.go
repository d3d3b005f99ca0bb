package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/askhub/askhub/internal/config"
)

// lockName is the file of a config folder by which one process serves it.
const lockName = "askhub.lock"

// errServed is a folder that another process serves.
var errServed = errors.New("another process serves it")

// serveAlone holds the config folder until release is called, or the process ends in
// whatever way: two Hubs would start its projects and its admin app twice. In the file
// stands who holds it; the file stays, since only the lock on it counts.
func serveAlone(cfg *config.Config) (release func(), err error) {
	path := filepath.Join(cfg.Dir, lockName)
	// It is written into, so it must not be a way to another file.
	if is, err := os.Lstat(path); err == nil && !is.Mode().IsRegular() {
		return nil, exitError{exitNeedDown, fmt.Errorf("the folder %s cannot be held: %s in it is no plain file; take it away", cfg.Dir, lockName)}
	}
	f, err := openAlone(path)
	switch {
	case errors.Is(err, errServed):
		return nil, exitError{exitNeedDown, fmt.Errorf("the folder %s is in use: %s serves it; stop that one, or give this one a folder of its own with --config", cfg.Dir, whoServes(cfg))}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errReadOnly):
		return func() {}, nil // a folder that nobody writes in is one that several may read
	case err != nil:
		return nil, exitError{exitNeedDown, fmt.Errorf("the folder %s cannot be held: %w", cfg.Dir, err)}
	}
	// It only says who it is: on a full disk it is held by a process without a name.
	if f.Truncate(0) == nil {
		_, _ = fmt.Fprintf(f, "process %d, which listens on %s", os.Getpid(), cfg.Listen)
	}
	return func() { _ = f.Close() }, nil
}

// whoServes is who holds the folder, in its own words.
func whoServes(cfg *config.Config) string {
	const most = 200
	f, err := os.Open(filepath.Join(cfg.Dir, lockName))
	if err == nil {
		defer f.Close()
		if said, err := io.ReadAll(io.LimitReader(f, most)); err == nil && len(said) > 0 {
			return string(said) + ","
		}
	}
	return "another askhub"
}
