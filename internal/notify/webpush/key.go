// Package webpush tells a person's browsers that something waits for them in the admin
// app, and nothing more: what it is, and what to do about it, stays in the app.
package webpush

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// KeyName is the file of the household's key, in the config folder.
const KeyName = "push.key"

// Key is by what push services know this household (VAPID, RFC 8292). Browsers that took
// its public half take pushes from it alone.
type Key struct{ private *ecdh.PrivateKey }

// Public is what a page gives its browser to subscribe with, in base64url.
func (k Key) Public() string {
	return base64.RawURLEncoding.EncodeToString(k.private.PublicKey().Bytes())
}

func (k Key) secret() string { return base64.RawURLEncoding.EncodeToString(k.private.Bytes()) }

// String keeps the key out of a log.
func (Key) String() string { return "[push key]" }

// GoString keeps it out of %#v too.
func (Key) GoString() string { return "[push key]" }

// LoadKey reads the key at path, and makes one where there is none (mode 0600). Two
// processes that do so at once get the same one. A file that others can read is refused
// with the mend.
func LoadKey(path string) (Key, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := makeKey(path); err != nil {
		return Key{}, fmt.Errorf("the push key cannot be made: %w", err)
	}
	return readKey(path)
}

func readKey(path string) (Key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Key{}, fmt.Errorf("the push key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return Key{}, fmt.Errorf("others can read the push key %s (mode %04o); mend it with: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Key{}, fmt.Errorf("the push key: %w", err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err == nil {
		var private *ecdh.PrivateKey
		if private, err = ecdh.P256().NewPrivateKey(raw); err == nil {
			return Key{private}, nil
		}
	}
	return Key{}, fmt.Errorf("the push key %s is damaged; take it from a backup, or remove it, and let each phone switch push on again", path)
}

// makeKey puts a new key there unless another process was quicker.
func makeKey(path string) error {
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), KeyName+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(Key{private}.secret() + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, never takes another's place.
	if err := os.Link(f.Name(), path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
