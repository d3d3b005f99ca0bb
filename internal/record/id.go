package record

import (
	"bufio"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

const idPrefix = "ask_"

var ids = struct {
	sync.Mutex
	last    uint64 // the last id's time, in milliseconds
	entropy *ulid.MonotonicEntropy
}{entropy: ulid.Monotonic(bufio.NewReader(rand.Reader), 0)}

// NewID is a fresh request id: "ask_" and a ULID, so that ids sort by time, those of
// one millisecond too.
func NewID() string {
	ids.Lock()
	defer ids.Unlock()
	now := ulid.Now()
	// A clock that steps back a little must not make ids go back; one that was set
	// right must not be held at the wrong time.
	if now < ids.last && ids.last-now < 1000 {
		now = ids.last
	}
	for {
		ids.last = now
		id, err := ulid.New(now, ids.entropy)
		if err == nil {
			return idPrefix + id.String()
		}
		// The only error left is that this millisecond's numbers have run out.
		now++
	}
}

// IDTime is when the id was made; false where it is not one of ours.
func IDTime(id string) (time.Time, bool) {
	rest, ok := strings.CutPrefix(id, idPrefix)
	if !ok {
		return time.Time{}, false
	}
	u, err := ulid.ParseStrict(rest)
	if err != nil {
		return time.Time{}, false
	}
	return ulid.Time(u.Time()), true
}
