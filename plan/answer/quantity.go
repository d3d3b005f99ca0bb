package answer

import (
	"slices"

	"github.com/askhub/askhub/plan"
)

// quantity judges "all of them are unread", "nothing", "no lessons", "none is
// cancelled", "both", "half".
func (j *judge) quantity(s *segment, i int) *Fault {
	q := j.out[i].quant
	if q == nothing || q == noSuch || q == noneOf {
		if states := j.allOf(s, mState); len(states) > 0 || q == noneOf {
			if l := j.universal(s, i, q); l >= 0 {
				return nil
			}
		}
		return j.absence(s, i)
	}
	// "Any" without "not" may mean each.
	if wordAt(j.ts, j.out[i].from) != "any" && j.universal(s, i, q) >= 0 {
		return nil
	}
	return j.fault(CodeQuantity, i)
}

// universal holds a quantity of rows against a look-up, and is its index, -1 where it
// does not hold. What stands before the verb says which rows; what stands after it
// says what is claimed of them.
func (j *judge) universal(s *segment, i int, q quant) int {
	copula := s.from
	for k := i; k < s.to; k++ {
		if j.out[k].copula && k > i {
			copula = k
			break
		}
	}
	for l := range j.looks {
		look := &j.looks[l]
		if s.mask>>l&1 == 0 || !look.ok || look.partial || look.rows == 0 {
			continue
		}
		if j.holdsFor(s, i, q, copula, look) {
			return l
		}
	}
	return -1
}

func (j *judge) holdsFor(s *segment, head int, q quant, copula int, look *look) bool {
	base := newSet(len(j.ents))
	for e := look.facts + 1; e <= look.facts+look.rows; e++ {
		base.add(e)
	}
	claim := base
	claims := 0
	var parts []int
	for _, k := range append(j.conditions(s), j.fronted...) {
		m := &j.out[k]
		held := j.holds(s, k)
		parts = append(parts, k)
		switch {
		case k < copula && m.kind != mState || k < copula && copula > head:
			base = base.and(held)
		default:
			if m.kind == mName {
				return false
			}
			if m.kind == mState && (!j.declared(m, look.index) || !j.told(m, look, base)) {
				return false
			}
			claim = claim.and(held)
			claims++
		}
	}
	for _, k := range j.allOf(s, mNumber) { // "all 5 mails"
		if !j.isCount(k) {
			continue
		}
		if !same(float64(base.count()), j.out[k].number.value) {
			return false
		}
		parts = append(parts, k)
	}
	if claims == 0 || base.empty() {
		return false
	}
	n, of := claim.and(base).count(), base.count()
	if !q.true(n, of) {
		return false
	}
	j.rest(head, head+1, look.index, "rows", HowCount)
	for _, k := range parts {
		j.restRows(k, look.index)
	}
	return true
}

// restRows notes that a condition rests on a field of all rows.
func (j *judge) restRows(k, l int) {
	m := &j.out[k]
	switch m.kind {
	case mState:
		for _, ref := range m.states {
			if ref.look == l {
				j.rest(k, k+1, l, "rows[].fields."+ref.field, HowState)
				return
			}
		}
	case mNumber:
		j.rest(k, k+1, l, "rows", HowCount)
	default:
		j.rest(k, k+1, l, j.rowsPath(k, l), HowStands)
	}
}

// rowsPath is the field of all rows on which a time or a text rests.
func (j *judge) rowsPath(k, l int) string {
	m := &j.out[k]
	end := j.endBefore(m.from)
	best := ""
	for at := range j.values {
		v := &j.values[at]
		if v.ent <= j.looks[l].facts || v.ent > j.looks[l].facts+j.looks[l].rows {
			continue
		}
		if m.kind == mWhen && v.kind == isInstant && isEndKey(v.key) == end && m.when.fits(v.when) || v.kind == isText && slices.Contains(m.keys, v.key) {
			if best == "" || v.key < best {
				best = v.key
			}
		}
	}
	switch best {
	case "":
		return "rows"
	case "title", "ref":
		return "rows[]." + best
	}
	return "rows[].fields." + best
}

// declared says that a state is one that stateFields lets be claimed of all.
func (j *judge) declared(m *mention, l int) bool {
	for _, ref := range m.states {
		if ref.look == l && ref.declared {
			return true
		}
	}
	return false
}

// told says that each row of the base tells whether the state holds.
func (j *judge) told(m *mention, l *look, base set) bool {
	known := newSet(len(j.ents))
	for _, ref := range m.states {
		for at := range j.values {
			v := &j.values[at]
			if ref.look == l.index && v.key == ref.field && !v.special {
				if _, ok := ref.truth(v); ok {
					known.add(v.ent)
				}
			}
		}
	}
	return base.within(known)
}

