package read

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/project/compass/calendar"
)

// The bounds of a span that only the calendars or the clock know.
const (
	AfterSchool  = "after_school"
	BeforeSchool = "before_school"
	FromNow      = "from_now"
)

// PartsOfDay are what a span's PartOfDay may be.
var PartsOfDay = []string{"morning", "afternoon", "evening", "night", "tonight"}

// Span is a stretch of time as a question names it, before the clock is looked at.
// Its fields are the arguments of a look-up.
type Span struct {
	// From and To are its first and last day, as 2006-01-02. Without From it is from
	// today to To; without both it is today, where anything else is named.
	From, To string
	// PartOfDay is one of PartsOfDay.
	PartOfDay string
	// At, After and Before are times of the day, as 15:04.
	At, After, Before string
	// Bound is AfterSchool, BeforeSchool or FromNow.
	Bound string
}

// Named says whether a question named any time.
func (s Span) Named() bool { return s != Span{} }

// Part says whether it is less than whole days.
func (s Span) Part() bool {
	return s.PartOfDay != "" || s.At != "" || s.After != "" || s.Before != "" || s.Bound == FromNow
}

// Window is the stretch at now, in now's zone; ok is false where a day or a time is
// none, or the span ends before it begins. The school's bounds are left to the caller.
func (s Span) Window(now time.Time) (w Window, ok bool) {
	if s.From == "" && s.To != "" {
		return s.upTo(now)
	}
	w = Window{From: Midnight(now, 0), To: Midnight(now, 1), Label: "today", Days: 1}
	part, parted := partOf(s.PartOfDay)
	switch {
	case s.From != "":
		first, err1 := time.Parse(time.DateOnly, s.From)
		last, err2 := time.Parse(time.DateOnly, s.To)
		if s.To == "" {
			last, err2 = first, err1
		}
		if err1 != nil || err2 != nil || last.Before(first) || last.Sub(first) > 1000*24*time.Hour {
			return w, false
		}
		w.Days = int(last.Sub(first)/(24*time.Hour)) + 1
		w.From, w.To = midnightOf(first, now.Location()), midnightOf(last.AddDate(0, 0, 1), now.Location())
		w.Label = name(first, last, now)
	case parted && !clockOn(now, part.to).After(now):
		w = *oneDay(now, 1) // "in the morning", said in the evening
	}
	w.Day = w.Label
	if w.Days > 1 {
		return w, true
	}
	return s.within(w, part, now)
}

// within narrows a day to a part of it.
func (s Span) within(w Window, part dayPart, now time.Time) (Window, bool) {
	day := w.From
	if s.Bound == FromNow && w.From.Before(now) && w.To.After(now) {
		w.From, w.Part, w.Label = now, true, "for the rest of today"
	}
	if s.PartOfDay != "" {
		w.From, w.To, w.Part = later(w.From, clockOn(day, part.from)), clockOn(day, part.to), true
		w.Label = partLabel(w.Label, part.name)
	}
	w.Day = w.Label
	var minutes [3]int
	for i, text := range []string{s.At, s.After, s.Before} {
		t, err := time.Parse("15:04", text)
		if text != "" && err != nil {
			return w, false
		}
		minutes[i] = t.Hour()*60 + t.Minute()
	}
	switch {
	case s.After != "" && s.Before != "":
		w.Label = "between " + clockText(minutes[1]) + " and " + clockText(minutes[2]) + " " + w.Label
	case s.After != "":
		w.Label = "after " + clockText(minutes[1]) + " " + w.Label
	case s.Before != "":
		w.Label = "before " + clockText(minutes[2]) + " " + w.Label
	}
	if s.After != "" {
		w.From, w.Part = clockOn(day, minutes[1]), true
	}
	if s.Before != "" {
		w.To, w.Part = clockOn(day, minutes[2]), true
	}
	if s.At != "" {
		w.From, w.To, w.Part = clockOn(day, minutes[0]), clockOn(day, minutes[0]+1), true
		w.Label = "at " + clockText(minutes[0]) + " " + w.Label
	}
	if !w.To.After(w.From) {
		w.To = w.From
	}
	return w, true
}

// upTo is from today to the end of a day.
func (s Span) upTo(now time.Time) (Window, bool) {
	last, err := time.Parse(time.DateOnly, s.To)
	if err != nil {
		return Window{}, false
	}
	w := Window{From: Midnight(now, 0), To: midnightOf(last.AddDate(0, 0, 1), now.Location()), Days: 2}
	w.Label = "by " + strings.TrimPrefix(DayLabel(midnightOf(last, now.Location()), now), "on ")
	w.Day = w.Label
	if n := int(last.Sub(utcDay(now))/(24*time.Hour)) + 1; n > 2 {
		w.Days = n
	}
	if w.To.Before(w.From) {
		w.To = w.From
	}
	return w, true
}

func partOf(name string) (dayPart, bool) {
	p, ok := dayParts[name]
	if name == "tonight" {
		p, ok = dayPart{17 * 60, 24 * 60, name}, true
	}
	return p, ok && slices.Contains(PartsOfDay, name)
}

func utcDay(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func midnightOf(day time.Time, zone *time.Location) time.Time {
	return calendar.Instant(zone, day.Year(), day.Month(), day.Day(), 0, 0)
}

// name is how a sentence names the days from first to last, seen from now.
func name(first, last, now time.Time) string {
	today := utcDay(now)
	from, to := int(first.Sub(today)/(24*time.Hour)), int(last.Sub(today)/(24*time.Hour))
	monday := -sinceMonday(now)
	which := func(n int) string { return [3]string{"last", "this", "next"}[n+1] }
	if from == to {
		return DayLabel(midnightOf(first, now.Location()), now)
	}
	for n := -1; n <= 1; n++ {
		switch week := monday + 7*n; {
		case from == week && to == week+6:
			return which(n) + " week"
		case from == week+5 && to == week+6:
			return which(n) + " weekend"
		}
	}
	if from == 0 && to == monday+6 {
		return "for the rest of this week"
	}
	if first.Day() == 1 && last.Equal(first.AddDate(0, 1, -1)) {
		switch n := (first.Year()-today.Year())*12 + int(first.Month()) - int(today.Month()); {
		case n >= -1 && n <= 1:
			return which(n) + " month"
		case n > 0 && n < 12:
			return "in " + first.Month().String()
		}
		return "in " + first.Format("January 2006")
	}
	if from == 0 {
		return "in the next " + strconv.Itoa(to+1) + " days"
	}
	day := func(t time.Time) string {
		return strings.TrimPrefix(DayLabel(midnightOf(t, now.Location()), now), "on ")
	}
	return "from " + day(first) + " to " + day(last)
}

// ThisWeek is the week of now, from Monday.
func ThisWeek(now time.Time) Window { return *days(now, -sinceMonday(now), 7, "this week") }
