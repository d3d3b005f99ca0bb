package meaning

import "math"

// feature is one thing that can be said of a question, as a hash, and the tokens that
// it stands on.
type feature struct {
	hash uint32
	a, b int32
}

// The kinds of feature. The number goes into the hash, so it never changes its meaning.
const (
	ofWord = 1 + iota
	ofWordPair
	ofConcept
	ofSymPair
	ofSymTriple
	ofSkip
	_
	_
	ofConceptPair
	ofConceptTriple
	ofClassPair
	ofClassTriple
	ofClassQuad
	ofHead
	ofHeadConcept
	ofHeadClass
	ofHeadPair
	ofLetters
	ofSoft
	ofSoftPair
	ofMark
	ofBag
	ofHeadBag
	ofEnd
	ofAct
	ofStart
	ofQuoted
	ofHead2
	ofMood
	ofMoodConcept
	ofMoodPair
	ofWordSkip
	ofAround
	ofKin
	ofKinPair
	ofKinNext
	ofKinHead
	ofGist
	ofGistPair
	ofGistTriple
	ofGistQuad
	ofGistHead
	ofGistMood
	ofGistSkip
)

const (
	symName    = uint32(0x51ED270B)
	symOwner   = uint32(0x6A09E667)
	symUnknown = uint32(0x3C6EF372)
	symProper  = uint32(0x2545F491)
	symStart   = uint32(0x1B873593)
	symEnd     = uint32(0x38B34AE5)
	symKin     = uint32(0x165667B1)
	symOther   = uint32(0x7F4A7C15)
)

// window is the most tokens that are judged as one.
const window = 44

// span is a stretch of a question; clause is whether it is a part of a judged whole.
type span struct {
	from, to int
	clause   bool
}

// spans are the stretches of a question that are judged each by itself: the whole of a
// usual one, overlapping stretches of a long one, and the clauses of each, so that one
// control action among other wishes is seen.
func (r *Reader) spans(dst []span) []span {
	n := len(r.tokens)
	if n <= window {
		return r.clauses(r.sentences(append(dst, span{from: 0, to: n})), 0, n)
	}
	dst = r.sentences(dst)
	for from, done := 0, 0; ; {
		to := min(from+window, n)
		dst = r.clauses(append(dst, span{from: from, to: to}), done, to)
		done = to
		if to == n {
			return dst
		}
		next := from + window/2
		for k := range 8 { // rather begin where a sentence does
			if r.tokens[next+k].brk != 0 {
				next += k
				break
			}
		}
		from = next
	}
}

// sentences adds each of several sentences as if it stood alone: whatever is said before
// or after it, a plain control action stays one.
func (r *Reader) sentences(dst []span) []span {
	start, n := 0, len(r.tokens)
	for i := 1; i <= n; i++ {
		if i < n && r.tokens[i].brk != '.' || i == n && start == 0 {
			continue
		}
		if i-start >= 2 && i-start <= window {
			dst = append(dst, span{from: start, to: i})
		}
		start = i
	}
	return dst
}

// clauses adds the parts between full stops, commas and joining words.
func (r *Reader) clauses(dst []span, from, to int) []span {
	start := from
	for i := from + 1; i <= to; i++ {
		skip := 0
		if i < to {
			t := &r.tokens[i]
			switch {
			case r.joins(t):
				skip = 1
			case t.brk == 0:
				continue
			}
		} else if start == from {
			break
		}
		if i-start >= 2 {
			dst = append(dst, span{from: start, to: i, clause: true})
		}
		start = i + skip
	}
	return dst
}

func (r *Reader) joins(t *token) bool {
	if t.concept != 0 || t.name {
		return false
	}
	switch string(r.text(*t)) {
	case "and", "then", "but", "so", "also", "und", "et", "y", "e", "aur", "i", "a", "oraz", "en", "si", "ve", "plus", "because", "cos":
		return t.to-t.from > 1
	}
	return false
}

