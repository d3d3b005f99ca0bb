package compass

import (
	"slices"
	"strconv"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/project/compass/read"
)

const (
	// maxNamed is how many items one sentence names before it sums up.
	maxNamed = 6
	// maxAlso is how many it names beside a summed-up timetable.
	maxAlso = 4
	// soon is how far "coming up" looks at first.
	soon = 30
)

// span is the stretch of time in question: what was named, or today.
func (a *answering) span() (w read.Window, why string) {
	if a.r.Window != nil {
		w = *a.r.Window
	} else {
		w = read.Window{From: read.Midnight(a.now, 0), To: midnightAfter(a.now), Label: "today", Days: 1}
	}
	if today := read.Midnight(a.now, 0); w.Days > 1 && a.r.Intent != read.Count && !a.r.Past && w.From.Before(today) && w.To.After(today) {
		// Nobody asks on a Thursday what Monday brought.
		w.From, w.Label = today, "for the rest of "+strings.TrimPrefix(w.Label, "in ")
		w.Day = w.Label
	}
	if !a.r.AfterSchool && !a.r.BeforeSchool {
		return w, ""
	}
	lessons := a.between(w.From.Unix(), w.To.Unix(), func(it *item) bool { return it.lesson })
	if w.Days > 1 {
		return w, read.WhyManyDays
	}
	if len(lessons) == 0 {
		return w, a.have() + " no lessons " + w.Label + ", so there is no end of school to go by"
	}
	day := w.From
	if a.r.AfterSchool {
		w.From, w.Label = a.at(lastEnd(lessons)), "after school "+w.Label
	} else {
		w.To, w.Label = a.at(lessons[0].start), "before school "+w.Label
	}
	w.Part = true
	if w.To.Before(w.From) {
		w.To = read.Midnight(day, 1)
	}
	return w, ""
}

func lastEnd(items []item) int64 {
	var end int64
	for _, it := range items {
		end = max(end, it.end)
	}
	return end
}

func (a *answering) agenda() (said, why string) {
	if a.r.Now {
		return a.rightNow()
	}
	if a.r.Beside != read.NotBeside {
		return a.beside()
	}
	if w := a.r.Window; a.r.Left && (w == nil || w.Days == 1 && !w.From.After(a.now) && w.To.After(a.now)) {
		a.r.Window = &read.Window{From: a.now, To: midnightAfter(a.now), Label: "for the rest of today", Days: 1, Part: true}
	}
	if a.r.Window == nil && a.r.Days {
		a.r.Window = &read.Window{From: read.Midnight(a.now, 0), To: read.Midnight(a.now, 7), Label: "in the next 7 days", Days: 7}
	}
	if a.r.Window == nil && (a.r.Upcoming || a.r.Kind == read.Appointment || len(a.r.Subject) > 0) && !a.r.AfterSchool && !a.r.BeforeSchool {
		return a.comingUp()
	}
	w, why := a.span()
	if why != "" {
		return "", why
	}
	items := a.between(w.From.Unix(), w.To.Unix(), a.matches)
	if w.Part && w.From.Equal(a.now) {
		// "The rest of today" changes as each thing begins and ends.
		for _, it := range items {
			a.expire(it.start)
			a.expire(it.end)
		}
	}
	if len(items) == 0 {
		return a.nothing(w)
	}
	return a.listed(items, w), ""
}

// nothing says that there is nothing in w, where the calendars can tell.
func (a *answering) nothing(w read.Window) (said, why string) {
	if why := a.covered(w.From.Unix(), w.To.Unix()); why != "" {
		return "", why
	}
	have := a.verb(w)
	switch {
	case len(a.r.Subject) > 0 || a.r.Kind != read.AnyEntry:
		return a.lacks(have) + " no " + a.what(true) + " " + w.Label, ""
	case a.domain() != "":
		return have + " nothing in the " + a.domain() + " calendar " + w.Label, ""
	case strings.HasPrefix(w.Label, "on "):
		return have + " nothing planned " + w.Label, ""
	}
	return have + " nothing on " + w.Label, ""
}

// verb is "Harry has", and "Harry had" for what is over.
func (a *answering) verb(w read.Window) string {
	if w.To.After(a.now) {
		return a.have()
	}
	return a.whom() + " had"
}

// listed names all items, or sums them up where they are many.
func (a *answering) listed(items []item, w read.Window) string {
	if len(items) <= maxNamed || a.list || a.r.All {
		said := a.named(items, w)
		if ask.CheckSentence(said, a.list) == nil {
			return said
		}
	}
	return a.summed(items, w)
}

func (a *answering) named(items []item, w read.Window) string {
	return a.verb(w) + " " + join(a.phrases(items, w)) + " " + label(w)
}

// label is the window as it stands at the end of a list; "after 15:00 today" is
// "today" there, for each item says its own time.
func label(w read.Window) string {
	if w.Day != "" && !strings.Contains(w.Label, "school") {
		return w.Day
	}
	return w.Label
}

func (a *answering) phrases(items []item, w read.Window) []string {
	parts := make([]string, len(items))
	for i, it := range items {
		if w.Days > 1 {
			parts[i] = a.inWeek(it, &w)
		} else {
			parts[i] = a.onDay(it, w.From)
		}
	}
	return parts
}

