package homeassistant

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/connector/hass"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/timers/words"
)

// canCreate is a calendar's feature that events can be added to it.
const canCreate = 1

// maxTitle is the longest title of an event and the longest entry of a list, in code points.
const maxTitle = 120

// looks is how far apart what was written is looked for.
const looks = 100 * time.Millisecond

// written is whether e is a calendar or a list: those are written to in words of their own,
// and no command to a device is ever about one.
func (e *entity) written() bool { return e.domain() == "calendar" || e.domain() == "todo" }

func (c *Connector) now() time.Time { return c.cfg.Now().In(c.cfg.Zone()) }

// event is what q adds to a calendar. Where no calendar is spoken of, a thing in the house
// is none: "plan the bed light tomorrow at 7".
func (c *Connector) event(q ask.Question) (words.Event, bool) {
	e, ok := words.ParseEvent(q.Question, c.now(), c.namesOf("calendar"))
	return e, ok && (e.Spoken || !c.isDevice(e.Title))
}

// addEvent adds e to a calendar, as q says.
func (c *Connector) addEvent(ctx context.Context, q ask.Question, e words.Event) (ask.Answer, error) {
	now := c.now()
	switch {
	case e.Title == "":
		return ask.NoAnswer("Please say what I shall add to the calendar"), nil
	case utf8.RuneCountInString(e.Title) > maxTitle:
		return ask.NoAnswer("That is too long for a calendar; please say it in fewer words"), nil
	case !safe(e.Title):
		return ask.NoAnswer("I cannot keep those words"), nil
	case e.Unfit != "":
		return ask.NoAnswer(string(e.Unfit)), nil
	case len(e.Spans) > 1:
		return ask.Answer{}, whichSpan(e, now)
	case e.Spans[0].Over(now):
		return ask.NoAnswer("That is over already; please say a day and a time to come"), nil
	}
	calendar, why, err := c.whichCalendar(q, e)
	if err != nil || why != "" {
		return ask.NoAnswer(why), err
	}
	return c.put(ctx, calendar, e.Title, e.Spans[0])
}

// isDevice is whether the words name a thing in the house, which no event is called.
func (c *Connector) isDevice(title string) bool {
	all, _ := c.house.all()
	all = slices.DeleteFunc(all, func(e entity) bool { return c.may(&e) == isOut || e.written() })
	return kindIn(fold(title)) != "" || len(namedIn(fold(title), all)) > 0
}

// whichSpan asks which of several times is meant.
func whichSpan(e words.Event, now time.Time) error {
	calendar := "the calendar"
	switch {
	case e.Calendar != "":
		calendar = "the " + e.Calendar + " calendar"
	case e.Mine:
		calendar = "my calendar"
	}
	first := e.Spans[0].Start
	oneDay := !slices.ContainsFunc(e.Spans, func(s words.Span) bool { return s.Start.YearDay() != first.YearDay() })
	if len(e.Spans) > routing.MaxChoices {
		return &dispatch.Unclear{Ask: "Please say the date, and whether it is in the morning or in the evening"}
	}
	u := &dispatch.Unclear{}
	for _, s := range e.Spans {
		label := dated(s.Start, now)
		if oneDay {
			label = clock(s.Start) + " " + half(s.Start)
		}
		u.Choices = append(u.Choices, routing.Choice{Label: label, Question: words.Order(e.Title, s, calendar)})
	}
	u.Ask = "Do you mean " + choose(u.Choices) + "?"
	return u
}

// half is the half of the day as people say it.
func half(t time.Time) string {
	switch {
	case t.Hour() < 12:
		return "in the morning"
	case t.Hour() < 18:
		return "in the afternoon"
	}
	return "in the evening"
}

func clock(t time.Time) string { return fmt.Sprintf("%d:%02d", t.Hour(), t.Minute()) }

