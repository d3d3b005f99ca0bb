package compass

import (
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
)

func inTheNext(days int) string { return "in the next " + strconv.Itoa(days) + " days" }

// agenda is what is on in the window.
func (s *saying) agenda() []string {
	if len(s.items) == 0 {
		return one(s.nothing())
	}
	return s.listed(s.items, s.win)
}

// nothing says that there is nothing in the window.
func (s *saying) nothing() string {
	have := s.verb(s.win)
	switch {
	case s.subject != "" || s.kind != "":
		return s.lacks(have) + " no " + s.what(true) + " " + s.then()
	case s.tag != "":
		return have + " nothing in the " + s.tag + " calendar " + s.then()
	case strings.HasPrefix(s.win.Label, "on "):
		return have + " nothing planned " + s.then()
	}
	return have + " nothing on " + s.then()
}

// verb is "Harry has", and "Harry had" for what is over.
func (s *saying) verb(w read.Window) string {
	if w.To.After(s.now) {
		return s.have()
	}
	return s.whom() + " had"
}

// listed names all items, or sums them up where they are many.
func (s *saying) listed(items []item, w read.Window) []string {
	var out []string
	if len(items) <= maxNamed || s.list || s.all {
		for _, said := range s.named(items, w) {
			if ask.CheckSentence(said, s.list) == nil {
				out = append(out, said)
			}
		}
	}
	return append(out, s.summed(items, w)...)
}

func (s *saying) named(items []item, w read.Window) []string {
	said, over := s.phrases(items, w)
	if said == "" { // "a trip until Friday"
		var parts []string
		for _, it := range items {
			parts = append(parts, s.onDay(it, w.From))
		}
		return one(s.verb(w) + " " + join(parts))
	}
	said = s.verb(w) + " " + said
	if over != "" {
		over = "; " + over
	}
	return []string{said + " " + label(w) + over, said + over} // where each says when it is itself
}

// label is the window as it stands at the end of a list; "after 15:00 today" is
// "today" there, for each item says its own time.
func label(w read.Window) string {
	if w.Day != "" && !strings.Contains(w.Label, "school") {
		return w.Day
	}
	return w.Label
}

// phrases are the items of w: those of the day or the days, and apart from them what
// goes on beyond the day.
func (s *saying) phrases(items []item, w read.Window) (said, over string) {
	var parts, beyond []string
	for _, it := range clockedFirst(items) {
		switch {
		case w.Days > 1:
			parts = append(parts, s.inWeek(it, &w))
		case s.beyond(it):
			beyond = append(beyond, it.title+" lasts until "+strings.TrimPrefix(s.day(lastDay(it)), "on "))
		default:
			parts = append(parts, s.onDay(it, w.From))
		}
	}
	return join(parts), strings.Join(beyond, "; ")
}

// beyond says that an item is no matter of one day.
func (s *saying) beyond(it item) bool {
	return s.severalDays(it) && (it.allDay || it.end-it.start > 24*3600)
}

// summed is one sentence about many items, which leaves nothing out: lessons and the
// rest are counted, and the rest is named where it is short.
func (s *saying) summed(items []item, w read.Window) []string {
	timetable := keepItems(items, isLesson)
	other := keepItems(items, func(it *item) bool { return !it.lesson })
	switch {
	case len(items) < 2:
		return nil
	case len(timetable) < 3:
		return one(s.verb(w) + " " + strconv.Itoa(len(items)) + " things " + w.Label + ", which start with " + s.firstOf(items, w))
	}
	said := s.verb(w) + " " + plural(len(timetable), "lesson")
	first := clockOf(s.at(timetable[0].start))
	switch ends := clockOf(s.at(lastEnd(timetable))); {
	case w.Days > 1:
		said += " " + w.Label
	case len(other) == 0 && w.To.After(s.now):
		said += " from " + first + " to " + ends + " " + w.Label + ", which start with " + timetable[0].title
	case w.To.After(s.now):
		said += " until " + ends + " " + w.Label + ", which start with " + timetable[0].title + " at " + first
	default:
		said += " from " + first + " to " + ends + " " + w.Label
	}
	var out []string
	if len(other) > 0 && len(other) <= maxAlso {
		also, over := s.phrases(other, w)
		if also != "" {
			also = ", and also " + also
		}
		if over != "" {
			over = "; " + over
		}
		if also = said + also + over; ask.CheckSentence(also, s.list) == nil {
			out = append(out, also)
		}
	}
	if len(other) > 0 {
		return append(out, said+", and "+plural(len(items), "thing")+" in total")
	}
	return append(out, said)
}

