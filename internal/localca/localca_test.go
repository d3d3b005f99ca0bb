package localca

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// begin is a moment that does not move.
var begin = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func newCA(t *testing.T, now time.Time, hosts ...string) *Authority {
	t.Helper()
	cert, key, err := New("askhub of vm", hosts, now)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Parse(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// phone verifies as a phone does that has installed the CA.
func phone(ca *Authority, leaf *x509.Certificate, host string, at time.Time) error {
	roots := x509.NewCertPool()
	roots.AddCert(ca.Certificate())
	_, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: at})
	return err
}

func TestACertificateThatAPhoneTakes(t *testing.T) {
	ca := newCA(t, begin, "askhub.example.org", "vm", "203.0.113.5")
	hosts := []string{"askhub.example.org", "vm", "vm.local", "localhost", "127.0.0.1", "::1", "192.168.1.5", "fd00::5", "203.0.113.5"}
	pair, err := ca.issue(hosts, begin)
	if err != nil {
		t.Fatal(err)
	}
	leaf := pair.Leaf
	for _, host := range hosts {
		name := host
		if strings.Contains(host, ":") {
			name = "[" + host + "]"
		}
		for _, at := range []time.Time{begin, begin.Add(-23 * time.Hour), begin.Add(89 * 24 * time.Hour)} {
			if err := phone(ca, leaf, name, at); err != nil {
				t.Errorf("%s at %s: %v", host, at, err)
			}
		}
	}
	// The rules of iPhones (HT210176) and of Android.
	if life := leaf.NotAfter.Sub(leaf.NotBefore); life > 397*24*time.Hour {
		t.Errorf("it lives %s", life)
	}
	if !slices.Equal(leaf.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}) || leaf.IsCA || leaf.KeyUsage != x509.KeyUsageDigitalSignature {
		t.Errorf("usage %v %v, CA %v", leaf.ExtKeyUsage, leaf.KeyUsage, leaf.IsCA)
	}
	if leaf.SignatureAlgorithm != x509.ECDSAWithSHA256 || len(leaf.AuthorityKeyId) == 0 || leaf.SerialNumber.BitLen() > 159 || leaf.SerialNumber.Sign() <= 0 {
		t.Errorf("signature %v, authority %x, serial %v", leaf.SignatureAlgorithm, leaf.AuthorityKeyId, leaf.SerialNumber)
	}
	c := ca.Certificate()
	if !c.IsCA || !c.MaxPathLenZero || c.KeyUsage&x509.KeyUsageCertSign == 0 || c.PermittedDNSDomainsCritical || len(c.SubjectKeyId) == 0 {
		t.Errorf("the CA: %+v", c)
	}
	if years := c.NotAfter.Year() - begin.Year(); years != 10 {
		t.Errorf("the CA lives %d years", years)
	}
}

// Whoever has the key of a household's CA poses as nobody outside.
func TestAStolenKeyIsNoUseOutside(t *testing.T) {
	ca := newCA(t, begin, "askhub.example.org", "box", "dev.local")
	for _, host := range []string{"bank.example.com", "example.org", "www.example.org", "8.8.8.8", "2001:db8::1", "router.box", "com"} {
		if ca.Covers(host) {
			t.Errorf("%s is covered", host)
		}
		template := &x509.Certificate{
			NotBefore: begin.Add(-time.Hour), NotAfter: begin.Add(time.Hour), SerialNumber: big.NewInt(1),
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}
		name := host
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = []net.IP{ip}
			name = "[" + host + "]"
		} else {
			template.DNSNames = []string{host}
		}
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, key.Public(), ca.key)
		if err != nil {
			t.Fatal(err)
		}
		forged, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		var invalid x509.CertificateInvalidError
		if err := phone(ca, forged, name, begin); !errors.As(err, &invalid) || invalid.Reason != x509.CANotAuthorizedForThisName {
			t.Errorf("%s: a phone says %v", host, err)
		}
	}
	for _, host := range []string{"askhub.example.org", "vm.local", "askhub.home", "hub.home.arpa", "192.168.7.9", "10.1.2.3", "100.64.3.4", "fd12::9", "localhost"} {
		if !ca.Covers(host) {
			t.Errorf("%s is not covered", host)
		}
	}
}

