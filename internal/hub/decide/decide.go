// Package decide chooses what a question that passed the guard is for: one
// destination, several, a short question back, or none (spec 2, steps 2 to 4).
package decide

import (
	"slices"
	"strings"
	"sync"

	"github.com/askhub/askhub/internal/hub/decide/concept"
	"github.com/askhub/askhub/internal/hub/routing"
)

// What a decision rests on. Chosen by cross-validation on the corpus.
const (
	sureEnough   = 0.42 // a destination below this is asked back for
	margin       = 0.26 // how far the first must be ahead of the second
	nearMargin   = 0.50 // the same where the two are near each other
	noneEnough   = 0.45 // nothing of this household, surely enough
	bareEnough   = 0.40 // nothing but a pointer at what was not said
	daySure      = 0.50 // one domain that outweighs the phrase of a day summary
	phraseBeaten = 0.70 // the sentence as a whole outweighs a phrase of the overlap table
	plain        = 0.95 // nothing else in the sentence matters
	topicWeight  = 0.80 // what a topic that the model never learned weighs
	topicKnown   = 0.15 // what a topic adds whose concept the model knows
	fieldsOver   = 0.50 // a topic that is found this well needs no help from words of its field
	fieldMargin  = 0.35 // how far ahead the first must be where such words bring another into question
	fieldBoost   = 1.40 // what such words weigh more where the model knows no owner
	strangeness  = 0.50 // what is kept back for projects that nobody foresaw where all that matters is strange
	clauseEnough = 0.60 // how sure a clause must be to count as a topic of its own
	looseEnough  = 0.80 // the same for a clause that does not start like a question or an order
)

// Embedded is the router that needs no model and no download. It is built for one
// household's file and capabilities, does not change, and may be shared.
type Embedded struct {
	model        *concept.Model
	destinations []destination
	own          owners
	index        *index
	overlaps     []overlap
	fields       concept.Fields // of all destinations
	fielded      []int          // the destinations that speak of some
	users        [128]float64   // how many destinations speak of a field
	unforeseen   bool           // somebody has a topic that the model never learned
	names        concept.Names
	waysIn       [][]string
	scratch      sync.Pool
}

// destination is one row of the topic map, with the topics that its project declares.
type destination struct {
	project string
	topics  []topic
	// wayIn is a row whose kind is a way in. It may be addressed beside the
	// question, as in "Hey Jervis, any emails?", and is then no part of it.
	wayIn bool
	// fields are those of its topics' words that nobody foresaw.
	fields concept.Fields
}

// NewEmbedded is the router for that view.
func NewEmbedded(view routing.View) *Embedded { return newEmbedded(view, concept.Default(), nil) }

// newEmbedded is NewEmbedded with another model. The concepts in blind are ones
// that nobody foresaw: no topic claims them.
func newEmbedded(view routing.View, model *concept.Model, blind []concept.Concept) *Embedded {
	e := &Embedded{model: model, index: newIndex()}
	e.scratch.New = func() any { return new(work) }
	declared := map[string][]string{}
	var people []string
	for _, c := range view.Capabilities {
		declared[c.Project] = append(declared[c.Project], c.Topics...)
		for _, p := range c.People {
			people = append(people, string(p))
		}
	}
	e.names = concept.NewNames(people)
	var owned map[string]string
	if len(declared) > 0 {
		owned = rowTopics(view.File)
	}
	for _, row := range view.File.Destinations {
		if slices.Contains(view.File.WaysIn, row.Project) {
			continue
		}
		d := destination{project: row.Project, wayIn: row.Kind == routing.KindWayIn}
		seen := map[string]bool{}
		for i, text := range append(slices.Clone(row.Topics), declared[row.Project]...) {
			surface := concept.Words(text)
			t := topic{text: spoken(text), destination: len(e.destinations), declared: i >= len(row.Topics)}
			for _, w := range surface {
				t.stems = append(t.stems, stem(w))
			}
			key := strings.Join(t.stems, " ")
			if other, taken := owned[key]; key == "" || seen[key] || t.declared && taken && other != row.Project {
				continue // the file is the household's word; a project cannot take another's topic
			}
			seen[key] = true
			t.claims = slices.DeleteFunc(claimsOf(t.stems), func(c claim) bool { return has(blind, c.concept) })
			if !t.foreseen() {
				e.unforeseen = true
				d.fields = d.fields.Or(fieldsOfTopic(surface))
			}
			d.topics = append(d.topics, t)
			e.index.add(t, surface)
		}
		e.destinations = append(e.destinations, d)
	}
	for _, name := range view.File.WaysIn {
		if words := concept.Words(strings.ReplaceAll(name, "_", " ")); len(words) > 1 {
			e.waysIn = append(e.waysIn, words)
		}
	}
	e.own = claimConcepts(e.destinations)
	e.countFields()
	e.overlaps = e.readOverlaps(view.File.Overlaps)
	e.index.finish()
	return e
}

