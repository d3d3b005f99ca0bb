package answer

import "slices"

// item is one row that the segment names, with what it says of it.
type item struct {
	mention int
	ents    set
	attrs   []int
	states  []int // said by a verb, so that they must hold for all that is meant
	// last is the last mention that was put on it, for the fault's words.
	last int
}

// rows judges a list of rows by name and what is said of each: "maths at 9:00 and PE
// at 11:00 on Friday". A time goes to the names before it that have none yet, a state
// too, another value to the names right before it; what opens the sentence holds for
// all. Where no row is named, all that is said must hold for one row, or for the
// facts of one look-up.
func (j *judge) rows(s *segment) *Fault {
	b := &binder{judge: j, s: s}
	// Where no row is named, what is listed is the first text: "mails from A and B".
	key := ""
	if texts := j.allOf(s, mText); len(j.allOf(s, mName)) == 0 && len(texts) > 0 {
		key = j.out[texts[0]].keys[0]
	}
	for i := s.from; i < s.to; i++ {
		switch m := &j.out[i]; m.kind {
		case mName:
			b.name(i)
		case mText:
			if key != "" && slices.Contains(m.keys, key) {
				if len(b.items) == 0 && !j.introduced(i) {
					return j.fault(CodeName, i)
				}
				b.name(i)
				continue
			}
			b.attribute(i)
		case mWhen, mState, mNumber:
			b.attribute(i)
		case mVocab:
			if m.order != 0 {
				b.ordered = append(b.ordered, i)
			}
		case mSep:
			b.separated = true
		}
	}
	return b.finish()
}

// introduced says that a text that is no name of a row stands as what it is: "from
// Bob", "in room B2", “Bob” wrote. By itself it would name a row.
func (j *judge) introduced(i int) bool {
	m := &j.out[i]
	before := wordAt(j.ts, m.from-1)
	if articles[before] {
		before = wordAt(j.ts, m.from-2)
	}
	if prepositions[before] || attributes[before] || j.isKeyWord(before) || glued[before] {
		return true
	}
	if copulas[before] && j.factOf(m, stem(wordAt(j.ts, m.from-2))) {
		return true // "the colour is blue"
	}
	return m.quoted && posted[wordAt(j.ts, m.to)]
}

// factOf says that a text is a fact whose key has the word.
func (j *judge) factOf(m *mention, w string) bool {
	for e := range j.ents {
		if j.ents[e].row < 0 && m.ents.has(e) {
			for _, k := range m.keys {
				if keyHas(k, w) {
					return true
				}
			}
		}
	}
	return false
}

type binder struct {
	*judge
	s         *segment
	items     []item
	fronted   []int
	separated bool
	lastDate  int // items from here on have no date yet
	lastClock int
	lastState int
	run       int // items from here on have nothing said of them yet
	dates     int
	date      int   // the last date's mention
	ordered   []int // "the newest", for the row that comes next
	broken    *Fault
}

func (b *binder) name(i int) {
	ents := b.bounded(b.s, b.textSet(i))
	if n := len(b.items); n > 0 && !b.separated {
		prev := &b.items[n-1]
		if both := prev.ents.and(ents); !both.empty() && (len(b.out[i].keys) > 1 || !slices.Equal(b.out[prev.mention].keys, b.out[i].keys)) {
			prev.ents, prev.last = both, i
			prev.attrs = append(prev.attrs, i)
			return
		}
	}
	if len(b.items) > 0 && !b.separated && b.broken == nil {
		b.broken = b.fault(CodeName, b.items[len(b.items)-1].mention, i)
	}
	b.separated = false
	b.items = append(b.items, item{mention: i, ents: ents, last: i})
	b.order(len(b.items) - 1)
}

// order puts a waiting "the newest" on an item.
func (b *binder) order(k int) {
	for _, i := range b.ordered {
		x := &b.items[k]
		if !x.ents.empty() {
			x.last = i
		}
		x.ents = x.ents.and(b.orderSet(i))
	}
	b.ordered = nil
}

