package read

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/project/compass/calendar"
)

// ahead is how many days it is to that weekday; today counts as 0.
func ahead(now time.Time, weekday int) int { return (weekday - int(now.Weekday()) + 7) % 7 }

func (w *when) matchWeekday(ws []string) int {
	i, mode := 0, ""
	if at(ws, 0) == "on" || at(ws, 0) == "for" {
		i++
	}
	switch at(ws, i) {
	case "this", "next", "last", "coming":
		mode = at(ws, i)
		i++
		if at(ws, i) == "coming" {
			i++
		}
	}
	d := weekdayOf(at(ws, i))
	if d < 0 {
		return 0
	}
	i++
	n := ahead(w.now, d)
	switch {
	case mode == "next":
		n = 7 - sinceMonday(w.now) + (d+6)%7 // that day of next week
	case mode == "last" || mode == "" && w.past && at(ws, i) != "week":
		if n -= 7; n == 0 {
			n = -7
		}
	case at(ws, i) == "week":
		n += 7
		i++
	}
	// "Friday the 27th", "Monday 7 December": the date says which one.
	date := when{now: w.now}
	if took := date.matchDate(ws[i:]); took > 0 && (date.noSuchDay || date.day != nil && date.day.Days == 1) {
		switch {
		case date.noSuchDay:
			w.noSuchDay = true
			return i + took
		case int(date.day.From.Weekday()) != d && date.bare:
			if !date.onWeekday(d) {
				w.noSuchDay = true
				return i + took
			}
		case int(date.day.From.Weekday()) != d:
			w.noSuchDay = true
			return i + took
		}
		w.setDay(date.day)
		return i + took + w.matchPart(ws[i+took:])
	}
	w.setDay(oneDay(w.now, n))
	return i + w.matchPart(ws[i:])
}

// onWeekday moves "the 27th" to the nearest month in which it is that weekday, the
// last one first.
func (w *when) onWeekday(d int) bool {
	for _, off := range []time.Month{0, -1, 1, -2, 2, 3} {
		m := time.Date(w.now.Year(), w.now.Month()+off, 1, 12, 0, 0, 0, w.now.Location())
		if date := m.AddDate(0, 0, w.bareDay-1); date.Month() == m.Month() && int(date.Weekday()) == d {
			w.day = oneDayOn(date, w.now)
			return true
		}
	}
	return false
}

func month(first time.Time, label string) *Window {
	y, m, _ := first.Date()
	from := calendar.Instant(first.Location(), y, m, 1, 0, 0)
	end := time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC)
	return &Window{From: from, To: calendar.Instant(first.Location(), end.Year(), end.Month(), 1, 0, 0), Label: label, Days: end.AddDate(0, 0, -1).Day()}
}

// ordinal reads 4, 4th, 21st.
func ordinal(s string) (day int, suffixed bool) {
	digits := strings.TrimRight(s, "stndrh")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 31 {
		return 0, false
	}
	return n, digits != s
}

// matchDate reads "the 4th", "4 December", "December the 4th 2026", 2026-12-04, 4/12.
func (w *when) matchDate(ws []string) int {
	i := 0
	if at(ws, 0) == "on" || at(ws, 0) == "for" || at(ws, 0) == "in" || at(ws, 0) == "during" {
		i++
	}
	prep := at(ws, 0)
	if at(ws, i) == "the" {
		i++
	}
	if t, err := time.Parse("2006-01-02", at(ws, i)); err == nil {
		w.setDate(t.Year(), t.Month(), t.Day())
		return i + 1
	}
	for _, form := range []string{"2/1/2006", "2/1/06", "2/1"} {
		if t, err := time.Parse(form, at(ws, i)); err == nil {
			w.setDate(t.Year(), t.Month(), t.Day())
			return i + 1
		}
	}
	if d, suffixed := ordinal(at(ws, i)); d > 0 {
		j := i + 1
		if at(ws, j) == "of" {
			j++
		}
		if m := monthOf(at(ws, j)); m > 0 {
			return w.dated(ws, j+1, d, m)
		}
		if suffixed && (i > 0 || len(ws) == i+1) {
			w.dayOfMonth(d)
			return i + 1
		}
		return 0
	}
	m := monthOf(at(ws, i))
	if m == 0 {
		return 0
	}
	j := i + 1
	if at(ws, j) == "the" {
		j++
	}
	if d, _ := ordinal(at(ws, j)); d > 0 {
		return w.dated(ws, j+1, d, m)
	}
	// "may" and "march" are words too.
	if prep != "in" && prep != "for" && prep != "during" && (m == time.May || m == time.March) {
		return 0
	}
	y := w.now.Year()
	if m < w.now.Month() {
		y++
	}
	w.setDay(month(time.Date(y, m, 1, 12, 0, 0, 0, w.now.Location()), "in "+m.String()))
	return i + 1
}

