package answer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/askhub/askhub/plan"
)

// judge holds a sentence's mentions against the evidence, segment by segment.
type judge struct {
	*reader
	intent   plan.Intent
	supports []support
	// fronted are the times that open the sentence and hold for all of it.
	fronted []int
	// within bounds what is named after a colon to what was counted before it.
	within set
	// named is how many rows of a look-up were named so far.
	named int
	// namedSet are they.
	namedSet set
}

type support struct {
	from, to int // mentions
	look     int
	path     string
	how      string
}

// segment is a part of a sentence that says one thing: a count, an absence, a list
// of names with what is said of them.
type segment struct {
	from, to int // mentions
	// mask are the look-ups that all its own words belong to.
	mask uint32
	// words are the stems that it says.
	words map[string]bool
	// masked says that a word of a tool stands in it.
	masked bool
}

func (j *judge) words(from, to int) string {
	a, b := j.out[from].from, j.out[to-1].to
	var out strings.Builder
	for i := a; i < b; i++ {
		t := j.ts[i]
		if i > a && t.kind != tokPunct {
			out.WriteByte(' ')
		}
		if t.kind == tokQuote {
			out.WriteString("“" + t.text + "”")
			continue
		}
		out.WriteString(t.text)
	}
	return out.String()
}

func (j *judge) fault(code Code, at ...int) *Fault {
	f := &Fault{Code: code}
	for _, m := range at {
		f.Words = append(f.Words, j.words(m, m+1))
	}
	return f
}

func (j *judge) rest(from, to, look int, path, how string) {
	j.supports = append(j.supports, support{from, to, look, path, how})
}

// sentence judges all segments; what none of them rests on is refused.
func (j *judge) sentence() *Fault {
	j.namedSet = newSet(len(j.ents))
	start := 0
	polar := j.polar()
	if polar >= 0 {
		start = polar + 1
		if start < len(j.out) && j.out[start].kind == mSep {
			start++
		}
	}
	for start < len(j.out) {
		end := j.segmentEnd(start)
		if f := j.segment(start, end); f != nil {
			return f
		}
		if end < len(j.out) && !enumerates[j.out[end].sep] {
			j.within = nil
		}
		start = end
	}
	// The age of a result says nothing by itself.
	if !slices.ContainsFunc(j.supports, func(s support) bool { return s.path != "at" }) {
		return fault(CodeEmpty, j.words(0, len(j.out)))
	}
	return j.answersThat(polar)
}

// enumerates are the marks after which the things are named that were counted.
var enumerates = map[string]bool{":": true, ",": true, "–": true, "—": true}

// polar is where a leading "yes" or "no" stands, -1 for none.
func (j *judge) polar() int {
	if len(j.out) < 2 {
		return -1
	}
	if w := j.ts[0].low; w == "yes" || w == "no" && wordAt(j.ts, 1) == "," {
		return 0
	}
	return -1
}

// answersThat lets "yes" and "no" stand only where the sentence says again all that
// was asked, so that they cannot answer something else.
func (j *judge) answersThat(polar int) *Fault {
	if polar < 0 {
		return nil
	}
	negated := false
	said := map[string]bool{}
	for _, m := range j.out[1:] {
		negated = negated || m.kind == mState && m.not || m.kind == mNot || m.kind == mQuant && (m.quant == noSuch || m.quant == nothing || m.quant == noneOf)
		for i := m.from; i < m.to; i++ {
			said[stem(j.ts[i].low)] = true
		}
	}
	if negated != (j.ts[0].low == "no") {
		return j.fault(CodeQuantity, 0)
	}
	ts, _ := tokens(j.ctx.Question, nil)
	content := false
	for _, t := range ts {
		if t.kind == tokPunct || glue[t.low] || asking[t.low] || t.low == "any" || t.low == "my" {
			continue
		}
		content = true
		if !said[stem(t.low)] {
			return j.fault(CodeUnsupported, 0)
		}
	}
	if !content {
		return j.fault(CodeUnsupported, 0)
	}
	return nil
}

