package words

import (
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/daystart"
)

// Days are days one after the other, from the start of the first.
type Days struct {
	First time.Time
	Count int
	// Name is what they are called, such as "this weekend"; empty for a single day.
	Name string
}

// End is the start of the day after them.
func (d Days) End() time.Time { return daystart.Of(d.First, d.Count) }

// weekWords are lengths of days that a question may be about.
var weekWords = strings.Fields("week weeks weekend weekends fortnight month months year years")

// DaysIn are the days that the text names: one, this weekend, this week from today on, or the next one.
// It is false where it names none, and unclear where it speaks of a week, a month or a year
// that may be more than one.
func DaysIn(text string, now time.Time) (d Days, ok, unclear bool) {
	s := fold(text)
	for i, w := range s.low { // "the week's"
		s.low[i] = strings.TrimSuffix(w, "'s")
	}
	at := -1
	for i, w := range s.low {
		switch {
		case !slices.Contains(weekWords, w), w == "week" && i > 0 && weekdays[s.low[i-1]] > 0: // "Friday week"
		case at >= 0:
			return Days{}, false, true
		default:
			at = i
		}
	}
	day, named := DayIn(text, now)
	if at < 0 {
		return Days{First: day, Count: 1}, named, false
	}
	d, ok = s.weekAt(at, now)
	if ok && named {
		d, ok = s.dayOf(d)
	}
	return d, ok, !ok
}

// weekAt is the week or the weekend whose word is the one at that place.
func (s said) weekAt(at int, now time.Time) (Days, bool) {
	before := "  " + strings.Join(s.low[:at], " ")
	if at+1 < len(s.low) && slices.Contains([]string{"after", "before", "of", "from", "on", "today", "tomorrow"}, s.low[at+1]) && !s.onDay(at+1) {
		return Days{}, false // "the week after next", "a week on Friday"
	}
	ends := func(phrases ...string) bool {
		return slices.ContainsFunc(phrases, func(p string) bool { return strings.HasSuffix(before, " "+p) })
	}
	untilSunday := (7 - int(now.Weekday())) % 7 // days from today
	today := daystart.Of(now, 0)
	switch {
	case s.low[at] == "weekend" && ends("this", "the", "this coming", "the coming"):
		saturday := max(0, untilSunday-1)
		return Days{First: daystart.Of(now, saturday), Count: untilSunday - saturday + 1, Name: "this weekend"}, true
	case s.low[at] == "week" && ends("this", "rest of the"):
		return Days{First: today, Count: untilSunday + 1, Name: "this week"}, true
	case s.low[at] == "week" && ends("next"):
		return Days{First: daystart.Of(now, untilSunday+1), Count: 7, Name: "next week"}, true
	}
	return Days{}, false
}

// onDay is whether the words from there on name a day of the week that was spoken of before
// them: "next week on Tuesday".
func (s said) onDay(at int) bool {
	return s.low[at] == "on" && at+1 < len(s.low) && weekdays[s.low[at+1]] > 0 && at > 1 && slices.Contains([]string{"this", "next"}, s.low[at-2])
}

// dayOf is the one of those days whose name stands in the words; false where they name another
// one, or more than one.
func (s said) dayOf(days Days) (Days, bool) {
	found := Days{}
	for i, w := range s.low {
		weekday := weekdays[w]
		_, dated := readDate(s.low[i:], false)
		switch {
		case dated > 0, w == "today", w == "tomorrow", w == "tonight", weekday > 0 && found.Count > 0:
			return Days{}, false
		case weekday > 0:
			for k := range days.Count {
				if day := daystart.Of(days.First, k); int(day.Weekday()) == weekday-1 {
					found = Days{First: day, Count: 1}
				}
			}
			if found.Count == 0 {
				return Days{}, false
			}
		}
	}
	if found.Count == 0 { // "this weekend in the evening"
		return days, true
	}
	return found, true
}
