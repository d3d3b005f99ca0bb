package doctor_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/localca"
	"github.com/askhub/askhub/internal/reach"
)

// settle puts lines to the top of askhub.toml, and those of a table to its end.
func (h *house) settle(lines string) {
	h.t.Helper()
	top, table, _ := strings.Cut(lines, "[chat]")
	if table != "" {
		table = "\n[chat]" + table
	}
	h.edit("askhub.toml", "listen = ", top+"\nlisten = ")
	h.edit("askhub.toml", `file = "harry.ics"`, "file = \"harry.ics\""+table)
}

// localCA puts a CA into the folder, made at that time.
func (h *house) localCA(made time.Time, hosts ...string) {
	h.t.Helper()
	cert, key, err := localca.New("askhub local CA of the doctor's tests", hosts, made)
	if err != nil {
		h.t.Fatal(err)
	}
	h.write("local-ca.pem", string(cert))
	h.write("local-ca.key", string(key))
}

// own puts a certificate that signs itself into the folder.
func (h *house) own(from, until time.Time, hosts ...string) {
	h.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: until, DNSNames: hosts,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		h.t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		h.t.Fatal(err)
	}
	h.write("hub.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	h.write("hub.key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})))
}

// open serves the house's Hub behind its real door in place of the plain one, on a port
// of its own, and gives the port.
func (h *house) open() string { return h.openAs(http.HandlerFunc(h.health)) }

func (h *house) openAs(handler http.Handler) string {
	h.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatal(err)
	}
	h.edit("askhub.toml", h.hub.Listener.Addr().String(), ln.Addr().String())
	cfg, err := config.Load(h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	door, err := reach.Open(cfg, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() { _ = ask.Serve(ctx, door.Listener(ln), door.Handler(handler)) })
	h.t.Cleanup(func() { stop(); served.Wait() })
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	return port
}

