package answer

import (
	"iter"
	"slices"

	"github.com/askhub/askhub/plan"
)

// what a mention says of an entity, as the set of entities of which it is true.

// holds is the set of entities for which an attribute holds.
func (j *judge) holds(s *segment, i int) set {
	switch m := &j.out[i]; m.kind {
	case mWhen:
		return j.whenSet(s, i)
	case mState:
		return j.stateSet(m)
	case mNumber:
		return j.numberSet(s, i)
	default:
		return j.textSet(i)
	}
}

// sayable says that something may be said of an entity: its look-up went well, or found no
// row and has facts to tell, such as how far back it looked.
func (j *judge) sayable(ent int) bool {
	l := &j.looks[j.ents[ent].look]
	return l.ok || l.found.Result.Outcome == plan.OutcomeNone && ent == l.facts
}

// bounded bounds a set to what may be told and what the segment is about.
func (j *judge) bounded(s *segment, x set) set {
	out := newSet(len(j.ents))
	for e := range j.ents {
		if x.has(e) && j.sayable(e) && s.mask>>j.ents[e].look&1 == 1 {
			out.add(e)
		}
	}
	return out
}

// textSet are the entities of a text. "from" before a recipient, or "to" before a
// sender, turns it round.
func (j *judge) textSet(i int) set {
	m := &j.out[i]
	before := wordAt(j.ts, m.from-1)
	if articles[before] {
		before = wordAt(j.ts, m.from-2)
	}
	if before == "" || m.kind == mName && !m.quoted {
		return m.ents
	}
	out := newSet(len(j.ents))
	keyWord := j.isKeyWord(before)
	for at := range j.values {
		v := &j.values[at]
		if !m.ents.has(v.ent) || !slices.Contains(m.keys, v.key) || v.kind != isText {
			continue
		}
		if before == "from" && receivers[v.key] || before == "to" && senders[v.key] || before == "by" && receivers[v.key] {
			continue
		}
		if m.quoted && (titling[before] && senders[v.key] || (before == "from" || before == "by" || before == "sender") && (v.key == "title" || v.key == "snippet" || v.key == "subject" || v.key == "body")) {
			continue
		}
		if m.quoted && !quotes(j.ts[m.from].text, v.text) {
			continue
		}
		if before != v.key && keyWord && !keyHas(v.key, stem(before)) {
			continue
		}
		out.add(v.ent)
	}
	return out
}

// isKeyWord says that a word is the name of a field that some row has.
func (j *judge) isKeyWord(w string) bool {
	for at := range j.values {
		if j.values[at].key == w && !j.values[at].special {
			return true
		}
	}
	return false
}

func (j *judge) stateSet(m *mention) set {
	out := newSet(len(j.ents))
	for _, ref := range m.states {
		for at := range j.values {
			v := &j.values[at]
			if v.key != ref.field || v.special || v.attacker || j.ents[v.ent].look != ref.look {
				continue
			}
			if yes, known := ref.truth(v); known && yes != m.not {
				out.add(v.ent)
			}
		}
	}
	return out
}

// numberSet are the entities that hold the number under a key that the segment says.
func (j *judge) numberSet(s *segment, i int) set {
	m := &j.out[i]
	out := newSet(len(j.ents))
	s = j.around(s, i)
	for at := range j.values {
		v := &j.values[at]
		switch {
		case v.attacker || !j.saysKey(s, v.key) || j.betterKey(s, at, func(o *value) bool { return o.kind == v.kind && !j.equal(o, m) }):
		case j.equal(v, m):
			out.add(v.ent)
		}
	}
	return out
}

// around is the part of a segment that belongs to one number: up to the next comma,
// "and" or number on either side.
func (j *judge) around(s *segment, i int) *segment {
	from, to := i, i+1
	for from > s.from && j.out[from-1].kind != mSep && j.out[from-1].kind != mNumber {
		from--
	}
	for to < s.to && j.out[to].kind != mSep && j.out[to].kind != mNumber {
		to++
	}
	part := &segment{from: from, to: to, mask: s.mask, words: map[string]bool{}}
	for t := j.out[from].from; t < j.out[to-1].to; t++ {
		part.words[stem(j.ts[t].low)] = true
	}
	return part
}

// equal says that a value is the number.
func (j *judge) equal(v *value, m *mention) bool {
	switch v.kind {
	case isNumber:
		return same(v.number, m.number.value)
	case isText:
		n, ordinal, ok := parseDigits(v.text)
		return ok && !ordinal && same(n, m.number.value)
	}
	return false
}