// openssl is another reader of the same rules.
func TestOpenSSLAgrees(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed")
	}
	now := time.Now()
	certPEM, keyPEM, err := New("askhub of vm", []string{"askhub.example.org"}, now)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := Parse(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ca.issue([]string{"askhub.example.org", "192.168.1.5"}, now)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"ca.pem": certPEM, "leaf.pem": encode(pair.Leaf)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"-verify_hostname", "askhub.example.org"}, {"-verify_ip", "192.168.1.5"}} {
		args = append(append([]string{"verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", filepath.Join(dir, "ca.pem")}, args...), filepath.Join(dir, "leaf.pem"))
		if out, err := exec.Command("openssl", args...).CombinedOutput(); err != nil {
			t.Errorf("openssl %v: %s", args, out)
		}
	}
	out, err := exec.Command("openssl", "x509", "-in", filepath.Join(dir, "ca.pem"), "-noout", "-fingerprint", "-sha256").CombinedOutput()
	if err != nil || !strings.Contains(string(out), Fingerprint(ca.Certificate())) {
		t.Errorf("the fingerprint is %s, openssl says %s (%v)", Fingerprint(ca.Certificate()), out, err)
	}
}

func TestWhatIsNoCA(t *testing.T) {
	cert, key, err := New("one", nil, begin)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := New("two", nil, begin)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := Parse(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := ca.issue([]string{"localhost"}, begin)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		cert, key []byte
		want      string
	}{
		"nothing":          {nil, nil, "holds no certificate"},
		"a key":            {key, key, "holds no certificate"},
		"not its key":      {cert, other, "not that of the certificate"},
		"no key":           {cert, nil, "not that of the certificate"},
		"a server's":       {encode(leaf.Leaf), key, "not a CA's"},
		"half of one":      {cert[:len(cert)/2], key, "holds no certificate"},
		"something within": {[]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), key, "cannot be read"},
	} {
		if _, err := Parse(tt.cert, tt.key); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ca.issue([]string{"bank.example.com"}, begin); err == nil {
		t.Error("a certificate for nothing was issued")
	}
	if _, err := ca.issue([]string{"localhost"}, begin.AddDate(11, 0, 0)); !errors.Is(err, ErrExpired) {
		t.Errorf("a CA that has expired: %v", err)
	}
}

// A year of a Hub that is never restarted: whenever a phone comes, the certificate is good.
func TestCertificatesAreRenewedWhileTheHubRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newCA(t, time.Now(), "askhub.home")
		leaves, err := NewLeaves(ca, func() []string { return []string{"askhub.home", "192.168.1.5"} }, time.Now, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for range 365 {
			leaf := leaves.Certificate().Leaf
			if leaves.Certificate().Leaf != leaf {
				t.Fatal("a new certificate for each connection")
			}
			seen[leaf.SerialNumber.String()] = true
			if err := phone(ca, leaf, "askhub.home", time.Now()); err != nil {
				t.Fatalf("after %d certificates: %v", len(seen), err)
			}
			if left := time.Until(leaf.NotAfter); left < 29*24*time.Hour {
				t.Fatalf("only %s are left", left)
			}
			time.Sleep(24 * time.Hour) // the clock of the test's own bubble
		}
		if len(seen) != 7 {
			t.Errorf("%d certificates in a year, want 7", len(seen))
		}
	})
}

// clock is a time that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestAClockThatWasWrongAtTheStart(t *testing.T) {
	ca := newCA(t, begin, "askhub.home")
	for name, wrong := range map[string]time.Time{"1970": time.Unix(60, 0), "the future": begin.AddDate(5, 0, 0)} {
		c := &clock{wrong}
		leaves, err := NewLeaves(ca, func() []string { return []string{"askhub.home"} }, c.now, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		c.at = begin.Add(time.Hour)
		if err := phone(ca, leaves.Certificate().Leaf, "askhub.home", c.at); err != nil {
			t.Errorf("%s: after the clock was set: %v", name, err)
		}
	}
}