// whichCalendar is the one that e is to be added to: the one that was named, else the
// asker's own. Where there are several it asks, and where there is none it says why.
func (c *Connector) whichCalendar(q ask.Question, e words.Event) (calendar entity, why string, err error) {
	own := c.own(ask.Person(q.Asker))
	if len(own) == 0 {
		return entity{}, "No calendar of yours is set up here", nil
	}
	found := own
	switch {
	case e.Calendar != "":
		found = pick(own, e.Calendar)
	case e.Mine:
		if named := pick(own, string(q.Asker)); len(named) == 1 {
			found = named
		}
	}
	known := len(found) > 0
	if !known {
		found = own
	}
	open := slices.DeleteFunc(slices.Clone(found), func(e entity) bool { return c.may(&e) != may || !e.can(canCreate) || !e.answers() })
	switch {
	case len(open) == 0 && !known:
		return entity{}, "I know no such calendar of yours", nil
	case len(open) == 0 && c.may(&found[0]) != may:
		return entity{}, "I may not add to " + calendarName(found[0]) + "; that has to be allowed in askhub.toml first", nil
	case len(open) == 0:
		return entity{}, capital(calendarName(found[0])) + " can only be read", nil
	case len(open) == 1 && known:
		return open[0], "", nil
	}
	u := &dispatch.Unclear{}
	for _, o := range open[:min(len(open), routing.MaxChoices)] {
		u.Choices = append(u.Choices, routing.Choice{Label: o.Name, Question: words.Order(e.Title, e.Spans[0], calendarName(o))})
	}
	switch {
	case same(open):
		return entity{}, "Several calendars have one name; give them names of their own in Home Assistant", nil
	case len(open) == 1:
		u.Ask = "Do you mean " + calendarName(open[0]) + "?"
	default:
		u.Ask = "Which calendar: " + choose(u.Choices) + "?"
	}
	return entity{}, "", u
}

// own are a person's calendars, by name.
func (c *Connector) own(person ask.Person) []entity {
	list := c.of("calendar")
	if len(c.cfg.Calendars) == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(e entity) bool { return !slices.Contains(c.cfg.Calendars[string(person)], e.ID) })
}

// of are the entities of a domain that are not denied, by name.
func (c *Connector) of(domain string) []entity {
	all := slices.DeleteFunc(c.house.written(), func(e entity) bool { return e.domain() != domain || e.never() || c.rules.denied[e.ID] })
	slices.SortFunc(all, func(a, b entity) int {
		return strings.Compare(strings.ToLower(a.Name)+a.ID, strings.ToLower(b.Name)+b.ID)
	})
	return all
}

func (c *Connector) namesOf(domain string) []string {
	var names []string
	for _, e := range c.of(domain) {
		for _, n := range e.calls() {
			names = append(names, n.name)
		}
	}
	return names
}

// called are those of the ids whose entity is called that.
func (c *Connector) called(ids []string, name string) []string {
	found := pick(c.of("calendar"), name)
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return !slices.ContainsFunc(found, func(e entity) bool { return e.ID == id })
	})
}

// pick are those with that name or alias, or else those of whose names one holds all its words.
func pick(list []entity, name string) []entity {
	said := bare(name)
	exact := slices.DeleteFunc(slices.Clone(list), func(e entity) bool {
		return !e.goesBy(func(name string) bool { return slices.Equal(bare(words.Plain(name)), said) })
	})
	if len(exact) > 0 || len(said) == 0 {
		return exact
	}
	return slices.DeleteFunc(slices.Clone(list), func(e entity) bool {
		return !e.goesBy(func(name string) bool {
			has := bare(words.Plain(name))
			return !slices.ContainsFunc(said, func(w string) bool { return !slices.Contains(has, w) })
		})
	})
}

// bare is a name without the words that say what kind of thing it is.
func bare(name string) []string {
	return slices.DeleteFunc(stems(fold(name)), func(w string) bool { return w == "calendar" || w == "list" })
}

// same is whether two of them have one name.
func same(list []entity) bool {
	for i := range list {
		for _, o := range list[:i] {
			if slices.Equal(bare(words.Plain(o.Name)), bare(words.Plain(list[i].Name))) {
				return true
			}
		}
	}
	return false
}

// calendarName is "the Family calendar".
func calendarName(e entity) string {
	if slices.Contains(fold(e.Name), "calendar") {
		return "the " + e.Name
	}
	return "the " + e.Name + " calendar"
}

// put adds it, unless it is there already, and says so once it was read again.
func (c *Connector) put(ctx context.Context, calendar entity, title string, when words.Span) (ask.Answer, error) {
	if err := c.turn(ctx); err != nil {
		return ask.Answer{}, err
	}
	defer c.done()
	said := quoted(title) + " is on " + calendarName(calendar)
	day := sayWhen(when, c.now())
	there, err := c.onCalendar(ctx, calendar.ID, title, when)
	switch {
	case err != nil:
		return ask.Answer{}, err
	case there:
		return fitting(said+" already, "+day+".", "That is on "+calendarName(calendar)+" already, "+day+"."), nil
	}
	data := map[string]any{"entity_id": calendar.ID, "summary": title}
	if when.AllDay {
		data["start_date"], data["end_date"] = when.Start.Format(time.DateOnly), when.End.Format(time.DateOnly)
	} else {
		// Home Assistant takes no two offsets in one event, as there are on a day on which clocks change.
		data["start_date_time"], data["end_date_time"] = when.Start.UTC().Format(time.RFC3339), when.End.UTC().Format(time.RFC3339)
	}
	if err := c.service(ctx, "calendar/create_event", data); err != nil {
		return notTaken(calendarName(calendar), err)
	}
	if !c.until(ctx, func(ctx context.Context) (bool, error) { return c.onCalendar(ctx, calendar.ID, title, when) }) {
		return ask.NoAnswer("Home Assistant took that, but I do not see it on " + calendarName(calendar) + "; please look there before you say it again"), nil
	}
	return fitting(said+" now, "+day+".", "That is on "+calendarName(calendar)+" now, "+day+"."), nil
}