// sym is what a token counts as: its concept, its class of name, or the word itself.
func (r *Reader) sym(t *token) uint32 {
	switch {
	case t.concept != 0:
		h := r.l.hash[t.concept]
		if cl := r.l.class[t.concept]; cl == 'A' || cl == 'a' || t.infl == 'p' {
			h += uint32(t.infl) * 0x9E37
		}
		return h
	case t.name && t.infl == 'p':
		return symOwner
	case t.name:
		return symName
	case t.known && t.met:
		return t.word
	case t.wide != 0:
		return symKin + uint32(t.wide)*0x9E37
	case t.capital:
		return symProper
	}
	return symUnknown
}

func (r *Reader) wordOf(t *token) uint32 {
	if t.known && !t.name && (t.concept != 0 || t.met) && (t.concept == 0 || !r.l.hide[t.concept]) {
		return t.word
	}
	return r.sym(t)
}

func (r *Reader) classOf(t *token) uint32 {
	if t.name {
		return 'P'
	}
	if t.concept == 0 {
		return 'O'
	}
	return uint32(r.l.class[t.concept])
}

// idea is what a token counts as among the words that carry meaning: every word that the
// lexicon does not know is one and the same stranger.
func (r *Reader) idea(t *token) uint32 {
	switch {
	case t.concept != 0 || t.name:
		return r.sym(t)
	case t.wide != 0:
		return symKin + uint32(t.wide)*0x9E37
	}
	return symOther
}

// gist is what a token counts as where neither the person nor the device nor the time
// matters: every child is a child, every screen a screen.
func (r *Reader) gist(t *token) uint32 {
	if t.name {
		if t.infl == 'p' {
			return symOwner
		}
		return symName
	}
	if g := r.l.gist[t.concept]; g != 0 {
		if g == 'P' {
			if t.infl == 'p' {
				return symOwner
			}
			return symName
		}
		return symOther + uint32(g)*0x9E37
	}
	return r.idea(t)
}

// thing is the gist of the last thing that is named, be it a control's or an everyday one; 0
// where there is none.
func (r *Reader) thing(toks []token) uint32 {
	for i := len(toks) - 1; i >= 0; i-- {
		if cl := r.l.class[toks[i].concept]; toks[i].concept != 0 && (cl == 'T' || cl == 'I') {
			return r.gist(&toks[i])
		}
	}
	return 0
}

// carries is whether a token carries meaning of its own, unlike "the" or "would".
func (r *Reader) carries(t *token) bool {
	return t.concept != 0 || t.name || !t.known || !functionWords[string(r.text(*t))]
}

