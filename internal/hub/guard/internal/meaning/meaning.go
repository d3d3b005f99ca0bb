// Package meaning reads a sentence as a household says it and judges whether it means a
// parental-control action: what is done, to what, for whom, and in which mood.
package meaning

import (
	"bytes"
	"math"
	"slices"
)

// Verdict is what a question came to.
type Verdict struct {
	// Score is the log odds that it means a control action; above 0 it does.
	Score float64
	// Kind is the index in Kinds of the action that it comes nearest to, where Score is
	// above 0.
	Kind int
	// Phrase is the index of the household's phrase that it means, or -1.
	Phrase int
	// Words are the words of the question that weigh most, in their order.
	Words []string
}

func (v *Verdict) found() bool { return v.Score > 0 || v.Phrase >= 0 }

// NewReader makes a reader that knows the household's names besides the usual first names.
func NewReader(m *Model, names map[string]bool) *Reader {
	return &Reader{l: lex(), known: m.knows, house: names}
}

// Names folds a household's names into the words that a reader looks for. Those that are
// everyday words too count only where their place says so.
func (m *Model) Names(names []string) map[string]bool {
	out := make(map[string]bool, len(names))
	l := lex()
	var f folded
	for _, name := range names {
		f.fold(name)
		for w := range bytes.FieldsFuncSeq(f.text, func(c rune) bool { return c == ' ' || c == '-' || c == '\'' }) {
			if c, _ := l.find(w); c != 0 || len(w) < 2 {
				continue // Mum is understood as it is
			}
			out[string(w)] = !wordNames[string(w)] && (l.given[string(w)] || !m.has(hashBytes(w)))
		}
	}
	return out
}

// bare is taken off the score of a stretch in which nothing is known to belong to a control:
// what a refusal rests on then is chance.
const bare = 2

func (r *Reader) bears(s span) bool {
	for i := s.from; i < s.to; i++ {
		if t := &r.tokens[i]; r.l.bears[t.concept] || t.soft != 0 {
			return true
		}
	}
	return false
}

// Judge weighs a question, and says which of the household's own phrases it means.
func (r *Reader) Judge(m *Model, q string, phrases []Phrase) Verdict {
	r.read(q)
	v := Verdict{Score: math.Inf(-1), Phrase: -1}
	if len(r.tokens) == 0 {
		return v
	}
	v = r.weigh(m, q, phrases)
	if v.found() {
		return v
	}
	said := r.tokens
	for _, reading := range r.lent() {
		r.tokens = reading
		if lent := r.weigh(m, q, phrases); lent.Score > v.Score || lent.found() {
			v = lent
		}
		if v.found() {
			break
		}
	}
	r.tokens = said
	return v
}

// weigh judges what was read.
func (r *Reader) weigh(m *Model, q string, phrases []Phrase) Verdict {
	v := Verdict{Score: math.Inf(-1), Phrase: -1}
	r.spansBuf = r.spans(r.spansBuf[:0])
	at, meant := span{}, span{}
	for _, s := range r.spansBuf {
		score := m.score(r.describe(s))
		if !r.bears(s) {
			score -= bare
		}
		if score > v.Score {
			v.Score, at = score, s
		}
		if v.Phrase < 0 {
			v.Phrase, meant = r.matches(phrases, s, score), s
		}
	}
	switch {
	case v.Score > 0:
		fs := r.describe(at)
		v.Kind = m.kindOf(fs)
		v.Words = r.weighty(m, q, at, fs)
	case v.Phrase >= 0:
		v.Words = r.shared(phrases[v.Phrase], q, meant)
	}
	return v
}

// shared are the words that a question and a phrase have in common.
func (r *Reader) shared(p Phrase, q string, s span) []string {
	var words []string
	for _, t := range r.tokens[s.from:s.to] {
		if k, weight := r.key(&t); weight > 0 && slices.Contains(p.keys, k) {
			words = append(words, q[t.src:t.end])
		}
	}
	return words
}

func (m *Model) kindOf(fs []feature) int {
	var sum [16]int
	k := len(Kinds)
	for _, f := range fs {
		at := int(f.hash>>(32-KindBits)) * k
		for i := range k {
			sum[i] += int(int8(m.kind[at+i]))
		}
	}
	best := 0
	for i := range k {
		if sum[i] > sum[best] {
			best = i
		}
	}
	return best
}

// weighty are the words that the verdict rests on: those whose features add most.
func (r *Reader) weighty(m *Model, q string, s span, fs []feature) []string {
	n := s.to - s.from
	share := make([]int, n)
	for _, f := range fs {
		w := int(int8(m.weight[f.hash>>(32-Bits)]))
		share[f.a] += w
		share[f.b] += w
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return share[b] - share[a] })
	keep := order[:min(4, n)]
	for len(keep) > 1 && share[keep[len(keep)-1]] <= share[keep[0]]/6 {
		keep = keep[:len(keep)-1]
	}
	slices.Sort(keep)
	words := make([]string, len(keep))
	for i, k := range keep {
		t := r.tokens[s.from+k]
		words[i] = q[t.src:t.end]
	}
	return words
}