// summed is one sentence about many items, which leaves nothing out: lessons and the
// rest are counted, and the rest is named where it is short.
func (a *answering) summed(items []item, w read.Window) string {
	var lessons, other []item
	for _, it := range items {
		if it.lesson {
			lessons = append(lessons, it)
		} else {
			other = append(other, it)
		}
	}
	if len(lessons) < 3 {
		return a.verb(w) + " " + strconv.Itoa(len(items)) + " things on " + w.Label + ", starting with " + a.first(items, w)
	}
	said := a.verb(w) + " " + plural(len(lessons), "lesson")
	if w.Days == 1 {
		said += " from " + clockOf(a.at(lessons[0].start)) + " to " + clockOf(a.at(lastEnd(lessons)))
	}
	switch {
	case len(other) == 0:
	case len(other) <= maxAlso:
		also := said + " " + w.Label + startingWith(lessons, w) + ", and also " + join(a.phrases(other, w))
		if ask.CheckSentence(also, a.list) == nil {
			return also
		}
		fallthrough
	default:
		said += " and " + plural(len(other), "other thing")
	}
	return said + " " + w.Label + startingWith(lessons, w)
}

func startingWith(lessons []item, w read.Window) string {
	if w.Days > 1 {
		return ""
	}
	return ", starting with " + lessons[0].title
}

func (a *answering) first(items []item, w read.Window) string {
	return a.phrases(items[:1], w)[0]
}

// rightNow is what is on at this moment.
func (a *answering) rightNow() (said, why string) {
	t := a.now.Unix()
	items := a.between(t, t+1, func(it *item) bool { return it.start <= t && a.matches(it) })
	if next, ok := a.after(t, a.matches); ok {
		a.expire(next.start)
	}
	timed := slices.DeleteFunc(slices.Clone(items), func(it item) bool { return it.allDay })
	if len(timed) > 0 {
		items = timed
	}
	if len(items) == 0 {
		if why := a.covered(t, t+1); why != "" {
			return "", why
		}
		if len(a.r.Subject) > 0 || a.r.Kind != read.AnyEntry {
			return a.have() + " no " + a.what(false) + " now", ""
		}
		return a.have() + " nothing on now", ""
	}
	var parts []string
	for _, it := range items {
		a.expire(it.end)
		if it.allDay {
			parts = append(parts, it.title+" all day")
		} else {
			parts = append(parts, it.title+" until "+clockOf(a.at(it.end)))
		}
	}
	if len(parts) > maxNamed {
		return a.have() + " " + strconv.Itoa(len(parts)) + " things on now", ""
	}
	return a.have() + " " + join(parts) + " now", ""
}

// comingUp is what is on in the next weeks, or else the next one after.
func (a *answering) comingUp() (said, why string) {
	w := read.Window{From: a.now, To: read.Midnight(a.now, soon), Label: "in the next " + strconv.Itoa(soon) + " days", Days: soon}
	keep := a.matches
	if len(a.r.Subject) == 0 && a.r.Kind == read.AnyEntry {
		// The timetable goes on; what is coming up is what else there is.
		keep = func(it *item) bool { return a.matches(it) && !it.lesson }
	}
	items := a.between(w.From.Unix(), w.To.Unix(), func(it *item) bool { return it.start >= a.now.Unix() && keep(it) })
	if len(items) > 0 {
		a.expire(items[0].start)
	}
	switch {
	case len(items) == 1:
		return a.have() + " " + a.dated(items[0]), ""
	case len(items) > 0 && len(items) <= maxNamed:
		var parts []string
		for _, it := range items {
			parts = append(parts, a.dated(it))
		}
		if said := a.have() + " " + join(parts); ask.CheckSentence(said, a.list) == nil {
			return said, ""
		}
		fallthrough
	case len(items) > 0:
		return a.have() + " " + strconv.Itoa(len(items)) + " " + a.what(true) + " " + w.Label + ", starting with " + a.dated(items[0]), ""
	}
	next, ok := a.after(a.now.Unix(), keep)
	if !ok {
		return a.noneComing()
	}
	return a.have() + " " + a.dated(next), ""
}

// noneComing says that nothing of the kind is ahead, where that means something.
func (a *answering) noneComing() (said, why string) {
	if why := a.unknown(); why != "" {
		return "", why
	}
	if why := a.covered(a.now.Unix(), a.to); why != "" {
		return "", why
	}
	have := a.lacks(a.have())
	if len(a.r.Subject) > 0 {
		have = a.whose() + " calendar has" // the future is open: it may come to be planned
	}
	return have + " no " + a.what(true) + " coming up", ""
}

// lacks is "Harry has" for what the calendars know of and "Harry's calendar has" for
// what they never name: it may be all the same, and only the calendar has none.
func (a *answering) lacks(have string) string {
	for _, s := range a.r.Subject {
		if !a.vocab[s] {
			if have == a.have() {
				return a.whose() + " calendar has"
			}
			return a.whose() + " calendar had"
		}
	}
	return have
}

// unknown says why the absence of a name means nothing: the calendars never use it,
// and no school or health calendar is expected to.
func (a *answering) unknown() string {
	for _, s := range a.r.Subject {
		if !a.vocab[s] && !read.Known(s) {
			return "no entry in " + a.whose() + " calendars is called that"
		}
	}
	if d := a.domain(); d != "" && !a.hasTag[d] {
		return a.noCalendar()
	}
	return ""
}
