package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/askhub/askhub/internal/project/compass/calendar"
)

// File is an ICS file on this machine. It is looked at every few seconds, which
// works on network folders too, and read when its size or time is another.
type File struct{ Path string }

var _ Source = File{}

// Every implements Source.
func (File) Every() time.Duration { return 5 * time.Second }

// Fetch implements Source.
func (f File) Fetch(_ context.Context, prev *Snapshot) (*Snapshot, error) {
	info, err := os.Stat(f.Path)
	if err == nil && !info.Mode().IsRegular() { // to open a pipe would wait for whoever writes into it
		return nil, errors.New("the path is not a file: name the .ics file itself")
	}
	file, err := os.Open(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("the file is not there: check its path")
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("the file may not be read: give this account the right to")
	case err != nil:
		return nil, errors.New("the file cannot be opened")
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, errors.New("the file cannot be read")
	}
	version := strconv.FormatInt(info.Size(), 10) + "@" + strconv.FormatInt(info.ModTime().UnixNano(), 10)
	if prev != nil && prev.ETag == version {
		return prev, nil
	}
	body, err := readAll(file)
	if err != nil {
		return nil, err
	}
	return &Snapshot{ETag: version, Texts: []Text{{Body: body}}}, nil
}

// readAll reads up to the limit on one calendar.
func readAll(r io.Reader) (string, error) {
	body, err := io.ReadAll(io.LimitReader(r, calendar.MaxSize+1))
	if err != nil {
		return "", errors.New("it broke off while it was read")
	}
	if len(body) > calendar.MaxSize {
		return "", fmt.Errorf("%w: more than %d MB", calendar.ErrTooLarge, calendar.MaxSize>>20)
	}
	return string(body), nil
}
