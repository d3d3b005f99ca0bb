package words

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/daystart"
)

// date is a day of a month as it was said; a month or a year that was not said is 0.
type date struct {
	year  int
	month time.Month
	day   int
}

var months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

var ordinals = []string{
	"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth",
	"sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
}

// ordinal reads "12th", "twelfth", "twenty-first" at the start of w.
func ordinal(w []string) (n, took int) {
	if len(w) == 0 {
		return 0, 0
	}
	for _, end := range []string{"st", "nd", "rd", "th"} {
		if digits, ok := strings.CutSuffix(w[0], end); ok {
			if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= 31 {
				return n, 1
			}
		}
	}
	if i := slices.Index(ordinals, w[0]); i >= 0 {
		return i + 1, 1
	}
	if w[0] == "thirtieth" {
		return 30, 1
	}
	tens, ones, joined := strings.Cut(w[0], "-")
	took = 1
	if !joined && len(w) > 1 {
		ones, took = w[1], 2
	}
	t, i := numbers[tens], slices.Index(ordinals, ones)
	if (t == 20 || t == 30) && i >= 0 && i < 9 && t+i+1 <= 31 {
		return t + i + 1, took
	}
	return 0, 0
}

// readDate reads "12 December", "the 12th of December 2027", "December 12", "2026-12-12",
// and "12th" alone where bare says that it may stand so; 0 where there is no date. Figures
// for a month are no date, for not everybody writes them in one order.
func readDate(w []string, bare bool) (d date, took int) {
	if len(w) == 0 {
		return date{}, 0
	}
	if t, err := time.Parse(time.DateOnly, w[0]); err == nil {
		return date{t.Year(), t.Month(), t.Day()}, 1
	}
	at := 0
	if w[0] == "the" && len(w) > 1 {
		at, bare = 1, true
	}
	if m := months[w[0]]; m > 0 {
		at = 1
		if hasWords(w[1:], "the") {
			at = 2
		}
		n, k := dayNumber(w[at:])
		if n == 0 {
			return date{}, 0
		}
		d, took = date{month: m, day: n}, at+k
	} else {
		n, k := dayNumber(w[at:])
		if n == 0 {
			return date{}, 0
		}
		after := at + k
		if hasWords(w[after:], "of") {
			after++
		}
		if len(w) == after || months[w[after]] == 0 {
			// "the first Monday" is another day.
			if o, k := ordinal(w[at:]); o > 0 && bare && (len(w) == after || weekdays[w[after]] == 0) {
				return date{day: o}, at + k
			}
			return date{}, 0
		}
		d, took = date{month: months[w[after]], day: n}, after+1
	}
	if len(w) > took && len(w[took]) == 4 {
		if y, err := strconv.Atoi(w[took]); err == nil && y >= 2000 {
			return date{y, d.month, d.day}, took + 1
		}
	}
	return d, took
}

// dayNumber reads "12", "12th" or "twelfth".
func dayNumber(w []string) (n, took int) {
	if n, took = ordinal(w); n > 0 {
		return n, took
	}
	if n, took = number(w); n < 1 || n > 31 || w[0] == "a" || w[0] == "an" {
		return 0, 0
	}
	return n, took
}

// next is the first such day from today on; false where there is none.
func (d date) next(now time.Time) (time.Time, bool) {
	year, month := now.Year(), now.Month()
	for range 13 {
		y, m := year, month
		if d.month > 0 {
			m = d.month
		}
		if d.year > 0 {
			y = d.year
		}
		t := daystart.Of(time.Date(y, m, d.day, 12, 0, 0, 0, now.Location()), 0)
		there := t.Month() == m && t.Day() == d.day
		switch {
		case d.year > 0:
			return t, there
		case there && !t.Before(daystart.Of(now, 0)):
			return t, true
		case d.month > 0:
			year++
			if year > now.Year()+1 {
				return time.Time{}, false
			}
		case month == time.December:
			year, month = year+1, time.January
		default:
			month++
		}
	}
	return time.Time{}, false
}

// DayIn is the start of the day that the text names; false where it names none.
func DayIn(text string, now time.Time) (time.Time, bool) {
	low := split(text).low
	for i := range low {
		m, n := readMoment(low[i:])
		if n == 0 || m.after > 0 {
			continue
		}
		if days, ok := m.days(now); ok {
			return days[0], true
		}
	}
	return time.Time{}, false
}

// days are the days that m may mean, the nearest first; false where it names none, or one
// that there is not.
func (m moment) days(now time.Time) ([]time.Time, bool) {
	coming := (int(m.weekday) - int(now.Weekday()) + 7) % 7
	switch {
	case m.isDate:
		t, ok := m.date.next(now)
		return []time.Time{t}, ok && (!m.isWeek || t.Weekday() == m.weekday)
	case m.isDay:
		return []time.Time{daystart.Of(now, m.dayAfter)}, true
	case m.isWeek && m.weekOn:
		return []time.Time{daystart.Of(now, coming+7)}, true
	case m.isWeek && coming == 0 && m.next:
		return []time.Time{daystart.Of(now, 7)}, true
	case m.isWeek && coming == 0:
		return []time.Time{daystart.Of(now, 0), daystart.Of(now, 7)}, true
	case m.isWeek && m.next && int(now.Weekday()+6)%7+coming < 7:
		return []time.Time{daystart.Of(now, coming), daystart.Of(now, coming+7)}, true // of this week, or the next one
	case m.isWeek:
		return []time.Time{daystart.Of(now, coming)}, true
	case m.today:
		return []time.Time{daystart.Of(now, 0)}, true
	}
	return nil, false
}
