package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFileNew writes a file (mode 0600) that must not be there yet. Whoever looks
// sees the whole of it or nothing.
func writeFileNew(path string, text []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".askhub-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing, once it has moved
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return placeNew(f.Name(), path)
}

// placeNew moves a finished file to a path where there must be none.
func placeNew(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		err = os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return fs.ErrExist
	default:
		// Not every filesystem has links, those of memory sticks for one.
		if _, err := os.Lstat(to); err == nil {
			return fs.ErrExist
		}
		err = os.Rename(from, to)
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// syncFolder makes a move last. Some filesystems cannot; the move is done even so.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
