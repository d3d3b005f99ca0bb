// Package decide chooses what a question that passed the guard is for: one
// destination, several, a short question back, or none (spec 2, steps 2 to 4).
package decide

import (
	"strings"

	"github.com/askhub/askhub/internal/hub/decide/concept"
	"github.com/askhub/askhub/internal/hub/routing"
)

// Embedded is the router that needs no model and no download. It is built for one
// household's file and capabilities, does not change, and may be shared.
type Embedded struct {
	view   routing.View
	topics map[string][]string
}

// NewEmbedded is the router for that view.
func NewEmbedded(view routing.View) *Embedded {
	e := &Embedded{view: view, topics: map[string][]string{}}
	for _, d := range view.File.Destinations {
		e.topics[d.Project] = append(e.topics[d.Project], d.Topics...)
	}
	for _, c := range view.Capabilities {
		e.topics[c.Project] = append(e.topics[c.Project], c.Topics...)
	}
	return e
}

// Decide chooses. The same question gives the same decision.
func (e *Embedded) Decide(question string) routing.Decision {
	words := concept.Words(question)
	best, bestScore, bestTopic := "", 0, ""
	for _, d := range e.view.File.Destinations {
		for _, topic := range e.topics[d.Project] {
			score := 0
			for _, t := range concept.Words(topic) {
				for _, w := range words {
					if sameWord(w, t) {
						score += len(t)
						break
					}
				}
			}
			if score > bestScore {
				best, bestScore, bestTopic = d.Project, score, strings.ToLower(topic)
			}
		}
	}
	if best == "" {
		return routing.Decision{Outcome: routing.OutcomeNoMatch, By: routing.ByEmbedded, Reason: "no topic"}
	}
	return routing.Decision{
		Outcome: routing.OutcomeRoute, Projects: []string{best}, By: routing.ByEmbedded,
		Confidence: 0.5, Reason: "topic:" + bestTopic,
	}
}
