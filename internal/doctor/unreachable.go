package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/unreachable"
)

// unreachable proves of this household's tokens, projects and rows that no control action
// can be reached from its Hub.
func (e *exam) unreachable() []Check {
	if e.rules == nil {
		return nil // what is wrong with routing.md was said
	}
	s := unreachable.Surface{Routes: slices.Clone(e.Routes), Destinations: e.rules.Destinations}
	if e.cfg.Wyoming.Listen != "" {
		s.Routes = append(s.Routes, unreachable.Wyoming)
	}
	s.Tokens = []unreachable.Token{{Name: config.AdminName, Holder: unreachable.Admin}, {Name: "a chat's page", Holder: unreachable.Browser}}
	for _, name := range e.cfg.WayInNames() {
		s.Tokens = append(s.Tokens, unreachable.Token{Name: name, Holder: unreachable.WayIn})
	}
	for _, name := range e.cfg.ProjectNames() {
		p := e.cfg.Projects[name]
		s.Tokens = append(s.Tokens, unreachable.Token{Name: name, Holder: unreachable.Project})
		s.Projects = append(s.Projects, unreachable.Target{Name: name, URL: p.URL, Run: p.Run})
	}
	if list, err := secrets.List(e.cfg.Secrets, e.Environ); err == nil {
		for _, t := range list {
			s.Secrets = append(s.Secrets, unreachable.Secret{Var: t.Var, Print: string(t.Digest[:])})
		}
	}
	s.Connectors = append(s.Connectors, e.phoneServers()...)
	if p := e.cfg.Paperclip; p.Configured() {
		s.Connectors = append(s.Connectors, unreachable.Connector{Destination: "paperclip", Addresses: []string{p.URL + "/api"}})
	}
	names := map[string]bool{}
	for _, pair := range e.Environ {
		name, _, _ := strings.Cut(pair, "=")
		names[name] = true
	}
	s.Environ = slices.Sorted(maps.Keys(names))
	proof := unreachable.Prove(s)
	if len(proof.Faults) == 0 {
		return []Check{{Check: "unreachable", State: OK, What: fmt.Sprintf("no token reaches a control action, by %s", count(proof.Walks, "way that was walked", "ways that were walked"))}}
	}
	var checks []Check
	for _, f := range proof.Faults {
		checks = append(checks, Check{"unreachable", Fault, f.Where + ": " + f.What, f.Mend, false})
	}
	return checks
}
