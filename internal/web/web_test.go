package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/internal/web"
)

// ask gives the reply to one call, with any headers as name and value in turn.
func ask(t *testing.T, method, target string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	web.Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// addresses are those of all embedded files.
func addresses(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("static/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files: %v", err)
	}
	all := []string{web.Page + "/base.css"}
	for _, name := range names {
		if at := path.Base(filepath.ToSlash(name)); at == "index.html" {
			all = append(all, web.Page)
		} else {
			all = append(all, web.Page+"/"+at)
		}
	}
	return all
}

func TestEveryFile(t *testing.T) {
	types := map[string]string{
		"": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
		".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json",
	}
	for _, at := range addresses(t) {
		t.Run(at, func(t *testing.T) {
			get := ask(t, http.MethodGet, at)
			content := body(t, get)
			if get.StatusCode != http.StatusOK || content == "" {
				t.Fatalf("GET answers %d with %d bytes", get.StatusCode, len(content))
			}
			if got, want := get.Header.Get("Content-Type"), types[path.Ext(at)]; got != want {
				t.Errorf("its media type is %q, want %q", got, want)
			}
			if got := get.Header.Get("Cache-Control"); got != "no-cache" {
				t.Errorf("Cache-Control is %q", got)
			}
			tag := get.Header.Get("ETag")
			again := ask(t, http.MethodGet, at, "If-None-Match", tag)
			if again.StatusCode != http.StatusNotModified || body(t, again) != "" {
				t.Errorf("its own ETag %s is answered with %d", tag, again.StatusCode)
			}
			if other := ask(t, http.MethodGet, at, "If-None-Match", `"another"`); other.StatusCode != http.StatusOK {
				t.Errorf("another ETag is answered with %d", other.StatusCode)
			}
			head := ask(t, http.MethodHead, at)
			if head.StatusCode != http.StatusOK || body(t, head) != "" || head.Header.Get("ETag") != tag {
				t.Errorf("HEAD answers %d", head.StatusCode)
			}
		})
	}
}

func TestEveryReplyIsGuarded(t *testing.T) {
	for _, call := range [][2]string{{http.MethodGet, "/chat"}, {http.MethodGet, "/chat/sw.js"}, {http.MethodGet, "/chat/none"}, {http.MethodPost, "/chat"}, {http.MethodGet, "/chat/"}} {
		h := ask(t, call[0], call[1]).Header
		csp := strings.Split(h.Get("Content-Security-Policy"), "; ")
		for _, want := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' blob: data:", "manifest-src 'self'",
			"worker-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
		} {
			if !slices.Contains(csp, want) {
				t.Errorf("%s %s: the policy lacks %s", call[0], call[1], want)
			}
		}
		if slices.ContainsFunc(csp, func(s string) bool { return strings.Contains(s, "unsafe") }) {
			t.Errorf("%s %s: the policy allows something unsafe", call[0], call[1])
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", call[0], call[1], name, got, want)
			}
		}
		if got := h.Get("Permissions-Policy"); !strings.Contains(got, "microphone=(self)") || !strings.Contains(got, "camera=()") {
			t.Errorf("%s %s: Permissions-Policy is %q", call[0], call[1], got)
		}
	}
}

func TestWhatIsNotServed(t *testing.T) {
	for _, at := range []string{"/", "/chatter", "/chat/none", "/chat/index.html", "/chat/static/chat.css", "/chat/../web.go", "/chat/%2e%2e/web.go", "/chat//chat.css", "/chat/CHAT.CSS", "/api/chat/poll"} {
		r := ask(t, http.MethodGet, at)
		if r.StatusCode != http.StatusNotFound {
			t.Errorf("%s answers %d, want 404", at, r.StatusCode)
		}
		if said := body(t, r); said != "There is nothing at this address.\n" {
			t.Errorf("%s says %q", at, said)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch, "BREW"} {
		for _, at := range []string{"/chat", "/chat/chat.css", "/chat/"} {
			r := ask(t, method, at)
			if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s answers %d, Allow %q", method, at, r.StatusCode, r.Header.Get("Allow"))
			}
		}
	}
	if r := ask(t, http.MethodGet, "/chat/?a=b"); r.StatusCode != http.StatusPermanentRedirect || r.Header.Get("Location") != "/chat" {
		t.Errorf("/chat/ answers %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
}

// Nothing in the page may need what its policy forbids, nor come from elsewhere.
func TestThePageKeepsItsPolicy(t *testing.T) {
	page := body(t, ask(t, http.MethodGet, "/chat"))
	for _, bad := range []string{`(?i)\son\w+\s*=`, `(?i)\sstyle\s*=`, `<style`, `<script[^>]*>[^<]`, `(?i)(src|href)="(?:[a-z]+:)?//`, `javascript:`} {
		if found := regexp.MustCompile(bad).FindString(page); found != "" {
			t.Errorf("the page holds %q", found)
		}
	}
	for _, m := range regexp.MustCompile(`(?:src|href)="(/[^"]*)"`).FindAllStringSubmatch(page, -1) {
		if r := ask(t, http.MethodGet, m[1]); r.StatusCode != http.StatusOK {
			t.Errorf("the page loads %s, which answers %d", m[1], r.StatusCode)
		}
	}
	for _, at := range addresses(t) {
		if path.Ext(at) != ".mjs" && path.Ext(at) != ".js" {
			continue
		}
		script := body(t, ask(t, http.MethodGet, at))
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "createContextualFragment", "http://", "https://"} {
			if strings.Contains(script, bad) {
				t.Errorf("%s holds %s", at, bad)
			}
		}
		for _, m := range regexp.MustCompile(`from "\./([^"]+)"`).FindAllStringSubmatch(script, -1) {
			if r := ask(t, http.MethodGet, web.Page+"/"+m[1]); r.StatusCode != http.StatusOK {
				t.Errorf("%s imports %s, which answers %d", at, m[1], r.StatusCode)
			}
		}
	}
}

// Each element that a module asks for by its id stands in the page, once.
func TestThePageHasWhatTheModulesName(t *testing.T) {
	page := body(t, ask(t, http.MethodGet, "/chat"))
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(`\sid="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		ids[m[1]]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%s stands in the page %d times", id, n)
		}
	}
	for _, m := range regexp.MustCompile(`(?:for|aria-labelledby|aria-describedby)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] == 0 {
			t.Errorf("the page refers to %s, which it lacks", m[1])
		}
	}
	for _, at := range addresses(t) {
		for _, m := range regexp.MustCompile(`\belement\("([^"]+)"\)`).FindAllStringSubmatch(body(t, ask(t, http.MethodGet, at)), -1) {
			if ids[m[1]] == 0 {
				t.Errorf("%s asks for %s, which the page lacks", at, m[1])
			}
		}
	}
}

