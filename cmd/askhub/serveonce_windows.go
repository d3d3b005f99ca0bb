package main

import (
	"errors"
	"os"
	"syscall"
)

// errReadOnly is a disk that is write-protected.
const errReadOnly = syscall.Errno(19)

// sharingViolation is a file that another has open and does not share.
const sharingViolation = syscall.Errno(32)

// openAlone opens the file, and makes it where there is none; errServed where another has
// it open so. Others may read it meanwhile.
func openAlone(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, errServed
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}
