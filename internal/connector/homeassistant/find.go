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

// namedIn are the entities whose names stand in the words, without those whose name is
// only a part of a longer one that stands there.
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
	var hits []hit
	for _, e := range all {
		if i := at(said, e.stems); i >= 0 {
			hits = append(hits, hit{e, i, i + len(e.stems)})
		} else if i := inUnspaced(unspaced, e.Name); i >= 0 {
			hits = append(hits, hit{e, i, i + len(e.Name)})
		}
	}
	var found []entity
	for _, h := range hits {
		inLonger := slices.ContainsFunc(hits, func(o hit) bool {
			return o.start <= h.start && o.end >= h.end && o.end-o.start > h.end-h.start
		})
		if !inLonger {
			found = append(found, h.e)
		}
	}
	slices.SortFunc(found, func(a, b entity) int { return cmp.Compare(a.ID, b.ID) })
	return found
}

// kindIn is the domain that the words name a thing of; empty where they name none.
func kindIn(words []string) string {
	for _, w := range words {
		if k := kinds[stem(w)]; k != "" {
			return k
		}
	}
	return ""
}

// roomIn is the room that the words name.
func roomIn(words, rooms []string) string {
	best := ""
	for _, r := range rooms {
		if at(stems(words), stems(fold(r))) >= 0 && len(r) > len(best) {
			best = r
		}
	}
	return best
}

// aim is what a command is about.
type aim struct {
	targets []entity
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
	room, kind := roomIn(words, c.house.rooms()), kindIn(words)
	if kind != "" && onlyRoom(a.targets, room) {
		a.targets = nil // "the lights in the kitchen", and something else is called "Kitchen"
	}
	if len(a.targets) == 0 {
		if room != "" && kind != "" && !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(everything, w) && !slices.Contains(allOf, w) }) {
			a.room = room
			for _, e := range all {
				if e.Area == room && e.domain() == kind {
					a.targets = append(a.targets, e)
				}
			}
			slices.SortFunc(a.targets, func(x, y entity) int { return cmp.Compare(x.ID, y.ID) })
		}
	}
	a.prefer(c)
	a.targets = inRoom(a.targets, room)
	for i := range a.targets {
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

// inRoom leaves out those that are called like one in the room that was named.
func inRoom(list []entity, room string) []entity {
	return slices.DeleteFunc(slices.Clone(list), func(e entity) bool {
		return room != "" && e.Area != room && slices.ContainsFunc(list, func(o entity) bool { return o.Area == room && strings.EqualFold(o.Name, e.Name) })
	})
}

// onlyRoom is whether all of these are called like the room, or like a part of its name: "Kitchen",
// where the back kitchen is meant.
func onlyRoom(list []entity, room string) bool {
	name := stems(fold(room))
	return !slices.ContainsFunc(list, func(e entity) bool { return at(name, e.stems) < 0 })
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
// lamp and its battery are both called "bed".
func (a *aim) prefer(c *Connector) {
	acting := func(e entity) bool { return c.may(&e) != isOut }
	if slices.ContainsFunc(a.targets, acting) {
		a.targets = slices.DeleteFunc(a.targets, func(e entity) bool { return !acting(e) })
	}
}

// likely are at most three that may be meant: those that share words with what was said,
// and may be acted on.
func (c *Connector) likely(words []string, all []entity, kind string) []entity {
	type scored struct {
		e entity
		n int
	}
	said := stems(words)
	var list []scored
	for _, e := range all {
		if c.may(&e) != may || kind != "" && e.domain() != kind {
			continue
		}
		n := 0
		for _, w := range append(fold(e.Name), fold(e.Area)...) {
			if s := stem(w); slices.Contains(said, s) && kinds[s] == "" {
				n += 2
			}
		}
		if n > 0 || kind != "" {
			list = append(list, scored{e, n})
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.e.Name, b.e.Name)) })
	var out []entity
	for _, s := range list[:min(len(list), routing.MaxChoices)] {
		if s.n == list[0].n {
			out = append(out, s.e)
		}
	}
	return out
}
