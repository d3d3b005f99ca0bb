package decide

import (
	"math"
	"math/bits"

	"github.com/askhub/askhub/internal/hub/decide/concept"
)

// weighTopics lets the topics that stand in the words speak beside the model: loudly
// where it never learned what they mean.
func (e *Embedded) weighTopics(t *concept.Text, w *work, v *verdict, from, to int) {
	loudest, any := 0.0, false
	for _, h := range e.index.hitsIn(&w.scratch, from, to) {
		tp := &e.index.topics[h.topic]
		switch {
		case tp.weak:
		case !tp.foreseen():
			before := w.lexical[tp.destination]
			if h.end-h.at == 1 && concept.IsRoom(tp.text) && isPlace(t, from, h.at) {
				h.strength *= placeWeight
			}
			w.lexical[tp.destination] = 1 - (1-before)*(1-h.strength*topicShare(e.index, tp)*tp.standing())
			loudest = max(loudest, h.strength, w.lexical[tp.destination])
		case h.at >= 0:
			w.weights[tp.destination] += topicKnown
			any = true
		}
	}
	best := v.scores.Best()
	if loudest < fieldsOver {
		if strength := e.weighFields(w, from, to); strength > loudest {
			loudest, v.byField = strength, true
		}
	}
	if loudest == 0 {
		v.strange = e.strange(t, from, to)
		if e.unforeseen && best == concept.Lookup && ours(t, from, to) {
			v.strange = max(v.strange, homely)
		}
		if !any && v.strange == 0 {
			return
		}
	}
	part := topicWeight * loudest
	switch {
	case concept.Abouts[best].Carries && v.scores[best] > 0.8:
		part *= 0.3
	case v.byField && asks(t, from) && (len(e.own[best]) == 0 || best == concept.Lookup && ours(t, from, to)):
		part *= fieldBoost
	}
	v.blend(w, part)
}

// blend gives the topics their part of the whole, and makes all of it sum to 1.
func (v *verdict) blend(w *work, part float64) {
	total := 0.0
	for _, l := range w.lexical {
		total += l
	}
	left := (1 - part) * (1 - v.strange)
	v.none, v.bare, v.overview = v.none*left, v.bare*left, v.overview*left
	sum := v.none + v.bare + v.overview
	for d := range w.weights {
		w.weights[d] *= left
		if total > 0 {
			w.weights[d] += part * w.lexical[d] / total
		}
		sum += w.weights[d]
	}
	v.none, v.bare, v.overview = v.none/sum, v.bare/sum, v.overview/sum
	for d := range w.weights {
		w.weights[d] /= sum
	}
}

// placeWeight is what a topic weighs that is said as a place: "turn on the light in the
// cellar" is about the light.
const placeWeight = 0.6

// homely is what is kept back where the catch-all would take a question about somebody of
// this household: the world knows nothing of them, but a project that nobody foresaw may.
const homely = 0.40

var (
	places   = set("in", "at", "on", "to", "from", "by", "into", "near")
	articles = set("the", "our", "my", "a")
)

// isPlace is whether the words before at make a place of what stands there.
func isPlace(t *concept.Text, from, at int) bool {
	return at-from >= 2 && articles[string(t.Bytes(at-1))] && places[string(t.Bytes(at-2))] && !askers[string(t.Bytes(from))]
}

// topicShare is less where other destinations use the topic's words too.
func topicShare(x *index, t *topic) float64 {
	share := 0.0
	for _, id := range t.words {
		share = max(share, x.share[id])
	}
	return share
}

const (
	maxTopicWords = 4 // a longer topic is a sentence, and no sign of what its project is about
	maxFields     = 12
	maxFieldWords = 16 // of one stretch; more of them say no more
)

// fieldsOfTopic are the fields that the words of an unforeseen topic speak of.
func fieldsOfTopic(surface []string) (all concept.Fields) {
	if len(surface) > maxTopicWords {
		return all
	}
	for _, w := range surface {
		if !concept.IsGeneral(w) {
			all = all.Or(concept.TopicFields(w))
		}
	}
	return all
}

