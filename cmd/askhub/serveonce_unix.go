//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// errReadOnly is a disk that is mounted so.
const errReadOnly = syscall.EROFS

// openAlone opens the file, and makes it where there is none; errServed where another has
// it open so. A child that is started does not inherit it.
func openAlone(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case err == nil, errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
		return f, nil // where its filesystem has no locks, it is opened and no more
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = errServed
	}
	_ = f.Close()
	return nil, err
}
