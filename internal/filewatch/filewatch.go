// Package filewatch tells when one file may have changed, whatever way an editor,
// a config tool or a network share changes it.
package filewatch

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long a folder must be still before the file is looked at:
	// editors write in several steps, or write beside the file and rename.
	quiet = 50 * time.Millisecond
	// patience is the longest that a folder which is never still puts that off.
	patience = 400 * time.Millisecond
	// pollEvery is the net below: a network share gives no notes of changes, nor
	// does a link that moves further up.
	pollEvery = 500 * time.Millisecond
)

// Watch calls look whenever the file at path may have changed, appeared or gone,
// within a second of it, and never twice at once. It calls look once at its
// beginning too, after it has begun to watch, so that nothing falls between.
// It returns when ctx ends.
func Watch(ctx context.Context, path string, look func()) {
	var events <-chan fsnotify.Event
	var lost <-chan error
	notes, err := fsnotify.NewWatcher()
	if err == nil {
		defer notes.Close()
		events, lost = notes.Events, notes.Errors
		follow(notes, path)
	}
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	seen := stat(path)
	look()
	var still <-chan time.Time
	var first time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !concerns(e, path, seen.real) {
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
			seen = stat(path)
			follow(notes, path)
			look()
		case <-poll.C:
			if now := stat(path); now != seen && still == nil {
				seen = now
				follow(notes, path)
				look()
			}
		}
	}
}

// follow watches the file's folder and, where the file is a link, the folder
// that it leads to. It is the folders, since an editor replaces the file.
// Watching a folder again does nothing.
func follow(notes *fsnotify.Watcher, path string) {
	if notes == nil {
		return
	}
	// A folder that is not there is watched when it is back.
	_ = notes.Add(filepath.Dir(path))
	if real, err := filepath.EvalSymlinks(path); err == nil {
		_ = notes.Add(filepath.Dir(real))
	}
}

// concerns is whether a note can be about the file. Of other names only those
// count that appear or go, since a link on the way to the file may be among them;
// what is merely written beside it, such as a database, does not.
func concerns(e fsnotify.Event, path, real string) bool {
	name := filepath.Base(e.Name)
	if name == filepath.Base(path) || name == filepath.Base(real) {
		return true
	}
	return real != path && (e.Has(fsnotify.Create) || e.Has(fsnotify.Rename) || e.Has(fsnotify.Remove))
}

// fingerprint is what changes when a file does.
type fingerprint struct {
	there bool
	size  int64
	mode  fs.FileMode
	mtime time.Time
	real  string
}

func stat(path string) fingerprint {
	info, err := os.Stat(path)
	if err != nil {
		return fingerprint{}
	}
	real, _ := filepath.EvalSymlinks(path)
	return fingerprint{true, info.Size(), info.Mode(), info.ModTime(), real}
}
