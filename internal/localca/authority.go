// Package localca is a household's own certificate authority: one that "askhub init"
// makes, a phone installs once, and "askhub serve" issues its certificates from.
package localca

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

const (
	// authorityYears is long, since each phone has to take a new one by hand.
	authorityYears = 10
	// slack is how far a phone's clock may be behind this machine's.
	slack = 24 * time.Hour
)

// What a CA of a household may ever vouch for, beside the names that it was made for:
// names and addresses that nobody owns on the internet. Whoever steals the key can pose
// as something at home, and never as a bank.
var (
	localDomains = []string{"local", "localhost", "localdomain", "home.arpa", "internal", "home", "lan"}
	localRanges  = []string{
		"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16",
		"::1/128", "fc00::/7", "fe80::/10",
	}
)

// Authority is a CA with its key.
type Authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

// New makes a CA that may vouch for hosts (names and IP addresses) and for whatever is
// local. Name is what a phone shows it as.
func New(name string, hosts []string, now time.Time) (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: name, Organization: []string{"askhub"}},
		NotBefore:             now.Add(-slack),
		NotAfter:              now.AddDate(authorityYears, 0, 0),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
		// Not critical, though RFC 5280 wants it: Mbed TLS, and with it every speaker on an
		// ESP32, refuses a CA with a critical extension that it does not know. What knows
		// name constraints keeps to them either way.
		PermittedDNSDomains: slices.Clone(localDomains),
	}
	ranges := slices.Clone(localRanges)
	for _, host := range hosts {
		if a, err := netip.ParseAddr(host); err == nil {
			ranges = append(ranges, netip.PrefixFrom(a, a.BitLen()).String())
		} else if !everybodys(host) && !permitsName(template.PermittedDNSDomains, host) {
			template.PermittedDNSDomains = append(template.PermittedDNSDomains, host)
		}
	}
	for _, text := range ranges {
		_, ipNet, err := net.ParseCIDR(text)
		if err != nil {
			return nil, nil, err
		}
		template.PermittedIPRanges = append(template.PermittedIPRanges, ipNet)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), nil
}

// everybodys is a name below which others have theirs: a machine that is called "box" or
// "dev" must not let its CA vouch for every site that ends so.
func everybodys(name string) bool {
	suffix, icann := publicsuffix.PublicSuffix(name)
	return suffix == name && (icann || strings.Contains(name, "."))
}

// ParseCertificate reads the CA's certificate alone.
func ParseCertificate(certPEM []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(certPEM)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, errors.New("it holds no certificate")
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, errors.New("its certificate cannot be read")
	}
	if !cert.IsCA || !cert.BasicConstraintsValid || cert.KeyUsage != 0 && cert.KeyUsage&x509.KeyUsageCertSign == 0 {
		return nil, errors.New("its certificate is not a CA's")
	}
	return cert, nil
}

// ErrNoPair is a key that is not the certificate's.
var ErrNoPair = errors.New("the key is not that of the certificate")

// Parse reads a CA and its key.
func Parse(certPEM, keyPEM []byte) (*Authority, error) {
	cert, err := ParseCertificate(certPEM)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, ErrNoPair
	}
	key, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, ErrNoPair
	}
	return &Authority{cert: cert, key: key}, nil
}

// Certificate is the CA's own.
func (a *Authority) Certificate() *x509.Certificate { return a.cert }

// Covers says whether the CA may vouch for a name or an IP address.
func (a *Authority) Covers(host string) bool {
	c := a.cert
	if ip := net.ParseIP(host); ip != nil {
		if slices.ContainsFunc(c.ExcludedIPRanges, func(n *net.IPNet) bool { return n.Contains(ip) }) {
			return false
		}
		return len(c.PermittedIPRanges) == 0 || slices.ContainsFunc(c.PermittedIPRanges, func(n *net.IPNet) bool { return n.Contains(ip) })
	}
	return (len(c.PermittedDNSDomains) == 0 || permitsName(c.PermittedDNSDomains, host)) && !permitsName(c.ExcludedDNSDomains, host)
}

// permitsName is whether the name is one of the domains or lies below one.
func permitsName(domains []string, name string) bool {
	return slices.ContainsFunc(domains, func(d string) bool {
		d = strings.TrimPrefix(d, ".")
		return d == "" || name == d || strings.HasSuffix(name, "."+d)
	})
}

// Fingerprint is a certificate's SHA-256 as phones and browsers show it.
func Fingerprint(cert *x509.Certificate) string {
	var b strings.Builder
	for i, n := range sha256.Sum256(cert.Raw) {
		if i > 0 {
			b.WriteByte(':')
		}
		fmt.Fprintf(&b, "%02X", n)
	}
	return b.String()
}
