// Package dispatch sends a decided question to its destinations and brings back
// one part for each, inside one shared budget (spec 2 and spec 5). It never
// waits for a destination past that budget, and one that is down is a part that
// says so, never an error.
package dispatch

import (
	"context"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/hub/routing"
)

// Projects finds the caller of a configured project, by its name. It is asked
// on every question, so it must not wait for anything.
type Projects interface {
	Client(project string) (*askclient.Client, bool)
}

// Aim is one destination to ask, and about whom.
type Aim struct {
	Destination routing.Destination
	// Person is whom this part is about.
	Person ask.Person
	// Undeclared is a project that has not said yet whom it knows. Whom a question
	// names cannot be told, so asking could be about the wrong person.
	Undeclared bool
	// Approval is what waits already and the question is about; empty where it asks for
	// something new. Withdraw is whether it takes that back.
	Approval string
	Withdraw bool
	// Barred says in plain words why this part must not be asked; empty means that it may.
	Barred string
}

// Dispatcher reaches every destination. It is safe for concurrent use.
type Dispatcher struct {
	projects   Projects
	connectors map[string]Connector
	deciders   map[string]Decider
	memory     *memory
	now        func() time.Time
}

// New is a dispatcher over these projects, connectors and deciders, each connector and
// each decider under the name of its destination.
func New(projects Projects, connectors map[string]Connector, deciders map[string]Decider, now func() time.Time) *Dispatcher {
	return &Dispatcher{projects: projects, connectors: connectors, deciders: deciders, memory: newMemory(), now: now}
}

// Dispatch asks each aim the question q and gives back the parts in the same
// order. All of them share one budget: ask.Budget, or what is left of the
// request's where that is less. A part that is late is unavailable, and its late
// answer is thrown away. With more than one aim nothing is carried out: a command
// destination is only read, and nothing is proposed for a yes.
func (d *Dispatcher) Dispatch(ctx context.Context, left time.Duration, aims []Aim, q ask.Question) []routing.Part {
	ctx, cancel := context.WithTimeout(ctx, min(left, ask.Budget))
	defer cancel()
	parts := make([]routing.Part, len(aims))
	if len(aims) == 1 {
		parts[0] = d.part(ctx, aims[0], q, false)
		return parts
	}
	var all sync.WaitGroup
	for i, aim := range aims {
		all.Go(func() { parts[i] = d.part(ctx, aim, q, true) })
	}
	all.Wait()
	return parts
}

// part asks one destination and times it.
func (d *Dispatcher) part(ctx context.Context, aim Aim, q ask.Question, readOnly bool) routing.Part {
	start := d.now()
	q.Person = aim.Person
	part := d.reach(ctx, aim, q, readOnly)
	part.Project, part.Person, part.Took = aim.Destination.Project, aim.Person, d.now().Sub(start)
	return part
}

func (d *Dispatcher) reach(ctx context.Context, aim Aim, q ask.Question, readOnly bool) routing.Part {
	name := aim.Destination.Project
	client, configured := d.projects.Client(name)
	connector := d.connectors[name]
	switch {
	case aim.Barred != "":
		return routing.Part{Status: routing.StatusNoAnswer, Reason: aim.Barred}
	case aim.Destination.Kind == routing.KindPeer, aim.Destination.Kind == routing.KindWayIn:
		return peer(aim.Destination)
	case aim.Destination.Kind == routing.KindCommand && connector != nil:
		part := command(ctx, name, connector, q, readOnly)
		if configured && part.Reason == routing.ReasonNotConfigured {
			return d.query(ctx, client, name, q) // the household has a project of its own for the rest
		}
		return part
	case aim.Destination.Kind == routing.KindDecision:
		return decision(ctx, aim, d.deciders[name], q, readOnly)
	case configured && aim.Undeclared:
		return unavailable(routing.ReasonDown)
	case configured:
		return d.query(ctx, client, name, q)
	case aim.Destination.Placeholder:
		return unavailable(routing.ReasonNotBuilt)
	default:
		return unavailable(routing.ReasonNotConfigured)
	}
}

func unavailable(reason string) routing.Part {
	return routing.Part{Status: routing.StatusUnavailable, Reason: reason}
}

// fromAnswer is the part that a destination's answer makes.
func fromAnswer(a ask.Answer, status routing.Status) routing.Part {
	part := routing.Part{Status: status, Reason: a.Reason, Expires: a.Expires}
	if a.Answer == nil {
		part.Status = routing.StatusNoAnswer
	} else {
		part.Answer, part.Reason = *a.Answer, ""
	}
	if len(a.Data) <= maxData {
		part.Data = a.Data
	}
	return part
}

// maxData is the most of a project's own detail that is kept, in bytes.
const maxData = 8 << 10
