package corpus

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/hub/decide/concept"
)

// epochs is how often each sentence is seen in training.
const epochs = 24

// Training is how the router learns from those lines. Sentences that speak of
// several things at once are left out: each of their parts has sentences of its own.
// Those that may speak of either of two are seen more often, for they are few.
func Training(lines []Line) (concept.Training, error) {
	slots, err := Slots()
	if err != nil {
		return concept.Training{}, err
	}
	hash, err := Hash()
	if err != nil {
		return concept.Training{}, err
	}
	var learned []Line
	for _, l := range lines {
		switch {
		case l.Several:
		case len(l.Concepts) > 1:
			learned = append(learned, l, l, l)
		default:
			learned = append(learned, l)
		}
	}
	lines = learned
	return concept.Training{
		Lines: len(lines), Epochs: epochs, Hash: hash,
		Draw: func(i int, rnd *rand.Rand) concept.Sample {
			text, names := Fill(lines[i].Text, slots, rnd)
			names = slices.DeleteFunc(names, func(string) bool { return rnd.IntN(3) == 0 })
			switch rnd.IntN(12) {
			case 0:
				text = slip(text, rnd)
			case 1:
				text = "please " + text
			case 2:
				text += " please"
			case 3:
				text = openers[rnd.IntN(len(openers))] + " " + text
			}
			return concept.Sample{Text: text, Names: names, Concepts: lines[i].Concepts}
		},
	}, nil
}

var openers = []string{
	"hey", "can you", "could you", "ok", "olly", "um", "so", "hi", "I want you to", "I need you to",
	"would you", "right", "go ahead and", "computer", "quickly", "just",
}

// slip makes one slip of the finger in one longer word.
func slip(text string, rnd *rand.Rand) string {
	words := strings.Fields(text)
	i := rnd.IntN(len(words))
	w := []byte(words[i])
	if len(w) < 4 {
		return text
	}
	at := 1 + rnd.IntN(len(w)-2)
	switch rnd.IntN(3) {
	case 0:
		w = slices.Delete(w, at, at+1)
	case 1:
		w[at], w[at+1] = w[at+1], w[at]
	case 2:
		w = slices.Insert(w, at, w[at])
	}
	words[i] = string(w)
	return strings.Join(words, " ")
}
