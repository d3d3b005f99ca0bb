package main

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/events"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/record"
)

// eventPart tells the admin app what happens.
type eventPart struct{ stream *events.Stream }

func newEventPart() *eventPart { return &eventPart{events.New(rand.Text()[:12])} }

func (p *eventPart) publish(kind events.Kind, v any) { p.stream.Publish(kind, v) }

// requestEvent is a question that was answered. Its texts are in its record only, if the
// household keeps them.
type requestEvent struct {
	ID     string     `json:"id"`
	Time   time.Time  `json:"time"`
	Asker  ask.Asker  `json:"asker"`
	Person ask.Person `json:"person,omitzero"`
	WayIn  string     `json:"way_in"`
	Status string     `json:"status"`
	Kind   string     `json:"kind"`
}

// recorder tells of each request that it hands on.
type recorder struct {
	hub.Recorder
	p *eventPart
}

// Add implements hub.Recorder.
func (r recorder) Add(rec record.Record) {
	r.Recorder.Add(rec)
	r.p.publish(events.Request, requestEvent{
		ID: rec.ID, Time: rec.Time.UTC(), Asker: rec.Asker, Person: rec.Person, WayIn: rec.WayIn, Status: string(rec.Status), Kind: rec.Route.Kind,
	})
}

// approval tells of a new approval, or of a change.
func (p *eventPart) approval(a approve.Approval) { p.publish(events.Approval, a) }

// projectEvent is a project that is up, or down.
type projectEvent struct {
	Project string `json:"project"`
	Up      bool   `json:"up"`
	Fault   string `json:"fault,omitzero"`
}

// projects tells of each project that turns, until ctx ends.
func (p *eventPart) projects(ctx context.Context, all *registry.Registry) {
	up := map[string]bool{}
	for {
		turned := all.Turned()
		for _, s := range all.States() {
			if s.Up != up[s.Project] {
				p.publish(events.Project, projectEvent{s.Project, s.Up, s.Fault})
			}
			up[s.Project] = s.Up
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return
		}
	}
}
