package store

import (
	"encoding/binary"
	"slices"
	"time"
)

// A window is when the posts of one thread or address came in, the oldest first, in
// nanoseconds since 1970.
type window []int64

// in forgets what is no longer in the window, and says whether that changed anything. A
// clock that stepped back makes no post younger than now.
func (w *window) in(now time.Time, length time.Duration) (changed bool) {
	at := now.UnixNano()
	list := *w
	for i := range list {
		if list[i] > at {
			list[i], changed = at, true
		}
	}
	list = slices.DeleteFunc(list, func(post int64) bool { return at-post >= int64(length) })
	changed = changed || len(list) < len(*w)
	*w = list
	return changed
}

// room says how long the next post has to wait.
func (w window) room(now time.Time, length time.Duration, most int) time.Duration {
	switch {
	case len(w) < most:
		return 0
	case most < 1:
		return length
	}
	return length - time.Duration(now.UnixNano()-w[len(w)-most])
}

// newest is when the latest post came in; 0 where there is none.
func (w window) newest() int64 {
	if len(w) == 0 {
		return 0
	}
	return w[len(w)-1]
}

// bytes is the window as the store keeps it.
func (w window) bytes() []byte {
	b := make([]byte, 0, 8*len(w))
	for _, at := range w {
		b = binary.BigEndian.AppendUint64(b, uint64(at))
	}
	return b
}

func readWindow(b []byte) window {
	w := make(window, 0, len(b)/8+1)
	for ; len(b) >= 8; b = b[8:] {
		w = append(w, int64(binary.BigEndian.Uint64(b)))
	}
	return w
}
