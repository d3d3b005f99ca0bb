// Package read works out what a question to a calendar asks for, by plain rules and
// without a model. A question that it does not understand whole is not guessed at.
package read

import (
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/slip"
)

// Intent is what a question wants to know.
type Intent string

// The intents.
const (
	Agenda    Intent = "agenda"     // what is on in a stretch of time
	Next      Intent = "next"       // the next, first or last one
	When      Intent = "when"       // when something is
	Has       Intent = "has"        // whether something is on
	SchoolDay Intent = "school day" // whether there is school
	SchoolEnd Intent = "school end" // when school starts or ends
	Homework  Intent = "homework"   // what is due
	Count     Intent = "count"      // how many
	Until     Intent = "until"      // how long until
	Length    Intent = "length"     // how long it lasts
	Where     Intent = "where"      // in which room
	Free      Intent = "free"       // whether nothing is on
)

// Kind narrows entries without naming one.
type Kind int

// The kinds of entry that a question can mean.
const (
	AnyEntry Kind = iota
	Lesson
	Appointment
)

// Order picks one of several.
type Order int

// The orders.
const (
	NoOrder Order = iota
	OrderNext
	OrderFirst
	OrderLast
)

// Beside is a place next to something.
type Beside int

// The places next to something.
const (
	NotBeside Beside = iota
	RightAfter
	RightBefore
)

// Reading is an understood question.
type Reading struct {
	Intent Intent
	Kind   Kind
	Order  Order
	// Subject is what the entry must be called, as it was said, with "and" in it where it
	// may be two. Whether the calendars know it is for the look-up to say.
	Subject string
	// Span is the stretch of time that was named.
	Span Span
	// Now is whether "right now" was meant.
	Now bool
	// School and Health are whether those calendars were meant by a word; neither
	// means both.
	School, Health bool
	// Ends is whether the end of something was asked for and not its start.
	Ends bool
	// Days is whether days are to be counted and not entries; Left is "from now on".
	Days, Left bool
	// Overdue, Done: for homework.
	Overdue, Done bool
	// Beside is whether what comes right after or before the subject was asked for.
	Beside Beside
	// Past is whether the question is about what was.
	Past bool
	// Upcoming is whether "coming up" or "soon" was said.
	Upcoming bool
}

// Context is what reading needs to know. No calendar is part of it.
type Context struct {
	// Names are the names of the person whom the question is about, Others those of
	// other people with calendars.
	Names, Others []string
	// Today is any time of the day on which it is asked.
	Today time.Time
}

// Why a question gets no answer. They are said to a person.
const (
	WhyNotUnderstood = "that is not something a calendar can answer"
	WhyReadOnly      = "the calendars can be read here and not changed"
	WhyTwoPeople     = "the question names more than one person"
	WhyOther         = "the question names another person than the one it was asked about"
	WhyManyDays      = "the question names more than one day"
	WhyNoSuchDay     = "there is no such date"
	WhyTwoThings     = "the question names more than one thing: ask about one at a time"
	WhyLong          = "the question is too long for a calendar"
)

// maxWords is the longest question that is read; nobody asks a calendar in more.
const maxWords = 120

// maxReadings is how many readings of one question are tried.
const maxReadings = 4

// Question reads one question. Its readings are in order: the question as a whole, and
// where it holds several clauses, each of those that may be one for a calendar alone.
// Which of them means something is for the calendars to say: the whole, or else the one
// clause that does. The reason says why there is no whole; without clauses either it is
// why there is no reading at all.
func Question(question string, c Context) (whole *Reading, clauses []Reading, why string) {
	ws := shorten(words(question))
	if len(ws) > maxWords {
		return nil, nil, WhyLong
	}
	ws, named := dropNames(ws, c.Names)
	if has(ws, "kids", "children", "everyone", "everybody", "family", "boys", "girls") {
		return nil, nil, WhyTwoPeople
	}
	// "When do I go to Ben's party": the name may be an entry's.
	if !named && !has(ws, "i", "my", "me") && mentions(ws, c.Others) {
		return nil, nil, WhyOther
	}
	segments := split(ws, func(i int) bool { return ws[i] == clauseEnd })
	r, why := clause(join(segments), c)
	if why == WhyReadOnly || len(segments) == 0 {
		return nil, nil, why
	}
	if why == "" {
		whole = &r
	}
	// The question may hold more than one, for more than one project: read what is
	// left without the clauses that are plainly for others.
	var ours [][]string
	dropped := false
	for _, s := range segments {
		for _, part := range split(s, func(i int) bool { return (s[i] == "and" || s[i] == "but") && i+1 < len(s) }) {
			if slices.ContainsFunc(part, func(w string) bool { return foreign[w] }) {
				dropped = true
			} else {
				ours = append(ours, part)
			}
		}
	}
	if dropped && whole == nil {
		if r, again := clause(join(ours), c); again == "" {
			return &r, nil, ""
		}
	}
	if len(ours) > 1 && (whole == nil || whole.Subject != "") { // what names nothing is understood
		for _, s := range ours {
			if r, again := clause(s, c); again == "" {
				clauses = append(clauses, r)
			}
		}
	}
	if len(clauses) >= maxReadings {
		clauses = nil // too many to be sure which one is meant
	}
	if whole == nil && len(clauses) == 0 {
		return nil, nil, why
	}
	return whole, clauses, why
}

func split(ws []string, at func(i int) bool) [][]string {
	var out [][]string
	from := 0
	for i := range ws {
		if at(i) {
			if i > from {
				out = append(out, ws[from:i])
			}
			from = i + 1
		}
	}
	if from < len(ws) {
		out = append(out, ws[from:])
	}
	return out
}

