package words

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// moment is a day and a time of day as they were said; what was not said is missing.
type moment struct {
	// after is a length of time from now; 0 where a day or a time was said instead.
	after time.Duration
	// day is days from today, or a weekday; said tells whether there is one.
	dayAfter int
	weekday  time.Weekday
	isDay    bool
	isWeek   bool
	// next is whether the weekday was called the next one, today whether a part of a day
	// was called this one.
	next, today bool
	// weekOn is "Friday week".
	weekOn bool
	// date is a day of a month; isDate tells whether there is one.
	date   date
	isDate bool
	// hour and minute are a time of day; isTime tells whether there is one, twelve
	// whether it may be of either half of the day.
	hour, minute   int
	isTime, twelve bool
	// late is whether it is after the midnight that its day ends with: "tonight at 12".
	late bool
	// midnight is whether it was called so.
	midnight bool
	// full is whether it can only be one of 24 hours, such as 18:30 and 09:00.
	full bool
	// part is the middle of a part of a day ("in the morning"), as an hour; 0 where none
	// was said.
	part int
}

func (m moment) any() bool { return m.after > 0 || m.hasDay() || m.isTime || m.part > 0 }

// bare is whether it is an hour alone, which may as well be a number of minutes.
func (m moment) bare() bool {
	return m.isTime && m.twelve && m.minute == 0 && m.part == 0 && !m.hasDay()
}

// hasDay is whether a day was said, today's parts not counted.
func (m moment) hasDay() bool { return m.isDay || m.isWeek || m.isDate }

// parts of a day, by the hour that is meant where no time is said.
var parts = map[string]int{"morning": 9, "afternoon": 15, "evening": 19, "tonight": 20, "night": 21, "lunchtime": 12, "bedtime": 20}

// nightFrom is the first of the parts at which it is night: what is then at 12 or soon after
// is on the other side of midnight. smallHours are how many hours of that night follow it.
const (
	eveningFrom = 19
	nightFrom   = 20
	smallHours  = 5
)

// readMoment reads as much of a moment as stands at the start of w, and says how many
// words it took.
func readMoment(w []string) (m moment, took int) {
	for {
		n := m.one(w[took:])
		if n == 0 {
			return m, took
		}
		took += n
	}
}

// one reads one part of a moment that is not there yet.
func (m *moment) one(w []string) int {
	if len(w) == 0 {
		return 0
	}
	skip := 0
	if w[0] == "in" && !m.any() {
		if d, n := duration(w[1:]); n > 0 {
			m.after = d
			return n + 1
		}
	}
	switch w[0] {
	case "in", "on", "at", "this", "for", "by":
		skip = 1
	}
	if skip == 1 && len(w) > 1 && w[1] == "the" {
		skip = 2
	}
	next := len(w) > skip+1 && w[skip] == "next" && weekdays[w[skip+1]] > 0
	if next {
		skip++
	}
	rest := w[skip:]
	if len(rest) == 0 || m.after > 0 {
		return 0
	}
	if n := m.day(rest, skip == 2 || skip == 1 && unicode.IsDigit(rune(rest[0][0]))); n > 0 {
		m.next = m.next || next
		return skip + n
	}
	if hour, ok := parts[rest[0]]; ok && m.part == 0 {
		m.part, m.today = hour, m.today || w[0] == "this" || rest[0] == "tonight"
		return skip + 1
	}
	// A number alone is a time only after "at" and the like: "two eggs" is none.
	if w[0] == "in" {
		return 0
	}
	if n := m.time(rest, skip > 0); n > 0 {
		return skip + n
	}
	return 0
}

// weekdays by name, Sunday as 1.
var weekdays = map[string]int{"sunday": 1, "monday": 2, "tuesday": 3, "wednesday": 4, "thursday": 5, "friday": 6, "saturday": 7}

// day reads one day; bare says whether "the 12th" alone counts.
func (m *moment) day(w []string, bare bool) int {
	if m.isDay || m.isDate {
		return 0
	}
	if d, n := readDate(w, bare || m.isWeek && unicode.IsDigit(rune(w[0][0]))); n > 0 {
		m.date, m.isDate = d, true
		return n
	}
	if m.isWeek {
		return 0
	}
	switch w[0] {
	case "today":
		m.isDay = true
		return 1
	case "tomorrow":
		m.isDay, m.dayAfter = true, 1
		return 1
	}
	if hasWords(w, "day", "after", "tomorrow") {
		m.isDay, m.dayAfter = true, 2
		return 3
	}
	if d := weekdays[w[0]]; d > 0 {
		m.isWeek, m.weekday = true, time.Weekday(d-1)
		if hasWords(w[1:], "week") {
			m.weekOn = true
			return 2
		}
		return 1
	}
	return 0
}

