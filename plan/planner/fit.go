package planner

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/plan"
)

// fitted is a tool's call for a question, or for a part of one.
type fitted struct {
	tool  *toolWords
	call  plan.Call
	score float64
	// left are the words that nothing of the tool answers to.
	left bits
	// rare are the words that this tool alone says.
	rare bits
	// evidence says that some word of the question is the tool's own.
	evidence bool
	// missing is a required argument without a value, -1 for none.
	missing int
	whole   bool // every word and every required argument is accounted for
}

// fitter fills one tool's arguments.
type fitter struct {
	*question
	t       *toolWords
	values  []*string
	skip    bits // the words that are another part's
	covered bits
	phrased bits // what a text argument took
	giver   bool // a later call takes what it finds
	out     fitted
}

// fit fills a tool's arguments from the words that are not in skip. heir says that the
// tool is already known to be meant, and giver that another call takes what it finds.
func (q *question) fit(t *toolWords, skip bits, heir, giver bool) fitted {
	f := &fitter{question: q, t: t, values: make([]*string, len(t.args)), skip: skip, covered: skip, giver: giver}
	f.out = fitted{tool: t, missing: -1, evidence: heir || giver}
	f.times()
	f.enums()
	f.phrases()
	f.examples()
	f.vocabulary()
	f.bare()
	f.defaults()
	f.out.left = between(0, len(q.ts)) &^ f.covered &^ q.free
	f.out.call.Tool = t.tool.ID
	for i := range t.args {
		arg := plan.Argument{Name: t.args[i].Name, Null: f.values[i] == nil}
		if f.values[i] != nil {
			arg.Value = *f.values[i]
		} else if !t.args[i].Nullable && f.out.missing < 0 {
			f.out.missing = i
		}
		f.out.call.Args = append(f.out.call.Args, arg)
	}
	f.out.whole = f.out.left == 0 && f.out.missing < 0 && f.out.evidence
	return f.out
}

// set gives an argument its value, if that is within its bound.
func (f *fitter) set(i int, value string, gain float64) bool {
	a := &f.t.args[i]
	if f.values[i] != nil || value == "" || a.Values == nil && (utf8.RuneCountInString(value) > a.MaxLength || !sayable(value)) {
		return false
	}
	f.values[i] = &value
	if !a.Nullable {
		gain += 0.3
	}
	f.out.score += gain
	return true
}

// sayable is a text that may stand in a plan: nothing invisible, and no reference.
func sayable(text string) bool {
	return text[0] != '@' && strings.TrimSpace(text) != "" && strings.IndexFunc(text, func(r rune) bool {
		return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf)
	}) < 0
}

// times places each time that the question names.
func (f *fitter) times() {
	list := f.ahead
	if f.t.past || slices.ContainsFunc(f.t.args, func(a arg) bool { return a.months() }) {
		list = f.back // a bill's month is over
	}
	for k := range list {
		w := &list[k]
		own := between(w.from, w.to)
		if f.covered&own != 0 && len(list) > 1 {
			continue // another part's
		}
		if f.place(w) {
			f.covered |= own
			for _, a := range f.t.args {
				f.out.evidence = f.out.evidence || f.plain && (f.t.groups[eventGroup] || a.Values == nil && a.role.isDay() && f.t.strong["day"])
			}
		}
	}
}

var (
	eventGroup = groups[stem("event")]
	placeGroup = groups[stem("place")]
)

// place gives a time to the arguments that can say all of it.
func (f *fitter) place(w *when) bool {
	first, last, day := -1, -1, -1
	for i := range f.t.args {
		a := &f.t.args[i]
		if f.values[i] != nil {
			continue
		}
		if a.Values != nil {
			for v, label := range a.labels {
				if w.label != "" && label == w.label || label != "" && label == w.alternative {
					return f.set(i, a.Values[v], 1)
				}
			}
			continue
		}
		switch a.role {
		case roleFirst:
			first = i
		case roleLast:
			last = i
		case roleOn:
			day = i
		}
	}
	say := func(i int, d Date) bool { return f.set(i, f.t.args[i].day(d, w), 1) }
	upToNow := f.t.past && w.hasLast && !w.last.before(f.now) && (last < 0 || f.t.args[last].Nullable)
	switch {
	case w.single() && day >= 0:
		return say(day, w.first)
	case w.hasFirst && (!w.hasLast || upToNow) && first >= 0:
		return (last < 0 || f.t.args[last].Nullable) && say(first, w.first)
	case w.hasFirst && w.hasLast && first >= 0 && last >= 0:
		return say(first, w.first) && say(last, w.last)
	case w.hasLast && !w.hasFirst && last >= 0:
		return (first < 0 || f.t.args[first].Nullable) && say(last, w.last)
	case w.hasFirst && w.hasLast && day >= 0:
		a := &f.t.args[day]
		return (w.month && a.months() || a.asSaid()) && say(day, w.first)
	}
	return false
}

