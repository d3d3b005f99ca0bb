// Package reach is the Hub's front door: how it is reached from a phone and a desk, with
// TLS of the household's own, TLS from a local CA, or behind a trusted proxy.
package reach

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askhub/askhub/internal/clientaddress"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/filewatch"
	"github.com/askhub/askhub/internal/localca"
)

// The headers of GET /health, by which "askhub doctor" tells whether it is this Hub that
// answers at public_url, and whether the proxy before it is known and says for whom it
// asks. Neither says anything of the household.
const (
	// InstanceHeader is random, and another one at each start.
	InstanceHeader = "Askhub-Instance"
	// ReachedHeader is how this very request came.
	ReachedHeader = "Askhub-Reached"
)

// The values of ReachedHeader.
const (
	ReachedDirectly   = "direct"       // not by a trusted proxy
	ReachedByProxy    = "proxy"        // by one that forwards its client's address
	ReachedWithoutXFF = "proxy-silent" // by one that does not
)

// Door is the Hub's front door. Its methods may be called at once.
type Door struct {
	cfg      *config.Config
	now      func() time.Time
	log      *slog.Logger
	tls      *tls.Config // nil where the Hub speaks plain HTTP
	instance string
	hsts     string
	peer     func(*http.Request) netip.Addr

	pair   atomic.Pointer[tls.Certificate]
	leaves *localca.Leaves
	ca     atomic.Pointer[localca.Authority]

	mu      sync.Mutex // one reload at a time
	problem string     // what the last reload failed with
}

// Open reads what the config names. A certificate that phones will refuse is only
// logged, since a Hub that answers some is better than none; one that cannot be used at
// all is an error.
func Open(cfg *config.Config, now func() time.Time, log *slog.Logger) (*Door, error) {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	d := &Door{cfg: cfg, now: now, log: log, instance: hex.EncodeToString(id[:]), hsts: hsts(cfg), peer: clientaddress.New(nil)}
	switch cfg.TLS {
	case config.TLSFiles:
		pair, err := LoadFiles(cfg)
		if err != nil {
			return nil, err
		}
		d.take(pair)
	case config.TLSLocalCA:
		ca, err := LoadCA(cfg)
		if err != nil {
			return nil, err
		}
		if host := cfg.PublicHost(); host != "" && !ca.Covers(host) {
			return nil, Uncovered(d.cfg.Dir, host)
		}
		listen, _, _ := net.SplitHostPort(cfg.Listen) // the config has checked it
		d.leaves, err = localca.NewLeaves(ca, func() []string { return localca.Hosts(cfg.PublicHost(), listen) }, now, log)
		if err != nil {
			return nil, d.unusable(err)
		}
		d.ca.Store(ca)
	default:
		return d, nil
	}
	d.tls = &tls.Config{
		MinVersion: tls.VersionTLS12,
		// The server watches the framing of HTTP/1.1, and speaks nothing else.
		NextProtos:     []string{"http/1.1"},
		Time:           now,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return d.certificate(), nil },
	}
	return d, nil
}

// Uncovered says what to do about a public_url that the local CA of that folder was not
// made for.
func Uncovered(dir, host string) error {
	return fmt.Errorf("the local CA was not made for %s, the host of public_url; use a name that ends in .home.arpa or .local, or move %s and %s away and make a new CA, which each phone then has to install, with: %s",
		host, config.LocalCAName, config.LocalCAKeyName, NewCA(dir))
}

func (d *Door) unusable(err error) error {
	if errors.Is(err, localca.ErrExpired) {
		return fmt.Errorf("the local CA in %s has expired; look at this machine's clock, or move %s and %s away and make a new CA, which each phone then has to install, with: %s",
			d.cfg.Dir, config.LocalCAName, config.LocalCAKeyName, NewCA(d.cfg.Dir))
	}
	return fmt.Errorf("the local CA issues no certificate: %w; move its files away and make a new one with: %s", err, NewCA(d.cfg.Dir))
}

func (d *Door) certificate() *tls.Certificate {
	if d.leaves != nil {
		return d.leaves.Certificate()
	}
	return d.pair.Load()
}

