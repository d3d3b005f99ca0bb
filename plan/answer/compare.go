package answer

import (
	"slices"
	"strconv"
)

// comparison judges a conclusion across rows or labels, which only an analysis may
// draw: "more from school than from the club", "most are from school", "maths has
// the most minutes", "the trip is the latest".
func (j *judge) comparison(s *segment, cs []int) *Fault {
	cs = slices.DeleteFunc(slices.Clone(cs), func(i int) bool { return j.ts[j.out[i].from].low == "than" })
	if len(cs) != 1 || len(j.allOf(s, mNumber, mQuant)) > 0 && !j.differenceOf(s, cs[0]) {
		return j.fault(CodeComparison, cs...)
	}
	i := cs[0]
	w := j.ts[j.out[i].from].low
	if labels := j.allOf(s, mLabel); len(labels) > 0 {
		if j.labelCompare(s, i, w, labels) {
			return nil
		}
		return j.fault(CodeComparison, i)
	}
	if names := j.allOf(s, mName); len(names) > 0 && j.rowCompare(s, i, w, names) {
		return nil
	}
	return j.fault(CodeComparison, i)
}

// differenceOf says that the one number of the segment is a difference: "2 more".
func (j *judge) differenceOf(s *segment, c int) bool {
	ns := j.allOf(s, mNumber, mQuant)
	return len(ns) == 1 && ns[0] == c-1 && j.out[ns[0]].kind == mNumber
}

func (j *judge) difference(s *segment) (n float64, said bool) {
	if ns := j.allOf(s, mNumber); len(ns) == 1 {
		return j.out[ns[0]].number.value, true
	}
	return 0, false
}

// labelCompare holds labels of one breakdown against each other.
func (j *judge) labelCompare(s *segment, i int, w string, labels []int) bool {
	if len(j.conditions(s)) > 0 {
		return false
	}
	for _, at := range j.out[labels[0]].labels {
		a := &j.labels[at]
		if s.mask>>a.look&1 == 0 {
			continue
		}
		if len(labels) == 2 {
			for _, bt := range j.out[labels[1]].labels {
				b := &j.labels[bt]
				if b.look != a.look || b.count.Key != a.count.Key || b.at == a.at {
					continue
				}
				if !j.thanBetween(labels) || i > labels[1] {
					continue
				}
				d := a.count.Count - b.count.Count
				if w == "fewer" || w == "less" {
					d = -d
				} else if w != "more" {
					continue
				}
				if n, said := j.difference(s); d <= 0 || said && !same(n, float64(d)) {
					continue
				}
				j.restLabels(i, labels[0], a, HowSum)
				j.restLabels(-1, labels[1], b, HowCount)
				return true
			}
			continue
		}
		if len(labels) != 1 {
			return false
		}
		if j.extreme(a, w, s) {
			j.restLabels(i, labels[0], a, HowSum)
			return true
		}
	}
	return false
}

func (j *judge) thanBetween(labels []int) bool {
	for t := j.out[labels[0]].to; t < j.out[labels[1]].from; t++ {
		if wordAt(j.ts, t) == "than" {
			return true
		}
	}
	return false
}

// extreme says that a label has the most or the fewest of all of its key.
func (j *judge) extreme(a *label, w string, s *segment) bool {
	if _, said := j.difference(s); said {
		return false
	}
	for k := range j.labels {
		b := &j.labels[k]
		if b.look != a.look || b.count.Key != a.count.Key || b.at == a.at {
			continue
		}
		switch w {
		case "most", "mostly", "mainly", "highest", "largest", "biggest", "busiest":
			if b.count.Count >= a.count.Count {
				return false
			}
		case "least", "fewest", "lowest", "smallest", "quietest":
			if b.count.Count <= a.count.Count {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (j *judge) restLabels(i, at int, l *label, how string) {
	path := "breakdown[" + strconv.Itoa(l.at) + "]"
	if i >= 0 {
		j.rest(i, i+1, l.look, "breakdown", how)
	}
	j.rest(at, at+1, l.look, path, HowStands)
}

var (
	highest = list("most highest largest biggest greatest longest latest newest last")
	lowest  = list("least lowest smallest shortest earliest oldest cheapest first fewest")
	timely  = list("latest newest last earliest oldest first")
)

// rowCompare says that the named row has the highest or lowest value of the field
// that the segment says, or of its times; and of no other row is that true.
func (j *judge) rowCompare(s *segment, i int, w string, names []int) bool {
	up := highest[w]
	if !up && !lowest[w] || len(names) != 1 || len(j.allOf(s, mNumber)) > 0 {
		return false
	}
	ents := j.bounded(s, j.out[names[0]].ents)
	for _, k := range j.allOf(s, mText, mWhen, mState) {
		ents = ents.and(j.holds(s, k))
	}
	e := ents.first()
	if e < 0 || ents.count() != 1 {
		return false
	}
	look := &j.looks[j.ents[e].look]
	if look.partial || look.rows < 2 {
		return false
	}
	key, mine := j.measure(s, e, w)
	if key == "" {
		return false
	}
	seen := 0
	for at := range j.values {
		v := &j.values[at]
		if v.key != key || v.ent == e || j.ents[v.ent].look != look.index || j.ents[v.ent].row < 0 {
			continue
		}
		seen++
		other := v.number
		if v.kind == isInstant {
			other = float64(v.when.at.Unix())
		}
		if up && other >= mine || !up && other <= mine {
			return false
		}
	}
	if seen != look.rows-1 {
		return false // a row does not tell
	}
	j.restAttr(names[0], e)
	j.rest(i, i+1, look.index, "rows[].fields."+key, HowSum)
	for _, k := range j.allOf(s, mText, mWhen, mState) {
		j.restAttr(k, e)
	}
	return true
}

// measure is the field that is compared: the one that the segment says, or the only
// time.
func (j *judge) measure(s *segment, e int, w string) (key string, n float64) {
	for at := range j.values {
		v := &j.values[at]
		if v.ent != e || v.attacker {
			continue
		}
		if v.kind == isNumber && !timely[w] && j.saysKey(s, v.key) {
			return v.key, v.number
		}
		if v.kind == isInstant && timely[w] && !v.when.clockOnly && !isEndKey(v.key) {
			if key != "" && !startsKey(v.key) {
				continue
			}
			key, n = v.key, float64(v.when.at.Unix())
		}
	}
	return key, n
}

func startsKey(key string) bool {
	for _, w := range splitWords(key) {
		if startKeys[w] {
			return true
		}
	}
	return false
}
