package words

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// Event is something to be added to a calendar.
type Event struct {
	// Title is what it is called, in the words as they were said.
	Title string
	// Calendar is the one that was named, in small letters; empty where none was.
	Calendar string
	// Spoken is whether any was spoken of, be it only "the calendar".
	Spoken bool
	// Mine is whether it was called the asker's own ("my calendar").
	Mine bool
	// Spans are when it may be; more than one where the words may mean each of them.
	Spans []Span
	// Unfit is why there is none.
	Unfit Unfit
}

var (
	eventVerbs    = []string{"add", "create", "schedule", "make", "put", "enter", "book", "note", "set", "save", "plan", "write"}
	calendarWords = []string{"calendar", "calendars", "diary", "agenda", "schedule"}
	// plainVerbs add to a calendar where none is named.
	plainVerbs = []string{"add", "create", "schedule", "plan"}
)

// maxOrder is how many words an order has at most; what is longer is no order.
const maxOrder = 100

// ParseEvent reads "add dentist on Friday at 3 to my calendar" at that moment, whose zone
// is the household's. It is false where the text is no such order. names are how the
// calendars are called.
func ParseEvent(text string, now time.Time, names []string) (Event, bool) {
	s := split(text).offEnd("please", "thanks")
	if len(s.low) < 2 || len(s.low) > maxOrder || !slices.Contains(eventVerbs, s.low[0]) {
		return Event{}, false
	}
	verb := s.low[0]
	up := s.low[1] == "up"
	s = s.from(1).after("up", "down").quoted()
	e := Event{}
	place, named := s.place(calendarWords, names, "to", "in", "into", "on", "onto", "for")
	two := named && s.orders(max(place.start, place.end-1))
	if named {
		e.Calendar, e.Mine = place.name, place.mine
		if place.start == 1 && slices.Contains([]string{"it", "this", "that"}, s.low[0]) {
			place.start = 0 // "put it in my calendar that …"
		}
		s = s.without(place.start, place.end)
	}
	called := said{}
	if len(s.raw) > 0 && !strings.HasPrefix(s.raw[0], `"`) {
		called = s.after("a new", "an", "a", "new").after("calendar event", "calendar entry", "event", "entry", "appointment")
	}
	if len(called.low) < len(s.low) && len(called.low) > 0 && slices.Contains([]string{"called", "named", "titled", "for", "that"}, called.low[0]) {
		named = named || s.has("calendar")
		s = called.after("called", "named", "titled", "for", "that")
	}
	title, sp, found := s.splitSpan()
	scattered := title.hasMoment(sp)
	e.Spoken = named
	if !named && (!found && !scattered || !slices.Contains(plainVerbs, verb) && !(verb == "set" && up) || s.has("list", "lists")) {
		return Event{}, false
	}
	for i, w := range s.low {
		onDays := i > 0 && s.low[i-1] == "on" && strings.HasSuffix(w, "s") && weekdays[strings.TrimSuffix(w, "s")] > 0
		if onDays || (w == "every" || w == "each") && i+1 < len(s.low) && (weekdays[strings.TrimSuffix(s.low[i+1], "s")] > 0 || units[s.low[i+1]] >= 24*time.Hour || slices.Contains([]string{"month", "year", "other", "morning", "evening", "weekday"}, s.low[i+1])) ||
			slices.Contains([]string{"daily", "weekly", "monthly", "yearly", "annually"}, w) && i == len(s.low)-1 {
			e.Unfit = Repeats
		}
	}
	e.Title = title.title()
	if two || title.joined() {
		e.Unfit = several
	}
	switch {
	case e.Unfit != "":
	case !found && !scattered:
		e.Unfit = NoDay
	case scattered:
		e.Unfit = NotClear
	default:
		e.Spans, e.Unfit = sp.resolve(now)
	}
	return e, true
}

// Order is what ParseEvent reads as that title in that span, whenever it is said again.
func Order(title string, when Span, calendar string) string {
	return `add "` + title + `" ` + when.Words() + " to " + calendar
}

// Calendar is the one that the text names, in small letters, and whether it was called the
// asker's own; false where it speaks of none.
func Calendar(text string, names []string) (name string, mine, ok bool) {
	p, ok := split(text).place(calendarWords, names, "on", "in", "from", "for", "is", "about", "to")
	return p.name, p.mine, ok
}

// quoted is the words with what stands in quotation marks at their beginning as one of them,
// in which no day, time or calendar is looked for.
func (s said) quoted() said {
	if len(s.raw) == 0 || !strings.HasPrefix(s.raw[0], `"`) {
		return s
	}
	for end := len(s.raw); end > 0; end-- {
		if raw := strings.Join(s.raw[:end], " "); len(raw) > 1 && strings.HasSuffix(strings.TrimRight(raw, ",;:."), `"`) {
			return said{append([]string{`"`}, s.low[end:]...), append([]string{raw}, s.raw[end:]...)}
		}
	}
	return s
}

// title is the words without the article that the order gave them, and without the marks
// around them.
func (s said) title() string {
	for _, w := range []string{"a", "an", "the", "it", "that"} {
		if len(s.raw) > 1 && s.raw[0] == w {
			s = s.from(1)
			break
		}
	}
	text := strings.TrimRight(s.text(), ",;: ")
	for _, marks := range [][2]string{{`"`, `"`}, {"“", "”"}, {"'", "'"}} {
		if inner, ok := strings.CutPrefix(text, marks[0]); ok {
			if inner, ok = strings.CutSuffix(inner, marks[1]); ok {
				return inner
			}
		}
	}
	return text
}

