package read

import (
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/slip"
)

// intent settles what is asked for by its cue words.
func (r *Reading) intent(ws, said []string) {
	switch {
	case has(ws, "homework", "overdue", "assignment", "assignments", "coursework") || has(ws, "due", "hand in", "handed in") && !has(ws, "how many") ||
		has(ws, "have i done", "have done", "has done", "has he done", "has she done", "has finished", "have i finished", "has completed", "have finished") || has(ws, "done") && has(said, "is", "are", "did", "was"):
		r.Intent = Homework
		r.Overdue = has(ws, "overdue", "late")
		r.Done = has(ws, "done", "finished", "completed", "handed in") && !has(ws, "to be done") || has(ws, "did") && has(ws, "do")
	case has(ws, "how long until", "how long before", "how long to", "how long is it until", "how long is it to", "how long have i got until") ||
		has(ws, "how long") && has(ws, "until") || has(said, "days until", "weeks until", "sleeps until", "hours until", "minutes until", "days to", "weeks to", "sleeps to", "days is it until", "weeks is it until", "days before", "weeks before", "long until", "days are there until", "weeks are there until"):
		r.Intent = Until
	case has(ws, "how long"):
		r.Intent = Length
	case has(ws, "how many"):
		r.Intent = Count
		r.Days = has(ws, "how many days", "how many school days")
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
		"a school day", "go to school", "go into school", "going to school", "in school", "be in school", "at school") && !has(ws, "what", "when", "which", "doing", "anything", "something", "everything"):
		r.Intent = SchoolDay
	case has(ws, "next", "first", "last"):
		r.Intent = Next
	case has(ws, "when", "what time", "what day", "what date", "which day", "which date"):
		r.Intent = When
	case has(ws, "what", "which") || has(ws, "anything", "everything"):
		r.Intent = Agenda
	case yesNo[at(ws, 0)] || has(ws, "any"):
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

// yesNo are first words of a question that wants a yes or a no.
var yesNo = set("do does did is are was has have had am any got will")

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
func (r *Reading) subject(ws []string) string {
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
		if foreign[base] {
			return WhyNotUnderstood
		}
		kept = append(kept, base)
	}
	if r.Intent == Homework {
		r.School, r.Health = true, false
	}
	if kind == Appointment && r.School && r.Health && has(ws, "and") {
		kind = AnyEntry // "at school and any appointments"
	}
	r.Kind = kind
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
	between := " "
	if joined(ws, kept) {
		between = " and "
	}
	if day > 0 {
		kept = slices.Insert(kept, day, "day")
	}
	r.Subject = strings.Join(kept, between)
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
			if len(v) >= 5 && v != found && slip.One(stem, v) {
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
	bare := r.Subject == ""
	timed := r.Span.Named() || r.Now || r.Upcoming
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
		if has(said, "every") {
			return WhyNotUnderstood // one that is on does not make it so every time
		}
		if bare && r.Kind == AnyEntry && !kindSaid && !timed {
			return WhyNotUnderstood
		}
		if bare && r.Kind == AnyEntry {
			r.Intent = Agenda // "have I got anything on tomorrow"
		}
	case Agenda:
		if bare && has(ws, "date", "time is it", "day is it", "is the time", "is the day") {
			return WhyNotUnderstood // that is for a clock
		}
		if bare && r.School && !kindSaid && !has(said, "what", "have", "has", "calendar", "timetable", "on", "anything") && has(said, "school") {
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
			if !school && !(r.Intent == Where && (r.Now || r.Span.Part())) {
				return WhyNotUnderstood
			}
		}
	case Next:
		if yesNo[at(ws, 0)] && r.Order != OrderNext {
			// "Is PE first on Friday?" is answered with what is.
			r.Subject = ""
		}
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
		if !bare || has(said, "when", "what time") {
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
