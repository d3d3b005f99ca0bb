package homeassistant

import (
	"slices"
	"strings"
)

// Home Assistant's agent hears an order in nearly everything that names a device: it closes
// the window on "should I close the window?", and switches at once what is wanted tomorrow.
// So what it is told has to be an order, and one for now.

// firsts are words with which a sentence begins that asks or tells, and orders nothing.
var firsts = setOf(`is are was were am be been what what's what're which who who's who'll whose when when's where where's how how's why why's
	does do did has have had any anything tell should shall would could can will may might must if whether suppose supposing imagine pretend wonder
	isn't aren't wasn't weren't doesn't don't didn't hasn't haven't can't couldn't won't wouldn't shouldn't dont doesnt didnt
	see check show find explain know say think remember guess i we he she they it it's there there's somebody someone nobody anybody`)

// asides are words before an order that make it one that is only spoken of.
var asides = setOf(`said says say told tells tell asked asks wonder wonders wondering think thinks thought know knows remember suppose imagine
	pretend whether if when whenever why because should would could might must not never don't dont doesn't didn't won't can't yesterday ago
	turned switched opened closed locked unlocked started stopped wants wanted is are was were`)

// polite words stand before what is meant.
var polite = setOf(`please hey ok okay and jervis so now then just kindly well oh yes`)

// politely are longer ones: whoever asks "can you" gives an order.
var politely = [][]string{
	{"can", "you"},
	{"could", "you"},
	{"would", "you"},
	{"will", "you"},
	{"can", "someone"},
	{"can", "somebody"},
	{"could", "someone"},
	{"could", "somebody"},
	{"i", "want", "you", "to"},
	{"i", "need", "you", "to"},
	{"i'd", "like", "you", "to"},
	{"i", "want", "to"},
	{"i'd", "like", "to"},
	{"i", "want"},
	{"i", "need"},
	{"i'd", "like"},
	{"we", "need"},
	{"we", "want"},
	{"go", "ahead", "and"},
}

