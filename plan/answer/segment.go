package answer

import (
	"strings"

	"github.com/askhub/askhub/plan"
)

// segment judges one part of the sentence.
func (j *judge) segment(from, to int) *Fault {
	s := &segment{from: from, to: to, words: map[string]bool{}, mask: ^uint32(0)}
	for i := from; i < to; i++ {
		for t := j.out[i].from; t < j.out[i].to; t++ {
			s.words[stem(j.ts[t].low)] = true
		}
	}
	if f := j.frame(s); f != nil || s.mask == 0 {
		return f
	}
	if f := j.vocabularyOf(s); f != nil {
		return f
	}
	if f := j.ages(s); f != nil {
		return f
	}
	if f := j.negations(s); f != nil {
		return f
	}
	if f := j.posture(s); f != nil {
		return f
	}
	before := len(j.supports)
	if f := j.heads(s); f != nil {
		return f
	}
	if s.masked && len(j.supports) == before {
		return j.fault(CodeUnsupported, j.firstOf(s, mVocab))
	}
	return nil
}

func (j *judge) firstOf(s *segment, k mentionKind) int {
	for i := s.from; i < s.to; i++ {
		if j.out[i].kind == k {
			return i
		}
	}
	return s.from
}

func (j *judge) allOf(s *segment, kinds ...mentionKind) []int {
	var out []int
	for i := s.from; i < s.to; i++ {
		for _, k := range kinds {
			if j.out[i].kind == k {
				out = append(out, i)
			}
		}
	}
	return out
}

// frame judges a segment that says what could not be learned, or that leaves a
// choice; its mask is 0 afterwards where nothing more is to be judged. Of a look-up
// that has no result nothing else may be said.
func (j *judge) frame(s *segment) *Fault {
	var unknown []int
	negated, verb := false, false
	for i := s.from; i < s.to; i++ {
		w := j.ts[j.out[i].from].low
		negated = negated || j.out[i].kind == mNot
		verb = verb || unknownVerbs[w] || w == "wrong"
		if j.out[i].kind == mUnknown {
			unknown = append(unknown, i)
		}
	}
	lost := j.mask(unknownOutcome)
	if verb && (negated || s.words["wrong"]) && (lost != 0 || j.mask(ambiguous) == 0) {
		return j.notKnown(s, lost)
	}
	if choice := j.mask(ambiguous); choice != 0 && (s.words["several"] || s.words["which"] || s.words["either"] || s.words["or"] || s.words["than"]) {
		return j.choice(s, choice)
	}
	if unknown != nil {
		f := j.fault(CodeUnsupported, unknown...)
		for _, i := range unknown {
			if j.strange(i) {
				f.Code = CodeUnquoted
			} else if j.ts[j.out[i].from].capital() && j.out[i].from > 0 && f.Code != CodeUnquoted {
				f.Code = CodeName
			}
		}
		return f
	}
	return nil
}

// strange says that an unknown word stands in another person's text.
func (j *judge) strange(i int) bool {
	w := j.ts[j.out[i].from].low
	if len(w) < 4 {
		return false
	}
	for at := range j.values {
		v := &j.values[at]
		if !v.attacker || len(v.text) > 4*maxSentence {
			continue
		}
		for part := range strings.FieldsFuncSeq(v.text, func(r rune) bool { return !inWord(r) }) {
			if strings.EqualFold(part, w) {
				return true
			}
		}
	}
	return false
}