func (s *saying) firstOf(items []item, w read.Window) string {
	if w.Days > 1 {
		return s.inWeek(items[0], &w)
	}
	return s.onDay(items[0], w.From)
}

// rightNow is what is on at this moment.
func (s *saying) rightNow() string {
	if len(s.items) == 0 {
		if s.subject != "" || s.kind != "" {
			return s.have() + " no " + s.what(false) + " now"
		}
		return s.have() + " nothing on now"
	}
	var parts []string
	for _, it := range s.items {
		if it.allDay {
			parts = append(parts, it.title+" all day")
		} else {
			parts = append(parts, it.title+" until "+clockOf(s.at(it.end)))
		}
	}
	if len(parts) > maxNamed {
		return s.have() + " " + strconv.Itoa(len(parts)) + " things now"
	}
	return s.have() + " " + join(parts) + " now"
}

// coming is what is on in the next weeks, or else the next one after.
func (s *saying) coming() []string {
	switch n := len(s.items); {
	case n == 0:
		return one(s.noneAhead())
	case n == 1:
		return one(s.have() + " " + s.dated(s.items[0]))
	case n <= maxNamed:
		if said := s.datedAll(); ask.CheckSentence(said, s.list) == nil {
			return one(said)
		}
	}
	return one(s.have() + " " + strconv.Itoa(len(s.items)) + " " + s.what(true) + " " + inTheNext(soon) + ", which start with " + s.dated(s.items[0]))
}

func (s *saying) datedAll() string {
	var parts []string
	for _, it := range clockedFirst(s.items) {
		parts = append(parts, s.dated(it))
	}
	return s.have() + " " + join(parts)
}

// noneAhead says that nothing of the kind is ahead.
func (s *saying) noneAhead() string {
	have := s.lacks(s.have())
	if s.subject != "" {
		have = s.whose() + " calendar has" // the future is open: it may come to be planned
	}
	return have + " no " + s.what(true) + " ahead"
}

// lacks is "Harry has" for what the calendars know of and "Harry's calendar has" for
// what they never name: it may be all the same, and only the calendar has none.
func (s *saying) lacks(have string) string {
	if _, never := s.found.Result.Facts[factNever]; !never {
		return have
	}
	if have == s.have() {
		return s.whose() + " calendar has"
	}
	return s.whose() + " calendar had"
}

// absent says that what was asked for is not there.
func (s *saying) absent() []string {
	if s.past && !s.span.Named() || s.tool == pastTool {
		return one(s.whom() + " had no " + s.what(false) + " in the past year that the calendar knows")
	}
	if !s.span.Named() {
		return one(s.noneAhead())
	}
	return one(s.lacks(s.verb(s.win)) + " no " + s.what(false) + " " + s.then())
}

// whenIs is when something is: its start, or its end where that was asked for.
func (s *saying) whenIs() []string {
	if len(s.items) == 0 {
		return s.absent()
	}
	it := s.items[0]
	if s.isTask() {
		return one(s.have() + " " + s.due(it))
	}
	verb := s.have()
	if it.end <= s.now.Unix() && it.end != it.start || it.start < s.now.Unix() && it.end == it.start {
		verb = s.whom() + " had"
	}
	name := s.whose() + " " + unarticled(it.title)
	switch {
	case s.tool == endsTool && it.isAnEnd():
		// "End of term" does not end, it is the end.
		return one(verb + " " + s.dated(it))
	case s.tool == endsTool && !it.allDay:
		return one(name + " ends at " + clockOf(s.at(it.end)) + " " + s.day(it.end))
	case s.tool == endsTool:
		return one(name + " ends " + s.day(lastDay(it)))
	case s.isOn(it) && !it.allDay:
		return one(s.have() + " " + it.title + " now, until " + clockOf(s.at(it.end)))
	case len(s.items) > 1:
		return s.named(s.items, s.win)
	}
	return one(verb + " " + s.dated(it))
}

// isTask says that homework was found.
func (s *saying) isTask() bool {
	_, due := s.found.Result.Rows[0].Fields["due"]
	return due
}

