package compass

import (
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/project/compass/read"
)

// found is the item that a question about one thing means: within the window that
// was named, or else the one that is on now, or the next.
func (a *answering) found() (it item, why string) {
	if w := a.r.Window; w != nil || a.r.AfterSchool || a.r.BeforeSchool {
		span, why := a.span()
		if why != "" {
			return item{}, why
		}
		items := a.between(span.From.Unix(), span.To.Unix(), a.matches)
		if a.r.Order == read.OrderLast && len(items) > 0 {
			return items[len(items)-1], ""
		}
		if len(items) > 0 {
			return items[0], ""
		}
		return item{}, ""
	}
	t := a.now.Unix()
	if a.r.Past {
		it, _ = a.before(t, a.matches)
		return it, ""
	}
	if a.r.Order != read.OrderNext {
		if on := a.between(t, t+1, func(it *item) bool { return it.start <= t && a.matches(it) }); len(on) > 0 {
			return on[0], ""
		}
	}
	it, _ = a.after(t, a.matches)
	return it, ""
}

// absent says that what was asked for is not there, where the calendars can tell.
func (a *answering) absent() (said, why string) {
	if why := a.unknown(); why != "" {
		return "", why
	}
	if a.r.Past && a.r.Window == nil {
		return a.whom() + " had no " + a.what(false) + " in the last year that the calendar knows of", ""
	}
	if a.r.Window == nil {
		return a.noneComing()
	}
	w, why := a.span()
	if why != "" {
		return "", why
	}
	if why := a.covered(w.From.Unix(), w.To.Unix()); why != "" {
		return "", why
	}
	return a.lacks(a.verb(w)) + " no " + a.what(false) + " " + w.Label, ""
}

// whenIs is when something is: its start, or its end where that was asked for.
func (a *answering) whenIs() (said, why string) {
	it, why := a.found()
	if why != "" {
		return "", why
	}
	if it.entry == nil {
		if task, ok := a.taskNamed(); ok {
			return a.dueTask(task), ""
		}
		if len(a.r.Subject) == 1 && a.r.Subject[0] == termStem {
			return "", a.whose() + " calendar does not say that"
		}
		return a.absent()
	}
	a.expire(it.start)
	a.expire(it.end)
	verb := a.have()
	if it.end <= a.now.Unix() && it.end != it.start || it.start < a.now.Unix() && it.end == it.start {
		verb = a.whom() + " had"
	}
	switch {
	case a.r.Ends && it.named([]string{endStem}):
		// "End of term" does not end, it is the end.
		return verb + " " + a.dated(it), ""
	case a.r.Ends && !it.allDay:
		return a.whose() + " " + unarticled(it.title) + " ends at " + clockOf(a.at(it.end)) + " " + a.day(it.end), ""
	case a.r.Ends:
		return a.whose() + " " + unarticled(it.title) + " ends " + a.day(lastDay(it)), ""
	case a.isOn(it) && !it.allDay:
		return a.have() + " " + it.title + " now, until " + clockOf(a.at(it.end)), ""
	}
	if w := a.r.Window; w != nil {
		// All of that name within the window, as there may be two.
		span, _ := a.span()
		items := a.between(span.From.Unix(), span.To.Unix(), a.matches)
		if len(items) > 1 && len(items) <= maxNamed {
			return a.named(items, span), ""
		}
	}
	return verb + " " + a.dated(it), ""
}

var endStem = read.Stem("end")

func (a *answering) isOn(it item) bool { return it.start <= a.now.Unix() && a.now.Unix() < it.end }

// unarticled is a title without its "a", to stand after "Harry's".
func unarticled(title string) string {
	for _, art := range []string{"a ", "an ", "the "} {
		if rest, ok := strings.CutPrefix(title, art); ok {
			if practitioners[strings.ToLower(rest)] {
				return rest + " appointment"
			}
			return rest
		}
	}
	return title
}