// true says whether n of all makes the quantity.
func (q quant) true(n, all int) bool {
	switch q {
	case allOf:
		return n == all
	case noneOf, noSuch, nothing:
		return n == 0
	case neitherOf:
		return n == 0 && all == 2
	case bothOf:
		return n == 2 && all == 2
	case someOf:
		return n > 0 && all > 1
	case halfOf:
		return 2*n == all
	case mostOf:
		return 2*n > all
	}
	return false
}

// absence is "nothing", "no lessons tomorrow", "none": the look-ups that it speaks of
// found nothing, and looked where it says.
func (j *judge) absence(s *segment, i int) *Fault {
	if bad := j.allOf(s, mNumber, mName, mLabel); len(bad) > 0 {
		return j.fault(j.codeOf(bad[0]), bad[0])
	}
	whens := j.dated(j.conditions(s))
	if len(whens) == 0 {
		whens = j.fronted
	}
	found, none := -1, false
	code := CodeOutcome
	for l := range j.looks {
		look := &j.looks[l]
		if s.mask>>l&1 == 0 {
			continue
		}
		path, ok := j.none(s, look)
		if !ok {
			code = absentCode(look)
			if len(whens) == 0 {
				return j.fault(code, i)
			}
			continue
		}
		none = true
		scoped := true
		for _, w := range whens {
			scoped = scoped && j.out[w].when.scopedBy(look.asked)
		}
		if scoped && found < 0 {
			found = l
			j.rest(i, i+1, l, path, HowNone)
			for _, w := range whens {
				if w >= s.from && w < s.to {
					j.rest(w, w+1, l, "asked", HowAsked)
				}
			}
		}
	}
	if found < 0 {
		if none {
			return j.fault(CodeDate, whens[0])
		}
		return j.fault(code, i)
	}
	for _, k := range j.allOf(s, mWhen) {
		if len(j.out[k].when.days) == 0 && !j.out[k].when.scopedBy(j.looks[found].asked) {
			return j.fault(CodeDate, k)
		}
	}
	if texts := j.allOf(s, mText); len(texts) > 0 {
		return j.fault(CodeName, texts[0])
	}
	j.fronted = append(j.fronted, j.dated(j.opening(s, found))...)
	return nil
}

func absentCode(l *look) Code {
	if l.found.Result.Outcome == plan.OutcomeOK {
		return CodeQuantity
	}
	return CodeOutcome
}

// none says that a look-up found nothing of what the segment says, and where that
// stands: its outcome, or a fact that is zero.
func (j *judge) none(s *segment, l *look) (path string, ok bool) {
	stated := true
	for _, k := range j.allOf(s, mState) {
		stated = stated && j.out[k].use.declared>>l.index&1 == 1 && !j.out[k].not
	}
	if l.absent && stated {
		return "outcome", true
	}
	if !l.ok {
		return "", false
	}
	zero, other := "", false
	for at := range j.values {
		v := &j.values[at]
		if v.ent != l.facts || v.kind != isNumber || v.attacker || !j.saysKey(s, v.key) {
			continue
		}
		if v.number == 0 && (zero == "" || v.key < zero) {
			zero = v.key
		}
		other = other || v.number != 0 && keyWordsSaid(s, v.key) > 0
	}
	return "facts." + zero, zero != "" && !other
}

// exclusive is "only maths is cancelled": of no other row is the same true.
func (j *judge) exclusive(s *segment, i int) *Fault {
	if len(j.allOf(s, mName)) == 0 {
		return j.fault(CodeQuantity, i)
	}
	before := newSet(len(j.ents)).or(j.namedSet)
	if f := j.rows(s); f != nil {
		return f
	}
	for l := range j.looks {
		look := &j.looks[l]
		named := 0
		rows := newSet(len(j.ents))
		for e := look.facts + 1; e <= look.facts+look.rows; e++ {
			rows.add(e)
			if j.namedSet.has(e) && !before.has(e) {
				named++
			}
		}
		if named == 0 {
			continue
		}
		for _, k := range j.allOf(s, mState, mWhen, mText) {
			if j.out[k].kind == mState && !j.told(&j.out[k], look, rows) {
				return j.fault(CodeQuantity, i)
			}
			rows = rows.and(j.holds(s, k))
		}
		if look.partial || rows.count() != named {
			return j.fault(CodeQuantity, i)
		}
	}
	return nil
}
