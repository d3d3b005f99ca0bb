package people

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Listed is a person on one project's list, with the aliases that count there.
type Listed struct {
	Person  ask.Person
	Aliases []string
}

// Named is whom a question names out of one list.
type Named struct {
	// Person is the one person named; empty where nobody is, or more than one.
	Person ask.Person
	// Ambiguous are the people named, in the question's order, where there are
	// two or more: a project answers for one person at most.
	Ambiguous []ask.Person
}

// Fold is a name in the form in which names are compared: NFC and case folding,
// with the typographic apostrophe and hyphen as the plain ones. José is not Jose,
// and look-alike letters of other alphabets stay other letters (spec 5).
func Fold(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	return foldUnicode(name)
}

var plainMarks = strings.NewReplacer("’", "'", "ʼ", "'", "‐", "-", "‑", "-")

func foldUnicode(s string) string {
	s = plainMarks.Replace(s)
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

// Match finds who of the list is named in the question, whole words only. The
// longest name wins, an ending such as "'s" or "'ll" is ignored, and what reads
// like a name is one: "Will you" names Will (spec 5).
func Match(question string, list []Listed) Named {
	if len(list) == 0 {
		return Named{}
	}
	folded := Fold(question)
	var wordBuf [48]word
	words := splitWords(folded, wordBuf[:0])
	var foundBuf [8]found
	hits := foundBuf[:0]
	plain := isASCII(folded)
	for i, l := range list {
		hits = findName(folded, plain, words, string(l.Person), i, hits)
		for _, alias := range l.Aliases {
			hits = findName(folded, plain, words, alias, i, hits)
		}
	}
	return pick(list, hits)
}

// word is where a word of the folded question stands.
type word struct{ start, end int }

// found is one name at one place of the question, its ending left out.
type found struct{ start, end, listed int }

// splitWords cuts s into words: letters, digits and marks, with the single
// hyphens and apostrophes between them. What is invisible does not part a word.
func splitWords(s string, words []word) []word {
	start, end := -1, 0 // the word that is open, and where its last letter ends
	joined := false     // whether a hyphen or apostrophe follows that letter
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case inWord(r):
			if start < 0 {
				start = i
			}
			end, joined = i+size, false
		case start >= 0 && !joined && (r == '-' || r == '\''):
			joined = true
		case r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r):
		case start >= 0:
			words = append(words, word{start, end})
			start, joined = -1, false
		}
		i += size
	}
	if start >= 0 {
		words = append(words, word{start, end})
	}
	return words
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

// speakable is whether a folded name can ever be found in a question.
func speakable(folded string) bool {
	words := splitWords(folded, nil)
	return len(words) > 0 && words[0].start == 0
}

// findName adds each place at which the name stands.
func findName(folded string, plain bool, words []word, name string, listed int, hits []found) []found {
	name = strings.TrimSpace(name)
	if plain && staysMarked(name) {
		return hits
	}
	name = Fold(name)
	if name == "" {
		return hits
	}
	for i, w := range words {
		if folded[w.start] != name[0] {
			continue
		}
		if end, ok := nameAt(folded, w.start, name); ok && wordEnds(folded, words[i:], end) {
			hits = append(hits, found{w.start, end, listed})
		}
	}
	return hits
}

// staysMarked is whether a name has a letter that no folding makes plain, such as
// the ë of Zoë: it cannot stand in a plain question, and folding it is dear.
func staysMarked(name string) bool {
	for _, r := range name {
		if 'À' <= r && r <= 'ž' && r != 'ß' {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// nameAt is where the name ends that starts at start; a blank of the name stands
// for any blanks of the question.
func nameAt(folded string, start int, name string) (int, bool) {
	at := start
	for i := 0; i < len(name); i++ {
		if at == len(folded) {
			return 0, false
		}
		if name[i] != ' ' {
			if folded[at] != name[i] {
				return 0, false
			}
			at++
			continue
		}
		blanks := at
		for at < len(folded) && (folded[at] == ' ' || folded[at] == '\t' || folded[at] == '\n') {
			at++
		}
		if at == blanks {
			return 0, false
		}
		for i+1 < len(name) && name[i+1] == ' ' {
			i++
		}
	}
	return at, true
}

// endings are what may follow a name within its word: possessive and contracted.
var endings = [...]string{"'s", "'ll", "'d", "'ve", "'re", "'m"}

// wordEnds is whether a word of words, or a word without its endings, ends at end.
func wordEnds(folded string, words []word, end int) bool {
	for _, w := range words {
		if w.end < end {
			continue
		}
		if w.start >= end || w.end == end {
			return true
		}
		rest := folded[end:w.end]
		for {
			cut := ""
			for _, ending := range endings {
				if strings.HasPrefix(rest, ending) {
					cut = ending
				}
			}
			rest = rest[len(cut):]
			if rest == "" {
				return true
			}
			if cut == "" {
				return false
			}
		}
	}
	return true
}

// pick lets the longest names stand, drops what overlaps them, and says who is left.
func pick(list []Listed, hits []found) Named {
	if len(hits) == 0 {
		return Named{}
	}
	if len(hits) == 1 {
		return Named{Person: list[hits[0].listed].Person}
	}
	slices.SortStableFunc(hits, func(a, b found) int {
		if c := cmp.Compare(b.end-b.start, a.end-a.start); c != 0 {
			return c
		}
		return cmp.Compare(a.start, b.start)
	})
	var kept []found
	longest := hits[0].end - hits[0].start
	for _, h := range hits {
		if !overlapped(kept, h, longest) {
			at, _ := slices.BinarySearchFunc(kept, h.start+1, func(k found, start int) int { return cmp.Compare(k.start, start) })
			kept = slices.Insert(kept, at, h)
		}
	}
	var named []ask.Person
	for _, k := range kept {
		if p := list[k.listed].Person; !slices.Contains(named, p) {
			named = append(named, p)
		}
	}
	if len(named) == 1 {
		return Named{Person: named[0]}
	}
	return Named{Ambiguous: named}
}

// overlapped is whether h shares letters with a kept name, other than one that
// stands in the very same place: that is two people of one name. kept is in order of start, none longer than longest.
func overlapped(kept []found, h found, longest int) bool {
	at, _ := slices.BinarySearchFunc(kept, h.start-longest, func(k found, start int) int { return cmp.Compare(k.start, start) })
	for _, k := range kept[at:] {
		if k.start >= h.end {
			return false
		}
		if h.start < k.end && k.start < h.end && (h.start != k.start || h.end != k.end) {
			return true
		}
	}
	return false
}
