package decide

import (
	"strings"

	"github.com/askhub/askhub/internal/hub/decide/concept"
)

// maxCorrection is how many words a correction has at most.
const maxCorrection = 12

// Words that make a correction of what follows, and such that only soften one.
var (
	denials = set("no", "nope", "nah", "wrong", "not", "instead", "rather")
	meant   = set("meant", "mean", "said", "asked", "wanted")
	softens = set("the", "a", "an", "my", "our", "your", "his", "her", "i", "im", "you", "it", "that", "this", "those", "please", "sorry", "oh", "well", "actually", "was", "were", "is",
		"one", "ones", "thing", "things", "project", "about", "in", "on", "at", "to", "from", "with", "by", "for", "ask", "asking", "check", "try", "look", "looking", "use", "and", "but", "hang", "wait", "thanks", "did", "didnt", "what", "talking")
)

// Correction is whom a person's words say that they meant.
type Correction struct {
	// Project is the one destination that the words name.
	Project string
	// Denies is whether they also say that the answer before was not what was meant:
	// "no, school", "I meant the mail", "not the calendar, the school".
	Denies bool
}

// Correction reads words that were said after an answer, or in reply to a question
// back, as a correction of it. They are one only where nothing is left of them but
// the name of one destination (a topic of its row, the way the Hub names it, or its
// project's name), words of denial, and small words. "No, school" is one; "no school
// tomorrow?" and "any mail from the school?" are questions of their own. A bare "no"
// counts only with a sign or another such word behind it, for "no mail" may be what
// somebody concludes.
func (e *Embedded) Correction(words string) (c Correction, ok bool) {
	t := concept.Read(words)
	defer t.Done()
	if t.Len() > maxCorrection {
		return Correction{}, false
	}
	firm, bare, not := false, false, false
	var said, ruledOut []string
	for i := range t.Len() {
		w := string(t.Bytes(i))
		var mark byte
		if i+1 < t.Len() {
			mark = t.Word(i + 1).Mark
		}
		switch {
		case w == "no" && mark == 0:
			bare = true
		case denials[w] || meant[w]:
			firm, not = true, not || w == "not"
		case softens[w]:
			firm, not = firm || bare, not && w != "but"
		case not:
			ruledOut = append(ruledOut, w)
		default:
			said = append(said, w)
		}
		not = not && (mark == 0 || w == "not")
	}
	if len(said) == 0 || len(ruledOut) > 0 && len(e.called(ruledOut)) == 0 {
		return Correction{}, false
	}
	named := e.called(said)
	if len(named) != 1 {
		return Correction{}, false
	}
	return Correction{Project: e.destinations[named[0]].project, Denies: firm}, true
}

// called are the destinations that the words, all of them, are a name of.
func (e *Embedded) called(words []string) (which []int) {
	for d := range e.destinations {
		if !e.destinations[d].wayIn && e.isCalled(d, words) {
			which = append(which, d)
		}
	}
	return which
}

// isCalled is whether the words are one of the names of a destination.
func (e *Embedded) isCalled(d int, words []string) bool {
	same := func(name []string) bool {
		content := 0
		for _, n := range name {
			if softens[n] {
				continue
			}
			if content == len(words) || !sameWord(words[content], n) {
				return false
			}
			content++
		}
		return content > 0 && content == len(words)
	}
	if same(concept.Words(strings.ReplaceAll(e.destinations[d].project, "_", " "))) {
		return true
	}
	for _, t := range e.destinations[d].topics {
		if same(concept.Words(t.text)) {
			return true
		}
	}
	for c, about := range concept.Abouts {
		if about.Say != "" && has(e.own[c], d) && len(e.own[c]) == 1 && same(concept.Words(about.Say)) {
			return true
		}
	}
	return false
}