func TestServiceWorker(t *testing.T) {
	r := ask(t, http.MethodGet, "/chat/sw.js")
	if got := r.Header.Get("Service-Worker-Allowed"); got != "/chat" {
		t.Errorf("Service-Worker-Allowed is %q: the page itself lies above the script's folder", got)
	}
	script := body(t, r)
	if m := regexp.MustCompile(`const version = "([0-9a-f]{16})";`).FindString(script); m == "" {
		t.Error("it has no version")
	}
	m := regexp.MustCompile(`const shell = (\{.*\});`).FindStringSubmatch(script)
	if m == nil {
		t.Fatal("it has no list of files")
	}
	var shell map[string]string
	if err := json.Unmarshal([]byte(m[1]), &shell); err != nil {
		t.Fatal(err)
	}
	for _, at := range addresses(t) {
		if at == "/chat/sw.js" {
			if shell[at] != "" {
				t.Error("it keeps itself, and could never be renewed")
			}
			continue
		}
		sum := sha256.Sum256([]byte(body(t, ask(t, http.MethodGet, at))))
		if want := "sha256-" + base64.StdEncoding.EncodeToString(sum[:]); shell[at] != want {
			t.Errorf("%s: the digest is %q, want %q", at, shell[at], want)
		}
		delete(shell, at)
	}
	if len(shell) > 0 {
		t.Errorf("it keeps what is not there: %v", shell)
	}
}

func TestManifest(t *testing.T) {
	var manifest struct {
		ID              string `json:"id"`
		Name            string `json:"name"`
		ShortName       string `json:"short_name"`
		Description     string `json:"description"`
		Lang            string `json:"lang"`
		StartURL        string `json:"start_url"`
		Scope           string `json:"scope"`
		Display         string `json:"display"`
		BackgroundColor string `json:"background_color"`
		ThemeColor      string `json:"theme_color"`
		Icons           []struct {
			Src     string `json:"src"`
			Type    string `json:"type"`
			Sizes   string `json:"sizes"`
			Purpose string `json:"purpose"`
		} `json:"icons"`
		Rest jsontext.Value `json:",unknown"`
	}
	if err := json.Unmarshal([]byte(body(t, ask(t, http.MethodGet, "/chat/manifest.webmanifest"))), &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest.Rest) > 0 {
		t.Errorf("it has more than this test looks at: %s", manifest.Rest)
	}
	if manifest.StartURL != "/chat" || manifest.Scope != "/chat" || manifest.ID != "/chat" || manifest.Display != "standalone" || manifest.Name == "" || manifest.ShortName == "" {
		t.Errorf("got %+v", manifest)
	}
	colour := regexp.MustCompile(`^#[0-9a-f]{6}$`)
	if !colour.MatchString(manifest.BackgroundColor) || !colour.MatchString(manifest.ThemeColor) {
		t.Errorf("its colours are %q and %q", manifest.BackgroundColor, manifest.ThemeColor)
	}
	var have []string
	for _, icon := range manifest.Icons {
		r := ask(t, http.MethodGet, icon.Src)
		if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != icon.Type {
			t.Errorf("%s answers %d as %q", icon.Src, r.StatusCode, r.Header.Get("Content-Type"))
		}
		have = append(have, icon.Sizes+" "+icon.Purpose)
	}
	for _, want := range []string{"any ", "192x192 ", "512x512 ", "512x512 maskable"} {
		if !slices.Contains(have, want) {
			t.Errorf("no icon is %q; there are %q", want, have)
		}
	}
}

func TestIcons(t *testing.T) {
	for name, side := range map[string]int{"icon-192.png": 192, "icon-512.png": 512, "icon-maskable-512.png": 512} {
		f, err := os.Open(filepath.Join("static", name))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if b := img.Bounds(); b.Dx() != side || b.Dy() != side {
			t.Errorf("%s is %v", name, b)
		}
		_, _, _, alpha := img.At(0, 0).RGBA()
		if maskable := strings.Contains(name, "maskable"); (alpha == 0xffff) != maskable {
			t.Errorf("%s: the corner's opacity is %d", name, alpha)
		}
	}
}
