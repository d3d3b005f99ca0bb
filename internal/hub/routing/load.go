package routing

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/askhub/askhub/internal/filewatch"
)

// FaultError is a routing.md that is refused, with everything that is wrong with it.
type FaultError struct {
	Path     string
	Problems []Problem
}

// Error names each error with its line; the warnings are in Problems only.
func (e *FaultError) Error() string {
	var b strings.Builder
	for _, p := range e.Problems {
		if p.Severity == Error {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "%s:%d: %s", e.Path, p.Line, p.Message)
		}
	}
	return b.String()
}

// Load reads and parses the file at path. A file that is refused is a *FaultError;
// the problems of a good one are warnings.
func Load(path string) (*File, []Problem, error) {
	src, err := readFile(path)
	if err != nil {
		return nil, nil, err
	}
	f, problems := Parse(filepath.Base(path), src)
	if f == nil {
		return nil, problems, &FaultError{path, problems}
	}
	return f, problems, nil
}

// readFile reads at most a byte more than Parse accepts.
func readFile(path string) ([]byte, error) {
	src, err := filewatch.Read(path, MaxFile+1)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; askhub init writes a household's where it is missing", err)
	}
	return src, err
}
