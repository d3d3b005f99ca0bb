package routing

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long a folder must be still before the file is read: editors write
	// in several steps, or write beside the file and rename.
	quiet = 100 * time.Millisecond
	// patience is the longest that a folder which is never still delays the reading.
	patience = time.Second
	// lookAnyway is how often the file is looked at without a sign from the file
	// system: a network share gives none, nor does a link that moves further up.
	lookAnyway = 5 * time.Second
)

// Watch follows the file at path until ctx ends, and then returns nil. It calls
// changed with the version that it finds first, and with each later one, never twice
// at once. A later version that is broken, or a file that has gone, comes as a nil
// File with its problems, which are logged too: the caller keeps the last good one.
// Watch returns an error at once where the first version is broken or is not there.
func Watch(ctx context.Context, path string, log *slog.Logger, changed func(*File, []Problem)) error {
	w := &watcher{path: path, log: log, changed: changed}
	// The folders are watched before the first reading, so that no change falls between.
	notes, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("routing: the file system gives no notes of changes; the file is looked at every few seconds", "error", err)
	} else {
		defer notes.Close()
		w.notes = notes
		w.follow()
	}

	src, err := readFile(path)
	if err != nil {
		return err
	}
	w.last = src
	f, problems := Parse(filepath.Base(path), src)
	if f == nil {
		return &FaultError{path, problems}
	}
	w.report(f, problems)
	if w.notes == nil {
		w.run(ctx, nil, nil)
	} else {
		w.run(ctx, w.notes.Events, w.notes.Errors)
	}
	return nil
}

type watcher struct {
	path    string
	log     *slog.Logger
	changed func(*File, []Problem)
	// notes is nil where the file system gives none.
	notes *fsnotify.Watcher

	// last is the text of the newest version; nil while the file cannot be read.
	last []byte
}

// follow watches the file's folder and, where the file is a link, the folder that it
// leads to. Watching a folder again does nothing.
func (w *watcher) follow() {
	if w.notes == nil {
		return
	}
	folders := []string{filepath.Dir(w.path)}
	if real, err := filepath.EvalSymlinks(w.path); err == nil {
		folders = append(folders, filepath.Dir(real))
	}
	for _, folder := range folders {
		// A folder that has gone is watched again when it is back.
		_ = w.notes.Add(folder)
	}
}

func (w *watcher) run(ctx context.Context, events <-chan fsnotify.Event, lost <-chan error) {
	regular := time.NewTicker(lookAnyway)
	defer regular.Stop()
	var still <-chan time.Time
	var first time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !w.concerns(e) {
				continue
			}
			now := time.Now()
			if still == nil {
				first = now
			}
			still = time.After(min(quiet, max(0, patience-now.Sub(first))))
		case <-lost:
			still = time.After(quiet)
		case <-still:
			still = nil
			w.look()
		case <-regular.C:
			if still == nil {
				w.look()
			}
		}
	}
}

// concerns is whether an event can be about the file. Of other names only those
// count that appear or go, since a link on the way to the file may be among them;
// what is merely written beside it, such as a database, does not.
func (w *watcher) concerns(e fsnotify.Event) bool {
	if filepath.Base(e.Name) == filepath.Base(w.path) {
		return true
	}
	if e.Has(fsnotify.Create) || e.Has(fsnotify.Rename) || e.Has(fsnotify.Remove) {
		return true
	}
	real, err := filepath.EvalSymlinks(w.path)
	return err == nil && filepath.Base(e.Name) == filepath.Base(real)
}

// look reads the file and reports it where it has changed.
func (w *watcher) look() {
	w.follow()
	src, err := readFile(w.path)
	if err != nil {
		if w.last != nil {
			w.last = nil
			w.report(nil, []Problem{{1, Error, "the file cannot be read: put it back, and see that askhub may read it"}})
		}
		return
	}
	if w.last != nil && bytes.Equal(src, w.last) {
		return
	}
	w.last = src
	w.report(Parse(filepath.Base(w.path), src))
}

func (w *watcher) report(f *File, problems []Problem) {
	for _, p := range problems {
		level := slog.LevelWarn
		if p.Severity == Error {
			level = slog.LevelError
		}
		w.log.Log(context.Background(), level, "routing: "+p.Message, "file", w.path, "line", p.Line)
	}
	if f == nil {
		w.log.Error("routing: the last good version stays in use", "file", w.path)
	} else {
		w.log.Info("routing: read", "file", w.path, "destinations", len(f.Destinations), "control_actions", len(f.NeverRoute))
	}
	w.changed(f, problems)
}