// notKnown is "I could not find out about the trip": some look-up was denied or
// failed, and nothing is said besides. The question's own words are glue here.
func (j *judge) notKnown(s *segment, lost uint32) *Fault {
	if lost == 0 {
		return j.fault(CodeOutcome, j.firstOf(s, mNot))
	}
	asked := map[string]bool{}
	ts, _ := tokens(j.ctx.Question, nil)
	for _, t := range ts {
		asked[stem(t.low)] = true
	}
	for i := s.from; i < s.to; i++ {
		m := &j.out[i]
		w := j.ts[m.from].low
		switch {
		case m.kind == mVocab:
			lost &= m.use.declared | m.use.asked
		case m.kind == mUnknown:
			if !unknownVerbs[w] && !unknownGlue[w] && !asked[stem(w)] || j.strange(i) && !asked[stem(w)] {
				return j.fault(CodeUnsupported, i)
			}
		case m.kind == mGlue, m.kind == mSep, m.kind == mNot, m.kind == mPerson:
		case m.kind == mWhen:
			if !j.scoped(m.when, lost) {
				return j.fault(CodeDate, i)
			}
		case !unknownGlue[w] && !unknownVerbs[w]:
			return j.fault(CodeOutcome, i)
		}
	}
	if lost == 0 {
		return j.fault(CodeOutcome, j.firstOf(s, mVocab))
	}
	for l := range j.looks {
		if lost>>l&1 == 1 {
			j.rest(s.from, s.to, l, "outcome", HowNone)
			break
		}
	}
	s.mask = 0
	return nil
}

// scoped says that one of the look-ups was asked about that time.
func (j *judge) scoped(w when, mask uint32) bool {
	for l := range j.looks {
		if mask>>l&1 == 0 {
			continue
		}
		for _, a := range j.looks[l].asked {
			if w.scopes(a) {
				return true
			}
		}
	}
	return false
}

// choice is "Several fit: maths or PE?": rows of the ambiguous look-up by name, how
// many they are, and nothing about any of them.
func (j *judge) choice(s *segment, mask uint32) *Fault {
	for i := s.from; i < s.to; i++ {
		m := &j.out[i]
		w := j.ts[m.from].low
		switch m.kind {
		case mGlue, mSep, mVocab, mPerson:
		case mName:
			l := j.among(m.ents, mask)
			if l < 0 {
				return j.fault(CodeName, i)
			}
			j.restOn(i, m, l)
		case mNumber:
			l := -1
			for k := range j.looks {
				if mask>>k&1 == 1 && m.number.value == float64(j.looks[k].rows) && !m.number.ordinal {
					l = k
				}
			}
			if l < 0 {
				return j.fault(CodeNumber, i)
			}
			j.rest(i, i+1, l, "rows", HowCount)
		default:
			if !choiceWords[w] {
				return j.fault(CodeOutcome, i)
			}
		}
	}
	for l := range j.looks {
		if mask>>l&1 == 1 {
			j.rest(s.from, s.from+1, l, "outcome", HowNone)
			break
		}
	}
	s.mask = 0
	return nil
}

// among is the first entity of a set that belongs to one of the look-ups.
func (j *judge) among(ents set, mask uint32) int {
	for e := range j.ents {
		if ents.has(e) && mask>>j.ents[e].look&1 == 1 {
			return e
		}
	}
	return -1
}

// restOn notes that a name or text rests on an entity.
func (j *judge) restOn(i int, m *mention, ent int) {
	how, path := HowStands, ""
	if m.kind == mName {
		how = HowName
	}
	if m.quoted {
		how = HowQuoted
	}
	for _, k := range m.keys {
		for at := range j.values {
			v := &j.values[at]
			if v.ent != ent || v.key != k {
				continue
			}
			if p := j.path(ent, v); path == "" || p < path {
				path = p
			}
		}
	}
	j.rest(i, i+1, j.ents[ent].look, path, how)
}

// vocabularyOf takes the words of the tools: they say which look-ups the segment is
// about. A word that was only asked for may name what was looked for, and no more.
func (j *judge) vocabularyOf(s *segment) *Fault {
	absence := false
	for _, i := range j.allOf(s, mQuant) {
		absence = absence || j.out[i].quant == noSuch || j.out[i].quant == nothing
	}
	for i := s.from; i < s.to; i++ {
		m := &j.out[i]
		if m.kind != mVocab {
			continue
		}
		s.masked = true
		compound := i+1 < s.to && j.out[i+1].kind == mVocab && j.out[i+1].use.declared&m.use.asked != 0 // "the paper bin"
		if m.use.declared == 0 && !j.askedSlot(i) && !absence && !compound {
			return j.fault(CodeUnsupported, i)
		}
		s.mask &= m.use.declared | m.use.asked
		if j.predicate(i, s) {
			return j.fault(CodeUnsupported, i)
		}
	}
	if s.mask == 0 {
		return j.fault(CodeUnsupported, j.firstOf(s, mVocab))
	}
	return nil
}