func readAll(h *house, name string) string {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

const (
	withFiles = "tls = \"files\"\ntls_cert = \"hub.pem\"\ntls_key = \"hub.key\"\n"
	withLocal = "tls = \"local-ca\"\n"
	withProxy = "tls = \"proxy\"\ntrusted_proxies = [\"127.0.0.1\"]\n"
)

// public is the public address on this machine, as a setting.
func public(port string) string {
	return fmt.Sprintf("public_url = \"https://127.0.0.1:%s\"\n", port)
}

func TestReach(t *testing.T) {
	now := time.Now()
	ago, later := now.Add(-time.Hour), now.AddDate(0, 3, 0)
	for _, test := range []struct {
		name    string
		set     func(*house)
		want    []string
		verdict doctor.Verdict
	}{
		{"the local CA", func(h *house) {
			h.localCA(now)
			h.settle(withLocal)
			h.open()
		}, []string{"ok    tls: the local CA", "SHA-256 fingerprint has to be "}, doctor.Fine},
		{"a Hub with the local CA answers", func(h *house) {
			h.localCA(now)
			h.settle(withLocal)
			h.open()
		}, []string{"ok    hub: the Hub answers"}, doctor.Fine},
		{"TLS for this machine alone", func(h *house) {
			h.localCA(now)
			h.settle(withLocal)
			h.open()
		}, []string{"warn  reach: tls is set, and listen lets this machine alone in", `Set listen to "0.0.0.0:8420"`}, doctor.Fine},
		{"public_url leads to this Hub", func(h *house) {
			h.localCA(now)
			h.settle(withLocal + "public_url = \"https://localhost:1\"\n")
			port := h.open()
			h.edit("askhub.toml", "localhost:1", "localhost:"+port)
		}, []string{"ok    public_url: this Hub answers at https://localhost:"}, doctor.Fine},
		{"public_url leads nowhere", func(h *house) {
			h.localCA(now)
			h.settle(withLocal + public("1")) // a port that nobody is given by chance
			h.open()
		}, []string{"warn  public_url: https://127.0.0.1:", "cannot be reached from this machine", "Try it from a phone"}, doctor.Fine},
		{"public_url of an unknown name", func(h *house) {
			h.localCA(now)
			h.settle(withLocal + "public_url = \"https://hub.invalid.home.arpa:8420\"\n")
			h.open()
		}, []string{"warn  public_url: "}, doctor.Fine},
		{"public_url without a Hub here", func(h *house) {
			h.localCA(now)
			h.settle(withLocal + "public_url = \"https://localhost:1\"\n")
			h.edit("askhub.toml", h.hub.Listener.Addr().String(), "127.0.0.1:1")
		}, []string{"warn  public_url", "was not tried, since no Hub answers"}, doctor.Fine},
		{"public_url leads to another Hub", func(h *house) {
			other := newHouse(h.t)
			h.localCA(now)
			for _, name := range []string{"local-ca.pem", "local-ca.key"} {
				other.write(name, readAll(h, name))
			}
			other.settle(withLocal)
			h.settle(withLocal + public(other.open()))
			h.open()
		}, []string{"FAULT public_url: another Hub than this one answers at"}, doctor.Wrong},
		{"public_url leads to something else", func(h *house) {
			h.own(ago, later, "localhost")
			h.settle(withFiles)
			h.open()
			something := newHouse(h.t)
			for _, name := range []string{"hub.pem", "hub.key"} {
				something.write(name, readAll(h, name))
			}
			something.settle(withFiles)
			h.edit("askhub.toml", "listen", public(something.openAs(http.NotFoundHandler()))+"listen")
		}, []string{"FAULT public_url: what answers at https://127.0.0.1:", "is not a Hub (status 404)"}, doctor.Wrong},
		{"public_url with another's certificate", func(h *house) {
			h.localCA(now)
			other := newHouse(h.t)
			other.localCA(now)
			other.settle(withLocal)
			h.settle(withLocal + public(other.open()))
			h.open()
		}, []string{"warn  public_url: the certificate at", "of a CA that this machine does not know"}, doctor.Fine},

		{"no CA", func(h *house) { h.settle(withLocal) }, []string{"FAULT tls: there is no local CA", "Make one with: askhub init --local-ca "}, doctor.Wrong},
		{"a Hub that cannot be asked for want of a CA", func(h *house) { h.settle(withLocal) }, []string{"warn  hub: the Hub was not asked, for want of its certificate"}, doctor.Wrong},
		{"a CA's key that others read", func(h *house) {
			h.localCA(now)
			h.settle(withLocal)
			h.open()
			h.chmod("local-ca.key", 0o644)
		}, []string{"FAULT tls: others on this machine can read the key", "(mode 0644)", "Run: chmod 600 "}, doctor.Wrong},
		{"an expired CA", func(h *house) {
			h.localCA(now.AddDate(-11, 0, 0))
			h.settle(withLocal)
		}, []string{"FAULT tls: the local CA expired on", "askhub init --local-ca "}, doctor.Wrong},
		{"a CA that expires soon", func(h *house) {
			h.localCA(now.AddDate(-10, 2, 0))
			h.settle(withLocal)
			h.open()
		}, []string{"warn  tls: the local CA expires on"}, doctor.Fine},
		{"a CA of the future", func(h *house) {
			h.localCA(now.AddDate(1, 0, 0))
			h.settle(withLocal)
		}, []string{"FAULT tls: the local CA is good only from", "clock"}, doctor.Wrong},
		{"a CA for another host", func(h *house) {
			h.localCA(now)
			h.settle(withLocal + "public_url = \"https://hub.example.net:8420\"\n")
		}, []string{"FAULT tls: the local CA was not made for hub.example.net"}, doctor.Wrong},

		{"a certificate of one's own", func(h *house) {
			h.own(ago, later, "localhost")
			h.settle(withFiles + "public_url = \"https://localhost:1\"\n")
			h.open()
		}, []string{"ok    tls: the certificate in", "is good until " + later.Format("2 January 2006")}, doctor.Fine},
		{"a certificate that this machine does not know", func(h *house) {
			h.own(ago, later, "localhost")
			h.settle(withFiles + "public_url = \"https://localhost:1\"\n")
			port := h.open()
			h.edit("askhub.toml", "localhost:1", "localhost:"+port)
		}, []string{"warn  public_url: this Hub answers at https://localhost:", "a CA that this machine does not know"}, doctor.Fine},
		{"a certificate without public_url", func(h *house) {
			h.own(ago, later, "localhost")
			h.settle(withFiles)
			h.open()
		}, []string{"warn  tls: no public_url says for which host"}, doctor.Fine},
		{"a certificate that expires in two weeks", func(h *house) {
			h.own(ago, now.Add(13*24*time.Hour), "localhost")
			h.settle(withFiles)
			h.open()
		}, []string{"warn  tls: the certificate in", "it expires on", "Renew it"}, doctor.Fine},
		{"an expired certificate", func(h *house) {
			h.own(now.AddDate(0, -1, 0), ago, "localhost")
			h.settle(withFiles)
			h.open()
		}, []string{"FAULT tls: the certificate in", "it expired on"}, doctor.Wrong},
		{"a Hub with an expired certificate", func(h *house) {
			h.own(now.AddDate(0, -1, 0), ago, "localhost")
			h.settle(withFiles)
			h.open()
		}, []string{"FAULT hub: what answers at", "not to be trusted", "expired"}, doctor.Wrong},
		{"a certificate for another host", func(h *house) {
			h.own(ago, later, "localhost")
			h.settle(withFiles + "public_url = \"https://hub.example.net\"\n")
			h.open()
		}, []string{"FAULT tls: ", "it is not for hub.example.net"}, doctor.Wrong},
		{"no certificate", func(h *house) { h.settle(withFiles) }, []string{"FAULT tls: tls_cert: ", "is not there"}, doctor.Wrong},
		{"a key that others read", func(h *house) {
			h.own(ago, later, "localhost")
			h.settle(withFiles)
			h.open()
			h.chmod("hub.key", 0o604)
		}, []string{"FAULT tls: others on this machine can read the key", "chmod o="}, doctor.Wrong},
		{"a Hub that runs without TLS still", func(h *house) {
			h.localCA(now)
			h.settle(withLocal)
		}, []string{"FAULT hub: what answers at", "does not speak TLS"}, doctor.Wrong},

		{"others without TLS", func(h *house) {
			h.edit("askhub.toml", "127.0.0.1", "0.0.0.0")
		}, []string{"warn  reach: others reach the Hub without TLS", "installing the chat page and the microphone", "push and passkeys", "plain chat does"}, doctor.Fine},
		{"a public address without TLS", func(h *house) {
			h.settle("public_url = \"http://hub.home:8420\"\n")
		}, []string{"warn  reach: others reach the Hub without TLS"}, doctor.Fine},
		{"behind a proxy", func(h *house) { h.settle(withProxy) }, []string{"ok    reach: a proxy speaks TLS for the Hub"}, doctor.Fine},
		{"past the proxy", func(h *house) {
			h.settle(withProxy)
			h.edit("askhub.toml", "listen = \"127.0.0.1", "listen = \"0.0.0.0")
		}, []string{"warn  reach: the proxy is on this machine, and others reach the Hub past it"}, doctor.Fine},
		{"a proxy without proxies", func(h *house) { h.settle("tls = \"proxy\"\n") }, []string{"FAULT config: askhub.toml: trusted_proxies: must name the proxy"}, doctor.Wrong},

		{"an origin that works", func(h *house) {
			h.settle(withProxy + "[chat]\norigins = [\"https://os.example\"]")
		}, []string{"ok    chat.origins: 1 page from elsewhere may call the chat"}, doctor.Fine},
		{"an origin that browsers stop", func(h *house) {
			h.settle("[chat]\norigins = [\"https://os.example\"]")
		}, []string{"warn  chat.origins: a page from https://os.example", "mixed content"}, doctor.Fine},
		{"the Hub's own origin", func(h *house) {
			h.settle(withProxy + "public_url = \"https://hub.home\"\n[chat]\norigins = [\"https://hub.home\"]")
		}, []string{"warn  chat.origins: https://hub.home is the Hub's own address"}, doctor.Fine},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			test.set(h)
			checks := h.examine()
			if _, ok := find(checks, test.want...); !ok {
				t.Errorf("no line with %q", test.want)
			}
			if got := doctor.VerdictOf(checks); got != test.verdict {
				t.Errorf("verdict %d, want %d", got, test.verdict)
			}
			if t.Failed() {
				t.Log("\n" + lines(checks))
			}
		})
	}
}

