package main

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/api"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/secrets"
)

// ruleBook holds what questions are judged by, and gives the Hub a new edition
// whenever a part of it changes.
type ruleBook struct {
	hub      *hub.Hub
	warmer   *warmer
	projects *registry.Registry

	mu    sync.Mutex
	file  *routing.File
	house *people.Household
}

// loadRules reads routing.md and people.toml as they are at the start.
func loadRules(cfg *config.Config, projects *registry.Registry) (*ruleBook, error) {
	file, _, err := routing.Load(cfg.RoutingPath())
	if err != nil {
		return nil, err
	}
	house, err := loadPeople(cfg)
	if err != nil {
		return nil, err
	}
	return &ruleBook{projects: projects, file: file, house: house}, nil
}

// household is the one in force.
func (b *ruleBook) household() *people.Household {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.house
}

// publish makes a change and gives the Hub the rules as they then stand.
func (b *ruleBook) publish(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
	rules := hub.NewRules(b.file, b.house, b.projects.Capabilities())
	b.hub.Use(rules)
	b.warmer.changed(rules.Told)
}

func (b *ruleBook) watchRouting(ctx context.Context, path string, log *slog.Logger) error {
	return routing.Watch(ctx, path, log, func(f *routing.File, _ []routing.Problem) {
		if f != nil {
			b.publish(func() { b.file = f })
		}
	})
}

func (b *ruleBook) watchProjects(ctx context.Context) {
	for {
		changed := b.projects.Changed()
		b.publish(func() {})
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// projectsInForce are the projects as questions are judged by: one that is up is told of as
// answering only once the Hub knows whom it has data about. Before that a question to it
// would be answered as if it were down.
type projectsInForce struct {
	*registry.Registry
	hub *hub.Hub
}

var _ api.Projects = projectsInForce{}

// Capabilities are those in force.
func (p projectsInForce) Capabilities() []ask.Capabilities { return p.hub.Capabilities() }

// States are how the projects are.
func (p projectsInForce) States() []registry.State {
	states := slices.Clone(p.Registry.States()) // before what is in force, which may only be newer
	declared := p.hub.Capabilities()
	for i := range states {
		s := &states[i]
		if s.Up && !slices.ContainsFunc(declared, func(c ask.Capabilities) bool { return c.Project == s.Project }) {
			s.Up, s.Fault = false, "What it knows is being read."
		}
	}
	return states
}

func targets(cfg *config.Config, tokens *secrets.Secrets) []registry.Target {
	var out []registry.Target
	for _, name := range cfg.ProjectNames() {
		out = append(out, registry.Target{
			Name: name, URL: cfg.Projects[name].URL,
			Token: func() ask.BearerToken { token, _ := tokens.Project(name); return token },
		})
	}
	return out
}
