package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/askhub/askhub/internal/config"
)

// connected is a household whose settings have these tables more, and who asks it.
func connected(t *testing.T, settings string) *house {
	t.Helper()
	h := startChatHouseWith(t, 1, "", settings, "")
	return &house{t: t, url: h.urls[0], token: strings.Repeat("t", 40)}
}

func TestAQuestionIsLookedUpOnTheWebAndItsAnswerIsQuoted(t *testing.T) {
	var asked atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.URL.Query())
		_, _ = w.Write([]byte(`{"results":[{"url":"https://en.wikipedia.org/wiki/Lisbon","title":"Lisbon","content":"Lisbon is the capital of Portugal. More."}]}`))
	}))
	defer server.Close()
	h := connected(t, "[web_search]\nurl = \""+server.URL+"\"\n")
	r, err := h.ask("look up the capital of Portugal")
	if err != nil || r.Status != "answered" || r.Reply != `wikipedia.org says: "Lisbon is the capital of Portugal."` {
		t.Errorf("got %+v, %v", r, err)
	}
	q, _ := asked.Load().(url.Values)
	if q.Get("q") != "the capital of Portugal" || strings.Contains(q.Encode(), "sam") {
		t.Errorf("the server was told %v", q)
	}
	// What a child may not do is refused before anything is looked up.
	asked.Store(url.Values{})
	if r, err = h.ask("turn off the kids' internet"); err != nil || r.Status != "refused" || len(asked.Load().(url.Values)) != 0 {
		t.Errorf("got %+v, %v, and the server was told %v", r, err, asked.Load())
	}
	server.Close()
	if r, err = h.ask("look up the capital of Portugal"); err != nil || r.Status != "unavailable" || r.Reply != "That service is not answering." {
		t.Errorf("without its server: got %+v, %v", r, err)
	}
}

func TestTheDoctorTriesTheSearchServer(t *testing.T) {
	status := http.StatusForbidden
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"results":[],"unresponsive_engines":[["google","captcha"]]}`))
	}))
	defer server.Close()
	h := newHome(t)
	h.must(t, "init")
	path := filepath.Join(h.conf(), config.FileName)
	write(t, path, read(t, path)+"\n[web_search]\nurl = \""+server.URL+"\"\n")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	examine := func(want string) {
		t.Helper()
		run(h.env(), []string{"doctor"})
		if !strings.Contains(h.out.String(), want) {
			t.Errorf("the doctor says:\n%s", &h.out)
		}
	}
	examine(`FAULT web_search.url: the search server does not allow JSON. Add json to "formats"`)
	status = http.StatusOK
	examine("warn  web_search.url: the search server answers, and these engines of it do not: google.")
	server.Close()
	examine("FAULT web_search.url: nothing listens where the search server should. Start SearXNG")
}