// orders are words with which an order begins.
var orders = setOf(`turn switch put open close shut lock unlock start stop activate deactivate dim brighten set pause play raise lower make run resume
	increase decrease leave keep change skip mute unmute add tick remove delete cross take send return dock clean arm disarm toggle boost heat warm cool enable
	disable let get bring`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// meant are the words without what politeness puts before them.
func meant(words []string) []string {
	for {
		rest := words
		if len(words) > 1 && polite[words[0]] {
			rest = words[1:]
		}
		for _, p := range politely {
			if len(rest) > len(p) && slices.Equal(rest[:len(p)], p) {
				rest = rest[len(p):]
			}
		}
		if len(rest) == len(words) {
			return words
		}
		words = rest
	}
}

// asks is whether the words ask, tell or forbid something, and order nothing.
func asks(question string) bool {
	words := meant(fold(question))
	if len(words) == 0 {
		return false
	}
	if firsts[words[0]] || asksFirst[strings.TrimLeft(words[0], "¿¡")] || len(words) > 1 && words[0] == "let" && words[1] == "me" {
		return true
	}
	if orders[words[0]] {
		return false
	}
	for _, w := range words {
		if orders[w] {
			break
		}
		if asides[w] {
			return true
		}
	}
	return strings.ContainsAny(question, "?？؟")
}

// onlyNames is whether the words are nothing but what things are called, which Home
// Assistant's agent would switch on.
func (c *Connector) onlyNames(words []string) bool {
	all, _ := c.house.all()
	said := slices.DeleteFunc(stems(words), func(w string) bool { return w == "the" || w == "please" || w == "and" })
	found := namedIn(words, all)
	for _, e := range found {
		said = cut(said, e.stems)
	}
	return len(found) > 0 && len(said) == 0
}

// clauses are the orders in the words: "turn on the lamp and open the window" are two.
func clauses(words []string) [][]string {
	var all [][]string
	from := 0
	for i := 1; i < len(words); i++ {
		if (words[i-1] == "and" || words[i-1] == "then") && orders[words[i]] {
			all = append(all, words[from:i])
			from = i
		}
	}
	return append(all, words[from:])
}

// clauseOf is the order that names e; all the words where none does.
func clauseOf(words []string, e entity) []string {
	for _, clause := range clauses(words) {
		if at(stems(clause), e.stems) >= 0 {
			return clause
		}
	}
	return words
}

// stemsOf is the set of the words as stem leaves them.
func stemsOf(words string) map[string]bool {
	return setOf(strings.Join(stems(strings.Fields(words)), " "))
}

// later are words of a time that is not now, or of a condition.
var later = stemsOf(`tomorrow tonight later soon if when whenever unless until till after before once while during every daily nightly weekly
	monday tuesday wednesday thursday friday saturday sunday weekend weekday morning afternoon evening midnight noon`)

// units are what a time is counted in, and few are numbers before them.
var (
	units = setOf(`second minute hour day week`)
	few   = setOf(`a an one two three four five six seven eight nine ten fifteen twenty thirty forty fifty sixty ninety half few couple of next`)
)

const onlyAtOnce = "I switch things only at once, not at another time or on a condition"

const oneAtATime = "Please say one thing at a time, and name what is meant"

// joins are words between one thing and the next, thanks what may stand beside them, levels what
// may stand beside a level, and where what leads to a room.
var (
	joins  = setOf(`and then also plus afterwards und dann et puis y luego e poi dan och og`)
	thanks = setOf(`please thanks thank you would could will cheers again immediately bitte danke jetzt sofort merci gracias`)
	levels = setOf(`it them its the at by brightness volume temperature level percent degree c °c auf prozent grad à sur a al`)
	where  = setOf(`in on the at my our im der die das dem den dans le la les en el na no nel nella i`)
)

// notAlone is why words that name what may be acted on are not handed on: there is more in
// them than was understood, and Home Assistant acts on that as well, by names of its own.
func notAlone(question string, a aim) string {
	if a.more {
		return oneAtATime
	}
	said, ends := stopped(question)
	for _, e := range a.targets {
		if i := at(said, e.stems); i >= 0 {
			end := i + len(e.stems)
			said, ends = slices.Replace(said, i, end, meantHere), slices.Delete(ends, i, end-1)
		} else if i := slices.IndexFunc(said, func(w string) bool { return inUnspaced(w, e.Name) >= 0 }); i >= 0 {
			said[i] = meantHere // the whole sentence is one word
		}
	}
	from := 0
	for i, w := range said {
		kind := kinds[w]
		switch {
		case slices.Contains(named, kind) && !slices.ContainsFunc(a.targets, func(e entity) bool { return e.domain() == kind }):
			return oneAtATime // "and the back door"
		case a.room != "" && kind != "" && kind != kindOf(a.targets) && w != "switch" && (i+1 == len(said) || kinds[said[i+1]] == ""):
			return oneAtATime // "the lights and the fan in the bedroom"
		case w == "or":
			return oneAtATime
		case a.room == "" && slices.Contains(everything, w) && (!slices.Contains(allOf, w) || slices.ContainsFunc(said[i:], isPlace)):
			return nameIt
		}
		if joins[w] || ends[i] || i+1 == len(said) {
			if !understood(said[from:i+1], a) {
				return oneAtATime
			}
			from = i + 1
		}
	}
	return ""
}

// kindOf is the domain of those; empty where there are none.
func kindOf(list []entity) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].domain()
}

// meantHere stands for the name of what may be acted on.
const meantHere = "\x00"

// understood is whether a part of what was said names what may be acted on, or the room of
// that, or says a level, or nothing at all.
func understood(part []string, a aim) bool {
	whole := len(part)
	for _, e := range a.targets {
		part = cut(part, stems(fold(e.Area)))
		if a.there.holds(e.Area) {
			part = cut(part, a.there.said)
		}
	}
	more := false
	there := len(part) < whole || !elsewhere(part)
	digit := func(w string) bool { return w[0] >= '0' && w[0] <= '9' }
	level := slices.ContainsFunc(part, digit)
	for _, w := range part {
		if w == meantHere || a.room != "" && kinds[w] != "" && there {
			return true
		}
		ofLevel := level && (digit(w) || orders[w] || thingVerbs[w] || levels[w])
		more = more || !joins[w] && !thanks[w] && !polite[w] && !where[w] && !ofLevel
	}
	return !more
}