// describe lists the features of one stretch.
func (r *Reader) describe(s span) []feature {
	toks := r.tokens[s.from:s.to]
	fs := r.feats[:0]
	add := func(tag, a, b uint32, i, j int) {
		fs = append(fs, feature{mix(tag, a, b), int32(i), int32(j)})
	}
	cons := r.cons[:0]
	mood := r.mood(toks)
	head, head2, at := r.head(toks)
	bag := uint32(0)
	if s.clause { // what stands around it may say that it is only told of
		first, _, _ := r.head(r.tokens[max(0, s.from-window):])
		add(ofAround, first, head, 0, 0)
		add(ofAround, first, 1, 0, 0)
		if s.from > 0 {
			add(ofAround, r.sym(&r.tokens[s.from-1]), 2, 0, 0)
			add(ofAround, uint32(toks[0].brk), 3, 0, 0)
			add(ofAround, r.mood(r.tokens[max(0, s.from-window):s.from]), mix(4, mood, 0), 0, 0)
			if r.thing(toks) == 0 { // "lock it" is about what was named last
				thing := r.thing(r.tokens[max(0, s.from-window):s.from])
				add(ofAround, thing, 9, 0, 0)
				add(ofAround, thing, mix(10, head, 0), 0, 0)
				add(ofAround, thing, mix(11, head2, 0), 0, 0)
			}
		} else {
			add(ofAround, mood, 5, 0, 0)
		}
		if s.to < len(r.tokens) {
			add(ofAround, r.wordOf(&r.tokens[s.to]), 6, 0, 0)
			rest := r.tokens[s.to:min(len(r.tokens), s.to+window)]
			next, _, _ := r.head(rest)
			add(ofAround, next, 7, 0, 0)
			add(ofAround, r.mood(rest), mix(8, mood, 0), 0, 0)
		}
	}
	prevSym, prevSym2, prevWord := symStart, symStart, symStart
	for i := range toks {
		t := &toks[i]
		sym, word := r.sym(t), r.wordOf(t)
		add(ofWord, word, 0, i, i)
		add(ofWordPair, prevWord, word, i, max(i-1, 0))
		add(ofSymPair, prevSym, sym, i, max(i-1, 0))
		add(ofSymTriple, mix(0, prevSym2, prevSym), sym, i, max(i-1, 0))
		if i >= 2 {
			add(ofSkip, r.sym(&toks[i-2]), sym, i-2, i)
			add(ofWordSkip, r.wordOf(&toks[i-2]), word, i-2, i)
		}
		if r.carries(t) {
			cons = append(cons, int32(i))
			sym := r.idea(t)
			add(ofConcept, sym, 0, i, i)
			if i != at {
				add(ofHeadConcept, head, sym, i, i)
			}
			add(ofMoodConcept, mood, sym, i, i)
			bag |= 1 << (r.classOf(t) & 31)
		}
		if !t.known && t.concept == 0 {
			w := r.text(*t)
			for k := 0; k+3 <= len(w) && k < 12; k++ {
				add(ofLetters, uint32(w[k])|uint32(w[k+1])<<8|uint32(w[k+2])<<16, 0, i, i)
			}
		}
		if t.kin != 0 && t.concept == 0 && !t.name {
			add(ofKin, uint32(t.kin), 0, i, i)
			add(ofKinPair, prevSym, uint32(t.kin), i, max(i-1, 0))
			add(ofKinHead, head, uint32(t.kin), i, i)
			if i+1 < len(toks) {
				add(ofKinNext, uint32(t.kin), r.sym(&toks[i+1]), i, i+1)
			}
		}
		if t.soft != 0 {
			soft := r.l.hash[t.soft]
			add(ofSoft, soft, 0, i, i)
			add(ofSoftPair, soft, prevSym, i, i)
			if i+1 < len(toks) {
				add(ofSoftPair, soft, r.sym(&toks[i+1])*3, i, i+1)
			}
		}
		if t.brk != 0 && i > 0 {
			add(ofMark, uint32(t.brk), sym, i, i)
		}
		if t.quoted && t.concept != 0 {
			add(ofQuoted, r.classOf(t), 0, i, i)
			add(ofQuoted, sym, 1, i, i)
		}
		prevSym2, prevSym, prevWord = prevSym, sym, word
	}
	add(ofEnd, prevSym, symEnd, max(len(toks)-1, 0), max(len(toks)-1, 0))
	r.gists(toks, cons, head, mood, add)
	for k, i := range cons {
		a := &toks[i]
		if k+1 < len(cons) {
			j := cons[k+1]
			b := &toks[j]
			add(ofConceptPair, r.idea(a), r.idea(b), int(i), int(j))
			add(ofClassPair, r.classOf(a), r.classOf(b), int(i), int(j))
			add(ofHeadPair, head, mix(0, r.classOf(a), r.classOf(b)), int(i), int(j))
			add(ofMoodPair, mood, mix(0, r.classOf(a), r.classOf(b)), int(i), int(j))
			if k+2 < len(cons) {
				l := cons[k+2]
				c := &toks[l]
				add(ofConceptTriple, mix(0, r.idea(a), r.idea(b)), r.idea(c), int(i), int(l))
				add(ofClassTriple, mix(0, r.classOf(a), r.classOf(b)), r.classOf(c), int(i), int(l))
				if k+3 < len(cons) {
					add(ofClassQuad, mix(0, r.classOf(a), r.classOf(b)), mix(0, r.classOf(c), r.classOf(&toks[cons[k+3]])), int(i), int(l))
				}
			}
		}
		// each act with each thing near it, whatever stands between
		if cl := r.classOf(a); cl == 'A' || cl == 'a' || cl == 'M' || cl == 'H' {
			for _, j := range cons[k+1 : min(k+7, len(cons))] {
				b := &toks[j]
				add(ofAct, r.idea(a), r.idea(b), int(i), int(j))
			}
		}
	}
	add(ofBag, bag, 0, 0, 0)
	add(ofHeadBag, head, bag, 0, 0)
	add(ofHead, head, head2, at, at)
	add(ofHead2, head, 0, at, at)
	add(ofMood, mood, bag, 0, 0)
	add(ofMood, mood, 0, 0, 0)
	r.feats, r.cons = fs, cons
	return fs
}

