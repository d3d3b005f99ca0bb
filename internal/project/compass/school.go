package compass

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/askhub/askhub/internal/project/compass/read"
)

func isLesson(it *item) bool { return it.lesson }
func isOff(it *item) bool    { return it.off }

// schoolDay is whether there is school on a day: whether there are lessons, and what
// the calendar says about a day without.
func (a *answering) schoolDay() (said, why string) {
	w, why := a.span()
	if why != "" {
		return "", why
	}
	from, to := w.From.Unix(), w.To.Unix()
	lessons := a.between(from, to, isLesson)
	off := a.between(from, to, isOff)
	switch {
	case len(lessons) > 0 && len(off) > 0 && w.Days == 1:
		return a.verb(w) + " " + plural(len(lessons), "lesson") + " in the calendar " + w.Label + ", but it says " + off[0].title + " too", ""
	case len(lessons) > 0 && w.Days > 1:
		return "yes, " + a.verb(w) + " " + plural(len(lessons), "lesson") + " " + w.Label, ""
	case len(lessons) > 0:
		return "yes, " + a.verb(w) + " " + plural(len(lessons), "lesson") + " from " + clockOf(a.at(lessons[0].start)) + " to " + clockOf(a.at(lastEnd(lessons))) + " " + w.Label, ""
	case len(off) > 0:
		return "no, " + a.verb(w) + " " + off[0].title + " " + w.Label, ""
	}
	if why := a.covered(from, to); why != "" {
		return "", why
	}
	if _, any := a.after(0, isLesson); !any {
		return "", a.whose() + " school calendar holds no lessons"
	}
	return "no, " + a.verb(w) + " no lessons " + w.Label, ""
}

// schoolTimes are the lessons of the day that "school starts" or "school ends"
// means: the day that was named, or today until that is over, or the next with any.
func (a *answering) schoolTimes(ends bool) (lessons []item, w read.Window, said, why string) {
	w, why = a.span()
	if why != "" {
		return nil, w, "", why
	}
	if w.Days > 1 {
		return nil, w, "", read.WhyManyDays
	}
	lessons = a.between(w.From.Unix(), w.To.Unix(), isLesson)
	if a.r.Window == nil {
		t := a.now.Unix()
		if len(lessons) == 0 || !ends && lessons[0].start <= t || ends && lastEnd(lessons) <= t {
			next, ok := a.after(max(t, w.To.Unix()-1), isLesson)
			if !ok {
				return nil, w, "", a.whose() + " school calendar has no lessons ahead"
			}
			from := read.Midnight(a.at(next.start), 0)
			w = read.Window{From: from, To: read.Midnight(from, 1), Label: read.DayLabel(from, a.now), Days: 1}
			lessons = a.between(w.From.Unix(), w.To.Unix(), isLesson)
		}
	}
	if len(lessons) == 0 {
		if off := a.between(w.From.Unix(), w.To.Unix(), isOff); len(off) > 0 {
			return nil, w, a.verb(w) + " no lessons " + w.Label + ", but " + off[0].title, ""
		}
		if why := a.covered(w.From.Unix(), w.To.Unix()); why != "" {
			return nil, w, "", why
		}
		return nil, w, a.verb(w) + " no lessons " + w.Label, ""
	}
	return lessons, w, "", ""
}

// schoolEnd is when school starts or ends, said as the first or last lesson, for
// that is what a timetable knows.
func (a *answering) schoolEnd() (said, why string) {
	lessons, w, said, why := a.schoolTimes(a.r.Ends)
	if said != "" || why != "" {
		return said, why
	}
	but := ""
	if off := a.between(w.From.Unix(), w.To.Unix(), isOff); len(off) > 0 {
		but = ", but the calendar says " + off[0].title + " too"
	}
	if !a.r.Ends {
		a.expire(lessons[0].start)
		return a.whose() + " first lesson " + w.Label + past(w, a.now, " was ", " is ") + lessons[0].title + " at " + clockOf(a.at(lessons[0].start)) + but, ""
	}
	end := lastEnd(lessons)
	a.expire(end)
	last := lessons[0]
	for _, it := range lessons {
		if it.end == end {
			last = it
		}
	}
	return a.whose() + " last lesson " + w.Label + past(w, a.now, " was ", " is ") + last.title + ", which" + past(w, a.now, " ended ", " ends ") + "at " + clockOf(a.at(end)) + but, ""
}

func past(w read.Window, now time.Time, was, is string) string {
	if w.To.After(now) {
		return is
	}
	return was
}

// untilSchool is how long it is until the first lesson starts or the last one ends.
func (a *answering) untilSchool() (said, why string) {
	lessons, w, said, why := a.schoolTimes(a.r.Ends)
	if said != "" || why != "" {
		return said, why
	}
	if a.r.Ends {
		end := lastEnd(lessons)
		return "it is " + a.distance(end) + " until " + a.whose() + " last lesson ends at " + clockOf(a.at(end)) + " " + w.Label, ""
	}
	return "it is " + a.distance(lessons[0].start) + " until " + a.whose() + " first lesson at " + clockOf(a.at(lessons[0].start)) + " " + w.Label, ""
}