func TestANewAddressIsTakenIn(t *testing.T) {
	ca := newCA(t, begin, "askhub.home")
	c := &clock{begin}
	hosts := []string{"192.168.1.5"}
	leaves, err := NewLeaves(ca, func() []string { return slices.Clone(hosts) }, c.now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	first := leaves.Certificate()
	hosts = []string{"192.168.1.77"}
	c.at = c.at.Add(30 * time.Second)
	if leaves.Certificate() != first {
		t.Error("the addresses are asked for at each connection")
	}
	c.at = c.at.Add(31 * time.Second)
	if err := phone(ca, leaves.Certificate().Leaf, "[192.168.1.77]", c.at); err != nil {
		t.Error(err)
	}
	// What cannot be issued leaves the last one in place.
	hosts = []string{"bank.example.com"}
	c.at = c.at.Add(2 * time.Minute)
	last := leaves.Certificate()
	if err := phone(ca, last.Leaf, "[192.168.1.77]", c.at); err != nil {
		t.Error(err)
	}
}

func TestAnotherCA(t *testing.T) {
	ca, next, old := newCA(t, begin), newCA(t, begin), newCA(t, begin.AddDate(-11, 0, 0))
	leaves, err := NewLeaves(ca, func() []string { return []string{"localhost"} }, func() time.Time { return begin }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := leaves.Use(old); !errors.Is(err, ErrExpired) {
		t.Errorf("an old CA: %v", err)
	}
	if err := phone(ca, leaves.Certificate().Leaf, "localhost", begin); err != nil {
		t.Errorf("after one that was not taken: %v", err)
	}
	if err := leaves.Use(next); err != nil {
		t.Fatal(err)
	}
	if err := phone(next, leaves.Certificate().Leaf, "localhost", begin); err != nil {
		t.Error(err)
	}
	if _, err := NewLeaves(old, func() []string { return []string{"localhost"} }, func() time.Time { return begin }, slog.New(slog.DiscardHandler)); !errors.Is(err, ErrExpired) {
		t.Errorf("a start with an old CA: %v", err)
	}
}

// A whole handshake, with what the client then knows.
func TestAHandshake(t *testing.T) {
	ca := newCA(t, time.Now(), "askhub.home")
	leaves, err := NewLeaves(ca, func() []string { return []string{"askhub.home"} }, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	server := tls.Server(there, &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return leaves.Certificate(), nil }})
	go func() { _ = server.HandshakeContext(context.Background()) }()
	roots := x509.NewCertPool()
	roots.AddCert(ca.Certificate())
	client := tls.Client(here, &tls.Config{RootCAs: roots, ServerName: "askhub.home"})
	if err := client.HandshakeContext(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestHostsOfAMachine(t *testing.T) {
	for name, want := range map[string]string{
		"vm":              "vm vm.local",
		"Hub.Example.ORG": "hub.example.org hub hub.local",
		"pi.local":        "pi.local pi",
		"pi.local.":       "pi.local pi",
		"":                "",
		"not a name":      "",
		"192.168.1.5":     "",
		"café":            "",
	} {
		if got := strings.Join(machineNames(name), " "); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	var all []net.Addr
	for _, text := range []string{"127.0.0.1/8", "192.168.1.5/24", "203.0.113.5/24", "fe80::1/64", "fd00::5/64", "2001:db8::5/64", "100.64.1.1/10", "169.254.3.4/16"} {
		ip, n, err := net.ParseCIDR(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &net.IPNet{IP: ip, Mask: n.Mask})
	}
	if got := fmt.Sprint(privateAddresses(all)); got != "[192.168.1.5 fd00::5 100.64.1.1]" {
		t.Errorf("private addresses %s", got)
	}
	for listen, want := range map[string]string{"192.168.1.5": "192.168.1.5", "127.0.0.1": "127.0.0.1", "localhost": "localhost", "": "127.0.0.1", "0.0.0.0": "::1"} {
		hosts := Hosts("askhub.home", listen)
		if !slices.Contains(hosts, want) || !slices.Contains(hosts, "askhub.home") || !slices.Contains(hosts, "127.0.0.1") {
			t.Errorf("%s: %v", listen, hosts)
		}
	}
}

func BenchmarkCertificate(b *testing.B) {
	cert, key, err := New("askhub", nil, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	ca, err := Parse(cert, key)
	if err != nil {
		b.Fatal(err)
	}
	leaves, err := NewLeaves(ca, func() []string { return Hosts("", "") }, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		leaves.Certificate()
	}
}

func encode(cert *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})
}
