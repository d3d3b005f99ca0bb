package localca

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"
)

const (
	// leafLife is short of the 397 days that phones accept: nobody has to do anything
	// for a new one, so that what is lost is soon worthless.
	leafLife = 90 * 24 * time.Hour
	// lookEvery is how often the machine's names and addresses are asked for again: a
	// new router gives a new address.
	lookEvery = time.Minute
)

// ErrExpired is a CA that nobody believes any more.
var ErrExpired = errors.New("the CA has expired")

// issue makes a certificate for those of the hosts that the CA may vouch for.
func (a *Authority) issue(hosts []string, now time.Time) (*tls.Certificate, error) {
	// A machine without a clock of its own starts in 1970, and learns the time later.
	from := now.Add(-slack)
	if from.Before(a.cert.NotBefore) {
		from = a.cert.NotBefore
	}
	until := now.Add(leafLife)
	if until.Before(from.Add(leafLife)) {
		until = from.Add(leafLife)
	}
	if until.After(a.cert.NotAfter) {
		until = a.cert.NotAfter
	}
	if !now.Before(a.cert.NotAfter) {
		return nil, ErrExpired
	}
	template := &x509.Certificate{
		NotBefore:             from,
		NotAfter:              until,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	for _, host := range hosts {
		if !a.Covers(host) {
			continue
		}
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	if len(template.DNSNames)+len(template.IPAddresses) == 0 {
		return nil, errors.New("the CA may vouch for no name or address of this machine")
	}
	// The name is for people's eyes; what counts are the names above.
	template.Subject = pkix.Name{CommonName: "askhub"}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	// What a phone would refuse is better refused here, with a reason in the log.
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: from}); err != nil {
		return nil, fmt.Errorf("what the CA issues does not verify: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, nil
}

// Leaves gives the certificate that a server shows, and renews it in time: when two
// thirds of its life are over, when the machine's names or addresses have changed, and
// when the clock turns out to have been wrong. They live in memory alone.
type Leaves struct {
	hosts func() []string
	now   func() time.Time
	log   *slog.Logger

	mu     sync.Mutex
	ca     *Authority
	leaf   *tls.Certificate
	names  []string  // what leaf was issued for
	renew  time.Time // when leaf has done its time
	looked time.Time // when hosts was last asked
}

// NewLeaves issues the first one. Hosts are the names and addresses of this machine.
func NewLeaves(ca *Authority, hosts func() []string, now func() time.Time, log *slog.Logger) (*Leaves, error) {
	l := &Leaves{hosts: hosts, now: now, log: log, ca: ca}
	return l, l.issue(l.look(now()), now())
}

// Use issues from another CA from now on.
func (l *Leaves) Use(ca *Authority) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.ca
	l.ca = ca
	now := l.now()
	if err := l.issue(l.look(now), now); err != nil {
		l.ca = old
		return err
	}
	return nil
}

// Certificate is the one to show now.
func (l *Leaves) Certificate() *tls.Certificate {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	names := l.names
	if since := now.Sub(l.looked); since >= lookEvery || since < 0 {
		names = l.look(now)
	}
	if slices.Equal(names, l.names) && now.Before(l.renew) && !now.Before(l.leaf.Leaf.NotBefore) {
		return l.leaf
	}
	if err := l.issue(names, now); err != nil {
		// The old one may still do; not to answer at all is no better.
		l.log.Error("no new certificate could be issued", "cause", err)
		l.names, l.renew = names, now.Add(lookEvery)
	}
	return l.leaf
}

func (l *Leaves) look(now time.Time) []string {
	l.looked = now
	names := l.hosts()
	slices.Sort(names)
	return slices.Compact(names)
}

func (l *Leaves) issue(names []string, now time.Time) error {
	leaf, err := l.ca.issue(names, now)
	if err != nil {
		return err
	}
	l.leaf, l.names = leaf, names
	l.renew = now.Add(leaf.Leaf.NotAfter.Sub(now) * 2 / 3)
	return nil
}
