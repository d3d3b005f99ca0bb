package config

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/pattern"
)

// reach checks how the Hub is reached: the address that people type, TLS, proxies, and
// the pages that may call the chat.
func (v *check) reach() {
	c := v.c
	v.publicURL("public_url", `"https://askhub.home:8420"`, c.PublicURL)
	v.tls()
	for i, text := range c.TrustedProxies {
		if slices.Contains(c.TrustedProxies[:i], text) {
			v.fault("trusted_proxies", "%q stands there twice", text)
		}
		if p, ok := v.proxy(text); ok {
			c.proxies = append(c.proxies, p)
		}
	}
	for i, origin := range c.Chat.Origins {
		v.origin(origin)
		if slices.Contains(c.Chat.Origins[:i], origin) {
			v.fault("chat.origins", "%q stands there twice", origin)
		}
	}
}

func (v *check) publicURL(field, example, s string) {
	if _, set := v.at[field]; !set && s == "" {
		return
	}
	if s == "" {
		v.fault(field, "must be the address that people type, like %s, or be left out", example)
		return
	}
	u := v.address(field, s)
	switch {
	case u == nil:
	case u.Path == "/":
		v.fault(field, "take the / at its end away, like %s", example)
	case u.Path != "" || u.RawQuery != "" || u.ForceQuery:
		v.fault(field, "must end with the host or its port, like %s; it is served at the root of its host", example)
	case !goodHost(u.Hostname()):
		v.fault(field, "the host must be an IP address, or a name of small letters, digits, - and . (one with other letters is written in its xn-- form), like %s", example)
	case u.String() != s || strings.HasSuffix(s, ":"):
		v.fault(field, "write it in small letters and without what is empty, like %s", example)
	case v.c.TLS != "" && u.Scheme != "https":
		v.fault(field, "must begin with https://, since tls is %q", v.c.TLS)
	}
}

func (v *check) tls() {
	c := v.c
	_, set := v.at["tls"]
	switch {
	case c.TLS == "" && !set:
	case !slices.Contains([]string{TLSFiles, TLSLocalCA, TLSProxy}, c.TLS):
		v.fault("tls", "must be files (your own certificate), local-ca (one made here) or proxy (a proxy before the Hub has it), or be left out for plain HTTP")
		return
	}
	for _, f := range []struct {
		field, what string
		path        *string
	}{{"tls_cert", "certificate", &c.TLSCert}, {"tls_key", "key", &c.TLSKey}} {
		_, set := v.at[f.field]
		switch {
		case c.TLS == TLSFiles && *f.path == "":
			v.fault(f.field, `must name the file of the %s, since tls is "files"`, f.what)
		case c.TLS == TLSFiles:
			*f.path = v.filePath(f.field, *f.path)
		case set:
			v.fault(f.field, `only tls = "files" reads it; set that, or take this line out`)
		}
	}
	if c.TLS == TLSProxy && len(c.TrustedProxies) == 0 {
		v.fault("trusted_proxies", `must name the proxy, like ["127.0.0.1"], since tls is "proxy"; without it every caller would seem to be the proxy`)
	}
}

// proxy reads an IP address or a prefix.
func (v *check) proxy(s string) (netip.Prefix, bool) {
	return v.prefix("trusted_proxies", s, "the proxy's own", "no address of a proxy; name the one that the Hub sees it come from")
}

// prefix reads an IP address or a prefix of those whom something is granted to. Own says
// whose address it has to be, and unspecified what 0.0.0.0 is.
func (v *check) prefix(field, s, own, unspecified string) (netip.Prefix, bool) {
	p, err := netip.ParsePrefix(s)
	a := p.Addr()
	if err != nil {
		if a, err = netip.ParseAddr(s); err == nil {
			p = netip.PrefixFrom(a, a.BitLen())
		}
	}
	switch {
	case err != nil:
		v.fault(field, "%q is neither an IP address nor a prefix of some; write it like \"127.0.0.1\" or \"10.0.0.0/8\"", s)
	case a.Is4In6() || a.Zone() != "":
		v.fault(field, "%q: write the address alone, without ::ffff: before it or a %% part behind it", s)
	case p.Bits() == 0:
		v.fault(field, "%q is every address there is, so anybody could claim to be anybody; name %s", s, own)
	case a.IsUnspecified():
		v.fault(field, "%q is %s", s, unspecified)
	case p != p.Masked():
		v.fault(field, "%q: its address has more than its prefix; write %s or %s", s, p.Masked(), a)
	default:
		return p, true
	}
	return netip.Prefix{}, false
}

// origin checks one page's origin: it has to be the very text that a browser sends.
func (v *check) origin(s string) {
	const field, example = "chat.origins", `"https://os.example"`
	switch s {
	case "*":
		v.fault(field, "* would let every page on the internet in; name each origin, like %s", example)
		return
	case "null":
		v.fault(field, `"null" is what any page can be made to send; name an origin, like %s`, example)
		return
	case "":
		v.fault(field, "must be an origin, like %s", example)
		return
	}
	u := v.address(field, s)
	switch {
	case u == nil:
	case u.Path != "" || u.RawQuery != "" || u.ForceQuery:
		v.fault(field, "%q: an origin ends with its host or its port, with no / behind it, like %s", s, example)
	case !goodHost(u.Hostname()):
		v.fault(field, "%q: the host must be an IP address, or a name of small letters, digits, - and .", s)
	case u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80":
		v.fault(field, "%q: browsers leave the usual port out; write %s://%s", s, u.Scheme, strings.TrimSuffix(u.Host, ":"+u.Port()))
	case u.String() != s || strings.HasSuffix(s, ":"):
		v.fault(field, "%q is not how a browser writes it; write it in small letters, like %s", s, example)
	}
}

var hostForm = pattern.Lazy(`^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)

// goodHost is a host as browsers write it, that somebody could call.
func goodHost(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Zone() == "" && !a.Is4In6() && !a.IsUnspecified() && a.String() == host
	}
	if len(host) > 253 || !hostForm().MatchString(host) {
		return false
	}
	// A last step of digits makes browsers read the whole as an IPv4 address, so it is
	// either one, and was taken above, or nothing.
	return strings.Trim(host[strings.LastIndex(host, ".")+1:], "0123456789") != ""
}

// PublicHost is the host of public_url; empty where there is none.
func (c *Config) PublicHost() string {
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