func (b *binder) attribute(i int) {
	if len(b.items) == 0 {
		b.fronted = append(b.fronted, i)
		return
	}
	from := b.run
	switch m := &b.out[i]; {
	case m.kind == mWhen && len(m.when.days) > 0:
		from, b.lastDate = b.lastDate, len(b.items)
		b.dates++
		b.date = i
	case m.kind == mWhen:
		from, b.lastClock = b.lastClock, len(b.items)
	case m.kind == mState && b.relative(i): // "…, which is cancelled" is said of one
		from = len(b.items) - 1
	case m.kind == mState:
		from, b.lastState = b.lastState, len(b.items)
	}
	if from >= len(b.items) {
		from = len(b.items) - 1
	}
	for k := from; k < len(b.items); k++ {
		b.put(k, i)
	}
	b.run = len(b.items)
	b.separated = false
}

// relative says that a state stands in "which is …", so that it is said of the row
// right before it alone.
func (b *binder) relative(i int) bool {
	for k := i - 1; k > b.s.from; k-- {
		if b.out[k].kind != mGlue && b.out[k].kind != mNot {
			return false
		}
		if w := b.ts[b.out[k].from].low; w == "which" {
			return true
		}
	}
	return false
}

func (b *binder) put(k, i int) {
	x := &b.items[k]
	if b.out[i].kind == mState && !b.relative(i) && b.asserted(i) {
		x.states = append(x.states, i)
		return
	}
	before := x.ents.empty()
	x.ents = x.ents.and(b.holds(b.s, i))
	x.attrs = append(x.attrs, i)
	if x.ents.empty() && !before {
		x.last = i
	}
}

func (b *binder) finish() *Fault {
	if b.broken != nil {
		return b.broken
	}
	if b.dates > 0 { // "maths on Thursday and PE at 11:00": PE is on Thursday too
		for k := b.lastDate; k < len(b.items); k++ {
			b.put(k, b.date)
		}
	}
	if len(b.items) == 0 {
		return b.headless()
	}
	b.order(len(b.items) - 1) // "PE is next"
	for k := range b.items {
		x := &b.items[k]
		// A name that fits no look-up of the segment was never there.
		for _, i := range b.fronted {
			b.put(k, i)
		}
		if dated := b.dates > 0; !dated {
			for _, i := range b.judge.fronted {
				if !slices.Contains(b.fronted, i) {
					b.put(k, i)
				}
			}
		}
		if b.within != nil {
			x.ents = x.ents.and(b.within)
		}
		b.assert(x)
		// Two names in a list are two rows, where there are two.
		ent := b.pick(x)
		if ent < 0 {
			return b.wrong(x)
		}
		b.namedSet.add(ent)
		b.named++
		b.restOn(x.mention, &b.out[x.mention], ent)
		for _, i := range x.attrs {
			b.restAttr(i, ent)
		}
	}
	if b.fronted != nil {
		b.judge.fronted = b.dated(b.fronted)
	}
	return nil
}

// asserted says that a verb stands before a state in the segment: "is cancelled", and
// not "an unread mail".
func (j *judge) asserted(i int) bool {
	for k := i - 1; k >= 0 && (j.out[k].kind == mGlue || j.out[k].kind == mNot || j.out[k].kind == mState || j.out[k].kind == mOnly || j.out[k].kind == mSep); k-- {
		if j.out[k].copula {
			return wordAt(j.ts, j.out[k].from-1) != "there"
		}
	}
	return false
}

// assert holds what is said of an item by a verb: it must be so for each row that may
// be meant, but where "a mail from …" means some one.
func (b *binder) assert(x *item) {
	for _, i := range x.states {
		held := b.holds(b.s, i)
		x.attrs = append(x.attrs, i)
		if x.ents.empty() {
			return
		}
		x.last = i
		if b.indefinite(b.s) || b.s.words["which"] {
			x.ents = x.ents.and(held)
		} else if !x.ents.within(held) {
			x.ents = newSet(len(b.ents))
		}
	}
}

