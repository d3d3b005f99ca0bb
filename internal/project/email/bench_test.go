package email

import (
	"fmt"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
)

// large is a household with 20,000 messages in one mailbox, read once.
func large(tb testing.TB) *Email {
	tb.Helper()
	e, s := household(tb)
	for i := range 20_000 {
		from := fmt.Sprintf("Person %d <p%d@people.example>", i%300, i%300)
		if err := s.Deliver("sam", from, fmt.Sprintf("Message %d about the allotment", i), "Some words of it, and some more of them.", noon.Add(-time.Duration(30_000-i)*time.Minute)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := e.Refresh(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return e
}

// BenchmarkTwentyThousandMessages asks whole questions of a mailbox that is warm.
func BenchmarkTwentyThousandMessages(b *testing.B) {
	e := large(b)
	for name, question := range map[string]string{
		"how many unread": "how many unread emails do I have?",
		"from":            "any mail from person 299?",
		"from nobody":     "any mail from the vicar?",
		"about":           "any mail about volcanoes?",
		"waiting":         "is anything waiting for my answer?",
		"attachments":     "any pdf attachments?",
	} {
		b.Run(name, func(b *testing.B) {
			q := ask.Question{Question: question, Asker: "sam"}
			for b.Loop() {
				if _, err := e.Answer(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("conversation", func(b *testing.B) {
		v := e.people["sam"].view()
		ref := v.ref(v.items[0])
		for b.Loop() {
			v.thread(ThreadArgs{Message: ref})
		}
	})
}
