package answer

import (
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/plan"
)

// The check never panics, says the same twice, and takes nothing that rests on nothing.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		"Harry has 3 lessons tomorrow.", "Maths is at half past nine.", "PE is cancelled and maths is not.", "2 of the 3 mails are unread.", "All of them are unread.",
		"A mail titled “All lessons are cancelled” came yesterday.", "There are 2 more at School than at Sports club.", "Nothing was found.", "Which one is it, maths or PE?",
		"nine hundred and ninety-nine thousand nine hundred and ninety-nine", "on the 31st of February 2026", "in 99999 weeks", "“", "at twelve to twelve pm", "the the the", "of 3 of 3 of 3", "a a a hundred hundred",
	} {
		f.Add(s, "Maths", uint8(0))
	}
	f.Fuzz(func(t *testing.T, sentence, title string, kind uint8) {
		l, m := lessons(), mails()
		l.Result.Rows[0].Title, m.Result.Rows[0].Title, m.Result.Rows[1].Snippet = title, title, title
		found := []plan.Found{l, m}[:1+kind%2]
		if kind%3 == 0 {
			found = []plan.Found{outcome(l, plan.OutcomeAmbiguous), outcome(m, plan.OutcomeNone)}
		}
		intent := plan.IntentLookup
		if kind%5 == 0 {
			intent, found = plan.IntentAnalyse, []plan.Found{week()}
		}
		proof, err := Check(sentence, intent, found, anna())
		again, err2 := Check(sentence, intent, found, anna())
		if (err == nil) != (err2 == nil) || len(proof.Supports) != len(again.Supports) {
			t.Fatalf("two verdicts: %v, %v", err, err2)
		}
		if err == nil && len(proof.Supports) == 0 {
			t.Fatalf("%q rests on nothing", sentence)
		}
		for _, s := range proof.Supports {
			if s.Path == "" || s.Words == "" || s.Position < 1 {
				t.Fatalf("%q: a support without a place: %+v", sentence, s)
			}
		}
	})
}

// A stranger's text, quoted, is always one quotation within one sentence.
func FuzzQuotable(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := Quotable(s)
		if q == "" {
			return
		}
		if again := Quotable(q); again != q {
			t.Fatalf("%q, then %q", q, again)
		}
		if strings.ContainsFunc(q, isDoubleQuote) {
			t.Fatalf("%q closes its quotation", q)
		}
		if err := ask.CheckSentence("A mail titled “"+q+"” came today.", false); err != nil {
			t.Fatalf("%q %v", q, err)
		}
		if ts, bad := tokens("titled “"+q+"” came", nil); bad != "" || len(ts) != 3 || ts[1].text != q {
			t.Fatalf("%q is not read back as one quotation", q)
		}
	})
}

// A template's text is refused or it writes; it never panics.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{mailSpec().Few, lessonSpec().Few, "{", "[", "{rows:", "{count::}", "{first: {rows: {title}}}", "[[[{count}]]]", "{facts.unread|day}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, few string) {
		s := mailSpec()
		s.Few = few
		tpl, err := NewTemplate(s)
		if err != nil {
			return
		}
		m := mails()
		if said, ok := tpl.Sentence(&m, anna()); ok && said == "" {
			t.Fatal("an empty sentence")
		}
	})
}

// The longest and oddest sentence is read in bounded time: its work is counted in
// tokens times values, and both are bounded.
func TestLongSentencesAreRefused(t *testing.T) {
	for _, s := range []string{strings.Repeat("a ", 5000), strings.Repeat("“", 5000), strings.Repeat("maths ", 100), strings.Repeat("and ", 150), strings.Repeat("3 of ", 110), strings.Repeat("not ", 140)} {
		if _, err := Check(s, plan.IntentLookup, []plan.Found{fifty()}, anna()); err == nil {
			t.Errorf("%.20q… was taken", s)
		}
	}
}

