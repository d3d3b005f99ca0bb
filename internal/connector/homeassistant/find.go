package homeassistant

import (
	"cmp"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/hub/routing"
)

// stem lets "light" and "lights" be one word.
func stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "s")
	}
	return w
}

func stems(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = stem(w)
	}
	return out
}

// at is where name stands in the words, -1 where it does not.
func at(words, name []string) int {
	if len(name) == 0 {
		return -1
	}
	for i := 0; i+len(name) <= len(words); i++ {
		if slices.Equal(words[i:i+len(name)], name) {
			return i
		}
	}
	return -1
}

// namedIn are the entities that are called in the words, each by the name that stands there,
// without those whose name is only a part of a longer one that stands there.
func namedIn(words []string, all []entity) []entity {
	type hit struct {
		e          entity
		start, end int
	}
	said := stems(words)
	unspaced := strings.Join(words, " ")
	if !isUnspaced(unspaced) {
		unspaced = "" // so no name in such a script is in it, and none is looked for
	}
	last := make(map[string]bool, len(said)) // what a name that stands there may end with
	for _, w := range said {
		last[w] = true
	}
	var hits []hit
	for i := range all {
		e := &all[i]
		look := func(n called) {
			if end := len(n.stems); end > 0 && !last[n.stems[end-1]] && unspaced == "" {
				return
			}
			if i := at(said, n.stems); i >= 0 {
				hits = append(hits, hit{e.as(n), i, i + len(n.stems)})
			} else if i := inUnspaced(unspaced, n.name); i >= 0 {
				hits = append(hits, hit{e.as(n), i, i + len(n.name)})
			}
		}
		look(called{e.Name, e.stems})
		for _, n := range e.also {
			look(n)
		}
	}
	var found []entity
	for _, h := range hits {
		inLonger := slices.ContainsFunc(hits, func(o hit) bool {
			return o.start <= h.start && o.end >= h.end && o.end-o.start > h.end-h.start
		})
		if !inLonger && !slices.ContainsFunc(found, func(e entity) bool { return e.ID == h.e.ID }) {
			found = append(found, h.e)
		}
	}
	slices.SortFunc(found, func(a, b entity) int { return cmp.Compare(a.ID, b.ID) })
	return found
}

// kindIn is the domain that the words name a thing of; empty where they name none.
func kindIn(words []string) string {
	for i, w := range words {
		verb := w == "switch" && (i == 0 || goesOn[words[i-1]] || words[i-1] == "you") // "switch off the lights"
		if k := kinds[stem(w)]; k != "" && !verb {
			return k
		}
	}
	return ""
}

// aim is what a command is about.
type aim struct {
	targets []entity
	// there is the place that was named.
	there there
	// more is whether Home Assistant's agent would take more than the targets to be meant.
	more bool
	// room is named where the targets are what it holds of one kind.
	room string
	// barred is one of them that may not be acted on, and why.
	barred *entity
	why    permit
	// twins are several of one name.
	twins bool
}

// aimOf finds what the words are about among all entities. Nothing found is an empty aim.
func (c *Connector) aimOf(words []string, all []entity) aim {
	var a aim
	a.targets = namedIn(words, all)
	kind := kindIn(words)
	a.there = placeIn(words, c.house.rooms())
	if kind != "" && onlyRoom(a.targets, a.there) {
		a.targets = nil // "the lights in the kitchen", and something else is called "Kitchen"
	}
	if len(a.targets) == 0 {
		if a.there.name != "" && kind != "" && !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(everything, w) && !slices.Contains(allOf, w) }) {
			a.room, a.more = a.there.name, c.another(words, a.there)
			for _, e := range all {
				if a.there.holds(e.Area) && e.domain() == kind {
					a.targets = append(a.targets, e)
				}
			}
			slices.SortFunc(a.targets, func(x, y entity) int { return cmp.Compare(x.ID, y.ID) })
		}
	}
	a.prefer(c)
	a.targets = inRoom(a.targets, a.there)
	for i := range a.targets {
		a.more = a.more || a.room == "" && onlyKind(words, a.targets[i], a.there)
		if why := c.may(&a.targets[i]); why != may && (a.barred == nil || why == isNever) {
			a.barred, a.why = &a.targets[i], why
		}
		for _, other := range a.targets[:i] {
			if a.room == "" && strings.EqualFold(other.Name, a.targets[i].Name) {
				a.twins = true
			}
		}
	}
	return a
}

