package meaning

import "slices"

// Phrase is what a row or a phrasing of the household means, apart from its little words.
type Phrase struct {
	keys []uint32
	mask uint64
}

// Empty is whether nothing in it could be matched.
func (p Phrase) Empty() bool { return len(p.keys) == 0 }

// Phrase reads a row or a phrasing.
func (r *Reader) Phrase(s string) Phrase {
	r.read(s)
	var p Phrase
	strong := false
	for i := range r.tokens {
		k, weight := r.key(&r.tokens[i])
		if weight == 0 || slices.Contains(p.keys, k) {
			continue
		}
		strong = strong || weight > 1
		p.keys = append(p.keys, k)
		p.mask |= bit(k)
	}
	if !strong {
		return Phrase{}
	}
	return p
}

func bit(k uint32) uint64 { return 1 << (k >> 26) }

// key is what a token must equal to mean the same: acts and people by their concept,
// things by their own name. The weight is 0 for what a phrase can do without, 1 for a
// direction such as off, 2 for the rest.
func (r *Reader) key(t *token) (uint32, int) {
	if t.name {
		return symName, 2
	}
	if t.concept == 0 {
		if !r.carries(t) {
			return 0, 0
		}
		w := r.text(*t)
		if n := len(w); n > 3 && w[n-1] == 's' {
			w = w[:n-1]
		}
		return hashBytes(w), 2
	}
	switch r.l.names[t.concept] {
	case "SWITCHV", "SETV", "ME", "US", "THEM", "YOUNGP", "NEG":
		return 0, 0
	case "OFF", "ON", "BACK", "UP", "OUT":
		return t.word, 1
	}
	switch cl := r.l.class[t.concept]; {
	case cl == 'M' || cl == 'D' || cl == 'H':
		return 0, 0
	case cl == 'A' || cl == 'a' || cl == 'P':
		return r.l.hash[t.concept], 2
	case cl == 'T' && !r.l.hide[t.concept]:
		return r.l.hash[t.concept], 2
	}
	w := r.text(*t)
	if n := len(w); n > 3 && w[n-1] == 's' {
		w = w[:n-1]
	}
	return hashBytes(w), 2
}

// matches is the index of the first phrase that a stretch means, or -1. A phrase of four
// and more ideas may miss one.
func (r *Reader) matches(phrases []Phrase, s span) int {
	if len(phrases) == 0 || !r.wishes(s) {
		return -1
	}
	var have [window + 1]uint32
	n, mask := 0, uint64(0)
	for i := s.from; i < s.to; i++ {
		if k, weight := r.key(&r.tokens[i]); weight > 0 {
			have[n] = k
			mask |= bit(k)
			n++
		}
	}
	for i, p := range phrases {
		if p.Empty() || len(p.keys) < 4 && p.mask&^mask != 0 {
			continue
		}
		missing := 0
		for _, k := range p.keys {
			if !slices.Contains(have[:n], k) {
				missing++
			}
		}
		if missing == 0 || missing == 1 && len(p.keys) >= 4 {
			return i
		}
	}
	return -1
}

// wishes is whether a stretch asks for something to be done, and does not only ask about
// it, tell of it, or carry it in a reminder, an announcement or a search.
func (r *Reader) wishes(s span) bool {
	toks := r.tokens[s.from:s.to]
	switch m := r.mood(toks) >> 2; m {
	case 1, 2, 4, 8, 9, 10, 11:
		return false
	case 6:
		for i := range toks {
			if t := &toks[i]; t.infl == 'd' || r.l.names[t.concept] == "PAST" {
				return false
			}
		}
	}
	if s.clause && s.from > 0 { // a clause of a question or a reminder is still one
		if m := r.mood(r.tokens[max(0, s.from-window):s.from]) >> 2; m == 9 || m == 10 || m == 11 {
			return false
		}
	}
	for i := range toks {
		if r.l.names[toks[i].concept] == "JUSTQ" {
			return false
		}
	}
	return true
}