// notTaken is what is said of a service call that failed: where Home Assistant refused it,
// nothing was written.
func notTaken(place string, err error) (ask.Answer, error) {
	var status hass.StatusError
	if errors.As(err, &status) && status == http.StatusBadRequest {
		return ask.NoAnswer("Home Assistant does not take that for " + place), nil
	}
	return ask.Answer{}, err
}

// turn waits for its turn to write.
func (c *Connector) turn(ctx context.Context) error {
	select {
	case c.writing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Connector) done() { <-c.writing }

// onCalendar is whether an entry of that title begins and ends then.
func (c *Connector) onCalendar(ctx context.Context, id, title string, when words.Span) (bool, error) {
	v := url.Values{"start": {when.Start.Format(time.RFC3339)}, "end": {when.End.Format(time.RFC3339)}}
	var events []event
	if err := c.get(ctx, "/api/calendars/"+url.PathEscape(id)+"?"+v.Encode(), &events); err != nil {
		return false, err
	}
	return slices.ContainsFunc(events, func(e event) bool {
		return alike(e.Summary, title) && e.Start.isAt(when.Start, when.AllDay) && (when.Assumed || e.End.isAt(when.End, when.AllDay))
	}), nil
}

// alike is whether two texts differ in no more than capitals and spaces.
func alike(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// until looks again and again for what was written, as long as there is patience. What
// cannot be read is not seen.
func (c *Connector) until(ctx context.Context, seen func(context.Context) (bool, error)) bool {
	bounded, cancel := context.WithTimeout(ctx, c.patience(ctx))
	defer cancel()
	ticker := time.NewTicker(looks)
	defer ticker.Stop()
	for {
		there, err := seen(bounded)
		if there || err != nil {
			return there && err == nil
		}
		select {
		case <-ticker.C:
		case <-bounded.Done():
			return false
		}
	}
}

// dayWord is a day in a sentence: "today", "on Friday", "on Saturday 12 December".
func dayWord(day, now time.Time) string {
	date := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	switch days := int(date(day).Sub(date(now)).Hours() / 24); {
	case days == 0:
		return "today"
	case days == 1:
		return "tomorrow"
	case days > 1 && days < 7:
		return "on " + day.Weekday().String()
	case day.Year() != now.Year():
		return day.Format("on Monday 2 January 2006")
	}
	return day.Format("on Monday 2 January")
}

// dated is a day with its date, so that a misunderstanding is heard at once.
func dated(day, now time.Time) string {
	switch word := dayWord(day, now); {
	case word == "today" || word == "tomorrow":
		return word
	case day.Year() != now.Year():
		return day.Format("Monday 2 January 2006")
	}
	return day.Format("Monday 2 January")
}

// sayWhen is a stretch of time in a sentence.
func sayWhen(s words.Span, now time.Time) string {
	last := s.End
	if s.AllDay {
		last = s.End.AddDate(0, 0, -1)
	}
	first, end := dated(s.Start, now), dated(last, now)
	on := first
	if first != "today" && first != "tomorrow" {
		on = "on " + first
	}
	switch {
	case s.AllDay && first == end:
		return on + ", all day"
	case s.AllDay:
		return "from " + first + " to " + end
	case s.Assumed:
		return on + " at " + clock(s.Start) + ", for an hour"
	case first == end:
		return on + " from " + clock(s.Start) + " to " + clock(s.End)
	}
	return on + " from " + clock(s.Start) + " to " + end + " at " + clock(s.End)
}

// safe is whether words may be passed on.
func safe(s string) bool { return ask.CheckSafe(s) == nil }

// quoted is a person's words within a sentence.
func quoted(s string) string {
	return "“" + strings.NewReplacer("“", "", "”", "").Replace(s) + "”"
}

// fitting says the sentence, or the plainer one where that is not fit to be spoken.
func fitting(sentence, plainer string) ask.Answer {
	return spokenAnswer(firstFit(sentence, plainer))
}
