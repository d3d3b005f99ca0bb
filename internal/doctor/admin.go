package doctor

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/reach"
)

// Enrolled is one passkey of the admin app.
type Enrolled struct {
	Person string
	// Host is the one that it works at.
	Host string
}

// enrolMend is how a first passkey comes about.
const enrolMend = `Run "askhub admin enrol --person NAME" for an adult.`

// admin looks whether the admin app runs, whether passkeys work where people reach it, and
// whether anybody has one. It comes after the Hub was looked at.
func (e *exam) admin(ctx context.Context) []Check {
	cfg := e.cfg.AdminReach()
	if _, port, err := net.SplitHostPort(cfg.Listen); err == nil && port == "0" {
		return []Check{{"admin", Warn, "port 0 in admin.listen takes another port at each start", `Set it to a fixed one, like "127.0.0.1:` + config.DefaultAdminPort + `".`, false}}
	}
	trust, err := reach.ClientTLS(cfg)
	if err != nil {
		return nil // it stands under tls
	}
	_, err = askHealth(ctx, direct(trust), reach.URL(cfg, cfg.Listen), "")
	switch {
	case err != nil && !cfg.Admin.Serve:
		return []Check{{Check: "admin", State: OK, What: `"askhub serve" does not start the admin app, and it does not run`}}
	case err != nil && !e.runs:
		return []Check{{"admin", Warn, "the admin app does not run, since no Hub does", `Start the Hub with "askhub serve".`, false}} // the Hub's own check weighs it
	case err != nil:
		return []Check{{"admin", Fault, "nothing that is the admin app answers at " + cfg.Listen, `Look at what "askhub serve" logs of it; it is started where HUB_TOKEN_ADMIN is in the secrets file.`, true}}
	}
	checks := []Check{{Check: "admin", State: OK, What: "the admin app answers at " + cfg.Listen + ", and people reach it at " + cfg.PublicURL}}
	checks = append(checks, e.adminReach(cfg)...)
	return append(checks, e.passkeys(ctx, cfg)...)
}

// adminReach says where others reach the Hub and cannot say yes.
func (e *exam) adminReach(cfg *config.Config) []Check {
	u, err := url.Parse(cfg.PublicURL)
	host, _, _ := net.SplitHostPort(e.cfg.Listen) // the config has checked it
	if err != nil || u.Hostname() != "localhost" || config.Loopback(host) && e.cfg.PublicURL == "" {
		return nil
	}
	return []Check{{
		"admin.public_url", Warn, "others reach the Hub, and passkeys work on this machine alone: they need https at a name, which is no IP address",
		"Set public_url under [admin] in askhub.toml, and tls, as " + guide + " says.", false,
	}}
}

func (e *exam) passkeys(ctx context.Context, cfg *config.Config) []Check {
	// Without a Hub the store may be another version's, and looking would change it.
	if e.Passkeys == nil || !e.runs {
		return nil
	}
	all, err := e.Passkeys(ctx, e.cfg)
	if err != nil {
		return nil // it stands under store
	}
	u, err := url.Parse(cfg.PublicURL)
	if err != nil {
		return nil
	}
	var here, elsewhere, strangers []string
	for _, k := range all {
		switch {
		case !e.isAdult(k.Person):
			strangers = append(strangers, k.Person)
		case k.Host == u.Hostname():
			here = append(here, k.Person)
		default:
			elsewhere = append(elsewhere, k.Host)
		}
	}
	var checks []Check
	switch {
	case len(here) == 0 && len(elsewhere) > 0:
		checks = append(checks, Check{"admin.passkeys", Warn, "all passkeys were made for " + strings.Join(once(elsewhere), ", ") + ", and the admin app is now at " + u.Hostname(), "Set public_url under [admin] back, or enrol anew. " + enrolMend, false})
	case len(here) == 0:
		checks = append(checks, Check{"admin.passkeys", Warn, "no passkey is enrolled, so nobody can say yes", enrolMend, false})
	default:
		checks = append(checks, Check{Check: "admin.passkeys", State: OK, What: count(len(here), "passkey is", "passkeys are") + " enrolled, of " + strings.Join(once(here), ", ")})
	}
	if len(strangers) > 0 {
		checks = append(checks, Check{"admin.passkeys", Warn, "a passkey is enrolled of " + strings.Join(once(strangers), ", ") + ", who is no adult in people.toml; it opens nothing", `Revoke it with "askhub admin passkeys revoke", or mend people.toml.`, false})
	}
	return checks
}

func (e *exam) isAdult(name string) bool {
	if e.house == nil {
		return true // people.toml could not be read, which stands there
	}
	p, ok := e.house.Find(name)
	return ok && p.Role == people.RoleAdult
}

// once is the list in order, each once.
func once(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
