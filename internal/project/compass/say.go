package compass

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/project/compass/read"
)

// whom is "you" or "Harry"; whose is "your" or "Harry's"; have is "you have" or
// "Harry has".
func (a *answering) whom() string {
	if a.you {
		return "you"
	}
	return a.name
}

func (a *answering) whose() string {
	if a.you {
		return "your"
	}
	return a.name + "'s"
}

func (a *answering) have() string {
	if a.you {
		return "you have"
	}
	return a.name + " has"
}

// clockOf is 9:00 or 15:30.
func clockOf(t time.Time) string { return t.Format("15:04")[b2i(t.Hour() < 10):] }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// day is "today", "tomorrow", "on Friday", "on Monday 7 December".
func (a *answering) day(unix int64) string { return read.DayLabel(a.at(unix), a.now) }

// join is "a", "a and b", "a, b and c".
func join(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

func plural(n int, one string) string {
	if n == 1 {
		return "one " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// lastDay is the day before an all-day item's end.
func lastDay(it item) int64 { return it.end - 1 }

func (a *answering) severalDays(it item) bool {
	return it.end > it.start && !a.dayOf(it.start).Equal(a.dayOf(lastDay(it)))
}

// onDay is an item as it stands in the list of one day: "maths at 9:00".
func (a *answering) onDay(it item, day time.Time) string {
	switch {
	case a.severalDays(it) && it.allDay && a.dayOf(lastDay(it)).Equal(a.dayOf(day.Unix())):
		return "the last day of the " + unarticled(it.title)
	case a.severalDays(it) && (it.allDay || it.end-it.start > 24*3600):
		return it.title + " until " + strings.TrimPrefix(a.day(lastDay(it)), "on ")
	case it.allDay:
		return it.title + " all day"
	case it.start < day.Unix():
		return it.title + " until " + clockOf(a.at(it.end))
	}
	return it.title + " at " + clockOf(a.at(it.start))
}

// dated is an item with its day: "maths at 9:00 on Friday".
func (a *answering) dated(it item) string {
	if a.severalDays(it) && it.allDay {
		if a.isOn(it) {
			return it.title + " until " + strings.TrimPrefix(a.day(lastDay(it)), "on ")
		}
		return it.title + " from " + strings.TrimPrefix(a.day(it.start), "on ") + " to " + strings.TrimPrefix(a.day(lastDay(it)), "on ")
	}
	if it.allDay {
		return it.title + " " + a.day(it.start)
	}
	return it.title + " at " + clockOf(a.at(it.start)) + " " + a.day(it.start)
}

// inWeek is an item in a list of several days: "PE on Monday at 11:00".
func (a *answering) inWeek(it item, w *read.Window) string {
	label := "on " + a.at(it.start).Weekday().String()
	if w.Days > 7 {
		label = a.day(it.start)
	} else if d := a.day(it.start); d == "today" || d == "tomorrow" {
		label = d
	}
	switch {
	case a.severalDays(it) && it.allDay && it.start < w.From.Unix():
		return it.title + " until " + strings.TrimPrefix(a.day(lastDay(it)), "on ")
	case a.severalDays(it) && it.allDay:
		return it.title + " from " + strings.TrimPrefix(label, "on ") + " to " + strings.TrimPrefix(a.day(lastDay(it)), "on ")
	case it.allDay:
		return it.title + " " + label
	}
	return it.title + " " + label + " at " + clockOf(a.at(it.start))
}

// age is how a person says when that was: "20 minutes ago", "this morning",
// "yesterday evening", "Monday".
func age(then, now time.Time) string {
	then = then.In(now.Location())
	d := now.Sub(then)
	switch {
	case d < 2*time.Minute:
		return "a minute ago"
	case d < time.Hour:
		return fmt.Sprintf("%d minutes ago", int(d.Minutes()))
	}
	part := "morning"
	switch h := then.Hour(); {
	case h >= 17:
		part = "evening"
	case h >= 12:
		part = "afternoon"
	}
	switch label := read.DayLabel(then, now); label {
	case "today":
		return clockOf(then) + " today"
	case "yesterday":
		return "yesterday " + part
	default:
		return strings.TrimPrefix(label, "on ")
	}
}

// lasting is "1 hour and 15 minutes".
func lasting(d time.Duration) string {
	h, m := int(d/time.Hour), int(d%time.Hour/time.Minute)
	var parts []string
	if h > 0 {
		parts = append(parts, strings.Replace(plural(h, "hour"), "one", "1", 1))
	}
	if m > 0 || h == 0 {
		parts = append(parts, strings.Replace(plural(m, "minute"), "one", "1", 1))
	}
	return join(parts)
}

// shown are the subject's words as they are written.
func shown(words string) string {
	fields := strings.Fields(words)
	for i, w := range fields {
		switch w {
		case "pe", "re", "rs", "dt", "it", "ict", "pshe", "gp", "nhs":
			fields[i] = strings.ToUpper(w)
		case "english", "french", "german", "spanish", "latin", "italian", "mandarin", "christmas", "easter", "inset":
			fields[i] = capital(w)
			if w == "inset" {
				fields[i] = "INSET"
			}
		}
	}
	return strings.Join(fields, " ")
}

// what is how the sentence names what was asked for: "PE", "lessons", "dentist
// appointment". It is the asker's own words, cleaned.
func (a *answering) what(plural bool) string {
	s := ""
	if plural {
		s = "s"
	}
	if len(a.r.Subject) > 0 {
		w := shown(cleanText(a.r.Words, maxTitle))
		if one := strings.TrimSuffix(w, "s"); practitioners[one] {
			w = one
		}
		switch {
		case a.r.Kind == read.Lesson:
			return w + " lesson" + s
		case a.r.Kind == read.Appointment, practitioners[w]:
			return w + " appointment" + s
		}
		return w
	}
	switch a.r.Kind {
	case read.Lesson:
		return "lesson" + s
	case read.Appointment:
		return "appointment" + s
	}
	if a.domain() == School {
		return "school event" + s
	}
	return "event" + s
}
