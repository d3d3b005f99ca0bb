package mailbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/project/email/message"
	"github.com/askhub/askhub/internal/wholefile"
)

const (
	cacheVersion = 1
	maxCache     = 256 << 20
)

// kept is what the cache file holds. It is mail, so only this account can read it.
type kept struct {
	Version   int                `json:"version"`
	Validity  uint32             `json:"validity"`
	ModSeq    uint64             `json:"modseq"`
	Total     int                `json:"total"`
	Unread    int                `json:"unread"`
	Complete  bool               `json:"complete"`
	Confirmed time.Time          `json:"confirmed"`
	Messages  []*message.Message `json:"messages"`
}

// load returns nil without an error where nothing is kept yet.
func load(path string) (*kept, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info.Size() > maxCache {
		return nil, fmt.Errorf("the file is larger than %d MB", maxCache>>20)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var k kept
	if err := json.Unmarshal(body, &k); err != nil {
		return nil, err
	}
	if k.Version != cacheVersion {
		return nil, fmt.Errorf("the file is of version %d", k.Version)
	}
	return &k, nil
}

func (k *known) restore(from *kept) {
	k.reset(from.Validity)
	k.modSeq, k.total, k.unread, k.complete = from.ModSeq, from.Total, from.Unread, from.Complete
	for _, m := range from.Messages {
		if m != nil && m.UID != 0 {
			m.Prepare()
			k.messages[m.UID] = m
		}
	}
}

// save keeps what is known, not more often than saveEvery unless it is the last time.
func (b *Box) save(last bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	snap := b.current.Load()
	if b.o.CacheFile == "" || snap.Confirmed.IsZero() || !last && (!b.dirty || b.o.Now().Sub(b.saved) < saveEvery) {
		return
	}
	k := kept{
		Version: cacheVersion, Validity: snap.Validity, ModSeq: b.known.modSeq, Total: snap.Total, Unread: snap.Unread,
		Complete: snap.Complete, Confirmed: snap.Confirmed, Messages: snap.Messages,
	}
	if err := write(b.o.CacheFile, &k); err != nil {
		b.o.Log.Warn("the mail cannot be kept for a restart", "err", err)
		return
	}
	b.saved, b.dirty = b.o.Now(), false
}

// write replaces the file in one step.
func write(path string, k *kept) error {
	body, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return wholefile.Replace(path, body, nil)
}