// rowTopics are the topics that the file itself gives to a destination, by their stems.
func rowTopics(file *routing.File) map[string]string {
	owned := map[string]string{}
	for _, row := range file.Destinations {
		for _, text := range row.Topics {
			owned[strings.Join(stems(text), " ")] = row.Project
		}
	}
	return owned
}

// work is the space that one decision needs.
type work struct {
	scratch
	clauses []clause
	weights []float64 // by destination
	lexical []float64
	fields  []concept.Fields // by word
	said    []float64        // by destination: what words of its fields come to
}

// Decide chooses. The same question gives the same decision.
func (e *Embedded) Decide(question string) routing.Decision {
	t := concept.Read(question)
	defer t.Done()
	e.leaveOutWaysIn(t)
	t.Mark(e.names)
	e.model.Prepare(t)
	w := e.scratch.Get().(*work)
	defer e.scratch.Put(w)
	e.index.read(t, &w.scratch)
	e.fieldsOf(t, w)
	w.clauses = clauses(t, w.clauses[:0])

	whole := e.judge(t, w, 0, t.Len())
	if len(w.hits) == 0 && nothingKnown(t) {
		return decision(routing.OutcomeNoMatch, "no known word", 0.9)
	}
	if d, ok := e.needed(t, w, whole); ok {
		return d
	}
	if len(w.clauses) > 1 {
		if d, ok := e.several(t, w, whole); ok {
			return d
		}
	}
	return e.settle(t, w, whole)
}

// leaveOutWaysIn takes the names of ways in out of a longer question: "on the phone
// app, what homework has Emma got" is about the homework (spec 2, section 1).
func (e *Embedded) leaveOutWaysIn(t *concept.Text) {
	const rest = 3 // words that have to be left for it to be about something else
	for _, name := range e.waysIn {
		for i := 0; i+len(name) <= t.Len() && t.Len() >= len(name)+rest; i++ {
			j := 0
			for j < len(name) && string(t.Bytes(i+j)) == name[j] {
				j++
			}
			if j == len(name) {
				t.Cut(i, i+j)
			}
		}
	}
}

// nothingKnown is whether there are words, and none that anybody here knows.
func nothingKnown(t *concept.Text) bool {
	for i := range t.Len() {
		if t.Known(i) {
			return false
		}
	}
	return t.Len() > 0
}

// verdict is what one stretch of words comes to.
type verdict struct {
	scores concept.Scores
	// first and second are the likeliest destinations, -1 where there is none.
	first, second, third    int
	firstP, secondP, thirdP float64
	none, bare, overview    float64
	strange                 float64 // kept back for what nobody foresaw
	byField                 bool    // the topics speak through words of their field alone
}

