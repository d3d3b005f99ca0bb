package pagefiles_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/askhub/askhub/internal/pagefiles"
)

func TestAFolderIsReadWithTheSharedSheet(t *testing.T) {
	files, err := pagefiles.Read(fstest.MapFS{"static/main.mjs": {Data: []byte("main();")}}, "static")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 || !bytes.Contains(files[pagefiles.BaseName].Content, []byte("prefers-color-scheme: dark")) {
		t.Errorf("there are %d files", len(files))
	}
	for name, mimeType := range map[string]string{"main.mjs": "text/javascript; charset=utf-8", pagefiles.BaseName: "text/css; charset=utf-8"} {
		first := serve(files[name], "")
		h := first.Header()
		if first.Code != http.StatusOK || h.Get("Content-Type") != mimeType || h.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s answers %d with %v", name, first.Code, h)
		}
		if again := serve(files[name], h.Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
			t.Errorf("%s: its own ETag is answered with %d", name, again.Code)
		}
	}
}

func TestAFileOfNoKindThatAPageHasIsRefused(t *testing.T) {
	_, err := pagefiles.Read(fstest.MapFS{"static/notes.txt": {Data: []byte("x")}}, "static")
	if err == nil || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("it is %v", err)
	}
	if _, err := pagefiles.Read(fstest.MapFS{}, "static"); err == nil {
		t.Error("a folder that is not there is read")
	}
}

func serve(f pagefiles.File, etag string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/x", http.NoBody)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	f.Serve(w, r)
	return w
}
