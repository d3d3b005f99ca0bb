package ask

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCheckSentenceTakesWhatAProjectSays(t *testing.T) {
	for _, s := range []string{
		"Dr. Smith's appointment is at 3.30 p.m. on 4 Dec.",
		"Harry has maths, PE and a music lesson today.",
		"It's 21.5 °C.",
		`Mrs O'Brien wrote at 10:15: "Trip on Friday?"`,
		`Mrs O'Brien wrote: "The trip is on Friday. Please bring a hat."`,
		"Mrs O’Brien wrote “Trip on Friday? Bring a hat.” at 10:15.",
		"Harry's first lesson is at 9 a.m. Melbourne time.",
		"You have 3 unread messages; the newest is from J. Smith.",
		"The exam is in Rm. 12 on Mon. 4 Dec. at St. Mary's.",
		"Nothing is due this week",
		"Yes!",
		"Harry got 9/10 in maths and/or English.",
		"The parcel 1Z999AA10123456784 arrives today.",
		"The class moves to Year 7/8 at 24/7 Gym.",
		"Emma was online for 2 h 15 min., i.e. less than yesterday.",
		"The meeting is on 2026-12-04T15:30:00+11:00.",
		"Am 4. Dezember um 15 Uhr hat Harry Musik.",
		"Der Termin bei Fr. Müller ist am 12. Mai.",
		"Le cours de M. Dupont est à 9 h 30.",
		"明日は数学があります。",
		"היום יש להארי מתמטיקה.",
		"The newest is from sam@example.org.",
		"It is 5 * 3, I <3 maths & tea, and 4 < 5.",
		"Yahoo! mail has one new message.",
		"He said… well, nothing.",
		"Donaudampfschifffahrtsgesellschaftskapitänsmütze is the longest word.",
		"Vitamin C is low.",
		"The Wi-Fi is fine (since 7 a.m.).",
		"Sam's dentist visit at Smile Co. is at 3.",
		"Monday-to-Friday-after-school-club starts at four.",
	} {
		if err := CheckSentence(s, false); err != nil {
			t.Errorf("%q was refused: it %v", s, err)
		}
	}
}

func TestCheckSentenceRefuses(t *testing.T) {
	for _, c := range []struct {
		s    string
		want error
	}{
		{"", ErrBlank},
		{"  \u00a0", ErrBlank},
		{strings.Repeat("a", MaxSentence+1), ErrTooLong},
		{"Harry has maths. He also has PE.", ErrTwoSentences},
		{"Harry has maths today. Emma has music.", ErrTwoSentences},
		{"Really? Harry has maths.", ErrTwoSentences},
		{"Great! 🎉 Harry has maths.", ErrTwoSentences},
		{"It starts at 3.30 p.m. He needs a hat.", ErrTwoSentences},
		{"It starts at 3.30. Bring a hat.", ErrTwoSentences},
		{`"Trip on Friday?" That is what she wrote.`, ErrTwoSentences},
		{"Harry has maths.He has PE.", ErrTwoSentences},
		{"今日は数学です。明日は音楽です。", ErrTwoSentences},
		{"היום יש מתמטיקה. מחר יש מוזיקה.", ErrTwoSentences},
		{"आज गणित है। कल संगीत है।", ErrTwoSentences},
		{"Harry has maths\nand PE.", ErrControl},
		{"Harry has\x00 maths.", ErrControl},
		{"Harry has \x1b[31mmaths.", ErrControl},
		{"Harry has \u202eshtam.", ErrControl},
		{"Harry\u200b has maths.", ErrControl},
		{"Harry has \xff maths.", ErrControl},
		{"Harry has **maths**.", ErrMarkup},
		{"Harry has *maths* today.", ErrMarkup},
		{"Harry has <b>maths</b>.", ErrMarkup},
		{"Harry has maths &amp; PE.", ErrMarkup},
		{"- maths", ErrMarkup},
		{"Run `ls` now.", ErrMarkup},
		{"See [the page](x).", ErrMarkup},
		{"See https://example.org today.", ErrLink},
		{"See www.example.org today.", ErrLink},
		{"See bit.ly/3xyz today.", ErrLink},
		{"The file is /etc/passwd.", ErrPath},
		{"It is in ~/mail today.", ErrPath},
		{`It is in C:\Users\sam.`, ErrPath},
		{"open /var/lib/x: permission denied", ErrPath},
		{"It broke at main.go:12.", ErrPath},
		{"The token is 0123456789abcdef0123456789abcdef.", ErrSecret},
		{"Use sk-abcdefghijklmnop now.", ErrSecret},
		{"Use eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig now.", ErrSecret},
		{"The id is 550e8400-e29b-41d4-a716-446655440000.", ErrSecret},
		{"Authorization: Bearer abcdefghijklmnopqr", ErrSecret},
		{"It is qWeRtYuIoPaSdFgHjKlZxCvBnM.", ErrSecret},
	} {
		if err := CheckSentence(c.s, false); !errors.Is(err, c.want) {
			t.Errorf("%q: got %v, want that it %v", c.s, err, c.want)
		}
	}
}

func TestAListMayBeLongerButNotAnything(t *testing.T) {
	list := "Harry has " + strings.Repeat("maths, ", 60) + "and PE."
	if err := CheckSentence(list, false); !errors.Is(err, ErrTooLong) {
		t.Errorf("not asked for: got %v", err)
	}
	if err := CheckSentence(list, true); err != nil {
		t.Errorf("asked for: got %v", err)
	}
	if err := CheckSentence(list+list, true); !errors.Is(err, ErrTooLong) {
		t.Errorf("twice as long: got %v", err)
	}
	for q, want := range map[string]bool{
		"What are all of Harry's lessons?": true, "List my mail": true, "when is the dentist?": false, "Is Alli home?": false,
	} {
		if WantsList(q) != want {
			t.Errorf("WantsList(%q) is %v", q, !want)
		}
	}
}

func FuzzCheckSentence(f *testing.F) {
	for _, s := range []string{"Dr. Smith?!\" x", "a… B", "“x.” Y", "/a/b ://", "<a &#1; _x_", "。a", "eyJ", "\xff."} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, list bool) {
		err := CheckSentence(s, list)
		if err != nil {
			return
		}
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\n\r\t\x1b\u202e\u200b") || strings.Contains(s, "https://") {
			t.Fatalf("%q passed", s)
		}
		if CheckSafe(s) != nil {
			t.Fatalf("%q passes as a sentence and is not safe", s)
		}
	})
}

func BenchmarkCheckSentence(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = CheckSentence("Dr. Smith's appointment is at 3.30 p.m. on 4 Dec.", false)
	}
}
