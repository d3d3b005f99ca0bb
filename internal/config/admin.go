package config

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
)

// DefaultAdminPort is the admin app's (spec 5).
const DefaultAdminPort = "8430"

// defaultAdmin is where it listens on this machine alone.
const defaultAdmin = "127.0.0.1:" + DefaultAdminPort

// Admin is the admin app. What encrypts it is the Hub's own tls.
type Admin struct {
	// Listen is its address, host and port. Where the file is silent it is the Hub's host,
	// with the port 8430.
	Listen string `toml:"listen"`
	// PublicURL is the address that people type, with no slash at its end. Where the file
	// is silent it is the host of the Hub's, with the port of Listen.
	PublicURL string `toml:"public_url"`
	// Serve is whether "askhub serve" starts it.
	Serve bool `toml:"serve"`
}

// admin checks the admin app's settings and fills them in. Passkeys are bound to a host's
// name, and work only in a secure context.
func (v *check) admin() {
	c := v.c
	if _, set := v.at["admin.listen"]; !set {
		c.Admin.Listen = defaultAdmin
		if host, _, err := net.SplitHostPort(c.Listen); err == nil && c.ownTLS() {
			c.Admin.Listen = net.JoinHostPort(host, DefaultAdminPort)
		}
	}
	host, ok := v.listenAddress("admin.listen", defaultAdmin, c.Admin.Listen)
	switch {
	case !ok:
	case c.Admin.Listen == c.Listen && !hasPort(c.Listen, "0"):
		v.fault("admin.listen", "is the Hub's own address; give the admin app another port, like %q", defaultAdmin)
	case c.TLS == "" && !Loopback(host):
		v.fault("admin.listen", "others on the network could reach the admin app, and nothing encrypts what they send: passkeys do not work so; set tls to local-ca, files or proxy (docs/reach.md says which), or use %q", defaultAdmin)
	}
	const field, example = "admin.public_url", `"https://askhub.home:8430"`
	v.publicURL(field, example, c.Admin.PublicURL)
	u, err := url.Parse(c.Admin.PublicURL)
	if err != nil || u.Host == "" {
		return
	}
	_, notIP := netip.ParseAddr(u.Hostname())
	switch {
	case notIP == nil:
		v.fault(field, "the host must be a name, like %s: passkeys work at none of the bare addresses", example)
	case u.Scheme != "https" && u.Hostname() != "localhost":
		v.fault(field, "must begin with https://: passkeys work nowhere else")
	case c.Admin.PublicURL == c.PublicURL:
		v.fault(field, "is the Hub's own address; give the admin app another port or another host, like %s", example)
	}
}

// ownTLS is whether the Hub speaks TLS by itself.
func (c *Config) ownTLS() bool { return c.TLS == TLSFiles || c.TLS == TLSLocalCA }

func hasPort(address, want string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port == want
}

// AdminOrigin is the address at which people reach the admin app, which passkeys are bound
// to: the one that the file names, or else the Hub's own name where the Hub speaks TLS by
// itself, or else this machine's own name for itself. address is where it listens.
func (c *Config) AdminOrigin(address string) string {
	if c.Admin.PublicURL != "" {
		return c.Admin.PublicURL
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		port = DefaultAdminPort
	}
	host := c.PublicHost()
	if _, err := netip.ParseAddr(host); host == "" || err == nil || !c.ownTLS() {
		host = "localhost"
	}
	if c.ownTLS() {
		return "https://" + net.JoinHostPort(host, port)
	}
	return "http://" + net.JoinHostPort(host, port)
}

// AdminReach is the config as the front door wants it for the admin app.
func (c *Config) AdminReach() *Config {
	r := *c
	r.Listen, r.PublicURL = c.Admin.Listen, c.AdminOrigin(c.Admin.Listen)
	return &r
}

// AdminListenOn replaces the address that the file gives, where a person names another one
// at the start. It is held to the same rules. Its error is an *Error.
func (c *Config) AdminListenOn(address string) error {
	c.Admin.Listen = address
	v := &check{c: c, path: "--listen", at: map[string]int{"admin.listen": 0}}
	v.admin()
	return errors.Join(v.faults...)
}