// time reads "6", "six thirty", "6:30", "6pm", "half past six", "noon"; bare says
// whether a number alone counts.
func (m *moment) time(w []string, bare bool) int {
	if _, length := duration(w); m.isTime || length > 0 {
		return 0
	}
	switch w[0] {
	case "noon", "midday":
		m.hour, m.isTime = 12, true
		return 1
	case "midnight":
		m.hour, m.isTime, m.midnight = 0, true, true
		return 1
	}
	if n := m.pastOrTo(w); n > 0 {
		return n + m.half(w[n:])
	}
	byDay := !bare && (m.hasDay() || m.part > 0) // "tomorrow six thirty", and yet not "tomorrow two eggs"
	bare = bare || byDay
	if n := m.halfHour(w, bare); n > 0 {
		return n
	}
	if n := m.digits(w[0]); n > 0 {
		return n + m.half(w[n:])
	}
	hour, n := number(w)
	if n == 0 || w[0] == "a" || w[0] == "an" || hour > 23 || isUnit(w, n) {
		return 0
	}
	alone := bare && !byDay
	set := moment{hour: hour, isTime: true, twelve: hour >= 1 && hour <= 12}
	clock := false
	if len(w) > n && (w[n] == "o'clock" || w[n] == "oclock") {
		n, clock = n+1, true
	} else if minute, k := minutes(w[n:]); k > 0 && !isUnit(w, n+k) && bare {
		set.minute, n, clock = minute, n+k, true
	}
	return m.take(set, n, w, alone || clock)
}

// take makes m's time that of set, which w says in n words and perhaps with its half of the
// day; enough is whether it is a time without that.
func (m *moment) take(set moment, n int, w []string, enough bool) int {
	k := set.half(w[n:])
	if !enough && k == 0 {
		return 0
	}
	m.hour, m.minute, m.isTime, m.twelve, m.late, m.today = set.hour, set.minute, true, set.twelve, set.late, m.today || set.today
	if m.part == 0 {
		m.part = set.part
	}
	return n + k
}

// minutes reads the minutes after an hour: "thirty", "oh five".
func minutes(w []string) (minute, took int) {
	if len(w) > 1 && (w[0] == "oh" || w[0] == "o") {
		if n, k := number(w[1:]); k == 1 && n >= 1 && n <= 9 && w[1] != "a" && w[1] != "an" {
			return n, 2
		}
	}
	if n, k := number(w); k > 0 && n >= 10 && n < 60 {
		return n, k
	}
	return 0, 0
}

// halfHour reads "half six", which in English is half past it.
func (m *moment) halfHour(w []string, bare bool) int {
	if len(w) < 2 || w[0] != "half" {
		return 0
	}
	hour, n := number(w[1:])
	if n == 0 || w[1] == "a" || w[1] == "an" || hour < 1 || hour > 12 || isUnit(w, 1+n) {
		return 0
	}
	return m.take(moment{hour: hour, minute: 30, isTime: true, twelve: true}, 1+n, w, bare)
}

// pastOrTo reads "half past six", "ten to seven".
func (m *moment) pastOrTo(w []string) int {
	minute, n := 0, 0
	switch {
	case w[0] == "half":
		minute, n = 30, 1
	case w[0] == "quarter":
		minute, n = 15, 1
	case hasWords(w, "a", "quarter"):
		minute, n = 15, 2
	default:
		minute, n = number(w)
		if n > 0 && isUnit(w, n) && units[w[n]] == time.Minute {
			n++
		}
	}
	if n == 0 || len(w) < n+2 || w[n] != "past" && w[n] != "to" || minute < 1 || minute > 59 {
		return 0
	}
	hour, k := number(w[n+1:])
	switch w[n+1] {
	case "noon", "midday", "midnight": // these are no hour of either half
		m.hour, m.minute, m.isTime = 12, minute, true
		if w[n] == "to" {
			m.hour, m.minute = 11, 60-minute
		}
		if w[n+1] == "midnight" {
			m.hour = (m.hour + 12) % 24
		}
		return n + 2
	}
	if k == 0 || hour < 1 || hour > 12 {
		return 0
	}
	if w[n] == "to" {
		hour, minute = (hour+10)%12+1, 60-minute
	}
	m.hour, m.minute, m.isTime, m.twelve = hour, minute, true, true
	return n + 1 + k
}

// digits reads "6:30", "18.30", "6pm", "6:30pm".
func (m *moment) digits(word string) int {
	text := word
	half := ""
	for _, end := range []string{"a.m", "p.m", "am", "pm"} {
		if cut, ok := strings.CutSuffix(text, end); ok {
			text, half = cut, end[:1]
			break
		}
	}
	h, mm, colon := strings.Cut(strings.ReplaceAll(text, ".", ":"), ":")
	if !colon && half == "" {
		return 0
	}
	hour, err := strconv.Atoi(h)
	if err != nil || hour < 0 || hour > 23 || len(h) > 2 {
		return 0
	}
	minute := 0
	if colon {
		if minute, err = strconv.Atoi(mm); err != nil || len(mm) != 2 || minute < 0 || minute > 59 {
			return 0
		}
	}
	m.hour, m.minute, m.isTime = hour, minute, true
	m.twelve = hour >= 1 && hour <= 12 && h[0] != '0'
	m.full = !m.twelve
	m.inHalf(half)
	return 1
}