// take serves with pair from now on, and says what phones will mind about it.
func (d *Door) take(pair *tls.Certificate) {
	d.pair.Store(pair)
	for _, c := range Judge(pair.Leaf, d.cfg.PublicHost(), d.now()) {
		d.log.Warn("the certificate in tls_cert: "+c.What, "mend", c.Mend)
	}
}

// Watch takes certificates in that change on the disk, until ctx ends.
func (d *Door) Watch(ctx context.Context) {
	var paths []string
	switch d.cfg.TLS {
	case config.TLSFiles:
		paths = []string{d.cfg.TLSCert, d.cfg.TLSKey}
	case config.TLSLocalCA:
		paths = []string{d.cfg.LocalCAPath(), d.cfg.LocalCAKeyPath()}
	}
	var all sync.WaitGroup
	for _, path := range paths {
		all.Go(func() { filewatch.Watch(ctx, path, d.reload) })
	}
	all.Wait()
}

// reload reads the files again. What cannot be used is logged once, and the old stays.
func (d *Door) reload() {
	d.mu.Lock()
	defer d.mu.Unlock()
	changed, err := d.reread()
	switch {
	case err != nil && err.Error() != d.problem:
		d.problem = err.Error()
		d.log.Warn("the certificate was not taken in, and the last one stays", "cause", err)
	case err == nil:
		d.problem = ""
		if changed {
			d.log.Info("a new certificate was taken in")
		}
	}
}

func (d *Door) reread() (changed bool, err error) {
	if d.cfg.TLS == config.TLSFiles {
		pair, err := LoadFiles(d.cfg)
		if err != nil || d.pair.Load().Leaf.Equal(pair.Leaf) {
			return false, err
		}
		d.take(pair)
		return true, nil
	}
	ca, err := LoadCA(d.cfg)
	if err != nil || d.ca.Load().Certificate().Equal(ca.Certificate()) {
		return false, err
	}
	if host := d.cfg.PublicHost(); host != "" && !ca.Covers(host) {
		return false, Uncovered(d.cfg.Dir, host)
	}
	if err := d.leaves.Use(ca); err != nil {
		return false, d.unusable(err)
	}
	d.ca.Store(ca)
	return true, nil
}

// hstsAge is how long a browser remembers it. A household that goes back to plain HTTP
// is locked out no longer than this.
const hstsAge = 30 * 24 * time.Hour

// hsts is the value of Strict-Transport-Security, or empty. A browser applies it to every
// port of the host, which in a home would take the plain pages of whatever else runs on
// the same machine away. So it is sent only where the Hub has the usual port of a host
// with a name, behind a certificate that browsers know already. With a local CA
// it would also keep a new phone from the page that explains how to install the CA.
func hsts(cfg *config.Config) string {
	u, err := url.Parse(cfg.PublicURL)
	if err != nil || u.Scheme != "https" || u.Port() != "" && u.Port() != "443" || net.ParseIP(u.Hostname()) != nil {
		return ""
	}
	if cfg.TLS != config.TLSFiles && cfg.TLS != config.TLSProxy {
		return ""
	}
	return fmt.Sprintf("max-age=%d", int(hstsAge.Seconds()))
}

// Handler is h with what the door itself answers and adds.
func (d *Door) Handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.hsts != "" {
			w.Header().Set("Strict-Transport-Security", d.hsts)
		}
		// Browsers that try https first meet the page there.
		if r.URL.Path != "/" && d.install(w, r) {
			return
		}
		if r.URL.Path == "/health" {
			w.Header().Set(InstanceHeader, d.instance)
			w.Header().Set(ReachedHeader, d.reached(r))
		}
		h.ServeHTTP(w, r)
	})
}

func (d *Door) reached(r *http.Request) string {
	peer := d.peer(r)
	for _, p := range d.cfg.Proxies() {
		if p.Contains(peer) {
			if r.Header.Get("X-Forwarded-For") == "" {
				return ReachedWithoutXFF
			}
			return ReachedByProxy
		}
	}
	return ReachedDirectly
}
