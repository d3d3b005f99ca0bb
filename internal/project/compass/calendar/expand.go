package calendar

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// MaxOccurrences is the most that one person's calendars may come to within the
// window.
const MaxOccurrences = 400_000

// maxWork bounds the time for one person's calendars: a rule that never hits
// anything is cheap to write and dear to follow.
const maxWork = 10 * time.Second

// Occurrence is one time at which an entry happens. Times are Unix seconds, to keep
// a year of lessons small in memory.
type Occurrence struct {
	Start, End int64
	// AllDay is whether it has days and no time of day.
	AllDay bool
	// Source is the index of the calendar it came from.
	Source int
	Entry  *Entry
}

// sourced is an entry with the index of its calendar.
type sourced struct {
	*Entry
	source int
}

// Undated are the tasks without any date.
func Undated(cals []*Calendar) []Occurrence {
	var out []Occurrence
	for i, c := range cals {
		for _, e := range c.Entries {
			if e.Task && !e.dated && !e.cancelled {
				out = append(out, Occurrence{Source: i, Entry: e})
			}
		}
	}
	return out
}

// Expand works out all that overlaps [from, to) in the calendars of one person,
// in order of start. The same entry in two calendars counts once, in its newest
// form. Floating times and dates are the clock of home.
func Expand(cals []*Calendar, home *time.Location, from, to time.Time) ([]Occurrence, error) {
	x := expansion{home: located{home}, from: from.Unix(), to: to.Unix(), stop: time.Now().Add(maxWork)}
	for _, series := range group(cals) {
		if err := x.series(series); err != nil {
			return nil, err
		}
		if len(x.out) > MaxOccurrences {
			return nil, ErrTooOften
		}
		if time.Now().After(x.stop) {
			return nil, ErrTooOften
		}
	}
	slices.SortStableFunc(x.out, func(a, b Occurrence) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Entry.Title, b.Entry.Title))
	})
	return x.out, nil
}

// series is one master, if it is there, with its changed instances.
type series struct {
	masters []sourced
	changed []sourced
	// place is where the change of an instance stands in changed.
	place map[instanceKey]int
}

// instanceKey tells the instances of one series apart.
type instanceKey struct {
	at   int64
	date bool
}

// group puts the parts of each series together by UID and keeps the newest form of
// each: the highest SEQUENCE, then the latest change.
func group(cals []*Calendar) []*series {
	byUID := map[string]*series{}
	var all []*series
	for i, c := range cals {
		for n, e := range c.Entries {
			if !e.dated {
				continue
			}
			uid := e.uid
			if uid == "" {
				uid = "\x00" + strconv.Itoa(i) + "." + strconv.Itoa(n)
			}
			s := byUID[uid]
			if s == nil {
				s = &series{}
				byUID[uid] = s
				all = append(all, s)
			}
			s.add(sourced{e, i})
		}
	}
	return all
}

func (s *series) add(e sourced) {
	if e.instance != nil {
		s.change(e)
		return
	}
	for i, old := range s.masters {
		// Some programs give every entry the same UID: two entries of one calendar,
		// equally new, that differ in time or name are two entries.
		if old.source == e.source && old.sequence == e.sequence && old.stamp == e.stamp &&
			(!old.start.wall.Equal(e.start.wall) || old.Title != e.Title) {
			continue
		}
		if newer(e.Entry, old.Entry) {
			s.masters[i] = e
		}
		return
	}
	s.masters = append(s.masters, e)
}

// change keeps the newest form of each changed instance.
func (s *series) change(e sourced) {
	key := instanceKey{e.instance.at(utc), e.instance.date}
	i, known := s.place[key]
	switch {
	case !known:
		if s.place == nil {
			s.place = map[instanceKey]int{}
		}
		s.place[key] = len(s.changed)
		s.changed = append(s.changed, e)
	case newer(e.Entry, s.changed[i].Entry):
		s.changed[i] = e
	}
}

func newer(a, b *Entry) bool {
	return cmp.Or(cmp.Compare(a.sequence, b.sequence), cmp.Compare(a.stamp, b.stamp)) > 0
}

type expansion struct {
	home     zone
	from, to int64
	stop     time.Time
	out      []Occurrence
}