func (w *when) dated(ws []string, next, day int, m time.Month) int {
	if y, err := strconv.Atoi(at(ws, next)); err == nil && y > 2000 && y < 2200 {
		w.setDate(y, m, day)
		return next + 1
	}
	w.setDate(0, m, day)
	return next
}

// setDate sets a day; year 0 is the coming one, or this one up to a month back.
func (w *when) setDate(year int, m time.Month, day int) {
	y := year
	if y == 0 {
		y = w.now.Year()
		if time.Date(y, m, day, 0, 0, 0, 0, time.UTC).Before(w.now.AddDate(0, -1, 0)) {
			y++
		}
	}
	date := time.Date(y, m, day, 12, 0, 0, 0, w.now.Location())
	if date.Day() != day {
		w.noSuchDay = true
		return
	}
	w.setDay(oneDayOn(date, w.now))
}

func oneDayOn(date, now time.Time) *Window {
	from := Midnight(date, 0)
	return &Window{From: from, To: Midnight(date, 1), Label: DayLabel(from, now), Days: 1}
}

// dayOfMonth is "the 4th": this month's, or the next month's that has one.
func (w *when) dayOfMonth(day int) {
	w.bare, w.bareDay = true, day
	for n := range 3 {
		m := time.Date(w.now.Year(), w.now.Month()+time.Month(n), 1, 12, 0, 0, 0, w.now.Location())
		date := m.AddDate(0, 0, day-1)
		if date.Month() == m.Month() && Midnight(date, 1).After(w.now) {
			w.setDay(oneDayOn(date, w.now))
			return
		}
	}
}

// matchClock reads "at 10", "after 3pm", "before half past nine", "between 2 and 4".
func (w *when) matchClock(ws []string) int {
	word := at(ws, 0)
	switch word {
	case "at", "after", "before", "from", "by", "around", "between", "since":
	default:
		return 0
	}
	m, n := clock(ws[1:])
	if n == 0 {
		return 0
	}
	n++
	switch word {
	case "at", "around":
		w.at = &m
	case "before", "by":
		w.before = &m
	default:
		w.after = &m
		if j := at(ws, n); j == "and" || j == "to" || j == "until" {
			if m2, n2 := clock(ws[n+1:]); n2 > 0 {
				w.before = &m2
				n += n2 + 1
			}
		} else if word == "between" {
			w.after = nil
			return 0
		}
	}
	return n
}

// clock reads a time of day in minutes: 10, 10:30, 10am, "3 pm", "half past ten",
// "quarter to four". Without am or pm, 1 to 6 are in the afternoon.
func clock(ws []string) (minutes, took int) {
	add := 0
	i := 0
	switch n := 0; {
	case starts(ws, "half past") > 0:
		add, i = 30, 2
	case starts(ws, "quarter past", "a quarter past") > 0:
		n = starts(ws, "quarter past", "a quarter past")
		add, i = 15, n
	case starts(ws, "quarter to", "a quarter to") > 0:
		n = starts(ws, "quarter to", "a quarter to")
		add, i = -15, n
	}
	w := at(ws, i)
	half := ""
	for _, h := range []string{"am", "pm"} {
		if base, ok := strings.CutSuffix(w, h); ok && base != "" {
			w, half = base, h
		}
	}
	hs, ms, colon := strings.Cut(w, ":")
	h, err := strconv.Atoi(hs)
	if err != nil {
		if h = slices.Index(smallNumbers, hs); h < 0 {
			return 0, 0
		}
	}
	mins := 0
	if colon {
		if mins, err = strconv.Atoi(ms); err != nil || mins > 59 || len(ms) != 2 {
			return 0, 0
		}
	}
	if h > 24 || (half != "" && (h < 1 || h > 12)) {
		return 0, 0
	}
	i++
	switch at(ws, i) {
	case "oclock":
		i++
	case "am", "pm":
		half = at(ws, i)
		i++
	case "day", "days", "week", "weeks", "lessons", "minutes", "hours", "hour":
		return 0, 0
	}
	switch {
	case half == "pm" && h < 12, half == "" && h >= 1 && h <= 6 && hs[0] != '0':
		h += 12
	case half == "am" && h == 12:
		h = 0
	}
	return h*60 + mins + add, i
}
