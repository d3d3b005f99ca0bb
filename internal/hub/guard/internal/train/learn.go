package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/askhub/askhub/internal/hub/guard/corpus"
	"github.com/askhub/askhub/internal/hub/guard/internal/meaning"
)

const (
	epochs = 12
	rate   = 0.06
	decay  = 2e-5
	// runs is how many times the whole is trained from other variations; the model is the
	// mean of them. Fewer than that differ from run to run by some sentences.
	runs = 20
	// dropout is the share of features that a step does not see, so that none is leant on.
	dropout = 0.3
	// missCost is how much worse a miss is than a needless refusal.
	missCost = 4.5
)

type trainer struct {
	r      *meaning.Reader
	vocab  map[uint32]meaning.Word
	weight []float32
	kind   []float32
	bias   float64
}

func (t *trainer) words() []meaning.Word {
	return slices.SortedFunc(maps.Values(t.vocab), func(a, b meaning.Word) int { return cmp.Compare(a.Hash, b.Hash) })
}

func never() bool { return false }

// judge is the log odds that a sentence means a control action.
func (t *trainer) judge(text string) float64 {
	best := math.Inf(-1)
	for _, fs := range t.r.Learn(text, never, never) {
		best = max(best, t.sum(fs))
	}
	return best
}

func (t *trainer) sum(fs []uint32) float64 {
	v := 0.0
	for _, h := range fs {
		v += float64(t.weight[h>>(32-meaning.Bits)])
	}
	return v*meaning.Strength(len(fs)) + t.bias
}

// part is sum over the features that were left of n.
func (t *trainer) part(fs []uint32, n int) float64 {
	v := 0.0
	for _, h := range fs {
		v += float64(t.weight[h>>(32-meaning.Bits)])
	}
	return v*scaleOf(n) + t.bias
}

func scaleOf(n int) float64 { return meaning.Strength(n) / (1 - dropout) }

// learn trains on fresh variations of each sentence in each round. Slips (typing, speech)
// teach nothing about which words exist, so only clean sentences feed the vocabulary.
func learn(lines []corpus.Line) (*trainer, error) {
	t := &trainer{
		vocab:  map[uint32]meaning.Word{},
		weight: make([]float32, 1<<meaning.Bits),
		kind:   make([]float32, len(meaning.Kinds)<<meaning.KindBits),
	}
	t.r = meaning.Vocabulary(t.vocab)
	if err := t.meetWords(lines); err != nil {
		return nil, err
	}
	var order []int
	for i, l := range lines {
		if l.Refuse && !slices.Contains(meaning.Kinds, l.Kind) {
			return nil, fmt.Errorf("%q is no kind of control action: %s", l.Kind, l.Text)
		}
		times := 2
		if c := corpus.Choices(l.Text, 4096); c > 1 {
			times += int(math.Sqrt(float64(c)) / 2)
		}
		for range times {
			order = append(order, i)
		}
	}
	avg := make([]float32, len(t.weight))
	kavg := make([]float32, len(t.kind))
	avgBias, rounds := 0.0, 0
	for run := range runs {
		clear(t.weight)
		clear(t.kind)
		t.bias = 0
		rng := rand.New(rand.NewPCG(20, uint64(run)))
		grad := make([]float32, len(t.weight))
		gradBias := 1.0
		kgrad := make([]float32, len(t.kind))
		for e := range epochs {
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, i := range order {
				l := lines[i]
				text := vary(l, rng)
				spans := t.r.Learn(text, func() bool { return rng.IntN(10) == 0 }, func() bool { return rng.IntN(20) == 0 })
				if len(spans) == 0 {
					continue
				}
				full := make([]int, len(spans))
				for j, fs := range spans {
					full[j] = len(fs)
					spans[j] = slices.DeleteFunc(fs, func(uint32) bool { return rng.Float64() < dropout })
				}
				best, v := 0, math.Inf(-1)
				for j, fs := range spans {
					if w := t.part(fs, full[j]); w > v {
						best, v = j, w
					}
				}
				fs := spans[best]
				if l.Refuse {
					gradBias += t.follow(fs, full[best], v, 1, missCost, grad, gradBias)
				} else {
					for j, fs := range spans { // every part of an innocent question is innocent
						cost := 0.5
						if j == best {
							cost = 1
						}
						gradBias += t.follow(fs, full[j], t.part(fs, full[j]), 0, cost, grad, gradBias)
					}
				}
				if l.Refuse {
					t.stepKind(fs, slices.Index(meaning.Kinds, l.Kind), kgrad)
				}
			}
			if e >= epochs/2 {
				for i, w := range t.weight {
					avg[i] += w
				}
				avgBias += t.bias
				rounds++
			}
		}
		for i, w := range t.kind {
			kavg[i] += w / runs
		}
	}
	copy(t.kind, kavg)
	for i := range avg {
		t.weight[i] = avg[i] / float32(rounds)
	}
	t.bias = avgBias / float64(rounds)
	return t, nil
}

