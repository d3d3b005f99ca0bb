package compass

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/project/compass/feed"
	"github.com/askhub/askhub/internal/project/compass/read"
)

// Answer answers one question from memory. Whether the asker may see the person is
// asked before, by Project.
func (c *Compass) Answer(_ context.Context, q ask.Question) (ask.Answer, error) {
	h := c.people[q.About()]
	if h == nil {
		return ask.NoAnswer("no data for that person"), nil
	}
	now := c.cfg.Now().In(c.cfg.Zone)
	ix := h.index.Load()
	if ix == nil {
		return ask.NoAnswer("the calendars have not been read yet"), nil
	}
	name := displayName(string(h.person))
	r, why := read.Question(q.Question, read.Context{
		Names: c.namesOf(h.person), Others: c.others(h.person), Now: now,
		Knows: func(s string) bool { return ix.vocab[s] }, Vocabulary: ix.words, Together: ix.together,
	})
	if why != "" {
		return ask.NoAnswer(why), nil
	}
	a := &answering{index: ix, r: r, now: now, name: name, you: string(q.Asker) == string(h.person), list: ask.WantsList(q.Question)}
	if why := a.standing(h.feeds); why != "" {
		return ask.NoAnswer(why), nil
	}
	said, why := a.answer()
	if why != "" {
		return ask.NoAnswer(why), nil
	}
	return said, nil
}

func (c *Compass) others(person ask.Person) []string {
	var out []string
	for _, p := range c.names {
		if p != person {
			out = append(out, c.namesOf(p)...)
		}
	}
	return out
}

// namesOf is all that a person is called.
func (c *Compass) namesOf(p ask.Person) []string {
	return append([]string{string(p), displayName(string(p))}, c.cfg.Aliases(p)...)
}

// answering is one question on its way to a sentence.
type answering struct {
	*index
	r    read.Reading
	now  time.Time
	name string
	you  bool // the asker is the person
	list bool
	// missing are the tags whose calendar was never read, stale is when the oldest of
	// those that cannot be reached was right, zero for none.
	missing []string
	stale   time.Time
	hasTag  map[string]bool
	until   time.Time // when the answer stops being true
}

// standing looks at how the calendars stand that the question is about.
func (a *answering) standing(feeds []*source) (why string) {
	a.hasTag = map[string]bool{}
	read := 0
	for _, f := range feeds {
		a.hasTag[f.tag] = true
		if !a.about(f.tag) {
			continue
		}
		cal, state := f.Calendar()
		if cal == nil {
			if !slices.Contains(a.missing, f.tag) {
				a.missing = append(a.missing, f.tag)
			}
			continue
		}
		read++
		if state.Err != nil && (a.stale.IsZero() || state.Good.Before(a.stale)) {
			a.stale = state.Good
		}
	}
	switch {
	case read > 0:
		return ""
	case len(a.missing) > 0:
		for _, f := range feeds {
			if _, state := f.Calendar(); a.about(f.tag) && errors.Is(state.Err, feed.ErrNotTried) {
				return a.whose() + " " + f.tag + " calendar has not been read yet"
			}
		}
		return a.whose() + " " + a.missing[0] + " calendar cannot be reached, and it has never been read"
	}
	return a.noCalendar()
}

// about says whether the question is about calendars of that tag.
func (a *answering) about(tag string) bool {
	if a.r.School == a.r.Health {
		return true
	}
	return a.r.School == (tag == School)
}

// domain is the tag the question is about, "" for both.
func (a *answering) domain() string {
	switch {
	case a.r.School == a.r.Health:
		return ""
	case a.r.School:
		return School
	}
	return Health
}

func (a *answering) noCalendar() string {
	return "there is no " + a.domain() + " calendar for " + a.whom()
}

// matches is whether an event is of the kind and the name that was asked for.
func (a *answering) matches(it *item) bool {
	if len(a.r.Subject) > 0 {
		return it.named(a.r.Subject) && a.rightTerm(it)
	}
	if !a.about(it.tag) {
		return false
	}
	switch a.r.Kind {
	case read.Lesson:
		return it.lesson
	case read.Appointment:
		return it.tag == Health
	}
	return true
}

var (
	termStem   = read.Stem("term")
	halfStem   = read.Stem("half")
	startStems = stemSet("start begin beginning first back new")
	endStems   = stemSet("end last finish finishes break")
)

