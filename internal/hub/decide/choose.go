package decide

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/internal/hub/decide/concept"
	"github.com/askhub/askhub/internal/hub/routing"
)

// ClarifyQuestion asks which candidate of a clarify is meant, in one short
// sentence: "School or email?".
func ClarifyQuestion(d routing.Decision) string {
	switch n := len(d.Choices); n {
	case 0:
		return "What do you mean?"
	case 1:
		return "Do you mean " + d.Choices[0] + "?"
	default:
		s := strings.Join(d.Choices[:n-1], ", ") + " or " + d.Choices[n-1] + "?"
		first, size := utf8.DecodeRuneInString(s)
		return string(unicode.ToUpper(first)) + s[size:]
	}
}

var ordinals = map[string]int{
	"1": 1, "1st": 1, "first": 1, "former": 1,
	"2": 2, "2nd": 2, "second": 2, "two": 2,
	"3": 3, "3rd": 3, "third": 3, "three": 3,
}

// refusals are replies that take none of the candidates, or more than one.
var refusals = map[string]bool{
	"neither": true, "none": true, "nothing": true, "cancel": true, "nevermind": true, "stop": true,
	"both": true, "all": true, "either": true, "never": true, "forget": true,
}

// agrees are whole replies that take the one candidate there is: "do you mean school?", "yes please".
var agrees = replies("yes", "yeah", "yep", "yup", "aye", "ok", "okay", "sure", "sure thing", "of course", "certainly", "absolutely", "correct", "right", "exactly",
	"yes i do", "i do", "yes we do", "that's right", "yes that's right", "yes that one", "that one", "the one", "yes it is", "yes do …", "go ahead", "yes go ahead", "yes yes")

// Choose reads the reply to a clarify: a candidate in the person's words
// ("school", "the second", "email please"). It is false where the reply picks none
// of them, or not one alone. d is the clarify, its Projects and Choices by index.
func Choose(d routing.Decision, reply string) (project string, ok bool) {
	words := concept.Words(reply)
	left, named, ruledOut := reading(d, words)
	switch {
	case len(named) == 1:
		return d.Projects[named[0]], true
	case len(named) > 1:
		return "", false
	case ruledOut && len(left) == 1:
		return d.Projects[left[0]], true
	}
	for _, w := range words {
		if refusals[w] {
			return "", false
		}
	}
	if len(d.Projects) == 1 && agrees[bare(reply)] {
		return d.Projects[0], true
	}
	if at, ok := ordinal(words, len(d.Projects)); ok {
		return d.Projects[at], true
	}
	return "", false
}

// reading is which candidates the words name best, and which are left where some
// are ruled out ("not the email").
func reading(d routing.Decision, words []string) (left, named []int, ruledOut bool) {
	best := 0
	for i := range d.Projects {
		score, not := likeness(d, i, words)
		if not {
			ruledOut = true
			continue
		}
		left = append(left, i)
		switch {
		case score > best:
			best, named = score, []int{i}
		case score == best && score > 0:
			named = append(named, i)
		}
	}
	return left, named, ruledOut
}

// likeness counts the words that name candidate i; not is whether it is ruled out.
func likeness(d routing.Decision, i int, words []string) (score int, not bool) {
	names := concept.Words(strings.ReplaceAll(d.Projects[i], "_", " "))
	if i < len(d.Choices) {
		names = append(concept.Words(d.Choices[i]), names...)
	}
	negated := 0 // how many words ahead a "not" still reaches
	for _, w := range words {
		if w == "not" {
			negated = 3
			continue
		}
		for _, name := range names {
			if !sameWord(w, name) {
				continue
			}
			if negated > 0 {
				return 0, true
			}
			score++
			break
		}
		negated--
	}
	return score, false
}

// ordinal reads "the second", "number 2", "the last one".
func ordinal(words []string, n int) (at int, ok bool) {
	found := 0
	for _, w := range words {
		k := ordinals[w]
		if (w == "last" || w == "latter") && n > 1 {
			k = n
		}
		if k == 0 {
			continue
		}
		if found != 0 && found != k {
			return 0, false
		}
		found = k
	}
	if found == 0 && len(words) > 0 && len(words) <= 3 && words[len(words)-1] == "one" && !hasAny(words, "that", "this", "other", "which") {
		found = 1
	}
	if found < 1 || found > n {
		return 0, false
	}
	return found - 1, true
}

func hasAny(words []string, any ...string) bool {
	for _, w := range words {
		for _, a := range any {
			if w == a {
				return true
			}
		}
	}
	return false
}
