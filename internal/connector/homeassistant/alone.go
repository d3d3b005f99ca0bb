package homeassistant

import (
	"slices"
	"strings"
)

// Words around a verb that tell an order from what is only spoken of.
var (
	// spokenBy are words before a verb that is no order: "that you can turn it on", "the lock".
	spokenBy = setOf(`i you we they he she it who to can could should would will shall must may might do does did don't doesn't didn't dont never not no whether if or
		is are was were be been being isn't aren't has have had a an the my our your his her its this that which what when how why before after by of for with
		said says say told tells wants wanted asked suppose imagine pretend let lets make makes made`)
	// spokenIn are those that make one of every verb behind them, up to the next "and".
	spokenIn = setOf(`can could should would will shall must may might do does did let lets make makes made help helps`)
	// toldBy are words behind which everything is told.
	toldBy = setOf(`said says say told tells wants wanted asked suppose imagine pretend`)
	// goesOn are words with which a sentence goes on to an order: "if so turn it off".
	goesOn = setOf(`and then otherwise also please so now`)
	// objects are words with which the object of an order begins; one behind a verb is sign enough
	// that it orders: "is the window open and close it".
	objects = setOf(`the my our your his her all both every it them that this those these on off up down a an some me us`)
	// furtherOrders are words of orders that are for others than Home Assistant.
	furtherOrders = setOf(`remind cancel announce notify wake`)
	// conditions are words with which a condition begins.
	conditions = setOf(`if when whenever once unless until till after before as`)
)

// sentence is one of those that somebody said, with whether a part of it ends with each word.
type sentence struct {
	words []string
	ends  []bool
}

// sentencesOf are the sentences of a question, without what politeness puts before each.
func sentencesOf(question string) (all []sentence) {
	var s sentence
	end := func() {
		if begin := len(s.words) - len(meant(s.words)); len(s.words) > 0 {
			all = append(all, sentence{s.words[begin:], s.ends[begin:]})
		}
		s = sentence{}
	}
	for line := range strings.Lines(question) {
		for _, raw := range strings.Fields(line) {
			if w := fold(raw); len(w) == 1 {
				s.words, s.ends = append(s.words, w[0]), append(s.ends, strings.ContainsAny(raw[len(raw)-1:], ",;:"))
			} else if len(s.ends) > 0 {
				s.ends[len(s.ends)-1] = true // a dash
			}
			if strings.ContainsAny(raw[len(raw)-1:], ".!?") {
				end()
			}
		}
		end()
	}
	return all
}

// verb is whether the word at i would order something if it were said by itself.
func (s sentence) verb(i int) bool {
	w, next := s.words[i], ""
	if i+1 < len(s.words) {
		next = s.words[i+1]
	}
	switch {
	case !orders[w] && !furtherOrders[w], w == "let" && (next == "me" || next == "us"):
		return false
	case i == 0:
		return true
	}
	return next != "" && (objects[next] || kinds[stem(next)] != "" || slices.Contains([]string{"turn", "add", "dim"}, w) && !spokenBy[next])
}

// joined is whether an order can begin at i, for the sentence goes on there.
func (s sentence) joined(i int) bool {
	if i > 2 && s.words[i-1] == "you" && spokenIn[s.words[i-2]] {
		i -= 2 // "and could you"
	}
	return goesOn[s.words[i-1]] || s.ends[i-1]
}

// orders is whether the sentence orders something, alone or beside what it asks or tells.
func (s sentence) orders() bool {
	spoken, within := false, false // of an order, and within what is spoken of
	for i, w := range s.words {
		switch {
		case toldBy[w]:
			return false
		case i > 0 && (goesOn[w] || s.ends[i-1]):
			within = false
		}
		if s.verb(i) {
			switch {
			case i == 0, s.joined(i) && !spoken:
				return true
			case s.joined(i): // "whether to close it and open that"
			case within || spokenBy[s.words[i-1]]:
				spoken = true
			case s.surely(i):
				return true
			}
		}
		within = within || spokenIn[w]
	}
	return false
}

// surely is whether a verb at i orders something although nothing leads to it, as where a
// microphone heard no comma. "Is the shop open on Sunday" orders nothing.
func (s sentence) surely(i int) bool {
	next := s.words[i+1]
	return next == "it" || next == "them" || s.words[i] == "turn" || conditions[s.words[0]]
}

// alsoOrders is whether the words order something, alone or beside what they ask: to answer only
// how things are would drop the order without a word.
func alsoOrders(question string) bool {
	return slices.ContainsFunc(sentencesOf(question), sentence.orders)
}

// questionFirst are the words with which a question about how things are begins.
var questionFirst = setOf(`is are was were what what's whats which who how when where why does did`)

// alsoAsks is whether the words ask something behind what they order, which the agent would take
// for more that is to be done.
func alsoAsks(question string) bool {
	for n, s := range sentencesOf(question) {
		for i, w := range s.words {
			if questionFirst[w] && (i == 0 && n > 0 || i > 0 && s.joined(i)) {
				return true
			}
		}
	}
	return false
}

// onCondition is whether the words order something for a time or a case that they begin with, and
// ask nothing: "if the garage door is open close it".
func onCondition(question string) bool {
	all := sentencesOf(question)
	if len(all) == 0 || len(all[0].words) < 2 || strings.ContainsAny(question, "?？") {
		return false
	}
	s := all[0]
	return conditions[s.words[0]] && !spokenIn[s.words[1]] && !slices.Contains([]string{"is", "are", "was", "were"}, s.words[1]) && s.orders()
}
