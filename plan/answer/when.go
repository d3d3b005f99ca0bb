package answer

import (
	"time"
)

// when is a date or a time as a sentence says it, settled against now. The parts
// that are set must all fit an instant.
type when struct {
	days   []dayRange // any of them
	clock  bool
	minute int  // of the day
	either bool // half past nine: in the morning or in the evening
	part   bool
	hours  [2]int // from, up to and without
	rel    bool
	span   [2]time.Time // from, to, both included
}

// dayRange is from one day to another, both included, as days since 1970.
type dayRange struct{ from, to int }

// instant is a point in time that stands in a result.
type instant struct {
	at     time.Time
	day    int
	minute int
	// dateOnly is a day without a time, clockOnly a time of any day.
	dateOnly, clockOnly bool
}

func newInstant(t time.Time, zone *time.Location, dateOnly bool) instant {
	if !dateOnly {
		t = t.In(zone)
	}
	return instant{at: t, day: dayNumber(t), minute: t.Hour()*60 + t.Minute(), dateOnly: dateOnly}
}

func dayNumber(t time.Time) int {
	y, m, d := t.Date()
	return civil(y, m, d)
}

func civil(y int, m time.Month, d int) int {
	return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

func (w when) fits(x instant) bool {
	if len(w.days) > 0 && !w.onDay(x) {
		return false
	}
	if (w.clock || w.part || w.rel) && x.dateOnly {
		return false
	}
	if w.clock && w.minute != x.minute && !(w.either && (w.minute+12*60)%(24*60) == x.minute) {
		return false
	}
	if w.part && (x.minute < w.hours[0]*60 || x.minute >= w.hours[1]*60) {
		return false
	}
	if w.rel && (x.clockOnly || x.at.Before(w.span[0]) || x.at.After(w.span[1])) {
		return false
	}
	return true
}

func (w when) onDay(x instant) bool {
	for _, d := range w.days {
		if !x.clockOnly && x.day >= d.from && x.day <= d.to {
			return true
		}
	}
	return false
}

// scopes says whether what was asked for covers w: what is said of a time must lie
// within the time that was looked at.
func (w when) scopes(asked when) bool {
	if len(w.days) == 0 || len(asked.days) == 0 || w.clock != asked.clock || w.rel || asked.rel {
		return false
	}
	for _, d := range w.days {
		for _, a := range asked.days {
			if d.from < a.from || d.to > a.to {
				return false
			}
		}
	}
	return w.minute == asked.minute && (!asked.part || w.part && w.hours == asked.hours)
}

// calendar reads dates and times; it knows which day it is.
type calendar struct {
	now   time.Time
	today int
	past  bool // the sentence speaks of what was
}

var weekdays = map[string]time.Weekday{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 0,
}

var months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
	"september": 9, "october": 10, "november": 11, "december": 12,
}

var dayParts = map[string][2]int{"morning": {0, 12}, "afternoon": {12, 18}, "evening": {17, 24}, "night": {18, 24}}

// wordAt is the i-th token in small letters, empty past either end.
func wordAt(ts []token, i int) string {
	if i >= 0 && i < len(ts) {
		return ts[i].low
	}
	return ""
}

// at reads the date or time that begins at ts[i]; size is 0 where none does.
func (c *calendar) at(ts []token, i int) (w when, size int) {
	if w, size = c.day(ts, i); size > 0 {
		if p, ok := dayParts[wordAt(ts, i+size)]; ok {
			w.part, w.hours = true, p
			size++
		}
		return w, size
	}
	if w, size = c.relative(ts, i); size > 0 {
		return w, size
	}
	return c.clock(ts, i)
}

func (c *calendar) day(ts []token, i int) (when, int) {
	first := wordAt(ts, i)
	one := func(d, size int) (when, int) { return when{days: []dayRange{{c.today + d, c.today + d}}}, size }
	switch first {
	case "today":
		return one(0, 1)
	case "tomorrow":
		return one(1, 1)
	case "yesterday":
		return one(-1, 1)
	case "tonight":
		w, n := one(0, 1)
		w.part, w.hours = true, dayParts["evening"]
		return w, n
	case "day", "the":
		j := i
		if first == "the" {
			j++
		}
		if wordAt(ts, j) == "day" && wordAt(ts, j+2) == "tomorrow" && wordAt(ts, j+1) == "after" {
			return one(2, j+3-i)
		}
		if wordAt(ts, j) == "day" && wordAt(ts, j+2) == "yesterday" && wordAt(ts, j+1) == "before" {
			return one(-2, j+3-i)
		}
		if first == "the" && wordAt(ts, j) == "weekend" && wordAt(ts, i-1) == "at" {
			w, _ := c.week("this", "weekend")
			return w, 2
		}
	case "this", "next", "last":
		second := wordAt(ts, i+1)
		if p, ok := dayParts[second]; ok && (first == "this" || first == "last" && second == "night") {
			d := 0
			if first == "last" {
				d = -1
			}
			w, n := one(d, 2)
			w.part, w.hours = true, p
			return w, n
		}
		if wd, ok := weekdays[second]; ok {
			return c.weekdayOf(first, wd), 2
		}
		if w, ok := c.week(first, second); ok {
			return w, 2
		}
	}
	return c.date(ts, i)
}

