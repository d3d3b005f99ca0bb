package compass

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/askplan"
	"github.com/askhub/askhub/internal/project/compass/read"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
)

// saying is one result on its way to a sentence. It knows the call, the result and
// the time, and no calendar.
type saying struct {
	wanted
	found *plan.Found
	items []item
	win   read.Window
	now   time.Time
	name  string
	you   bool // the asker is the person
	list  bool
	all   bool // everything is to be named, if it can be
}

// write is the sentence for what was found, or why there is none.
func (c *Compass) write(_ plan.Intent, found []plan.Found, ctx answer.Context) askplan.Written {
	if len(found) == 0 {
		_, why := c.planOf(ctx)
		return askplan.Written{Reason: why}
	}
	f, why := understood(found, func() (bool, string) { return c.planOf(ctx) })
	if why != "" {
		return askplan.Written{Reason: why}
	}
	s := &saying{
		wanted: wantedOf(f), found: f, now: ctx.Now, name: displayName(ctx.Person), you: ctx.Asker == ctx.Person,
		list: ask.WantsList(ctx.Question), all: read.WantsAll(ctx.Question),
	}
	s.win, _ = s.window(s.now)
	s.edge()
	for _, r := range f.Result.Rows {
		s.items = append(s.items, s.item(r))
	}
	if f.Result.Outcome != plan.OutcomeOK && f.Result.Outcome != plan.OutcomeNone {
		return askplan.Written{}
	}
	if why := s.reason(); why != "" {
		return askplan.Written{Reason: why}
	}
	w := askplan.Written{Until: midnightAfter(s.now)}
	if t, ok := f.Result.Facts[factUntil].(time.Time); ok {
		w.Until = t
	}
	limits := s.limits()
	for _, said := range s.sentences() {
		w.Sentences = append(w.Sentences, capital(said)+limits+".")
	}
	return w
}

