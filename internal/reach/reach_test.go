package reach_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/leaktest"
	"github.com/askhub/askhub/internal/localca"
	"github.com/askhub/askhub/internal/logtest"
	"github.com/askhub/askhub/internal/reach"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// clock is a time that a test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// hub is a Hub behind its door, on a real port.
type hub struct {
	t       testing.TB
	dir     string
	cfg     *config.Config
	address string
	clock   *clock
	logs    *logtest.Log
	stop    func()
	ca      *localca.Authority
}

func write(t testing.TB, path string, text []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, text, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// loaded is the config of these settings in that folder.
func loaded(t testing.TB, dir, settings string) *config.Config {
	t.Helper()
	write(t, filepath.Join(dir, config.FileName), []byte(settings), 0o600)
	cfg, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// withCA puts a new CA into the folder.
func withCA(t testing.TB, dir string, hosts ...string) *localca.Authority {
	t.Helper()
	cert, key, err := localca.New("askhub of the tests", hosts, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ca, err := localca.Parse(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, config.LocalCAKeyName), key, 0o600)
	write(t, filepath.Join(dir, config.LocalCAName), cert, 0o600)
	return ca
}

// answer is the handler behind the door.
var answer = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "the Hub at %s over %s", r.URL.Path, r.Proto)
})

