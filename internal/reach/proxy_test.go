package reach_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/clientaddress"
	"github.com/askhub/askhub/internal/freeport"
	"github.com/askhub/askhub/internal/reach"
)

// fromPage is the block of that kind in docs/reach.md: what people copy is what is tested.
func fromPage(t *testing.T, kind string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reach.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(page), "```"+kind+"\n")
	block, _, ended := strings.Cut(block, "```")
	if !found || !ended {
		t.Fatalf("the page has no %s block", kind)
	}
	return block
}

// replaced puts what holds on this machine into a block of the page, which must have
// each of the old words.
func replaced(t *testing.T, block string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(block, pairs[i]) {
			t.Fatalf("no %q in\n%s", pairs[i], block)
		}
		block = strings.ReplaceAll(block, pairs[i], pairs[i+1])
	}
	return block
}

// proxied is a Hub for a proxy to stand before.
func proxied(t *testing.T) (address string) {
	t.Helper()
	cfg := loaded(t, t.TempDir(), "tls = \"proxy\"\ntrusted_proxies = [\"127.0.0.1\"]\n")
	door, err := reach.Open(cfg, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	of := clientaddress.New(cfg.Proxies())
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s asks %s", of(r), r.Host) })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: first\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // nothing more comes
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = ask.Serve(ctx, door.Listener(ln), door.Handler(mux)) })
	t.Cleanup(func() { stop(); all.Wait() })
	return ln.Addr().String()
}

// start runs a proxy until the test ends, and waits until it listens.
func start(t *testing.T, address string, cmd *exec.Cmd) {
	t.Helper()
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	})
	for limit := time.Now().Add(60 * time.Second); ; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v\n%s", cmd.Path, err, said.String())
		default:
		}
		if time.Now().After(limit) {
			t.Fatalf("%s does not listen", cmd.Path)
		}
	}
}

func TestBehindARealProxy(t *testing.T) {
	for name, run := range map[string]func(t *testing.T, dir, hub, port string){
		"nginx": func(t *testing.T, dir, hub, port string) {
			block := replaced(t, fromPage(t, "nginx"),
				"listen 443 ssl", "listen 127.0.0.1:"+port+" ssl", "http://127.0.0.1:8420", "http://"+hub,
				"/etc/letsencrypt/live/askhub.example.org/fullchain.pem", dir+"/cert.pem",
				"/etc/letsencrypt/live/askhub.example.org/privkey.pem", dir+"/key.pem")
			conf := "daemon off;\nmaster_process off;\npid " + dir + "/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
			for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
				conf += kind + "_temp_path " + dir + "/" + kind + ";\n"
			}
			write(t, filepath.Join(dir, "nginx.conf"), []byte(conf+block+"}\n"), 0o600)
			start(t, "127.0.0.1:"+port, exec.Command("nginx", "-p", dir, "-c", filepath.Join(dir, "nginx.conf"), "-e", "stderr"))
		},
		"caddy": func(t *testing.T, dir, hub, port string) {
			block := replaced(t, fromPage(t, "caddy"), "127.0.0.1:8420", hub,
				"askhub.example.org {", "https://askhub.example.org:"+port+" {\n\tbind 127.0.0.1\n\ttls "+dir+"/cert.pem "+dir+"/key.pem")
			write(t, filepath.Join(dir, "Caddyfile"), []byte("{\n\tadmin off\n\tauto_https disable_redirects\n}\n"+block), 0o600)
			cmd := exec.Command("caddy", "run", "--adapter", "caddyfile", "--config", filepath.Join(dir, "Caddyfile"))
			cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "HOME="+dir)
			start(t, "127.0.0.1:"+port, cmd)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skip(name + " is not installed")
			}
			dir, port := t.TempDir(), strconv.Itoa(freeport.For(t).Number)
			now := time.Now()
			cert, key, leaf := own(t, now.Add(-time.Hour), now.AddDate(0, 1, 0), "askhub.example.org")
			write(t, filepath.Join(dir, "cert.pem"), cert, 0o644)
			write(t, filepath.Join(dir, "key.pem"), key, 0o600)
			run(t, dir, proxied(t), port)

			roots := x509.NewCertPool()
			roots.AddCert(leaf)
			// Another address than the proxy's, as a phone has one.
			phone := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
			client := &http.Client{Timeout: 60 * time.Second, Transport: &http.Transport{
				DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots},
				DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
					return phone.DialContext(ctx, network, "127.0.0.1:"+port)
				},
			}}
			for _, claim := range []string{"", "203.0.113.9", "203.0.113.9, 127.0.0.1", "garbage"} {
				req, err := http.NewRequest(http.MethodGet, "https://askhub.example.org:"+port+"/", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				if claim != "" {
					req.Header.Set("X-Forwarded-For", claim)
					req.Header.Set("X-Real-IP", "203.0.113.9")
					req.Header.Set("Forwarded", "for=203.0.113.9")
				}
				resp, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if !strings.HasPrefix(string(body), "127.0.0.2 asks askhub.example.org") {
					t.Errorf("claiming %q: %s", claim, body)
				}
			}
			resp, _ := get(t, client, "https://askhub.example.org:"+port+"/health")
			if got := resp.Header.Get(reach.ReachedHeader); got != reach.ReachedByProxy {
				t.Errorf("reached %q", got)
			}
			// An event comes through while the stream goes on.
			stream, err := client.Get("https://askhub.example.org:" + port + "/stream")
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Body.Close()
			if line, err := bufio.NewReader(stream.Body).ReadString('\n'); err != nil || line != "data: first\n" {
				t.Errorf("the stream gave %q, %v", line, err)
			}
		})
	}
}