// has is whether something is on, with yes or no in front.
func (a *answering) has() (said, why string) {
	if a.r.Now {
		said, why = a.rightNow()
		return said, why
	}
	if a.r.Window == nil && !a.r.AfterSchool && !a.r.BeforeSchool {
		it, _ := a.found()
		if it.entry == nil {
			if task, ok := a.taskNamed(); ok && len(a.r.Subject) > 0 {
				return "yes, " + a.dueTask(task), ""
			}
			said, why = a.absent()
			return no(said), why
		}
		a.expire(it.start)
		a.expire(it.end)
		if a.isOn(it) && !it.allDay {
			return "yes, " + a.have() + " " + it.title + " now, until " + clockOf(a.at(it.end)), ""
		}
		return "yes, " + a.have() + " " + a.dated(it), ""
	}
	w, why := a.span()
	if why != "" {
		return "", why
	}
	items := a.between(w.From.Unix(), w.To.Unix(), a.matches)
	if len(items) > 0 {
		return "yes, " + a.listed(items, w), ""
	}
	if w.Part && len(a.r.Subject) > 0 {
		// Not then, and maybe at another time of that day.
		day := read.Midnight(w.From, 0)
		whole := read.Window{From: day, To: read.Midnight(day, 1), Label: read.DayLabel(day, a.now), Days: 1}
		if other := a.between(whole.From.Unix(), whole.To.Unix(), a.matches); len(other) > 0 {
			return "no, " + a.listed(other, whole), ""
		}
	}
	if why := a.unknown(); why != "" {
		return "", why
	}
	if why := a.covered(w.From.Unix(), w.To.Unix()); why != "" {
		return "", why
	}
	return "no, " + a.lacks(a.verb(w)) + " no " + a.what(false) + " " + w.Label, ""
}

func no(said string) string {
	if said == "" {
		return ""
	}
	return "no, " + said
}

// count is how many.
func (a *answering) count() (said, why string) {
	w, why := a.span()
	if why != "" {
		return "", why
	}
	switch {
	case a.r.Window != nil:
	case a.r.Kind == read.Appointment || a.r.Health:
		w = read.Window{From: a.now, To: read.Midnight(a.now, daysAhead-1), Label: "coming up", Days: daysAhead}
	case len(a.r.Subject) > 0:
		w = read.ThisWeek(a.now)
	}
	if a.r.Left && w.From.Before(a.now) {
		w.From = a.now
	}
	items := a.between(w.From.Unix(), w.To.Unix(), func(it *item) bool {
		return a.matches(it) && (!a.r.Left || it.start >= a.now.Unix())
	})
	if a.r.Left && len(items) > 0 {
		a.expire(items[0].start)
	}
	if len(items) == 0 {
		if why := a.unknown(); why != "" {
			return "", why
		}
		return a.nothing(w)
	}
	more := ""
	if a.r.Left {
		more = " more"
	}
	if a.r.Days {
		days := map[time.Time]bool{}
		for _, it := range items {
			days[a.dayOf(it.start)] = true
		}
		what := a.what(true)
		if len(a.r.Subject) > 0 {
			what = a.what(false)
		}
		return a.verb(w) + " " + what + " on " + strings.Replace(plural(len(days), "day"), " day", more+" day", 1) + " " + w.Label, ""
	}
	if len(a.r.Subject) > 0 && a.r.Kind == read.AnyEntry {
		times := " " + strconv.Itoa(len(items)) + more + " times "
		if len(items) == 1 {
			times = " once" + more + " "
		}
		return a.verb(w) + " " + shown(cleanText(a.r.Words, maxTitle)) + times + w.Label, ""
	}
	if len(items) == 1 {
		return a.verb(w) + " one" + more + " " + a.what(false) + " " + w.Label, ""
	}
	return a.verb(w) + " " + strconv.Itoa(len(items)) + more + " " + a.what(true) + " " + w.Label, ""
}

// beside is what comes right after or before something, on the same day.
func (a *answering) beside() (said, why string) {
	if a.r.Window == nil {
		a.r.Window = &read.Window{From: read.Midnight(a.now, 0), To: midnightAfter(a.now), Label: "today", Days: 1}
	}
	mark, why := a.found()
	if why != "" {
		return "", why
	}
	if mark.entry == nil || mark.allDay {
		return a.absent()
	}
	day := a.dayOf(mark.start)
	others := a.between(mark.start-24*3600, mark.end+24*3600, func(it *item) bool {
		return !it.allDay && a.dayOf(it.start).Equal(day) && it.entry != mark.entry
	})
	var found *item
	word := "after"
	if a.r.Beside == read.RightAfter {
		for i := range others {
			if others[i].start >= mark.end {
				found = &others[i]
				break
			}
		}
	} else {
		word = "before"
		for i := range others {
			if others[i].end <= mark.start {
				found = &others[i]
			}
		}
	}
	label := read.DayLabel(a.at(mark.start), a.now)
	if found == nil {
		return a.have() + " nothing on " + word + " " + mark.title + " " + label, ""
	}
	return a.have() + " " + found.title + " " + word + " " + unarticled(mark.title) + ", at " + clockOf(a.at(found.start)) + " " + label, ""
}