// serve opens the door of dir's settings.
func serve(t testing.TB, dir, settings string) *hub {
	t.Helper()
	h := &hub{t: t, dir: dir, clock: &clock{at: time.Now()}, logs: &logtest.Log{}}
	h.cfg = loaded(t, dir, "listen = \"127.0.0.1:0\"\n"+settings)
	door, err := reach.Open(h.cfg, h.clock.now, slog.New(slog.NewTextHandler(h.logs, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.address = ln.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { door.Watch(ctx) })
	all.Go(func() {
		if err := ask.Serve(ctx, door.Listener(ln), door.Handler(answer)); err != nil {
			t.Error(err)
		}
	})
	h.stop = sync.OnceFunc(func() { cancel(); all.Wait() })
	t.Cleanup(h.stop)
	return h
}

func serveLocalCA(t *testing.T, more string) *hub {
	t.Helper()
	dir := t.TempDir()
	ca := withCA(t, dir, "askhub.example.org")
	h := serve(t, dir, "tls = \"local-ca\"\npublic_url = \"https://askhub.example.org:8420\"\n"+more)
	h.ca = ca
	return h
}

// client calls as the program on this machine does.
func (h *hub) client() *http.Client {
	h.t.Helper()
	trust, err := reach.ClientTLS(h.cfg)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.trusting(trust)
}

// trusting is a client that follows no redirect and keeps no connection.
func (h *hub) trusting(trust *tls.Config) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: trust, DisableKeepAlives: true, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// phone calls the Hub by its public name, trusting the CA.
func (h *hub) phone(at func() time.Time) (*x509.Certificate, error) {
	roots := x509.NewCertPool()
	roots.AddCert(h.ca.Certificate())
	conn, err := tls.Dial("tcp", h.address, &tls.Config{RootCAs: roots, ServerName: "askhub.example.org", Time: at})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0], nil
}

func get(t *testing.T, c *http.Client, url string) (*http.Response, string) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestTheLocalCAServes(t *testing.T) {
	h := serveLocalCA(t, "")
	resp, body := get(t, h.client(), reach.URL(h.cfg, h.address)+"/ask")
	// The client would speak HTTP/2; the Hub speaks what it can watch.
	if body != "the Hub at /ask over HTTP/1.1" || resp.TLS == nil || resp.TLS.Version < tls.VersionTLS12 {
		t.Errorf("%s, %+v", body, resp.TLS)
	}
	if resp.Header.Get("Strict-Transport-Security") != "" {
		t.Error("HSTS with a local CA keeps new phones from the page that explains it")
	}
	if _, err := h.phone(time.Now); err != nil {
		t.Error(err)
	}
	conn, err := tls.Dial("tcp", h.address, &tls.Config{MaxVersion: tls.VersionTLS11, InsecureSkipVerify: true})
	if err == nil {
		conn.Close()
		t.Error("TLS 1.1 was taken")
	}
	if _, err := h.trusting(nil).Get("https://" + h.address); err == nil {
		t.Error("a client that has not installed the CA was not warned")
	}
}

// The Hub's own checks of a request head are there over TLS too.
func TestTheHeadWatchSeesThroughTLS(t *testing.T) {
	h := serveLocalCA(t, "")
	roots := x509.NewCertPool()
	roots.AddCert(h.ca.Certificate())
	conn, err := tls.Dial("tcp", h.address, &tls.Config{RootCAs: roots, ServerName: "askhub.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "POST /ask HTTP/1.1\r\nHost: hub\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), `"ambiguous`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestTheCertificateIsRenewedWhileServing(t *testing.T) {
	h := serveLocalCA(t, "")
	first, err := h.phone(h.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.phone(h.clock.now)
	if err != nil || !again.Equal(first) {
		t.Fatalf("another certificate at once, %v", err)
	}
	h.clock.pass(85 * 24 * time.Hour)
	renewed, err := h.phone(h.clock.now)
	if err != nil || renewed.Equal(first) {
		t.Fatalf("not renewed, %v", err)
	}
}

// eventually tries until it works; what is waited for is another goroutine's work.
func eventually(t *testing.T, what string, try func() bool) {
	t.Helper()
	for limit := time.Now().Add(60 * time.Second); time.Now().Before(limit); {
		if try() {
			return
		}
	}
	t.Fatal("never: " + what)
}

func TestAnotherCAIsTakenInWhileServing(t *testing.T) {
	h := serveLocalCA(t, "")
	h.ca = withCA(t, h.dir, "askhub.example.org")
	eventually(t, "the new CA", func() bool { _, err := h.phone(time.Now); return err == nil })
	if _, body := get(t, h.trusting(nil), "http://"+h.address+"/local-ca.crt"); !bytes.Equal([]byte(body), h.ca.Certificate().Raw) {
		t.Error("the old certificate is handed out")
	}
	good := h.ca
	withCA(t, h.dir) // not for the host of public_url
	eventually(t, "a word on a CA that does not do", func() bool { return strings.Contains(h.logs.String(), "was not made for askhub.example.org") })
	h.ca = good
	if _, err := h.phone(time.Now); err != nil {
		t.Error(err)
	}
}

// How a request came is told beside the Hub's health, to whoever asks for that.
func TestHowARequestCame(t *testing.T) {
	h := serve(t, t.TempDir(), "tls = \"proxy\"\ntrusted_proxies = [\"127.0.0.1\"]\npublic_url = \"https://askhub.example.org\"\n")
	resp, body := get(t, h.client(), "http://"+h.address+"/health")
	if body != "the Hub at /health over HTTP/1.1" || resp.Header.Get(reach.ReachedHeader) != reach.ReachedWithoutXFF || len(resp.Header.Get(reach.InstanceHeader)) != 16 {
		t.Errorf("%s %v", body, resp.Header)
	}
	if resp.Header.Get("Strict-Transport-Security") == "" {
		t.Error("no HSTS behind a proxy at the usual port of a name")
	}
	req, err := http.NewRequest(http.MethodGet, "http://"+h.address+"/health", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-For", "192.168.1.7")
	resp2, err := h.client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp2.Body.Close()
	if resp2.Header.Get(reach.ReachedHeader) != reach.ReachedByProxy || resp2.Header.Get(reach.InstanceHeader) != resp.Header.Get(reach.InstanceHeader) {
		t.Errorf("%v", resp2.Header)
	}
	if resp, _ := get(t, h.client(), "http://"+h.address+"/ask"); resp.Header.Get(reach.InstanceHeader) != "" {
		t.Error("it stands on other answers too")
	}
	plain := serve(t, t.TempDir(), "")
	if resp, _ := get(t, plain.client(), "http://"+plain.address+"/health"); resp.Header.Get(reach.ReachedHeader) != reach.ReachedDirectly {
		t.Errorf("%v", resp.Header)
	}
}

func TestHSTSIsForAHostOfItsOwn(t *testing.T) {
	cert, key, _ := own(t, time.Now().Add(-time.Hour), time.Now().AddDate(0, 1, 0), "askhub.example.org")
	for url, want := range map[string]bool{
		"https://askhub.example.org": true, "https://askhub.example.org:443": true,
		"https://askhub.example.org:8420": false, "https://192.168.1.5": false,
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "hub.key"), key, 0o600)
		write(t, filepath.Join(dir, "hub.pem"), cert, 0o644)
		h := serve(t, dir, filesSettings+fmt.Sprintf("public_url = %q\n", url))
		if resp, _ := get(t, h.client(), "https://"+h.address+"/ask"); (resp.Header.Get("Strict-Transport-Security") != "") != want {
			t.Errorf("%s: HSTS %q", url, resp.Header.Get("Strict-Transport-Security"))
		}
	}
}

func TestTheAddressForAPhone(t *testing.T) {
	for settings, want := range map[string]string{
		"":                              "",
		"listen = \"192.168.1.5:8420\"": "http://192.168.1.5:8420",
		"listen = \"192.168.1.5:8420\"\ntls = \"local-ca\"":                      "http://192.168.1.5:8420/install-ca",
		"public_url = \"https://askhub.home:8420\"\ntls = \"local-ca\"":          "http://askhub.home:8420/install-ca",
		"public_url = \"https://askhub.home\"\ntls = \"local-ca\"":               "http://askhub.home:443/install-ca",
		"public_url = \"https://[fd00::5]\"\ntls = \"local-ca\"":                 "http://[fd00::5]:443/install-ca",
		"public_url = \"https://askhub.home\"":                                   "https://askhub.home",
		"listen = \"0.0.0.0:8420\"\n" + filesSettings:                            "",
		"listen = \"0.0.0.0:0\"":                                                 "",
		"listen = \"0.0.0.0:80\"\ntls=\"proxy\"\ntrusted_proxies=[\"10.0.0.1\"]": "",
	} {
		if got := reach.Address(loaded(t, t.TempDir(), settings)); got != want {
			t.Errorf("%q: %s, want %s", settings, got, want)
		}
	}
}