func (x *expansion) series(s *series) error {
	if len(s.masters) == 1 && s.masters[0].cancelled {
		return nil
	}
	for _, m := range s.masters {
		if m.cancelled {
			continue
		}
		if err := x.master(m, s.changed); err != nil {
			return err
		}
	}
	for _, c := range s.changed {
		if !c.cancelled {
			x.add(c, c.start, c.length)
		}
	}
	return nil
}

// master adds the instances of one entry that no changed instance replaces.
func (x *expansion) master(m sourced, changed []sourced) error {
	starts, err := x.starts(m.Entry)
	if err != nil {
		return err
	}
	excepted := newInstances(x.home, m.except)
	ids := make([]moment, len(changed))
	for i, c := range changed {
		ids[i] = *c.instance
	}
	replaced, following := newInstances(x.home, ids), newTurns(x.home, changed)
	for n, at := range starts {
		if n%4096 == 4095 && time.Now().After(x.stop) {
			return ErrTooOften
		}
		if excepted.has(at.start) || replaced.has(at.start) {
			continue
		}
		from := following.before(at.start.at(x.home))
		if from == nil {
			l := m.length
			if at.length != nil {
				l = *at.length
			}
			x.add(m, at.start, x.shift(l, m.start, at.start))
			continue
		}
		if from.cancelled {
			continue
		}
		moved := at.start
		moved.wall = moved.wall.Add(from.start.wall.Sub(from.instance.wall))
		moved.zone, moved.date = from.start.zone, from.start.date
		x.add(*from, moved, x.shift(from.length, from.start, moved))
	}
	return nil
}

// starts are the starts of the instances that may overlap the window, exceptions
// included, without doubles.
func (x *expansion) starts(e *Entry) ([]extra, error) {
	starts := []extra{{start: e.start}}
	if !e.Repeats {
		return starts, nil
	}
	z := e.start.in(x.home)
	// A day of slack on both sides: wall time is not instants, and a THISANDFUTURE
	// may move an instance into the window.
	lasts := max(0, x.lasts(e)) + 8*86400
	from, to := wallOf(z, x.from-lasts), wallOf(z, x.to+8*86400)
	seen := map[int64]bool{e.start.wall.Unix(): true}
	for _, r := range e.rules {
		walls, err := r.walls(e.start, x.home, from, to)
		if err != nil {
			return nil, err
		}
		for _, w := range walls {
			if !seen[w.Unix()] {
				seen[w.Unix()] = true
				m := e.start
				m.wall = w
				starts = append(starts, extra{start: m})
			}
		}
	}
	for _, d := range e.extra {
		if at := d.start.at(x.home); at < x.from-lasts || at > x.to+8*86400 {
			continue
		}
		if d.start.zone == nil && !d.start.date {
			d.start.zone = e.start.zone
		}
		// Dates are compared in the series' own wall time.
		w := wallOf(z, d.start.at(x.home)).Unix()
		if !seen[w] {
			seen[w] = true
			starts = append(starts, d)
		}
	}
	return starts, nil
}

func (x *expansion) lasts(e *Entry) int64 {
	if e.length.end != nil {
		return e.length.end.at(x.home) - e.start.at(x.home)
	}
	return int64(e.length.span.days)*86400 + e.length.span.secs
}

// shift is the length l of an entry that started at old, for an instance at at. A
// given end keeps its exact length for times, and its count of days for dates.
func (x *expansion) shift(l length, old, at moment) length {
	if l.end == nil || old.wall.Equal(at.wall) {
		return l
	}
	if old.date {
		return length{span: span{days: int(l.end.wall.Sub(old.wall) / (24 * time.Hour))}}
	}
	return length{span: span{secs: l.end.at(x.home) - old.at(x.home)}}
}

func (x *expansion) add(e sourced, start moment, l length) {
	o := Occurrence{Start: start.at(x.home), AllDay: start.date, Source: e.source, Entry: e.Entry}
	if l.end != nil {
		o.End = l.end.at(x.home)
	} else {
		o.End = l.span.after(start, x.home)
	}
	if e.Task {
		// A task counts where it is due.
		o.Start = o.End
		if l.end != nil {
			o.AllDay = l.end.date
		}
	}
	o.End = max(o.End, o.Start)
	if o.AllDay && o.End == o.Start && !e.Task {
		o.End = span{days: 1}.after(start, x.home)
	}
	if o.Start < x.to && (o.End > x.from || o.Start >= x.from) {
		x.out = append(x.out, o)
	}
}
