package timers

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/timers/words"
)

// confirm says what has been set.
func confirm(t Timer, now time.Time) string {
	if !t.Reminder {
		if t.Length()%time.Second != 0 { // it was set to a time of day
			return fitting(capital(theName(t))+" will ring "+clock(t.Due, now)+".", "The timer is set.")
		}
		return fitting(capital(theName(t))+" is set for "+length(t.Length())+".", "The timer is set.")
	}
	whom := "you"
	if t.Person != ask.Person(t.Asker) {
		whom = people.Spoken(string(t.Person))
	}
	plain := "I will remind " + whom + " " + clock(t.Due, now)
	if t.Words == "" {
		return plain + "."
	}
	return fitting(plain+": "+t.Words+".", plain+".")
}

// fitting is s where that is one safe sentence, and else the plainer one.
func fitting(s, plainer string) string {
	if ask.CheckSentence(s, false) != nil {
		return plainer
	}
	return s
}

// theName names a timer in a sentence: "the pasta timer", "the reminder to call Nan".
func theName(t Timer) string {
	switch {
	case t.Reminder && t.Words != "":
		return "the reminder “" + strings.NewReplacer("“", "", "”", "").Replace(t.Words) + "”"
	case t.Reminder:
		return "the reminder"
	case t.Name != "":
		return "the " + t.Name + " timer"
	}
	return "the timer"
}

// label is how a person picks a timer out of several.
func label(t Timer, now time.Time) string {
	switch {
	case t.Reminder:
		return t.Words
	case t.Name != "":
		return t.Name
	case t.Length()%time.Second != 0: // it was set to a time of day
		return "the one " + clock(t.Due, now)
	}
	return length(t.Length()) + " set " + clock(t.Made, now)
}

// apart are labels of which no two are the same.
func apart(found []Timer, now time.Time) []string {
	times := map[string]int{}
	for _, t := range found {
		times[label(t, now)]++
	}
	var labels []string
	for _, t := range found {
		l := label(t, now)
		switch {
		case times[l] < 2:
		case t.Reminder:
			l += " " + clock(t.Due, now)
		default:
			l += " with " + length(roundly(t.Due.Sub(now))) + " left"
		}
		labels = append(labels, l)
	}
	return labels
}

// which asks which of several is meant.
func which(found []Timer, verb string, now time.Time) error {
	u := &dispatch.Unclear{}
	var names []string
	found = found[:min(len(found), routing.MaxChoices)]
	for i, l := range apart(found, now) {
		t, kind := found[i], " the timer "
		if t.Reminder {
			kind = " the reminder "
		}
		u.Choices = append(u.Choices, routing.Choice{Label: l, Question: verb + kind + t.ID})
		names = append(names, l)
	}
	u.Ask = fitting("Which one: "+strings.Join(names[:len(names)-1], ", ")+" or "+names[len(names)-1]+"?", "Which one do you mean?")
	return u
}

// none says that there is nothing of what c is about.
func none(c words.Command) string {
	what := "timer"
	if c.Reminder {
		what = "reminder"
	}
	switch {
	case c.Either:
		return "There is no timer and no reminder"
	case c.Name != "" && ask.CheckSentence("There is no "+c.Name+" timer", false) == nil && !c.Reminder:
		return "There is no " + c.Name + " timer"
	case c.Name != "" || c.Length > 0:
		return "There is no such " + what
	}
	return "There is no " + what
}

// counted is "three timers".
func counted(n int, c words.Command) string {
	switch {
	case c.Either:
		return fmt.Sprintf("all %d", n)
	case c.Reminder:
		return fmt.Sprintf("%d reminders", n)
	}
	return fmt.Sprintf("%d timers", n)
}

// mostListed is how many are named before the rest is counted.
const mostListed = 3

// listed is what is set, as one sentence.
func listed(found []Timer, now time.Time) string {
	var said []string
	for _, t := range found[:min(len(found), mostListed)] {
		if t.Reminder {
			said = append(said, theName(t)+" comes "+clock(t.Due, now))
		} else if t.Length()%time.Second != 0 {
			said = append(said, theName(t)+" rings "+clock(t.Due, now))
		} else {
			said = append(said, theName(t)+" has "+length(roundly(t.Due.Sub(now)))+" left")
		}
	}
	s := strings.Join(said, "; ")
	switch more := len(found) - mostListed; {
	case more == 1:
		s += "; and there is one more"
	case more > 1:
		s += fmt.Sprintf("; and there are %d more", more)
	}
	return fitting(capital(s)+".", fmt.Sprintf("There are %d, the first of them %s.", len(found), clock(found[0].Due, now)))
}

// message is what is told when t's moment comes.
func message(t Timer, missed bool, now time.Time) string {
	who := ""
	if t.Reminder {
		who = people.Spoken(string(t.Person)) + ", "
	}
	switch {
	case t.Reminder && missed && t.Words != "":
		return fitting(capital(who)+"you missed a reminder "+clock(t.Due, now)+": "+t.Words+".", "You missed a reminder "+clock(t.Due, now)+".")
	case t.Reminder && missed:
		return capital(who) + "you missed a reminder " + clock(t.Due, now) + "."
	case t.Reminder && t.Words != "":
		return fitting(capital(who)+"your reminder: "+t.Words+".", "There is a reminder.")
	case t.Reminder:
		return capital(who) + "this is your reminder."
	case missed:
		return fitting(capital(theName(t))+" was over "+clock(t.Due, now)+" and could not be told.", "A timer was over and could not be told.")
	}
	return fitting(capital(theName(t))+" is done.", "The timer is done.")
}

// roundly leaves out the seconds of a long time.
func roundly(d time.Duration) time.Duration {
	if d > 10*time.Minute {
		return d.Round(time.Minute)
	}
	return max(d.Round(time.Second), time.Second)
}

// length is a length of time in words: "1 hour and 20 minutes".
func length(d time.Duration) string {
	d = d.Round(time.Second)
	var said []string
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := d / u.of; n > 0 {
			name := u.name
			if n > 1 {
				name += "s"
			}
			said = append(said, fmt.Sprintf("%d %s", n, name))
			d %= u.of
		}
	}
	if len(said) == 0 {
		return "no time"
	}
	return strings.Join(said, " and ")
}

// clock is a moment as people say it: "at 18:00", "tomorrow at 8:00", "on Friday at 12:00".
func clock(t, now time.Time) string {
	t = t.In(now.Location())
	at := fmt.Sprintf("at %d:%02d", t.Hour(), t.Minute())
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	switch days := int(day(t).Sub(day(now)).Hours() / 24); {
	case days == 0:
		return at
	case days == 1:
		return "tomorrow " + at
	case days == -1:
		return "yesterday " + at
	case days > 1 && days < 7:
		return "on " + t.Weekday().String() + " " + at
	}
	return "on " + t.Format("2 January") + " " + at
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
