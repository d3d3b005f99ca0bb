package feed

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/project/compass/calendar"
	"github.com/askhub/askhub/internal/wholefile"
)

// cache keeps a snapshot in one file that only its owner can read. The file's time
// is when the snapshot was last known to be right. A nil cache keeps nothing.
type cache struct{ path string }

const (
	cacheVersion = 1
	// maxCache allows for what JSON adds to the texts.
	maxCache = 4 * calendar.MaxSize
)

type cacheFile struct {
	Version  int      `json:"version"`
	Snapshot Snapshot `json:"snapshot"`
}

// load returns nil without an error where there is no file yet.
func (c *cache) load() (*Snapshot, time.Time, error) {
	info, err := os.Stat(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, time.Time{}, nil
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	if info.Size() > maxCache {
		return nil, time.Time{}, fmt.Errorf("the file is larger than %d MB", maxCache>>20)
	}
	body, err := os.ReadFile(c.path)
	if err != nil {
		return nil, time.Time{}, err
	}
	var f cacheFile
	if err := json.Unmarshal(body, &f); err != nil {
		return nil, time.Time{}, err
	}
	if f.Version != cacheVersion {
		return nil, time.Time{}, fmt.Errorf("the file is of version %d", f.Version)
	}
	return &f.Snapshot, info.ModTime(), nil
}

// save replaces the file in one step. Not being able to is logged and no more: the
// calendar itself is fine.
func (c *cache) save(s *Snapshot, good time.Time, log *slog.Logger) {
	if c == nil {
		return
	}
	if err := c.write(s, good); err != nil {
		log.Warn("the calendar cannot be kept for a restart", "err", err)
	}
}

func (c *cache) write(s *Snapshot, good time.Time) error {
	body, err := json.Marshal(cacheFile{cacheVersion, *s})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	return wholefile.Replace(c.path, body, func(file string) error { return os.Chtimes(file, good, good) })
}

// touch notes that the kept snapshot is still right.
func (c *cache) touch(good time.Time, log *slog.Logger) {
	if c == nil {
		return
	}
	if err := os.Chtimes(c.path, good, good); err != nil {
		log.Warn("the age of the kept calendar cannot be noted", "err", err)
	}
}
