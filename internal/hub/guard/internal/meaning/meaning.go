// Package meaning reads a sentence as a household says it and judges whether it means a
// parental-control action: what is done, to what, for whom, and in which mood.
package meaning

import (
	"slices"
)

// Verdict is what a question came to.
type Verdict struct {
	// Score is the log odds that it means a control action; above 0 it does.
	Score float64
	// Kind is the index in Kinds of the action that it comes nearest to.
	Kind int
	// Words are the words of the question that weigh most, in their order.
	Words []string
}

// NewReader makes a reader that knows the household's names besides the usual first names.
func NewReader(m *Model, names map[string]bool) *Reader {
	return &Reader{l: lex(), known: m.knows, house: names}
}

// Fold is a name as the reader sees it.
func Fold(s string) string {
	var f folded
	f.fold(s)
	return string(f.text)
}

// Judge weighs a question.
func (r *Reader) Judge(m *Model, q string) Verdict {
	r.read(q)
	if len(r.tokens) == 0 {
		return Verdict{Score: -99}
	}
	var buf [128]span
	best, at := -1e9, span{}
	for _, s := range r.spans(buf[:0]) {
		if v := m.score(r.describe(s)); v > best {
			best, at = v, s
		}
	}
	v := Verdict{Score: best}
	if best > 0 {
		fs := r.describe(at)
		v.Kind = m.kindOf(fs)
		v.Words = r.weighty(m, q, at, fs)
	}
	return v
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
