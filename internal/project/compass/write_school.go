package compass

import (
	"strconv"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/project/compass/read"
)

// schoolDay is whether there is school: whether there are lessons, and what the
// calendar says about a day without.
func (s *saying) schoolDay() []string {
	timetable, off := keepItems(s.items, isLesson), keepItems(s.items, isOff)
	w, have := s.win, s.verb(s.win)
	switch n := len(timetable); {
	case n > 0 && len(off) > 0 && w.Days == 1:
		return one(have + " " + plural(n, "lesson") + " in the calendar " + w.Label + ", but it says " + off[0].title)
	case n > 0 && w.Days > 1:
		return s.schoolSaid("yes", have+" "+strconv.Itoa(n), " "+w.Label, n)
	case n > 0:
		return s.schoolSaid("yes", have+" "+strconv.Itoa(n), " from "+clockOf(s.at(timetable[0].start))+" to "+clockOf(s.at(lastEnd(timetable)))+" "+w.Label, n)
	case len(off) > 0:
		return polar("no", one(have+" "+off[0].title+" "+w.Label))
	}
	return s.schoolSaid("no", have+" no", " "+s.then(), 0)
}

// schoolSaid says "school lessons" where that makes it an answer of yes or no.
func (s *saying) schoolSaid(word, before, after string, n int) []string {
	lesson := "lessons"
	if n == 1 {
		lesson = "lesson"
	}
	plain := before + " " + lesson + after
	return []string{word + ", " + plain, word + ", " + before + " school " + lesson + after, plain}
}

// schoolEdge is when school starts or ends, said as the first or last lesson, for
// that is what a timetable knows.
func (s *saying) schoolEdge() string {
	timetable, off := keepItems(s.items, isLesson), keepItems(s.items, isOff)
	if len(timetable) == 0 {
		if len(off) > 0 {
			return s.verb(s.win) + " " + off[0].title + " " + s.win.Label
		}
		return s.verb(s.win) + " no lessons " + s.then()
	}
	it := timetable[0]
	day, over := s.day(it.start), !read.Midnight(s.at(it.start), 1).After(s.now)
	tense := func(was, is string) string {
		if over {
			return was
		}
		return is
	}
	before, after := " "+day, ""
	if len(off) > 0 { // what opens a sentence would be said of the day off too
		before, after = "", " "+day+", but the calendar says "+off[0].title
	}
	if s.tool == firstLesson {
		return s.whose() + " first lesson" + before + tense(" was ", " is ") + it.title + " at " + clockOf(s.at(it.start)) + after
	}
	return s.whose() + " last lesson" + before + tense(" was ", " is ") + it.title + ", which" + tense(" ended ", " ends ") + "at " + clockOf(s.at(it.end)) + after
}

// untilSchool is how long it is until the first lesson starts or the last one ends.
func (s *saying) untilSchool() string {
	if len(keepItems(s.items, isLesson)) == 0 {
		return s.schoolEdge()
	}
	it := s.items[0]
	far := "it is " + s.howLong(s.found.Result.Facts) + " until " + s.whose()
	if s.tool == untilLast {
		return far + " last lesson ends at " + clockOf(s.at(it.end)) + " " + s.day(it.end)
	}
	return far + " first lesson at " + clockOf(s.at(it.start)) + " " + s.day(it.start)
}

// homework is what is due.
func (s *saying) homework() []string {
	if s.tool == homeworkIsDone {
		return s.homeworkDone()
	}
	dated := s.span.Named() && !s.win.Part && s.tool == homeworkTool
	have, due := s.have(), " due"
	switch {
	case s.tool == overdueTool:
		due = " overdue"
	case dated:
		have, due = s.verb(s.win), " due "+s.win.Label
	}
	if len(s.items) == 0 {
		what := "homework"
		if s.subject != "" {
			what = shown(cleanText(s.subject, maxTitle)) + " homework"
		}
		switch {
		case s.tool == overdueTool:
			return one(have + " no overdue " + what)
		case dated:
			return one(have + " no " + what + " due " + s.then())
		}
		return one(have + " no " + what + " due")
	}
	oneDay := dated && s.win.Days == 1
	var parts, undue []string
	for _, it := range s.items {
		switch {
		case it.undated:
			undue = append(undue, it.title)
		case oneDay:
			parts = append(parts, it.title)
		default:
			parts = append(parts, s.due(it))
		}
	}
	said := have + " " + join(parts)
	if oneDay {
		said += due
	}
	switch { // apart, for a day goes with all that is named before it
	case len(parts) == 0:
		said = have + " " + join(undue) + " " + undated
	case len(undue) == 1:
		said += "; " + undue[0] + " is " + undated
	case len(undue) > 1:
		said += "; " + join(undue) + " are " + undated
	}
	var out []string
	if (len(s.items) <= maxNamed || s.list) && ask.CheckSentence(said, s.list) == nil && len([]rune(said)) <= 240 {
		out = append(out, said)
	}
	return append(out, have+" "+pieces(len(s.items))+due+", which start with "+s.due(s.items[0]), have+" "+pieces(len(s.items))+", which start with "+s.due(s.items[0]))
}

// due is a task with when it is due: "a maths worksheet due tomorrow".
func (s *saying) due(it item) string {
	late := it.end
	if it.allDay {
		late = read.Midnight(s.at(it.end), 1).Unix()
	}
	switch {
	case it.undated:
		return it.title + " " + undated
	case late <= s.now.Unix() && !it.done && (s.tool == overdueTool || !s.span.Named() || s.win.To.After(s.now)):
		return it.title + " overdue since " + strings.TrimPrefix(s.day(it.end), "on ")
	}
	return it.title + " due " + s.day(it.end)
}

func (s *saying) homeworkDone() []string {
	open := keepItems(s.items, func(it *item) bool { return !it.done })
	switch {
	case s.subject == "" && len(open) == 0:
		return polar("yes", one("all of "+s.whose()+" homework is done"))
	case s.subject == "" && len(open) > 1:
		return one(s.have() + " " + pieces(len(open)) + " still marked open")
	case len(open) > 0:
		return one(s.whose() + " " + unarticled(open[0].title) + " is still marked open")
	}
	return polar("yes", one(s.whose()+" "+unarticled(s.items[len(s.items)-1].title)+" is marked done"))
}

func pieces(n int) string {
	if n == 1 {
		return "one piece of homework"
	}
	return strconv.Itoa(n) + " pieces of homework"
}
