package compass

import (
	"cmp"
	"slices"

	"github.com/askhub/askhub/internal/project/compass/read"
	"github.com/askhub/askhub/plan"
)

// schoolDay are the lessons of a stretch of time, and what the calendar says of a day
// without school.
func (l *looking) schoolDay() plan.Result {
	w, no := l.span()
	if no != nil {
		return *no
	}
	items := l.between(w.From.Unix(), w.To.Unix(), func(it *item) bool { return it.lesson || it.off })
	if len(items) > 0 {
		return l.found(items)
	}
	if no := l.covered(w.From.Unix(), w.To.Unix()); no != nil {
		return *no
	}
	if _, any := l.after(0, isLesson); !any {
		return whyNot(whyNoLessons, School)
	}
	return l.found(nil)
}

// schoolEdge is the first or last lesson of the day that "school starts" or "school
// ends" means, with what else the calendar says of that day.
func (l *looking) schoolEdge() plan.Result {
	w, no := l.span()
	if no != nil {
		return *no
	}
	if w.Days > 1 {
		return whyNot(whyManyDays, "")
	}
	last := l.tool == lastLesson || l.tool == untilLast
	items, ok := l.edgeOf(w, last, isLesson)
	if !ok {
		return whyNot(whyNoneAhead, School)
	}
	if len(items) == 0 {
		if off := l.between(w.From.Unix(), w.To.Unix(), isOff); len(off) > 0 {
			return l.found(off)
		}
		return l.nothing(w)
	}
	it := items[0]
	end := it.start
	if last {
		end = lastEnd(items)
		it = *slicesLast(items, func(it *item) bool { return it.end == end })
	}
	l.expire(end)
	from := read.Midnight(l.at(it.start), 0)
	r := l.found(append([]item{it}, l.between(from.Unix(), read.Midnight(from, 1).Unix(), isOff)...))
	for _, off := range r.Rows[1:] {
		delete(off.Fields, "starts") // a day off is no first lesson
	}
	if l.tool == untilFirst || l.tool == untilLast {
		r = l.distance(l.found([]item{it}), end)
	}
	return r
}

func slicesLast(items []item, is func(*item) bool) *item {
	for i := len(items) - 1; i > 0; i-- {
		if is(&items[i]) {
			return &items[i]
		}
	}
	return &items[0]
}

// homework is what is to be done, or what was.
func (l *looking) homework() plan.Result {
	if len(l.tasks) == 0 {
		return whyNot(whyNoHomework, School)
	}
	named := keepItems(l.tasks, func(it *item) bool { return it.named(l.stems) })
	open := keepItems(named, func(it *item) bool { return !it.done })
	t := l.now.Unix()
	w, _ := l.window(l.now)
	dated := l.wanted.span.Named() && !w.Part // homework tonight is what is to be done, and not what is due tonight
	switch {
	case l.tool == homeworkIsDone:
		if len(named) == 0 {
			return whyNot(whyNoSuchWork, "")
		}
		if len(open) == 0 {
			return l.found(named)
		}
		return l.found(open)
	case l.tool == overdueTool:
		open = keepItems(open, func(it *item) bool { return !it.undated && l.dueBy(it) <= t })
	case dated:
		from, to := w.From.Unix(), w.To.Unix()
		if !w.To.After(l.now) {
			open = named // what was due is asked, and not what is left
			slices.SortFunc(open, func(a, b item) int { return cmp.Compare(a.end, b.end) })
		}
		open = keepItems(open, func(it *item) bool { return !it.undated && it.end >= from && it.end < to })
		if len(open) == 0 && to > l.to {
			return whyNot(whyTooFar, "")
		}
	}
	for _, it := range open {
		if !it.undated {
			l.expire(l.dueBy(&it))
		}
	}
	if len(open) == 0 {
		if no := l.unknown(); no != nil {
			return *no
		}
	}
	return l.found(open)
}

// dueBy is the instant from which a task is late: the end of its day for a date.
func (l *looking) dueBy(it *item) int64 {
	if it.allDay {
		return read.Midnight(l.at(it.end), 1).Unix()
	}
	return it.end
}

// taskNamed is the first open task of that name.
func (l *looking) taskNamed() (item, bool) {
	if len(l.stems) == 0 {
		return item{}, false
	}
	for _, it := range l.tasks {
		if !it.done && it.named(l.stems) && (it.undated || l.dueBy(&it) > l.now.Unix()) {
			return it, true
		}
	}
	return item{}, false
}
