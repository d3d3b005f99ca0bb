package compass

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
)

// FuzzAnswer holds that every question gets one sentence that is fit to be spoken,
// or none and a reason.
func FuzzAnswer(f *testing.F) {
	for _, q := range []string{
		"what does Mia have on today?", "does Mia have PE on Friday week at half past 9", "how many school days are left until the 31st",
		"when is the next maths and who teaches it", "list everything on in the next 99 weeks", "what's after lunch before 12:00 on 29/2", "homework overdue?",
	} {
		f.Add(q)
	}
	c := family(f, time.Date(2026, 11, 30, 8, 15, 0, 0, london(f)))
	f.Fuzz(func(t *testing.T, question string) {
		for _, person := range []ask.Person{"mia", "ben"} {
			a, err := c.Answer(context.Background(), ask.Question{Question: question, Asker: "sam", Person: person})
			switch {
			case err != nil:
				t.Fatal(err)
			case a.Answer == nil && ask.CheckSentence(a.Reason, true) != nil:
				t.Errorf("%q: the reason %q is not fit: %v", question, a.Reason, ask.CheckSentence(a.Reason, true))
			case a.Answer != nil && ask.CheckSentence(*a.Answer, ask.WantsList(question)) != nil:
				t.Errorf("%q: %q", question, *a.Answer)
			case a.Answer != nil && (a.Expires.IsZero() || strings.Contains(*a.Answer, "  ")):
				t.Errorf("%q: %q until %v", question, *a.Answer, a.Expires)
			}
		}
	})
}

// FuzzTitle holds that a title never makes a sentence unfit.
func FuzzTitle(f *testing.F) {
	for _, s := range []string{"Maths", "a. b! c? d", "https://a.example/x", "/etc/passwd", "C:\\x", "**b** [l](x) `c`", "\u202eabc\u200b", "bit.ly/x", "sk-abcdefghijklmnop", "&nbsp; <b>x", "e.g. 3.30pm", "AKIAABCDEFGHIJKLMNOP", "main.go:12 bearer abcdefghijklmnopqrst"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		said := "Harry has " + spoken(cleanText(s, maxTitle)) + " at 9:00 and the dentist in " + cleanText(s, maxPlace) + " today."
		if err := ask.CheckSentence(said, false); err != nil {
			t.Errorf("%q: %q %v", s, said, err)
		}
	})
}
