package meaning

import "slices"

// joinSpelt puts words back together that were spelt out in single letters.
func (r *Reader) joinSpelt() {
	toks := r.tokens
	single := func(t token) bool { return t.to-t.from == 1 && (letter(r.f.text[t.from]) || digit(r.f.text[t.from])) }
	for i := 0; i < len(toks); i++ {
		if !single(toks[i]) || !letter(r.f.text[toks[i].from]) {
			continue
		}
		j := i
		for j < len(toks) && single(toks[j]) && j-i < 48 {
			j++
		}
		if j-i < 3 {
			i = j
			continue
		}
		r.tmp = r.tmp[:0]
		for _, t := range toks[i:j] {
			r.tmp = append(r.tmp, r.f.text[t.from])
		}
		cuts := r.cut(r.tmp, j-i >= 5)
		if cuts == nil {
			i = j
			continue
		}
		out, at := i, 0
		for _, end := range cuts {
			t := toks[i+at]
			t.end = toks[i+end-1].end
			r.rewrite(&t, r.tmp[at:end])
			toks[out] = t
			out++
			at = end
		}
		toks = slices.Delete(toks, out, j)
		i = out - 1
	}
	r.tokens = toks
}

// partJoined takes words apart that were written without a space between them.
func (r *Reader) partJoined() {
	for i := 0; i < len(r.tokens); i++ {
		t := r.tokens[i]
		w := r.text(t)
		if len(w) < 7 || len(w) > 60 || slices.ContainsFunc(w, func(c byte) bool { return c < 'a' || c > 'z' }) || r.isWord(w) {
			continue
		}
		cuts := r.cut(w, false)
		if len(cuts) < 2 || len(w) < 3*len(cuts) {
			continue
		}
		r.tmp = append(r.tmp[:0], w...)
		parts := make([]token, len(cuts))
		at := 0
		for k, end := range cuts {
			parts[k] = t
			if k > 0 {
				parts[k].brk, parts[k].capital = 0, false
			}
			if k < len(cuts)-1 {
				parts[k].infl = 0
			}
			r.rewrite(&parts[k], r.tmp[at:end])
			at = end
		}
		r.tokens = slices.Replace(r.tokens, i, i+1, parts...)
		i += len(cuts) - 1
	}
}

type cell struct {
	cost int32
	prev int32
}

// cut splits letters without spaces into known words: the ends of each, nil where it
// cannot. With loose, parts that are no known word are let through at a price.
func (r *Reader) cut(w []byte, loose bool) []int {
	r.dp = append(r.dp[:0], cell{})
	for end := 1; end <= len(w); end++ {
		best := cell{cost: 1 << 20, prev: -1}
		for start := max(0, end-13); start < end; start++ {
			base := r.dp[start].cost
			if base >= 1<<20 {
				continue
			}
			n := int32(end - start)
			cost := int32(0)
			switch part := w[start:end]; {
			case n >= 2 && r.isWord(part):
				cost = 10
				if n == 2 {
					cost = 14
				}
			case n == 1 && (part[0] == 'a' || part[0] == 'i'):
				cost = 16
			case loose && n <= 8:
				cost = 20 + 6*n
			default:
				continue
			}
			if base+cost < best.cost {
				best = cell{cost: base + cost, prev: int32(start)}
			}
		}
		r.dp = append(r.dp, best)
	}
	if r.dp[len(w)].cost >= 1<<20 {
		return nil
	}
	var ends []int
	for at := len(w); at > 0; at = int(r.dp[at].prev) {
		ends = append(ends, at)
	}
	slices.Reverse(ends)
	return ends
}

func (r *Reader) isWord(w []byte) bool {
	if c, _ := r.l.find(w); c != 0 {
		return true
	}
	_, ok := r.known(hashBytes(w))
	return ok || r.l.given[string(w)] || r.house[string(w)]
}

// unleet reads digits and signs inside a word as the letters they stand for.
func (r *Reader) unleet(t *token) bool {
	w := r.text(*t)
	for _, one := range [...]byte{'i', 'l'} {
		r.tmp = r.tmp[:0]
		for _, c := range w {
			switch c {
			case '0':
				c = 'o'
			case '1', '!', '|':
				c = one
			case '3':
				c = 'e'
			case '4', '@':
				c = 'a'
			case '5', '$':
				c = 's'
			case '7':
				c = 't'
			case '8':
				c = 'b'
			case '9':
				c = 'g'
			}
			r.tmp = append(r.tmp, c)
		}
		c, infl := r.l.find(r.tmp)
		name := r.l.given[string(r.tmp)] || r.house[string(r.tmp)]
		word, known := r.known(hashBytes(r.tmp))
		if c == 0 && !name && !known && one == 'i' {
			continue
		}
		if c == 0 && !name && !known {
			s, ok := r.l.closest(r.tmp)
			if !ok {
				return false
			}
			c = r.l.words[s]
		}
		r.rewrite(t, r.tmp)
		t.concept, t.infl, t.known, t.vocable = c, max(infl, t.infl), true, word
		t.word = hashBytes(r.text(*t))
		if name && c == 0 {
			t.name = true
		}
		return true
	}
	return false
}
