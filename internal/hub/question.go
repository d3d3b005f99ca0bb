package hub

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/merge"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
)

// question is one request on its way through the stages, with what each found.
type question struct {
	req   Request
	rules *Rules
	now   func() time.Time
	began time.Time
	// earlier is what the request continues; nil where it is new.
	earlier *openQuestion
	// text is what is decided on and forwarded: the request's words, or those of
	// the question that they continue.
	text     string
	person   ask.Person // chosen in a clarify, or named by the caller
	refusal  routing.Refusal
	decision routing.Decision
	// id names the request, and its record.
	id string
	// picked is whether text is a choice that a destination had offered.
	picked bool
	// left is whether what a destination had asked back is not wanted any more.
	left bool
	// between are the people whom a clarify asks to choose from.
	between []ask.Person
	targets []dispatch.Aim
	// waits is what the request says of an approval that waits.
	waits waitingWords
	took  record.Timings
}

func (h *Hub) begin(ctx context.Context, req Request) *question {
	q := &question{id: record.NewID(), req: req, rules: h.inForce(), now: h.cfg.Now, began: h.cfg.Now(), text: req.Question.Question}
	if p, ok := q.rules.house.Find(string(req.Asker)); ok {
		q.req.Asker = ask.Asker(p.Name)
	}
	q.earlier = h.open.get(req.InReplyTo, req.WayIn, q.req.Asker, q.began)
	if q.earlier == nil {
		q.earlier = h.recall(ctx, &q.req, q.began)
	}
	if req.Person != "" {
		q.person = q.rules.canonical(req.Person)
	} else if q.earlier != nil {
		q.person = q.earlier.person
	}
	return q
}

// canonical is the person's name as people.toml has it.
func (r *Rules) canonical(name ask.Person) ask.Person {
	if p, ok := r.house.Find(string(name)); ok {
		return p.Name
	}
	return name
}

// guard reads the words alone and, where they continue an earlier question,
// joined to it: "the lamp" and "no, their internet" mean different things. Words that
// follow what waits for a yes are never joined to it, so they are read alone; a bare "stop"
// or "allow it" speaks of what waits, and reaches nothing that could be carried out.
func (q *question) guard(h *Hub) {
	q.pick(h)
	waits := q.earlier != nil && q.earlier.waiting()
	if waits && decide.OfAWait(q.text) {
		return
	}
	q.refusal = q.rules.guard.Check(q.text)
	if !q.refusal.Refused && q.earlier != nil && !waits {
		q.refusal = q.rules.guard.Check(q.earlier.joined(q.text))
	}
	q.took.Guard = q.now().Sub(q.began)
}

// decide says who answers, and finds out whom the question is about.
func (q *question) decide(ctx context.Context, h *Hub) {
	start := q.now()
	switch {
	case q.refusal.Refused:
		q.decision = routing.Decision{Outcome: routing.OutcomeRefused, By: routing.ByGuard, Confidence: 1, Reason: reasonRefused}
	case q.earlier != nil && q.earlier.waiting():
		q.continueWaiting(ctx, h)
	case q.left:
		q.decision, q.person = q.earlier.decision, ask.Person(q.req.Asker)
		q.decision.Reason = reasonWithdraw
	case q.picked:
		q.decision = q.earlier.decision
		q.decision.By = routing.ByChoice
	case q.earlier != nil:
		q.continueEarlier(ctx, h)
	default:
		q.decision = q.router(ctx, h, q.text)
	}
	q.whom()
	q.took.Decide = q.now().Sub(start)
}

// reasonRefused is the route's reason of every refusal (spec 2).
const reasonRefused = "high_consequence_control"

// fragment is how many words an addition to a question has at most. More of them
// that make sense by themselves are a question of their own.
const fragment = 3

// router decides on the text, with a model where there is one. A project has its share
// of the request's time, and the model what is left (spec 5).
func (q *question) router(ctx context.Context, h *Hub, text string) routing.Decision {
	if h.cfg.Decider == nil {
		return q.rules.router.Decide(text)
	}
	left := h.cfg.Budget - q.now().Sub(q.began) - ask.Budget
	return h.cfg.Decider.Decide(ctx, q.rules.told(), q.rules.router, text, left)
}