// countFields finds which fields are spoken of at all. A destination that speaks of
// everything says nothing.
func (e *Embedded) countFields() {
	for d := range e.destinations {
		own := &e.destinations[d].fields
		if own.Len() > maxFields {
			*own = concept.Fields{}
		}
		if own.None() {
			continue
		}
		e.fielded = append(e.fielded, d)
		e.fields = e.fields.Or(*own)
		eachField(*own, func(f int) { e.users[f]++ })
	}
}

func eachField(s concept.Fields, f func(int)) {
	for i, part := range s {
		for ; part != 0; part &= part - 1 {
			f(64*i + bits.TrailingZeros64(part))
		}
	}
}

// fieldsOf looks up the fields of each word, where a destination has any.
func (e *Embedded) fieldsOf(t *concept.Text, w *work) {
	w.fields = w.fields[:0]
	if e.fields.None() {
		return
	}
	for i := range t.Len() {
		var f concept.Fields
		if t.Word(i).Shape == concept.Plain && !t.Stopword(i) {
			f = concept.FieldsOf(t.Bytes(i)).Or(concept.FamiliesOf(t.Category(i)))
		}
		w.fields = append(w.fields, f)
	}
}

// weighFields lets words speak that are of one field with an unforeseen topic's: petrol,
// where the topic is car. One such word says little, two say more.
func (e *Embedded) weighFields(w *work, from, to int) (strength float64) {
	if len(w.fields) == 0 {
		return 0
	}
	said := w.said
	clear(said)
	left := maxFieldWords
	for _, f := range w.fields[from:to] {
		shared := f.And(e.fields)
		if shared.None() {
			continue
		}
		if left--; left < 0 {
			break
		}
		weight := 1 / math.Sqrt(float64(max(f.Narrow(), 1)))
		for _, d := range e.fielded {
			common := shared.And(e.destinations[d].fields)
			if common.None() {
				continue
			}
			most := 0.0
			eachField(common, func(f int) { most = max(most, weight/math.Sqrt(e.users[f])) })
			said[d] += most
		}
	}
	for d := range said {
		if s := fieldStrength(said[d]); s > w.lexical[d] {
			w.lexical[d] = s
			strength = max(strength, s)
		}
	}
	return strength
}

func fieldStrength(said float64) float64 {
	switch {
	case said >= 1.4:
		return 0.60
	case said >= 0.9:
		return 0.50
	case said >= 0.55:
		return 0.35
	}
	return 0
}

// strange is what is kept back for projects that nobody foresaw, where the words that
// matter are ones that the model never met: it then judges by the small words alone.
func (e *Embedded) strange(t *concept.Text, from, to int) float64 {
	if !e.unforeseen {
		return 0
	}
	content, strangers := 0, 0
	for i := from; i < to; i++ {
		if t.Word(i).Shape != concept.Plain || t.Stopword(i) {
			continue
		}
		content++
		if !t.Learned(i) {
			strangers++
		}
	}
	if content == 0 {
		return 0
	}
	return strangeness * float64(strangers) / float64(content)
}

// askers begin a question.
var askers = set("what", "who", "whos", "when", "where", "which", "how", "why", "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "any", "whose", "whats", "whens", "wheres", "hows")

// own are words by which a question is about this household and not about the world.
var own = set("we", "our", "ours", "us", "my", "mine", "i", "weve", "ive", "anybody", "anyone", "somebody", "someone")

func ours(t *concept.Text, from, to int) bool {
	for i := from; i < to; i++ {
		if t.Word(i).Shape == concept.Name || own[string(t.Bytes(i))] {
			return true
		}
	}
	return false
}

// asks is whether the words from there on begin like a question, and not like an order.
func asks(t *concept.Text, from int) bool {
	return from < t.Len() && askers[string(t.Bytes(from))]
}
