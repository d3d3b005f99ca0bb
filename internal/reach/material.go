package reach

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/filewatch"
	"github.com/askhub/askhub/internal/localca"
)

// maxPEM is the largest certificate or key file that is read, in bytes.
const maxPEM = 1 << 20

// NewCA is the command that makes a local CA in that folder.
func NewCA(dir string) string { return "askhub init --local-ca " + dir }

// LoadFiles reads the household's own certificate and key. Every error of this package
// ends with "; " and the mend.
func LoadFiles(cfg *config.Config) (*tls.Certificate, error) {
	certPEM, err := readPEM("tls_cert", cfg.TLSCert)
	if err != nil {
		return nil, err
	}
	// Those of a group may read it: a program that renews certificates often runs as another account.
	keyPEM, err := readKey("tls_key", cfg.TLSKey, 0o007, "o=")
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("%s and %s are no certificate and its key (%s); set tls_cert to the chain and tls_key to its own key, both PEM and without a password",
			cfg.TLSCert, cfg.TLSKey, strings.TrimPrefix(err.Error(), "tls: "))
	}
	return &pair, nil
}

// LoadCA reads the local CA and its key.
func LoadCA(cfg *config.Config) (*localca.Authority, error) {
	certPath, keyPath := cfg.LocalCAPath(), cfg.LocalCAKeyPath()
	certPEM, err := readPEM("", certPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no local CA, %s is missing: %w; make one with: %s", certPath, fs.ErrNotExist, NewCA(cfg.Dir))
	}
	if err != nil {
		return nil, err
	}
	keyPEM, err := readKey("", keyPath, 0o077, "600")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the local CA has no key, %s is missing: %w; bring it back from a backup made --with-secrets, or move %s away and make a new CA, which each phone then has to install, with: %s",
			keyPath, fs.ErrNotExist, config.LocalCAName, NewCA(cfg.Dir))
	}
	if err != nil {
		return nil, err
	}
	ca, err := localca.Parse(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("the local CA in %s cannot be used: %w; bring both of its files back from one backup, or move both away and make a new one with: %s", cfg.Dir, err, NewCA(cfg.Dir))
	}
	return ca, nil
}

// caCertificate reads the local CA without its key.
func caCertificate(cfg *config.Config) (*x509.Certificate, error) {
	text, err := readPEM("", cfg.LocalCAPath())
	if err != nil {
		return nil, err
	}
	cert, err := localca.ParseCertificate(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; bring it back from a backup", cfg.LocalCAPath(), err)
	}
	return cert, nil
}

// firstCertificate reads the first one of a chain.
func firstCertificate(text []byte) (*x509.Certificate, error) {
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			return nil, errors.New("holds no certificate")
		}
		if block.Type == "CERTIFICATE" {
			cert, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, errors.New("holds a certificate that cannot be read")
			}
			return cert, nil
		}
		text = rest
	}
}

func readPEM(field, path string) ([]byte, error) {
	text, err := filewatch.Read(path, maxPEM)
	where := path
	if field != "" {
		where = field + ": " + path
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not there: %w; put it there, or mend the path in askhub.toml", where, fs.ErrNotExist)
	case errors.Is(err, filewatch.ErrNotFile):
		return nil, fmt.Errorf("%s is not a file; name the PEM file itself", where)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read; give the account that runs askhub the right to", where)
	}
	return text, nil
}

// readKey refuses a key that too many may read; mode is what chmod mends it with.
func readKey(field, path string, forbidden fs.FileMode, mode string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&forbidden != 0 {
		return nil, fmt.Errorf("others on this machine can read the key %s (mode %04o); run: chmod %s %s", path, info.Mode().Perm(), mode, path)
	}
	return readPEM(field, path)
}

// renewWithin is how long before its end a certificate is complained of.
const renewWithin = 14 * 24 * time.Hour

// longest is what iPhones take of a certificate whose CA was installed by hand.
const longest = 825 * 24 * time.Hour

// Concern is something about a certificate that a phone will mind, now or soon.
type Concern struct {
	// Fault is whether it is refused already.
	Fault bool
	// What is how it stands, Mend what to do.
	What, Mend string
}

// Judge says what a phone will mind about a certificate for host, which may be empty. Days
// are those of now's zone.
func Judge(leaf *x509.Certificate, host string, now time.Time) []Concern {
	var out []Concern
	add := func(fault bool, what, mend string) { out = append(out, Concern{fault, what, mend}) }
	left := leaf.NotAfter.Sub(now)
	day := func(t time.Time) string { return t.In(now.Location()).Format("2 January 2006") }
	switch {
	case left <= 0:
		add(true, "it expired on "+day(leaf.NotAfter), "Renew it; the Hub takes the new one in by itself.")
	case now.Before(leaf.NotBefore):
		add(true, "it is good only from "+day(leaf.NotBefore)+" on", "Look at this machine's clock, or use the certificate that is good now.")
	case left < renewWithin:
		add(false, "it expires on "+day(leaf.NotAfter), "Renew it; the Hub takes the new one in by itself.")
	}
	switch {
	case len(leaf.DNSNames)+len(leaf.IPAddresses) == 0:
		add(true, "it names no host (no subject alternative name)", "Have it issued anew for the host of public_url.")
	case host != "" && leaf.VerifyHostname(host) != nil:
		add(true, "it is not for "+host+", the host of public_url, but for "+strings.Join(names(leaf), ", "), "Have it issued for that host, or mend public_url in askhub.toml.")
	}
	if life := leaf.NotAfter.Sub(leaf.NotBefore); life > longest {
		add(false, fmt.Sprintf("it lives %d days, and iPhones take at most 825", int(life.Hours()/24)), "Have it issued for a shorter time.")
	}
	switch unsaid := len(leaf.ExtKeyUsage)+len(leaf.UnknownExtKeyUsage) == 0; {
	case unsaid:
		add(false, "it does not say that it is for servers, which iPhones ask for", "Have it issued for serverAuth (extended key usage).")
	case !forServers(leaf):
		add(true, "it is not for servers", "Have it issued for serverAuth (extended key usage).")
	}
	return out
}

func forServers(leaf *x509.Certificate) bool {
	for _, u := range leaf.ExtKeyUsage {
		if u == x509.ExtKeyUsageServerAuth || u == x509.ExtKeyUsageAny {
			return true
		}
	}
	return false
}

// names are the first few that a certificate is for.
func names(leaf *x509.Certificate) []string {
	out := append([]string{}, leaf.DNSNames...)
	for _, ip := range leaf.IPAddresses {
		out = append(out, ip.String())
	}
	if len(out) > 5 {
		out = append(out[:5], "…")
	}
	return out
}
