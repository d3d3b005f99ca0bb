package planner

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// when is a time that a question names: the tokens, with the preposition before them,
// and the days that are meant.
type when struct {
	from, to int
	// first and last are the days; each is meant only where it is set.
	first, last        Date
	hasFirst, hasLast  bool
	label, alternative string // today, this_week, friday
	words              string // as it was said, without the preposition
	month              bool   // it is a whole month
}

func (w *when) single() bool { return w.hasFirst && w.hasLast && w.first == w.last }

var weekdays = map[string]time.Weekday{
	"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
	"sundays": 0, "mondays": 1, "tuesdays": 2, "wednesdays": 3, "thursdays": 4, "fridays": 5, "saturdays": 6,
	"wendesday": 3, "wensday": 3, "wednsday": 3, "teusday": 2, "tuseday": 2, "thrusday": 4, "thurday": 4, "firday": 5, "saterday": 6,
}

var shortDays = map[string]time.Weekday{"sun": 0, "mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6}

var months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

var numbers = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"fifteen": 15, "twenty": 20, "couple": 2,
}

var leads = set("on in for at of from since until till by before after during over between this")

// calendar reads times relative to today.
type calendar struct {
	ts    []token
	today Date
	past  bool // a bare weekday or date is the latest one, else the next one
}

func (c *calendar) low(i int) string {
	if i < 0 || i >= len(c.ts) || c.ts[i].quoted {
		return ""
	}
	return c.ts[i].low
}

// all are the times that the question names.
func (c *calendar) all() []when {
	var out []when
	for i := 0; i < len(c.ts); {
		w, ok := c.led(i)
		if !ok {
			i++
			continue
		}
		w.from = i
		said := i
		if leads[c.low(i)] && c.low(i) != "this" {
			said++
		}
		w.words = phrase(c.ts, said, w.to)
		out = append(out, w)
		i = w.to
	}
	return out
}

// led reads a time with the preposition before it.
func (c *calendar) led(i int) (when, bool) {
	lead := c.low(i)
	at := i
	if leads[lead] && lead != "this" {
		at++
	} else {
		lead = ""
	}
	w, ok := c.core(at, lead)
	if !ok {
		return w, false
	}
	second := func(words ...string) (when, bool) {
		if !slices.Contains(words, c.low(w.to)) {
			return when{}, false
		}
		end, ok := c.core(w.to+1, "on")
		return end, ok && end.hasLast
	}
	switch lead {
	case "from":
		if end, ok := second("to", "until", "till", "through"); ok {
			w.last, w.to, w.label = end.last, end.to, ""
			return w, true
		}
		if !c.past && w.single() && w.label != "yesterday" {
			w.hasLast, w.label = false, ""
		}
	case "between":
		if end, ok := second("and"); ok {
			w.last, w.to, w.label = end.last, end.to, ""
		}
	case "since":
		if w.single() && w.first == c.today && w.label != "today" {
			w.first = w.first.add(-7)
		}
		w.hasLast, w.label = false, ""
	case "after":
		w.first, w.hasLast, w.label = w.last.add(1), false, ""
	case "until", "till", "by":
		w.hasFirst, w.label = false, ""
	case "before":
		w.last, w.hasFirst, w.label = w.first.add(-1), false, ""
	}
	return w, true
}

func on(d Date, to int, label string) (when, bool) {
	return when{to: to, first: d, last: d, hasFirst: true, hasLast: true, label: label}, true
}

func span(first, last Date, to int, label string) (when, bool) {
	return when{to: to, first: first, last: last, hasFirst: true, hasLast: true, label: label}, true
}

// core reads a time that begins at i; lead is the preposition before it.
func (c *calendar) core(i int, lead string) (when, bool) {
	if c.low(i) == "the" {
		i++
	}
	w, ok := c.named(i, lead)
	if !ok {
		w, ok = c.numbered(i, lead)
	}
	if !ok {
		return w, false
	}
	if next := c.low(w.to); next == "morning" || next == "afternoon" || next == "evening" || next == "night" {
		w.to++
	}
	if w.single() && w.alternative == "" {
		if d := int(w.first.time().Sub(c.today.time()).Hours() / 24); d >= 0 && d < 7 {
			w.alternative = strings.ToLower(w.first.Weekday().String())
		}
	}
	return w, true
}

