package compass

import (
	"context"
	"slices"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/project/compass/read"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/planner"
)

// reader plans by the rules of package read. It knows the household's names, and no
// calendar.
type reader struct {
	people []ask.Person
	names  func(ask.Person) []string
}

// Plan replies with one look-up for each reading of the question.
func (p reader) Plan(_ context.Context, q planner.Ask) ([]byte, error) {
	today := time.Date(q.Today.Year, q.Today.Month, q.Today.Day, 0, 0, 0, 0, time.UTC)
	whole, clauses, why := p.read(q.Question, q.People, today)
	made := plan.Plan{Intent: plan.IntentLookup}
	switch {
	case whole == nil && why == read.WhyReadOnly:
		made.Intent = plan.IntentWrite
	case whole == nil && len(clauses) == 0:
		made.Intent, made.Reason = plan.IntentNone, plan.ReasonOutOfScope
	}
	if whole != nil {
		made.Calls = append(made.Calls, call(*whole, today))
	}
	for _, r := range clauses {
		made.Calls = append(made.Calls, call(r, today))
	}
	return made.AppendJSON(nil), nil
}

func (p reader) read(question string, names []string, today time.Time) (whole *read.Reading, clauses []read.Reading, why string) {
	return read.Question(question, read.Context{Names: names, Others: p.others(names), Today: today})
}

// others are the names of everybody but the person whose names these are.
func (p reader) others(names []string) []string {
	var out []string
	for _, person := range p.people {
		if !slices.Contains(names, string(person)) {
			out = append(out, p.names(person)...)
		}
	}
	return out
}

// call is the look-up that a reading wants.
func call(r read.Reading, today time.Time) plan.Call {
	day := today.Format(time.DateOnly)
	s := &r.Span
	if r.Intent == read.Agenda && !r.Now && r.Beside == read.NotBeside {
		switch {
		case r.Left && (!s.Named() || s.From == "" && s.To == "" || s.From == day && s.To == day):
			*s = read.Span{From: day, To: day, Bound: read.FromNow}
		case r.Days && !s.Named():
			s.From, s.To = day, today.AddDate(0, 0, 6).Format(time.DateOnly)
		}
	}
	if r.Beside != read.NotBeside && !s.Named() {
		s.From, s.To = day, day
	}
	c := plan.Call{Tool: toolFor(r)}
	add := func(name, value string) {
		if value != "" {
			c.Args = append(c.Args, plan.Argument{Name: name, Value: value})
		}
	}
	add("subject", r.Subject)
	switch r.Kind {
	case read.Lesson:
		add("kind", lessons)
	case read.Appointment:
		add("kind", appointments)
	}
	switch {
	case r.School == r.Health:
	case r.School:
		add("calendar", School)
	default:
		add("calendar", Health)
	}
	add("from", s.From)
	add("to", s.To)
	add("part", s.PartOfDay)
	add("at", s.At)
	add("after", s.After)
	add("before", s.Before)
	add("bound", s.Bound)
	switch {
	case r.Past:
		add("tense", tensePast)
	case r.Left:
		add("tense", tenseLeft)
	}
	return c
}

func toolFor(r read.Reading) string {
	either := func(which bool, yes, no string) string {
		if which {
			return yes
		}
		return no
	}
	switch r.Intent {
	case read.Next:
		switch {
		case r.Order == read.OrderNext:
			return nextTool
		case !r.Span.Named() && (r.Past || r.Order == read.OrderLast && (r.Kind == read.Appointment || r.Health)):
			return pastTool
		}
		return either(r.Order == read.OrderLast, lastTool, firstTool)
	case read.When:
		return either(r.Ends, endsTool, whenTool)
	case read.Has:
		return either(r.Now, nowTool, hasTool)
	case read.SchoolDay:
		return schoolDayTool
	case read.SchoolEnd:
		return either(r.Ends, lastLesson, firstLesson)
	case read.Homework:
		return either(r.Done, homeworkIsDone, either(r.Overdue, overdueTool, homeworkTool))
	case read.Count:
		return either(r.Days, daysTool, countTool)
	case read.Until:
		if r.Subject == "" && r.School && r.Kind == read.AnyEntry {
			return either(r.Ends, untilLast, untilFirst)
		}
		return either(r.Ends, untilEndTool, untilTool)
	case read.Length:
		return lengthTool
	case read.Where:
		return either(r.Now && r.Subject == "", placeNowTool, placeTool)
	case read.Free:
		return either(r.Done, busyTool, freeTool)
	}
	switch {
	case r.Now:
		return nowTool
	case r.Beside == read.RightAfter:
		return followingTool
	case r.Beside == read.RightBefore:
		return precedingTool
	case !r.Span.Named() && (r.Upcoming || r.Kind == read.Appointment || r.Subject != ""):
		return comingTool
	}
	return onTool
}