// segmentEnd is where the part of the sentence ends that begins at start.
func (j *judge) segmentEnd(start int) int {
	counted, named := false, false
	for i := start; i < len(j.out); i++ {
		m := &j.out[i]
		switch m.kind {
		case mNumber:
			counted = counted || j.isCount(i)
		case mQuant, mLabel:
			counted = true
		case mName, mText, mWhen, mState, mVocab:
			named = named || m.kind != mVocab
		case mSep:
			if i == start {
				continue
			}
			switch m.sep {
			case ";", ":", "but", "while", "though", "although", "–", "—":
				return i
			}
			next := j.nextMention(i + 1)
			if next < 0 {
				continue
			}
			switch n := &j.out[next]; {
			case n.kind == mQuant, n.kind == mNumber && j.isCount(next), n.kind == mLabel:
				if counted || named {
					return i
				}
			case counted && (n.kind == mName || n.quoted || n.kind == mVocab && articles[wordAt(j.ts, n.from-1)]):
				return i
			}
		}
	}
	return len(j.out)
}

// nextMention is the next one that is more than glue, -1 for none before a break.
func (j *judge) nextMention(i int) int {
	for ; i < len(j.out); i++ {
		switch j.out[i].kind {
		case mGlue, mOnly, mPerson:
		case mSep:
			return -1
		default:
			return i
		}
	}
	return -1
}

// isCount tells a number that counts from one that is a field of what was named:
// "room 4", "40 pages".
func (j *judge) isCount(i int) bool {
	return j.summing() || !j.keyBeside(i)
}

// summing says that the sentence adds up: "in total", "altogether".
func (j *judge) summing() bool {
	for _, t := range j.ts {
		if t.low == "total" || t.low == "altogether" || t.low == "together" || t.low == "sum" {
			return true
		}
	}
	return false
}

// keyBeside says that a word beside the number names a field of a row that holds one.
func (j *judge) keyBeside(i int) bool {
	m := &j.out[i]
	for _, w := range []string{wordAt(j.ts, m.from-1), wordAt(j.ts, m.to)} {
		if w == "" {
			continue
		}
		w = stem(w)
		for at := range j.values {
			v := &j.values[at]
			if j.ents[v.ent].row >= 0 && (v.kind == isNumber || v.kind == isText && !v.attacker) && keyHas(v.key, w) {
				if _, _, digits := parseDigits(v.text); v.kind == isNumber || digits {
					return true
				}
			}
		}
	}
	return false
}

// keyHas says that w is one of the words of a key.
func keyHas(key, w string) bool {
	for key != "" {
		part := key
		if i := strings.IndexByte(key, '_'); i >= 0 {
			part, key = key[:i], key[i+1:]
		} else {
			key = ""
		}
		if part == w || len(part) > len(w) && stem(part) == w {
			return true
		}
	}
	return false
}

// proof puts the supports in the sentence's order.
func (j *judge) proof() []Support {
	out := make([]Support, 0, len(j.supports))
	order := j.supports
	for i := 1; i < len(order); i++ {
		for k := i; k > 0 && order[k].from < order[k-1].from; k-- {
			order[k], order[k-1] = order[k-1], order[k]
		}
	}
	for _, s := range order {
		pos := j.looks[s.look].found.Position
		out = append(out, Support{Words: j.words(s.from, s.to), Position: pos, Path: s.path, How: s.how})
	}
	return out
}

// path is where a value of an entity stands.
func (j *judge) path(ent int, v *value) string {
	e := j.ents[ent]
	if e.row < 0 {
		return "facts." + v.key
	}
	row := "rows[" + strconv.Itoa(e.row) + "]."
	if v.special {
		return row + v.key
	}
	return row + "fields." + v.key
}
