package concept

import "math/bits"

// FeatureVersion changes whenever the features do, so that weights trained on
// other features are found out.
const FeatureVersion = 4

const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

// startLength is how many letters of a longer word stand for its family: lesson and lessons.
const startLength = 4

// hashWord is FNV-1a, never 0.
func hashWord(w []byte) uint32 {
	h := uint32(fnvOffset)
	for _, c := range w {
		h = (h ^ uint32(c)) * fnvPrime
	}
	return h | 1
}

// mix makes one key of a feature's kind and its two parts.
func mix(kind, a, b uint32) uint32 {
	h := (a ^ kind*0x9e3779b1) * 0x85ebca6b
	h ^= h >> 15
	h = (h ^ b) * 0xc2b2ae35
	h ^= h >> 13
	return h | 1
}

// The kinds of features.
const (
	kindWord = iota + 1
	kindPair
	kindSkip
	kindTriple
	kindCategory
	kindWordCategory
	kindCategoryWord
	kindCategories
	kindSkipCategory
	kindOpener
	kindGram
	kindContent
	kindLength
	kindUnknown
	kindStart
)

// What stands for a word that has a shape of its own, or is no word.
const (
	edge    uint32 = 11
	nameID  uint32 = 13
	unknown uint32 = 17
)

// token is a word as the features see it.
type token struct {
	id       uint32
	category Category
	known    bool
	learned  bool // the model was trained on it, be it in the lexicon or not
	mended   bool // its own letters are not known: it was read as another word
}

// tokenise fills t.tokens. known is whether the model met a word in training, and
// meant the known word that a strange one was meant to be, 0 if none.
func (t *Text) tokenise(known func(id uint32) bool, meant func(w []byte) uint32) {
	lex := lexicon()
	t.tokens = t.tokens[:0]
	corrected := 0
	for i := range t.words {
		k := token{known: true, learned: true}
		switch t.words[i].Shape {
		case Name:
			k.id, k.category = nameID, personCategory()
		case Number, Ordinal:
			k.id, k.category = 3, numberCategory()
		case TimeOfDay:
			k.id, k.category = 5, timeCategory()
		default:
			k.id = hashWord(t.Bytes(i))
			k.category = lex[k.id]
			k.learned = known(k.id)
			k.known = k.learned || k.category != 0
			if w := t.Bytes(i); !k.known && corrected < maxCorrected && len(w) >= minCorrected && len(w) <= maxWord {
				corrected++
				if id := meant(w); id != 0 {
					k.id, k.category, k.known, k.learned, k.mended = id, lex[id], true, known(id), true
				}
			}
		}
		t.tokens = append(t.tokens, k)
	}
}

// Which strange words are looked at for a slip of the finger: longer ones, and few,
// so that a question of nothing but strange words costs no more than its length.
const (
	minCorrected = 5
	maxCorrected = 6
	maxWord      = 24
)

// eachSlip calls f with the hash of the word, and of each way to leave out one
// letter but the first. Two words that share one of these are one slip apart: a
// letter too many, two swapped, one wrong, or one missing.
func eachSlip(w []byte, f func(hash uint32)) {
	f(hashWord(w))
	var buf [maxWord]byte
	n := copy(buf[:], w)
	copy(buf[1:], w[2:])
	for i := 1; i < n; i++ {
		f(hashWord(buf[:n-1]))
		buf[i] = w[i]
	}
}

// features calls emit for each feature of the words from to to.
func (t *Text) features(from, to int, emit func(key uint32)) {
	prev, prev2 := edge, edge
	var prevCategory Category
	content, strangers := 0, uint32(0)
	opener := edge
	for i := from; i < to; i++ {
		k := &t.tokens[i]
		id := k.id
		if !k.known {
			t.grams(i, emit)
			id = unknown
			strangers++
		}
		if i == from {
			opener = id
		}
		if k.category&stopword == 0 {
			content++
		}
		emit(mix(kindWord, id, 0))
		emit(mix(kindPair, prev, id))
		if w := t.Bytes(i); t.words[i].Shape == Plain && len(w) > startLength {
			emit(mix(kindStart, hashWord(w[:startLength]), 0))
		}
		emit(mix(kindSkip, prev2, id))
		emit(mix(kindTriple, mix(kindPair, prev2, prev), id))
		category := k.category &^ stopword
		for rest := category; rest != 0; rest &= rest - 1 {
			c := uint32(bits.TrailingZeros64(uint64(rest)))
			emit(mix(kindCategory, c, 0))
			emit(mix(kindWordCategory, prev, c))
			emit(mix(kindSkipCategory, prev2, c))
			if i > from {
				emit(mix(kindOpener, opener, c))
			}
			for before := prevCategory; before != 0; before &= before - 1 {
				emit(mix(kindCategories, uint32(bits.TrailingZeros64(uint64(before))), c))
			}
		}
		for before := prevCategory; before != 0; before &= before - 1 {
			emit(mix(kindCategoryWord, uint32(bits.TrailingZeros64(uint64(before))), id))
		}
		prev2, prev, prevCategory = prev, id, category
	}
	emit(mix(kindPair, prev, edge))
	emit(mix(kindTriple, mix(kindPair, prev2, prev), edge))
	emit(mix(kindContent, uint32(min(content, 5)), 0))
	emit(mix(kindLength, uint32(min(to-from, 8)), 0))
	emit(mix(kindUnknown, min(strangers, 3), uint32(min(content, 5))))
}

// grams are the letters of a word that the model never met, four at a time: they
// find a misspelt word's neighbours.
func (t *Text) grams(i int, emit func(key uint32)) {
	w := t.Bytes(i)
	if len(w) < 3 || len(w) > 24 {
		return
	}
	window := uint32('^')
	for j := 0; j <= len(w); j++ {
		c := byte('$')
		if j < len(w) {
			c = w[j]
		}
		window = window<<8 | uint32(c)
		if j >= 2 {
			emit(mix(kindGram, window, 0))
		}
	}
}