// planOf is whether the question was read as a whole, and why not where it was not.
func (c *Compass) planOf(ctx answer.Context) (whole bool, why string) {
	y, m, d := ctx.Now.Date()
	r, _, why := reader{c.names, c.namesOf}.read(ctx.Question, ctx.Names, time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
	return r != nil, why
}

// understood is the look-up that counts: that of the whole question, or else the only
// one of its clauses that the calendars understand.
func understood(found []plan.Found, planOf func() (whole bool, why string)) (*plan.Found, string) {
	if len(found) == 1 {
		return &found[0], ""
	}
	whole, why := planOf()
	var fits []*plan.Found
	for i := range found {
		switch found[i].Result.Facts[factWhy] {
		case whyNotUnderstood, whyTwoThings:
			continue
		}
		if i == 0 && whole {
			return &found[0], ""
		}
		fits = append(fits, &found[i])
	}
	switch {
	case len(fits) == 1:
		return fits[0], ""
	case whole:
		return &found[0], ""
	}
	return &found[0], why
}

// item is a row as it was in the calendar.
func (s *saying) item(r plan.Row) item {
	e := &entry{title: r.Title}
	e.place, _ = r.Fields["place"].(string)
	_, e.lesson = r.Fields[fieldTimetable]
	_, e.off = r.Fields[fieldOff]
	if _, health := r.Fields[fieldSurgery]; health {
		e.tag = Health
	}
	it := item{entry: e}
	it.done, _ = r.Fields["done"].(bool)
	if at, ok := r.Fields["due"]; ok {
		it.undated = at == undated
		it.end, it.allDay = s.unix(at, 0)
		it.start = it.end
		return it
	}
	it.start, it.allDay = s.unix(r.Fields["starts"], 0)
	it.end, _ = s.unix(r.Fields["ends"], 1)
	return it
}

// unix is an instant, or the start of the day that lies so many days after a date.
func (s *saying) unix(v any, days int) (at int64, allDay bool) {
	switch v := v.(type) {
	case time.Time:
		return v.Unix(), false
	case string:
		if d, err := time.Parse(time.DateOnly, v); err == nil {
			noon := time.Date(d.Year(), d.Month(), d.Day(), 12, 0, 0, 0, s.now.Location())
			return read.Midnight(noon, days).Unix(), true
		}
	}
	return 0, false
}

// edge names a window that the school day bounds.
func (s *saying) edge() {
	switch s.span.Bound {
	case read.AfterSchool:
		s.win.Label, s.win.Part = "after school "+s.win.Label, true
	case read.BeforeSchool:
		s.win.Label, s.win.Part = "before school "+s.win.Label, true
	}
}

// sentences are what may be said, the fullest first.
func (s *saying) sentences() []string {
	switch s.tool {
	case onTool:
		return s.agenda()
	case comingTool:
		return s.coming()
	case nowTool:
		return one(s.rightNow())
	case followingTool, precedingTool:
		return one(s.beside())
	case nextTool:
		return one(s.next())
	case firstTool, lastTool:
		return one(s.edgeOfDay())
	case pastTool:
		if len(s.items) == 0 {
			return s.absent()
		}
		return one(s.whom() + " last had " + s.dated(s.items[0]))
	case whenTool, endsTool:
		return s.whenIs()
	case hasTool:
		return s.has()
	case countTool, daysTool:
		return s.count()
	case untilTool, untilEndTool:
		return s.until()
	case lengthTool:
		return s.length()
	case placeTool, placeNowTool:
		return s.where()
	case freeTool, busyTool:
		return s.free()
	case schoolDayTool:
		return s.schoolDay()
	case firstLesson, lastLesson:
		return one(s.schoolEdge())
	case untilFirst, untilLast:
		return one(s.untilSchool())
	}
	return s.homework()
}

func one(said string) []string { return []string{said} }

// polar is a sentence with "yes" or "no" in front, and as it is, for where the check
// does not see that the sentence says again what was asked.
func polar(word string, said []string) []string {
	var out []string
	for _, x := range said {
		out = append(out, word+", "+x)
	}
	return append(out, said...)
}

// limits says what the answer rests on where that is less than it should be.
func (s *saying) limits() string {
	var out string
	if t, ok := s.found.Result.Facts[factAsOf].(time.Time); ok {
		out += ", but that was read " + age(t, s.now)
	}
	for _, tag := range []string{School, Health} {
		if _, lost := s.found.Result.Facts[factMissing+tag]; lost {
			out += ", though the " + tag + " calendar is unreachable"
		}
	}
	switch n, _ := s.found.Result.Facts[factUnread].(int); {
	case n == 1:
		out += ", though there is one unreadable entry"
	case n > 1:
		out += fmt.Sprintf(", though there are %d unreadable entries", n)
	}
	return out
}

func (s *saying) at(unix int64) time.Time { return time.Unix(unix, 0).In(s.now.Location()) }

// dayOf is the start of the day of an instant.
func (s *saying) dayOf(unix int64) time.Time {
	y, m, d := s.at(unix).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func (s *saying) isOn(it item) bool { return it.start <= s.now.Unix() && s.now.Unix() < it.end }

// then is when the window is, for a sentence that something is absent: the check
// takes no time of the day there, so it is "at that time".
func (s *saying) then() string {
	label := s.win.Label
	switch {
	case s.span.Bound == read.AfterSchool || s.span.Bound == read.BeforeSchool, s.span.At != "", s.span.After != "", s.span.Before != "":
		day, _ := read.Span{From: s.span.From, To: s.span.To}.Window(s.now)
		label = day.Label + " at that time"
	case strings.HasPrefix(label, "in the next"):
		label = "until " + strings.TrimPrefix(s.day(s.win.To.Unix()-1), "on ")
	}
	return label
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// clockedFirst puts what has no time of its own behind what has.
func clockedFirst(items []item) []item {
	out := slices.Clone(items)
	slices.SortStableFunc(out, func(a, b item) int { return b2i(a.allDay) - b2i(b.allDay) })
	return out
}
