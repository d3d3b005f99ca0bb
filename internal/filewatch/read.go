package filewatch

import (
	"errors"
	"io"
	"os"
)

// ErrNotFile is a path at which something else stands, such as a folder or a pipe.
var ErrNotFile = errors.New("it is not a file")

// Read reads at most limit bytes of the file at path, and never waits for it: what is
// no file is an ErrNotFile, since a pipe that nobody writes into would hold up the
// watch, and the end of the process with it.
func Read(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: ErrNotFile}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
