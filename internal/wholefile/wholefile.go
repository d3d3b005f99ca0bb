// Package wholefile replaces a file in one step: whoever looks, also after a crash,
// sees all of the old text or all of the new.
package wholefile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace puts data in the place of the file at path, which need not be there yet, in a
// folder that is. The new file has mode 0600. Where ready is not nil it is called with
// the path of the new file just before it moves, to set its mode or its time or to call
// the replacement off by an error. After an error the old file stands as it did, and
// nothing is left beside it. It does not sync the folder: a move that has to outlast
// a power cut needs that too.
func Replace(path string, data []byte, ready func(file string) error) (err error) {
	// The name never ends as path does, so that whoever reads the folder's *.conf passes over it.
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if ready != nil {
		if err := ready(f.Name()); err != nil {
			return err
		}
	}
	return os.Rename(f.Name(), path)
}
