// Package web serves the chat page: plain files, embedded, with no build step.
// It serves files only. What the page says to the Hub goes over the chat API, so
// that this package needs to know neither the chat nor the Hub.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/pagefiles"
)

//go:generate go run ./icons

//go:embed static
var embedded embed.FS

// Page is the address of the page. Everything that it loads lies below it.
const Page = "/chat"

// policy lets the page load its own files and call its own host, and nothing else.
// Trusted types refuse a string wherever a script could come of it; the page's one
// policy admits the service worker's address.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' blob: data:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types askhub-chat"

// headers are those of every reply, errors included.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Permissions-Policy":           "camera=(), display-capture=(), geolocation=(), microphone=(self), payment=(), usb=()",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// worker is the service worker's file: it alone is not kept for offline use, since
// a browser must always ask the Hub for it.
const worker = "sw.js"

// Handler serves the page at Page and its files below. It answers GET and HEAD. The
// files are read when the first one is asked for: a start should not wait for them.
func Handler() http.Handler {
	files := sync.OnceValue(func() map[string]pagefiles.File {
		all, err := load()
		if err != nil {
			panic(err) // the files are compiled in, so a test meets this first
		}
		return all
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for name, value := range headers {
			h.Set(name, value)
		}
		f, ok := files()[r.URL.Path]
		slash := r.URL.Path == Page+"/"
		switch {
		case !ok && !slash:
			http.Error(w, "There is nothing at this address.", http.StatusNotFound)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "This address takes GET and HEAD.", http.StatusMethodNotAllowed)
		case slash:
			http.Redirect(w, r, Page, http.StatusPermanentRedirect)
		default:
			if r.URL.Path == Page+"/"+worker {
				h.Set("Service-Worker-Allowed", Page)
			}
			f.Serve(w, r)
		}
	})
}

// load reads the embedded files into their addresses.
func load() (map[string]pagefiles.File, error) {
	named, err := pagefiles.Read(embedded, "static")
	if err != nil {
		return nil, err
	}
	files := map[string]pagefiles.File{}
	for name, f := range named {
		at := Page + "/" + name
		if name == "index.html" {
			at = Page
		}
		files[at] = f
	}
	at := Page + "/" + worker
	script, err := withShell(files[at].Content, files)
	if err != nil {
		return nil, err
	}
	files[at], err = pagefiles.New(worker, script)
	return files, err
}

// The lines of the service worker that load fills in: the files that make up the
// page, each with its digest, and one version for all of them. A browser takes a
// changed script for a new release.
const (
	versionLine = `const version = "none";`
	shellLine   = `const shell = {};`
)

func withShell(script []byte, files map[string]pagefiles.File) ([]byte, error) {
	digests := map[string]string{}
	all := sha256.New()
	all.Write(script)
	for _, at := range slices.Sorted(maps.Keys(files)) {
		if at == Page+"/"+worker {
			continue
		}
		sum := sha256.Sum256(files[at].Content)
		digests[at] = "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
		fmt.Fprintf(all, "%s %s\n", at, digests[at])
	}
	list, err := json.Marshal(digests, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	text := string(script)
	for line, filled := range map[string]string{
		versionLine: `const version = "` + hex.EncodeToString(all.Sum(nil)[:8]) + `";`,
		shellLine:   "const shell = " + string(list) + ";",
	} {
		if strings.Count(text, line) != 1 {
			return nil, fmt.Errorf("web: %s must hold the line %q once", worker, line)
		}
		text = strings.Replace(text, line, filled, 1)
	}
	return []byte(text), nil
}
