package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/askhub/askhub/internal/browsertest"
	"github.com/askhub/askhub/internal/web"
)

// hub serves the page beside a chat API, as the Hub does, and the knobs of the tests.
func hub(t *testing.T, api http.Handler, host host) string {
	t.Helper()
	f := newFaults(api, host)
	mux := http.NewServeMux()
	mux.Handle(web.Page, web.Handler())
	mux.Handle(web.Page+"/", web.Handler())
	mux.HandleFunc(web.Page+"/sw.js", f.worker)
	mux.Handle("/api/chat/", f)
	mux.HandleFunc("POST /knobs", f.knobs)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections() // streams never end by themselves
		server.Close()
	})
	return server.URL
}

// rules need no browser.
const rules = "rules.test.mjs"

// TestRules runs the rules of the page's modules on node.
func TestRules(t *testing.T) {
	browsertest.Run(t, "browser", rules)
}

// TestInTheBrowser runs each other browser/*.test.mjs against the page in Debian's Chromium.
func TestInTheBrowser(t *testing.T) {
	chromium := browsertest.Chromium(t, "browser")
	for _, name := range browsertest.Files(t, "browser") {
		if name == rules {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each has a Hub and a browser of its own
			c := newChat(t)
			browsertest.Run(t, "browser", name, "ASKHUB_CHAT="+hub(t, c, c), "ASKHUB_CHROMIUM="+chromium)
		})
	}
}
