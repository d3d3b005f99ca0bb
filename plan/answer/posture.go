package answer

// posture looks at how a segment is put, whatever it is about: it is no question, a
// preposition has what belongs to it, and nothing is said of a person, who is no row.
func (j *judge) posture(s *segment) *Fault {
	for i := s.from; i < s.to; i++ {
		m := &j.out[i]
		w := j.ts[m.from].low
		switch {
		case m.kind == mGlue && w == "?":
			return j.fault(CodeUnsupported, i)
		case m.kind == mSep && w == "or":
			return j.fault(CodeUnsupported, i)
		case (w == "about" || w == "to") && i+1 < s.to && j.out[i+1].kind == mNumber && j.isCount(i+1):
			return j.fault(CodeNumber, i, i+1) // "about 3" is no number that stands somewhere
		case m.kind == mGlue && prepositions[w] && !j.complement(i, s):
			return j.fault(CodeUnsupported, i)
		case j.isPerson(i) && i+1 < s.to:
			next := &j.out[i+1]
			verb := j.ts[next.from].low
			if verb == "sent" || verb == "wrote" || verb == "write" || verb == "writes" || verb == "written" {
				return j.fault(CodePerson, i, i+1)
			}
			if next.kind == mState || (verb == "has" || verb == "have" || verb == "had") && i+3 < s.to && j.out[i+2].kind == mState && j.out[i+3].kind == mName {
				return j.fault(CodePerson, i, i+1) // who did it is not told
			}
			if next.copula && j.claimsOf(i+2, s) {
				return j.fault(CodePerson, i)
			}
		case m.kind == mState && wordAt(j.ts, m.from-1) == "be":
			return j.fault(CodeState, i) // "will be cancelled" is no state yet
		}
	}
	return nil
}

// complement says that something stands after a preposition.
func (j *judge) complement(i int, s *segment) bool {
	for k := i + 1; k < s.to; k++ {
		m := &j.out[k]
		w := j.ts[m.from].low
		switch {
		case m.kind == mGlue && (articles[w] || possessives[w]):
			continue
		case m.kind == mGlue && w == "of" && j.ts[j.out[i].from].low == "as":
			continue
		case m.kind == mGlue:
			return pronouns[w]
		case m.kind == mSep, m.kind == mNot:
			return false
		}
		return true
	}
	return false
}

var (
	possessives = list("your his her its their this that these those")
	pronouns    = list("you me him her them it these those this that thing things item items entry entries one ones where which whom total sum")
)

// isPerson is "Harry", "you", "he".
func (j *judge) isPerson(i int) bool {
	m := &j.out[i]
	if m.kind == mPerson {
		return !j.ts[m.to-1].poss
	}
	switch j.ts[m.from].low {
	case "you", "he", "she", "i":
		return m.kind == mGlue
	}
	return false
}

// claimsOf says that what follows "Harry is" tells something of Harry: no row by name
// stands there after a preposition, as in "Harry is at the dentist".
func (j *judge) claimsOf(from int, s *segment) bool {
	for k := from; k < s.to; k++ {
		switch m := &j.out[k]; m.kind {
		case mGlue:
			if prepositions[j.ts[m.from].low] {
				for n := k + 1; n < s.to; n++ {
					if j.out[n].kind == mName {
						return false
					}
				}
			}
		default:
			return true
		}
	}
	return true
}