func (c *calendar) named(i int, lead string) (when, bool) {
	word := c.low(i)
	switch word {
	case "today", "tonight":
		return on(c.today, i+1, "today")
	case "tomorrow":
		return on(c.today.add(1), i+1, "tomorrow")
	case "yesterday":
		return on(c.today.add(-1), i+1, "yesterday")
	case "day":
		if c.low(i+1) == "after" && c.low(i+2) == "tomorrow" {
			return on(c.today.add(2), i+3, "")
		}
		if c.low(i+1) == "before" && c.low(i+2) == "yesterday" {
			return on(c.today.add(-2), i+3, "")
		}
	case "weekend":
		return c.period("this", "weekend", i+1)
	case "this", "next", "last", "coming", "past", "previous":
		if w, ok := c.period(word, c.low(i+1), i+2); ok {
			return w, true
		}
		if n, ok := c.number(i + 1); ok {
			return c.lastOrNext(word, n, i+2)
		}
		if d, ok := c.weekday(i+1, word); ok {
			return c.dayNamed(d, word, i+2)
		}
		if m, ok := months[c.low(i+1)]; ok {
			return c.monthNamed(m, word, i+2)
		}
	}
	if d, ok := c.weekday(i, lead); ok {
		if w, ok := c.numbered(i+1, "on"); ok && w.single() {
			return w, true
		}
		if c.low(i+1) == "the" {
			if w, ok := c.numbered(i+2, "on"); ok && w.single() {
				return w, true
			}
		}
		return c.dayNamed(d, "", i+1)
	}
	return when{}, false
}

func (c *calendar) weekday(i int, lead string) (time.Weekday, bool) {
	if d, ok := weekdays[c.low(i)]; ok {
		return d, true
	}
	d, ok := shortDays[c.low(i)]
	return d, ok && lead != ""
}

// dayNamed is the day of that name: after today, or before it.
func (c *calendar) dayNamed(d time.Weekday, word string, to int) (when, bool) {
	ahead := (int(d) - int(c.today.Weekday()) + 7) % 7
	label := strings.ToLower(d.String())
	switch {
	case word == "next":
		// The one of next week, which begins on Monday.
		toMonday := (8 - int(c.today.Weekday())) % 7
		if toMonday == 0 {
			toMonday = 7
		}
		return on(c.today.add(toMonday+(int(d)+6)%7), to, "next_"+label)
	case word == "last" || word == "past" || word == "previous" || word == "" && c.past:
		if ahead == 0 && word == "" {
			return on(c.today, to, label)
		}
		return on(c.today.add(ahead-7), to, label)
	}
	return on(c.today.add(ahead), to, label)
}

// period is this, next or last week, weekend, month or year.
func (c *calendar) period(word, unit string, to int) (when, bool) {
	step := 0
	switch word {
	case "next", "coming":
		step = 1
	case "last", "past", "previous":
		step = -1
	}
	name := []string{"last_", "this_", "next_"}[step+1]
	monday := c.today.add(-(int(c.today.Weekday()) + 6) % 7)
	switch unit {
	case "week", "weeks":
		return span(monday.add(7*step), monday.add(7*step+6), to, name+"week")
	case "weekend":
		return span(monday.add(7*step+5), monday.add(7*step+6), to, name+"weekend")
	case "month":
		w, ok := monthOf(c.today.Year, c.today.Month+time.Month(step), to)
		w.label = name + "month"
		return w, ok
	case "year":
		y := c.today.Year + step
		return span(Date{y, 1, 1}, Date{y, 12, 31}, to, name+"year")
	}
	if word == "this" && (unit == "morning" || unit == "afternoon" || unit == "evening") {
		return on(c.today, to, "today")
	}
	return when{}, false
}

func monthOf(year int, m time.Month, to int) (when, bool) {
	first := DateOf(time.Date(year, m, 1, 0, 0, 0, 0, time.UTC))
	last := DateOf(time.Date(year, m+1, 0, 0, 0, 0, 0, time.UTC))
	w, ok := span(first, last, to, "")
	w.month = true
	return w, ok
}

func (c *calendar) monthNamed(m time.Month, word string, to int) (when, bool) {
	year := c.today.Year
	if y, ok := c.year(to); ok {
		return monthOf(y, m, to+1)
	}
	past := c.past && word != "next" || word == "last"
	switch {
	case past && m > c.today.Month:
		year--
	case word != "next" && (c.today.Month-m+12)%12 <= 2: // lately
		if m > c.today.Month {
			year--
		}
	case !past && m < c.today.Month:
		year++
	}
	return monthOf(year, m, to)
}

func (c *calendar) year(i int) (int, bool) {
	y, err := strconv.Atoi(c.low(i))
	return y, err == nil && y >= 1900 && y < 2200
}

func (c *calendar) number(i int) (int, bool) {
	if n, ok := numbers[c.low(i)]; ok {
		return n, true
	}
	n, err := strconv.Atoi(c.low(i))
	return n, err == nil && n > 0 && n < 1000
}