// continueEarlier reads the request's words as the choice that was asked for;
// where they are none, as a new question or as an addition to the earlier one. Which
// of these two they are is the embedded router's to say: a model is asked once.
func (q *question) continueEarlier(ctx context.Context, h *Hub) {
	if q.choose() {
		q.text = q.earlier.text
		q.decision.By = routing.ByChoice
		return
	}
	words := q.text
	alone := q.rules.router.Decide(words)
	// What a destination asked back is answered or it is not: joined to an order, other words
	// would have it carried out.
	if !q.earlier.fromDestination() && (!reaches(alone) || len(strings.Fields(words)) <= fragment) {
		joined := q.earlier.joined(words)
		if reaches(q.rules.router.Decide(joined)) {
			if q.decision = q.router(ctx, h, joined); reaches(q.decision) {
				q.text = joined
				return
			}
		}
	}
	q.text, q.decision = words, q.router(ctx, h, words)
	if q.req.Person == "" { // whom the earlier question was about is not meant
		q.person = ""
	}
}

// choose finds the candidate that the request's words name.
func (q *question) choose() bool {
	if q.earlier.fromDestination() {
		return false // it would have been picked
	}
	if between := q.earlier.between; len(between) > 0 {
		name, ok := decide.Choose(peopleAsChoices(between), q.text)
		q.person, q.decision = ask.Person(name), q.earlier.decision
		return ok
	}
	project, ok := decide.Choose(q.earlier.decision, q.text)
	q.decision = routing.Decision{
		Outcome: routing.OutcomeRoute, Projects: []string{project}, Confidence: 1,
		Reason: "choice:" + q.rules.topic(project),
	}
	return ok
}

func reaches(d routing.Decision) bool {
	return d.Outcome == routing.OutcomeRoute || d.Outcome == routing.OutcomeFanout
}

// whom finds each destination's person: the one that the caller or a choice
// named, else the one that the question names from that destination's own list,
// else the asker (spec 2, step 5). Two people are a question back.
func (q *question) whom() {
	if !reaches(q.decision) {
		return
	}
	for _, project := range q.decision.Projects {
		d, ok := q.rules.view.File.Find(project)
		if !ok {
			continue
		}
		person, undeclared := q.person, false
		if person == "" {
			list, declared := q.rules.listed[project]
			undeclared = !declared
			m := people.Match(q.text, list)
			if len(m.Ambiguous) > 0 {
				q.between, q.targets = m.Ambiguous[:min(len(m.Ambiguous), routing.MaxProjects)], nil
				return
			}
			person = m.Person
		}
		if person == "" {
			person = ask.Person(q.req.Asker)
		}
		q.targets = append(q.targets, dispatch.Aim{
			Destination: d, Person: person, Undeclared: undeclared, Approval: q.waits.approval, Withdraw: q.waits.withdraw,
		})
	}
}

// dispatch asks every destination that the asker may have asked, in what is left
// of the request's budget.
func (q *question) dispatch(ctx context.Context, h *Hub) []routing.Part {
	if len(q.targets) == 0 {
		return nil
	}
	if q.left {
		return q.leave()
	}
	start := q.now()
	for i := range q.targets {
		q.targets[i].Barred = q.barred(q.targets[i], h.cfg.Guest)
	}
	left := h.cfg.Budget - start.Sub(q.began)
	heard := q.req.Heard
	heard.WayIn, heard.Request = q.req.WayIn, q.req.WayIn+":"+cmp.Or(q.req.Key, q.id)
	parts := h.dispatcher.Dispatch(dispatch.WithHeard(ctx, heard), left, q.targets, ask.Question{Question: q.text, Asker: q.req.Asker, Source: q.req.Source})
	q.took.Dispatch = q.now().Sub(start)
	return parts
}

// merge joins the parts, or says why nobody was asked.
func (q *question) merge(parts []routing.Part) merge.Answer {
	if len(parts) == 0 {
		d := q.outcome()
		return merge.Decided(d, decide.ClarifyQuestion(d))
	}
	return merge.Parts(parts, q.rules.topic)
}