func join(segments [][]string) []string { return slices.Concat(segments...) }

// dropNames takes the person's own names out: "harry's", "harrys" and "harry".
func dropNames(ws, names []string) (rest []string, found bool) {
	for i := 0; i < len(ws); {
		n := nameAt(ws[i:], names)
		if n == 0 {
			rest = append(rest, ws[i])
			n = 1
		} else {
			found = true
		}
		i += n
	}
	return rest, found
}

func nameAt(ws, names []string) int {
	longest := 0
	for _, name := range names {
		f := strings.Fields(strings.ToLower(name))
		if len(f) == 0 || len(ws) < len(f) || len(f) <= longest {
			continue
		}
		last := len(f) - 1
		w := strings.TrimSuffix(strings.TrimSuffix(ws[last], "'s"), "'")
		if slices.Equal(ws[:last], f[:last]) && (w == f[last] || ws[last] == f[last]+"s") {
			longest = len(f)
		}
	}
	return longest
}

// wordNames are names that are also everyday words, which do not count as naming
// somebody else.
var wordNames = set("will may mark rose grace hope joy summer april june august art jack bill pat sue rob drew dawn eve iris lily ruby amber max guy miles")

// mentions says whether ws name somebody else.
func mentions(ws, others []string) bool {
	for i := range ws {
		if n := nameAt(ws[i:], others); n > 0 && !wordNames[ws[i]] {
			return true
		}
	}
	return false
}

// Named are the stems by which others may be named in a subject.
func Named(others []string) map[string]bool {
	m := map[string]bool{}
	for _, name := range others {
		for w := range strings.FieldsSeq(strings.ToLower(name)) {
			if !wordNames[w] {
				m[Stem(w)] = true
			}
		}
	}
	return m
}

// writes are first words of an order to change something.
var writes = set("add book cancel move reschedule change delete remove create put postpone rearrange schedule tick complete")

// has says whether the words of a phrase stand in ws side by side.
func has(ws []string, phrases ...string) bool {
	for _, p := range phrases {
		f := strings.Fields(p)
		for i := 0; i+len(f) <= len(ws); i++ {
			if slices.Equal(ws[i:i+len(f)], f) {
				return true
			}
		}
	}
	return false
}

// clause reads one question.
func clause(ws []string, c Context) (Reading, string) {
	ws = slices.Clone(ws)
	for _, g := range greetings {
		if n := starts(ws, g); n > 0 {
			ws = ws[n:]
		}
	}
	for len(ws) > 0 && openers[ws[0]] {
		ws = ws[1:]
	}
	if len(ws) == 0 {
		return Reading{}, WhyNotUnderstood
	}
	if writes[ws[0]] && !(len(ws) < 3 && ws[0] == "schedule") {
		return Reading{}, WhyReadOnly
	}
	if has(ws, "why", "who", "before or after", "after or before", "for lunch", "for dinner", "for tea", "for breakfast", "for pudding") {
		return Reading{}, WhyNotUnderstood
	}
	ws = reworded(ws)
	said := ws
	past := has(said, "was", "were", "did", "had") && !has(said, "will")
	t := when{now: c.Today, past: past}
	ws = t.read(spelled(ws))
	switch {
	case t.unclear:
		return Reading{}, WhyNotUnderstood
	case t.noSuchDay:
		return Reading{}, WhyNoSuchDay
	case t.conflict:
		return Reading{}, WhyManyDays
	}
	r := Reading{Now: t.now1, Upcoming: t.upcoming, Span: t.span()}
	anyDay := t.day == nil && t.edge == noBound
	r.Left = has(said, "left", "remaining", "else") || has(said, "how many more")
	r.Past = past
	r.intent(ws, said)
	if why := r.subject(ws); why != "" {
		return Reading{}, why
	}
	if anyDay && r.Span.Named() && r.Subject != "" && (r.Intent == Has || r.Intent == When) {
		r.Span, r.Intent = Span{}, When // "is the dentist at four?" is not about today
	}
	return r, r.settle(ws, said)
}

// rewordings put plainer words for what would be read as something else.
var rewordings = [][2]string{
	{"break up", "term end"},
	{"breaks up", "term end"},
	{"the last day of", "when end"},
	{"the first day of", "when start"},
	{"last day of", "when end"},
	{"first day of", "when start"},
	{"start of term", "term start"},
	{"day look like", "on"},
	{"day looking like", "on"},
	{"day like", "on"},
	{"look like", ""},
	{"looking like", ""},
}

func reworded(ws []string) []string {
	for _, r := range rewordings {
		from, to := strings.Fields(r[0]), strings.Fields(r[1])
		for i := 0; i+len(from) <= len(ws); i++ {
			if slices.Equal(ws[i:i+len(from)], from) {
				ws = slices.Concat(ws[:i], to, ws[i+len(from):])
			}
		}
	}
	return ws
}

// openers are words that may stand before a question and say nothing.
var openers = set("hi hello hey ok okay so well please um and but then also")

// spelled mends slips of the finger in the words that the rules need.
func spelled(ws []string) []string {
	out := slices.Clone(ws)
	for i, w := range out {
		if len(w) < 6 || fillers[w] || genericNouns[w] != 0 || schoolWords[w] {
			continue
		}
		for _, right := range []string{"tomorrow", "yesterday", "homework", "timetable", "appointment", "appointments", "lessons", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "afternoon", "morning", "evening", "weekend"} {
			if slip.One(w, right) {
				out[i] = right
				break
			}
		}
	}
	return out
}

// WantsAll says whether a question asks for everything, so that nothing is summed up
// that can be named.
func WantsAll(question string) bool {
	return has(words(question), "list", "all", "everything", "every", "full", "timetable", "run through", "whole")
}
