package concept

import (
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// Sample is one sentence to learn from.
type Sample struct {
	Text string
	// Names are words of it that the household would know as people.
	Names []string
	// Concepts are what it may speak of, all as likely.
	Concepts []Concept
}

// Training says how to train.
type Training struct {
	// Lines is the number of sentences; Draw gives sentence i with its slots
	// filled anew and, now and then, a slip of the finger.
	Lines int
	Draw  func(i int, rnd *rand.Rand) Sample
	// Epochs is how often each sentence is seen.
	Epochs int
	// Hash is the SHA-256 of the corpus, 32 bytes.
	Hash string
}

// How the weights are found. Chosen by cross-validation on the corpus.
const (
	learningRate = 0.3
	decay        = 2e-5
	forget       = 0.12 // how often a word is treated as one that was never met
	maxRows      = 20000
)

type trainer struct {
	Training
	rnd   *rand.Rand
	vocab map[uint32]bool
	words []string          // of the vocabulary and the lexicon, in order
	slips map[uint32]uint32 // a misspelling's hash, and its word's
	index map[uint32]int
	bias  [Count]float64
	biasG [Count]float64
	w, g  []float64 // Count a feature
}

// Train gives the bytes of a weights file. The same training gives the same bytes
// on one machine.
func Train(t Training) []byte {
	tr := &trainer{Training: t, rnd: rand.New(rand.NewPCG(1, 2)), vocab: map[uint32]bool{}, slips: map[uint32]uint32{}, index: map[uint32]int{}}
	tr.collect()
	for epoch := range t.Epochs {
		rate := learningRate * (1 - float64(epoch)/float64(t.Epochs)*0.9)
		for _, i := range tr.rnd.Perm(t.Lines) {
			tr.step(i, rate)
		}
	}
	return tr.encode()
}

// TrainModel is Train for one who wants to use the weights at once.
func TrainModel(t Training) *Model {
	if t.Hash == "" {
		t.Hash = string(make([]byte, 32))
	}
	m, ok := parseModel(string(Train(t)))
	if !ok {
		panic("concept: training made a file that does not parse")
	}
	return m
}

// prepare reads a sample with some of its words forgotten.
func (tr *trainer) prepare(s Sample, forget float64) *Text {
	t := Read(s.Text)
	t.Mark(NewNames(s.Names))
	t.tokenise(func(id uint32) bool { return tr.vocab[id] }, tr.meant)
	if forget > 0 {
		for i := range t.tokens {
			k := &t.tokens[i]
			if t.words[i].Shape == Plain && k.category&stopword == 0 && tr.rnd.Float64() < forget {
				k.known, k.category = false, 0
			}
		}
	}
	return t
}

// collect finds the vocabulary, and the features that two lines share.
func (tr *trainer) collect() {
	const draws = 8
	const rare = 4 // a word that is met less often may be a slip of the finger
	type seen struct{ line, lines int }
	met := map[uint32]int{}
	for i := range tr.Lines {
		for range draws {
			t := Read(tr.Draw(i, tr.rnd).Text)
			for j := range t.words {
				if t.words[j].Shape != Plain {
					continue
				}
				id := hashWord(t.Bytes(j))
				if met[id]++; met[id] == rare {
					tr.vocab[id] = true
					tr.words = append(tr.words, string(t.Bytes(j)))
				}
			}
			t.Done()
		}
	}
	tr.collectSlips()
	features := map[uint32]seen{}
	for i := range tr.Lines {
		for d := range draws {
			s := tr.Draw(i, tr.rnd)
			f := 0.0
			if d%2 == 1 {
				f = 0.4
			}
			t := tr.prepare(s, f)
			t.features(0, t.Len(), func(key uint32) {
				if f := features[key]; f.lines == 0 || f.line != i {
					features[key] = seen{i, f.lines + 1}
				}
			})
			t.Done()
		}
	}
	for id := range tr.vocab {
		features[mix(kindWord, id, 0)] = seen{lines: 2}
	}
	var keys []uint32
	for key, f := range features {
		if f.lines >= 2 {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for i, key := range keys {
		tr.index[key] = i
	}
	tr.w = make([]float64, len(keys)*int(Count))
	tr.g = make([]float64, len(keys)*int(Count))
}

// collectSlips finds the misspellings of the lexicon's words and, where they leave
// room, of the corpus's.
func (tr *trainer) collectSlips() {
	words := slices.Sorted(slices.Values(tr.words))
	inLexicon := func(w string) bool { return lexicon()[hashWord([]byte(w))] != 0 }
	for _, e := range LexiconEntries() {
		for _, entry := range e.Words {
			words = append(words, Words(entry)...)
		}
	}
	take := func(hash, id uint32) {
		if tr.slips[hash] == 0 {
			tr.slips[hash] = id
		}
	}
	for _, w := range words { // a letter too many leads back to the word itself
		if id := hashWord([]byte(w)); len(w) >= minCorrected-1 && len(w) < maxWord {
			take(id, id)
		}
	}
	for _, first := range []bool{true, false} {
		for _, w := range words {
			if id := hashWord([]byte(w)); len(w) >= minCorrected-1 && len(w) <= maxWord && inLexicon(w) == first {
				eachSlip([]byte(w), func(hash uint32) { take(hash, id) })
			}
		}
	}
}

func (tr *trainer) meant(w []byte) (id uint32) {
	eachSlip(w, func(hash uint32) {
		if id == 0 {
			id = tr.slips[hash]
		}
	})
	return id
}

func (tr *trainer) step(i int, rate float64) {
	s := tr.Draw(i, tr.rnd)
	t := tr.prepare(s, forget)
	defer t.Done()
	var rows []int
	t.features(0, t.Len(), func(key uint32) {
		if at, ok := tr.index[key]; ok {
			rows = append(rows, at*int(Count))
		}
	})
	length := float64(lengthScale(t.Len()))
	score := tr.bias
	for _, at := range rows {
		for c := range score {
			score[c] += tr.w[at+c] * length
		}
	}
	softmax(&score)
	for _, c := range s.Concepts {
		score[c] -= 1 / float64(len(s.Concepts))
	}
	for c, gradient := range score {
		tr.biasG[c] += gradient * gradient
		tr.bias[c] -= rate * gradient / math.Sqrt(tr.biasG[c]+1e-3)
		scaled := gradient * length
		for _, at := range rows {
			w, g := &tr.w[at+c], &tr.g[at+c]
			total := scaled + decay**w
			*g += total * total
			*w -= rate * total / math.Sqrt(*g+1e-3)
		}
	}
}

func softmax(score *[Count]float64) {
	top := slices.Max(score[:])
	total := 0.0
	for c := range score {
		score[c] = math.Exp(score[c] - top)
		total += score[c]
	}
	for c := range score {
		score[c] /= total
	}
}

// encode drops the weakest features and writes the file that Model describes.
func (tr *trainer) encode() []byte {
	type entry struct {
		key      uint32
		at       int
		strength float64
		word     bool
	}
	words := map[uint32]bool{}
	for id := range tr.vocab {
		words[mix(kindWord, id, 0)] = true
	}
	var all []entry
	var weights []float64
	for key, i := range tr.index {
		e := entry{key: key, at: i * int(Count), word: words[key]}
		for _, w := range tr.w[e.at : e.at+int(Count)] {
			e.strength = max(e.strength, math.Abs(w))
			weights = append(weights, math.Abs(w))
		}
		all = append(all, e)
	}
	slices.Sort(weights)
	limit := weights[len(weights)-1-len(weights)/2000]
	slices.SortFunc(all, func(a, b entry) int {
		switch {
		case a.word != b.word:
			if a.word {
				return -1
			}
			return 1
		case a.strength != b.strength:
			if a.strength > b.strength {
				return -1
			}
			return 1
		case a.key < b.key:
			return -1
		}
		return 1
	})
	all = all[:min(len(all), maxRows)]
	slots := 1
	for slots < len(all)*3/2 {
		slots *= 2
	}
	keys, index := make([]uint32, slots), make([]uint16, slots)
	rows := make([]byte, 0, len(all)*int(Count))
	scale := limit / 127
	for i, e := range all {
		slot := int(e.key>>1) & (slots - 1)
		for keys[slot] != 0 {
			slot = (slot + 1) & (slots - 1)
		}
		keys[slot], index[slot] = e.key, uint16(i)
		for _, w := range tr.w[e.at : e.at+int(Count)] {
			rows = append(rows, byte(int8(math.Round(min(max(w/scale, -127), 127)))))
		}
	}
	le := binary.LittleEndian
	out := append([]byte(magic), tr.Hash...)
	out = le.AppendUint32(out, math.Float32bits(float32(scale)))
	out = le.AppendUint32(out, uint32(slots))
	out = le.AppendUint32(out, uint32(len(all)))
	for _, b := range tr.bias {
		out = le.AppendUint32(out, math.Float32bits(float32(b)))
	}
	for _, k := range keys {
		out = le.AppendUint32(out, k)
	}
	for _, i := range index {
		out = le.AppendUint16(out, i)
	}
	out = append(out, rows...)
	for _, hash := range slices.Sorted(maps.Keys(tr.slips)) {
		out = le.AppendUint32(le.AppendUint32(out, hash), tr.slips[hash])
	}
	return out
}
