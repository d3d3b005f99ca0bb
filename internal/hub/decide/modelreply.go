package decide

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/hub/routing"
)

// longestReason is the longest reason of a model, in code points.
const longestReason = 80

// modelReply is a reply's whole form. A pointer tells what is missing.
type modelReply struct {
	Outcome    *routing.Outcome `json:"outcome"`
	Projects   *[]string        `json:"projects"`
	Confidence *int             `json:"confidence"`
	Reason     *string          `json:"reason"`
}

// The errors of a reply name its field and quote nothing of it: a model may repeat what
// the question said.
var (
	errReplyForm     = errors.New("it is not one JSON object of the four fields and their types")
	errReplyMissing  = errors.New("it lacks one of outcome, projects, confidence and reason")
	errReplyOutcome  = errors.New("outcome is none of route, fanout, clarify and no_match")
	errReplyUnknown  = errors.New("projects names one that this household does not have")
	errReplyTwice    = errors.New("projects names one twice")
	errReplySure     = errors.New("confidence is not one of 0, 10, 20 to 100")
	errReplyReason   = fmt.Errorf("reason is longer than %d characters, or holds control characters", longestReason)
	errReplyProjects = errors.New("projects has more or fewer names than its outcome allows")
)

// counts are how many projects each outcome has.
var counts = map[routing.Outcome][2]int{
	routing.OutcomeRoute:   {1, 1},
	routing.OutcomeFanout:  {2, routing.MaxProjects},
	routing.OutcomeClarify: {0, routing.MaxProjects},
	routing.OutcomeNoMatch: {0, 0},
}

// Read is the decision of a model's reply. It takes it as it stands or not at all:
// whatever the provider promised, nothing is repaired.
func (t *Told) Read(reply []byte) (routing.Decision, error) {
	var r modelReply
	if err := json.Unmarshal(reply, &r, json.RejectUnknownMembers(true)); err != nil {
		return routing.Decision{}, errReplyForm
	}
	if r.Outcome == nil || r.Projects == nil || r.Confidence == nil || r.Reason == nil {
		return routing.Decision{}, errReplyMissing
	}
	bounds, ok := counts[*r.Outcome]
	if !ok {
		return routing.Decision{}, errReplyOutcome
	}
	for i, name := range *r.Projects {
		if _, ok := t.places[name]; !ok {
			return routing.Decision{}, errReplyUnknown
		}
		if slices.Contains((*r.Projects)[:i], name) {
			return routing.Decision{}, errReplyTwice
		}
	}
	switch n := len(*r.Projects); {
	case n < bounds[0] || n > bounds[1]:
		return routing.Decision{}, errReplyProjects
	case *r.Confidence < 0 || *r.Confidence > 100 || *r.Confidence%10 != 0:
		return routing.Decision{}, errReplySure
	case utf8.RuneCountInString(*r.Reason) > longestReason || strings.ContainsFunc(*r.Reason, unicode.IsControl):
		return routing.Decision{}, errReplyReason
	}
	return t.decision(*r.Outcome, *r.Projects, *r.Confidence, *r.Reason), nil
}

// decision has the projects in the file's order (spec 2), as every decision has.
func (t *Told) decision(outcome routing.Outcome, projects []string, confidence int, reason string) routing.Decision {
	d := routing.Decision{
		Outcome: outcome, Projects: slices.Clone(projects), By: routing.ByModel,
		Confidence: float64(confidence) / 100, Reason: t.reason(projects, reason), Why: reason,
	}
	if len(d.Projects) == 0 {
		d.Projects = nil
	}
	slices.SortFunc(d.Projects, func(a, b string) int { return t.places[a] - t.places[b] })
	if outcome == routing.OutcomeClarify {
		d.Choices = t.choices(d.Projects)
	}
	return d
}

// reason is what a caller is told: a topic of the household's own that the model named,
// else that a model decided. Its other words go into the record alone.
func (t *Told) reason(projects []string, reason string) string {
	said := strings.TrimSpace(reason)
	for _, p := range projects {
		for _, topic := range t.rows[t.places[p]].topics {
			if topic != "" && strings.EqualFold(topic, said) {
				return "topic:" + topic
			}
		}
	}
	return "model"
}

// choices are the candidates of a clarify as a person would say them: by their first
// topic, or their name where two would be called alike.
func (t *Told) choices(projects []string) []string {
	var out []string
	for _, p := range projects {
		said := strings.ReplaceAll(p, "_", " ")
		if topics := t.rows[t.places[p]].row.Topics; len(topics) > 0 && !slices.Contains(out, topics[0]) {
			said = topics[0]
		}
		out = append(out, said)
	}
	return out
}
