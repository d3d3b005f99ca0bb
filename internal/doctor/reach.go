package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/localca"
	"github.com/askhub/askhub/internal/reach"
)

// guide is the page that has all of this at length.
const guide = "docs/reach.md"

// reach looks at how others reach the Hub, and what their devices will say to that.
func (e *exam) reach(public publicAnswer) []Check {
	checks := []Check{e.audience()}
	switch e.cfg.TLS {
	case config.TLSFiles:
		checks = append(checks, e.ownCertificate()...)
	case config.TLSLocalCA:
		checks = append(checks, e.localCA()...)
	}
	return slices.Concat(checks, e.public(public), e.origins())
}

// encrypted is whether what people type begins with https.
func (e *exam) encrypted() bool {
	return e.cfg.TLS != "" || strings.HasPrefix(e.cfg.PublicURL, "https://")
}

// audience says who reaches the Hub, and what their devices will not do there.
func (e *exam) audience() Check {
	host, _, _ := net.SplitHostPort(e.cfg.Listen) // the config has checked it
	here := config.Loopback(host)
	own := e.cfg.TLS == config.TLSFiles || e.cfg.TLS == config.TLSLocalCA
	switch {
	case here && own:
		return Check{"reach", Warn, "tls is set, and listen lets this machine alone in", `Set listen to "0.0.0.0:8420" for the phones of the house.`, false}
	case here && e.cfg.PublicURL == "" && e.cfg.TLS == "":
		return Check{Check: "reach", State: OK, What: "only this machine reaches the Hub"}
	case !e.encrypted():
		return Check{
			"reach", Warn, "others reach the Hub without TLS, where browsers give no secure context: installing the chat page and the microphone do not work there, nor will push and passkeys; plain chat does",
			"Set tls in askhub.toml, as " + guide + " says.", false,
		}
	case !here && e.cfg.TLS == config.TLSProxy && e.proxyIsHere():
		return Check{"reach", Warn, "the proxy is on this machine, and others reach the Hub past it, unencrypted", `Set listen to "127.0.0.1:8420".`, false}
	case e.cfg.TLS == config.TLSProxy || !own:
		return Check{Check: "reach", State: OK, What: "a proxy speaks TLS for the Hub"}
	}
	return Check{Check: "reach", State: OK, What: "the Hub speaks TLS by itself, on " + e.cfg.Listen}
}

// proxyIsHere is whether every trusted proxy is on this machine.
func (e *exam) proxyIsHere() bool {
	return !slices.ContainsFunc(e.cfg.Proxies(), func(p netip.Prefix) bool { return !p.Addr().IsLoopback() })
}

func (e *exam) tlsFault(err error) []Check {
	what, mend := halves(err.Error(), "; ", "Look at "+guide+".")
	return []Check{{"tls", Fault, what, mend, false}}
}

// ownCertificate looks at tls_cert and tls_key.
func (e *exam) ownCertificate() []Check {
	pair, err := reach.LoadFiles(e.cfg)
	if err != nil {
		return e.tlsFault(err)
	}
	var checks []Check
	for _, c := range reach.Judge(pair.Leaf, e.cfg.PublicHost(), e.Now()) {
		state := Warn
		if c.Fault {
			state = Fault
		}
		checks = append(checks, Check{"tls", state, "the certificate in " + e.cfg.TLSCert + ": " + c.What, c.Mend, false})
	}
	if checks == nil {
		checks = []Check{{Check: "tls", State: OK, What: "the certificate in " + e.cfg.TLSCert + " is good until " + e.day(pair.Leaf.NotAfter)}}
	}
	if e.cfg.PublicURL == "" {
		checks = append(checks, Check{"tls", Warn, "no public_url says for which host the certificate has to be", "Set public_url in askhub.toml to the address that people type.", false})
	}
	return checks
}

