package answer

import "github.com/askhub/askhub/plan"

type mentionKind uint8

const (
	mGlue mentionKind = iota
	mSep              // , and or ; : but
	mName             // a value by which a row may be named
	mText             // another text of a row or of the facts
	mWhen
	mNumber
	mState
	mQuant
	mNot
	mOnly
	mCompare
	mPerson
	mVocab
	mLabel
	mAge     // "as of 8:15", judged
	mUnknown // nothing that is known: a fault, but where the sentence says what is not known
)

// mention is a run of a sentence's tokens with what it may rest on.
type mention struct {
	kind     mentionKind
	from, to int // tokens
	ents     set // of a name or a text
	keys     []string
	quoted   bool
	askedBy  uint32 // the look-ups that were asked for the quoted words
	when     when
	number   number
	states   []stateRef
	not      bool // a state that is said not to hold
	quant    quant
	use      wordUse
	copula   bool
	order    order
	aged     bool
	sep      string
	labels   []int
	used     bool // a "not" that belongs to a state
}

// run is a value whose words stand in the sentence from a token on.
type run struct {
	size  int
	value int
}

// reader reads a sentence into mentions.
type reader struct {
	*evidence
	ts    []token
	cal   *calendar
	ctx   *Context
	names [][]token
	// runs are the values that begin at each token.
	runs map[int][]run
	out  []mention
}

// findRuns looks for each value that is not another's text, as a whole, among the
// sentence's words.
func (r *reader) findRuns() {
	starts := map[string][]int{}
	for i, t := range r.ts {
		if t.kind == tokWord || t.kind == tokNumber {
			starts[t.low] = append(starts[t.low], i)
		}
	}
	r.runs = map[int][]run{}
	var scratch []token
	for at := range r.values {
		v := &r.values[at]
		if v.kind != isText || v.attacker || v.text == "" {
			continue
		}
		first := firstWord(v.text)
		positions := starts[first]
		if positions == nil {
			continue
		}
		var bad string
		scratch, bad = tokens(v.text, scratch[:0])
		ts := scratch
		if len(ts) > 0 && articles[ts[0].low] && len(ts) > 1 {
			ts = ts[1:]
		}
		if bad != "" || len(ts) == 0 || onlyClaims(ts) {
			continue
		}
		for _, p := range positions {
			if n := matchRun(r.ts, p, ts); n > 0 {
				r.runs[p] = append(r.runs[p], run{n, at})
			}
		}
	}
}

var articles = list("the a an")

// firstWord is the first word of a value as a token has it, past an article.
func firstWord(s string) string {
	start := 0
	for start < len(s) && (s[start] == ' ' || s[start] == '(') {
		start++
	}
	ts := s[start:]
	end := 0
	for end < len(ts) && ts[end] != ' ' {
		end++
	}
	w := lower(ts[:end])
	if articles[w] && end < len(ts) {
		return firstWord(ts[end:])
	}
	plain := w != ""
	for i := range len(w) {
		plain = plain && (w[i] >= 'a' && w[i] <= 'z' || w[i] >= '0' && w[i] <= '9')
	}
	if plain {
		return w
	}
	cut, _ := tokens(ts[:end], nil)
	if len(cut) == 0 {
		return ""
	}
	return cut[0].low
}

// matchRun is how many tokens of the sentence from p on are want, 0 for none.
func matchRun(ts []token, p int, want []token) int {
	if p+len(want) > len(ts) {
		return 0
	}
	for i, w := range want {
		t := ts[p+i]
		if t.low != w.low || t.kind != w.kind || w.poss && !t.poss || t.poss && !w.poss && i < len(want)-1 {
			return 0
		}
	}
	return len(want)
}

// onlyClaims says that a value's words would claim something if they stood for
// themselves: a field that says "no" may not turn a sentence.
func onlyClaims(ts []token) bool {
	for _, t := range ts {
		if t.kind == tokWord && !isClaim(t.low) && !isNumberWord(t.low) {
			return false
		}
		if t.kind == tokNumber {
			return false
		}
	}
	return true
}

func isNumberWord(w string) bool {
	_, u := units[w]
	_, t := tens[w]
	return u || t
}

// read cuts the sentence into mentions.
func (r *reader) read() *Fault {
	r.findRuns()
	for i := 0; i < len(r.ts); {
		m, fault := r.at(i)
		if fault != nil {
			return fault
		}
		m.from = i
		if m.to <= i {
			m.to = i + 1
		}
		i = m.to
		r.out = append(r.out, m)
	}
	return nil
}

