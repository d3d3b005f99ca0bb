package meaning

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sync"
)

// Bits is how many weights the model has, as a power of two; KindBits the same for the
// model that tells the kinds of action apart.
const (
	Bits     = 20
	KindBits = 13
)

// Kinds are the control actions of spec 2, section 3, in its order.
var Kinds = []string{"cut", "restore", "limit", "schedule", "blocklist", "parental_control", "profile_rule", "device_lock", "other_state"}

//go:generate go run ../train

//go:embed weights.bin
var weightsFile string

// Model is what the guard learnt: one weight for each feature, and the words it met.
type Model struct {
	// Stamp is the Stamp of the corpus that it was made from.
	Stamp  [32]byte
	scale  float64
	bias   float64
	kscale float64
	weight string // one signed byte each
	kind   string // for each feature, one signed byte for each kind
	vocab  string // the words, sorted by hash, six bytes each
}

// Stamp is the hash of what a model is made from: the corpus, whose hash is given, the
// lexicon and the first names.
func Stamp(corpus [32]byte) [32]byte {
	return sha256.Sum256(slices.Concat(corpus[:], []byte(lexiconText), []byte(givenNames)))
}

// Shipped is the model in this build.
var Shipped = sync.OnceValues(func() (*Model, error) { return ParseModel(weightsFile) })

const header = 32 + 8*3 + 4

// ParseModel reads a model from its file.
func ParseModel(s string) (*Model, error) {
	if len(s) < header+1<<Bits+len(Kinds)<<KindBits {
		return nil, errors.New("the guard's weights are cut short: run go generate")
	}
	m := &Model{}
	copy(m.Stamp[:], s)
	b := []byte(s[32:header])
	m.scale = math.Float64frombits(binary.LittleEndian.Uint64(b))
	m.bias = math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))
	m.kscale = math.Float64frombits(binary.LittleEndian.Uint64(b[16:]))
	n := int(binary.LittleEndian.Uint32(b[24:]))
	s = s[header:]
	m.weight, s = s[:1<<Bits], s[1<<Bits:]
	m.kind, s = s[:len(Kinds)<<KindBits], s[len(Kinds)<<KindBits:]
	if len(s) != vocableSize*n {
		return nil, errors.New("the guard's list of words has the wrong length: run go generate")
	}
	m.vocab = s
	return m, nil
}

// Pack writes a model's file.
func Pack(stamp [32]byte, weight []float32, bias float64, kind []float32, vocab []Word) []byte {
	out := append([]byte(nil), stamp[:]...)
	scale, small := squeeze(weight)
	kscale, ksmall := squeeze(kind)
	for _, f := range []float64{scale, bias, kscale} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(f))
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(vocab)))
	out = append(append(out, small...), ksmall...)
	slices.SortFunc(vocab, func(a, b Word) int { return cmp.Compare(a.Hash, b.Hash) })
	for _, w := range vocab {
		wide := w.Wide
		if w.Met {
			wide |= metBit
		}
		out = append(binary.LittleEndian.AppendUint32(out, w.Hash), w.Kin, wide)
	}
	return out
}

// squeeze brings weights to one signed byte each; the few largest are clipped.
func squeeze(w []float32) (float64, []byte) {
	mags := make([]float32, 0, len(w))
	for _, v := range w {
		if v != 0 {
			mags = append(mags, max(v, -v))
		}
	}
	if len(mags) == 0 {
		return 1, make([]byte, len(w))
	}
	slices.Sort(mags)
	scale := float64(mags[len(mags)*9995/10000]) / 127
	out := make([]byte, len(w))
	for i, v := range w {
		out[i] = byte(int8(math.Round(min(max(float64(v)/scale, -127), 127))))
	}
	return scale, out
}

// A word of the model's file: its hash, its kin, and its wider kin with the bit that says
// whether it was met.
const (
	vocableSize = 6
	metBit      = 0x80
)

func (m *Model) has(h uint32) bool {
	_, ok := m.knows(h)
	return ok
}

func (m *Model) knows(h uint32) (vocable, bool) {
	n := len(m.vocab) / vocableSize
	lo, hi := 0, n
	for lo < hi {
		mid := (lo + hi) / 2
		if m.word(mid) < h {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == n || m.word(lo) != h {
		return vocable{}, false
	}
	wide := m.vocab[vocableSize*lo+5]
	return vocable{met: wide&metBit != 0, kin: m.vocab[vocableSize*lo+4], wide: wide &^ metBit}, true
}

func (m *Model) word(i int) uint32 {
	s := m.vocab[vocableSize*i : vocableSize*i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// score is the log odds that a stretch means a control action.
func (m *Model) score(fs []feature) float64 {
	sum := 0
	for _, f := range fs {
		sum += int(int8(m.weight[f.hash>>(32-Bits)]))
	}
	return float64(sum)*m.scale*strength(len(fs)) + m.bias
}