// monday is the first day of this week.
func (c *calendar) monday() int { return c.today - (int(c.now.Weekday())+6)%7 }

func (c *calendar) week(which, what string) (when, bool) {
	step := map[string]int{"last": -1, "this": 0, "next": 1}[which]
	switch what {
	case "week":
		m := c.monday() + 7*step
		return when{days: []dayRange{{m, m + 6}}}, true
	case "weekend":
		m := c.monday() + 7*step
		return when{days: []dayRange{{m + 5, m + 6}}}, true
	case "month":
		y, m, _ := c.now.Date()
		from := civil(y, m+time.Month(step), 1)
		return when{days: []dayRange{{from, civil(y, m+time.Month(step)+1, 1) - 1}}}, true
	case "year":
		y := c.now.Year() + step
		return when{days: []dayRange{{civil(y, 1, 1), civil(y, 12, 31)}}}, true
	}
	return when{}, false
}

// weekdayOf is "this Friday", "next Friday" or "last Friday".
func (c *calendar) weekdayOf(which string, wd time.Weekday) when {
	ahead := (int(wd) - int(c.now.Weekday()) + 7) % 7
	d := c.today + ahead
	switch which {
	case "next": // the Friday of the week that comes
		d = c.monday() + 7 + (int(wd)+6)%7
	case "last":
		if d -= 7; d >= c.today {
			d -= 7
		}
	}
	return when{days: []dayRange{{d, d}}}
}

// bare is "Friday": the next one, not today; where the sentence speaks of what was,
// it may be the last one too.
func (c *calendar) bare(wd time.Weekday) when {
	ahead := (int(wd) - int(c.now.Weekday()) + 7) % 7
	if ahead == 0 { // for the day itself people say "today"
		ahead = 7
	}
	d := c.today + ahead
	w := when{days: []dayRange{{d, d}}}
	if c.past {
		d = c.today - (7 - ahead%7)
		w.days = append(w.days, dayRange{d, d})
	}
	return w
}

// date is "Friday", "Friday 4 December 2026", "4th of December", "December 4",
// "December" or 2026-12-04.
func (c *calendar) date(ts []token, i int) (when, int) {
	j := i
	wd, named := weekdays[wordAt(ts, j)]
	if named && ts[j].kind == tokWord {
		j++
		if wordAt(ts, j) == "," {
			j++
		}
		if wordAt(ts, j) == "the" {
			j++
		}
	}
	day, size, whole := c.dayOfYear(ts, j)
	switch {
	case size == 0 && named:
		return c.bare(wd), 1
	case size == 0:
		return when{}, 0
	case named && (whole || weekdayOfDay(day.from) != wd):
		if whole { // "Friday December" is no date
			return c.bare(wd), 1
		}
		return when{days: []dayRange{{1 << 30, 1 << 30}}}, j + size - i // such a day is not
	}
	return when{days: []dayRange{day}}, j + size - i
}

func weekdayOfDay(d int) time.Weekday { return time.Weekday(((d+4)%7 + 7) % 7) }

