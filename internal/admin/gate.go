package admin

import (
	"net/http"
	"net/netip"
	"net/url"
)

// policy lets a page load the app's own files and call the app, and nothing else, and
// nobody show it in a frame. Trusted types refuse a string wherever a script could come
// of it; the app's one policy admits the service worker's address.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types askhub-admin"

// headers are those of every reply, errors included.
var headers = map[string]string{
	"Content-Security-Policy": policy,
	"X-Frame-Options":         "DENY", // for browsers that know no frame-ancestors
	"X-Content-Type-Options":  "nosniff",
	// no-referrer would make browsers send "null" as the origin of a form.
	"Referrer-Policy":              "same-origin",
	"Permissions-Policy":           "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-get=(self), publickey-credentials-create=(self)",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control":                "no-store",
}

// gate keeps out what does not come from the app's own pages at the app's own address.
type gate struct {
	origin string
	// hosts are what Host may say.
	hosts map[string]bool
	// port is that of a loopback address, which is led to the origin.
	port string
}

func newGate(u *url.URL) gate {
	g := gate{origin: u.Scheme + "://" + u.Host, hosts: map[string]bool{u.Host: true}, port: u.Port()}
	if usual := map[string]string{"https": "443", "http": "80"}[u.Scheme]; u.Port() == "" {
		g.hosts[u.Host+":"+usual] = true
	}
	return g
}

// admit says whether the request may go on. Where it came to this machine's own address
// instead of its name, for which no passkey works, it says where to go.
func (g gate) admit(w http.ResponseWriter, r *http.Request) (to string, err error) {
	h := w.Header()
	for name, value := range headers {
		h.Set(name, value)
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !g.hosts[r.Host] {
		if reads && r.URL.Path == "/health" {
			return "", nil // whoever looks after the machine calls it by its address
		}
		if reads && loopback(r.Host) {
			return g.origin + r.URL.RequestURI(), nil
		}
		return "", wrongHost()
	}
	if reads {
		return "", nil
	}
	site := r.Header.Get("Sec-Fetch-Site")
	switch from := r.Header["Origin"]; {
	case len(from) == 1 && from[0] == g.origin && (site == "" || site == "same-origin"):
		return "", nil
	case len(from) == 0 && site == "same-origin":
		return "", nil
	}
	return "", crossSite()
}

// loopback says whether Host is an address of this machine itself.
func loopback(host string) bool {
	if a, err := netip.ParseAddrPort(host); err == nil {
		return a.Addr().IsLoopback()
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}