var slots = list("about from for with named called on to of by in titled the a an your his her their")

// askedSlot says that a word stands after "about", "from" and the like, so that it
// names what was looked for.
func (j *judge) askedSlot(i int) bool {
	for k := i - 1; k >= 0; k-- {
		switch m := &j.out[k]; {
		case m.kind == mVocab && m.use.asked != 0:
			continue
		case m.kind == mGlue && slots[j.ts[m.from].low]:
			w := j.ts[m.from].low
			if articles[w] || w == "your" || w == "his" || w == "her" || w == "their" {
				continue
			}
			return true
		}
		return false
	}
	return false
}

// predicate says that a tool's word stands where something is claimed: "the trip is
// cancelled".
func (j *judge) predicate(i int, s *segment) bool {
	k := i - 1
	for k >= s.from && (j.out[k].kind == mNot || j.out[k].kind == mOnly) {
		k--
	}
	if k < s.from || !j.out[k].copula {
		return false
	}
	if k > 0 && j.ts[j.out[k].from].low != "" && wordAt(j.ts, j.out[k].from-1) == "there" {
		return false
	}
	return i+1 >= s.to || j.out[i+1].kind == mGlue || j.out[i+1].kind == mSep
}

// negations gives each "not" to the state after it; another "not" claims something
// that is not looked at.
func (j *judge) negations(s *segment) *Fault {
	for i := s.from; i < s.to; i++ {
		m := &j.out[i]
		if m.kind != mNot || m.used {
			continue
		}
		w := j.ts[m.from].low
		next := i + 1
		for next < s.to && j.out[next].kind == mGlue && j.ts[j.out[next].from].kind == tokWord {
			next++
		}
		switch {
		case nots[w] && next < s.to && j.out[next].kind == mState:
			j.out[next].not = true
		case next < s.to && j.out[next].kind == mQuant && j.out[next].quant == someOf && wordAt(j.ts, j.out[next].from) == "any":
			j.out[next].quant = noSuch
		case next <= s.to && s.words["anything"]:
			m.kind, m.quant = mQuant, nothing
		default:
			return j.fault(CodeNegation, i)
		}
		m.used = true
	}
	return nil
}

// heads finds what the segment is about: an absence, a quantity, a count, a label,
// or rows by name.
func (j *judge) heads(s *segment) *Fault {
	if cs := j.allOf(s, mCompare); len(cs) > 0 {
		if more := j.others(s, cs); more >= 0 {
			return j.othersOf(s, more)
		}
		if j.intent != plan.IntentAnalyse {
			return j.fault(CodeConclusion, cs...)
		}
		return j.comparison(s, cs)
	}
	if qs := j.allOf(s, mQuant); len(qs) > 0 {
		if j.out[qs[0]].quant == mostOf && j.intent != plan.IntentAnalyse {
			return j.fault(CodeConclusion, qs[0])
		}
		return j.quantity(s, qs[0])
	}
	if ls := j.allOf(s, mLabel); len(ls) > 0 {
		return j.labelled(s, ls)
	}
	var counts []int
	for _, i := range j.allOf(s, mNumber) {
		if j.isCount(i) {
			counts = append(counts, i)
		}
	}
	if only := j.allOf(s, mOnly); len(only) > 0 && len(counts) == 0 {
		return j.exclusive(s, only[0])
	}
	if len(counts) > 0 {
		return j.count(s, counts)
	}
	return j.rows(s)
}
