package meaning

// Vocabulary is a reader for the generator: it knows the words whose hashes are given.
func Vocabulary(known map[uint32]Word) *Reader {
	return &Reader{l: lex(), known: func(h uint32) (vocable, bool) {
		w, ok := known[h]
		return vocable{met: w.Met, kin: w.Kin, wide: w.Wide}, ok
	}}
}

// Word is what the generator says of a word of everyday speech: whether it was met often
// enough to be known by itself, and the words that it is used like.
type Word struct {
	Hash      uint32
	Met       bool
	Kin, Wide uint8
}

// RawWords are the hashes of a sentence's words as they stand.
func (r *Reader) RawWords(q string) []uint32 {
	r.f.fold(q)
	r.tokens = r.tokens[:0]
	r.split(q)
	words := make([]uint32, 0, len(r.tokens))
	for _, t := range r.tokens {
		w := make([]byte, 0, 16)
		for _, c := range r.text(t) {
			if c != '\'' {
				w = append(w, c)
			}
		}
		words = append(words, hashBytes(w))
	}
	return words
}

// Learn lists a sentence's features, one list for each stretch that is judged. Each word
// that has no concept is forgotten where forget says so, as if it had never been met; each
// that has one loses its own spelling where blur says so.
func (r *Reader) Learn(q string, forget, blur func() bool) [][]uint32 {
	r.read(q)
	for i := range r.tokens {
		t := &r.tokens[i]
		switch {
		case t.concept == 0 && !t.name && forget():
			t.met = false
			if t.kin == 0 {
				t.known = false
			}
		case t.concept != 0 && blur():
			t.word = r.sym(t)
		}
	}
	var out [][]uint32
	for _, s := range r.spans(nil) {
		fs := r.describe(s)
		hs := make([]uint32, len(fs))
		for i, f := range fs {
			hs[i] = f.hash
		}
		out = append(out, hs)
	}
	return out
}

// Strength is the measure by which a sum over n features is taken.
func Strength(n int) float64 { return strength(n) }
