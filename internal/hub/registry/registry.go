// Package registry knows the configured projects: which of them answer now, and what
// each declares. It asks them in the background, so that a question never waits for it.
package registry

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
)

// Target is one configured project.
type Target struct {
	// Name is the project's, equal to its row in routing.md.
	Name string
	// URL is its base address.
	URL string
	// Token gives what the Hub presents to it. It is asked at every call, so that a
	// rotated token counts at once; it must not wait for anything.
	Token func() ask.BearerToken
}

// State is how a project is now.
type State struct {
	Project string
	// Up is whether it is well, takes the token and declares itself as it should.
	Up bool
	// Fault says in plain words why it is not up; empty where it is. It holds nothing
	// that the project sent, no address and no token.
	Fault string
	// LastAnswer is when it was last well; zero where it never was.
	LastAnswer time.Time
	// Since is when Up became what it is; zero before the first reply or failure.
	Since time.Time
}

// Registry asks the projects and remembers. It is safe for concurrent use.
type Registry struct {
	log      *slog.Logger
	projects []*project
	byName   map[string]*project

	// view is what readers see; it is replaced whole and never changed.
	view atomic.Pointer[view]
	// publishing keeps two replies from replacing the view at once.
	publishing sync.Mutex
}

type view struct {
	states       []State
	capabilities []ask.Capabilities
	// changed is closed when the capabilities are no longer these.
	changed chan struct{}
	// turned is closed when a project is up that was not, or the other way round.
	turned chan struct{}
}

// New knows those projects, in that order, and asks nothing before Run. Two of one
// name are a fault of the caller's, and panic.
func New(targets []Target, log *slog.Logger) *Registry {
	r := &Registry{log: log, byName: make(map[string]*project, len(targets))}
	v := &view{changed: make(chan struct{}), turned: make(chan struct{})}
	for i, t := range targets {
		if _, twice := r.byName[t.Name]; twice {
			panic("registry: the project " + t.Name + " is configured twice")
		}
		p := &project{target: t, index: i}
		p.prober = func() prober { return p.client() }
		r.projects = append(r.projects, p)
		r.byName[t.Name] = p
		v.states = append(v.states, State{Project: t.Name, Fault: "It has not been asked yet."})
	}
	r.view.Store(v)
	return r
}

// Run asks every project until ctx ends, and returns when nothing of it runs any more.
func (r *Registry) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, p := range r.projects {
		all.Go(func() { r.follow(ctx, p) })
	}
	all.Wait()
	for _, p := range r.projects {
		if c := p.current.Load(); c != nil {
			c.Close()
		}
	}
}

// Once asks every project one time, side by side, and returns when each has answered or
// has been given up.
func (r *Registry) Once(ctx context.Context) {
	var all sync.WaitGroup
	for _, p := range r.projects {
		all.Go(func() {
			caps, err := probe(ctx, p, true)
			r.publish(p, r.States()[p.index].after(err, time.Now()), caps)
		})
	}
	all.Wait()
}

// Capabilities are the last good ones of each project that ever declared any, in the
// order of the configuration, whether it is up or not. The caller must not change them.
func (r *Registry) Capabilities() []ask.Capabilities { return r.view.Load().capabilities }

// States are how the projects are, in the order of the configuration. The caller must
// not change them.
func (r *Registry) States() []State { return r.view.Load().states }

// Changed is closed when Capabilities gives something else than now. Ask for it anew
// each time, and before reading the capabilities.
func (r *Registry) Changed() <-chan struct{} { return r.view.Load().changed }

// Turned is closed when a project is up that was not, or the other way round. Ask for it
// anew each time, and before reading the states.
func (r *Registry) Turned() <-chan struct{} { return r.view.Load().turned }

// Client calls that project with its newest token; false where none of that name is
// configured. Whether the project is up does not matter.
func (r *Registry) Client(name string) (*askclient.Client, bool) {
	p, ok := r.byName[name]
	if !ok {
		return nil, false
	}
	return p.client(), true
}

// publish takes up what became of asking project p: its state, and its capabilities
// where they were given.
func (r *Registry) publish(p *project, s State, caps *ask.Capabilities) {
	r.publishing.Lock()
	defer r.publishing.Unlock()
	old := r.view.Load()
	next := &view{states: slices.Clone(old.states), capabilities: old.capabilities, changed: old.changed, turned: old.turned}
	next.states[p.index] = s
	turned := old.states[p.index].Up != s.Up
	if turned {
		next.turned = make(chan struct{})
	}
	fresh := caps != nil && (p.declared == nil || !same(*caps, *p.declared))
	if fresh {
		p.declared = caps
		next.capabilities, next.changed = nil, make(chan struct{})
		for _, p := range r.projects {
			if p.declared != nil {
				next.capabilities = append(next.capabilities, *p.declared)
			}
		}
	}
	r.view.Store(next)
	if fresh {
		close(old.changed)
	}
	if turned {
		close(old.turned)
	}
}

func same(a, b ask.Capabilities) bool {
	return a.Project == b.Project && slices.Equal(a.Topics, b.Topics) && slices.Equal(a.People, b.People)
}
