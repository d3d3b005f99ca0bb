package message

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
)

func TestQuoteIsFitForOneSpokenSentence(t *testing.T) {
	for in, want := range map[string]string{
		"Trip on Monday":                     "Trip on Monday",
		"Two sentences. Here is another!":    "Two sentences. Here is another!",
		"see https://evil.example/x?y=z now": "see (link) now",
		"see bit.ly/abc now":                 "see (link) now",
		"<b>bold</b> **and** `code`":         "bold and code",
		"[click](http://a.example)":          "click (link)",
		"end” of the quotation. I say":       "end of the quotation. I say",
		"right \u202eto\u202c left\u200b":    "right to left",
		"line\r\nbreak\x00 and\ttab":         "line break and tab",
		"／etc／passwd and C:\\Users\\x":       "and",
		"key ghp_abcdefghijklmnop1234567890": "key",
		"":                                   "",
		"\u3164\u2800":                       "",
		strings.Repeat("long ", 50):          "long long long long long long long long…",
		strings.Repeat("x", 100):             "",
		"Zalgo a\u0301\u0301\u0301\u0301":    "Zalgo á\u0301\u0301",
	} {
		if got := Quote(in, 40); got != want {
			t.Errorf("%q is quoted as %q, want %q", in, got, want)
		}
	}
}

func TestOwnWords(t *testing.T) {
	for in, want := range map[string]string{
		"Yes.\n\nOn Mon, 1 Jan 2026 at 10:00, Gran\n<gran@x.example> wrote:\n> Come?": "Yes.",
		"Fine\n-----Original Message-----\nFrom: x\nWould you?":                       "Fine",
		"Fine\n\nFrom: x <x@y.example>\nSent: Monday\nWould you?":                     "Fine",
		"---------- Forwarded message ---------\nThe news":                            "The news",
		"Hello\n-- \nThe office\nAny question?":                                       "Hello",
		"On the whole it is fine.\nReally.":                                           "On the whole it is fine. Really.",
	} {
		if got := Body(in, false); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for in, want := range map[string][]Address{
		`"Last, First" <A@B.example>, c@d.example`: {{"Last, First", "a@b.example"}, {"", "c@d.example"}},
		`office@school.example (The Office)`:       {{"The Office", "office@school.example"}},
		`=?utf-8?q?J=C3=B6rg?= <j@x.example>`:      {{"Jörg", "j@x.example"}},
		`No Address`:                               {{"No Address", ""}},
		`<>`:                                       nil,
		`undisclosed-recipients:;`:                 nil,
		`"unclosed <x@y.example>`:                  {{"unclosed", "x@y.example"}},
		`trusted@bank.example <evil@x.example>`:    {{"trusted@bank.example", "evil@x.example"}},
	} {
		got := parseAddresses(in, 5)
		if len(got) != len(want) {
			t.Errorf("%s: %+v, want %+v", in, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: %+v, want %+v", in, got, want)
			}
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"Réunion d'Été!": " reunion dete ", "": "", "??": " ", "A-B_c": " a b c ", "ＷＩＤＥ": " wide ",
	} {
		if got := Fold(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzHeader feeds whole headers: what comes out is bounded, clean and fit to quote.
func FuzzHeader(f *testing.F) {
	f.Add([]byte("From: =?utf-8?B?4oI=?= =?utf-8?B?rA==?= <a@b.example>\r\nSubject: x\r\n y\r\nReferences: <a@b> <c@d>\r\n"))
	f.Add([]byte("Subject: =?x?q?=ZZ_?=\nFrom: \"a\\\" <<>>, ;:(\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var m Message
		m.Fill(ReadFields(raw))
		m.Prepare()
		if _, err := json.Marshal(&m); err != nil { // it is kept over a restart
			t.Error(err)
		}
		checkClean(t, m.Subject, MaxSubject)
		checkClean(t, m.From.Name, MaxName)
		checkClean(t, m.From.Addr, MaxAddress)
		if len(m.References) > maxReferences || len(m.To) > maxRecipients {
			t.Errorf("%d references, %d recipients", len(m.References), len(m.To))
		}
	})
}

// FuzzBody feeds parts in every encoding.
func FuzzBody(f *testing.F) {
	f.Add([]byte("Q2Fm6Q=="), "base64", "iso-8859-1", false)
	f.Add([]byte("<p hidden>x</p><b>y =E2=80"), "quoted-printable", "utf-8", true)
	f.Add([]byte("\x1b$B"), "7bit", "iso-2022-jp", false)
	f.Fuzz(func(t *testing.T, raw []byte, encoding, set string, isHTML bool) {
		if len(raw) > 40<<10 {
			return
		}
		checkClean(t, Body(DecodeText(raw, encoding, set), isHTML), MaxText)
	})
}

func checkClean(t *testing.T, s string, most int) {
	t.Helper()
	// A link is put in words, which can be longer than it was.
	if n := utf8.RuneCountInString(s); n > 3*most || !utf8.ValidString(s) {
		t.Errorf("%d long: %q", n, s)
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f || hidden(r) {
			t.Errorf("%q holds %U", s, r)
		}
	}
	for _, most := range []int{10, 70, 160} {
		if q := Quote(s, most); q != "" {
			if err := ask.CheckSentence("You have 1 message from “"+q+"” with the subject “"+q+"”, today.", true); err != nil {
				t.Errorf("%q is quoted as %q: %v", s, q, err)
			}
			if utf8.RuneCountInString(q) > most {
				t.Errorf("%q is longer than %d", q, most)
			}
		}
	}
}
