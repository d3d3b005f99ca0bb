package compass

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/project/compass/read"
)

// whom is "you" or "Harry"; whose is "your" or "Harry's"; have is "you have" or
// "Harry has".
func (s *saying) whom() string {
	if s.you {
		return "you"
	}
	return s.name
}

func (s *saying) whose() string {
	if s.you {
		return "your"
	}
	return s.name + "'s"
}

func (s *saying) have() string {
	if s.you {
		return "you have"
	}
	return s.name + " has"
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
func (s *saying) day(unix int64) string { return read.DayLabel(s.at(unix), s.now) }

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

func (s *saying) severalDays(it item) bool {
	return it.end > it.start && !s.dayOf(it.start).Equal(s.dayOf(lastDay(it)))
}

// onDay is an item as it stands in the list of one day: "maths at 9:00".
func (s *saying) onDay(it item, day time.Time) string {
	switch {
	case s.beyond(it):
		return it.title + " until " + strings.TrimPrefix(s.day(lastDay(it)), "on ")
	case it.allDay:
		return it.title + " all day"
	case it.start < day.Unix():
		return it.title + " until " + clockOf(s.at(it.end))
	}
	return it.title + " at " + clockOf(s.at(it.start))
}

// dated is an item with its day: "maths at 9:00 on Friday".
func (s *saying) dated(it item) string {
	if s.severalDays(it) && it.allDay {
		if s.isOn(it) {
			return it.title + " until " + strings.TrimPrefix(s.day(lastDay(it)), "on ")
		}
		return it.title + " from " + strings.TrimPrefix(s.day(it.start), "on ") + " to " + strings.TrimPrefix(s.day(lastDay(it)), "on ")
	}
	if it.allDay {
		return it.title + " " + s.day(it.start)
	}
	return it.title + " at " + clockOf(s.at(it.start)) + " " + s.day(it.start)
}

// inWeek is an item in a list of several days: "PE on Monday at 11:00".
func (s *saying) inWeek(it item, w *read.Window) string {
	label := s.day(it.start)
	switch {
	case s.severalDays(it) && it.allDay && it.start < w.From.Unix():
		return it.title + " until " + strings.TrimPrefix(s.day(lastDay(it)), "on ")
	case s.severalDays(it) && it.allDay:
		return it.title + " from " + strings.TrimPrefix(label, "on ") + " to " + strings.TrimPrefix(s.day(lastDay(it)), "on ")
	case it.allDay:
		return it.title + " " + label
	}
	return it.title + " " + label + " at " + clockOf(s.at(it.start))
}

// age is how a person says when that was: "20 minutes ago", "this morning",
// "yesterday evening", "Monday".
func age(then, now time.Time) string {
	then = then.In(now.Location())
	d := now.Sub(then)
	switch {
	case d < 2*time.Minute:
		return "today at " + clockOf(then)
	case d < time.Hour:
		return fmt.Sprintf("%d minutes ago", int(d.Round(time.Minute).Minutes()))
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
		return "today at " + clockOf(then)
	case "yesterday":
		return "yesterday " + part
	default:
		return label
	}
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
func (s *saying) what(plural bool) string {
	ending := ""
	if plural {
		ending = "s"
	}
	if s.subject != "" {
		w := shown(cleanText(s.subject, maxTitle))
		if one := strings.TrimSuffix(w, "s"); practitioners[one] {
			w = one
		}
		switch {
		case s.kind == lessons:
			return w + " lesson" + ending
		case s.kind == appointments, practitioners[w]:
			return w + " appointment" + ending
		}
		return w
	}
	switch {
	case s.kind != "":
		return s.kind + ending
	case s.tag == School:
		return "school event" + ending
	}
	return "event" + ending
}

// unarticled is a title without its "a", to stand after "Harry's".
func unarticled(title string) string {
	for _, art := range []string{"a ", "an ", "the "} {
		if rest, ok := strings.CutPrefix(title, art); ok {
			if practitioners[strings.ToLower(rest)] {
				return rest + " appointment"
			}
			return rest
		}
	}
	return title
}

var endStem = read.Stem("end")

// isAnEnd is "End of term", which does not end.
func (e *entry) isAnEnd() bool { return slices.Contains(read.Stems(e.title), endStem) }
