package planner

import (
	"slices"
	"strings"
)

// slot is a phrase of the question that an argument may take.
type slot struct {
	kind     slotKind
	from, to int // tokens, the word that leads it in included
	text     string
	words    [2]int // the phrase's own tokens
}

type slotKind uint8

const (
	slotQuoted slotKind = iota
	slotNamed           // called X, titled X
	slotAbout           // about X
	slotFrom            // from X, by X, did X write
	slotTo              // to X
	slotIn              // in X, at X
	slotFor             // for X
	slotWith            // with X
	slotOf              // of X, on X
	slotPerson          // somebody of the household
	slotNumber          // three
	slotCode            // B17: a word with letters and digits
	slotOwner           // X's
	slotBare            // a word that nobody knows
)

var slotLeads = map[string]slotKind{
	"about": slotAbout, "regarding": slotAbout, "concerning": slotAbout, "mentioning": slotAbout, "mention": slotAbout, "mentions": slotAbout,
	"containing": slotAbout, "contain": slotAbout, "contains": slotAbout, "re": slotAbout, "saying": slotAbout,
	"called": slotNamed, "named": slotNamed, "titled": slotNamed, "entitled": slotNamed,
	"from": slotFrom, "by": slotFrom, "to": slotTo, "in": slotIn, "at": slotIn, "for": slotFor, "with": slotWith, "of": slotOf, "on": slotOf,
}

// firm says that the kind tells by itself what it is, whatever the words in it.
func (k slotKind) firm() bool {
	return k == slotQuoted || k == slotNamed || k == slotAbout || k == slotFrom || k == slotPerson || k == slotNumber || k == slotCode || k == slotOwner
}

// fits says how well a slot fits an argument; 0 is not at all.
func (k slotKind) fits(r role) int {
	switch r {
	case roleFrom:
		return [...]int{slotFrom: 9, slotOwner: 6, slotWith: 4, slotBare: 0}[k]
	case rolePerson:
		return [...]int{slotPerson: 9, slotFor: 4, slotFrom: 4, slotWith: 3, slotOwner: 3, slotTo: 3, slotBare: 0}[k]
	case roleAbout:
		return [...]int{slotQuoted: 9, slotNamed: 9, slotAbout: 9, slotOf: 3, slotWith: 3, slotFor: 3, slotCode: 2, slotIn: 1, slotBare: 2}[k]
	case rolePlace:
		return [...]int{slotIn: 8, slotFrom: 3, slotOf: 2, slotTo: 2, slotBare: 0}[k]
	case roleNumber:
		return [...]int{slotNumber: 9, slotBare: 0}[k]
	case roleID:
		return [...]int{slotCode: 9, slotBare: 0}[k]
	case roleOther:
		return [...]int{slotQuoted: 6, slotNamed: 5, slotFor: 3, slotOf: 3, slotWith: 2, slotIn: 2, slotTo: 2, slotBare: 1}[k]
	}
	return 0
}

// slots are the phrases of the question. Times are no phrases.
func (q *question) slots() []slot {
	var out []slot
	add := func(kind slotKind, from, first, to int) {
		for first < to && determiners[q.ts[first].low] && !q.ts[first].quoted {
			first++
		}
		for to > first && (hard[q.ts[to-1].low] && !q.ts[to-1].capital || soft[q.ts[to-1].low] && to-1 > first) && !q.ts[to-1].quoted {
			to--
		}
		switch {
		case kind == slotQuoted || first >= to:
		case (kind == slotWith || kind == slotOf || kind == slotIn) && spoken[q.ts[first].low] && first+1 < to:
			kind = slotAbout // with the word holiday
			first++
		case kind == slotWith && !q.ts[first].capital:
			kind = slotOf // a thing
		}
		if to < len(q.ts) && q.ts[to].quoted && to == first+1 && soft[q.ts[first].low] {
			return // the word “invoice”
		}
		if first < to {
			if text := phrase(q.ts, first, to); text != "" {
				out = append(out, slot{kind: kind, from: from, to: to, text: text, words: [2]int{first, to}})
			}
		}
	}
	for i := range q.ts {
		t := &q.ts[i]
		switch {
		case q.timed[i]:
			continue
		case t.quoted:
			if lead := q.leadOf(i); slotLeads[lead] != slotFrom || lead == "" {
				add(slotQuoted, i, i, i+1)
			}
			continue
		case q.person[i] && (i == 0 || !q.person[i-1]):
			to := i + 1
			for to < len(q.ts) && q.person[to] {
				to++
			}
			add(slotPerson, i, i, to)
		case t.digits && numeric(t.low):
			add(slotNumber, i, i, i+1)
		case numbers[t.low] > 1:
			out = append(out, slot{kind: slotNumber, from: i, to: i + 1, text: itoa(numbers[t.low]), words: [2]int{i, i + 1}})
		case hasDigit(t.low) && len(t.low) > 1:
			add(slotCode, i, i, i+1)
		}
		if kind, is := slotLeads[t.low]; is {
			add(kind, i, i+1, q.phraseEnd(i+1, kind))
		}
		if t.owner && !q.person[i] {
			from := i
			for from > 0 && q.ts[from-1].capital && from-1 > 0 && !q.timed[from-1] {
				from--
			}
			if from == 0 || t.capital || q.ts[from-1].low == "the" {
				add(slotOwner, from, from, i+1)
			}
		}
		if sendVerbs[t.low] {
			if from, ok := q.subject(i); ok {
				add(slotFrom, from[0], from[1], i)
			}
		}
	}
	return out
}

