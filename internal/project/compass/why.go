package compass

import (
	"strings"
	"time"

	"github.com/askhub/askhub/internal/project/compass/read"
	"github.com/askhub/askhub/plan"
)

// Why a look-up cannot tell. A reason is a fact of the result, so that nothing can be
// taken for an absence.
const (
	whyNotRead       = "not_read"
	whyTagNotRead    = "calendar_not_read"
	whyUnreachable   = "unreachable"
	whyNoCalendar    = "no_calendar"
	whyTooFar        = "too_far"
	whyBegins        = "begins"
	whyEnds          = "ends"
	whyEmpty         = "empty"
	whyUnreadable    = "nothing_readable"
	whyUnnamed       = "unnamed"
	whyNoLessons     = "no_lessons"
	whyNoneAhead     = "no_lessons_ahead"
	whyNoEnd         = "no_end_of_school"
	whyNoHomework    = "no_homework"
	whyNoSuchWork    = "no_such_homework"
	whyNotSaid       = "not_said"
	whyNoLength      = "no_length"
	whyNoPlace       = "no_place"
	whyManyDays      = "many_days"
	whyNoSuchDay     = "no_such_day"
	whyTwoPeople     = "two_people"
	whyTwoThings     = "two_things"
	whyNotUnderstood = "not_understood"
)

// reasons are what a person hears; WHOSE is "Mia's" or "your", WHOM "Mia" or "you".
var reasons = map[string]string{
	whyNotRead:       "the calendars have not been read yet",
	whyTagNotRead:    "WHOSE TAG calendar has not been read yet",
	whyUnreachable:   "WHOSE TAG calendar cannot be reached, and it has never been read",
	whyNoCalendar:    "there is no TAG calendar for WHOM",
	whyTooFar:        "that is further away than the calendars are read",
	whyBegins:        "WHOSE TAG calendar begins DAY",
	whyEnds:          "WHOSE TAG calendar ends DAY",
	whyEmpty:         "WHOSE TAG calendar is empty",
	whyUnreadable:    "WHOSE TAG calendar holds nothing that could be read",
	whyUnnamed:       "no entry in WHOSE calendars is called that",
	whyNoLessons:     "WHOSE TAG calendar holds no lessons",
	whyNoneAhead:     "WHOSE TAG calendar has no lessons ahead",
	whyNoEnd:         "WHOM HAVE no lessons DAY, so there is no end of school to go by",
	whyNoHomework:    "WHOSE TAG calendar holds no homework",
	whyNoSuchWork:    "no homework of that name is in WHOSE calendar",
	whyNotSaid:       "WHOSE calendar does not say that",
	whyNoLength:      "the calendar does not say how long that lasts",
	whyNoPlace:       "the calendar does not say where WHOSE TITLE is",
	whyManyDays:      read.WhyManyDays,
	whyNoSuchDay:     read.WhyNoSuchDay,
	whyTwoPeople:     read.WhyTwoPeople,
	whyTwoThings:     read.WhyTwoThings,
	whyNotUnderstood: read.WhyNotUnderstood,
}

func whyNot(why, tag string) plan.Result {
	r := plan.Result{Outcome: plan.OutcomeOK, Facts: map[string]any{factWhy: why}}
	if tag != "" {
		r.Facts[factCalendar] = tag
	}
	return r
}

// reason is why the look-up cannot tell, empty where it can.
func (s *saying) reason() string {
	why, _ := s.found.Result.Facts[factWhy].(string)
	if why == "" {
		return ""
	}
	tag, _ := s.found.Result.Facts[factCalendar].(string)
	day, title, have := "", "", "has"
	if t, ok := s.found.Result.Facts[factDay].(time.Time); ok {
		day = read.DayLabel(t.In(s.now.Location()), s.now)
	}
	if len(s.items) > 0 {
		title = unarticled(s.items[0].title)
	}
	if s.you {
		have = "have"
	}
	return strings.NewReplacer("WHOSE", s.whose(), "WHOM", s.whom(), "TAG", tag, "DAY", day, "TITLE", title, "HAVE", have).Replace(reasons[why])
}
