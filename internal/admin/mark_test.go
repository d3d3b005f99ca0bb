package admin

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// flat is what a page shows of a text, with what is marked in ‹›.
func flat(text string) string {
	var b strings.Builder
	for _, r := range mark(text) {
		if r.Odd {
			b.WriteString("‹" + r.Text + "›")
		} else {
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

func TestOddCharactersAreMarked(t *testing.T) {
	for text, want := range map[string]string{
		"Cut Harry's tablet at 9:00, then…":   "Cut Harry's tablet at 9:00, then…",
		"Zoë, Łukasz and Ñandú – “quoted” €5": "Zoë, Łukasz and Ñandú – “quoted” €5",
		"Привет, мама":                        "Привет, мама",
		"Καλημέρα":                            "Καλημέρα",
		"שלום וברכה":                          "שלום וברכה",
		"今日は":                                 "今日は",
		"two\nlines":                          "two\nlines",
		"❤️ 👩‍👩‍👧 🇬🇧":                         "❤️ 👩‍👩‍👧 🇬🇧",
		"gpj.\u202etxt":                       "gpj.‹[U+202E]›txt",
		"a\u2066b\u2069c\u200e":               "a‹[U+2066]›b‹[U+2069]›c‹[U+200E]›",
		"zero\u200bwidth\ufeff\u2060":         "zero‹[U+200B]›width‹[U+FEFF]›‹[U+2060]›",
		"soft\u00adhyphen":                    "soft‹[U+00AD]›hyphen",
		"join\u200ded":                        "join‹[U+200D]›ed",
		"bell\x07 and tab\t":                  "bell‹[U+0007]› and tab‹[U+0009]›",
		"no\u00a0break\u3000wide":             "no‹[U+00A0]›break‹[U+3000]›wide",
		"line\u2028end\r\n":                   "line‹[U+2028]›end‹[U+000D]›\n",
		"p\u0430ypal":                         "p‹а[U+0430]›ypal",
		"\u0440\u0430\u0443\u0440\u0430":      "‹р[U+0440]›‹а[U+0430]›‹у[U+0443]›‹р[U+0440]›‹а[U+0430]›",
		"\u03bfk":                             "‹ο[U+03BF]›k",
		"ｃｕｔ":                                 "‹ｃ[U+FF43]›‹ｕ[U+FF55]›‹ｔ[U+FF54]›",
		"\U0001d41curl":                       "‹𝐜[U+1D41C]›url",
		"private \ue000":                      "private ‹[U+E000]›",
		"tag \U000e0041":                      "tag ‹[U+E0041]›",
		"selector\ufe01":                      "selector‹[U+FE01]›",
		"filler\u3164":                        "filler‹[U+3164]›",
		"":                                    "",
	} {
		if got := flat(text); got != want {
			t.Errorf("%+q shows %q, want %q", text, got, want)
		}
	}
}

func TestEachMarkSaysWhatItIs(t *testing.T) {
	for _, r := range mark("\u202e\u200b\x07\u00a0p\u0430ypal\uff43\ue000\t") {
		if r.Odd && r.Says == "" {
			t.Errorf("%q says nothing", r.Text)
		}
	}
}

// Nothing of a text is lost or invented, and what is left unmarked can be seen.
func FuzzMark(f *testing.F) {
	for _, s := range []string{"", "cut it", "p\u0430ypal", "a\u202eb", "👩‍👩‍👧", "\xff\xfe", "\u200d\u200d", "e\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var rest strings.Builder
		odd := 0
		for _, r := range mark(s) {
			if r.Odd {
				odd++
				continue
			}
			rest.WriteString(r.Text)
			for _, c := range r.Text {
				if hidden(c) != "" && c != utf8.RuneError {
					t.Errorf("%+q leaves %U unmarked", s, c)
				}
			}
		}
		if got := utf8.RuneCountInString(rest.String()) + odd; got != utf8.RuneCountInString(s) {
			t.Errorf("%+q has %d characters, and %d are shown", s, utf8.RuneCountInString(s), got)
		}
	})
}

func FuzzParseCode(f *testing.F) {
	for _, s := range []string{"AB2D-9F3H-JK5M", "", "ab2d 9f3h jk5m", "OIL0", "\u00d6"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, secret, ok := parseCode(s)
		if !ok {
			return
		}
		again, same, ok := parseCode(id + "-" + secret)
		if !ok || again != id || same != secret || len(id) != codeID || len(secret) != codeSecret {
			t.Errorf("%q is read as %q %q", s, id, secret)
		}
	})
}
