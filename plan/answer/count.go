package answer

import (
	"slices"
	"strconv"

	"github.com/askhub/askhub/plan"
)

// count judges "3 lessons tomorrow", "3 of the 5 mails are unread", "90 minutes in
// total".
func (j *judge) count(s *segment, counts []int) *Fault {
	if len(counts) == 2 && j.ofBetween(counts) {
		return j.part(s, counts[0], counts[1])
	}
	if len(counts) > 1 {
		return j.fault(CodeNumber, counts[1])
	}
	i := counts[0]
	m := &j.out[i]
	if m.number.ordinal {
		return j.fault(CodeNumber, i)
	}
	if j.oneRow(s) {
		return nil
	}
	if !s.masked && len(j.conditions(s)) == 0 && len(j.looks) > 1 {
		return j.fault(CodeNumber, i) // of what, where several things were looked up
	}
	for l := range j.looks {
		if s.mask>>l&1 == 0 || !j.looks[l].ok {
			continue
		}
		if j.fact(s, i, l) || j.rowCount(s, i, l) || j.sum(s, i, l) {
			return nil
		}
	}
	if f := j.missing(s); f != nil {
		return f
	}
	return j.fault(CodeNumber, i)
}

func dated(l *look) bool { return l.dated }

func (j *judge) ofBetween(counts []int) bool {
	for t := j.out[counts[0]].to; t < j.out[counts[1]].from; t++ {
		if wordAt(j.ts, t) == "of" || wordAt(j.ts, t) == "out" {
			return true
		}
	}
	return false
}

// conditions are what a segment says besides its count.
func (j *judge) conditions(s *segment) []int {
	out := j.allOf(s, mText, mWhen, mState, mName)
	for _, i := range j.allOf(s, mNumber) {
		if !j.isCount(i) {
			out = append(out, i)
		}
	}
	return out
}

// missing is the fault of a condition that no row and no question bears out.
func (j *judge) missing(s *segment) *Fault {
	for _, i := range append(j.conditions(s), j.fronted...) {
		if m := &j.out[i]; j.bounded(s, j.holds(s, i)).empty() && !(m.kind == mWhen && j.scoped(m.when, s.mask&^j.mask(dated))) && m.kind != mState {
			return j.fault(j.codeOf(i), i)
		}
	}
	return nil
}

// filter is the set of rows of a look-up for which all conditions hold; asked are
// those conditions that only what was looked for bears out.
func (j *judge) filter(s *segment, l int) (rows set, asked []int) {
	look := &j.looks[l]
	rows = newSet(len(j.ents))
	for e := look.facts + 1; e <= look.facts+look.rows; e++ {
		rows.add(e)
	}
	conditions := j.conditions(s)
	if len(j.dated(conditions)) == 0 {
		conditions = append(conditions, j.fronted...)
	}
	for _, i := range conditions {
		m := &j.out[i]
		if m.kind == mWhen && !look.dated && m.when.scopedBy(look.asked) {
			asked = append(asked, i)
			continue
		}
		rows = rows.and(j.holds(s, i))
	}
	return rows, asked
}

func (w when) scopedBy(asked []when) bool {
	for _, a := range asked {
		if w.scopes(a) {
			return true
		}
	}
	return false
}

// rowCount is a number of rows: all that was found, or those of which the rest of
// the segment is true.
func (j *judge) rowCount(s *segment, i, l int) bool {
	look := &j.looks[l]
	if look.partial || look.rows == 0 {
		return false
	}
	for at := range j.values {
		if v := &j.values[at]; v.ent == look.facts && v.kind == isNumber && !j.equal(v, &j.out[i]) && j.nounKey(s, v.key) {
			return false // "3 attachments" is no number of mails
		}
	}
	rows, asked := j.filter(s, l)
	// That no row fits a condition is no count: what was looked at may be too little.
	if n := rows.count(); n == 0 || !same(float64(n), j.out[i].number.value) {
		return false
	}
	j.rest(i, i+1, l, "rows", HowCount)
	j.restConditions(s, rows, asked, l)
	j.within = rows
	return true
}

// nounKey says that the segment says a word of a key that is no state that it says.
func (j *judge) nounKey(s *segment, key string) bool {
	if !j.saysKey(s, key) {
		return false
	}
	for _, k := range j.allOf(s, mState) {
		if keyHas(key, stem(j.ts[j.out[k].from].low)) {
			return false
		}
	}
	return true
}