// untilIt is how long it is until something starts.
func (a *answering) untilIt() (said, why string) {
	if len(a.r.Subject) == 0 && a.r.School && a.r.Kind == read.AnyEntry {
		return a.untilSchool()
	}
	if !a.r.Ends {
		a.r.Order = read.OrderNext
	}
	it, why := a.found()
	if why != "" {
		return "", why
	}
	if it.entry == nil {
		return a.absent()
	}
	a.expire(it.start)
	if a.r.Ends && !it.named([]string{endStem}) {
		if it.allDay {
			return "it is " + a.distance(lastDay(it)) + " until the last day of " + a.whose() + " " + unarticled(it.title) + " " + a.day(lastDay(it)), ""
		}
		return "it is " + a.distance(it.end) + " until " + a.whose() + " " + unarticled(it.title) + " ends at " + clockOf(a.at(it.end)) + " " + a.day(it.end), ""
	}
	return "it is " + a.distance(it.start) + " until " + a.whose() + " " + unarticled(it.title) + a.exactly(it), ""
}

// distance is how far away an instant is: in days from tomorrow's tomorrow on, else
// in hours and minutes.
func (a *answering) distance(unix int64) string {
	days := int(a.dayOf(unix).Sub(a.dayOf(a.now.Unix())) / (24 * time.Hour))
	if days >= 2 {
		return plural(days, "day")
	}
	a.until = earlier(a.until, a.now.Truncate(time.Minute).Add(time.Minute))
	return lasting(a.at(unix).Sub(a.now).Round(time.Minute))
}

func (a *answering) exactly(it item) string {
	if it.allDay {
		return " " + a.day(it.start)
	}
	return " at " + clockOf(a.at(it.start)) + " " + a.day(it.start)
}

// length is how long something lasts.
func (a *answering) length() (said, why string) {
	it, why := a.found()
	if why != "" {
		return "", why
	}
	if it.entry == nil {
		return a.absent()
	}
	a.expire(it.end)
	name := a.whose() + " " + unarticled(it.title)
	switch {
	case it.allDay:
		days := int(a.dayOf(lastDay(it)).Sub(a.dayOf(it.start))/(24*time.Hour)) + 1
		return name + " lasts " + plural(days, "day") + ", from " + strings.TrimPrefix(a.day(it.start), "on "), ""
	case it.end == it.start:
		return "", "the calendar does not say how long that lasts"
	}
	return name + a.exactly(it) + " lasts " + lasting(time.Duration(it.end-it.start)*time.Second), ""
}

// where is the place of something.
func (a *answering) where() (said, why string) {
	var it item
	if a.r.Now && len(a.r.Subject) == 0 {
		t := a.now.Unix()
		on := a.between(t, t+1, func(it *item) bool { return it.start <= t && !it.allDay && a.matches(it) })
		if len(on) == 0 {
			return a.rightNow()
		}
		it = on[0]
	} else if it, why = a.found(); why != "" {
		return "", why
	}
	if it.entry == nil {
		return a.absent()
	}
	a.expire(it.end)
	if it.place == "" {
		return "", "the calendar does not say where " + a.whose() + " " + unarticled(it.title) + " is"
	}
	if a.isOn(it) && !it.allDay {
		return a.have() + " " + it.title + " " + place(it) + " now, until " + clockOf(a.at(it.end)), ""
	}
	return a.have() + " " + it.title + " " + place(it) + a.exactly(it), ""
}

// place is "in Room 12", "in the sports hall", "at the Mill Lane Dental Practice".
func place(it item) string {
	words := strings.Fields(it.place)
	prep := "in "
	if it.tag == Health {
		prep = "at "
	}
	if !common[strings.ToLower(words[len(words)-1])] || strings.EqualFold(words[0], "the") {
		return prep + it.place
	}
	for i, w := range words {
		if low := strings.ToLower(w); (common[low] || ordinary[low]) && (i == 0 || common[strings.ToLower(words[0])] || ordinary[strings.ToLower(words[0])]) {
			words[i] = low
		}
	}
	return prep + "the " + strings.Join(words, " ")
}

// common are places that want "the".
var common = wordSet(`hall studio library room pool field gym gymnasium playground court courts clinic practice surgery hospital office theatre canteen lab
 laboratory kitchen workshop foyer chapel centre`)

// free is whether nothing with a time of day is on.
func (a *answering) free() (said, why string) {
	busyAsked := a.r.Done
	w, why := a.span()
	if why != "" {
		return "", why
	}
	if a.r.Now {
		w = read.Window{From: a.now, To: a.now.Add(time.Second), Label: "now", Days: 1, Part: true}
	}
	items := a.between(w.From.Unix(), w.To.Unix(), func(it *item) bool { return a.matches(it) && !it.off })
	for _, it := range items {
		if w.Part {
			a.expire(it.start)
			a.expire(it.end)
		}
	}
	yes, noWord := "yes, ", "no, "
	if busyAsked {
		yes, noWord = noWord, yes
	}
	if len(items) == 0 {
		said, why := a.nothing(w)
		if why != "" {
			return "", why
		}
		return yes + said, ""
	}
	return noWord + a.listed(items, w), ""
}