// lastOrNext is "the last 3 days", "the next two weeks".
func (c *calendar) lastOrNext(word string, n, at int) (when, bool) {
	days := n
	switch c.low(at) {
	case "day", "days":
	case "week", "weeks":
		days = 7 * n
	case "month", "months":
		days = 30 * n
	default:
		return when{}, false
	}
	if word == "last" || word == "past" || word == "previous" {
		return span(c.today.add(-days), c.today, at+1, "")
	}
	return span(c.today, c.today.add(days), at+1, "")
}

// numbered is a date, a month, a year or a number of days from today.
func (c *calendar) numbered(i int, lead string) (when, bool) {
	word := c.low(i)
	if m, ok := months[word]; ok {
		if d, ok := ordinal(c.low(i + 1)); ok {
			return c.dated(d, m, i+2)
		}
		ambiguous := word == "may" || word == "march" || len(word) <= 3
		if lead == "on" || ambiguous && lead == "" {
			return when{}, false
		}
		return c.monthNamed(m, "", i+1)
	}
	if _, said := numbers[word]; !said && (word == "" || word[0] < '0' || word[0] > '9') {
		return when{}, false
	}
	if t, err := time.Parse(time.DateOnly, word); err == nil {
		return on(DateOf(t), i+1, "")
	}
	if parts := strings.FieldsFunc(word, func(r rune) bool { return r == '/' || r == '.' }); len(parts) >= 2 && len(parts) <= 3 && (len(parts) == 3 || strings.Contains(word, "/")) {
		return c.slashed(parts, i+1)
	}
	if d, ok := ordinal(word); ok {
		at := i + 1
		if c.low(at) == "of" {
			at++
		}
		if m, ok := months[c.low(at)]; ok {
			return c.dated(d, m, at+1)
		}
		if strings.TrimRight(word, "0123456789") != "" && (lead != "" || c.low(i-1) == "the") {
			return c.ofThisMonth(d, i+1)
		}
	}
	if y, ok := c.year(i); ok && (lead == "in" || lead == "since" || lead == "during") {
		return span(Date{y, 1, 1}, Date{y, 12, 31}, i+1, "")
	}
	if n, ok := c.number(i); ok {
		unit := map[string]int{"day": 1, "days": 1, "week": 7, "weeks": 7}[c.low(i+1)]
		switch {
		case unit == 0:
		case lead == "in":
			return on(c.today.add(n*unit), i+2, "")
		case c.low(i+2) == "ago":
			return on(c.today.add(-n*unit), i+3, "")
		}
	}
	return when{}, false
}

func ordinal(word string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimRight(word, "stndrh"))
	return n, err == nil && n >= 1 && n <= 31 && len(word) <= 4
}

func valid(y int, m time.Month, d int) (Date, bool) {
	t := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	return DateOf(t), t.Day() == d && t.Month() == m
}

// dated is a day and a month, with the year or the nearest one.
func (c *calendar) dated(d int, m time.Month, to int) (when, bool) {
	y, said := c.year(to)
	if said {
		to++
	} else {
		y = c.today.Year
	}
	day, ok := valid(y, m, d)
	switch {
	case said:
	case c.past && c.today.before(day):
		day, ok = valid(y-1, m, d)
	case !c.past && day.before(c.today):
		day, ok = valid(y+1, m, d)
	}
	if !ok {
		return when{}, false
	}
	return on(day, to, "")
}

// slashed is 4/12 or 4.12.2026, the day first.
func (c *calendar) slashed(parts []string, to int) (when, bool) {
	var n [3]int
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil {
			return when{}, false
		}
		n[i] = v
	}
	if n[1] < 1 || n[1] > 12 {
		return when{}, false
	}
	if len(parts) == 2 {
		return c.dated(n[0], time.Month(n[1]), to)
	}
	if n[2] < 100 {
		n[2] += 2000
	}
	day, ok := valid(n[2], time.Month(n[1]), n[0])
	if !ok {
		return when{}, false
	}
	return on(day, to, "")
}

// ofThisMonth is "the 4th": the next or the latest one.
func (c *calendar) ofThisMonth(d, to int) (when, bool) {
	y, m := c.today.Year, c.today.Month
	if !c.past && d < c.today.Day {
		m++
	}
	if c.past && d > c.today.Day {
		m--
	}
	t := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	if t.Day() != d {
		return when{}, false
	}
	return on(DateOf(t), to, "")
}

// phrase is the text of the tokens from i to to, as they stand in the question.
func phrase(ts []token, i, to int) string {
	var b strings.Builder
	for ; i < to; i++ {
		if ts[i].text == "" || ts[i].from == ts[i].to {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(ts[i].text)
		if ts[i].owner && i+1 < to {
			b.WriteString("'s")
		}
	}
	return b.String()
}