// joins are small words within a name.
var joins = set("of the de van von der den la le el al bin du di and")

// adverbs come between a name and its verb.
var adverbs = set("last ever also just first finally")

// spoken are words for words.
var spoken = set("word words title subject name phrase text")

// leadOf is the word that leads a quotation in.
func (q *question) leadOf(i int) string {
	for i--; i >= 0 && determiners[q.ts[i].low]; i-- {
	}
	if i < 0 {
		return ""
	}
	return q.ts[i].low
}

// phraseEnd is where the phrase ends that begins at i.
func (q *question) phraseEnd(i int, kind slotKind) int {
	start := i
	for ; i < len(q.ts); i++ {
		t := &q.ts[i]
		if t.quoted && (i == start || i == start+1 && determiners[q.ts[start].low]) {
			return i + 1
		}
		if i > start && (t.broken || t.quoted) || q.timed[i] {
			return i
		}
		if t.capital && i > start {
			continue
		}
		if kind == slotFrom && i > start && q.ts[start].capital && !joins[t.low] {
			return i // the name is over
		}
		if kind == slotFrom && i > start && q.kind[i].strong && strings.HasSuffix(t.low, "ed") {
			return i // from the shop expected tomorrow
		}
		next, lead := slotLeads[t.low]
		switch {
		case t.low == "and" && i > start && i+1 < len(q.ts) && !q.timed[i+1] && q.plainWord(i+1):
		case breakers[t.low] && (i > start || !sendVerbs[t.low]):
			return i
		case lead && (next == slotFrom || next == slotAbout || next == slotNamed) && i > start:
			return i
		case lead && i > start && kind != slotAbout && kind != slotNamed && next != slotOf:
			return i
		}
	}
	return i
}

// plainWord says that a word at i goes on with a list: maths and PE.
func (q *question) plainWord(i int) bool {
	t := &q.ts[i]
	_, lead := slotLeads[t.low]
	return !lead && !hard[t.low] && !soft[t.low] && !breakers[t.low] && !q.kind[i].strong
}

// subject is who sends, before the verb at i: the tokens from the helping verb on.
func (q *question) subject(i int) (from [2]int, ok bool) {
	for k := i - 1; k >= 0 && i-k <= 7; k-- {
		t := &q.ts[k]
		if t.broken && k < i-1 || q.timed[k] || t.quoted {
			return from, false
		}
		if t.low == "did" || t.low == "has" || t.low == "have" || t.low == "does" {
			first := k + 1
			for first < i && determiners[q.ts[first].low] {
				first++
			}
			for end := first + 1; end < i; end++ {
				if !joins[q.ts[end].low] && q.ts[first].capital && !q.ts[end].capital || adverbs[q.ts[end].low] {
					return from, false // when did Anna last write?
				}
			}
			named := slices.ContainsFunc(q.ts[first:i], func(t token) bool { return t.content() })
			return [2]int{k, first}, named && !nobody[q.ts[first].low]
		}
		if sendVerbs[t.low] && k < i-1 {
			return from, false
		}
	}
	return from, false
}

func numeric(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func hasDigit(s string) bool {
	digit, letter := false, false
	for i := range len(s) {
		digit = digit || s[i] >= '0' && s[i] <= '9'
		letter = letter || s[i] >= 'a' && s[i] <= 'z'
	}
	return digit && letter
}