// saysKey says that the segment says one of a key's own words.
func (j *judge) saysKey(s *segment, key string) bool { return keyWordsSaid(s, key) > 0 }

// keyWordsSaid is how many of a key's words the segment says.
func keyWordsSaid(s *segment, key string) int {
	n := 0
	for _, w := range splitWords(key) {
		if s.words[stem(w)] && !weakKey[w] {
			n++
		}
	}
	return n
}

// weakKey are words of keys that stand in any sentence.
var weakKey = list("at on to from by in of is has and the count total number")

// betterKey says that another value of the same entity has a key that the segment
// says better, and is other.
func (j *judge) betterKey(s *segment, at int, other func(*value) bool) bool {
	v := &j.values[at]
	mine := keyWordsSaid(s, v.key)
	for o := range j.beside(at) {
		if keyWordsSaid(s, o.key) > mine && other(o) {
			return true
		}
	}
	return false
}

// beside are the other values of a value's entity; they stand next to it.
func (j *judge) beside(at int) iter.Seq[*value] {
	return func(yield func(*value) bool) {
		for _, step := range []int{-1, 1} {
			for k := at + step; k >= 0 && k < len(j.values) && j.values[k].ent == j.values[at].ent; k += step {
				if !yield(&j.values[k]) {
					return
				}
			}
		}
	}
}

// whenSet are the entities with an instant that fits, under a key that the words
// before it allow.
func (j *judge) whenSet(s *segment, i int) set {
	m := &j.out[i]
	out := newSet(len(j.ents))
	end := j.endBefore(m.from)
	for at := range j.values {
		v := &j.values[at]
		if v.kind != isInstant || v.attacker || !m.when.fits(v.when) || out.has(v.ent) {
			continue
		}
		if j.whenKey(s, v, at, end) {
			out.add(v.ent)
		}
	}
	if m.ents != nil {
		out = out.or(m.ents)
	}
	return out
}

// endBefore says that a time is said as an end: "until Friday", "ends at ten".
func (j *judge) endBefore(t int) bool {
	for k := t - 1; k >= 0 && k >= t-3; k-- {
		w := wordAt(j.ts, k)
		if endWords[w] {
			return true
		}
		if w != "on" && w != "at" && w != "the" && w != "in" {
			return false
		}
	}
	return false
}

func isEndKey(key string) bool {
	for _, w := range splitWords(key) {
		if endKeys[w] {
			return true
		}
	}
	return false
}

// whenKey says that a time may be said of a value with that key: the start of a
// thing unless another word is said.
func (j *judge) whenKey(s *segment, v *value, at int, end bool) bool {
	said := keyWordsSaid(s, v.key)
	if end != isEndKey(v.key) && (end || said == 0) {
		return false
	}
	if end {
		return true
	}
	others, better := 0, false
	for o := range j.beside(at) {
		if o.kind != isInstant || isEndKey(o.key) || o.attacker {
			continue
		}
		others++
		better = better || keyWordsSaid(s, o.key) > said
	}
	if better {
		return false
	}
	if said > 0 || others == 0 {
		return true
	}
	for _, w := range splitWords(v.key) {
		if startKeys[w] {
			return true
		}
	}
	return false
}

// orderSet are the rows that a tool's own "newest" or "next" can mean: those with the
// latest, earliest or soonest time, or the first row where rows hold no time.
func (j *judge) orderSet(i int) set {
	m := &j.out[i]
	out := newSet(len(j.ents))
	for l := range j.looks {
		look := &j.looks[l]
		if m.use.declared>>l&1 == 0 || !look.ok {
			continue
		}
		if look.rows == 0 {
			out.add(look.facts)
			continue
		}
		if m.order == declared || !look.dated {
			out.add(look.facts + 1)
			continue
		}
		j.extremes(m.order, look, out)
	}
	return out
}

func (j *judge) extremes(o order, l *look, out set) {
	best, found := int64(0), false
	var at []int
	for k := range j.values {
		v := &j.values[k]
		if v.kind != isInstant || v.attacker || v.when.clockOnly || isEndKey(v.key) || v.ent <= l.facts || v.ent > l.facts+l.rows {
			continue
		}
		t := v.when.at.Unix()
		if o == soonest && (v.when.dateOnly && v.when.day < j.cal.today || !v.when.dateOnly && t < j.cal.now.Unix()) {
			continue
		}
		switch better := o == latest && t > best || o != latest && t < best; {
		case !found || better:
			best, found, at = t, true, append(at[:0], v.ent)
		case t == best:
			at = append(at, v.ent)
		}
	}
	for _, e := range at {
		out.add(e)
	}
}
