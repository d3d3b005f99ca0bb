package secrets

import (
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
)

// Live are a few named secrets as they stand now, for a process that needs no others. They
// come from the same sources as all; a change of the file takes effect within a second.
type Live struct {
	path    string
	environ []string
	names   []string
	now     func() time.Time

	mu     sync.Mutex
	looked time.Time
	file   fs.FileInfo
	found  map[string]string
}

// lookAgain is how old a look at the file may be.
const lookAgain = time.Second

// OpenLive reads the named secrets. What stands in the environment only as a copy of the
// file does not hide a later edit of it.
func OpenLive(path string, environ []string, names ...string) (*Live, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	l := &Live{path: path, environ: withoutCopies(data, environ), names: names, now: time.Now}
	l.looked, l.file = l.now(), l.stat()
	l.found, err = Lookup(path, l.environ, names...)
	return l, err
}

func (l *Live) stat() fs.FileInfo {
	info, err := os.Stat(l.path)
	if err != nil {
		return nil
	}
	return info
}

// Token is the one of that name; empty where there is none. An edit of the file that cannot
// be read is not taken: what was before holds.
func (l *Live) Token(name string) ask.BearerToken {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.now(); now.Sub(l.looked) >= lookAgain {
		l.looked = now
		if is := l.stat(); !sameFile(is, l.file) {
			if found, err := Lookup(l.path, l.environ, l.names...); err == nil {
				l.found, l.file = found, is
			}
		}
	}
	return ask.BearerToken(l.found[name])
}

// sameFile says whether a file has not been written since.
func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// String keeps secrets out of a log that prints this.
func (l *Live) String() string { return "[secrets]" }

// GoString keeps %#v from it too.
func (l *Live) GoString() string { return "[secrets]" }
