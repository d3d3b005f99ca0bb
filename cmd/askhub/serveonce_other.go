//go:build !unix && !windows

package main

import (
	"io/fs"
	"os"
)

// errReadOnly has no name of its own here.
var errReadOnly = fs.ErrPermission

// openAlone opens the file: there are no locks here that end with their process.
func openAlone(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
}