// day writes a day as the argument's description asks.
func (a *arg) day(d Date, w *when) string {
	switch {
	case a.months():
		return d.String()[:7]
	case a.asSaid():
		return w.words
	case !strings.Contains(a.describe, "yyyy") && w.label != "" && strings.Contains(a.describe, strings.ReplaceAll(w.label, "_", " ")):
		return strings.ReplaceAll(w.label, "_", " ")
	}
	return d.String()
}

func (a *arg) months() bool {
	return strings.Contains(a.describe, "yyyy-mm") && !strings.Contains(a.describe, "yyyy-mm-dd")
}

func (a *arg) asSaid() bool {
	return strings.Contains(a.describe, "as said") || strings.Contains(a.describe, "in words")
}

// enums takes the values of closed lists that the question says.
func (f *fitter) enums() {
	var spoken bits // within a phrase that a text argument takes
	for _, s := range f.list {
		if (s.kind == slotQuoted || s.kind == slotNamed || s.kind == slotAbout || s.kind == slotFrom) && f.taker(s.kind) {
			spoken |= between(s.words[0], s.words[1])
		}
	}
	for i := range f.t.args {
		a := &f.t.args[i]
		if a.Values == nil || f.values[i] != nil {
			continue
		}
		value, at, several := -1, bits(0), false
		for _, same := range []bool{true, false} { // words that mean the same only where none is the same
			for v := range a.values {
				if found := f.said(a.values[v], same) &^ spoken; found != 0 && found&f.covered == 0 {
					several = several || value >= 0
					value, at = v, at|found
				}
			}
			if value >= 0 {
				break
			}
		}
		if value >= 0 && !several && f.set(i, a.Values[value], 0.6) {
			f.covered |= at
			f.out.evidence = f.out.evidence || at&f.free == 0
		}
	}
}

// taker says that a text argument takes phrases of that kind.
func (f *fitter) taker(kind slotKind) bool {
	return slices.ContainsFunc(f.t.args, func(a arg) bool { return a.Values == nil && kind.fits(a.role) >= 4 })
}

// said is where the words of a value stand beside each other, or one that means the
// same as a value of one word.
func (q *question) said(words []string, exact bool) bits {
	for i := 0; i+len(words) <= len(q.ts) && len(words) > 0; i++ {
		same := true
		for k, w := range words {
			t := &q.ts[i+k]
			asked := i+k == 0 && soft[t.low] && len(q.ts) > 1 && determiners[q.ts[1].low] // read me the latest
			same = same && !t.quoted && !asked && (t.stem == w || q.kind[i+k].stem == w || !exact && len(words) == 1 && groups[w] != 0 && groups[w] == q.kind[i+k].group && !hard[t.low])
		}
		if same {
			return between(i, i+len(words))
		}
	}
	return 0
}

// phrases gives each text argument the phrase that fits it best.
func (f *fitter) phrases() {
	type pair struct{ arg, slot, fits int }
	var room [32]pair
	pairs := room[:0]
	for i := range f.t.args {
		a := &f.t.args[i]
		if a.Values != nil || f.values[i] != nil {
			continue
		}
		for s := range f.list {
			kind := f.list[s].kind
			if n := kind.fits(a.role); n > 0 && (kind.firm() || f.otherWords(&f.list[s])) {
				if !a.Nullable {
					n++
				}
				pairs = append(pairs, pair{i, s, n})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.fits, a.fits) })
	for _, p := range pairs {
		s := &f.list[p.slot]
		own := between(s.from, s.to)
		if own&f.covered&^f.free == 0 && f.set(p.arg, s.text, 0.9+float64(p.fits)/20) {
			f.covered |= own
			f.phrased |= own
			// Anything from the scouts? asks for whatever this project has.
			f.out.evidence = f.out.evidence || s.kind.firm() && s.from > 0 && anything[f.ts[s.from-1].low]
		}
	}
}

// anything are words for whatever a project has.
var anything = set("anything something news")

// examples takes a word that an argument's description gives as an example.
func (f *fitter) examples() {
	for i := range f.t.args {
		if f.values[i] != nil {
			continue
		}
		for k := range f.ts {
			t := &f.ts[k]
			if word, is := f.t.args[i].examples[t.stem]; is && !t.quoted && !f.covered.has(k) && t.content() && f.set(i, word, 0.6) {
				f.covered |= bit(k)
				f.phrased |= bit(k)
				f.out.evidence = f.out.evidence || f.strength(k) > 0.7
				break
			}
		}
	}
}