// elsewhere is whether words without the place that is known speak of another one, or of a thing
// that has a name: "the lights in the cellar", "the attic lamp".
func elsewhere(part []string) bool {
	i := slices.Index(part, "in") + 1
	for i > 0 && i < len(part) && thingWords[part[i]] {
		i++
	}
	if i > 0 && i < len(part) && kinds[part[i]] == "" && !number(part[i]) {
		return true
	}
	for i := 1; i < len(part); i++ {
		w := part[i-1]
		if kinds[part[i]] != "" && kinds[w] == "" && !thingVerbs[w] && !thingWords[w] && !joins[w] && !polite[w] && !where[w] && !anyOf[w] && !orders[w] {
			return true
		}
	}
	return false
}

// isPlace is whether a word that "all" stands before means the things or the rooms of a house.
func isPlace(w string) bool {
	return kinds[w] != "" || slices.Contains([]string{"area", "room", "house", "floor", "device", "thing"}, w)
}

// stopped are the words of a question as stem leaves them, and whether a sentence or a part
// of one ends with each.
func stopped(question string) (said []string, ends []bool) {
	for line := range strings.Lines(question) {
		for _, raw := range strings.Fields(line) {
			if w := fold(raw); len(w) == 1 {
				said, ends = append(said, stem(w[0])), append(ends, strings.ContainsAny(raw[len(raw)-1:], ".,;:!?"))
			} else if len(ends) > 0 {
				ends[len(ends)-1] = true
			}
		}
		if len(ends) > 0 {
			ends[len(ends)-1] = true
		}
	}
	return said, ends
}

// notNow is why words that order something are not carried out at once; empty where they
// are. What the things are called is left out: a lamp may be called evening lamp.
func notNow(words []string, targets []entity, where there) string {
	said := stems(words)
	for _, e := range targets {
		said = cut(said, e.stems)
		if e.Area != "" { // in Portuguese "no quarto" is in the bedroom, and no "not"
			said = cut(said, append([]string{"no"}, stems(fold(e.Area))...))
			if where.holds(e.Area) {
				said = cut(said, append([]string{"no"}, where.said...))
			}
		}
	}
	verb, _ := verbOf(words)
	if verb == "" && slices.ContainsFunc(said, func(w string) bool { return notNowAbroad[w] }) {
		return onlyAtOnce
	}
	for i, w := range said {
		switch {
		case w == "except" || w == "but" || w == "not" || verb != "" && w == "no" || w == "without" || w == "instead" || strings.HasSuffix(w, "n't"):
			return "Please name only what is to be switched"
		case later[w], verb != "" && (w == "am" || w == "pm"), w == "in" && (begins(said[i+1:], "a", "bit") || i+1 < len(said) && number(said[i+1])):
			return onlyAtOnce
		case i > 1 && units[w] && (few[said[i-1]] || number(said[i-1])), w == "at" && atATime(said[i+1:], said[0]):
			return onlyAtOnce
		}
	}
	for _, clause := range clauses(said) {
		on, off := slices.Index(clause, "on"), slices.Index(clause, "off")
		// "Turn off the light on the landing" is one thing.
		if on >= 0 && off >= 0 && slices.Contains(clause[min(on, off):max(on, off)], "and") {
			return "Please say one thing at a time"
		}
	}
	return ""
}

func begins(words []string, with ...string) bool {
	return len(words) >= len(with) && slices.Equal(words[:len(with)], with)
}

// number is whether w is a number, "a" left out.
func number(w string) bool {
	return few[w] && w != "a" && w != "an" && w != "next" || w[0] >= '0' && w[0] <= '9'
}

// cut is the words without that name.
func cut(words, name []string) []string {
	i := at(words, name)
	if i < 0 {
		return words
	}
	return slices.Concat(words[:i], words[i+len(name):])
}

// atATime is whether "at" is followed by a time of the day, and not by a level.
func atATime(rest []string, verb string) bool {
	if len(rest) == 0 || strings.HasSuffix(rest[0], "%") || len(rest) > 1 && (rest[1] == "percent" || strings.HasPrefix(rest[1], "degree") || rest[1] == "%") {
		return false
	}
	return strings.Contains(rest[0], ":") || strings.HasSuffix(rest[0], "am") || strings.HasSuffix(rest[0], "pm") || verb != "set" && verb != "dim"
}