func TestNumbers(t *testing.T) {
	for s, want := range map[string]number{
		"3":                      {3, false, 1},
		"3.5":                    {3.5, false, 1},
		"12,345":                 {12345, false, 1},
		"1,234,567":              {1234567, false, 1},
		"4th":                    {4, true, 1},
		"zero":                   {0, false, 1},
		"nineteen":               {19, false, 1},
		"twenty-one":             {21, false, 1},
		"twenty one":             {21, false, 2},
		"twenty-first":           {21, true, 1},
		"a hundred":              {100, false, 2},
		"one hundred and five":   {105, false, 4},
		"two thousand and six":   {2006, false, 4},
		"three hundred thousand": {300000, false, 3},
		"nine hundred and ninety-nine thousand nine hundred and ninety-nine": {999999, false, 9},
		"one million":       {1000000, false, 2},
		"twelve point five": {12.5, false, 3},
		"two and a half":    {2.5, false, 4},
		"a dozen":           {12, false, 2},
		"two dozen":         {24, false, 2},
		"half a dozen":      {6, false, 3},
		"three four":        {3, false, 1},
		"twenty eleven":     {20, false, 1},
		"5 thousand":        {5000, false, 2},
		"hundred":           {},
		"12,34":             {},
		"1.2.3":             {},
		"a lesson":          {},
		"1234567890123456":  {},
	} {
		ts, _ := tokens(s, nil)
		if got := numberAt(ts, 0); got != want {
			t.Errorf("%q is %+v, want %+v", s, got, want)
		}
	}
}

func TestWhen(t *testing.T) {
	day := func(d, h, m int) instant {
		return newInstant(time.Date(2026, 12, d, h, m, 0, 0, london), london, false)
	}
	for _, c := range []struct {
		said     string
		yes, not instant
	}{
		{"today", day(2, 9, 0), day(3, 9, 0)},
		{"yesterday", day(1, 9, 0), day(2, 9, 0)},
		{"tonight", day(2, 20, 0), day(2, 11, 0)},
		{"this morning", day(2, 8, 0), day(2, 13, 0)},
		{"friday", day(4, 9, 0), day(11, 9, 0)},
		{"wednesday", day(9, 9, 0), day(2, 9, 0)},
		{"next friday", day(11, 9, 0), day(4, 9, 0)},
		{"this friday", day(4, 9, 0), day(11, 9, 0)},
		{"last monday", day(0, 9, 0), day(7, 9, 0)},
		{"next week", day(7, 0, 0), day(6, 23, 0)},
		{"this weekend", day(5, 9, 0), day(4, 9, 0)},
		{"next month", day(33, 9, 0), day(31, 9, 0)},
		{"the day after tomorrow", day(4, 9, 0), day(3, 9, 0)},
		{"the day before yesterday", day(-0, 9, 0), day(1, 9, 0)},
		{"4 December", day(4, 9, 0), day(5, 9, 0)},
		{"the 4th of December", day(4, 9, 0), day(5, 9, 0)},
		{"the fourth of December", day(4, 9, 0), day(5, 9, 0)},
		{"December the 4th", day(4, 9, 0), day(5, 9, 0)},
		{"December 4", day(4, 9, 0), day(5, 9, 0)},
		{"Friday 4 December 2026", day(4, 9, 0), day(5, 9, 0)},
		{"2026-12-04", day(4, 9, 0), day(5, 9, 0)},
		{"in two hours", day(2, 12, 0), day(2, 13, 0)},
		{"in half an hour", day(2, 10, 30), day(2, 11, 0)},
		{"in an hour", day(2, 11, 0), day(2, 12, 0)},
		{"in 20 minutes", day(2, 10, 20), day(2, 10, 21)},
		{"3 days ago", day(-1, 9, 0), day(0, 9, 0)},
		{"in a week", day(9, 9, 0), day(10, 9, 0)},
		{"half past nine", day(2, 21, 30), day(2, 9, 31)},
		{"quarter to ten", day(2, 9, 45), day(2, 10, 15)},
		{"twenty past three", day(2, 15, 20), day(2, 3, 21)},
		{"five to twelve", day(2, 11, 55), day(2, 12, 5)},
		{"nine o'clock", day(2, 9, 0), day(2, 9, 1)},
		{"9:30", day(2, 9, 30), day(2, 21, 30)},
		{"21:30", day(2, 21, 30), day(2, 9, 30)},
		{"9.30pm", day(2, 21, 30), day(2, 9, 30)},
		{"9 am", day(2, 9, 0), day(2, 21, 0)},
		{"12 pm", day(2, 12, 0), day(2, 0, 0)},
		{"noon", day(2, 12, 0), day(2, 0, 0)},
		{"midnight", day(2, 0, 0), day(2, 12, 0)},
		{"half past four in the afternoon", day(2, 16, 30), day(2, 4, 30)},
	} {
		ts, _ := tokens(c.said, nil)
		cal := &calendar{now: now, today: dayNumber(now)}
		w, n := cal.at(ts, 0)
		if n != len(ts) || !w.fits(c.yes) || w.fits(c.not) {
			t.Errorf("%q: %d of %d tokens, %v %v", c.said, n, len(ts), w.fits(c.yes), w.fits(c.not))
		}
	}
}
