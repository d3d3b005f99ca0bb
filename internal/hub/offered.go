package hub

import (
	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/hub/routing"
)

// offered is what the one destination that was asked asks back; nil where it does not.
func offered(parts []routing.Part) []routing.Choice {
	if len(parts) != 1 || parts[0].Status != routing.StatusClarify {
		return nil
	}
	return parts[0].Choices
}

// choices name what a clarify asks to choose from, the Hub's own or a destination's.
func (q *question) choices(d routing.Decision, parts []routing.Part) []string {
	var labels []string
	for _, c := range offered(parts) {
		labels = append(labels, c.Label)
	}
	if labels != nil {
		return labels
	}
	return d.Choices
}

// pick takes the question of the choice that the words name, where a destination had
// offered some, or the whole one that they make where it had asked for what was missing. What
// is then asked is guarded like any other question.
func (q *question) pick(h *Hub) {
	if q.earlier == nil || !q.earlier.fromDestination() {
		return
	}
	if q.earlier.lacks {
		if whole, ok := h.dispatcher.Complete(q.earlier.decision.Projects[0], q.earlier.text, q.text); ok {
			q.text, q.picked = whole, true
			return
		}
	}
	d := routing.Decision{Outcome: routing.OutcomeClarify}
	for _, c := range q.earlier.choices {
		d.Projects, d.Choices = append(d.Projects, c.Label), append(d.Choices, c.Label)
	}
	label, ok := decide.Choose(d, q.text)
	for _, c := range q.earlier.choices {
		if ok && c.Label == label {
			q.text, q.picked = c.Question, true
			return
		}
	}
	q.left = decide.TakesBack(q.text)
}

// lacking is whether the one destination that was asked asks for what was not said.
func lacking(parts []routing.Part) bool {
	return len(parts) == 1 && parts[0].Status == routing.StatusClarify && len(parts[0].Choices) == 0
}

// leave is what is said where somebody does not want any more what was asked back.
func (q *question) leave() []routing.Part {
	return []routing.Part{{
		Project: q.targets[0].Destination.Project, Person: q.targets[0].Person, Status: routing.StatusAnswered, Answer: "All right, I leave it.",
	}}
}
