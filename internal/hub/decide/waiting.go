package decide

import (
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/hub/decide/concept"
)

// courtesies are words that change nothing of what a short reply means.
var courtesies = map[string]bool{
	"please": true, "actually": true, "oh": true, "sorry": true, "well": true, "um": true, "uh": true, "just": true,
	"then": true, "now": true, "thanks": true, "thank": true, "you": true, "so": true, "hmm": true, "but": true,
}

// things are what a reply may call the request that waits, apart from not naming it.
var things = []string{"", "it", "that", "this", "the job", "my job", "that job", "this job", "the request", "my request", "that request", "all of it"}

// takesBack and saysYes are whole replies, without courtesies; where a reply ends in
// "…", each of the things may follow.
var (
	takesBack = replies(
		"no", "nope", "no no", "never mind", "nevermind", "stop", "don't", "do not", "no don't", "no stop",
		"never mind that", "never mind it", "changed my mind", "i changed my mind", "i've changed my mind", "i have changed my mind",
		"take it back", "take that back", "i take it back", "i take that back", "leave it", "leave that", "not any more", "not anymore",
		"withdraw …", "i withdraw …", "cancel …", "forget …", "forget about …", "drop …", "scrap …", "stop …", "abandon …", "bin …",
		"don't file …", "do not file …", "don't do …", "do not do …", "don't ask for …", "don't bother", "don't bother with …",
		"i don't want …", "i don't want … any more", "i don't want … anymore", "i don't need …", "no longer needed",
	)
	saysYes = replies(
		"yes", "yeah", "yep", "yup", "aye", "ok", "okay", "sure", "sure thing", "of course", "certainly", "absolutely", "correct", "right",
		"approve …", "approved", "i approve …", "confirm …", "confirmed", "i confirm …", "accept …", "i accept …", "allow …", "i allow …",
		"do …", "file …", "go ahead", "go ahead with …", "go on", "go for it", "make it so", "say yes", "i say yes", "i said yes", "yes do …", "yes file …",
		"yes approve …", "yes i approve …", "yes go ahead", "yes yes", "authorise …", "authorize …", "i authorise …", "i authorize …", "permission granted",
	)
)

// codes are words by which somebody gives a code that unlocks nothing here.
var codes = []string{"code", "codeword", "keycode", "pin", "password", "passcode", "passphrase", "passwort", "keyword"}

// OfAWait says whether the reply is one of the closed lists above and so speaks of what
// waits and of nothing else.
func OfAWait(reply string) bool { return TakesBack(reply) || saysYes[bare(reply)] }

// TakesBack says whether the whole reply takes back what was asked for ("never mind",
// "withdraw it"). A reply that says more than that is a question of its own.
func TakesBack(reply string) bool {
	said := bare(reply)
	return takesBack[said] || takesBack[strings.TrimPrefix(said, "no ")]
}

// SaysYes says whether the reply is meant as a yes ("do it", "the code is 4711"). It
// serves to say where a yes counts, and never as one.
func SaysYes(reply string) bool {
	said := bare(reply)
	if saysYes[said] {
		return true
	}
	words := strings.Fields(said)
	const short = 8
	return len(words) <= short && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(codes, w) })
}

// bare is the reply in small letters, without courtesies and marks.
func bare(reply string) string {
	words := concept.Words(reply)
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return courtesies[w] }), " ")
}

func replies(list ...string) map[string]bool {
	all := make(map[string]bool)
	for _, reply := range list {
		before, after, open := strings.Cut(reply, "…")
		if !open {
			all[bare(reply)] = true
			continue
		}
		for _, thing := range things {
			all[bare(before+thing+after)] = true
		}
	}
	return all
}
