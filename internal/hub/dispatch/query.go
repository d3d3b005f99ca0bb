package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/hub/routing"
)

// query asks a data project over the ask contract, or answers from memory where
// the project said how long its answer stays true.
func (d *Dispatcher) query(ctx context.Context, client *askclient.Client, project string, q ask.Question) routing.Part {
	key := memoryKey{project: project, asker: q.Asker, person: q.About(), question: q.Question}
	now := d.now()
	if answer, ok := d.memory.get(key, now); ok {
		part := fromAnswer(answer, routing.StatusAnswered)
		part.Remembered = true
		return part
	}
	answer, err := client.Ask(ctx, q)
	if err != nil {
		return fault(project, err)
	}
	if answer.Answer != nil && answer.Expires.After(now) {
		d.memory.put(key, answer, now)
	}
	return fromAnswer(answer, routing.StatusAnswered)
}

// fault is the part of a destination that gave no answer. The cause is logged
// and goes no further.
func fault(project string, err error) routing.Part {
	reason := routing.ReasonDown
	switch {
	case errors.Is(err, askclient.ErrSlow), errors.Is(err, context.DeadlineExceeded):
		reason = routing.ReasonSlow
	case errors.Is(err, askclient.ErrNonsense):
		reason = routing.ReasonNonsense
	case errors.Is(err, askclient.ErrRefused):
		reason = routing.ReasonTokenRefused
	}
	if !errors.Is(err, context.Canceled) {
		log := slog.With("project", project, "reason", reason, "cause", err)
		if rule := brokenRule(err); rule != "" {
			log = log.With("rule", rule)
		}
		log.Warn("a project gave no answer")
	}
	return unavailable(reason)
}

// brokenRule is what of the contract a project's answer does not keep, for whoever writes the
// project; empty where it gave none. It is never in the project's own words.
func brokenRule(err error) string {
	e, ok := errors.AsType[*askclient.Error](err)
	if !ok || !errors.Is(e.Kind, askclient.ErrNonsense) || e.Status != http.StatusOK || e.Problem == nil {
		return ""
	}
	return e.Problem.Detail
}
