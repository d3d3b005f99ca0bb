package meaning

import "slices"

// Phrase is what a row or a phrasing of the household means, apart from its little words.
type Phrase struct {
	// Hint is a phrasing of an action that the model knows: unless the question says
	// nothing else, it only counts where the model is in doubt.
	Hint bool

	keys   []uint32
	mask   uint64
	strong int
	head   concept // of the word that it hangs on
}

// Empty is whether nothing in it could be matched.
func (p Phrase) Empty() bool { return p.strong == 0 }

// doubt is the score above which a hint decides.
const doubt = -2

// Phrase reads a row or a phrasing.
func (r *Reader) Phrase(s string) Phrase {
	r.read(s)
	var p Phrase
	if len(r.tokens) > 0 {
		_, _, at := r.head(r.tokens)
		p.head = r.tokens[at].concept
	}
	for i := range r.tokens {
		k, weight := r.key(&r.tokens[i])
		if weight == 0 || slices.Contains(p.keys, k) {
			continue
		}
		if weight > 1 {
			p.strong++
		}
		p.keys = append(p.keys, k)
		p.mask |= bit(k)
	}
	return p
}

func bit(k uint32) uint64 { return 1 << (k >> 26) }

// key is what a token must equal to mean the same: acts by their concept, things by their
// own name. The weight is 0 for what a phrase can do without, such as whom it is for, 1 for
// what only goes along (off, tomorrow, minutes), 2 for the rest.
func (r *Reader) key(t *token) (uint32, int) {
	if t.name {
		return 0, 0
	}
	if t.concept == 0 {
		if !r.carries(t) {
			return 0, 0
		}
		return r.stem(t), 2
	}
	switch r.l.names[t.concept] {
	case "SWITCHV", "SETV", "NUM", "UNTIL", "NEG":
		return 0, 0
	case "OFF", "ON", "BACK", "UP", "OUT", "DAY":
		return t.word, 1
	case "UNIT", "CLOCK", "MORE", "LESS", "PUNISH":
		return r.l.hash[t.concept], 1
	}
	switch cl := r.l.class[t.concept]; {
	case cl == 'M' || cl == 'P':
		return 0, 0
	case cl == 'H':
		return t.word, 2
	case cl == 'A' || cl == 'a', cl == 'T' && !r.l.hide[t.concept]:
		return r.l.hash[t.concept], 2
	}
	return r.stem(t), 2
}

func (r *Reader) stem(t *token) uint32 {
	w := r.text(*t)
	if n := len(w); n > 3 && w[n-1] == 's' {
		w = w[:n-1]
	}
	return hashBytes(w)
}

// matches is the index of the first phrase that a stretch means, or -1. A phrase of four
// and more ideas may miss one; one of a single idea must be all that is said.
func (r *Reader) matches(phrases []Phrase, s span, score float64) int {
	if len(phrases) == 0 {
		return -1
	}
	ok, carrier := r.wishes(s)
	if !ok {
		return -1
	}
	var have [window + 1]uint32
	n, strong, mask := 0, 0, uint64(0)
	for i := s.from; i < s.to; i++ {
		if k, weight := r.key(&r.tokens[i]); weight > 0 && !slices.Contains(have[:n], k) {
			have[n] = k
			mask |= bit(k)
			n++
			if weight > 1 {
				strong++
			}
		}
	}
	for i, p := range phrases {
		if carrier != 0 && carrier != p.head {
			continue // it is only told, sought or remembered
		}
		if p.Empty() || len(p.keys) < 4 && p.mask&^mask != 0 {
			continue
		}
		missing := 0
		for _, k := range p.keys {
			if !slices.Contains(have[:n], k) {
				missing++
			}
		}
		if missing > 1 || missing == 1 && len(p.keys) < 4 {
			continue
		}
		all := missing == 0 && strong == p.strong && !s.clause
		if all || p.strong >= 2 && (!p.Hint || score > doubt) {
			return i
		}
	}
	return -1
}

// wishes is whether a stretch asks for something to be done, and does not only ask about
// it or tell of it. What is carried in a reminder, an announcement or a search is a wish
// only for a phrase that begins with the carrier itself.
func (r *Reader) wishes(s span) (ok bool, carrier concept) {
	toks := r.tokens[s.from:s.to]
	switch m := r.mood(toks) >> 2; m {
	case 1, 2, 4, 8:
		return false, 0
	case 9, 10, 11:
		_, _, at := r.head(toks)
		carrier = toks[at].concept
	case 6:
		for i := range toks {
			if t := &toks[i]; t.infl == 'd' || r.l.names[t.concept] == "PAST" {
				return false, 0
			}
		}
	}
	if s.clause && s.from > 0 { // a clause of a question or a reminder is still one
		if m := r.mood(r.tokens[max(0, s.from-window):s.from]) >> 2; m == 9 || m == 10 || m == 11 {
			return false, 0
		}
	}
	for i := range toks {
		if name := r.l.names[toks[i].concept]; name == "JUSTQ" || name == "READQ" {
			return false, 0
		}
	}
	return true, carrier
}
