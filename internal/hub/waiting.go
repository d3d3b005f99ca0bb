package hub

import (
	"context"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/hub/routing"
)

// waitingWords is what a request says of an approval that waits; empty where it says
// nothing of one.
type waitingWords struct {
	approval string
	withdraw bool
}

// The route's reasons of what was said of an approval.
const (
	reasonWithdraw = "withdraw"
	reasonYesInApp = "yes_in_admin_app"
)

// continueWaiting reads the words that follow what waits for a person's yes. They take
// it back, or are told where to say yes, for nothing that is said anywhere counts as
// one. Words that make sense by themselves are a new question, as if nothing waited; a
// few that make none are taken for a yes that was meant, such as a code word.
func (q *question) continueWaiting(ctx context.Context, h *Hub) {
	earlier := q.earlier
	withdraw, reason := decide.TakesBack(q.text), reasonWithdraw
	if !withdraw {
		reason = reasonYesInApp
		short := len(strings.Fields(q.text)) <= fragment && !reaches(q.rules.router.Decide(q.text))
		if !decide.SaysYes(q.text) && !short {
			q.earlier, q.person = nil, q.named()
			q.decision = q.router(ctx, h, q.text)
			return
		}
	}
	q.waits = waitingWords{approval: earlier.approval, withdraw: withdraw}
	q.person = ask.Person(q.req.Asker)
	q.decision = routing.Decision{
		Outcome: routing.OutcomeRoute, Projects: earlier.decision.Projects, By: routing.ByChoice, Confidence: 1, Reason: reason,
	}
}

// named is the person whom the caller named with this request; empty where it named none.
func (q *question) named() ask.Person {
	if q.req.Person == "" {
		return ""
	}
	return q.rules.canonical(q.req.Person)
}

// asWaiting is the question as it waits for a yes. It can be continued for as long as
// that lasts, for somebody may think better of it until the last moment.
func (q *question) asWaiting(p routing.Part) *openQuestion {
	until := p.Expires
	if until.IsZero() {
		until = q.began.Add(continues)
	}
	return &openQuestion{
		asker: q.req.Asker, wayIn: q.req.WayIn, text: q.text, approval: p.Approval, until: until,
		decision: routing.Decision{Outcome: routing.OutcomeRoute, Projects: []string{p.Project}},
	}
}

// The bounds of a look at what was recorded.
const (
	// recallTime is how long it may take: whoever asks waits for it.
	recallTime = 500 * time.Millisecond
	// recallAge is how long a request may wait whose end nobody said.
	recallAge = time.Hour
)

// recall is what waits for a yes since before this Hub was started, or by way of another Hub
// on the same store: the request's record has it. Only words that can be about nothing else
// are worth the look; and what has become of it the destination knows.
func (h *Hub) recall(ctx context.Context, req *Request, now time.Time) *openQuestion {
	if h.cfg.Recall == nil || req.InReplyTo == "" || !decide.OfAWait(req.Question.Question) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, recallTime)
	defer cancel()
	r, err := h.cfg.Recall(ctx, req.InReplyTo)
	if err != nil || r.Status != routing.StatusPending || r.Approval == "" || len(r.Parts) != 1 || r.WayIn != req.WayIn || r.Asker != req.Asker {
		return nil
	}
	until := r.Parts[0].Expires
	if until.IsZero() {
		until = r.Time.Add(recallAge)
	}
	if !until.After(now) {
		return nil
	}
	return &openQuestion{
		asker: r.Asker, wayIn: r.WayIn, text: r.Question, approval: r.Approval, until: until,
		decision: routing.Decision{Outcome: routing.OutcomeRoute, Projects: []string{r.Parts[0].Project}},
	}
}

// approvalOf is the approval that the answer is about; empty where it is about none.
func approvalOf(parts []routing.Part) string {
	if len(parts) != 1 {
		return ""
	}
	return parts[0].Approval
}