// phonesNeed is how long before the local CA's end people should hear of it: each phone
// has to take the next one by hand.
const phonesNeed = 90 * 24 * time.Hour

// localCA looks at the household's own CA, and shows what phones compare it by.
func (e *exam) localCA() []Check {
	ca, err := reach.LoadCA(e.cfg)
	if err != nil {
		return e.tlsFault(err)
	}
	cert := ca.Certificate()
	anew := "Move " + config.LocalCAName + " and " + config.LocalCAKeyName + " away, make a new CA, and install it on each phone, with: " + reach.NewCA(e.cfg.Dir)
	switch host, left := e.cfg.PublicHost(), cert.NotAfter.Sub(e.Now()); {
	case left <= 0:
		return []Check{{"tls", Fault, "the local CA expired on " + e.day(cert.NotAfter), anew, false}}
	case e.Now().Before(cert.NotBefore):
		return []Check{{"tls", Fault, "the local CA is good only from " + e.day(cert.NotBefore) + " on", "Look at this machine's clock.", false}}
	case host != "" && !ca.Covers(host):
		return e.tlsFault(reach.Uncovered(e.cfg.Dir, host))
	case left < phonesNeed:
		return []Check{{"tls", Warn, "the local CA expires on " + e.day(cert.NotAfter), anew, false}}
	}
	return []Check{{Check: "tls", State: OK, What: fmt.Sprintf("the local CA %q is good until %s; on a phone its SHA-256 fingerprint has to be %s",
		cert.Subject.CommonName, e.day(cert.NotAfter), localca.Fingerprint(cert))}}
}

// day is the day as it is called where this machine stands: a certificate has its own in UTC.
func (e *exam) day(t time.Time) string { return t.In(e.Now().Location()).Format("2 January 2006") }

// publicAnswer is what came of asking for the Hub's health at public_url.
type publicAnswer struct {
	health *hubHealth
	err    error
	// stranger is whether this machine does not know who issued the certificate there.
	stranger bool
}

// askPublic asks at public_url as a phone would, without any token.
func (e *exam) askPublic(ctx context.Context) publicAnswer {
	if e.cfg.PublicURL == "" {
		return publicAnswer{}
	}
	trust, err := reach.ClientTLS(e.cfg)
	if err != nil {
		return publicAnswer{err: err}
	}
	if e.cfg.TLS == config.TLSLocalCA {
		trust.ServerName = "" // a phone looks at the name that was typed
		health, err := askHealth(ctx, direct(trust), e.cfg.PublicURL, "")
		return publicAnswer{health: health, err: err}
	}
	known := direct(&tls.Config{RootCAs: e.Roots, MinVersion: tls.VersionTLS12})
	health, err := askHealth(ctx, known, e.cfg.PublicURL, "")
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); !ok || trust == nil {
		return publicAnswer{health: health, err: err}
	}
	// A certificate that this machine does not know may still be the one in tls_cert.
	trust.ServerName = ""
	health, err = askHealth(ctx, direct(trust), e.cfg.PublicURL, "")
	return publicAnswer{health: health, err: err, stranger: true}
}

