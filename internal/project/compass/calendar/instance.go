package calendar

import (
	"cmp"
	"slices"
	"time"
)

// instances are the identifiers of instances of one series, ready to be asked for
// each of its starts: a calendar may have as many identifiers as starts.
type instances struct {
	home zone
	// times are the instants of identifiers that name their zone, days the dates of
	// those that are dates, all the dates of all of them.
	times     map[int64]bool
	days, all map[civil]bool
	// floating are the clock times of those that name no zone, by the zone of the
	// start that they are compared with.
	floating []moment
	floats   map[zone]map[int64]bool
}

// civil is a date of no zone.
type civil struct {
	year  int
	month time.Month
	day   int
}

func civilOf(wall time.Time) civil {
	y, m, d := wall.Date()
	return civil{y, m, d}
}

func newInstances(home zone, ids []moment) *instances {
	in := &instances{home: home, times: map[int64]bool{}, days: map[civil]bool{}, all: map[civil]bool{}, floats: map[zone]map[int64]bool{}}
	for _, id := range ids {
		wall := id.wall
		if id.zone == utc {
			wall = wallOf(home, id.wall.Unix())
		}
		in.all[civilOf(wall)] = true
		switch {
		case id.date:
			in.days[civilOf(id.wall)] = true
		case id.zone == nil:
			in.floating = append(in.floating, id)
		default:
			in.times[id.at(home)] = true
		}
	}
	return in
}

// has is whether one of them names the instance that starts at at. A bare date names
// the instance of that day.
func (in *instances) has(at moment) bool {
	if at.date {
		return in.all[civilOf(at.wall)]
	}
	if in.days[civilOf(at.wall)] || in.times[at.at(in.home)] {
		return true
	}
	if len(in.floating) == 0 {
		return false
	}
	floats := in.floats[at.zone]
	if floats == nil {
		floats = make(map[int64]bool, len(in.floating))
		for _, id := range in.floating {
			id.zone = at.zone
			floats[id.at(in.home)] = true
		}
		in.floats[at.zone] = floats
	}
	return floats[at.at(in.home)]
}

// turns are the changed instances that hold for all later ones too (THISANDFUTURE),
// in order of the instance that they begin with.
type turns struct {
	home zone
	list []*sourced
}

func newTurns(home zone, changed []sourced) turns {
	t := turns{home: home}
	for i := range changed {
		if changed[i].following {
			t.list = append(t.list, &changed[i])
		}
	}
	slices.SortStableFunc(t.list, func(a, b *sourced) int { return cmp.Compare(a.instance.at(home), b.instance.at(home)) })
	return t
}

// before is the latest of them whose instance is before at; nil for none.
func (t turns) before(at int64) *sourced {
	later := func(c *sourced, at int64) int { return cmp.Compare(c.instance.at(t.home), at) }
	n, _ := slices.BinarySearchFunc(t.list, at, later)
	if n == 0 {
		return nil
	}
	first, _ := slices.BinarySearchFunc(t.list, t.list[n-1].instance.at(t.home), later)
	return t.list[first]
}
