// Package pagefiles serves the files beside a page, embedded, with no build step, and holds
// the one that the chat page and the admin app share: the base of how both look.
package pagefiles

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"time"
)

// base has colours, in light and dark, and what every page has of text, buttons and fields.
//
//go:embed base.css
var base []byte

// BaseName is the name under which Read has the shared style sheet.
const BaseName = "base.css"

// types are set here and not guessed, since a machine's own table may lack them.
var types = map[string]string{
	".html":        "text/html; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".webmanifest": "application/manifest+json",
}

// File is one address's content.
type File struct {
	Content  []byte
	mimeType string
	etag     string
}

// New is a file of that name, which says what it is. A name of no kind that a page has is an
// error.
func New(name string, content []byte) (File, error) {
	mimeType, ok := types[path.Ext(name)]
	if !ok {
		return File{}, fmt.Errorf("pagefiles: no media type for %s", name)
	}
	sum := sha256.Sum256(content)
	return File{content, mimeType, strconv.Quote(hex.EncodeToString(sum[:16]))}, nil
}

// Read has the files of that folder by their names, and the shared style sheet.
func Read(folder fs.FS, dir string) (map[string]File, error) {
	entries, err := fs.ReadDir(folder, dir)
	if err != nil {
		return nil, err
	}
	sheet, err := New(BaseName, base)
	if err != nil {
		return nil, err
	}
	files := map[string]File{BaseName: sheet}
	for _, e := range entries {
		content, err := fs.ReadFile(folder, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if files[e.Name()], err = New(e.Name(), content); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Serve answers with the file. A browser asks each time and is mostly told "not modified": so
// the files of two releases never meet.
func (f File) Serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.mimeType)
	h.Set("ETag", f.etag)
	h.Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.Content))
}