// otherWords says that a phrase without a firm lead may be a value: it is not made of
// this tool's own words (in the inbox), nor holds a word of another's (of the newest).
func (f *fitter) otherWords(s *slot) bool {
	other := false
	for i := s.words[0]; i < s.words[1]; i++ {
		t := &f.ts[i]
		own := f.strength(i) >= 0.7
		if f.kind[i].strong && !own && !t.capital {
			return false
		}
		other = other || t.quoted || t.content() && !own && !f.person[i]
	}
	return other
}

// strength says how surely a word is the tool's own: 1 its word, 0.8 one that means
// the same, 0.4 a word of its arguments, 0 none.
func (f *fitter) strength(i int) float64 {
	k := &f.kind[i]
	switch {
	case f.t.strong[k.stem]:
		return 1
	case k.group != 0 && f.t.groups[k.group]:
		return 0.8
	case f.t.weak[k.stem]:
		return 0.4
	}
	return 0
}

func (f *fitter) vocabulary() {
	n := float64(len(f.c.tools))
	for i := range f.ts {
		t := &f.ts[i]
		if f.covered.has(i) || t.quoted || hard[t.low] {
			continue
		}
		s := f.strength(i)
		if s == 0 {
			continue
		}
		f.covered |= bit(i)
		tools := max(f.c.rarity[f.kind[i].stem], f.c.groups[f.kind[i].group], 1)
		weight := s * (1 + math.Log(n/float64(tools)))
		if f.t.id[f.kind[i].stem] && tools < len(f.c.tools) {
			weight += 0.5
		}
		if !t.content() {
			f.out.score += 0.3 * weight
			continue
		}
		f.out.score += weight
		if s > 0.7 {
			f.out.evidence = f.out.evidence || 2*tools <= len(f.c.tools) || f.isHead(i)
			if tools == 1 {
				f.out.rare |= bit(i)
			}
		}
	}
	if f.seeks() {
		f.out.evidence = true
		f.out.score += 0.5
	}
}

// isHead says that a word is what the tool is about before all else.
func (f *fitter) isHead(i int) bool {
	k := &f.kind[i]
	return slices.ContainsFunc(f.t.heads, func(h string) bool { return h == k.stem || k.group != 0 && groups[h] == k.group })
}

// seeks says that the question is when or where something is, and that the tool tells it.
func (f *fitter) seeks() bool {
	return f.asksWhen&^f.skip != 0 && f.t.groups[eventGroup] || f.asksWhere&^f.skip != 0 && f.t.groups[placeGroup]
}

// bare gives a phrase without a lead to an argument that takes words, where the
// question can mean nothing else by it: a name, or what it asks the time or place of.
func (f *fitter) bare() {
	if !f.out.evidence {
		return
	}
	into := slices.IndexFunc(f.t.args, func(a arg) bool { return a.Values == nil && slotBare.fits(a.role) > 0 })
	if into < 0 || f.values[into] != nil {
		return
	}
	object := f.seeks() || f.giver
	var run bits
	from, to, names := -1, -1, true
	for i := range f.ts {
		t := &f.ts[i]
		unknown := !f.covered.has(i) && !f.free.has(i)
		// What is asked for may be called by the tool's own words: the trip to York.
		own := object && !f.skip.has(i) && f.covered.has(i) && !f.phrased.has(i) && t.content() && !f.timed[i] && f.kind[i].group != eventGroup && f.kind[i].group != placeGroup && !f.t.id[f.kind[i].stem]
		if !unknown && !own {
			continue
		}
		if t.quoted || f.timed[i] || from >= 0 && i-to > 2 || f.madeBy(i) {
			return // two phrases, or what only an argument for a maker could take
		}
		if from < 0 {
			from = i
		}
		names = names && t.capital && i > 0 && (to < 0 || f.words(to, i-to) != "or")
		run, to = run|bit(i), i+1
	}
	if from < 0 || !object && !names {
		return
	}
	if f.set(into, phrase(f.ts, from, to), 0.5) {
		f.covered |= run
	}
}

// madeBy says that a word stands in a phrase such as "from Bob or Anna".
func (q *question) madeBy(i int) bool {
	return slices.ContainsFunc(q.list, func(s slot) bool { return s.kind == slotFrom && i >= s.from && i < s.to })
}

// defaults fills what is required and was not said, where there is no choice.
func (f *fitter) defaults() {
	for i := range f.t.args {
		a := &f.t.args[i]
		if f.values[i] != nil || a.Nullable {
			continue
		}
		switch {
		case len(a.Values) == 1:
			f.set(i, a.Values[0], 0)
		case a.Values != nil:
			for _, v := range a.Values {
				if v == "any" || v == "all" || len(f.people) > 0 && strings.EqualFold(v, f.people[0]) {
					f.set(i, v, 0)
					break
				}
			}
		case a.role == rolePerson && len(f.people) > 0:
			f.set(i, f.people[0], 0)
		case a.role == roleQuestion && f.out.evidence:
			f.set(i, f.text, 0)
		}
	}
}
