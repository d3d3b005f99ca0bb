package reach_test

import (
	"bufio"
	"bytes"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/localca"
	"github.com/askhub/askhub/internal/reach"
)

func TestPlainHTTPOnThePortWithTLS(t *testing.T) {
	h := serveLocalCA(t, "")
	plain := "http://" + h.address
	for _, path := range []string{"/install-ca", "/"} {
		resp, body := get(t, h.trusting(nil), plain+path)
		if resp.StatusCode != 200 || !strings.Contains(body, "Compare before you trust it") || !strings.Contains(body, "https://"+h.address) {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
		if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
			t.Errorf("%s: %q", path, csp)
		}
		// It would be that of whoever changed the page on the way.
		if strings.Contains(body, localca.Fingerprint(h.ca.Certificate())) {
			t.Error("the page that came unencrypted shows a fingerprint")
		}
	}
	for _, base := range []string{plain, "https://" + h.address} {
		resp, body := get(t, h.client(), base+"/local-ca.crt")
		if resp.Header.Get("Content-Type") != "application/x-x509-ca-cert" || resp.Header.Get("Content-Disposition") != "" || !bytes.Equal([]byte(body), h.ca.Certificate().Raw) {
			t.Errorf("%s: %v", base, resp.Header)
		}
	}
	if _, body := get(t, h.client(), "https://"+h.address+"/install-ca"); !strings.Contains(body, "Compare before") {
		t.Error("a browser that tries https first does not find the page")
	}
	if _, body := get(t, h.client(), "https://"+h.address+"/"); body != "the Hub at / over HTTP/1.1" {
		t.Errorf("the Hub's own first page is not its own: %s", body)
	}
	for path, want := range map[string]string{
		"/ask?a=b%20c":   "https://" + h.address + "/ask?a=b%20c",
		"/health":        "https://" + h.address + "/health",
		"//evil.example": "https://" + h.address + "//evil.example",
	} {
		resp, body := get(t, h.trusting(nil), plain+path)
		if resp.StatusCode != http.StatusPermanentRedirect || resp.Header.Get("Location") != want || strings.Contains(body, "the Hub at") {
			t.Errorf("%s: %d to %q, want %q", path, resp.StatusCode, resp.Header.Get("Location"), want)
		}
		if resp.Header.Get(reach.InstanceHeader) != "" {
			t.Error("something of the Hub shows in the clear")
		}
	}
	resp, err := h.trusting(nil).Post(plain+"/install-ca", "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusPermanentRedirect {
		t.Errorf("POST: %d", resp.StatusCode)
	}
}

// Where a request leads cannot be chosen by a strange Host.
func TestTheRedirectOfAStrangeHost(t *testing.T) {
	h := serveLocalCA(t, "")
	for head, want := range map[string]string{
		"GET /a HTTP/1.1\r\nHost: sam@evil.example\r\n":          "https://askhub.example.org:8420/a",
		"GET /a HTTP/1.1\r\nHost: hub:99999999\r\n":              "https://hub:99999999/a",
		"GET /a HTTP/1.1\r\nHost: [::1\r\n":                      "https://askhub.example.org:8420/a",
		"GET /a HTTP/1.0\r\n":                                    "https://askhub.example.org:8420/a",
		"GET http://hub.local/a HTTP/1.1\r\nHost: hub.local\r\n": "https://hub.local/a",
		"OPTIONS * HTTP/1.1\r\nHost: hub.local\r\n":              "https://hub.local",
	} {
		conn, err := net.Dial("tcp", h.address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, head+"\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%q: %v", head, err)
		}
		_ = resp.Body.Close()
		_ = conn.Close()
		if resp.StatusCode == http.StatusBadRequest {
			continue // refused before it came so far
		}
		if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusPermanentRedirect || got != want {
			t.Errorf("%q: %d to %q, want %q", head, resp.StatusCode, got, want)
		}
	}
}

// Fifty connections that say nothing, and fifty that stop within their handshake or their
// head, hold up nobody.
func TestSilentConnectionsHoldUpNobody(t *testing.T) {
	h := serveLocalCA(t, "")
	for i := range 100 {
		conn, err := net.Dial("tcp", h.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if i%2 == 1 {
			_, _ = io.WriteString(conn, []string{"\x16\x03\x01", "GET /inst"}[i/2%2])
		}
	}
	for range 3 {
		get(t, h.client(), "https://"+h.address+"/ask")
		get(t, h.trusting(nil), "http://"+h.address+"/install-ca")
	}
}

// A stop ends the connections that have said nothing yet: nobody is owed an answer.
func TestAStopWaitsForNoSilentConnection(t *testing.T) {
	h := serveLocalCA(t, "")
	var silent []net.Conn
	for range 20 {
		conn, err := net.Dial("tcp", h.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		silent = append(silent, conn)
	}
	get(t, h.client(), "https://"+h.address+"/ask")
	h.stop()
	for _, conn := range silent {
		// Had the stop left it to its patience, this would still be open.
		if err := conn.SetReadDeadline(time.Now().Add(3 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
			t.Errorf("still open: %v", err)
		}
	}
}

func TestWhatIsNeitherTLSNorHTTPIsLetGo(t *testing.T) {
	h := serveLocalCA(t, "")
	for _, begin := range []string{"\x00\x01\x02\x03", "\x80\x2e\x01", "SSH-2.0-x\r\n\r\n"} {
		conn, err := net.Dial("tcp", h.address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, begin+"\r\n\r\n")
		_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		got, err := io.ReadAll(conn)
		if ne, ok := err.(net.Error); ok && ne.Timeout() {
			t.Errorf("%q: still open", begin)
		}
		if strings.Contains(string(got), "the Hub at") || strings.Contains(string(got), "200 OK") {
			t.Errorf("%q: answered with %s", begin, got)
		}
		_ = conn.Close()
	}
}

// curl is another client, with rules of its own.
func TestCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	h := serveLocalCA(t, "")
	_, port, _ := net.SplitHostPort(h.address)
	crt := filepath.Join(t.TempDir(), "local-ca.crt")
	curl := func(args ...string) (string, error) {
		args = append([]string{"--silent", "--show-error", "--max-time", "10", "--noproxy", "*", "--resolve", "askhub.example.org:" + port + ":127.0.0.1"}, args...)
		out, err := exec.Command("curl", args...).CombinedOutput()
		return string(out), err
	}
	// As a person at a desk: fetch the certificate in the clear, then trust it.
	if out, err := curl("--output", crt, "http://askhub.example.org:"+port+"/local-ca.crt"); err != nil {
		t.Fatal(err, out)
	}
	der, err := os.ReadFile(crt)
	if err != nil {
		t.Fatal(err)
	}
	write(t, crt, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	if out, err := curl("--cacert", crt, "https://askhub.example.org:"+port+"/ask"); err != nil || out != "the Hub at /ask over HTTP/1.1" {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := curl("--cacert", crt, "--location", "http://askhub.example.org:"+port+"/ask"); err != nil || out != "the Hub at /ask over HTTP/1.1" {
		t.Errorf("from http: %v: %s", err, out)
	}
	if out, err := curl("https://askhub.example.org:" + port + "/ask"); err == nil {
		t.Errorf("without the CA: %s", out)
	}
	if out, err := curl("--cacert", crt, "--tls-max", "1.1", "https://askhub.example.org:"+port+"/ask"); err == nil {
		t.Errorf("TLS 1.1: %s", out)
	}
}
