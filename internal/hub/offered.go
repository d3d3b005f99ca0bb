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
// offered some. What it then asks is guarded like any other question.
func (q *question) pick() {
	if q.earlier == nil || len(q.earlier.choices) == 0 {
		return
	}
	d := routing.Decision{Outcome: routing.OutcomeClarify}
	for _, c := range q.earlier.choices {
		d.Projects, d.Choices = append(d.Projects, c.Label), append(d.Choices, c.Label)
	}
	label, ok := decide.Choose(d, q.text)
	if !ok {
		return
	}
	for _, c := range q.earlier.choices {
		if c.Label == label {
			q.text, q.picked = c.Question, true
			return
		}
	}
}
