package secrets

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/wholefile"
)

// NewToken is a fresh token of 32 random bytes, in hex.
func NewToken() ask.BearerToken {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails: the runtime stops the program first
	return ask.BearerToken(hex.EncodeToString(b[:]))
}

// ErrNotThere is what Replace and Remove give for a name that the file does not have.
var ErrNotThere = errors.New("it is not in the secrets file")

// Pair is a variable and its token.
type Pair struct {
	Name  string
	Token ask.BearerToken
}

// Append adds those of the pairs whose names the file does not have, and makes the
// file (mode 0600) where there is none. It gives the names it added. No line that
// stands there changes.
func Append(path string, pairs ...Pair) (added []string, err error) {
	err = edit(path, func(data []byte, list []assignment) ([]byte, error) {
		added = nil
		for _, p := range pairs {
			if len(find(list, p.Name)) > 0 {
				continue
			}
			data = appendLine(data, p)
			added = append(added, p.Name)
		}
		return data, check(data, pairs, added)
	})
	return added, err
}

// Replace gives the variable another token in its place; ErrNotThere where the file
// does not have it.
func Replace(path string, p Pair) error {
	return edit(path, func(data []byte, list []assignment) ([]byte, error) {
		mine := find(list, p.Name)
		if len(mine) == 0 {
			return nil, ErrNotThere
		}
		last := mine[len(mine)-1]
		data = cut(data, last, line(p))
		data = cutAll(data, mine[:len(mine)-1])
		return data, check(data, []Pair{p}, []string{p.Name})
	})
}

// Remove takes the variable out of the file; ErrNotThere where it is not in it.
func Remove(path, name string) error {
	return edit(path, func(data []byte, list []assignment) ([]byte, error) {
		mine := find(list, name)
		if len(mine) == 0 {
			return nil, ErrNotThere
		}
		return cutAll(data, mine), nil
	})
}

func find(list []assignment, name string) (mine []assignment) {
	for _, a := range list {
		if a.name == name {
			mine = append(mine, a)
		}
	}
	return mine
}

func line(p Pair) []byte { return []byte(p.Name + "=" + string(p.Token) + "\n") }

func appendLine(data []byte, p Pair) []byte {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	return append(data, line(p)...)
}

// cut replaces the bytes of one assignment; those before it keep their places.
func cut(data []byte, a assignment, with []byte) []byte {
	return append(append(bytes.Clone(data[:a.start]), with...), data[a.end:]...)
}

// cutAll takes assignments out, from the last to the first.
func cutAll(data []byte, list []assignment) []byte {
	for i := len(list) - 1; i >= 0; i-- {
		data = cut(data, list[i], nil)
	}
	return data
}

// check reads back what was edited: a line before may have swallowed ours, by a
// backslash at its end for one.
func check(data []byte, pairs []Pair, written []string) error {
	list, _, err := parse(data)
	if err != nil {
		return err
	}
	for _, name := range written {
		mine := find(list, name)
		for _, p := range pairs {
			if p.Name == name && (len(mine) != 1 || mine[0].value != string(p.Token)) {
				return fmt.Errorf("%s cannot be added: the line before it runs on; end the file with a plain line", name)
			}
		}
	}
	return nil
}

// edit changes the secrets file in one step: whoever reads it sees the old or the new
// one, and a crash leaves one of them whole.
func edit(path string, change func([]byte, []assignment) ([]byte, error)) error {
	// A link stays a link; its target is what changes.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the secrets file's folder: %w", err)
	}
	unlock, err := lockDir(dir)
	if err != nil {
		return fmt.Errorf("the secrets file's folder: %w", err)
	}
	defer unlock()
	data, err := readFile(path)
	if err != nil {
		return err
	}
	list, _, err := parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	next, err := change(bytes.Clone(data), list)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if data != nil && bytes.Equal(data, next) {
		return nil
	}
	return replace(path, next)
}

func replace(path string, data []byte) error {
	if err := wholefile.Replace(path, data, nil); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a rename last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Info is what may be shown of one token.
type Info struct {
	// Var is the variable, Name the caller's or the project's own name.
	Var, Name string
	// Project is whether the Hub presents it to a project, Approval whether the admin app
	// does where it approves something there; else a caller presents it to the Hub.
	Project, Approval bool
	Digest            Digest
	From              Source
	// HidesFile is set where the secrets file has another value that does not count.
	HidesFile bool
	// Fault is why it is not taken; nil where it is.
	Fault error
}

// List is every token from every source, by variable, without its value.
func List(path string, environ []string) ([]Info, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	all, _, err := gather(path, data, environ, func(name string) bool { return isToken(name) || isApproval(name) })
	if err != nil {
		return nil, err
	}
	list := make([]Info, len(all))
	for i, e := range all {
		list[i] = Info{Var: e.name, Digest: DigestOf(e.value), From: e.from, HidesFile: e.hides, Fault: checkToken(e)}
		list[i].Project, list[i].Approval = strings.HasPrefix(e.name, projectPrefix), isApproval(e.name)
		for _, prefix := range []string{projectPrefix, approvalPrefix, callerPrefix} {
			if name, ok := strings.CutPrefix(e.name, prefix); ok {
				list[i].Name = strings.ToLower(name)
			}
		}
	}
	return list, nil
}