// metTimes is in how many sentences a word must stand to be known by itself; a rarer one
// is known by the words that are used like it.
const metTimes = 2

// meetWords fills the vocabulary: the list of everyday words, the groups of words that are
// used alike, and what the clean sentences hold.
func (t *trainer) meetWords(lines []corpus.Line) error {
	kin, err := corpus.Kin()
	if err != nil {
		return err
	}
	for _, g := range kin {
		for _, h := range t.r.RawWords(g.Word) {
			t.vocab[h] = meaning.Word{Hash: h, Kin: g.Kin, Wide: g.Wide}
		}
	}
	words, err := corpus.Words()
	if err != nil {
		return err
	}
	for _, w := range words {
		for _, h := range t.r.RawWords(w) {
			if _, ok := t.vocab[h]; !ok {
				t.vocab[h] = meaning.Word{Hash: h}
			}
		}
	}
	times := map[uint32]int{}
	for _, l := range lines {
		if l.Style == "typo" || l.Style == "voice-asr" || l.Style == "other-lang-word" {
			continue
		}
		hs := t.r.RawWords(corpus.Spread(l.Text))
		slices.Sort(hs)
		for _, h := range slices.Compact(hs) {
			times[h]++
		}
	}
	for h, n := range times {
		w := t.vocab[h]
		w.Hash, w.Met = h, n >= metTimes || w.Kin == 0
		t.vocab[h] = w
	}
	return nil
}

// follow takes one step towards the wanted answer and returns what it adds to the bias's
// sum of gradients.
func (t *trainer) follow(fs []uint32, n int, v, want, cost float64, grad []float32, gradBias float64) float64 {
	g := cost * (1/(1+math.Exp(-v)) - want)
	if math.Abs(g) <= 0.01 {
		return 0
	}
	t.step(fs, g*scaleOf(n), grad)
	t.bias -= rate * g / math.Sqrt(gradBias)
	return g * g
}

// step moves the weights of a stretch's features against the gradient.
func (t *trainer) step(fs []uint32, g float64, grad []float32) {
	for _, h := range fs {
		i := h >> (32 - meaning.Bits)
		d := float32(g) + decay*t.weight[i]
		grad[i] += d * d
		t.weight[i] -= float32(rate) * d / float32(math.Sqrt(float64(grad[i])+0.05))
	}
}

func (t *trainer) stepKind(fs []uint32, want int, grad []float32) {
	k := len(meaning.Kinds)
	scale := meaning.Strength(len(fs))
	p := make([]float64, k)
	for _, h := range fs {
		at := int(h>>(32-meaning.KindBits)) * k
		for j := range k {
			p[j] += float64(t.kind[at+j]) * scale
		}
	}
	top, sum := slices.Max(p), 0.0
	for j := range p {
		p[j] = math.Exp(p[j] - top)
		sum += p[j]
	}
	for j := range p {
		g := p[j] / sum
		if j == want {
			g--
		}
		if math.Abs(g) < 0.02 {
			continue
		}
		g *= scale
		for _, h := range fs {
			i := int(h>>(32-meaning.KindBits))*k + j
			grad[i] += float32(g * g)
			t.kind[i] -= float32(0.08 * g / math.Sqrt(float64(grad[i])+0.1))
		}
	}
}
