package concept

import (
	"math"
	"sort"
	"sync"

	_ "embed"
)

//go:embed weights.bin
var weightsFile string

// Scores are the concepts' probabilities; they sum to 1.
type Scores [Count]float32

// Best is the likeliest concept.
func (s *Scores) Best() Concept {
	best := Concept(0)
	for c := range s {
		if s[c] > s[best] {
			best = Concept(c)
		}
	}
	return best
}

// Model is the trained weights: for each feature one small number a concept.
//
// The file is: magic, a SHA-256 of what it was trained on, the scale as float32 bits,
// the number of slots and of rows as uint32, Count biases as float32 bits, a key
// a slot as uint32 (0 is empty), a row number a slot as uint16, the rows, Count int8
// each, and the slips: pairs of uint32, the hash of a misspelling and of its word,
// in order. All numbers are little-endian.
type Model struct {
	hash  string
	scale float32
	bias  [Count]float32
	keys  []uint32
	index []uint16
	rows  string
	slips string
}

const magic = "askhubW1"

// Default is the model that ships.
var Default = sync.OnceValue(func() *Model {
	m, ok := parseModel(weightsFile)
	if !ok {
		panic("concept: the embedded weights are damaged; run go generate")
	}
	return m
})

// TrainedOn is the SHA-256 of what the weights were trained on.
func (m *Model) TrainedOn() string { return m.hash }

// Rows is the number of features that have weights.
func (m *Model) Rows() int { return len(m.rows) / int(Count) }

func parseModel(s string) (*Model, bool) {
	head := len(magic) + 32 + 12 + 4*int(Count)
	if len(s) < head || s[:len(magic)] != magic {
		return nil, false
	}
	u32 := func(at int) uint32 { return le32(s[at:]) }
	m := &Model{hash: s[len(magic) : len(magic)+32]}
	at := len(magic) + 32
	m.scale = math.Float32frombits(u32(at))
	slots, rows := int(u32(at+4)), int(u32(at+8))
	at += 12
	for c := range m.bias {
		m.bias[c] = math.Float32frombits(u32(at))
		at += 4
	}
	if slots == 0 || slots&(slots-1) != 0 || rows >= slots || rows > math.MaxUint16 || len(s)-at < slots*6+rows*int(Count) || (len(s)-at-slots*6-rows*int(Count))%8 != 0 {
		return nil, false
	}
	m.keys = make([]uint32, slots)
	m.index = make([]uint16, slots)
	for i := range m.keys {
		m.keys[i] = u32(at + 4*i)
	}
	at += 4 * slots
	for i := range m.index {
		m.index[i] = uint16(s[at+2*i]) | uint16(s[at+2*i+1])<<8
		if m.keys[i] != 0 && int(m.index[i]) >= rows {
			return nil, false
		}
	}
	at += 2 * slots
	m.rows, m.slips = s[at:at+rows*int(Count)], s[at+rows*int(Count):]
	return m, true
}

// row is where the weights of a feature start, -1 where it has none.
func (m *Model) row(key uint32) int {
	mask := uint32(len(m.keys) - 1)
	for slot := key >> 1 & mask; ; slot = (slot + 1) & mask {
		switch m.keys[slot] {
		case key:
			return int(m.index[slot]) * int(Count)
		case 0:
			return -1
		}
	}
}

// Knows is whether the model met the word in training.
func (m *Model) knows(id uint32) bool { return m.row(mix(kindWord, id, 0)) >= 0 }

// meant is the known word that w was meant to be, if one slip explains it.
func (m *Model) meant(w []byte) (id uint32) {
	eachSlip(w, func(hash uint32) {
		if id == 0 {
			id = m.slip(hash)
		}
	})
	return id
}

// slip is the word of a misspelling, 0 if there is none.
func (m *Model) slip(hash uint32) uint32 {
	at := sort.Search(len(m.slips)/8, func(i int) bool { return le32(m.slips[8*i:]) >= hash })
	if at < len(m.slips)/8 && le32(m.slips[8*at:]) == hash {
		return le32(m.slips[8*at+4:])
	}
	return 0
}

func le32(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// Prepare looks up the text's words, once for any number of calls of Score.
func (m *Model) Prepare(t *Text) { t.tokenise(m.knows, m.meant) }

// Known is whether the model met word i of a prepared text in training.
func (t *Text) Known(i int) bool { return t.tokens[i].known }

// Met is whether the model met the very letters of word i of a prepared text, so that
// it was not read as another word.
func (t *Text) Met(i int) bool { return t.tokens[i].known && !t.tokens[i].mended }

// Learned is whether the model was trained on word i of a prepared text.
func (t *Text) Learned(i int) bool { return t.tokens[i].learned }

// Category is the lexicon's word for word i of a prepared text.
func (t *Text) Category(i int) Category { return t.tokens[i].category }

// Stopword is whether word i of a prepared text says nothing by itself.
func (t *Text) Stopword(i int) bool { return t.tokens[i].category&stopword != 0 }

// Score judges the words from to to of a prepared text.
func (m *Model) Score(t *Text, from, to int) Scores {
	var sum [Count]int32
	t.features(from, to, func(key uint32) {
		at := m.row(key)
		if at < 0 {
			return
		}
		row := m.rows[at : at+int(Count)]
		for c := range sum {
			sum[c] += int32(int8(row[c]))
		}
	})
	var s Scores
	scale := m.scale * lengthScale(to-from)
	top := float32(math.Inf(-1))
	for c := range s {
		s[c] = m.bias[c] + float32(sum[c])*scale
		top = max(top, s[c])
	}
	total := float32(0)
	for c := range s {
		s[c] = float32(math.Exp(float64(s[c] - top)))
		total += s[c]
	}
	for c := range s {
		s[c] /= total
	}
	return s
}

// lengthScale keeps a long question from being surer for its length alone.
func lengthScale(words int) float32 {
	return float32(1 / math.Sqrt(float64(max(words, 1))))
}
