package homeassistant

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/connector/spoken"
	"github.com/askhub/askhub/internal/daystart"
	"github.com/askhub/askhub/internal/timers/words"
)

// event is one entry of a calendar, as far as it is read.
type event struct {
	Start   instant `json:"start"`
	End     instant `json:"end"`
	Summary string  `json:"summary"`
}

// instant is a moment, or a day of an entry without times.
type instant struct {
	DateTime string `json:"dateTime"`
	Date     string `json:"date"`
}

// isAt is whether it is that moment, or that day where the entry has no times.
func (i instant) isAt(t time.Time, allDay bool) bool {
	if allDay {
		return i.Date == t.Format(time.DateOnly)
	}
	at, err := time.Parse(time.RFC3339, i.DateTime)
	return err == nil && at.Equal(t)
}

// agenda answers what is on, where q asks that; ok is false where it asks something else.
func (c *Connector) agenda(ctx context.Context, q ask.Question) (a ask.Answer, ok bool, err error) {
	low := fold(q.Question)
	has := func(any ...string) bool {
		return slices.ContainsFunc(low, func(w string) bool { return slices.Contains(any, w) })
	}
	now := c.now()
	days, named, unclear := words.DaysIn(q.Question, now)
	said := ""
	if named {
		said = daysWord(days, now)
	}
	if at(low, []string{"the", "date"}) > 0 && !has("time", "when") && (said == "today" || said == "tomorrow") && !has("calendar", "diary", "add", "put") {
		return ask.Say(capital(said) + " is " + days.First.Format("Monday 2 January") + ".").Until(daystart.Of(now, 1)), true, nil
	}
	about := has("calendar", "diary", "schedule", "agenda", "appointments", "appointment", "events") ||
		named && (has("have", "got", "do", "what's", "planned", "happening", "plan", "plans") || asksWhetherFree(q, low) || c.asksWhatIsOn(low)) ||
		unclear && (asksWhetherFree(q, low) || c.asksWhatIsOn(low))
	switch {
	case !about || has("turn", "switch", "tv", "telly", "television", "radio"):
		return ask.Answer{}, false, nil
	case unclear:
		return ask.NoAnswer(whichDays), true, nil
	case !named:
		days, said = words.Days{First: daystart.Of(now, 0), Count: 1}, "today"
	}
	list, err := c.calendars(ctx, q)
	if name, _, ok := words.Calendar(q.Question, c.namesOf("calendar")); ok && name != "" && err == nil {
		if list = c.called(list, name); len(list) == 0 {
			return ask.NoAnswer("I know no such calendar of yours"), true, nil
		}
	}
	if err != nil || len(list) == 0 {
		return ask.NoAnswer("No calendar is set up for that"), true, err
	}
	a, err = c.sayAgenda(ctx, list, days, said)
	return a, true, err
}

// whichDays is said where it is not clear which days are meant.
const whichDays = "Please ask for one day, this weekend, this week or next week"

// daysWord is those days in a sentence.
func daysWord(days words.Days, now time.Time) string {
	if days.Count > 1 {
		return days.Name
	}
	return dayWord(days.First, now)
}

// asksWhetherFree is whether the words ask that of whom the question is about, or what they do.
// It is answered with what the calendars say, and never with a yes.
func asksWhetherFree(q ask.Question, low []string) bool {
	has := func(any ...string) bool {
		return slices.ContainsFunc(low, func(w string) bool { return slices.Contains(any, w) })
	}
	mine := at(low, []string{"am", "i"}) >= 0 || at(low, []string{"are", "we"}) >= 0
	another := has("is") && q.About() != ask.Person(q.Asker)
	return (mine || another) && has("free", "busy", "doing", "available")
}

// asksWhatIsOn is whether the words ask what is on, and not in a room or of a kind of device.
func (c *Connector) asksWhatIsOn(low []string) bool {
	for _, form := range [][]string{{"what's", "on"}, {"what", "is", "on"}, {"anything", "on"}, {"have", "on"}, {"anything", "planned"}} {
		if at(low, form) >= 0 {
			return kindIn(low) == "" && placeIn(low, c.house.rooms()).name == ""
		}
	}
	return false
}