// half reads "pm", "in the evening" after a time.
func (m *moment) half(w []string) int {
	if len(w) > 0 {
		switch w[0] {
		case "am", "a.m", "a.m.":
			m.inHalf("a")
			return 1
		case "pm", "p.m", "p.m.":
			m.inHalf("p")
			return 1
		case "tonight":
			m.inPart(nightFrom)
			m.today, m.part = true, nightFrom
			return 1
		}
	}
	for _, form := range []struct {
		words []string
		part  int
	}{
		{[]string{"in", "the", "morning"}, 9},
		{[]string{"in", "the", "afternoon"}, 15},
		{[]string{"in", "the", "evening"}, eveningFrom},
		{[]string{"at", "night"}, nightFrom},
		{[]string{"this", "evening"}, eveningFrom},
		{[]string{"this", "afternoon"}, 15},
	} {
		if hasWords(w, form.words...) {
			m.inPart(form.part)
			m.today = m.today || form.words[0] == "this"
			return len(form.words)
		}
	}
	return 0
}

// inPart puts a time into that part of the day. At night, 12 and the small hours lie behind
// midnight.
func (m *moment) inPart(part int) {
	switch {
	case part >= eveningFrom && m.twelve && m.hour == 12, part >= nightFrom && m.hour < smallHours:
		m.hour, m.twelve, m.late = m.hour%12, false, true
	case part >= 12:
		m.inHalf("p")
	case part > 0:
		m.inHalf("a")
	}
}

func (m *moment) inHalf(half string) {
	if !m.twelve || half == "" {
		return
	}
	m.twelve = false
	switch {
	case half == "p" && m.hour < 12:
		m.hour += 12
	case half == "a" && m.hour == 12:
		m.hour = 0
	}
}

// halved is m with the half of the day that its part names.
func (m moment) halved() moment {
	if m.isTime && !m.late {
		m.inPart(m.part)
	}
	m.late = m.late || m.midnight && m.isDay && m.dayAfter == 0
	return m
}

// nights is 1 where m is behind the midnight after its day, and 0 where it is on it: at one in the
// morning, "tonight at two" is soon.
func (m moment) nights(now time.Time) int {
	today := !m.isDate && !m.isWeek && m.dayAfter == 0
	ahead := time.Date(now.Year(), now.Month(), now.Day(), m.hour, m.minute, 0, 0, now.Location()).After(now)
	if !m.late || today && !m.isDay && ahead {
		return 0
	}
	return 1
}

// when is the first such moment after now, in now's zone; false where none was said.
func (m moment) when(now time.Time) (time.Time, bool) {
	if m.after > 0 {
		return now.Add(m.after), true
	}
	if !m.any() {
		return time.Time{}, false
	}
	m = m.halved()
	hour, minute, nights := m.hour, m.minute, m.nights(now)
	if !m.isTime {
		hour, minute = m.part, 0
		if m.part == 0 {
			hour = 9 // a day alone is its morning
		}
	}
	at := func(day, hour int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+day, hour, minute, 0, 0, now.Location())
	}
	switch {
	case m.isDate:
		days, ok := m.days(now)
		if !ok {
			return time.Time{}, false
		}
		d := days[0]
		return time.Date(d.Year(), d.Month(), d.Day()+nights, m.waking(hour), minute, 0, 0, d.Location()), true
	case m.isWeek:
		day := (int(m.weekday)-int(now.Weekday())+7)%7 + nights
		if m.weekOn {
			day += 7
		}
		t := at(day, m.waking(hour))
		if !t.After(now) {
			t = at(day+7, m.waking(hour))
		}
		return t, true
	case m.isDay && m.dayAfter > 0:
		return at(m.dayAfter+nights, m.waking(hour)), true
	case m.late:
		return at(nights, hour), true
	case m.twelve:
		// Either half of the day will do: the next one at which people are up, or the next
		// of all where they are up now although it is night.
		for day := range 2 {
			if day > 0 && (m.isDay || m.today) {
				break
			}
			for _, h := range []int{hour % 12, hour%12 + 12} {
				if t := at(day, h); t.After(now) && (h >= 6 || now.Hour() < 6) {
					return t, true
				}
			}
		}
	}
	t := at(0, hour)
	if !t.After(now) {
		if m.isDay || m.today && m.isTime {
			return at(0, m.waking(hour)), true // "today at six" that is over: the caller says so
		}
		t = at(1, hour)
	}
	return t, true
}

// waking is the hour of another day where its half was not said: 7 to 11 are in the
// morning, the others after noon.
func (m moment) waking(hour int) int {
	if !m.twelve || hour >= 7 {
		return hour
	}
	return hour + 12
}
