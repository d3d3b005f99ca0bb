package compass

import (
	"github.com/askhub/askhub/internal/project/compass/read"
)

// next is the next, first or last of something.
func (a *answering) next() (said, why string) {
	switch {
	case a.r.Order == read.OrderNext:
		return a.nextOne()
	case a.r.Window == nil && (a.r.Past || a.r.Order == read.OrderLast && (a.r.Kind == read.Appointment || a.r.Health)):
		a.r.Past = true
		it, _ := a.found()
		if it.entry == nil {
			return a.absent()
		}
		return a.whom() + " last had " + a.dated(it), ""
	}
	return a.edgeOfDay()
}

func (a *answering) nextOne() (said, why string) {
	t := a.now.Unix()
	keep := func(it *item) bool {
		return a.matches(it) && (!it.allDay || len(a.r.Subject) > 0 || a.r.Kind != read.AnyEntry)
	}
	it, ok := a.after(t, keep)
	if w := a.r.Window; w != nil && ok {
		if it, ok = a.after(max(t, w.From.Unix()-1), keep); ok && it.start >= w.To.Unix() {
			ok = false
		}
	}
	if !ok {
		if a.r.Window != nil {
			if why := a.unknown(); why != "" {
				return "", why
			}
			if why := a.covered(a.r.Window.From.Unix(), a.r.Window.To.Unix()); why != "" {
				return "", why
			}
			return a.have() + " no more " + a.what(true) + " " + a.r.Window.Label, ""
		}
		return a.noneComing()
	}
	a.expire(it.start)
	switch {
	case len(a.r.Subject) > 0:
		return a.have() + " " + a.dated(it), ""
	case a.r.Kind != read.AnyEntry:
		return a.whose() + " next " + a.what(false) + " is " + a.dated(it), ""
	}
	return "next, " + a.have() + " " + a.dated(it), ""
}

// edgeOfDay is the first or last thing of a day: the day that was named, or today
// while there is one to come, or the next day that has one.
func (a *answering) edgeOfDay() (said, why string) {
	last := a.r.Order == read.OrderLast
	keep := func(it *item) bool { return a.matches(it) && !it.allDay }
	w, why := a.span()
	if why != "" {
		return "", why
	}
	items := a.between(w.From.Unix(), w.To.Unix(), keep)
	if a.r.Window == nil {
		over := len(items) == 0 || !last && items[0].start <= a.now.Unix() || last && lastEnd(items) <= a.now.Unix()
		if over {
			next, ok := a.after(max(a.now.Unix(), w.To.Unix()-1), keep)
			if !ok {
				return a.noneComing()
			}
			from := read.Midnight(a.at(next.start), 0)
			w = read.Window{From: from, To: read.Midnight(from, 1), Label: read.DayLabel(from, a.now), Days: 1}
			items = a.between(w.From.Unix(), w.To.Unix(), keep)
		} else if !last {
			a.expire(items[0].start)
		} else {
			a.expire(lastEnd(items))
		}
	}
	if len(items) == 0 {
		return a.nothing(w)
	}
	it, order := items[0], "first"
	if last {
		it, order = items[len(items)-1], "last"
	}
	when := clockOf(a.at(it.start)) + " " + w.Label
	if w.Days > 1 {
		when = clockOf(a.at(it.start)) + " " + a.day(it.start)
	} else if w.Part {
		when = clockOf(a.at(it.start)) + " " + a.day(it.start)
	}
	if a.r.Kind == read.AnyEntry && len(a.r.Subject) == 0 {
		return a.verb(w) + " " + it.title + " " + order + ", at " + when, ""
	}
	is := " is "
	if !w.To.After(a.now) {
		is = " was "
	}
	if len(a.r.Subject) > 0 {
		return a.whose() + " " + order + " " + unarticled(it.title) + is + "at " + when, ""
	}
	return a.whose() + " " + order + " " + a.what(false) + is + it.title + " at " + when, ""
}
