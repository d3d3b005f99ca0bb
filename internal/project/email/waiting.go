package email

import (
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/pattern"
	"github.com/askhub/askhub/internal/project/email/message"
	"github.com/askhub/askhub/plan"
)

// The rules by which a message waits for a decision, the strongest first. They are
// the labels of the look-up's breakdown.
const (
	RuleDeadline = "asks for a reply by a date"
	RuleRequest  = "asks for a decision"
	RuleQuestion = "asks a question"
)

var rules = []string{RuleDeadline, RuleRequest, RuleQuestion}

// waitingDays is how far back a message may wait.
const waitingDays = 30

var (
	deadline = pattern.Lazy(`(?i)\b(?:reply|respond|answer|confirm|return(?:ed)?|rsvp|let (?:me|us) know|sign(?:ed)?|decide|book|pay|back to (?:me|us)|needed|due|required)\b[^.?!\n]{0,60}?\b(?:by|before|no later than|until)\s+(?:the |this |next |end of |close of |noon|midnight|tomorrow|tonight|today|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d)|\bdeadline\b`)
	request  = pattern.Lazy(`(?i)\bplease\s+(?:can you\s+|could you\s+)?(?:confirm|reply|respond|answer|let (?:me|us) know|sign|return|approve|decide|choose|advise|rsvp|accept|complete|fill)\b|\blet (?:me|us) know\s+(?:if|whether|which|when|what|by)\b|\brsvp\b|\bneeds? your (?:decision|approval|consent|permission|answer|signature|ok)\b|\b(?:waiting|wait) for your (?:reply|answer|decision|approval|response)\b|\bawaiting your\b`)
	question = pattern.Lazy(`\?(?:["'”’)\s]|$)`)
	robot    = pattern.Lazy(`(?i)^(?:no-?reply|do-?not-?reply|donotreply|noreply|notifications?|mailer-daemon|postmaster|bounces?)\b`)
	courtesy = pattern.Lazy(`(?i)\b(?:any|have|got|further) (?:other )?(?:questions?|queries)\s*\?|(?:not interested|want to unsubscribe|can'?t see this (?:e-?mail|message)|trouble (?:viewing|reading))[^?]{0,40}\?`)
)

// hints are folded words of which each rule but the question needs one.
var hints = []string{" please ", " let me ", " let us ", " rsvp ", " your ", " by ", " before ", " no later ", " until ", " deadline "}

// rule is the rule by which a message asks the person for something, or "".
func rule(m *message.Message) string {
	text := m.Subject + "\n" + m.Text
	if !strings.Contains(text, "?") && !slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(m.SubjectKey, h) || strings.Contains(m.TextKey, h) }) {
		return "" // most mail, at little cost
	}
	switch {
	case deadline().MatchString(text):
		return RuleDeadline
	case request().MatchString(text):
		return RuleRequest
	case question().MatchString(courtesy().ReplaceAllString(text, " ")):
		return RuleQuestion
	}
	return ""
}

// waiting are the threads whose newest message asks the person for something: mail of
// the last days from a human being, to the person, that is not answered.
func (v *view) waiting(WaitingArgs) (plan.Result, error) {
	now := v.holder.now()
	start := now.AddDate(0, 0, -waitingDays)
	later := map[string]bool{} // ids of messages that something newer follows
	topics := map[string]bool{}
	counts := map[string]int{}
	var found hits
	for _, it := range v.items {
		if it.Arrived.Before(start) {
			break
		}
		followed := it.ID != "" && later[it.ID] || v.followed(it, topics)
		if it.ID != "" {
			later[it.ID] = true
		}
		for _, id := range it.References {
			later[id] = true
		}
		if topic, answer := topicOf(it.Message); topic != "" && (answer || it.own) {
			topics[topic+"\x00"+it.From.Addr] = true
			for _, to := range it.To {
				topics[topic+"\x00"+to] = true
			}
		}
		if followed || it.own || it.Answered || it.Bulk || robot().MatchString(it.From.Addr) || !v.addressed(it) {
			continue
		}
		if r := rule(it.Message); r != "" {
			counts[r]++
			found.add(it)
		}
	}
	r, err := v.answer(found, func(it item) map[string]any { return map[string]any{"rule": rule(it.Message)} })
	if err != nil {
		return r, err
	}
	for _, label := range rules {
		if n := counts[label]; n > 0 {
			r.Breakdown = append(r.Breakdown, plan.Count{Key: "rule", Label: label, Count: n, Enum: true})
		}
	}
	r.Facts["days"] = waitingDays
	return r, nil
}

// followed says whether a newer answer with the same subject, to or from the same
// sender, came after a message that has no id to tell by.
func (v *view) followed(it item, topics map[string]bool) bool {
	topic, _ := topicOf(it.Message)
	return topic != "" && topics[topic+"\x00"+it.From.Addr]
}

// addressed says whether the person is among those that it was sent to, as far as
// the account's own addresses are known.
func (v *view) addressed(it item) bool {
	own := v.holder.boxes[it.box].own
	return len(own) == 0 || slices.ContainsFunc(it.To, func(to string) bool { return slices.Contains(own, strings.ToLower(to)) })
}