// has is whether something is on, with yes or no in front.
func (s *saying) has() []string {
	if len(s.items) == 0 {
		return polar("no", s.absent())
	}
	it := s.items[0]
	if _, other := s.found.Result.Facts[factOther]; other {
		day, _ := read.Span{From: s.span.From, To: s.span.To}.Window(s.now)
		return s.listed(s.items, day)
	}
	switch {
	case s.isTask():
		return polar("yes", one(s.have()+" "+s.due(it)))
	case s.span.Named():
		return append(s.some(s.win), polar("yes", s.listed(s.items, s.win))...)
	case s.isOn(it) && !it.allDay:
		return polar("yes", one(s.have()+" "+it.title+" now, until "+clockOf(s.at(it.end))))
	}
	return append(s.some(read.Window{}), polar("yes", one(s.have()+" "+s.dated(it)))...)
}

// some says "an appointment" or "3 lessons" before it names them, where a kind was
// asked for: so that it says again what was asked.
func (s *saying) some(w read.Window) []string {
	if s.kind == "" || s.subject != "" || len(s.items) > maxNamed {
		return nil
	}
	what := plural(len(s.items), s.kind)
	if len(s.items) == 1 {
		what = article(s.kind) + " " + s.kind
	}
	if w.Days == 0 {
		return one("yes, " + s.have() + " " + what + ", " + s.dated(s.items[0]))
	}
	said, over := s.phrases(s.items, w)
	if over != "" {
		return nil
	}
	return one("yes, " + s.verb(w) + " " + what + " " + label(w) + ", " + said)
}

// count is how many there are.
func (s *saying) count() []string {
	w := s.win
	switch {
	case s.span.Named():
	case s.kind == appointments || s.tag == Health:
		w.Label, w.To = "ahead", midnightAfter(s.now)
	case s.subject != "":
		w = read.ThisWeek(s.now)
	}
	if len(s.items) == 0 {
		if w.Label == "ahead" {
			return one(s.noneAhead())
		}
		if !s.span.Named() && s.subject != "" {
			return one(s.lacks(s.verb(w)) + " no " + s.what(true) + " until " + strings.TrimPrefix(s.day(w.To.Unix()-1), "on "))
		}
		return one(s.nothing())
	}
	if s.left && w.Label != "ahead" && !strings.HasPrefix(w.Label, "by ") && !strings.HasPrefix(w.Label, "for the rest of") && w.To.After(s.now) {
		w.Label = "for the rest of " + strings.TrimPrefix(strings.TrimPrefix(w.Label, "on "), "in ")
	}
	n, what := len(s.items), shown(cleanText(s.subject, maxTitle))
	switch {
	case s.tool == daysTool:
		n, _ = s.found.Result.Facts["days"].(int)
		if s.subject == "" {
			what = s.what(true)
		}
		said := s.verb(w) + " " + what + " on " + plural(n, "day")
		return []string{said + " " + w.Label, said}
	case s.subject != "" && s.kind == "":
		return one(s.verb(w) + " " + what + " " + plural(n, "time") + " " + w.Label)
	case n == 1:
		return one(s.verb(w) + " one " + s.what(false) + " " + w.Label)
	}
	return one(s.verb(w) + " " + strconv.Itoa(n) + " " + s.what(true) + " " + w.Label)
}

// free is whether nothing with a time of day is on.
func (s *saying) free() []string {
	yes, no := "yes", "no"
	if s.tool == busyTool {
		yes, no = no, yes
	}
	if len(s.items) == 0 {
		return polar(yes, one(s.nothing()))
	}
	return polar(no, s.listed(s.items, s.win))
}

// next is the next of something.
func (s *saying) next() string {
	if len(s.items) == 0 {
		return s.absent()[0]
	}
	it := s.items[0]
	switch {
	case s.subject != "":
		return s.have() + " " + s.dated(it)
	case s.kind != "":
		return s.whose() + " next " + s.what(false) + " is " + s.dated(it)
	}
	return "next, " + s.have() + " " + s.dated(it)
}

// edgeOfDay is the first or last thing of a day.
func (s *saying) edgeOfDay() string {
	if len(s.items) == 0 {
		if !s.span.Named() {
			return s.noneAhead()
		}
		return s.nothing()
	}
	it, order := s.items[0], "first"
	if s.tool == lastTool {
		order = "last"
	}
	when := clockOf(s.at(it.start)) + " " + s.day(it.start)
	if s.kind == "" && s.subject == "" {
		return s.verb(s.win) + " " + it.title + " " + order + ", at " + when
	}
	is := " is "
	if !s.win.To.After(s.now) {
		is = " was "
	}
	if s.subject != "" {
		return s.whose() + " " + order + " " + unarticled(it.title) + is + "at " + when
	}
	return s.whose() + " " + order + " " + s.what(false) + is + it.title + " at " + when
}