// rightTerm keeps "term" apart from "half term", and the end of a term from its start.
func (a *answering) rightTerm(it *item) bool {
	if !slices.Contains(a.r.Subject, termStem) || slices.Contains(a.r.Subject, halfStem) {
		return true
	}
	if slices.Contains(it.stems, halfStem) {
		return false
	}
	if a.r.Intent != read.When || len(a.r.Subject) > 1 {
		return true
	}
	want := startStems
	if a.r.Ends {
		want = endStems
	}
	return slices.ContainsFunc(it.stems, func(s string) bool { return want[s] })
}

// answer makes the sentence, or says why there is none.
func (a *answering) answer() (ask.Answer, string) {
	a.until = midnightAfter(a.now)
	var said, why string
	switch a.r.Intent {
	case read.Agenda:
		said, why = a.agenda()
	case read.Next:
		said, why = a.next()
	case read.When:
		said, why = a.whenIs()
	case read.Has:
		said, why = a.has()
	case read.SchoolDay:
		said, why = a.schoolDay()
	case read.SchoolEnd:
		said, why = a.schoolEnd()
	case read.Homework:
		said, why = a.homework()
	case read.Count:
		said, why = a.count()
	case read.Until:
		said, why = a.untilIt()
	case read.Length:
		said, why = a.length()
	case read.Where:
		said, why = a.where()
	case read.Free:
		said, why = a.free()
	default:
		why = read.WhyNotUnderstood
	}
	if why != "" {
		return ask.Answer{}, why
	}
	said = capital(said) + a.limits() + "."
	if err := ask.CheckSentence(said, a.list); err != nil {
		// A title that cleaning let through must not get out.
		return ask.Answer{}, "the calendar has an answer that cannot be said in one short sentence"
	}
	if !a.stale.IsZero() {
		a.until = earlier(a.until, a.now.Add(5*time.Minute))
	}
	return ask.Say(said).Until(a.until), ""
}

// limits says what the answer rests on where that is less than it should be.
func (a *answering) limits() string {
	var out string
	if !a.stale.IsZero() {
		out += ", as of " + age(a.stale, a.now)
	}
	for _, tag := range a.missing {
		out += ", though the " + tag + " calendar could not be read"
	}
	unread := 0
	for tag, n := range a.unread {
		if a.about(tag) {
			unread += n
		}
	}
	switch a.r.Intent {
	case read.Agenda, read.Has, read.Count, read.Free, read.Next, read.Homework, read.SchoolDay, read.SchoolEnd:
		if unread == 1 {
			out += ", though one entry could not be read"
		} else if unread > 1 {
			out += fmt.Sprintf(", though %d entries could not be read", unread)
		}
	}
	return out
}

// expire notes an instant at which the answer stops being true.
func (a *answering) expire(unix int64) {
	if t := time.Unix(unix, 0).In(a.now.Location()); t.After(a.now) {
		a.until = earlier(a.until, t)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// covered says why the calendars cannot tell that something is absent up to then:
// a timetable that has come to its end says nothing about the days after it.
func (a *answering) covered(from, to int64) (why string) {
	if from < a.from || to > a.to {
		return "that is further away than the calendars are read"
	}
	if d := a.domain(); d != "" && !a.hasTag[d] {
		return a.noCalendar()
	}
	if a.domain() == Health || !a.hasTag[School] {
		return ""
	}
	if a.schoolEnds == 0 {
		if a.domain() == School && a.unread[School] > 0 {
			return a.whose() + " school calendar holds nothing that could be read"
		}
		if a.domain() == School {
			return a.whose() + " school calendar is empty"
		}
		return ""
	}
	if to <= a.schoolBegins && a.dayOf(to-1).Before(a.dayOf(a.schoolBegins)) {
		return a.whose() + " school calendar begins " + read.DayLabel(a.at(a.schoolBegins), a.now)
	}
	if from >= a.schoolEnds && a.dayOf(from).After(a.dayOf(a.schoolEnds-1)) {
		return a.whose() + " school calendar ends " + read.DayLabel(a.at(a.schoolEnds-1), a.now)
	}
	return ""
}

func (a *answering) at(unix int64) time.Time { return time.Unix(unix, 0).In(a.now.Location()) }

// dayOf is the start of the day of an instant.
func (a *answering) dayOf(unix int64) time.Time {
	t := a.at(unix)
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func midnightAfter(t time.Time) time.Time { return read.Midnight(t, 1) }

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