// TestTheProxyInFront asks through a real proxy with TLS, which does what proxies do
// when they are set up well, and when they are not.
func TestTheProxyInFront(t *testing.T) {
	for _, test := range []struct {
		name, settings string
		rewrite        func(*httputil.ProxyRequest)
		want           []string
	}{
		{"well", withProxy, func(r *httputil.ProxyRequest) { r.SetXForwarded() }, []string{"ok    public_url: this Hub answers at"}},
		{"silent", withProxy, func(*httputil.ProxyRequest) {}, []string{"warn  public_url: the proxy at", "does not say for whom it asks", "X-Forwarded-For"}},
		{"not among trusted_proxies", strings.Replace(withProxy, "127.0.0.1", "10.0.0.2", 1), func(r *httputil.ProxyRequest) { r.SetXForwarded() }, []string{"warn  public_url: what comes from", "trusted_proxies"}},
		{"not in askhub.toml", "", func(r *httputil.ProxyRequest) { r.SetXForwarded() }, []string{"warn  public_url: something speaks TLS for the Hub", `tls = "proxy"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHouse(t)
			h.settle(test.settings)
			port := h.open()
			to := &url.URL{Scheme: "http", Host: "127.0.0.1:" + port}
			front := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(to)
				test.rewrite(r)
			}})
			t.Cleanup(front.Close)
			h.edit("askhub.toml", "listen", "public_url = \""+front.URL+"\"\nlisten")
			// As on a machine that knows the proxy's CA.
			h.setup.Roots = x509.NewCertPool()
			h.setup.Roots.AddCert(front.Certificate())
			checks := h.examine()
			if _, ok := find(checks, test.want...); !ok {
				t.Errorf("no line with %q in\n%s", test.want, lines(checks))
			}
		})
	}
}