// judge weighs the destinations for the words from to to.
func (e *Embedded) judge(t *concept.Text, w *work, from, to int) verdict {
	v := verdict{first: -1, second: -1, third: -1}
	v.scores = e.model.Score(t, from, to)
	n := len(e.destinations)
	w.weights = slices.Grow(w.weights[:0], n)[:n]
	w.lexical = slices.Grow(w.lexical[:0], n)[:n]
	w.said = slices.Grow(w.said[:0], n)[:n]
	clear(w.weights)
	clear(w.lexical)
	fanoutRow := e.dayRow() >= 0
	for c, p := range v.scores {
		p := float64(p)
		own := e.own[c]
		switch {
		case concept.Concept(c) == concept.Bare:
			v.bare = p
		case concept.Concept(c) == concept.Overview && fanoutRow:
			v.overview = p
		case len(own) == 0:
			v.none += p
		default:
			for _, d := range own {
				w.weights[d] += p / float64(len(own))
			}
		}
	}
	e.weighTopics(t, w, &v, from, to)
	for d, p := range w.weights {
		switch {
		case p > v.firstP:
			v.third, v.thirdP = v.second, v.secondP
			v.second, v.secondP = v.first, v.firstP
			v.first, v.firstP = d, p
		case p > v.secondP:
			v.third, v.thirdP = v.second, v.secondP
			v.second, v.secondP = d, p
		case p > v.thirdP:
			v.third, v.thirdP = d, p
		}
	}
	return v
}

// settle makes the decision from the verdict on the whole question.
func (e *Embedded) settle(t *concept.Text, w *work, v verdict) routing.Decision {
	if d, ok := e.byOverlap(t, w, v); ok {
		return d
	}
	switch {
	case v.bare >= bareEnough && v.bare >= v.firstP:
		return e.clarify(v, "unclear", v.bare)
	case v.overview >= sureEnough && v.overview >= v.firstP:
		return e.day(v.overview)
	case v.none >= noneEnough && v.none >= v.firstP && !(v.byField && v.none-v.firstP < margin):
		return decision(routing.OutcomeNoMatch, "no topic", v.none)
	case v.first >= 0 && v.firstP >= sureEnough && v.firstP-max(v.secondP, v.none, v.bare, v.strange) >= e.marginOf(&v):
		return e.route(t, w, v, v.first, v.firstP)
	}
	return e.clarify(v, "unsure", max(v.firstP, v.none, v.bare))
}

// marginOf is how far the first destination must be ahead.
func (e *Embedded) marginOf(v *verdict) float64 {
	switch {
	case v.second < 0:
		return margin
	case v.byField:
		return fieldMargin
	}
	first, second := e.conceptFor(&v.scores, v.first), e.conceptFor(&v.scores, v.second)
	if has(concept.Abouts[first].Near, second) {
		return nearMargin
	}
	return margin
}

func decision(outcome routing.Outcome, reason string, confidence float64) routing.Decision {
	return routing.Decision{Outcome: outcome, By: routing.ByEmbedded, Reason: reason, Confidence: min(max(confidence, 0), 1)}
}

// route goes to one destination.
func (e *Embedded) route(t *concept.Text, w *work, v verdict, to int, confidence float64) routing.Decision {
	d := decision(routing.OutcomeRoute, e.why(t, w, v, to), confidence)
	d.Projects = []string{e.destinations[to].project}
	return d
}

// why names the topic that stands in the question, the longest where there are
// several, else the concept, else the topic that is only hinted at.
func (e *Embedded) why(t *concept.Text, w *work, v verdict, d int) string {
	said, hinted := "", ""
	for _, h := range e.index.hitsIn(&w.scratch, 0, t.Len()) {
		tp := &e.index.topics[h.topic]
		switch {
		case tp.destination != d:
		case h.at >= 0 && len(tp.text) > len(said):
			said = tp.text
		case h.at < 0 && len(tp.text) > len(hinted):
			hinted = tp.text
		}
	}
	c := e.conceptFor(&v.scores, d)
	switch {
	case said != "":
		return "topic:" + said
	case c != concept.Bare:
		return "model:" + concept.Abouts[c].Name
	case hinted != "":
		return "topic:" + hinted
	}
	return "topic:" + e.destinations[d].topics[0].text
}

// conceptFor is the likeliest concept of those that the destination owns, Bare where
// it owns none.
func (e *Embedded) conceptFor(s *concept.Scores, d int) concept.Concept {
	best, found := concept.Bare, false
	for c := range s {
		if has(e.own[c], d) && (!found || s[c] > s[best]) {
			best, found = concept.Concept(c), true
		}
	}
	return best
}

