package doctor

import (
	"context"
	"slices"
	"sync"

	"github.com/askhub/askhub/internal/config"
)

// Connector is one command destination that this program reaches itself.
type Connector struct {
	// Name is its row in routing.md.
	Name string
	// Configured says whether the household has set it up.
	Configured func(cfg *config.Config) bool
	// Check looks whether it can be reached, and changes nothing there. Secret is the
	// named secret, or "" where it is missing.
	Check func(ctx context.Context, cfg *config.Config, secret func(name string) string) []Check
}

// connectors looks at each one that is set up.
func (e *exam) connectors(ctx context.Context) []Check {
	found := make([][]Check, len(e.Connectors))
	var all sync.WaitGroup
	secret := func(name string) string {
		value, _ := e.secret(name) // a file that cannot be read is reported elsewhere
		return value
	}
	for i, c := range e.Connectors {
		if c.Configured(e.cfg) {
			all.Go(func() { found[i] = c.Check(ctx, e.cfg, secret) })
		}
	}
	all.Wait()
	return slices.Concat(found...)
}

// connects says whether a connector for that destination is set up.
func (e *exam) connects(destination string) bool {
	return slices.ContainsFunc(e.Connectors, func(c Connector) bool { return c.Name == destination && c.Configured(e.cfg) })
}
