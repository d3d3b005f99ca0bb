// Package read works out what a question to a calendar asks for, by plain rules and
// without a model. A question that it does not understand whole is not guessed at.
package read

import (
	"slices"
	"strconv"
	"strings"
	"time"
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
	// Subject is what the entry must be called, as stems; Words is the same as it
	// was said.
	Subject []string
	Words   string
	// Window is the stretch of time that was named; nil for none.
	Window *Window
	// Now is whether "right now" was meant.
	Now bool
	// AfterSchool and BeforeSchool bound the window by the school day.
	AfterSchool, BeforeSchool bool
	// School and Health are whether those calendars were meant by a word; neither
	// means both.
	School, Health bool
	// Ends is whether the end of something was asked for and not its start.
	Ends bool
	// Days is whether days are to be counted and not entries; Left is "from now on".
	Days, Left bool
	// Overdue, Done: for homework.
	Overdue, Done bool
	// All is whether a full list was asked for.
	All bool
	// Beside is whether what comes right after or before the subject was asked for.
	Beside Beside
	// Past is whether the question is about what was.
	Past bool
	// Upcoming is whether "coming up" or "soon" was said.
	Upcoming bool
}

// Context is what reading needs to know.
type Context struct {
	// Names are the names of the person whom the question is about, Others those of
	// other people with calendars.
	Names, Others []string
	// Now is in the household's zone.
	Now time.Time
	// Knows says whether a stem occurs in the person's calendars, and Vocabulary are
	// all that do, for words with a slip of the finger.
	Knows      func(stem string) bool
	Vocabulary []string
	// Together says whether one entry is called by all of these stems.
	Together func(stems []string) bool
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

// Question reads one question. The reason is empty where it was understood.
func Question(question string, c Context) (Reading, string) {
	ws := shorten(words(question))
	if len(ws) > maxWords {
		return Reading{}, WhyLong
	}
	ws, named := dropNames(ws, c.Names)
	if mentions(ws, c.Others) {
		if named {
			return Reading{}, WhyTwoPeople
		}
		return Reading{}, WhyOther
	}
	segments := split(ws, func(i int) bool { return ws[i] == clauseEnd })
	r, why := clause(join(segments), c)
	if why == "" || why == WhyReadOnly || len(segments) == 0 {
		return r, why
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
	if dropped {
		if r, again := clause(join(ours), c); again == "" {
			return r, ""
		}
	}
	var found []Reading
	for _, s := range ours {
		if r, again := clause(s, c); again == "" {
			found = append(found, r)
		}
	}
	if len(found) == 1 {
		return found[0], ""
	}
	return Reading{}, why
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

func mentions(ws, others []string) bool {
	for i := range ws {
		if n := nameAt(ws[i:], others); n > 0 && !wordNames[ws[i]] {
			return true
		}
	}
	return false
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
	for len(ws) > 0 && (set0[ws[0]]) {
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
	if i := slices.Index(ws, "break"); i >= 0 && at(ws, i+1) == "up" {
		ws = slices.Concat(ws[:i], []string{"term", "end"}, ws[i+2:])
	}
	said := ws
	past := has(said, "was", "were", "did", "had") && !has(said, "will")
	t := when{now: c.Now, past: past}
	ws = t.read(spelled(ws))
	switch {
	case t.noSuchDay:
		return Reading{}, WhyNoSuchDay
	case t.conflict:
		return Reading{}, WhyManyDays
	}
	r := Reading{Now: t.now1, Upcoming: t.upcoming, AfterSchool: t.edge == afterSchool, BeforeSchool: t.edge == beforeSchool}
	r.Window = t.window()
	anyDay := t.day == nil && t.edge == noBound
	r.All = has(said, "list", "all", "everything", "every", "full", "timetable", "run through", "whole")
	r.Past = past
	r.intent(ws, said)
	if why := r.subject(ws, c); why != "" {
		return Reading{}, why
	}
	if anyDay && r.Window != nil && len(r.Subject) > 0 && (r.Intent == Has || r.Intent == When) {
		r.Window, r.Intent = nil, When // "is the dentist at four?" is not about today
	}
	return r, r.settle(ws, said)
}

// set0 are words that may stand before a question and say nothing.
var set0 = set("hi hello hey ok okay so well please um and but then also")

// spelled mends slips of the finger in the words that the rules need.
func spelled(ws []string) []string {
	out := slices.Clone(ws)
	for i, w := range out {
		if len(w) < 6 || fillers[w] || genericNouns[w] != 0 || schoolWords[w] {
			continue
		}
		for _, right := range []string{"tomorrow", "yesterday", "homework", "timetable", "appointment", "appointments", "lessons", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "afternoon", "morning", "evening", "weekend"} {
			if distance1(w, right) {
				out[i] = right
				break
			}
		}
	}
	return out
}

// window makes one stretch of what was said about time.
func (w *when) window() *Window {
	bounded := w.part != nil || w.after != nil || w.before != nil || w.at != nil
	if w.day == nil && !bounded && w.edge == noBound {
		return nil
	}
	win := w.day
	if win == nil {
		win = oneDay(w.now, 0)
	}
	out := *win
	out.Day = out.Label
	if out.Days > 1 && !w.fromNow {
		return &out
	}
	day := win.From
	if w.fromNow {
		out.From, out.Part, out.Label = w.now, true, "for the rest of today"
	}
	if p := w.part; p != nil {
		out.From, out.To, out.Part = later(out.From, clockOn(day, p.from)), clockOn(day, p.to), true
		out.Label = partLabel(out.Label, p.name)
	}
	out.Day = out.Label
	switch {
	case w.after != nil && w.before != nil:
		out.Label = "between " + clockText(*w.after) + " and " + clockText(*w.before) + " " + out.Label
	case w.after != nil:
		out.Label = "after " + clockText(*w.after) + " " + out.Label
	case w.before != nil:
		out.Label = "before " + clockText(*w.before) + " " + out.Label
	}
	if w.after != nil {
		out.From, out.Part = clockOn(day, *w.after), true
	}
	if w.before != nil {
		out.To, out.Part = clockOn(day, *w.before), true
	}
	if w.at != nil {
		out.From, out.To, out.Part = clockOn(day, *w.at), clockOn(day, *w.at+1), true
		out.Label = "at " + clockText(*w.at) + " " + out.Label
	}
	if !out.To.After(out.From) {
		out.To = out.From
	}
	return &out
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func partLabel(day, part string) string {
	switch {
	case part == "tonight" || day == "today" && part == "night":
		return "tonight"
	case day == "today":
		return "this " + part
	}
	return day + " " + part
}

func clockText(minutes int) string {
	return strconv.Itoa(minutes/60) + time.Date(2000, 1, 1, 0, minutes, 0, 0, time.UTC).Format(":04")
}

// intent settles what is asked for by its cue words.
func (r *Reading) intent(ws, said []string) {
	switch {
	case has(ws, "homework", "overdue", "assignment", "assignments", "coursework") || has(ws, "due", "hand in", "handed in") && !has(ws, "how many") ||
		has(ws, "have i done", "have done", "has done", "has he done", "has she done", "has finished", "have i finished", "has completed", "have finished") || has(ws, "done") && has(said, "is", "are", "did", "was"):
		r.Intent = Homework
		r.Overdue = has(ws, "overdue", "late")
		r.Done = has(ws, "done", "finished", "completed", "handed in") && !has(ws, "to be done") || has(ws, "did") && has(ws, "do")
	case has(ws, "how long until", "how long before", "how long to", "how long is it until", "how long is it to", "how long have i got until") ||
		has(said, "days until", "weeks until", "sleeps until", "hours until", "minutes until", "days to", "weeks to", "sleeps to", "days is it until", "weeks is it until", "days before", "weeks before", "long until", "days are there until", "weeks are there until"):
		r.Intent = Until
	case has(ws, "how long"):
		r.Intent = Length
	case has(ws, "how many"):
		r.Intent = Count
		r.Days = has(ws, "how many days", "how many school days")
		r.Left = has(ws, "left", "more", "remaining")
	case has(ws, "which days", "what days"):
		r.Intent, r.Days = Agenda, true
	case has(ws, "where", "which room", "what room", "which classroom", "what classroom", "which place", "whereabouts"):
		r.Intent = Where
	case has(ws, "free") && !has(ws, "free period", "free lesson"):
		r.Intent = Free
	case has(ws, "busy"):
		r.Intent = Free
		r.Done = true // asked the other way round
	case schoolEdge(ws):
		r.Intent = SchoolEnd
	case has(ws, "pick up", "picked up", "collect") && has(ws, "when", "what time"):
		r.Intent = SchoolEnd
	case has(ws, "is there school", "have school", "has school", "got school", "any school", "is it school", "is school on", "is school open", "is school closed", "is school shut",
		"a school day", "go to school", "go into school", "going to school", "in school", "be in school", "at school") && !has(ws, "what", "when", "which", "doing"):
		r.Intent = SchoolDay
	case has(ws, "next", "first", "last"):
		r.Intent = Next
	case has(ws, "when", "what time", "what day", "what date", "which day", "which date"):
		r.Intent = When
	case has(ws, "what", "which") || has(ws, "anything", "everything"):
		r.Intent = Agenda
	case slices.ContainsFunc([]string{"do", "does", "did", "is", "are", "was", "has", "have", "had", "am", "any", "got", "will"}, func(w string) bool { return ws0(ws) == w }) || has(ws, "any"):
		r.Intent = Has
	default:
		r.Intent = Agenda
	}
	switch {
	case has(ws, "next"):
		r.Order = OrderNext
	case has(ws, "first"):
		r.Order = OrderFirst
	case has(ws, "last"):
		r.Order = OrderLast
	}
	r.Ends = has(ws, "pick up", "picked up", "collect", "end", "ends", "finish", "finishes", "finished", "over", "out", "ending", "finishing") ||
		r.Intent != Until && has(ws, "until")
}

func ws0(ws []string) string { return at(ws, 0) }

// schoolEdge is "what time does school finish", "when do I finish", "school start time".
func schoolEdge(ws []string) bool {
	edge := has(ws, "start", "starts", "begin", "begins", "end", "ends", "finish", "finishes", "over", "out", "finishing", "starting", "ending", "be at", "get to", "be in")
	ask := has(ws, "when", "what time", "how early", "how late")
	if !edge || !ask {
		return false
	}
	for _, w := range ws {
		if !fillers[w] && w != "school" && w != "day" && w != "early" && w != "late" && w != "lessons" && w != "classes" {
			return false
		}
	}
	return true
}

// subject takes what is left as the name of an entry.
func (r *Reading) subject(ws []string, c Context) string {
	var kept []string
	kind := AnyEntry
	day := 0 // behind which word of the name "day" stands
	for i, w := range ws {
		base := strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'")
		if schoolWords[base] {
			r.School = true
		}
		if healthWords[base] {
			r.Health = true
		}
		if parts := hyphenParts(base); len(parts) > 0 && !c.Knows(Stem(base)) && Known(Stem(parts[0])) {
			for _, part := range parts {
				if !fillers[part] {
					kept = append(kept, part)
				}
			}
			continue
		}
		if base == "day" && len(kept) > 0 && i > 0 && ws[i-1] == kept[len(kept)-1] {
			day = len(kept) // "non-uniform day"
		}
		if k, ok := genericNouns[base]; ok {
			kind = max(kind, k)
			continue
		}
		if fillers[base] || schoolNames[base] || r.Intent == Homework && homeworkWords[base] || r.Intent == Free && (base == "free" || base == "busy") ||
			r.Intent == Where && (base == "room" || base == "classroom" || base == "place" || base == "whereabouts") ||
			r.Intent == Until && untilWords[base] || r.Intent == SchoolEnd && (base == "pick" || base == "picked" || base == "collect") || r.Intent == SchoolDay && (base == "open" || base == "closed" || base == "shut") {
			continue
		}
		kept = append(kept, base)
	}
	if r.Intent == Homework {
		r.School, r.Health = true, false
	}
	r.Kind = kind
	for i, w := range kept {
		s := Stem(w)
		if !c.Knows(s) && knownThings[s] == "" {
			fixed, ok := mend(s, c.Vocabulary)
			if !ok {
				return WhyNotUnderstood
			}
			s = fixed
			if right := knownThings[s]; right != "" {
				kept[i] = right
			}
		}
		r.Subject = append(r.Subject, s)
	}
	r.Words = strings.Join(kept, " ")
	if day > 0 {
		r.Words = strings.Join(slices.Insert(slices.Clone(kept), day, "day"), " ")
	}
	for i := range len(ws) - 1 {
		next := ws[i+1]
		if (next == "the" || next == "my" || next == "her" || next == "his") && i+2 < len(ws) {
			next = ws[i+2]
		}
		if (ws[i] == "after" || ws[i] == "before") && slices.Contains(kept, next) {
			r.Beside = RightAfter
			if ws[i] == "before" {
				r.Beside = RightBefore
			}
		}
	}
	if joined(ws, kept) && !c.Together(r.Subject) {
		return WhyTwoThings
	}
	return ""
}

// joined says whether "and" or "or" stands between two words of the subject.
func joined(ws, kept []string) bool {
	last := -1 // where the word before stands
	for i, w := range ws {
		if !slices.Contains(kept, strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'")) {
			continue
		}
		if last >= 0 && (slices.Contains(ws[last:i], "and") || slices.Contains(ws[last:i], "or")) {
			return true
		}
		last = i
	}
	return false
}

var (
	homeworkWords = set("homework overdue late due assignment assignments coursework finished done completed complete handed task tasks outstanding pieces piece work submit submitted open")
	untilWords    = set("days weeks hours minutes sleeps months day week hour")
)

// mend finds the one word of the calendars that is a slip of the finger away.
func mend(stem string, vocabulary []string) (string, bool) {
	if len(stem) < 5 {
		return "", false
	}
	found := ""
	for _, list := range [][]string{vocabulary, knownList} {
		for _, v := range list {
			if len(v) >= 5 && v != found && distance1(stem, v) {
				if found != "" {
					return "", false
				}
				found = v
			}
		}
	}
	return found, found != ""
}

var knownList = func() []string {
	var out []string
	for k := range knownThings {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}()

// Known says whether a calendar can be expected to name this, so that its absence
// means something.
func Known(stem string) bool { return knownThings[stem] != "" }

// settle checks that the parts make a question, and mends the intent by them.
func (r *Reading) settle(ws, said []string) string {
	bare := len(r.Subject) == 0
	timed := r.Window != nil || r.Now || r.Upcoming || r.AfterSchool || r.BeforeSchool
	kindSaid := slices.ContainsFunc(ws, func(w string) bool { _, ok := genericNouns[w]; return ok })
	if r.Beside != NotBeside && r.Intent != Until {
		if r.Intent != Agenda && r.Intent != Next || r.Upcoming || r.Now {
			return WhyNotUnderstood
		}
		r.Intent = Agenda
		return ""
	}
	switch r.Intent {
	case Has:
		if bare && r.Kind == AnyEntry && !kindSaid && !timed {
			return WhyNotUnderstood
		}
		if bare && r.Kind == AnyEntry {
			r.Intent = Agenda // "have I got anything on tomorrow"
		}
	case Agenda:
		if bare && r.School && !kindSaid && !has(said, "what", "have", "has", "calendar", "timetable", "on") && has(said, "school") {
			r.Intent = SchoolDay // "school today?"
			break
		}
		if !bare && !has(ws, "what", "which", "list", "show") {
			r.Intent = Has // "PE tomorrow?"
			break
		}
		if bare && !timed && !kindSaid && !has(said, "on", "have", "has", "got", "doing", "happening", "planned", "scheduled") {
			return WhyNotUnderstood
		}
	case When, Length, Where, Until:
		if bare && r.Kind == AnyEntry && !(r.Intent == When && kindSaid) {
			school := r.Intent == Until && r.School && has(ws, "start", "starts", "begins", "end", "ends", "finish", "finishes", "over", "out")
			if !school && !(r.Intent == Where && (r.Now || r.Window != nil && r.Window.Part)) {
				return WhyNotUnderstood
			}
		}
	case Next:
		if bare && !kindSaid && r.Order == OrderLast && !timed {
			return WhyNotUnderstood
		}
	case Count:
		if bare && r.Days && r.School {
			r.Kind = Lesson
			return ""
		}
		if bare && !kindSaid {
			return WhyNotUnderstood
		}
	case Free:
		if !bare {
			return WhyNotUnderstood
		}
	case SchoolDay, SchoolEnd:
		if (!bare || kindSaid && r.Kind != Lesson) && r.Intent == SchoolDay {
			r.Intent = Has // "is there a parents' evening at school"
			break
		}
		if !bare {
			return WhyNotUnderstood
		}
		r.School, r.Health = true, false
	}
	return ""
}
