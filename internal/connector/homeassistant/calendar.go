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
	day, named := words.DayIn(q.Question, now)
	said := ""
	if named {
		said = dayWord(day, now)
	}
	if at(low, []string{"the", "date"}) > 0 && !has("time", "when") && (said == "today" || said == "tomorrow") && !has("calendar", "diary", "add", "put") {
		return ask.Say(capital(said) + " is " + day.Format("Monday 2 January") + ".").Until(daystart.Of(now, 1)), true, nil
	}
	about := has("calendar", "diary", "schedule", "agenda", "appointments", "appointment", "events") ||
		said != "" && has("have", "got", "do", "what's", "planned", "happening", "plan", "plans")
	if !about || has("turn", "switch") {
		return ask.Answer{}, false, nil
	}
	if !named {
		if has("week", "weekend", "month", "year") {
			return ask.NoAnswer("Please ask for one day"), true, nil
		}
		day, said = daystart.Of(now, 0), "today"
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
	var entries []string
	type entry struct {
		at    time.Time
		whole bool
		title string
	}
	var all []entry
	for _, id := range list {
		v := url.Values{"start": {day.Format(time.RFC3339)}, "end": {daystart.Of(day, 1).Format(time.RFC3339)}}
		var events []event
		if err := c.get(ctx, "/api/calendars/"+url.PathEscape(id)+"?"+v.Encode(), &events); err != nil {
			return ask.Answer{}, true, err
		}
		for _, e := range events {
			title := spoken.Clean(e.Summary, maxName)
			if title == "" {
				title = "an entry without a title"
			}
			if t, err := time.Parse(time.RFC3339, e.Start.DateTime); err == nil {
				all = append(all, entry{t.In(day.Location()), false, title})
			} else {
				all = append(all, entry{day, true, title})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.title, b.title)) })
	for _, e := range all[:min(len(all), mostSaid)] {
		s := e.title
		if !e.whole && !e.at.Before(day) {
			s += fmt.Sprintf(" at %d:%02d", e.at.Hour(), e.at.Minute())
		}
		entries = append(entries, s)
	}
	if more := len(all) - mostSaid; more > 0 {
		entries = append(entries, fmt.Sprintf("%d more", more))
	}
	if len(entries) == 0 {
		return ask.Say("There is nothing on the calendar " + said + ".").Until(daystart.Of(day, 1)), true, nil
	}
	return spokenAnswer(capital(said) + " there is " + spoken.And(entries) + "."), true, nil
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