// indefinite says that a segment speaks of some row: "a mail came", "you have new
// mail", and not "the mail is new".
func (j *judge) indefinite(s *segment) bool {
	if s.words["the"] || s.words["it"] || s.words["they"] || s.words["these"] || s.words["those"] || s.words["this"] {
		return false
	}
	return s.words["a"] || s.words["an"] || s.words["has"] || s.words["ha"] || s.words["have"] || s.words["got"] || s.words["there"]
}

// pick is the first entity that fits and is not named yet, or the first that fits.
func (b *binder) pick(x *item) int {
	for e := range b.ents {
		if x.ents.has(e) && !b.namedSet.has(e) {
			return e
		}
	}
	return x.ents.first()
}

func (j *judge) dated(in []int) []int {
	var out []int
	for _, i := range in {
		if j.out[i].kind == mWhen && len(j.out[i].when.days) > 0 {
			out = append(out, i)
		}
	}
	return out
}

// codeOf is the code for a mention that does not hold.
func (j *judge) codeOf(i int) Code {
	switch j.out[i].kind {
	case mWhen:
		return CodeDate
	case mState:
		return CodeState
	case mNumber:
		return CodeNumber
	case mVocab:
		return CodeComparison
	}
	return CodeName
}

func (b *binder) wrong(x *item) *Fault {
	if x.last == x.mention {
		return b.fault(CodeName, x.mention)
	}
	return b.fault(b.codeOf(x.last), x.mention, x.last)
}

// headless is "It is on Friday at 9:00 and not cancelled".
func (b *binder) headless() *Fault {
	if len(b.fronted) == 0 {
		return nil
	}
	all := b.all(b.s)
	if b.within != nil {
		all = all.and(b.within)
	}
	for _, i := range b.ordered {
		all = all.and(b.orderSet(i))
	}
	meant := all // what the segment may mean: all rows, or those that its times choose
	for _, i := range b.fronted {
		next := all.and(b.holds(b.s, i))
		if next.empty() {
			return b.fault(b.codeOf(i), i)
		}
		all = next
	}
	ent := all.first()
	if b.ents[ent].row >= 0 && !b.indefinite(b.s) || b.ents[ent].row >= 0 && len(b.fronted) == 1 && b.out[b.fronted[0]].kind == mNumber {
		// What is said without a name, and not of some one row, is said of them all.
		l := &b.looks[b.ents[ent].look]
		for e := l.facts + 1; e <= l.facts+l.rows; e++ {
			if meant.has(e) && !all.has(e) || l.partial && len(b.ordered) == 0 {
				return b.fault(b.codeOf(b.fronted[0]), b.fronted...)
			}
		}
	}
	for _, i := range b.fronted {
		b.restAttr(i, ent)
	}
	return nil
}

// all are the entities that a segment may speak of.
func (j *judge) all(s *segment) set {
	out := newSet(len(j.ents))
	for e := range j.ents {
		if j.sayable(e) && s.mask>>j.ents[e].look&1 == 1 {
			out.add(e)
		}
	}
	return out
}

// restAttr notes on what value of an entity an attribute rests.
func (j *judge) restAttr(i, ent int) {
	m := &j.out[i]
	how, path := HowStands, ""
	end := j.endBefore(m.from)
	right := false // whether path is a time of the kind that the words before it mean
	better := func(v *value) {
		fits := v.kind != isInstant || isEndKey(v.key) == end
		if p := j.path(ent, v); path == "" || fits && !right || fits == right && p < path {
			path, right = p, fits
		}
	}
	for at := range j.values {
		v := &j.values[at]
		if v.ent != ent {
			continue
		}
		switch m.kind {
		case mWhen:
			if v.kind == isInstant && m.when.fits(v.when) || v.kind == isText && slices.Contains(m.keys, v.key) {
				better(v)
			}
		case mState:
			how = HowState
			for _, ref := range m.states {
				if ref.field == v.key && ref.look == j.ents[ent].look {
					better(v)
				}
			}
		case mNumber:
			if j.equal(v, m) {
				better(v)
			}
		default:
			j.restOn(i, m, ent)
			return
		}
	}
	j.rest(i, i+1, j.ents[ent].look, path, how)
}