// gists adds what the gist of a stretch is, in order, and what stands near what.
func (r *Reader) gists(toks []token, cons []int32, head, mood uint32, add func(tag, a, b uint32, i, j int)) {
	prev, prev2, prev3 := symStart, symStart, symStart
	last := uint32(0)
	for k, i := range cons {
		g := r.gist(&toks[i])
		if g == symName && last == symName { // two people in a row are one party
			continue
		}
		last = g
		at, before := int(i), int(cons[max(k-1, 0)])
		add(ofGist, g, 0, at, at)
		add(ofGistPair, prev, g, before, at)
		add(ofGistTriple, mix(0, prev2, prev), g, before, at)
		add(ofGistQuad, mix(0, prev3, prev2), mix(0, prev, g), before, at)
		add(ofGistSkip, prev2, g, before, at)
		add(ofGistHead, head, mix(0, prev, g), before, at)
		add(ofGistMood, mood, mix(0, prev, g), before, at)
		prev, prev2, prev3 = g, prev, prev2
	}
	end := max(len(toks)-1, 0)
	add(ofGistPair, prev, symEnd, end, end)
	add(ofGistTriple, mix(0, prev2, prev), symEnd, end, end)
	add(ofGistQuad, mix(0, prev3, prev2), mix(0, prev, symEnd), end, end)
}

// fillers are passed over in looking for the word that a sentence hangs on.
var fillers = map[string]bool{
	"please": true, "hey": true, "ok": true, "right": true, "so": true, "um": true, "uh": true, "er": true, "erm": true,
	"well": true, "and": true, "but": true, "hi": true, "hello": true, "oh": true, "now": true, "just": true, "then": true,
	"also": true, "sorry": true, "jervis": true, "jarvis": true, "quickly": true, "pls": true, "look": false, "listen": true, "actually": true, "basically": true, "hmm": true,
}

// head is the first two words that carry a sentence, and where the first stands.
func (r *Reader) head(toks []token) (first, second uint32, at int) {
	first, second = symEnd, symEnd
	found := false
	for i := range toks {
		t := &toks[i]
		w := r.text(*t)
		if !found && (fillers[string(w)] || t.name && i+1 < len(toks) && toks[i+1].brk == ',') {
			continue
		}
		if !found {
			first, at, found = r.wordOf(t), i, true
			continue
		}
		return first, r.sym(t), at
	}
	return first, second, at
}

// mood is a rough reading of what a sentence does: asks, asks for, tells, orders.
func (r *Reader) mood(toks []token) uint32 {
	_, _, at := r.head(toks)
	if len(toks) == 0 {
		return 0
	}
	m := uint32(0)
	name := r.l.names[toks[at].concept]
	switch string(r.text(toks[at])) {
	case "is", "are", "was", "were", "does", "did", "has", "am", "had", "isnt", "hasnt", "havent", "didnt", "wasnt":
		m = 1
	case "do", "have":
		m = 2
	case "can", "could", "would", "will", "may", "should", "shall":
		m = 3
	case "what", "when", "how", "who", "why", "which", "where", "whats", "whens":
		m = 4
	case "dont", "no", "not", "never", "stop":
		m = 5
	case "i", "im", "ive", "we", "my", "he", "she", "they", "the", "its", "it", "our", "theres", "somebody", "someone":
		m = 6
	case "if", "suppose", "imagine", "when it":
		m = 7
	default:
		switch name {
		case "READQ":
			m = 8
		case "TIMER":
			m = 9
		case "SAY":
			m = 10
		case "SEARCH", "JOB":
			m = 11
		case "WANT":
			m = 12
		case "ASKYOU":
			m = 13
		default:
			m = 14 + uint32(r.l.class[toks[at].concept])
		}
	}
	m <<= 2
	if toks[len(toks)-1].ask {
		m |= 1
	}
	return m
}

// strength brings sums over short and long stretches to one measure.
func strength(n int) float64 {
	return 12 / math.Sqrt(float64(n)+60)
}
