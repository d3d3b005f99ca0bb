package planner

import (
	"slices"
	"strings"
)

// openings may stand before a wish.
var openings = phrases(
	"please", "kindly", "ok", "okay", "hey", "hi", "hello", "just", "now", "then", "also", "and", "hub", "go ahead and", "can you", "could you", "would you", "will you",
	"i want you to", "i need you to", "i would like you to", "i want to", "i would like to", "help me", "help me to", "make sure to", "do not forget to", "let us", "you must", "you should",
)

func phrases(list ...string) [][]string {
	out := make([][]string, len(list))
	for i, p := range list {
		out[i] = strings.Fields(p)
	}
	return out
}

// wantsWrite says that the question wishes something to be done.
func (q *question) wantsWrite() bool {
	start := q.opening(0)
	if start > 0 && start < len(q.ts) && writeVerbs[q.ts[start].low] && !q.ts[start].quoted && q.words(start, 2) != "mail from" {
		return true
	}
	if q.wishAt(start, false) {
		return true
	}
	for i := 1; i < len(q.ts); i++ {
		if t := &q.ts[i]; !t.quoted && (t.low == "and" || t.low == "then" || t.broken) {
			at := i
			if !t.broken {
				at++
			}
			if q.wishAt(q.opening(at), true) {
				return true
			}
		}
	}
	return false
}

// opening is where the wish itself begins.
func (q *question) opening(i int) int {
	for again := true; again; {
		again = false
		for _, o := range openings {
			if i+len(o) <= len(q.ts) && slices.EqualFunc(q.ts[i:i+len(o)], o, func(t token, w string) bool { return t.low == w }) {
				i, again = i+len(o), true
			}
		}
	}
	return i
}

// wishAt says that a wish begins at i. strict wants something that is acted on, so that
// a list of things is no wish.
func (q *question) wishAt(i int, strict bool) bool {
	if i >= len(q.ts) || q.ts[i].quoted || !writeVerbs[q.ts[i].low] || q.ts[i].owner {
		return false
	}
	if q.words(i, 2) == "remind me" || q.words(i, 2) == "make sure" {
		return true
	}
	if !strict && !nounVerbs[q.ts[i].low] {
		return true
	}
	if i+1 >= len(q.ts) || q.ts[i+1].broken {
		return false
	}
	next := &q.ts[i+1]
	noun := nounVerbs[q.ts[i].low]
	object := determiners[next.low] || titles[next.low] || next.quoted
	if noun {
		object = object && next.low != "that" && next.low != "those" || next.low == "to" && sendVerbs[q.ts[i].low]
	}
	if !object && next.capital && nounVerbs[q.ts[i].low] && i+2 < len(q.ts) {
		object = q.words(i+2, 1) == "that" || q.words(i+2, 1) == "to" || q.words(i+2, 1) == "a" || q.words(i+2, 1) == "about"
	}
	return object
}

// needsJudgement says that the question asks for an opinion or advice.
func (q *question) needsJudgement() bool {
	start := q.opening(0)
	first := q.words(start, 1)
	switch {
	case first == "should", first == "why", first == "shall", q.words(start, 2) == "how come", q.words(start, 2) == "ought i":
		return true
	}
	for i := range q.ts {
		t := &q.ts[i]
		if t.quoted {
			continue
		}
		switch q.words(i, 3) {
		case "do you think", "you think of", "what should i", "what should we", "do you reckon", "good idea to", "how should i", "how should we":
			return true
		}
		// What should I read? asks for advice; what should I answer? may be a tool's own word.
		if t.low == "should" && i+2 < len(q.ts) && hard[q.ts[i+1].low] && !q.kind[i+2].strong {
			return true
		}
		if judgementWords[t.low] && !q.kind[i].strong && !q.timed[i] && !q.inPhrase(i) {
			return true
		}
	}
	return false
}

// inPhrase says that a word belongs to what is looked for: about the best day.
func (q *question) inPhrase(i int) bool {
	for _, s := range q.list {
		if (s.kind == slotQuoted || s.kind == slotNamed || s.kind == slotAbout) && i >= s.words[0] && i < s.words[1] {
			return true
		}
	}
	return false
}
