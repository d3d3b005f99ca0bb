package reach

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/config"
)

// Whatever stands in Host: the redirect leads to that very host over https, or to
// public_url, and never to an address that reads as another.
func FuzzRedirect(f *testing.F) {
	for _, host := range []string{"askhub.home:8420", "[::1]:8420", "sam@evil.example", "a/b", "a?b", "a#b", "", "a:b", "\\evil.example", "a b", "évil.example"} {
		f.Add(host, "/ask?a=b")
	}
	f.Add("askhub.home", "/?#%")
	d := &Door{cfg: &config.Config{PublicURL: "https://askhub.home:8420"}}
	f.Fuzz(func(t *testing.T, host, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		w := httptest.NewRecorder()
		d.inTheClear(w, &http.Request{Method: http.MethodGet, Host: host, URL: u, Header: http.Header{}})
		to, err := url.Parse(w.Header().Get("Location"))
		if err != nil || w.Code != http.StatusPermanentRedirect {
			t.Fatalf("%d to %q: %v", w.Code, w.Header().Get("Location"), err)
		}
		if to.Fragment != "" || to.RawFragment != "" {
			t.Errorf("%q became %q, and what follows # is never sent", target, w.Header().Get("Location"))
		}
		if to.Scheme != "https" || to.User != nil || to.Host != host && to.Host != "askhub.home:8420" || strings.ContainsAny(to.Host, `/\?#@ `) {
			t.Errorf("%q leads to %q", host, to)
		}
	})
}
