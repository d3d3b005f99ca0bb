package reach

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/localca"
)

// URL is the address of the Hub that listens at address, for a caller on this machine.
func URL(cfg *config.Config, address string) string {
	if cfg.TLS == config.TLSFiles || cfg.TLS == config.TLSLocalCA {
		return "https://" + config.Dialable(address)
	}
	return "http://" + config.Dialable(address)
}

// ClientTLS is what a caller on this machine believes: the config folder's own CA, or its
// own certificate for the name that it has. It is nil where the Hub speaks plain HTTP.
func ClientTLS(cfg *config.Config) (*tls.Config, error) {
	roots := x509.NewCertPool()
	switch cfg.TLS {
	case config.TLSLocalCA:
		ca, err := caCertificate(cfg)
		if err != nil {
			return nil, err
		}
		roots.AddCert(ca)
		// Every certificate from the local CA is for this name too, whatever address is called.
		return &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS12}, nil
	case config.TLSFiles:
		leaf, err := ownCertificate(cfg)
		if err != nil {
			return nil, err
		}
		// It is for the name that others use, and seldom for a loopback address. Whoever
		// shows this very certificate, and has its key, is the Hub.
		roots.AddCert(leaf)
		name := cfg.PublicHost()
		if name == "" || leaf.VerifyHostname(name) != nil {
			name = firstName(leaf)
		}
		if name == "" {
			return nil, fmt.Errorf("the certificate in %s names no host; have it issued for the host of public_url", cfg.TLSCert)
		}
		return &tls.Config{RootCAs: roots, ServerName: name, MinVersion: tls.VersionTLS12}, nil
	}
	return nil, nil //nolint:nilnil // nothing to believe is no fault
}

// ownCertificate is the first certificate of tls_cert, which a caller may read without
// the right to read the key.
func ownCertificate(cfg *config.Config) (*x509.Certificate, error) {
	text, err := readPEM("tls_cert", cfg.TLSCert)
	if err != nil {
		return nil, err
	}
	leaf, err := firstCertificate(text)
	if err != nil {
		return nil, fmt.Errorf("tls_cert: %s %w; set tls_cert to the PEM file of the certificate", cfg.TLSCert, err)
	}
	return leaf, nil
}

func firstName(leaf *x509.Certificate) string {
	switch {
	case len(leaf.DNSNames) > 0:
		// A star stands for any one step.
		if rest, ok := strings.CutPrefix(leaf.DNSNames[0], "*."); ok {
			return "hub." + rest
		}
		return leaf.DNSNames[0]
	case len(leaf.IPAddresses) > 0:
		return leaf.IPAddresses[0].String()
	}
	return ""
}

// Address is what a person types on a phone, and a QR code leads to: with a local CA the
// page that explains how to install it, else the Hub. It is empty where no phone can
// reach the Hub, or where nobody can know how.
func Address(cfg *config.Config) string {
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return ""
	}
	base := &url.URL{Scheme: "https"}
	if cfg.TLS == "" || cfg.TLS == config.TLSProxy {
		base.Scheme = "http"
	}
	if u, err := url.Parse(cfg.PublicURL); err == nil && u.Host != "" {
		base = u
	} else {
		a, err := netip.ParseAddr(host)
		switch {
		case config.Loopback(host), port == "0", cfg.TLS == config.TLSProxy, cfg.TLS == config.TLSFiles:
			return "" // a certificate of one's own is for a name, and public_url would say which
		case host == "" || err == nil && a.IsUnspecified():
			if host = outward(); host == "" {
				return ""
			}
		}
		base.Host = net.JoinHostPort(host, port)
	}
	if cfg.TLS != config.TLSLocalCA {
		return base.String()
	}
	if base.Port() == "" {
		base.Host = net.JoinHostPort(base.Hostname(), "443")
	}
	base.Scheme, base.Path = "http", InstallPath
	return base.String()
}

// outward is the private address that this machine has towards the rest of the network.
func outward() string {
	private := localca.PrivateAddresses()
	// Nothing is sent: this only asks which address would be used.
	if conn, err := net.Dial("udp4", "192.0.2.1:9"); err == nil {
		defer conn.Close()
		if from, err := netip.ParseAddrPort(conn.LocalAddr().String()); err == nil {
			for _, a := range private {
				if a == from.Addr().String() {
					return a
				}
			}
		}
	}
	if len(private) > 0 {
		return private[0]
	}
	return ""
}