// homework is what is due.
func (a *answering) homework() (said, why string) {
	named := func(it *item) bool { return it.named(a.r.Subject) }
	var open, done []item
	for i := range a.tasks {
		if it := &a.tasks[i]; it.done && named(it) {
			done = append(done, *it)
		} else if named(it) {
			open = append(open, *it)
		}
	}
	if len(a.tasks) == 0 {
		return "", a.whose() + " school calendar holds no homework"
	}
	if a.r.Done {
		return a.homeworkDone(open, done)
	}
	if w := a.r.Window; w != nil && w.Part {
		a.r.Window = nil // homework tonight is what is to be done, and not what is due tonight
	}
	label := " due"
	t := a.now.Unix()
	switch w := a.r.Window; {
	case a.r.Overdue:
		open = keepItems(open, func(it *item) bool { return !it.undated && a.dueBy(it) <= t })
		label = " overdue"
	case w != nil:
		from, to := w.From.Unix(), w.To.Unix()
		if !w.To.After(a.now) {
			open = append(open, done...) // what was due is asked, and not what is left
			slices.SortFunc(open, func(a, b item) int { return cmp.Compare(a.end, b.end) })
		}
		open = keepItems(open, func(it *item) bool { return !it.undated && it.end >= from && it.end < to })
		label = " due " + w.Label
		if len(open) == 0 && to > a.to {
			return "", "that is further away than the calendars are read"
		}
	}
	for _, it := range open {
		if !it.undated {
			a.expire(a.dueBy(&it))
		}
	}
	if len(open) == 0 {
		if why := a.unknown(); why != "" {
			return "", why
		}
		what := "homework"
		if len(a.r.Subject) > 0 {
			what = shown(cleanText(a.r.Words, maxTitle)) + " homework"
		}
		if a.r.Overdue {
			return a.have() + " no overdue " + what, ""
		}
		if w := a.r.Window; w != nil {
			return a.verb(*w) + " no " + what + label, ""
		}
		return a.have() + " no " + what + label, ""
	}
	if len(open) > maxNamed && !a.list {
		return a.have() + " " + pieces(len(open)) + label + ", starting with " + a.due(open[0]), ""
	}
	var parts []string
	for _, it := range open {
		if w := a.r.Window; w != nil && w.Days == 1 && !a.r.Overdue {
			parts = append(parts, it.title)
		} else {
			parts = append(parts, a.due(it))
		}
	}
	have := a.have()
	if w := a.r.Window; w != nil {
		have = a.verb(*w)
	}
	said = have + " " + join(parts)
	if w := a.r.Window; w != nil && w.Days == 1 && !a.r.Overdue {
		said += label
	}
	if len([]rune(said)) > 240 {
		return a.have() + " " + pieces(len(open)) + label + ", starting with " + a.due(open[0]), ""
	}
	return said, ""
}

func keepItems(items []item, keep func(*item) bool) []item {
	var out []item
	for i := range items {
		if keep(&items[i]) {
			out = append(out, items[i])
		}
	}
	return out
}

// dueBy is the instant from which a task is late: the end of its day for a date.
func (a *answering) dueBy(it *item) int64 {
	if it.allDay {
		return read.Midnight(a.at(it.end), 1).Unix()
	}
	return it.end
}

// due is a task with when it is due: "a maths worksheet due tomorrow".
func (a *answering) due(it item) string {
	switch {
	case it.undated:
		return it.title + " without a date"
	case a.dueBy(&it) <= a.now.Unix():
		return it.title + " that was due " + a.day(it.end)
	}
	return it.title + " due " + a.day(it.end)
}

func (a *answering) dueTask(it item) string { return a.have() + " " + a.due(it) }

// taskNamed is the first open task of that name.
func (a *answering) taskNamed() (item, bool) {
	if len(a.r.Subject) == 0 {
		return item{}, false
	}
	for _, it := range a.tasks {
		if !it.done && it.named(a.r.Subject) && (it.undated || a.dueBy(&it) > a.now.Unix()) {
			return it, true
		}
	}
	return item{}, false
}

func (a *answering) homeworkDone(open, done []item) (said, why string) {
	switch {
	case len(a.r.Subject) == 0 && len(open) == 0:
		return "yes, all of " + a.whose() + " homework is marked as done", ""
	case len(a.r.Subject) == 0 && len(open) > 1:
		return "no, " + pieces(len(open)) + " are not marked as done", ""
	case len(open) > 0:
		return "no, " + a.whose() + " " + unarticled(open[0].title) + " is not marked as done", ""
	case len(done) > 0:
		return "yes, " + a.whose() + " " + unarticled(done[len(done)-1].title) + " is marked as done", ""
	}
	return "", "no homework of that name is in " + a.whose() + " calendar"
}

func pieces(n int) string {
	if n == 1 {
		return "one piece of homework"
	}
	return strconv.Itoa(n) + " pieces of homework"
}
