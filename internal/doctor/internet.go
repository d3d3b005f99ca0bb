package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/secrets"
)

// network asks the network of the internet project how it is. Without its password it is not
// asked: none would count as a wrong one.
func (e *exam) network(ctx context.Context) []Check {
	n := e.cfg.Internet
	if n.Backend == "" || e.Network == nil {
		return nil
	}
	var password string
	if n.PasswordEnv != "" {
		if password, _ = e.secret(n.PasswordEnv); password == "" {
			return nil // it stands under internet
		}
	}
	return e.Network(ctx, e.cfg, password)
}

// internet looks at what the shipped internet project reads.
func (e *exam) internet() []Check {
	var checks []Check
	n := e.cfg.Internet
	if n.Backend == "" {
		return nil
	}
	good := 0
	for i, d := range n.Devices {
		if e.house != nil {
			if _, ok := e.house.Find(d.Person); !ok {
				check := fmt.Sprintf("internet.devices[%d]", i)
				checks = append(checks, Check{check, Warn, "it is " + d.Person + "'s, whom people.toml does not name, so nobody may ask about it", "Name " + d.Person + " in people.toml, or mend person in askhub.toml.", false})
				continue
			}
		}
		good++
	}
	wanted := map[string]string{}
	if n.PasswordEnv != "" {
		wanted[n.PasswordEnv] = "Put the line " + n.PasswordEnv + "=… into " + e.cfg.Secrets + "."
	}
	for name, p := range e.cfg.Projects {
		if p.Run == "internet" {
			wanted[ask.ApprovalTokenVariable(name)] = "Run \"askhub token new --approval " + name + "\"; without it nothing can be changed."
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		found, err := secrets.Lookup(e.cfg.Secrets, e.Environ, name)
		if err == nil && found[name] == "" {
			checks = append(checks, Check{"internet", Fault, name + " is missing", wanted[name], false})
		}
	}
	if good > 0 {
		checks = append([]Check{{Check: "internet", State: OK, What: count(good, "device is set up well", "devices are set up well")}}, checks...)
	}
	return checks
}