// splitSpan finds the span that the words end with, or else begin with, and gives the
// other words. A day at the beginning and a time at the end are one span.
func (s said) splitSpan() (title said, sp span, found bool) {
	if whole, n := readSpan(s.low); n > 0 && n == len(s.low) && !whole.unclear {
		return said{}, whole, true
	}
	at := -1
	for i := 1; i < len(s.low); i++ {
		next, n := readSpan(s.low[i:])
		// "the parents' evening on Thursday": what a time begins with is no part of a day.
		if n == 0 || i+n != len(s.low) || parts[s.low[i]] > 0 && s.low[i] != "tonight" {
			continue
		}
		if at < 0 || sp.unclear && !next.unclear && next.from.isTime && next.from.hasDay() {
			at, sp = i, next
		}
		if !sp.unclear {
			break
		}
	}
	title = s
	if at > 0 {
		title, found = said{s.low[:at], s.raw[:at]}, true
	}
	start, first, n := title.spanWithin()
	switch {
	case n == 0 || n == len(title.low):
		return title, sp, found
	case !found:
		return title.without(start, start+n).after("that"), first, true
	case first.from.hasDay() && !first.from.isTime && !sp.from.hasDay() && sp.from.isTime:
		sp.from = sp.from.on(first.from)
		return title.without(start, start+n), sp, true
	}
	return title, sp, found
}

// spanWithin is a span that names a day, at the beginning of the words or after a word that
// leads to one: "dentist on Friday at 3 with Ann".
func (s said) spanWithin() (start int, sp span, n int) {
	leads := []string{"on", "at", "from", "between", "for", "this", "next", "in", "today", "tomorrow", "tonight"}
	for start := range s.low {
		if start > 0 && !slices.Contains(leads, s.low[start]) {
			continue
		}
		if sp, n := readSpan(s.low[start:]); n > 0 && (start == 0 || sp.from.hasDay() || sp.from.today) {
			return start, sp, n
		}
	}
	return 0, span{}, 0
}

// hasMoment is whether the words that are left hold a day or a time that sp lacks, and
// that was so said apart from it.
func (s said) hasMoment(sp span) bool {
	// "Holiday from Friday" has no end, and "a week on Friday" is another day.
	return s.hasTime(sp) || len(s.low) > 0 && slices.Contains(cutShort, s.low[len(s.low)-1])
}

// hasTime is hasMoment without what a last word may be cut off from.
func (s said) hasTime(sp span) bool {
	for i := range s.low {
		if s.from(i).farOff() {
			return true
		}
		m, n := readMoment(s.low[i:])
		if n == 0 && i+1 < len(s.low) && s.low[i] == "at" && !sp.from.isTime {
			_, k := number(s.low[i+1:])
			if k > 0 || unicode.IsDigit(rune(s.low[i+1][0])) || s.low[i+1] == "half" || s.low[i+1] == "quarter" {
				return true // "at half 25" is no time
			}
		}
		if n == 0 {
			continue
		}
		if (m.hasDay() || m.after > 0) && !sp.from.hasDay() && !sp.from.today || m.isTime && !sp.from.isTime && n > 1 {
			return true
		}
	}
	return false
}

// farOff is whether the words begin with a week, a month or a year that is not this day's, or
// with a length of them: which day that is, is not clear.
func (s said) farOff() bool {
	if len(s.low) < 2 {
		return false
	}
	unit := func(w string) bool {
		return slices.Contains([]string{"week", "weekend", "fortnight", "month", "year"}, strings.TrimSuffix(w, "s"))
	}
	if s.low[0] == "in" {
		_, n := number(s.low[1:])
		return n > 0 && len(s.low) > n+1 && unit(s.low[n+1])
	}
	return slices.Contains([]string{"next", "this", "last", "following", "coming"}, s.low[0]) && unit(s.low[1]) && !hasWords(s.low, "this", "weekend")
}

// cutShort are words that belong to the time after them, where they are the last of a title.
var cutShort = strings.Fields("from until till between after before half quarter at on past to about around week weeks fortnight")

// place is where a calendar or a list stands in the words.
type place struct {
	start, end int
	name       string
	mine       bool
}

// place finds the last words that name such a thing: one of these prepositions, what it
// is called, and one of the nouns, or a name that is known and holds its noun.
func (s said) place(nouns, names []string, prepositions ...string) (place, bool) {
	for end := len(s.low); end > 0; end-- {
		for start := max(0, end-7); start < end-1; start++ {
			if !slices.Contains(prepositions, s.low[start]) {
				continue
			}
			p := place{start: start, end: end}
			inner := s.low[start+1 : end]
			for len(inner) > 1 && slices.Contains([]string{"the", "my", "our", "your"}, inner[0]) {
				p.mine = p.mine || inner[0] == "my"
				inner = inner[1:]
			}
			name := strings.Join(inner, " ")
			if len(inner) == 0 {
				continue
			}
			isNoun := slices.Contains(nouns, inner[len(inner)-1])
			known := slices.ContainsFunc(names, func(n string) bool {
				n = Plain(n)
				return n == name && slices.ContainsFunc(strings.Fields(n), func(w string) bool { return slices.Contains(nouns, w) })
			})
			switch {
			case known:
				p.name = name
				return p, true
			case isNoun && len(inner) <= 5 && !slices.ContainsFunc(inner[:len(inner)-1], func(w string) bool { return slices.Contains(prepositions, w) }):
				p.name = strings.Join(inner[:len(inner)-1], " ")
				return p, true
			}
		}
	}
	return place{}, false
}

// Plain is a name as it is compared with what was said.
func Plain(name string) string { return strings.Join(fold(name).low, " ") }

// without is the words without those from start to end.
func (s said) without(start, end int) said {
	return said{slices.Concat(s.low[:start], s.low[end:]), slices.Concat(s.raw[:start], s.raw[end:])}
}