func (c *calendar) dayOfYear(ts []token, i int) (r dayRange, size int, wholeMonth bool) {
	first := wordAt(ts, i)
	if len(first) == 10 && first[4] == '-' {
		if t, err := time.Parse(time.DateOnly, first); err == nil {
			d := dayNumber(t)
			return dayRange{d, d}, 1, false
		}
	}
	if first == "the" {
		if r, size, _ = c.dayOfYear(ts, i+1); size > 0 && (ts[i+1].kind == tokNumber || numberAt(ts, i+1).ordinal) {
			return r, size + 1, false
		}
		if n := numberAt(ts, i+1); n.ordinal && n.value >= 1 && n.value <= 31 && wordAt(ts, i-1) == "on" && endsThere(ts, i+1+n.size) {
			d := c.ofMonth(int(n.value))
			return dayRange{d, d}, 1 + n.size, false
		}
		return dayRange{}, 0, false
	}
	n := numberAt(ts, i)
	if n.size > 0 && n.value >= 1 && n.value <= 31 && n.value == float64(int(n.value)) {
		j := i + n.size
		if wordAt(ts, j) == "of" {
			j++
		}
		if m, ok := monthAt(ts, j); ok {
			y, more := yearAt(ts, j+1)
			d := c.near(m, int(n.value), y)
			return dayRange{d, d}, j + 1 + more - i, false
		}
		return dayRange{}, 0, false
	}
	m, ok := monthAt(ts, i)
	if !ok || first == "may" && wordAt(ts, i-1) != "in" && numberAt(ts, i+1).size == 0 {
		return dayRange{}, 0, false
	}
	j := i + 1
	if wordAt(ts, j) == "the" && numberAt(ts, j+1).ordinal {
		j++
	}
	if n := numberAt(ts, j); n.size > 0 && n.value >= 1 && n.value <= 31 && n.value == float64(int(n.value)) {
		y, more := yearAt(ts, j+n.size)
		d := c.near(m, int(n.value), y)
		return dayRange{d, d}, j + n.size + more - i, false
	}
	y, more := yearAt(ts, i+1)
	if y == 0 {
		y = c.now.Year()
		if m < c.now.Month() && !c.past {
			y++
		} else if m > c.now.Month() && c.past {
			y--
		}
	}
	return dayRange{civil(y, m, 1), civil(y, m+1, 1) - 1}, 1 + more, true
}

// ofMonth is "the 4th": the next one, or the last one for what was.
func (c *calendar) ofMonth(day int) int {
	y, m, _ := c.now.Date()
	for k := range time.Month(3) {
		step := k
		if c.past {
			step = -k
		}
		d := civil(y, m+step, day)
		if time.Unix(int64(d)*86400, 0).UTC().Day() == day && (!c.past && d >= c.today || c.past && d <= c.today) {
			return d
		}
	}
	return 1 << 30
}

func monthAt(ts []token, i int) (time.Month, bool) {
	m, ok := months[wordAt(ts, i)]
	return m, ok && ts[i].capital()
}

func yearAt(ts []token, i int) (year, size int) {
	if i < len(ts) && ts[i].kind == tokNumber && len(ts[i].low) == 4 && digitsOnly(ts[i].low) {
		n := digitsAt(ts, i)
		return int(n.value), 1
	}
	return 0, 0
}

// near is the day of the year, in the year that lies nearest where none is said.
func (c *calendar) near(m time.Month, day, year int) int {
	if year != 0 {
		if t := time.Date(year, m, day, 0, 0, 0, 0, time.UTC); t.Day() != day {
			return 1 << 30
		}
		return civil(year, m, day)
	}
	best, found := 0, false
	for y := c.now.Year() - 1; y <= c.now.Year()+1; y++ {
		if t := time.Date(y, m, day, 0, 0, 0, 0, time.UTC); t.Day() != day {
			continue
		}
		d := civil(y, m, day)
		if !found || abs(d-c.today) < abs(best-c.today) {
			best, found = d, true
		}
	}
	if !found {
		return 1 << 30
	}
	return best
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// relative is "in two hours", "in half an hour", "3 days ago", "in a week".
func (c *calendar) relative(ts []token, i int) (when, int) {
	j, ahead := i, false
	if wordAt(ts, i) == "in" {
		j, ahead = i+1, true
	}
	amount, n := 1.0, 0
	switch first := wordAt(ts, j); {
	case first == "half" && wordAt(ts, j+1) == "an" && wordAt(ts, j+2) == "hour":
		amount, n = 0.5, 2
	case first == "a" && unitOf(wordAt(ts, j+1)) > 0, first == "an" && wordAt(ts, j+1) == "hour":
		n = 1
	default:
		num := numberAt(ts, j)
		if num.ordinal || num.size == 0 {
			return when{}, 0
		}
		amount, n = num.value, num.size
	}
	unit := unitOf(wordAt(ts, j+n))
	if unit == 0 || amount > 1e5 {
		return when{}, 0
	}
	end := j + n + 1
	if !ahead {
		if wordAt(ts, end) != "ago" {
			return when{}, 0
		}
		end++
		amount = -amount
	}
	if unit >= 24*time.Hour {
		d := c.today + int(amount*float64(unit/(24*time.Hour)))
		return when{days: []dayRange{{d, d}}}, end - i
	}
	t := c.now.Add(time.Duration(amount * float64(unit)))
	slack := unit / 2 // as people round: in two hours is between one and a half and two and a half
	if unit == time.Hour {
		slack = 15 * time.Minute
	}
	return when{rel: true, span: [2]time.Time{t.Add(-slack), t.Add(slack)}}, end - i
}

func unitOf(w string) time.Duration {
	switch stem(w) {
	case "minute":
		return time.Minute
	case "hour":
		return time.Hour
	case "day":
		return 24 * time.Hour
	case "week":
		return 7 * 24 * time.Hour
	}
	return 0
}
