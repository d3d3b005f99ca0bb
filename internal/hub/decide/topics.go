package decide

import (
	"strings"

	"github.com/askhub/askhub/internal/hub/decide/concept"
	"github.com/askhub/askhub/internal/slip"
)

// topic is one topic of a destination.
type topic struct {
	text        string // as the file or the capabilities have it
	stems       []string
	words       []int32 // the stems' numbers in the index
	destination int
	claims      []claim
	// weak is a topic of words that say nothing by themselves, such as "what is".
	weak bool
	// declared is one that the project claims for itself, and the file does not.
	declared bool
}

// standing is how much a topic weighs by who says it.
func (t *topic) standing() float64 {
	if t.declared {
		return 0.9
	}
	return 1
}

// foreseen is whether the model learned what this topic means.
func (t *topic) foreseen() bool { return len(t.claims) > 0 }

// index finds the household's own words in a question: those of topics and of the
// overlap table, by stem, and with one slip of the finger.
type index struct {
	topics []topic
	ids    map[string]int32
	stems  []string // by id
	// starts says which three first letters any word has: the quick no for all others.
	starts [64]uint64
	// long are the longer words by their first letter, for slips of the finger.
	long [256][]longWord
	// in holds, for each word, the topics that it stands in.
	in [][]int32
	// share is, for each word, one over the number of destinations that use it.
	share []float64
	// general are the words that tell no topic from another.
	general []bool
}

type longWord struct {
	surface string
	id      int32
}

const (
	minSlip = 4
	// maxPartial is how many words a topic has at most that may stand there in part.
	maxPartial = 8
	maxSlips   = 6 // strange words of a question that are looked at for a slip
)

func newIndex() *index { return &index{ids: map[string]int32{}} }

// word is the number of a stem, given when it is first met.
func (x *index) word(surface, stem string) int32 {
	start := startOf(surface)
	x.starts[start/64] |= 1 << (start % 64)
	id, ok := x.ids[stem]
	if !ok {
		id = int32(len(x.stems))
		x.ids[stem] = id
		x.stems = append(x.stems, stem)
		x.in = append(x.in, nil)
		x.share = append(x.share, 0)
		x.general = append(x.general, concept.IsGeneral(surface))
		if len(surface) >= minSlip {
			x.long[surface[0]] = append(x.long[surface[0]], longWord{surface, id})
			if one, many := strings.CutSuffix(surface, "s"); many && len(one) >= minSlip && one != stem && !strings.HasSuffix(one, "s") {
				x.long[surface[0]] = append(x.long[surface[0]], longWord{one, id})
			} else if many && one == stem {
				x.long[surface[0]] = append(x.long[surface[0]], longWord{one, id})
			}
		}
	}
	return id
}

// startOf is a number below 4096 for the first three letters.
func startOf[S string | []byte](w S) uint {
	h := uint(0)
	for i := 0; i < 3 && i < len(w); i++ {
		h = h*37 + uint(w[i])
	}
	return h % 4096
}

func (x *index) add(t topic, surface []string) {
	n := int32(len(x.topics))
	t.weak = true
	for i, s := range t.stems {
		id := x.word(surface[i], s)
		t.words = append(t.words, id)
		t.weak = t.weak && concept.IsStopword(surface[i])
		x.in[id] = append(x.in[id], n)
	}
	x.topics = append(x.topics, t)
}

// finish weighs the words when all topics are in.
func (x *index) finish() {
	for id, topics := range x.in {
		users := 0
		last := -1
		for _, t := range topics { // topics are in the order of destinations
			if d := x.topics[t].destination; d != last {
				users, last = users+1, d
			}
		}
		x.share[id] = 1 / float64(max(users, 1))
	}
}

// find is the household's word that word i of the text is, -1 where it is none.
func (x *index) find(t *concept.Text, i int, slips *int) int32 {
	w := t.Bytes(i)
	if s := startOf(w); x.starts[s/64]&(1<<(s%64)) != 0 {
		if id, ok := x.ids[string(w)]; ok {
			return id
		}
		if len(w) >= 3 && len(w) <= 40 && !t.Stopword(i) {
			if id, ok := x.ids[stem(string(w))]; ok {
				return id
			}
		}
	}
	if t.Met(i) || len(w) < minSlip || len(w) > 40 || *slips == maxSlips {
		return -1
	}
	*slips++
	for _, long := range x.long[w[0]] {
		if slip.One(string(w), long.surface) {
			return long.id
		}
	}
	return -1
}

// hit is a topic that stands in the question.
type hit struct {
	topic int32
	// strength is 1 where the whole topic stands there word after word.
	strength float64
	// at and end are its words, for one that stands there as a whole; else at is -1.
	at, end int
}

// scratch is what finding topics needs for a moment.
type scratch struct {
	ids     []int32
	stamp   []int32 // by topic: whether this clause touched it
	there   []bool  // by word: whether it stands in this clause
	touched []int32
	hits    []hit
}

// read finds the household's words in a prepared text.
func (x *index) read(t *concept.Text, s *scratch) {
	s.ids = s.ids[:0]
	slips := 0
	for i := range t.Len() {
		s.ids = append(s.ids, x.find(t, i, &slips))
	}
}

// hitsIn are the topics of the words from to to.
func (x *index) hitsIn(s *scratch, from, to int) []hit {
	s.hits, s.touched = s.hits[:0], s.touched[:0]
	if len(s.stamp) < len(x.topics) {
		s.stamp = make([]int32, len(x.topics))
	}
	if len(s.there) < len(x.stems) {
		s.there = make([]bool, len(x.stems))
	}
	for i := from; i < to; i++ {
		if s.ids[i] < 0 || s.there[s.ids[i]] {
			continue
		}
		s.there[s.ids[i]] = true
		for _, n := range x.in[s.ids[i]] {
			if s.stamp[n] == 0 {
				s.stamp[n] = 1
				s.touched = append(s.touched, n)
			}
		}
	}
	for _, n := range s.touched {
		s.stamp[n] = 0
		tp := &x.topics[n]
		have, all, tells, missing := 0.0, 0.0, false, false
		for _, w := range tp.words {
			weight := x.share[w]
			if x.general[w] {
				weight *= 0.05
			}
			all += weight
			if !s.there[w] {
				missing = true
				continue
			}
			have += weight
			tells = tells || !x.general[w]
		}
		if !missing {
			if at := whole(s.ids[from:to], tp.words); at >= 0 {
				s.hits = append(s.hits, hit{n, 1, from + at, from + at + len(tp.words)})
				continue
			}
		}
		if tp.weak || len(tp.words) > maxPartial {
			continue
		}
		switch part := have / all; {
		case !tells:
		case part > 0.9:
			s.hits = append(s.hits, hit{n, 0.85, -1, -1})
		case part >= 0.4:
			s.hits = append(s.hits, hit{n, 0.6 * part, -1, -1})
		}
	}
	for i := from; i < to; i++ {
		if s.ids[i] >= 0 {
			s.there[s.ids[i]] = false
		}
	}
	return s.hits
}

// whole is where part stands in ids word after word, -1 where it does not.
func whole(ids, part []int32) int {
	for i := 0; i+len(part) <= len(ids); i++ {
		j := 0
		for j < len(part) && ids[i+j] == part[j] {
			j++
		}
		if j == len(part) {
			return i
		}
	}
	return -1
}

// spoken is a topic as it stands in a reason or a choice.
func spoken(topic string) string { return strings.ToLower(strings.TrimSpace(topic)) }