// narrowed is whether the words say which of the things of that kind in the place is meant: "the
// ceiling light in the hall".
func (a *aim) narrowed(words []string) bool {
	if a.room == "" {
		return false
	}
	for _, w := range cut(stems(words), a.there.said) {
		called := 0
		for _, e := range a.targets {
			if kinds[w] == "" && slices.Contains(e.stems, w) {
				called++
			}
		}
		if called > 0 && called < len(a.targets) {
			return true
		}
	}
	return false
}

// another is whether the words name another place beside that one.
func (c *Connector) another(words []string, p there) bool {
	i := at(stems(words), p.said)
	other := placeIn(slices.Concat(words[:i], words[i+len(p.said):]), c.house.rooms())
	return other.name != "" && other.name != p.name
}

// onlyKind is whether a device that is called as its whole kind is, such as "Lamp", stands in
// the words so that they mean each of that kind in the place: "the hall lamp", "the lamp downstairs".
func onlyKind(words []string, e entity, p there) bool {
	return p.name != "" && !slices.ContainsFunc(e.stems, func(w string) bool { return kinds[w] == "" }) &&
		(p.floor || at(stems(words), slices.Concat(p.said, e.stems)) >= 0)
}

// inRoom leaves out those that are called like one in the place that was named.
func inRoom(list []entity, p there) []entity {
	return slices.DeleteFunc(slices.Clone(list), func(e entity) bool {
		return p.name != "" && !p.twins && !p.holds(e.Area) && slices.ContainsFunc(list, func(o entity) bool { return p.holds(o.Area) && strings.EqualFold(o.Name, e.Name) })
	})
}

// onlyRoom is whether all of these are called like the place, or like a part of its name: "Kitchen",
// where the back kitchen is meant.
func onlyRoom(list []entity, p there) bool {
	return !slices.ContainsFunc(list, func(e entity) bool { return at(p.said, e.stems) < 0 })
}

// exactly is the question with each target called exactly as Home Assistant calls it,
// which takes "the kitchen light" for another thing than "Kitchen Lights".
func exactly(question string, targets []entity) string {
	raw := strings.Fields(question)
	for _, e := range targets {
		name := e.stems
		for i := 0; i+len(name) <= len(raw); i++ {
			said := fold(strings.Join(raw[i:i+len(name)], " "))
			if slices.Equal(stems(said), name) {
				if !slices.Equal(said, fold(e.Name)) {
					raw = slices.Replace(raw, i, i+len(name), e.Name)
				}
				break
			}
		}
	}
	return strings.Join(raw, " ")
}

// prefer leaves out what is only read where a thing of the same name can be acted on: a
// lamp and its battery are both called "bed". What is denied stays, for Home Assistant's agent
// would act on all of that name.
func (a *aim) prefer(c *Connector) {
	acting := func(e entity) bool { return c.may(&e) != isOut || c.rules.denied[e.ID] }
	if slices.ContainsFunc(a.targets, acting) {
		a.targets = slices.DeleteFunc(a.targets, func(e entity) bool { return !acting(e) })
	}
}

// likely are at most three that may be meant: those that share words with what was said,
// and may be acted on. Where a place was named, what shares no word is not meant.
func (c *Connector) likely(words []string, all []entity, kind string, placed bool) []entity {
	type scored struct {
		e entity
		n int
	}
	said := stems(words)
	rooms := c.house.rooms()
	room := func(area string) []string { // the words of the room, and of what else it is called
		words := stems(fold(area))
		for _, p := range rooms {
			if p.name == area && !p.floor {
				for _, n := range p.also {
					words = append(words, n.stems...)
				}
			}
		}
		return words
	}
	var list []scored
	for _, e := range all {
		if c.may(&e) != may || kind != "" && e.domain() != kind {
			continue
		}
		best := scored{e, -1}
		for _, call := range e.calls() {
			n := 0
			for _, s := range append(slices.Clone(call.stems), room(e.Area)...) {
				switch {
				case !slices.Contains(said, s) || s == "room":
				case kinds[s] == "":
					n += 2
				case kinds[s] != s:
					n++ // curtains are no blinds, and every lamp is a light
				}
			}
			if n > best.n {
				best = scored{e.as(call), n}
			}
		}
		if best.n > 0 || kind != "" && !placed {
			list = append(list, best)
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.e.Name, b.e.Name)) })
	var out []entity
	for _, s := range list {
		// Those of one name are told apart once that name is chosen.
		twin := slices.ContainsFunc(out, func(e entity) bool { return strings.EqualFold(e.Name, s.e.Name) })
		if s.n == list[0].n && !twin && len(out) < routing.MaxChoices {
			out = append(out, s.e)
		}
	}
	return out
}