// public looks at what answers at public_url.
func (e *exam) public(a publicAnswer) []Check {
	const check = "public_url"
	address := e.cfg.PublicURL
	tryPhone := "Try it from a phone; if it fails there too, look at the name, the port, the firewall and the router."
	bad, untrusted := errors.AsType[*tls.CertificateVerificationError](a.err)
	unknownName, isName := errors.AsType[*net.DNSError](a.err)
	_, isAuthority := errors.AsType[x509.UnknownAuthorityError](a.err)
	timeout, isNet := errors.AsType[net.Error](a.err)
	switch {
	case address == "":
		return nil
	case e.instance == "":
		return []Check{{check, Warn, address + " was not tried, since no Hub answers on this machine", `Start it with "askhub serve", then run "askhub doctor" again.`, false}}
	case isName && unknownName.IsNotFound:
		return []Check{{check, Warn, "this machine knows no address for the name " + e.cfg.PublicHost() + "; whether a phone does is not known", "Give the name an address in the router or in the house's DNS, or use the machine's own address.", false}}
	case isAuthority:
		return []Check{{check, Warn, "the certificate at " + address + " is of a CA that this machine does not know; whether a phone does is not known", "Install that CA on each device, or use a certificate of one that everybody knows.", false}}
	case untrusted:
		return []Check{{check, Fault, "phones will not trust the certificate at " + address + " (" + bad.Err.Error() + ")", "Mend the certificate of what answers there, or public_url in askhub.toml.", false}}
	case errors.Is(a.err, errNoHub):
		return []Check{{check, Fault, strings.Replace(a.err.Error(), "there", "at "+address, 1), "Lead what answers there to the Hub, or mend public_url in askhub.toml.", false}}
	case isNet && timeout.Timeout():
		return []Check{{check, Warn, "nothing answered at " + address + " in time, from this machine", tryPhone, false}}
	case a.err != nil:
		return []Check{{check, Warn, address + " cannot be reached from this machine", tryPhone, false}}
	case a.health.instance != e.instance:
		return []Check{{check, Fault, "another Hub than this one answers at " + address, "Lead that address here, or mend public_url in askhub.toml.", false}}
	}
	return e.publicHub(a)
}

// publicHub looks at the way that the Hub was reached by, through public_url.
func (e *exam) publicHub(a publicAnswer) []Check {
	const check = "public_url"
	headers := "Let the proxy set X-Forwarded-For, as " + guide + " shows."
	switch {
	case a.stranger:
		return []Check{{check, Warn, "this Hub answers at " + e.cfg.PublicURL + ", with a certificate of a CA that this machine does not know", "Install that CA on each device, or use a certificate of one that everybody knows.", false}}
	case a.health.reached == reach.ReachedWithoutXFF:
		return []Check{{check, Warn, "the proxy at " + e.cfg.PublicURL + " does not say for whom it asks, so that all callers share one limit", headers, false}}
	case e.cfg.TLS == config.TLSProxy && a.health.reached == reach.ReachedDirectly:
		return []Check{{check, Warn, "what comes from " + e.cfg.PublicURL + " does not come from one of trusted_proxies, so that all callers seem to be the proxy", "Put the address that the proxy calls from into trusted_proxies in askhub.toml.", false}}
	case e.cfg.TLS == "" && strings.HasPrefix(e.cfg.PublicURL, "https://") && a.health.reached == reach.ReachedDirectly:
		return []Check{{check, Warn, "something speaks TLS for the Hub at " + e.cfg.PublicURL + ", and askhub.toml does not say so: all callers seem to be that", `Set tls = "proxy" and trusted_proxies in askhub.toml.`, false}}
	}
	return []Check{{Check: check, State: OK, What: "this Hub answers at " + e.cfg.PublicURL}}
}

// origins looks at the pages from elsewhere that may call the chat.
func (e *exam) origins() []Check {
	if len(e.cfg.Chat.Origins) == 0 {
		return nil
	}
	var checks []Check
	for _, origin := range e.cfg.Chat.Origins {
		switch {
		case origin == e.cfg.PublicURL:
			checks = append(checks, Check{"chat.origins", Warn, origin + " is the Hub's own address, which needs no line", "Take it out of origins.", false})
		case strings.HasPrefix(origin, "https://") && !e.encrypted():
			checks = append(checks, Check{"chat.origins", Warn, "a page from " + origin + " may not call a Hub without TLS: browsers stop it as mixed content", "Set tls in askhub.toml, as " + guide + " says.", false})
		}
	}
	if checks == nil {
		checks = []Check{{Check: "chat.origins", State: OK, What: count(len(e.cfg.Chat.Origins), "page from elsewhere may", "pages from elsewhere may") + " call the chat"}}
	}
	return checks
}
