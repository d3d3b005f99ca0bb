package guard_test

import (
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/hub/guard/corpus"
)

// disguise writes a question so that it looks the same, or can be read the same, and is not.
type disguise struct {
	name  string
	write func(string) string
	// lost and needless are of a thousand verdicts how many may change: nought, where the
	// disguise leaves no doubt what was written.
	lost, needless int
}

var disguises = []disguise{
	{"full width", fullWidth, 0, 0},
	{"zero width", func(s string) string { return between(s, "\u200b") }, 0, 0},
	{"joiners", func(s string) string { return between(s, "\u2060\u200d") }, 0, 0},
	{"soft hyphens", func(s string) string { return between(s, "\u00ad") }, 0, 0},
	{"direction", func(s string) string { return "\u202e" + between(s, "\u2066\u2069") + "\u202c" }, 0, 0},
	{"marks", func(s string) string { return between(s, "\u0336") }, 0, 0},
	{"more marks", func(s string) string { return between(s, "\u0301\u0327") }, 0, 0},
	{"tags", func(s string) string { return s + "\U000E0041\U000E007F" }, 0, 0},
	{"variation selectors", func(s string) string { return between(s, "\ufe0f") }, 0, 0},
	{"look-alike", lookAlike, 0, 0},
	{"Greek", greek, 0, 0},
	{"bold", bold, 0, 0},
	{"circled", circled, 2, 2}, // a circled capital is none to Unicode, and a capital tells a name
	{"no-break spaces", func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }, 0, 0},
	{"wide spaces", func(s string) string { return strings.ReplaceAll(s, " ", "  \u3000") }, 0, 0},
	// A capital tells a name from a word, so shouting and whispering lose that.
	{"capitals", strings.ToUpper, 20, 20},
	{"mixed case", mixedCase, 20, 20},
	{"emoji", func(s string) string { return inWords(s, "\U0001F600") }, 30, 60},
	{"dotted", func(s string) string { return inWords(s, ".") }, 30, 60},
	{"dashed", func(s string) string { return inWords(s, "-") }, 30, 60},
	{"digits for letters", leet, 30, 30},
	{"one word spelt out", speltOut, 40, 40},
	{"every word spelt out", func(s string) string { return inWords(s, " ") }, 80, 80},
}

// Each line of the corpus whose verdict is right keeps it in each disguise.
func TestDisguisesChangeNothing(t *testing.T) {
	g := newGuard()
	train, held, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	var lines []corpus.Line
	for i, l := range append(held, train...) {
		l.Text = corpus.Pick(l.Text, func(int) int { return 0 })
		if (!testing.Short() || i%8 == 0) && g.Check(l.Text).Refused == l.Refuse {
			lines = append(lines, l)
		}
	}
	for _, d := range disguises {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			g := newGuard()
			var n, changed [2]int
			for _, l := range lines {
				k := 0
				if l.Refuse {
					k = 1
				}
				n[k]++
				if g.Check(d.write(l.Text)).Refused != l.Refuse {
					if changed[k]++; changed[k] < 12 {
						t.Logf("refused: %v: %s", !l.Refuse, d.write(l.Text))
					}
				}
			}
			t.Logf("%d of %d refusals lost, %d of %d innocent ones refused", changed[1], n[1], changed[0], n[0])
			if changed[1]*1000 > n[1]*d.lost || changed[0]*1000 > n[0]*d.needless {
				t.Errorf("at most %d and %d of a thousand may be", d.lost, d.needless)
			}
		})
	}
}

func ascii(f func(r rune) rune) func(string) string {
	return func(s string) string { return strings.Map(f, s) }
}

func fullWidth(s string) string {
	return ascii(func(r rune) rune {
		if '!' < r && r < '~' && r != '\'' && r != '"' {
			return r - '!' + '！'
		}
		return r
	})(s)
}

func bold(s string) string {
	return ascii(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 0x1D41A
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 0x1D400
		}
		return r
	})(s)
}

func lookAlike(s string) string {
	return strings.NewReplacer("a", "а", "e", "е", "o", "о", "c", "с", "p", "р", "i", "і", "x", "х", "y", "у", "s", "ѕ", "B", "В", "T", "Т", "k", "κ", "n", "ո").Replace(s)
}

func between(s, hidden string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
		b.WriteString(hidden)
	}
	return b.String()
}

// leet writes the first vowel of each longer word as a digit.
func leet(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		if len(w) < 4 {
			continue
		}
		at := strings.IndexAny(w[1:], "oeai") + 1
		if at > 0 {
			words[i] = w[:at] + string("0341"[strings.IndexByte("oeai", w[at])]) + w[at+1:]
		}
	}
	return strings.Join(words, " ")
}

// speltOut puts a space after each letter of the longest word.
func speltOut(s string) string {
	words := strings.Split(s, " ")
	longest := 0
	for i, w := range words {
		if len(w) > len(words[longest]) && !strings.ContainsFunc(w, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) {
			longest = i
		}
	}
	words[longest] = strings.Join(strings.Split(words[longest], ""), " ")
	return strings.Join(words, " ")
}

// greek writes with Greek and Armenian letters what can be.
func greek(s string) string {
	return strings.NewReplacer("a", "α", "e", "ε", "i", "ι", "k", "κ", "n", "ո", "o", "ο", "p", "ρ", "t", "τ", "u", "υ", "x", "χ", "w", "ω",
		"A", "Α", "E", "Ε", "B", "Β", "H", "Η", "M", "Μ", "N", "Ν", "O", "Ο", "T", "Τ", "s", "ѕ").Replace(s)
}

func circled(s string) string {
	return ascii(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'ⓐ'
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'Ⓐ'
		}
		return r
	})(s)
}

func mixedCase(s string) string {
	upper := false
	return ascii(func(r rune) rune {
		upper = !upper
		if upper {
			return []rune(strings.ToUpper(string(r)))[0]
		}
		return []rune(strings.ToLower(string(r)))[0]
	})(s)
}

// inWords puts a sign between the letters of each word of three and more.
func inWords(s, sign string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		if len(w) > 2 && !strings.ContainsFunc(w, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) {
			words[i] = strings.Join(strings.Split(w, ""), sign)
		}
	}
	gap := " "
	if sign == " " {
		gap = "   "
	}
	return strings.Join(words, gap)
}