func (j *judge) restConditions(s *segment, rows set, asked []int, l int) {
	for _, i := range j.conditions(s) {
		if slices.Contains(asked, i) {
			j.rest(i, i+1, l, "asked", HowAsked)
		} else if e := rows.first(); e >= 0 {
			j.restAttr(i, e)
		}
	}
	j.fronted = append(j.fronted, j.dated(j.opening(s, l))...)
}

// opening are the times before the first count.
func (j *judge) opening(s *segment, l int) []int {
	var out []int
	for i := s.from; i < s.to; i++ {
		switch j.out[i].kind {
		case mWhen:
			if l >= 0 && s.from == 0 && !slices.Contains(j.fronted, i) {
				out = append(out, i)
			}
		case mNumber, mQuant:
			return out
		}
	}
	return out
}

// fact is a number that stands among the facts, said with its key's own word. What
// else the segment says must hold for all rows, or be what was asked for.
func (j *judge) fact(s *segment, i, l int) bool {
	look := &j.looks[l]
	for at := range j.values {
		v := &j.values[at]
		if v.ent != look.facts || v.kind != isNumber || v.attacker || !j.equal(v, &j.out[i]) {
			continue
		}
		if !counts(v.key) && !generic(v.key) && !j.saysKey(s, v.key) {
			continue
		}
		if j.betterKey(s, at, func(o *value) bool { return o.kind == isNumber && !j.equal(o, &j.out[i]) }) {
			continue
		}
		if asked, every, ok := j.factConditions(s, v, l); ok {
			j.rest(i, i+1, l, j.path(v.ent, v), HowStands)
			for _, c := range asked {
				switch m := &j.out[c]; {
				case c < s.from || c >= s.to:
				case m.kind == mState && keyHas(v.key, stem(j.ts[m.from].low)):
					j.rest(c, c+1, l, j.path(v.ent, v), HowState)
				case m.kind != mState && j.holds(s, c).has(look.facts):
					j.restAttr(c, look.facts)
				default:
					j.rest(c, c+1, l, "asked", HowAsked)
				}
			}
			for _, c := range every {
				if c >= s.from && c < s.to {
					j.restRows(c, l)
				}
			}
			if look.rows > 0 {
				rows, _ := j.filter(&segment{mask: s.mask}, l)
				j.within = rows
			}
			j.fronted = append(j.fronted, j.dated(j.opening(s, l))...)
			return true
		}
	}
	return false
}

// generic is a key whose words all stand for a count.
func generic(key string) bool {
	for _, w := range splitWords(key) {
		if !counts(w) && !weakKey[w] {
			return false
		}
	}
	return true
}

// factConditions tells which of them rest on what was asked for or on the facts, and
// which on every row.
func (j *judge) factConditions(s *segment, v *value, l int) (asked, every []int, ok bool) {
	look := &j.looks[l]
	conditions := j.conditions(s)
	if len(j.dated(conditions)) == 0 {
		conditions = append(conditions, j.fronted...)
	}
	for _, i := range conditions {
		m := &j.out[i]
		held := j.holds(s, i)
		switch {
		case m.kind == mState && !m.not && (keyHas(v.key, stem(j.ts[m.from].low)) || m.use.declared>>l&1 == 1 && counts(v.key) && look.rows == 0):
			asked = append(asked, i)
		case m.kind == mWhen && held.has(look.facts):
			asked = append(asked, i)
		case m.kind == mText && held.has(look.facts), m.askedBy>>l&1 == 1:
			asked = append(asked, i)
		case look.rows > 0 && j.everyRow(held, look) && !look.partial:
			every = append(every, i)
		case m.kind == mWhen && m.when.scopedBy(look.asked) && (look.rows == 0 || !look.dated || j.everyRow(held, look)):
			asked = append(asked, i)
		default:
			return nil, nil, false
		}
	}
	return asked, every, true
}

func (j *judge) everyRow(x set, l *look) bool {
	for e := l.facts + 1; e <= l.facts+l.rows; e++ {
		if !x.has(e) {
			return false
		}
	}
	return true
}

// oneRow is a number of the one row that the segment names.
func (j *judge) oneRow(s *segment) bool {
	names := j.allOf(s, mName)
	if len(names) == 0 {
		return false
	}
	ents := j.bounded(s, j.out[names[0]].ents)
	for _, k := range append(j.allOf(s, mText, mWhen, mState, mNumber), names...) {
		ents = ents.and(j.holds(s, k))
	}
	if ents.empty() {
		return false
	}
	e := ents.first()
	for _, k := range append(names, j.allOf(s, mText, mWhen, mState, mNumber)...) {
		j.restAttr(k, e)
	}
	j.namedSet.add(e)
	j.named++
	return true
}