// outcome is the decision as the person meets it: where the question names two
// people, it asks back whatever was decided about the project.
func (q *question) outcome() routing.Decision {
	if len(q.between) == 0 {
		return q.decision
	}
	d := peopleAsChoices(q.between)
	d.By, d.Confidence, d.Reason = q.decision.By, q.decision.Confidence, "person"
	return d
}

// peopleAsChoices is the clarify that asks which of these people is meant.
func peopleAsChoices(between []ask.Person) routing.Decision {
	d := routing.Decision{Outcome: routing.OutcomeClarify}
	for _, p := range between {
		d.Projects = append(d.Projects, string(p))
		d.Choices = append(d.Choices, people.Spoken(string(p)))
	}
	return d
}

// reply shapes the answer for the way in and makes the record of it all.
func (q *question) reply(answer merge.Answer, parts []routing.Part) Reply {
	d := q.outcome()
	shaped := reply.Shape(q.req.Want, q.title(), answer.Sentence, q.now().In(q.rules.house.Zone()))
	q.took.Total = q.now().Sub(q.began)
	return Reply{Title: shaped.Title, Record: record.Record{
		ID: q.id, Time: q.began,
		Asker: q.req.Asker, Person: q.about(), WayIn: q.req.WayIn, Source: q.req.Source, Want: string(q.req.Want),
		Question: q.req.Question.Question, Status: answer.Status, Reply: shaped.Text,
		Route:    q.route(d, parts),
		Decision: record.Decision{Outcome: d.Outcome, Confidence: d.Confidence, Why: q.why(), Words: q.refusal.Words},
		Parts:    parts, Timings: q.took, Choices: q.choices(d, parts), InReplyTo: q.req.InReplyTo, Expires: answer.Expires, Approval: approvalOf(parts),
	}}
}

// route is where the question went, as spec 5 says it.
func (q *question) route(d routing.Decision, parts []routing.Part) record.Route {
	r := record.Route{Kind: "none", Projects: q.decision.Projects, Reason: d.Reason, By: d.By}
	switch {
	case d.Outcome == routing.OutcomeRefused:
		r.Kind = "refused"
	case len(parts) > 1:
		r.Kind = string(routing.OutcomeFanout)
	case len(parts) == 1:
		r.Kind = kindOnWire(q.targets[0].Destination.Kind)
		if reason := parts[0].Reason; reason == routing.ReasonNotBuilt || reason == routing.ReasonNotConfigured {
			r.Reason = reason
		}
	}
	return r
}

// kindOnWire is the route's kind; a way in's row is pointed to like a peer's.
func kindOnWire(k routing.Kind) string {
	if k == routing.KindWayIn {
		k = routing.KindPeer
	}
	return string(k)
}

// about is whom the question is about as a whole: the one whom all its parts are
// about, else the one who was named, else the asker.
func (q *question) about() ask.Person {
	for i, t := range q.targets {
		if i > 0 && t.Person != q.targets[0].Person {
			return cmp.Or(q.person, ask.Person(q.req.Asker))
		}
	}
	if len(q.targets) > 0 {
		return q.targets[0].Person
	}
	return cmp.Or(q.person, ask.Person(q.req.Asker))
}

// title is what a notification is about.
func (q *question) title() string {
	if len(q.targets) == 1 {
		return q.rules.topic(q.targets[0].Destination.Project)
	}
	return "askhub"
}

// why says how the decision came about, for `askhub why`.
func (q *question) why() string {
	if q.refusal.Refused {
		return fmt.Sprintf("routing.md line %d: %s", q.refusal.Line, q.refusal.Row)
	}
	return q.decision.Why
}

// asOpen is the question as it waits for the choice.
func (q *question) asOpen(parts []routing.Part) *openQuestion {
	return &openQuestion{
		choices: offered(parts), lacks: lacking(parts),
		asker: q.req.Asker, wayIn: q.req.WayIn, text: q.text, person: q.person,
		decision: q.decision, between: q.between, until: q.began.Add(continues),
	}
}
