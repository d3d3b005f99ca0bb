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
			}
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
	return e.byFile(list)
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
// clarify. The model's word for a sentence counts as such a topic.
func (e *Embedded) byOverlap(t *concept.Text, w *work, v verdict) (routing.Decision, bool) {
	o, p, at := e.longest(w.ids)
	if o == nil {
		return routing.Decision{}, false
	}
	first := slices.Contains(o.preferred, v.first)
	if len(o.preferred) > 1 {
		return e.fanoutRow(t, w, v, o, p, at)
	}
	if v.firstP >= modelSure && first {
		return routing.Decision{}, false
	}
	var ours, theirs bool
	others := 0
	for _, h := range e.index.hitsIn(t, &w.scratch, 0, t.Len()) {
		tp := &e.index.topics[h.topic]
		if h.at < 0 || tp.weak || h.at >= at && h.end <= at+len(p.words) {
			continue
		}
		switch {
		case slices.Contains(o.preferred, tp.destination):
			ours = true
		case slices.Contains(o.other, tp.destination):
			theirs = true
		default:
			others++
		}
	}
	switch {
	case ours && theirs:
		return e.clarifyAmong(slices.Concat(o.preferred, o.other), &v.scores, "overlap:"+p.text, 0.5), true
	case ours || theirs || others > 0:
		return routing.Decision{}, false
	case v.none >= noneEnough || v.overview >= sureEnough || v.bare >= modelSure:
		return routing.Decision{}, false
	case v.firstP >= sureEnough && !first && !slices.Contains(o.other, v.first):
		return routing.Decision{}, false
	case v.firstP >= modelSure:
		return routing.Decision{}, false
	}
	return e.take(o, p.text, max(v.firstP, 0.5)), true
}

// fanoutRow is a row that prefers several: one of their topics alone is a question
// about one domain and goes to its owner; two of them, to those two.
func (e *Embedded) fanoutRow(t *concept.Text, w *work, v verdict, o *overlap, p phrase, at int) (routing.Decision, bool) {
	var named []int
	for _, h := range e.index.hitsIn(t, &w.scratch, 0, t.Len()) {
		tp := &e.index.topics[h.topic]
		if h.at < 0 || tp.weak || h.at >= at && h.end <= at+len(p.words) {
			continue
		}
		named = append(named, tp.destination)
	}
	named = e.byFile(named)
	switch {
	case len(named) == 0 && (v.overview >= v.firstP || v.firstP < daySure):
		return e.take(o, p.text, max(v.overview, 0.5)), true
	case len(named) < 2:
		return routing.Decision{}, false
	}
	only := overlap{preferred: named}
	return e.take(&only, p.text, 0.5), true
}
