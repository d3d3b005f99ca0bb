package read

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/project/compass/calendar"
)

// Window is a stretch of time that a question names.
type Window struct {
	From, To time.Time
	// Label is how a sentence names it: "today", "on Friday", "next week".
	Label string
	// Days is how many days it touches.
	Days int
	// Part is whether it is less than whole days.
	Part bool
	// Day is Label without the clock times of "after 15:00 today", for a list whose
	// items say their own time.
	Day string
}

// bound is an end of a stretch that only the calendar knows.
type bound int

const (
	noBound bound = iota
	afterSchool
	beforeSchool
)

// when collects what a question says about time.
type when struct {
	now      time.Time
	past     bool    // the question is about what was
	day      *Window // a day or more
	part     *dayPart
	now1     bool // "right now"
	fromNow  bool // "later", "between now and bedtime", "rest of the day"
	edge     bound
	after    *int // minutes of the day
	before   *int
	at       *int
	upcoming bool // "soon", "coming up"
	conflict bool
	// noSuchDay is a date such as 31 April.
	noSuchDay bool
	// by is "by" or "before" where a day is the end of a stretch; unclear is a stretch
	// of another kind, such as "after Friday".
	by      string
	unclear bool
	// loosely is a part of a day without a day: "in the morning".
	loosely bool
	// bare is a day of the month without its month, bareDay which.
	bare    bool
	bareDay int
}

type dayPart struct {
	from, to int // minutes of the day
	name     string
}

var dayParts = map[string]dayPart{
	"morning": {0, 12 * 60, "morning"}, "afternoon": {12 * 60, 17 * 60, "afternoon"},
	"evening": {17 * 60, 24 * 60, "evening"}, "night": {17 * 60, 24 * 60, "night"},
}

var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

func weekdayOf(w string) int { return slices.Index(weekdays, w) }

var months = []string{
	"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
}

func monthOf(w string) time.Month { return time.Month(slices.Index(months, w) + 1) }

// Midnight is the start of the day that is n days from t.
func Midnight(t time.Time, n int) time.Time {
	y, m, d := t.Date()
	day := time.Date(y, m, d+n, 0, 0, 0, 0, time.UTC)
	return calendar.Instant(t.Location(), day.Year(), day.Month(), day.Day(), 0, 0)
}

// clockOn is a time of the day of t, in minutes; 24:00 is the next midnight.
func clockOn(t time.Time, minutes int) time.Time {
	if minutes >= 24*60 {
		return Midnight(t, 1)
	}
	y, m, d := t.Date()
	return calendar.Instant(t.Location(), y, m, d, minutes/60, minutes%60)
}

// DayLabel is how a sentence names a day, seen from now.
func DayLabel(day, now time.Time) string {
	y, m, d := day.Date()
	ny, nm, nd := now.Date()
	n := int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(time.Date(ny, nm, nd, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour))
	switch {
	case n == 0:
		return "today"
	case n == 1:
		return "tomorrow"
	case n == -1:
		return "yesterday"
	case n > 1 && n < 7:
		return "on " + day.Weekday().String()
	case n > 300 || n < -300:
		return "on " + day.Format("Monday 2 January 2006")
	}
	return "on " + day.Format("Monday 2 January")
}

func oneDay(now time.Time, n int) *Window {
	from := Midnight(now, n)
	return &Window{From: from, To: Midnight(now, n+1), Label: DayLabel(from, now), Days: 1}
}

func days(now time.Time, from, count int, label string) *Window {
	return &Window{From: Midnight(now, from), To: Midnight(now, from+count), Label: label, Days: count}
}

