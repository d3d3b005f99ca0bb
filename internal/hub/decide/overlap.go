package decide

import (
	"slices"

	"github.com/askhub/askhub/internal/hub/decide/concept"
	"github.com/askhub/askhub/internal/hub/routing"
)

// overlap is one row of the overlap table, its projects as indexes of destinations.
type overlap struct {
	phrases          []phrase
	preferred, other []int
	// day is whether it is the row of the day summary: it fans out, and its
	// phrase asks what is on.
	day bool
}

type phrase struct {
	text  string
	words []int32
	// says is whether it has a word that says something by itself, unlike "today".
	says bool
	// foreseen is whether the model learned sentences with such a word.
	foreseen bool
}

func (e *Embedded) readOverlaps(rows []routing.Overlap) []overlap {
	var all []overlap
	for _, row := range rows {
		o := overlap{preferred: e.side(row.Preferred), other: e.side(row.Other)}
		if len(o.preferred) == 0 {
			continue
		}
		for _, text := range row.Phrases {
			p := phrase{text: spoken(text)}
			for _, w := range concept.Words(text) {
				p.words = append(p.words, e.index.word(w, stem(w)))
				if !concept.IsStopword(w) {
					p.says = true
					p.foreseen = p.foreseen || len(seedsOf()[stem(w)]) > 0
				}
			}
			// "Today" may stand in any question; of several words the household meant
			// those very words, small as they are.
			p.says = p.says || len(p.words) > 1
			p.foreseen = p.foreseen || !p.says
			if len(p.words) == 0 {
				continue
			}
			o.phrases = append(o.phrases, p)
			for _, seed := range concept.Abouts[concept.Overview].Seeds {
				o.day = o.day || len(o.preferred) > 1 && contains(stems(text), stems(seed))
			}
		}
		all = append(all, o)
	}
	return all
}

// side are the destinations of one side, in the file's order.
func (e *Embedded) side(s routing.Side) []int {
	var list []int
	for _, project := range s.Projects {
		for i := range e.destinations {
			if e.destinations[i].project == project {
				list = append(list, i)
			}
		}
	}
	return byFile(list)
}

// dayRow is the row of the day summary, -1 where the file has none.
func (e *Embedded) dayRow() int {
	return slices.IndexFunc(e.overlaps, func(o overlap) bool { return o.day })
}

// day is the day summary.
func (e *Embedded) day(confidence float64) routing.Decision {
	o := &e.overlaps[e.dayRow()]
	return e.take(o, o.phrases[0].text, confidence)
}

// take goes where the preferred side of a row points.
func (e *Embedded) take(o *overlap, phrase string, confidence float64) routing.Decision {
	outcome := routing.OutcomeRoute
	if len(o.preferred) > 1 {
		outcome = routing.OutcomeFanout
	}
	d := decision(outcome, "overlap:"+phrase, confidence)
	for _, i := range o.preferred[:min(len(o.preferred), routing.MaxProjects)] {
		d.Projects = append(d.Projects, e.destinations[i].project)
	}
	return d
}

// longest is the row whose phrase stands in the question, the longest where there
// are several, with the phrase's place.
func (e *Embedded) longest(ids []int32) (o *overlap, p phrase, at int) {
	for i := range e.overlaps {
		for _, candidate := range e.overlaps[i].phrases {
			if len(candidate.text) <= len(p.text) {
				continue
			}
			if found := whole(ids, candidate.words); found >= 0 {
				o, p, at = &e.overlaps[i], candidate, found
			}
		}
	}
	return o, p, at
}

// byOverlap is what the overlap table says (spec 2, section 2): the longest phrase
// decides; another topic in the question beats the phrase; topics of both sides,
// clarify. What the model makes of the whole sentence counts as such a topic.
func (e *Embedded) byOverlap(t *concept.Text, w *work, v verdict) (routing.Decision, bool) {
	o, p, at := e.longest(w.ids)
	if o == nil {
		return routing.Decision{}, false
	}
	named := e.topicsBeside(t, w, at, at+len(p.words))
	if len(o.preferred) > 1 {
		return e.fanoutRow(t, w, v, o, p, named)
	}
	ours := slices.ContainsFunc(named, func(d int) bool { return has(o.preferred, d) })
	theirs := slices.ContainsFunc(named, func(d int) bool { return has(o.other, d) })
	switch {
	case ours && theirs && v.firstP < plain:
		return e.clarifyAmong(byFile(slices.Concat(o.preferred, o.other)), &v.scores, "overlap:"+p.text, 0.5), true
	case len(named) == 1 && named[0] == v.first:
		return e.route(t, w, v, v.first, max(v.firstP, 0.5)), true
	case v.firstP >= phraseBeaten && !v.byField && (len(named) == 0 || v.firstP >= plain || concept.Abouts[v.scores.Best()].Carries) && (!has(o.other, v.first) || v.firstP >= plain || !p.says || e.hints(t, w, o.other)):
		return routing.Decision{}, false
	case len(named) == 1:
		return e.route(t, w, v, named[0], 0.5), true
	case len(named) > 1:
		return routing.Decision{}, false
	case p.foreseen && (v.none >= noneEnough || v.overview >= sureEnough || v.bare >= phraseBeaten):
		return routing.Decision{}, false
	case !p.says && (v.bare >= bareEnough || !has(o.preferred, v.first) && !has(o.other, v.first) && content(t) > 0):
		return routing.Decision{}, false
	}
	return e.take(o, p.text, max(v.firstP, 0.5)), true
}

// content is how many words say something by themselves.
func content(t *concept.Text) (n int) {
	for i := range t.Len() {
		if t.Word(i).Shape == concept.Plain && !t.Stopword(i) {
			n++
		}
	}
	return n
}

// topicsBeside are the destinations whose topics stand in the question as a whole,
// beside the phrase that stands from at to end.
func (e *Embedded) topicsBeside(t *concept.Text, w *work, at, end int) []int {
	var named []int
	for _, h := range e.index.hitsIn(&w.scratch, 0, t.Len()) {
		tp := &e.index.topics[h.topic]
		within := h.at >= at && h.end <= end
		if h.at < 0 || tp.weak || within || h.at > 0 && times[string(t.Bytes(h.at-1))] {
			continue
		}
		named = append(named, tp.destination)
	}
	return byFile(named)
}

// hints is whether a part of a topic of those destinations stands in the question:
// "calendar" of "calendar event".
func (e *Embedded) hints(t *concept.Text, w *work, of []int) bool {
	return slices.ContainsFunc(e.index.hitsIn(&w.scratch, 0, t.Len()), func(h hit) bool {
		tp := &e.index.topics[h.topic]
		return h.at < 0 && !tp.weak && has(of, tp.destination)
	})
}

// times are words that make a time of what follows: "after school".
var times = set("after", "before", "since", "until", "till", "during", "between")

// fanoutRow is a row that prefers several. One of their topics alone is a question
// about one domain and goes to its owner; two of them go to those two.
func (e *Embedded) fanoutRow(t *concept.Text, w *work, v verdict, o *overlap, p phrase, named []int) (routing.Decision, bool) {
	switch {
	case len(named) == 0 && (v.overview >= v.firstP || v.firstP < daySure || v.byField):
		return e.take(o, p.text, max(v.overview, 0.5)), true
	case len(named) == 0:
		return routing.Decision{}, false
	case len(named) == 1:
		return e.route(t, w, v, named[0], max(v.firstP, 0.5)), true
	}
	only := overlap{preferred: named}
	return e.take(&only, p.text, 0.5), true
}

// byFile puts destinations in the file's order, each once.
func byFile(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}
