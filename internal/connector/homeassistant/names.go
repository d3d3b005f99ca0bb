package homeassistant

import (
	"cmp"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/connector/spoken"
)

// called is one name of something: its own, or an alias that the household gave it.
type called struct {
	name string
	// stems are the words of it as they are compared.
	stems []string
}

// calledAll are those of the names that can be said.
func calledAll(names []string) []called {
	var all []called
	for _, n := range names {
		n = spoken.Clean(n, maxName)
		if c := (called{n, stems(fold(n))}); len(c.stems) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// as is e by that name: it is told of as the person called it.
func (e entity) as(c called) entity {
	e.Name, e.stems = c.name, c.stems
	return e
}

// calls are all names of e, its own first.
func (e *entity) calls() []called {
	return append([]called{{cmp.Or(e.own, e.Name), stems(fold(cmp.Or(e.own, e.Name)))}}, e.also...)
}

// goesBy is whether an alias of e is like that name.
func (e *entity) goesBy(like func(name string) bool) bool {
	return slices.ContainsFunc(e.calls(), func(c called) bool { return like(c.name) })
}

// onlyBy is e by the first of its names by which it alone is called; false where it has none.
// With heard, the name is one that Home Assistant's agent knows it by.
func onlyBy(e entity, all []entity, heard bool) (entity, bool) {
	for i, n := range e.calls() {
		if heard && i == 0 && e.nameless {
			continue
		}
		if found := namedIn(fold(n.name), all); len(found) == 1 && found[0].ID == e.ID {
			return e.as(n), true
		}
	}
	return e, false
}

// place is a room, or a floor with its rooms.
type place struct {
	called
	also []called
	// rooms are the names of the rooms that it is or holds.
	rooms []string
	floor bool
}

func newPlace(name string, aliases []string, rooms ...string) place {
	return place{called: called{name, stems(fold(name))}, also: calledAll(aliases), rooms: rooms}
}

// holds is whether what is in that room is there.
func (p place) holds(room string) bool { return room != "" && slices.Contains(p.rooms, room) }

// there is a place that the words name, with the name that was said. None has no name.
type there struct {
	place
	said []string
	// twins are several of that name, of which nobody can tell which one is meant.
	twins bool
}

// placeIn is the place that the words name: the room with the longest name, else such a floor.
func placeIn(words []string, places []place) there {
	var best there
	said := stems(words)
	for _, p := range places {
		for i := range 1 + len(p.also) {
			n := p.called
			if i > 0 {
				n = p.also[i-1]
			}
			switch {
			case at(said, n.stems) < 0:
			case best.name == "", best.floor && !p.floor, best.floor == p.floor && longer(n.stems, best.said):
				best = there{place: p, said: n.stems}
			case slices.Equal(n.stems, best.said) && best.floor == p.floor && !slices.Equal(p.rooms, best.rooms):
				best.twins = true
			}
		}
	}
	return best
}

// longer is whether the name a is longer than b.
func longer(a, b []string) bool {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(len(strings.Join(a, "")), len(strings.Join(b, "")))) > 0
}
