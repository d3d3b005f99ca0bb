package routing

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"

	"github.com/askhub/askhub/internal/filewatch"
)

// Watch follows the file at path until ctx ends, and then returns nil. It calls
// changed with the version that it finds first, and with each later one, never twice
// at once. A later version that is broken, or a file that has gone, comes as a nil
// File with its problems, which are logged too: the caller keeps the last good one.
// Watch returns an error at once where the first version is broken or is not there.
func Watch(ctx context.Context, path string, log *slog.Logger, changed func(*File, []Problem)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w := &watcher{path: path, log: log, changed: changed}
	started, refused := false, error(nil)
	filewatch.Watch(ctx, path, func() {
		switch {
		case refused != nil:
		case started:
			w.look()
		default:
			started = true
			if refused = w.start(); refused != nil {
				stop()
			}
		}
	})
	return refused
}

type watcher struct {
	path    string
	log     *slog.Logger
	changed func(*File, []Problem)
	// last is the text of the newest version; nil while the file cannot be read.
	last []byte
}

// start reads the first version, which has to be good.
func (w *watcher) start() error {
	src, err := readFile(w.path)
	if err != nil {
		return err
	}
	f, problems := Parse(filepath.Base(w.path), src)
	if f == nil {
		return &FaultError{w.path, problems}
	}
	w.last = src
	w.report(f, problems)
	return nil
}

// look reads the file and reports it where it has changed.
func (w *watcher) look() {
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