// entry is one of a calendar's as it is told of some days.
type entry struct {
	title string
	// at is when it begins; whole is whether that has no time to be said, be it that it
	// began before those days.
	at    time.Time
	whole bool
	// last is the start of the last of those days that it lasts to, where it is whole.
	last time.Time
}

// sayAgenda says what is on in those days, called so.
func (c *Connector) sayAgenda(ctx context.Context, calendars []string, days words.Days, called string) (ask.Answer, error) {
	now := c.now()
	var all []entry
	for _, id := range calendars {
		v := url.Values{"start": {days.First.Format(time.RFC3339)}, "end": {days.End().Format(time.RFC3339)}}
		var events []event
		if err := c.get(ctx, "/api/calendars/"+url.PathEscape(id)+"?"+v.Encode(), &events); err != nil {
			return ask.Answer{}, err
		}
		for _, e := range events {
			all = append(all, e.in(days))
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.title, b.title)) })
	var said []string
	for _, e := range all[:min(len(all), mostSaid)] {
		said = append(said, e.said(days, now))
	}
	if more := len(all) - mostSaid; more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	switch {
	case len(said) > 0:
		return spokenAnswer(capital(called) + " there is " + spoken.And(said) + "."), nil
	case days.Count > 1: // what they are called is of today
		return ask.Say("There is nothing on the calendar " + called + ".").Until(daystart.Of(now, 1)), nil
	}
	return ask.Say("There is nothing on the calendar " + called + ".").Until(days.End()), nil
}

// in is the entry that e is in those days.
func (e event) in(days words.Days) entry {
	zone := days.First.Location()
	out := entry{title: spoken.Clean(e.Summary, maxName), at: days.First, whole: true}
	if out.title == "" {
		out.title = "an entry without a title"
	}
	start, timed := e.Start.moment(zone)
	if start.After(days.First) || timed && start.Equal(days.First) {
		out.at, out.whole = start, !timed
	}
	out.last = daystart.Of(out.at, 0)
	if end, _ := e.End.moment(zone); end.After(out.at) {
		if end.After(days.End()) {
			end = days.End()
		}
		out.last = daystart.Of(end.Add(-time.Nanosecond), 0)
	}
	return out
}

// moment is i in that zone, and whether it has a time; zero where it is neither a moment nor a day.
func (i instant) moment(zone *time.Location) (t time.Time, timed bool) {
	if t, err := time.Parse(time.RFC3339, i.DateTime); err == nil {
		return t.In(zone), true
	}
	day, err := time.Parse(time.DateOnly, i.Date)
	if err != nil {
		return time.Time{}, false
	}
	return daystart.Of(time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, zone), 0), false
}

// said is the entry with its time, and with its day where there are several.
func (e entry) said(days words.Days, now time.Time) string {
	clock := ""
	if !e.whole {
		clock = fmt.Sprintf(" at %d:%02d", e.at.Hour(), e.at.Minute())
	}
	first := daystart.Of(e.at, 0)
	switch {
	case days.Count == 1, e.whole && first.Equal(days.First) && e.last.Equal(daystart.Of(days.End(), -1)):
		return e.title + clock
	case e.whole && e.last.After(first):
		return e.title + " from " + first.Weekday().String() + " to " + e.last.Weekday().String()
	}
	return e.title + " " + weekdayWord(first, now) + clock
}

// weekdayWord is a day of this week or the next in a sentence that says which.
func weekdayWord(day, now time.Time) string {
	if word := dayWord(day, now); word == "today" || word == "tomorrow" {
		return word
	}
	return "on " + day.Weekday().String()
}

// calendars are those of whom the question is about.
func (c *Connector) calendars(ctx context.Context, q ask.Question) ([]string, error) {
	if len(c.cfg.Calendars) > 0 {
		return c.cfg.Calendars[string(q.About())], nil
	}
	var found []struct {
		ID string `json:"entity_id"`
	}
	if err := c.get(ctx, "/api/calendars", &found); err != nil {
		return nil, err
	}
	var ids []string
	for _, f := range found {
		if strings.HasPrefix(f.ID, "calendar.") {
			ids = append(ids, f.ID)
		}
	}
	return ids, nil
}