// subject names a destination in the reason of a fanout: by its concept, or its first topic.
func (e *Embedded) subject(s *concept.Scores, d int) string {
	if c := e.conceptFor(s, d); c != concept.Bare {
		return concept.Abouts[c].Name
	}
	return e.destinations[d].topics[0].text
}

// clarify asks back, with the destinations that are in question.
func (e *Embedded) clarify(v verdict, reason string, confidence float64) routing.Decision {
	var among []int
	for _, c := range []struct {
		d int
		p float64
	}{{v.first, v.firstP}, {v.second, v.secondP}, {v.third, v.thirdP}} {
		if c.d >= 0 && c.p >= 0.12 && c.p >= v.firstP/4 {
			among = append(among, c.d)
		}
	}
	if v.bare >= bareEnough && len(among) < 2 {
		among = nil
	}
	return e.clarifyAmong(among, &v.scores, reason, confidence)
}

// clarifyAmong asks back between those destinations.
func (e *Embedded) clarifyAmong(among []int, s *concept.Scores, reason string, confidence float64) routing.Decision {
	d := decision(routing.OutcomeClarify, reason, confidence)
	among = among[:min(len(among), routing.MaxProjects)]
	slices.Sort(among)
	for _, i := range among {
		d.Projects = append(d.Projects, e.destinations[i].project)
		d.Choices = append(d.Choices, e.say(s, i))
	}
	for i, c := range d.Choices {
		if slices.Index(d.Choices, c) != i {
			d.Choices[i] = strings.ReplaceAll(d.Projects[i], "_", " ")
		}
	}
	return d
}

// say is how a person would name a destination: by what the question may be about
// of it, else by its first topic.
func (e *Embedded) say(s *concept.Scores, d int) string {
	best := concept.Count
	for c := range s {
		if has(e.own[c], d) && concept.Abouts[c].Say != "" && (best == concept.Count || s[c] > s[best]) {
			best = concept.Concept(c)
		}
	}
	if best != concept.Count && s[best] >= 0.05 {
		return concept.Abouts[best].Say
	}
	if topics := e.destinations[d].topics; len(topics) > 0 {
		return topics[0].text
	}
	return strings.ReplaceAll(e.destinations[d].project, "_", " ")
}

// several is whether the question has clauses that plainly go to different
// destinations, or one beside a way in that is addressed.
func (e *Embedded) several(t *concept.Text, w *work, whole verdict) (routing.Decision, bool) {
	var found []int
	var names []string
	least := 1.0
	carried, addressed := false, false
	spans := slices.Clone(w.clauses)
	for i, c := range spans {
		if carried && !c.starts || i > 0 && !c.starts && governed(t, spans[i-1]) {
			continue
		}
		v := e.judge(t, w, c.from, c.to)
		best := v.scores.Best()
		carried = concept.Abouts[best].Carries && v.scores[best] > 0.5 && c.starts
		sure := clauseEnough
		if !c.starts {
			sure = looseEnough
		}
		switch {
		case v.first < 0 || v.firstP < sure || v.firstP-v.secondP < 2*margin || v.overview > 0.3 || v.bare > 0.3:
		case e.destinations[v.first].wayIn:
			addressed = true
		case !has(found, v.first):
			found = append(found, v.first)
			names = append(names, e.subject(&v.scores, v.first))
			least = min(least, v.firstP)
		}
	}
	switch {
	case len(found) == 1 && addressed:
		return e.route(t, w, whole, found[0], least), true
	case len(found) < 2 || whole.overview > 0.6:
		return routing.Decision{}, false
	}
	found = found[:min(len(found), routing.MaxProjects)]
	names = names[:len(found)]
	slices.Sort(found)
	d := decision(routing.OutcomeFanout, "topics:"+strings.Join(names, "+"), least)
	for _, i := range found {
		d.Projects = append(d.Projects, e.destinations[i].project)
	}
	return d, true
}
