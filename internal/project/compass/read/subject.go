package read

import (
	"slices"
	"strings"
)

// Calendars is what the calendars know of names.
type Calendars struct {
	// Knows says whether a stem occurs in them, and Vocabulary are all that do.
	Knows      func(stem string) bool
	Vocabulary []string
	// Together says whether one entry is called by all of these stems.
	Together func(stems []string) bool
}

// Subject is what an entry must be called, as stems, and the same as it may be said,
// with slips of the finger mended. The reason is empty where the calendars know the
// words, or could be expected to. Two things joined by "and" are one only where an
// entry is called by both.
func Subject(said string, c Calendars) (stems []string, shown, why string) {
	var kept []string
	joined := false
	for _, w := range words(said) {
		switch parts := hyphenParts(w); {
		case w == clauseEnd:
		case w == "and" || w == "or":
			joined = true
		case len(parts) > 0 && !c.Knows(Stem(w)) && Known(Stem(parts[0])):
			for _, part := range parts {
				if !fillers[part] {
					kept = append(kept, part)
				}
			}
		default:
			kept = append(kept, w)
		}
	}
	for i, w := range kept {
		if w == "day" {
			continue
		}
		s := Stem(w)
		if !c.Knows(s) && knownThings[s] == "" {
			fixed, ok := mend(s, c.Vocabulary)
			if !ok {
				return nil, "", WhyNotUnderstood
			}
			s = fixed
			if right := knownThings[s]; right != "" {
				kept[i] = right
			}
		}
		stems = append(stems, s)
	}
	if joined && !c.Together(stems) {
		return nil, "", WhyTwoThings
	}
	return stems, strings.Join(kept, " "), ""
}

// Unknown are the stems of a subject that the calendars do not know.
func Unknown(said string, knows func(stem string) bool) []string {
	return slices.DeleteFunc(Stems(said), knows)
}
