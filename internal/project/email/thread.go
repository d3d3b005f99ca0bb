package email

import (
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/pattern"
	"github.com/askhub/askhub/internal/project/email/message"
)

// threadSpan is how far apart messages may be that only their subject joins.
const threadSpan = 60 * 24 * time.Hour

// conversation is the thread of one message, the newest first: joined by the ids that
// mail programs write, and for programs that write none by the subject of an answer
// between the same people.
func (v *view) conversation(at int) hits {
	start := v.items[at]
	ids := map[string]bool{}
	in := map[int]bool{at: true}
	add := func(m *message.Message) {
		if m.ID != "" {
			ids[m.ID] = true
		}
		for _, id := range m.References {
			ids[id] = true
		}
	}
	add(start.Message)
	for grew := true; grew; {
		grew = false
		for i, it := range v.items {
			if in[i] || !ids[it.ID] && !slices.ContainsFunc(it.References, func(id string) bool { return ids[id] }) {
				continue
			}
			in[i], grew = true, true
			add(it.Message)
		}
	}
	topic, _ := topicOf(start.Message)
	for i, it := range v.items {
		if !in[i] && topic != "" && v.joins(start, it, topic) {
			in[i] = true
		}
	}
	var out hits
	for i, it := range v.items {
		if in[i] {
			out.add(it)
		}
	}
	return out
}

// joins says whether the subject alone joins the two: one of them is an answer, they
// are not far apart, and who wrote one is in the other.
func (v *view) joins(a, b item, topic string) bool {
	if !strings.HasSuffix(strings.TrimSpace(b.SubjectKey), topic) {
		return false
	}
	other, isAnswer := topicOf(b.Message)
	_, wasAnswer := topicOf(a.Message)
	apart := a.Arrived.Sub(b.Arrived).Abs()
	return other == topic && (isAnswer || wasAnswer) && len(b.References) == 0 && apart < threadSpan &&
		(a.From.Addr == b.From.Addr || slices.Contains(b.To, a.From.Addr) || slices.Contains(a.To, b.From.Addr))
}

var answerPrefix = pattern.Lazy(`(?i)^\s*(?:(?:re|aw|antw|sv|vs|fwd?|wg|tr)\s*(?:\[\d+\])?\s*:\s*)+`)

// topicOf is a subject, folded, without what answering put before it.
func topicOf(m *message.Message) (topic string, isAnswer bool) {
	if colon := strings.IndexByte(m.Subject, ':'); colon < 0 || colon > 10 {
		return strings.TrimSpace(m.SubjectKey), false
	}
	bare := answerPrefix().ReplaceAllString(m.Subject, "")
	if len(bare) == len(m.Subject) {
		return strings.TrimSpace(m.SubjectKey), false
	}
	return strings.TrimSpace(message.Fold(bare)), true
}