// sinceMonday is how many days this week is old.
func sinceMonday(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

// read takes the words about time out of ws and returns the rest.
func (w *when) read(ws []string) []string {
	var rest []string
	for i := 0; i < len(ws); {
		before := w.day
		n := w.match(ws[i:])
		if n > 0 && before == nil && w.day != nil && len(rest) > 0 {
			switch prev := rest[len(rest)-1]; prev {
			case "by", "before", "until":
				w.by = prev
				rest = rest[:len(rest)-1]
			case "after", "since", "from":
				w.unclear = true
			}
		}
		if n == 0 {
			rest = append(rest, ws[i])
			n = 1
		}
		i += n
	}
	return rest
}

func (w *when) setDay(d *Window) {
	if w.day != nil && (!w.day.From.Equal(d.From) || !w.day.To.Equal(d.To)) {
		w.conflict = true
	}
	w.day = d
}

// starts is how many words of ws the phrase takes up; 0 where it does not start so.
func starts(ws []string, phrases ...string) int {
	for _, p := range phrases {
		f := strings.Fields(p)
		if len(ws) >= len(f) && slices.Equal(ws[:len(f)], f) {
			return len(f)
		}
	}
	return 0
}

func at(ws []string, i int) string {
	if i < len(ws) {
		return ws[i]
	}
	return ""
}

// match reads one phrase about time at the start of ws: how many words it took.
func (w *when) match(ws []string) int {
	for _, m := range []func([]string) int{w.matchNow, w.matchWeeks, w.matchWeekday, w.matchDate, w.matchClock} {
		if n := m(ws); n > 0 {
			return n
		}
	}
	return 0
}

func (w *when) matchPart(ws []string) int {
	if p, ok := dayParts[at(ws, 0)]; ok {
		w.part = &p
		return 1
	}
	if at(ws, 0) == "in" && at(ws, 1) == "the" {
		if p, ok := dayParts[at(ws, 2)]; ok {
			w.part, w.loosely = &p, true
			return 3
		}
	}
	return 0
}

func (w *when) matchNow(ws []string) int {
	if n := starts(ws, "the day after tomorrow", "day after tomorrow"); n > 0 {
		w.setDay(oneDay(w.now, 2))
		return n + w.matchPart(ws[n:])
	}
	if n := starts(ws, "between now and bedtime", "from now until bedtime", "now until bedtime", "until bedtime", "before bedtime", "before bed",
		"between now and bed", "before i go to bed", "between now and tonight", "for the rest of the day", "the rest of the day", "rest of the day",
		"for the rest of today", "the rest of today", "rest of today", "later today", "later on today", "later on", "later"); n > 0 {
		w.setDay(oneDay(w.now, 0))
		w.fromNow = true
		return n
	}
	if n := starts(ws, "right now", "at the moment", "at this moment", "now", "currently"); n > 0 {
		w.now1 = true
		return n
	}
	if n := starts(ws, "coming up", "upcoming", "soon", "any time soon", "in the near future"); n > 0 {
		w.upcoming = true
		return n
	}
	if n := starts(ws, "tonight"); n > 0 {
		w.setDay(oneDay(w.now, 0))
		w.part = &dayPart{17 * 60, 24 * 60, "tonight"}
		return n
	}
	for name, off := range map[string]int{"today": 0, "tomorrow": 1, "yesterday": -1} {
		if at(ws, 0) != name {
			continue
		}
		if at(ws, 1) == "week" { // "tomorrow week"
			w.setDay(oneDay(w.now, off+7))
			return 2
		}
		w.setDay(oneDay(w.now, off))
		return 1 + w.matchPart(ws[1:])
	}
	if at(ws, 0) == "this" {
		if p, ok := dayParts[at(ws, 1)]; ok {
			w.setDay(oneDay(w.now, 0))
			w.part = &p
			return 2
		}
	}
	if n := starts(ws, "after school"); n > 0 {
		w.edge = afterSchool
		return n
	}
	if n := starts(ws, "before school"); n > 0 {
		w.edge = beforeSchool
		return n
	}
	if n := starts(ws, "in the"); n > 0 && at(ws, 2) != "" {
		return w.matchPart(ws)
	}
	return 0
}

var smallNumbers = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

func number(s string) (int, bool) {
	if s == "a" || s == "an" {
		return 1, true
	}
	if s == "few" || s == "couple" {
		return 3, true
	}
	if i := slices.Index(smallNumbers, s); i >= 0 {
		return i, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n < 1000
}

func (w *when) matchWeeks(ws []string) int {
	monday := -sinceMonday(w.now)
	if n := starts(ws, "for the rest of the week", "the rest of the week", "rest of the week", "for the rest of this week", "the rest of this week", "rest of this week"); n > 0 {
		w.setDay(days(w.now, 0, 7+monday, "for the rest of this week"))
		return n
	}
	if n := starts(ws, "this coming weekend", "at the weekend", "on the weekend", "this weekend", "the weekend", "over the weekend"); n > 0 {
		from := max(5+monday, 0)
		w.setDay(days(w.now, from, 7+monday-from, "this weekend"))
		return n
	}
	if n := starts(ws, "next weekend"); n > 0 {
		w.setDay(days(w.now, 12+monday, 2, "next weekend"))
		return n
	}
	if n := starts(ws, "last weekend"); n > 0 {
		w.setDay(days(w.now, monday-2, 2, "last weekend"))
		return n
	}
	if n := starts(ws, "this week", "the week", "my week", "his week", "her week", "our week", "in the week", "during the week"); n > 0 {
		w.setDay(days(w.now, monday, 7, "this week"))
		return n
	}
	if len(ws) == 1 && ws[0] == "week" { // "Harry's week"
		w.setDay(days(w.now, monday, 7, "this week"))
		return 1
	}
	if n := starts(ws, "next week"); n > 0 {
		w.setDay(days(w.now, monday+7, 7, "next week"))
		if d := weekdayOf(at(ws, n+1)); at(ws, n) == "on" && d >= 0 {
			w.day = oneDay(w.now, monday+7+(d+6)%7)
			return n + 2
		}
		return n
	}
	if n := starts(ws, "last week"); n > 0 {
		w.setDay(days(w.now, monday-7, 7, "last week"))
		return n
	}
	for phrase, off := range map[string]time.Month{"this month": 0, "next month": 1, "last month": -1} {
		if n := starts(ws, phrase); n > 0 {
			first := time.Date(w.now.Year(), w.now.Month()+off, 1, 12, 0, 0, 0, w.now.Location())
			w.setDay(month(first, phrase))
			return n
		}
	}
	return w.matchCounted(ws)
}

// matchCounted reads "in three days", "over the next two weeks", "a week today".
func (w *when) matchCounted(ws []string) int {
	i := starts(ws, "over the next", "for the next", "in the next", "within the next", "during the next", "the next", "next")
	if i > 0 {
		n, ok := number(at(ws, i))
		if !ok {
			return 0
		}
		if at(ws, i+1) == "of" {
			i++
		}
		switch at(ws, i+1) {
		case "day", "days":
		case "week", "weeks":
			n *= 7
		case "month", "months":
			n *= 30
		default:
			return 0
		}
		n = min(max(n, 1), 366)
		w.setDay(days(w.now, 0, n, "in the next "+strconv.Itoa(n)+" days"))
		return i + 2
	}
	i = starts(ws, "in")
	n, ok := number(at(ws, i))
	if ok {
		unit := at(ws, i+1)
		took := i + 2
		time1 := at(ws, took) == "time"
		if time1 {
			took++
		}
		if i > 0 || time1 {
			switch unit {
			case "day", "days", "day's", "days'":
				w.setDay(oneDay(w.now, n))
				return took
			case "week", "weeks", "week's", "weeks'":
				w.setDay(oneDay(w.now, 7*n))
				return took
			}
		}
		if unit == "week" && i == 0 && n == 1 {
			if at(ws, 2) == "today" || at(ws, 2) == "tomorrow" {
				w.setDay(oneDay(w.now, 7+min(len(at(ws, 2))-5, 1)))
				return 3
			}
			if d := weekdayOf(at(ws, 3)); at(ws, 2) == "on" && d >= 0 {
				w.setDay(oneDay(w.now, 7+ahead(w.now, d)))
				return 4
			}
		}
	}
	return 0
}

// span makes one stretch of what was said about time.
func (w *when) span() Span {
	var s Span
	if w.day != nil {
		s.From, s.To = w.day.From.Format(time.DateOnly), w.day.To.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	if w.by != "" {
		s.From = ""
		if w.by == "before" {
			s.To = w.day.From.AddDate(0, 0, -1).Format(time.DateOnly)
		}
		return s
	}
	if w.part != nil {
		s.PartOfDay = w.part.name
		if w.part.from >= 12*60 {
			for _, m := range []*int{w.at, w.after, w.before} {
				if m != nil && *m < 12*60 {
					*m += 12 * 60 // "tonight at seven"
				}
			}
		}
	}
	s.At, s.After, s.Before = clockArg(w.at), clockArg(w.after), clockArg(w.before)
	switch {
	case w.edge == afterSchool:
		s.Bound = AfterSchool
	case w.edge == beforeSchool:
		s.Bound = BeforeSchool
	case w.fromNow:
		s.Bound = FromNow
	}
	return s
}

func clockArg(minutes *int) string {
	if minutes == nil {
		return ""
	}
	return time.Date(2000, 1, 1, 0, *minutes, 0, 0, time.UTC).Format("15:04")
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func partLabel(day, part string) string {
	switch {
	case part == "tonight" || day == "today" && part == "night":
		return "tonight"
	case day == "today":
		return "this " + part
	}
	return day + " " + part
}

func clockText(minutes int) string {
	return strconv.Itoa(minutes/60) + time.Date(2000, 1, 1, 0, minutes, 0, 0, time.UTC).Format(":04")
}