func (r *reader) at(i int) (mention, *Fault) {
	t := r.ts[i]
	switch t.kind {
	case tokQuote:
		return r.quotation(i)
	case tokPunct:
		return r.punctuation(i)
	}
	text, textSize := r.textAt(i)
	if text.kind == mName && wordAt(r.ts, i-1) == "in" && r.vocabulary[stem(t.low)].declared != 0 {
		textSize = 0 // "in room 4" is a field, though a row were called "Room 4"
	}
	if w, n := r.cal.at(r.ts, i); n > 0 && n >= textSize {
		m := mention{kind: mWhen, when: w, to: i + n}
		if n == textSize {
			m.ents, m.keys = text.ents, text.keys
		}
		return m, nil
	}
	if lb := r.labelAt(i); lb.to > 0 && lb.to-i >= textSize {
		return lb, nil
	}
	if textSize > 1 {
		return text, nil
	}
	if m := r.personAt(i); m.to > 0 && textSize == 0 {
		return m, nil
	}
	if t.low == "more" && i > 0 && r.ts[i-1].kind == tokWord && wordAt(r.ts, i+1) == "than" && wordAt(r.ts, i+2) == "one" {
		return mention{kind: mUnknown, to: i + 3}, nil
	}
	if n := numberAt(r.ts, i); n.size > 0 && !(n.value == 1 && n.size == 1 && t.low == "one" && pronoun(r.ts, i)) && !(n.ordinal && n.size == 1 && compares[t.low]) {
		m := mention{kind: mNumber, number: n, to: i + n.size}
		if textSize == n.size {
			m.ents, m.keys = text.ents, text.keys
		}
		return m, nil
	}
	w := t.low
	if refs := r.states[w]; len(refs) > 0 && t.kind == tokWord {
		return mention{kind: mState, states: refs, use: r.vocabulary[stem(w)]}, nil
	}
	switch {
	case quantifiers[w] != noQuant:
		return mention{kind: mQuant, quant: quantifiers[w]}, nil
	case w == "only" || w == "just":
		return mention{kind: mOnly}, nil
	case negates[w]:
		return mention{kind: mNot, copula: copulas[w]}, nil
	case textSize == 1:
		return text, nil
	case compares[w]:
		m := mention{kind: mCompare, use: r.vocabulary[stem(w)]}
		if orders[w] != 0 && m.use.declared != 0 { // the tool itself says so
			m.kind, m.order = mVocab, orders[w]
			if next := wordAt(r.ts, i+1); stem(next) != next {
				m.order = 0 // "the newest mails" are all of them
			}
		}
		return m, nil
	case w == "and" || w == "or" || w == "but" || w == "while" || w == "though" || w == "although":
		return mention{kind: mSep, sep: w}, nil
	}
	use, known := r.vocabulary[stem(w)]
	if known && !glue[w] {
		return mention{kind: mVocab, use: use}, nil
	}
	switch {
	case (w == "do" || w == "does" || w == "did") && wordAt(r.ts, i+1) == "not":
		return mention{kind: mGlue}, nil
	case glue[w] && t.kind == tokWord:
		return mention{kind: mGlue, copula: copulas[w]}, nil
	case posted[w] && r.hasMail():
		return mention{kind: mGlue}, nil
	}
	return mention{kind: mUnknown}, nil
}

// pronoun is "one" in "the next one", "which one", "one of them".
func pronoun(ts []token, i int) bool {
	switch wordAt(ts, i-1) {
	case "the", "this", "that", "which", "each", "every", "no", "next", "last", "first", "newest", "latest":
		return true
	}
	return false
}

func (r *reader) hasMail() bool {
	for _, w := range mailStem {
		if r.vocabulary[w].declared != 0 {
			return true
		}
	}
	return false
}

func (r *reader) punctuation(i int) (mention, *Fault) {
	switch p := r.ts[i].low; p {
	case "-":
		if i+1 < len(r.ts) && r.ts[i+1].kind == tokNumber {
			return mention{}, fault(CodeNumber, p+r.ts[i+1].text)
		}
		return mention{kind: mSep, sep: "–"}, nil
	case ",", ";", ":", "–", "—":
		if text, size := r.textAt(i); size > 0 {
			return text, nil
		}
		return mention{kind: mSep, sep: p}, nil
	case ".", "!", "?", "…", "(", ")", "'", "’":
		return mention{kind: mGlue}, nil
	default:
		return mention{}, fault(CodeCharacters, p)
	}
}

// textAt is the longest value that stands in the sentence at i.
func (r *reader) textAt(i int) (m mention, size int) {
	runs := r.runs[i]
	for _, x := range runs {
		size = max(size, x.size)
	}
	if size == 0 {
		return m, 0
	}
	m = mention{kind: mText, to: i + size, ents: newSet(len(r.ents))}
	for _, x := range runs {
		if x.size != size {
			continue
		}
		v := &r.values[x.value]
		if v.name {
			m.kind = mName
		}
		if v.special && v.key == "title" && !v.name {
			continue // a title is a name, or it is not said
		}
		m.ents.add(v.ent)
		m.keys = addKey(m.keys, v.key)
	}
	if m.ents.empty() {
		return mention{}, 0
	}
	return m, size
}

func addKey(keys []string, k string) []string {
	for _, have := range keys {
		if have == k {
			return keys
		}
	}
	return append(keys, k)
}

func (r *reader) personAt(i int) mention {
	for _, name := range r.names {
		if n := matchRun(r.ts, i, name); n > 0 && r.ts[i].capital() {
			return mention{kind: mPerson, to: i + n}
		}
	}
	return mention{}
}

func (r *reader) labelAt(i int) mention {
	var m mention
	for at, l := range r.labels {
		if !l.trusted || !r.looks[l.look].ok {
			continue
		}
		if n := matchRun(r.ts, i, l.words); n > 0 && i+n >= m.to {
			if i+n > m.to {
				m = mention{kind: mLabel, to: i + n}
			}
			m.labels = append(m.labels, at)
		}
	}
	return m
}

// outcomes of the look-ups, as bits.
func (r *reader) mask(has func(*look) bool) uint32 {
	var m uint32
	for i := range r.looks {
		if has(&r.looks[i]) {
			m |= 1 << i
		}
	}
	return m
}

func unknownOutcome(l *look) bool {
	o := l.found.Result.Outcome
	return o == plan.OutcomeDenied || o == plan.OutcomeFailed
}

func ambiguous(l *look) bool { return l.found.Result.Outcome == plan.OutcomeAmbiguous }
