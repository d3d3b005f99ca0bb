package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func TestVisibleWritesOutWhatATerminalActsOn(t *testing.T) {
	for _, c := range []struct{ text, want, why string }{
		{"Dinner at six.", "Dinner at six.", "plain text stays"},
		{"one\r\ntwo\nthree", "one\ntwo\nthree", "lines stay lines"},
		{"a\tb", "a    b", "a tab is blanks, so that a wrapped line has a width"},
		{"\x1b[2J\x1b]0;owned\x07", `\x1b[2J\x1b]0;owned\a`, "an escape sequence clears no screen and names no window"},
		{"\u009b31m", `\u009b31m`, "nor does the eight-bit one"},
		{"safe\rrm -rf", `safe\rrm -rf`, "a carriage return alone would write over the line"},
		{"back\b\b\bgone", `back\b\b\bgone`, "so would backspaces"},
		{"user\u202etxt.exe", `user\u202etxt.exe`, "text is not turned round"},
		{"\u2066a\u2069\u200f\u061c", `\u2066a\u2069\u200f\u061c`, "by no bidirectional control"},
		{"a\u2028b", `a\u2028b`, "a line separator makes no line"},
		{"pass\u00adword\u200b\ufeff", `pass\u00adword\u200b\ufeff`, "nothing hides"},
		{"hi\U000e0041", `hi\U000e0041`, "not in a tag either"},
		{"\ue000", `\ue000`, "a private character is whatever the font says"},
		{"broken \xff\xc3", `broken \xff\xc3`, "what is no UTF-8 is written out"},
		{"שלום", "שלום", "another script stays"},
		{"می\u200cروم", "می\u200cروم", "with the joiners that it is written with"},
		{"👩‍👧 ❤️", "👩‍👧 ❤️", "and emoji with theirs"},
		{"\x7f", `\x7f`, "delete is a control character too"},
	} {
		if got := visible(c.text); got != c.want {
			t.Errorf("visible(%q) = %q, want %q: %s", c.text, got, c.want, c.why)
		}
	}
	if got := oneLine(" a\nb\r\n\tc "); got != "a b c" {
		t.Errorf("one line is %q", got)
	}
}

// anyText draws text with what drives terminals in it.
func anyText(t *rapid.T) string {
	parts := rapid.SampledFrom([]string{
		"a", "word ", "longer-word", " ", "\n", "\r\n", "\t", "\x1b[31m", "\u202e", "\u009b", "\x00", "\xff", "日本語", "👩‍👧", "é", "e\u0301", "שלום", "\u2028", "\U000e0041",
	})
	return strings.Join(rapid.SliceOfN(parts, 0, 40).Draw(t, "parts"), "")
}

func TestNothingVisibleDrivesATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText(t)
		shown := visible(text)
		if strings.ContainsFunc(shown, func(r rune) bool { return r != '\n' && unseen(r) }) {
			t.Fatalf("%q is shown as %q", text, shown)
		}
		width := rapid.IntRange(2, 30).Draw(t, "width")
		lines := wrap(shown, width)
		for _, line := range lines {
			if w := uniseg.StringWidth(line); w > width {
				t.Fatalf("%q is %d cells wide, not %d", line, w, width)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := squeeze(strings.Join(lines, " ")); got != squeeze(shown) {
			t.Fatalf("wrapped, %q became %q", shown, got)
		}
		if w := uniseg.StringWidth(cut(oneLine(text), width)); w > width {
			t.Fatalf("cut to %d cells, it is %d wide", width, w)
		}
	})
}

func TestWrapBreaksBetweenWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one two three", []string{"one two", "three"}},
		{"one  two", []string{"one  two"}},
		{"one\n\ntwo", []string{"one", "", "two"}},
		{"abcdefghijkl", []string{"abcdefgh", "ijkl"}},
		{"to abcdefghijkl", []string{"to", "abcdefgh", "ijkl"}},
		{"日本語日本語", []string{"日本語日", "本語"}},
	} {
		if got := wrap(c.text, 8); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("wrap(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// JSON says what it said, and drives no terminal either.
func TestPrintedDocumentsMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(anyText(t), "")
		var out bytes.Buffer
		if err := printDocument(&out, map[string]string{"text": text}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(out.String(), func(r rune) bool { return r != '\n' && unseen(r) }) {
			t.Fatalf("%q is printed as %q", text, out.String())
		}
		var back map[string]string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["text"] != text {
			t.Fatalf("%q came back as %q, %v", text, back["text"], err)
		}
	})
}
