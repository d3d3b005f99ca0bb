package words

import (
	"slices"
	"strings"
	"time"
)

// What is asked back where something is to be set and its moment was not said.
const (
	howLong     = "For how long shall the timer run?"
	whenRing    = "When shall the alarm ring?"
	whenRemind  = "When shall I remind you?"
	whenAndWhat = "When shall I remind you, and of what?"
)

// Missing asks for what text lacks before anything can be set; false where it lacks nothing,
// or where it holds a time that was not understood, which no other one may stand beside.
func Missing(text string, now time.Time) (question string, ok bool) {
	c, ok := Parse(text, now)
	if !ok || c.Verb != Set || c.Unfit != "" || !c.Due.IsZero() {
		return "", false
	}
	s := split(text)
	switch {
	case !c.Reminder && rings(s):
		return whenRing, true
	case !c.Reminder:
		return howLong, true
	case !s.leads() || fold(c.Words).hasTime(span{}):
		return "", false
	case c.Words == "":
		return whenAndWhat, true
	}
	return whenRemind, true
}

// rings is whether an alarm is spoken of, which is set to a time of day.
func rings(s said) bool { return s.has("alarm", "alarms") || s.has("wake") }

// leads is whether what is to be reminded of stands where it is looked for, and nothing before
// it that was not understood: "remind me yesterday to eat".
func (s said) leads() bool {
	if s.low[0] == "remind" {
		s = s.from(2)
	} else {
		s = s.from(slices.Index(s.low, "reminder") + 1)
	}
	return len(s.low) == 0 || slices.Contains([]string{"to", "about", "that", "of", "for"}, s.low[0])
}

// Complete is the whole order that the reply makes of one that was asked back by Missing;
// false where the reply is something of its own. It says nothing but a length of time or a
// moment, and of a reminder what it is about; the rest stays as it was said.
func Complete(asked, reply string, now time.Time) (whole string, ok bool) {
	if _, ok := Missing(asked, now); !ok {
		return "", false
	}
	before, _ := Parse(asked, now)
	s := fold(reply).after("please", "oh", "um", "uh", "er", "well", "so", "and", "make it", "let's say", "say", "just").offEnd("please", "thanks")
	if len(s.low) == 0 || len(s.low) > maxOrder {
		return "", false
	}
	if before.Reminder {
		return completeReminder(asked, before, s, now)
	}
	return completeTimer(asked, before, s, now)
}

// completeTimer reads "five minutes", "until six", "a timer for an hour"; "at seven" alone where
// an alarm was asked for.
func completeTimer(asked string, before Command, s said, now time.Time) (string, bool) {
	s = s.after("set it", "a timer", "the timer", "an alarm", "the alarm", "for", "about", "at", "until", "till")
	alarm := rings(split(asked))
	var due time.Time // zero for "ten", of which it is not said what: that is asked for again
	d, n := duration(s.low)
	m, k := bareMoment(s.low)
	switch {
	case n == len(s.low) && d > 0:
		due = now.Add(d)
	case n == len(s.low), !alarm && onlyNumber(s.low):
	case k < len(s.low) || m.after > 0:
		return "", false
	case alarm || !m.bare() || s.has("o'clock", "oclock"):
		due, _ = m.when(now)
	}
	kind := " timer for "
	if alarm {
		kind = " alarm for "
	}
	name := strings.Join(slices.DeleteFunc(strings.Fields(before.Name), countless), " ")
	whole := "set the" + strings.TrimRight(" "+name, " ") + kind + s.text()
	c, ok := Parse(whole, now)
	return whole, ok && c.Verb == Set && c.Unfit == "" && c.Name == name && c.Due.Equal(due)
}

// countless is whether a word of a name is a number or a unit, and so was no name.
func countless(w string) bool {
	_, n := number([]string{w})
	return n > 0 || units[w] > 0 || strings.ContainsAny(w, "0123456789")
}

// onlyNumber is a number and nothing else.
func onlyNumber(w []string) bool {
	_, n := number(w)
	return n == len(w)
}

// completeReminder reads "at six", "six", "in an hour", "tomorrow to call Nan".
func completeReminder(asked string, before Command, s said, now time.Time) (string, bool) {
	asked = strings.TrimRight(strings.TrimSpace(asked), ".,;:!?")
	for _, lead := range []string{"", "at ", "in ", "on "} {
		said := fold(lead + s.text())
		m, n := readMoment(said.low)
		about := said.from(n)
		if len(about.low) > 0 && (before.Words != "" || !slices.Contains([]string{"to", "about", "that", "of"}, about.low[0])) || n == 0 && len(about.low) < 2 {
			continue
		}
		whole := asked + " " + said.text()
		c, ok := Parse(whole, now)
		switch at, known := m.when(now); {
		case !ok || !c.Reminder || c.Verb != Set || c.Unfit != "" || c.For != before.For:
		case known != !c.Due.IsZero() || known && !c.Due.Equal(at):
		case len(about.low) == 0 && c.Words == before.Words, len(about.low) > 0 && c.Words == about.from(1).text():
			return whole, true
		}
	}
	return "", false
}