// part is "3 of the 5 mails are unread".
func (j *judge) part(s *segment, some, all int) *Fault {
	for l := range j.looks {
		look := &j.looks[l]
		if s.mask>>l&1 == 0 || !look.ok || look.partial || !same(float64(look.rows), j.out[all].number.value) {
			continue
		}
		if len(j.conditions(s)) == 0 {
			continue
		}
		rows, asked := j.filter(s, l)
		if n := rows.count(); n > 0 && same(float64(n), j.out[some].number.value) {
			j.rest(some, some+1, l, "rows", HowCount)
			j.rest(all, all+1, l, "rows", HowCount)
			j.restConditions(s, rows, asked, l)
			return nil
		}
	}
	return j.fault(CodeNumber, some, all)
}

// others is "2 more" and "two others", after some were named; -1 where it is not that.
func (j *judge) others(s *segment, compares []int) int {
	for _, i := range compares {
		w := j.ts[j.out[i].from].low
		if w == "more" && i > s.from && j.out[i-1].kind == mNumber && wordAt(j.ts, j.out[i].to) != "than" && len(compares) == 1 {
			return i
		}
	}
	return -1
}

// othersOf holds "2 more" against the rows that were not named.
func (j *judge) othersOf(s *segment, i int) *Fault {
	num := &j.out[i-1]
	// What stands before the number in the same segment names rows first.
	if i-1 > s.from {
		before := &segment{from: s.from, to: i - 1, mask: s.mask, words: s.words}
		if len(j.allOf(before, mName)) > 0 {
			if f := j.rows(before); f != nil {
				return f
			}
		}
	}
	for l := range j.looks {
		look := &j.looks[l]
		named := j.namedOf(l)
		if s.mask>>l&1 == 0 || !look.ok || named == 0 {
			continue
		}
		total := float64(look.rows)
		for at := range j.values {
			if v := &j.values[at]; v.ent == look.facts && v.kind == isNumber && counts(v.key) {
				total = v.number
			}
		}
		if num.number.value > 0 && same(total-float64(named), num.number.value) && len(j.conditions(&segment{from: i, to: s.to})) == 0 {
			j.rest(i-1, i+1, l, "rows", HowCount)
			return nil
		}
	}
	return j.fault(CodeNumber, i-1)
}

func (j *judge) namedOf(l int) int {
	n := 0
	for e := j.looks[l].facts + 1; e <= j.looks[l].facts+j.looks[l].rows; e++ {
		if j.namedSet.has(e) {
			n++
		}
	}
	return n
}

// sum is "90 minutes in total": the sum of a field over the rows of which the rest
// of the segment is true.
func (j *judge) sum(s *segment, i, l int) bool {
	look := &j.looks[l]
	total := s.words["altogether"] || s.words["together"] || s.words["total"] || s.words["sum"]
	if !total || look.partial || look.rows == 0 {
		return false
	}
	rows, asked := j.filter(s, l)
	sums := map[string]float64{}
	for at := range j.values {
		v := &j.values[at]
		if v.kind == isNumber && !v.attacker && rows.has(v.ent) && j.saysKey(s, v.key) {
			sums[v.key] += v.number
		}
	}
	for key, n := range sums {
		if same(n, j.out[i].number.value) && len(sums) == 1 {
			j.rest(i, i+1, l, "rows[].fields."+key, HowSum)
			j.restConditions(s, rows, asked, l)
			return true
		}
	}
	return false
}

// labelled is "5 from school and 2 from the club": a breakdown's labels with their
// counts, of the list that the tool declares.
func (j *judge) labelled(s *segment, labels []int) *Fault {
	if j.intent != plan.IntentAnalyse && j.intent != plan.IntentLookup {
		return j.fault(CodeConclusion, labels[0])
	}
	numbers := j.allOf(s, mNumber)
	if len(numbers) != 1 || len(labels) != 1 || len(j.conditions(s)) > len(j.dated(j.conditions(s))) {
		return j.fault(CodeLabel, labels...)
	}
	for _, i := range j.dated(j.conditions(s)) {
		if !j.scoped(j.out[i].when, s.mask) {
			return j.fault(CodeDate, i)
		}
	}
	n := numbers[0]
	for _, at := range j.out[labels[0]].labels {
		lb := &j.labels[at]
		if s.mask>>lb.look&1 == 1 && same(float64(lb.count.Count), j.out[n].number.value) {
			j.rest(n, n+1, lb.look, "breakdown["+strconv.Itoa(lb.at)+"]", HowCount)
			j.rest(labels[0], labels[0]+1, lb.look, "breakdown["+strconv.Itoa(lb.at)+"]", HowStands)
			return nil
		}
	}
	return j.fault(CodeNumber, n)
}
