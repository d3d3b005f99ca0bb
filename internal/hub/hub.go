// Package hub answers questions. A question goes through five stages in order:
// guard, decide, dispatch, merge, reply; Ask reads as these. The Hub knows who
// answers what and in which shape; it never learns a project's data.
package hub

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/guard"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
)

// Recorder keeps what became of each question. Add must not wait for a disk.
type Recorder interface {
	Add(r record.Record)
}

// Config is what a Hub is built from.
type Config struct {
	// Projects finds the configured projects.
	Projects dispatch.Projects
	// Connectors reach the command destinations, each under its name.
	Connectors map[string]dispatch.Connector
	// Deciders reach the destinations that need a person's yes, each under its name.
	Deciders map[string]dispatch.Decider
	// Record keeps each question.
	Record Recorder
	// Recall finds the record of an earlier request; nil where nobody can. It is asked what a
	// "never mind" is about after a restart, or what waits since at another Hub.
	Recall func(ctx context.Context, id string) (record.Record, error)
	// Guest lists the destinations that a guest reaches.
	Guest []string
	// Budget bounds a whole request (spec 5: 8 s by default).
	Budget time.Duration
	// Decider decides with a model; nil where there is none.
	Decider *decide.Decider
	// Now is the clock.
	Now func() time.Time
}

// Hub answers questions. It is safe for concurrent use; Use may be called at any
// time.
type Hub struct {
	cfg        Config
	dispatcher *dispatch.Dispatcher
	open       *openQuestions
	rules      atomic.Pointer[Rules]
	ruled      chan struct{} // closed by the first Use
	first      sync.Once
}

// New is a Hub whose questions wait for its first Use.
func New(cfg Config) *Hub {
	return &Hub{
		cfg:        cfg,
		dispatcher: dispatch.New(cfg.Projects, cfg.Connectors, cfg.Deciders, cfg.Now),
		open:       newOpenQuestions(),
		ruled:      make(chan struct{}),
	}
}

// Rules are what questions are judged by: a routing file, a household and what
// the projects declare. They do not change.
type Rules struct {
	view   routing.View
	house  *people.Household
	guard  *guard.Guard
	router *decide.Embedded
	// told is what a model is told of the household, made when one is first asked.
	told func() *decide.Told
	// listed holds each project's people with their aliases.
	listed map[string][]people.Listed
}

// NewRules builds the guard and the router of this household. The first one takes
// some milliseconds, since the words that they know are read in then.
func NewRules(file *routing.File, house *people.Household, capabilities []ask.Capabilities) *Rules {
	r := &Rules{view: routing.View{File: file, Capabilities: capabilities}, house: house}
	r.guard = guard.New(file, names(house, capabilities))
	r.router = decide.NewEmbedded(r.view)
	r.told = sync.OnceValue(func() *decide.Told { return decide.NewTold(r.view) })
	r.listed = make(map[string][]people.Listed, len(capabilities))
	for _, c := range capabilities {
		r.listed[c.Project] = house.Listed(c.People)
	}
	return r
}

// Told is what a model is told of this household.
func (r *Rules) Told() *decide.Told { return r.told() }

// Use judges every later question by these rules. Questions under way keep the
// ones that they began with.
func (h *Hub) Use(rules *Rules) {
	h.rules.Store(rules)
	h.first.Do(func() { close(h.ruled) })
}

// inForce are the rules as they stand.
func (h *Hub) inForce() *Rules {
	<-h.ruled
	return h.rules.Load()
}

// Capabilities are those by which questions are judged now. The caller must not change them.
func (h *Hub) Capabilities() []ask.Capabilities { return h.inForce().view.Capabilities }

// names are all the names that somebody is called by here: the household's, and
// those of whom a project has data about.
func names(house *people.Household, capabilities []ask.Capabilities) []string {
	var all []string
	for _, p := range house.People() {
		all = append(append(all, string(p.Name)), p.Aliases...)
	}
	for _, c := range capabilities {
		for _, p := range c.People {
			all = append(all, string(p))
		}
	}
	return all
}

// Request is one question as a way in sends it.
type Request struct {
	ask.Question
	// WayIn is the caller whose token it came with.
	WayIn string
	// Want is the shape of the reply; it is never empty here.
	Want reply.Want
	// Key is the way in's own name for this request: the same again is the same request.
	// It may be empty.
	Key string
	// InReplyTo is the id of the reply that this continues, a clarify or what waits for a
	// yes; it may be empty.
	InReplyTo string
	// Heard is what else the way in knows of where and how it was asked.
	Heard dispatch.Heard
}

// Reply is what a way in gets, and what is kept of it.
type Reply struct {
	record.Record
	// Title is set for a notification only.
	Title string
}

// Ask answers one request within the Hub's budget. Whatever happens to a
// project or to the model is part of the answer, so there is no error.
func (h *Hub) Ask(ctx context.Context, req Request) Reply {
	q := h.begin(ctx, req)

	q.guard(h)
	q.decide(ctx, h)
	parts := q.dispatch(ctx, h)
	answer := q.merge(parts)
	out := q.reply(answer, parts)

	switch out.Status {
	case routing.StatusClarify:
		h.open.put(out.ID, q.asOpen(parts), q.began)
	case routing.StatusPending:
		h.open.put(out.ID, q.asWaiting(parts[0]), q.began)
	}
	h.cfg.Record.Add(out.Record)
	return out
}

// topic names a destination as a person would say it.
func (r *Rules) topic(project string) string {
	if d, ok := r.view.File.Find(project); ok && len(d.Topics) > 0 {
		return d.Topics[0]
	}
	return project
}
