package reach

import (
	_ "embed"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/askhub/askhub/internal/config"
)

// The paths of what a phone needs before it trusts the local CA.
const (
	InstallPath = "/install-ca"
	crtPath     = "/local-ca.crt"
)

//go:embed install.html
var installHTML string

// The page shows no fingerprint: it comes unencrypted, and whoever changed the
// certificate on the way would change the fingerprint beside it.
var installPage = template.Must(template.New("install").Parse(installHTML))

// install answers for the local CA's page and certificate, and says whether it did.
func (d *Door) install(w http.ResponseWriter, r *http.Request) bool {
	ca := d.ca.Load()
	if ca == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	switch r.URL.Path {
	case crtPath:
		// The binary form, with no name for a file: an iPhone offers to install what comes so.
		answer(w, "application/x-x509-ca-cert")
		_, _ = w.Write(ca.Certificate().Raw)
	case InstallPath, "/":
		answer(w, "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		_ = installPage.Execute(w, struct{ Secure, Certificate, Name string }{
			d.secureBase(r) + "/", crtPath, ca.Certificate().Subject.CommonName,
		})
	default:
		return false
	}
	return true
}

func answer(w http.ResponseWriter, contentType string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store") // an old CA from a cache would be trusted in vain
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// inTheClear answers everything that comes unencrypted on a port with TLS. Nothing of the
// Hub is in it.
func (d *Door) inTheClear(w http.ResponseWriter, r *http.Request) {
	if d.install(w, r) {
		return
	}
	target := d.secureBase(r)
	if strings.HasPrefix(r.URL.Path, "/") {
		// A # that stands raw in a query would begin a fragment in an address.
		target += strings.ReplaceAll(r.URL.RequestURI(), "#", "%23")
	}
	// Not StatusMovedPermanently: a POST must stay one.
	http.Redirect(w, r, target, http.StatusPermanentRedirect)
}

// secureBase is the https address of the host that the caller used; public_url's where
// the caller names none that is one.
func (d *Door) secureBase(r *http.Request) string {
	base := "https://" + r.Host
	if u, err := url.Parse(base); err == nil && u.Hostname() != "" && u.User == nil && u.Host == r.Host && u.Path == "" && u.RawQuery == "" && u.Fragment == "" {
		return base
	}
	if d.cfg.PublicURL != "" {
		return d.cfg.PublicURL
	}
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return "https://" + a.String()
	}
	return "https://" + config.Dialable(d.cfg.Listen)
}
