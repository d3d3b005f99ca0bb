package compass

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/project/compass/feed"
	"github.com/askhub/askhub/internal/project/compass/read"
	"github.com/askhub/askhub/plan"
)

// The keys of a result. A key of several words is one that no sentence says.
const (
	factWhy       = "why_not"        // one of the reasons below: then nothing else was found
	factCalendar  = "whose_calendar" // the tag that a reason is about
	factDay       = "calendar_day"   // the day that a reason is about
	factNever     = "never_named"    // the calendars never name the subject
	factAsOf      = "when_read"      // when calendars that cannot be reached were right
	factLost      = "unreachable"    // a calendar was never read
	factLostCount = "unreachable_calendars"
	factMissing   = "missing_"   // with the tag of that calendar
	factUnread    = "unreadable" // how many entries could not be read
	factUntil     = "true_until" // when the result stops being true
	factPeriod    = "period"
	factFirst     = "first_start"
	factLast      = "last_end"

	factLessons      = "number_of_lessons"
	factAppointments = "number_of_appointments"
	factEvents       = "number_of_events"
	factCount        = "count"
)

// looking is one look-up on its way to a result.
type looking struct {
	*index
	wanted
	stems  []string
	now    time.Time
	hasTag map[string]bool
	facts  map[string]any
	until  time.Time
}

// look runs one look-up over what is known of h.
func (c *Compass) look(h *holder, w wanted, run func(*looking) plan.Result) plan.Result {
	ix := h.index.Load()
	if ix == nil {
		return whyNot(whyNotRead, "")
	}
	now := c.cfg.Now().In(c.cfg.Zone)
	l := &looking{index: ix, wanted: w, now: now, hasTag: map[string]bool{}, facts: map[string]any{}, until: midnightAfter(now)}
	others := read.Named(reader{c.names, c.namesOf}.others([]string{string(h.person)}))
	if slices.ContainsFunc(read.Unknown(w.subject, func(s string) bool { return ix.vocab[s] }), func(s string) bool { return others[s] }) {
		return whyNot(whyTwoPeople, "")
	}
	stems, _, why := read.Subject(w.subject, read.Calendars{Knows: func(s string) bool { return ix.vocab[s] }, Vocabulary: ix.words, Together: ix.together})
	switch {
	case why == read.WhyTwoThings:
		return whyNot(whyTwoThings, "")
	case why != "":
		return whyNot(whyNotUnderstood, "")
	}
	if _, ok := w.window(now); !ok {
		return whyNot(whyNoSuchDay, "")
	}
	l.stems = stems
	if no := l.standing(h.feeds); no != nil {
		return *no
	}
	return run(l)
}

// window is the stretch of time in question: what was named, or today. A week that has
// begun is the rest of it: nobody asks on a Thursday what Monday brought.
func (w wanted) window(now time.Time) (read.Window, bool) {
	win, ok := w.span.Window(now)
	today := read.Midnight(now, 0)
	if ok && win.Days > 1 && w.tool != countTool && w.tool != daysTool && !w.past && win.From.Before(today) && win.To.After(today) {
		win.From, win.Label = today, "for the rest of "+strings.TrimPrefix(win.Label, "in ")
		win.Day = win.Label
	}
	return win, ok
}

// standing looks at how the calendars stand that the question is about.
func (l *looking) standing(feeds []*source) *plan.Result {
	known := 0
	var missing string
	var stale time.Time
	for _, f := range feeds {
		l.hasTag[f.tag] = true
		if !l.about(f.tag) {
			continue
		}
		cal, state := f.Calendar()
		if cal == nil {
			missing = f.tag
			continue
		}
		known++
		if state.Err != nil && (stale.IsZero() || state.Good.Before(stale)) {
			stale = state.Good
		}
	}
	if missing != "" {
		l.facts[factLost], l.facts[factLostCount], l.facts[factMissing+missing] = true, 1, true
	}
	if !stale.IsZero() {
		l.facts[factAsOf] = stale
		l.until = earlier(l.until, l.now.Add(5*time.Minute))
	}
	no := l.noCalendar()
	switch {
	case known > 0:
		return nil
	case missing != "":
		no = whyNot(whyUnreachable, missing)
		for _, f := range feeds {
			if _, state := f.Calendar(); l.about(f.tag) && errors.Is(state.Err, feed.ErrNotTried) {
				no = whyNot(whyTagNotRead, f.tag)
			}
		}
	}
	return &no
}

// about says whether the question is about calendars of that tag.
func (w wanted) about(tag string) bool { return w.tag == "" || w.tag == tag }

func (l *looking) noCalendar() plan.Result { return whyNot(whyNoCalendar, l.tag) }

// matches is whether an event is of the kind and the name that was asked for.
func (l *looking) matches(it *item) bool {
	if len(l.stems) > 0 {
		return it.named(l.stems) && l.rightTerm(it)
	}
	if !l.about(it.tag) {
		return false
	}
	switch l.kind {
	case lessons:
		return it.lesson
	case appointments:
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
func (l *looking) rightTerm(it *item) bool {
	if !slices.Contains(l.stems, termStem) || slices.Contains(l.stems, halfStem) {
		return true
	}
	if slices.Contains(it.stems, halfStem) {
		return false
	}
	if l.tool != whenTool && l.tool != endsTool || len(l.stems) > 1 {
		return true
	}
	want := startStems
	if l.tool == endsTool {
		want = endStems
	}
	return slices.ContainsFunc(it.stems, func(s string) bool { return want[s] })
}

// span is the window, with an end of school that only the timetable knows.
func (l *looking) span() (read.Window, *plan.Result) {
	w, _ := l.window(l.now)
	if l.wanted.span.Bound != read.AfterSchool && l.wanted.span.Bound != read.BeforeSchool {
		return w, nil
	}
	if w.Days > 1 {
		no := whyNot(whyManyDays, "")
		return w, &no
	}
	school := l.between(w.From.Unix(), w.To.Unix(), isLesson)
	if len(school) == 0 {
		no := whyNot(whyNoEnd, "")
		no.Facts[factDay] = w.From
		return w, &no
	}
	day := w.From
	if l.wanted.span.Bound == read.AfterSchool {
		w.From = l.at(lastEnd(school))
	} else {
		w.To = l.at(school[0].start)
	}
	w.Part = true
	if w.To.Before(w.From) {
		w.To = read.Midnight(day, 1)
	}
	return w, nil
}

func lastEnd(items []item) int64 {
	var end int64
	for _, it := range items {
		end = max(end, it.end)
	}
	return end
}

func (l *looking) at(unix int64) time.Time { return time.Unix(unix, 0).In(l.now.Location()) }

// dayOf is the start of the day of an instant.
func (l *looking) dayOf(unix int64) time.Time {
	y, m, d := l.at(unix).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// expire notes instants at which the result stops being true.
func (l *looking) expire(unix ...int64) {
	for _, u := range unix {
		if t := l.at(u); t.After(l.now) {
			l.until = earlier(l.until, t)
		}
	}
}

// covered says why the calendars cannot tell that something is absent up to then:
// a timetable that has come to its end says nothing about the days after it.
func (l *looking) covered(from, to int64) *plan.Result {
	no := func(r plan.Result) *plan.Result { return &r }
	if from < l.from || to > l.to {
		return no(whyNot(whyTooFar, ""))
	}
	if l.tag != "" && !l.hasTag[l.tag] {
		return no(l.noCalendar())
	}
	if l.tag == Health || !l.hasTag[School] {
		return nil
	}
	switch {
	case l.schoolEnds == 0 && l.tag == School && l.unread[School] > 0:
		return no(whyNot(whyUnreadable, School))
	case l.schoolEnds == 0 && l.tag == School:
		return no(whyNot(whyEmpty, School))
	case l.schoolEnds == 0:
		return nil
	case to <= l.schoolBegins && l.dayOf(to-1).Before(l.dayOf(l.schoolBegins)):
		r := whyNot(whyBegins, School)
		r.Facts[factDay] = l.at(l.schoolBegins)
		return &r
	case from >= l.schoolEnds && l.dayOf(from).After(l.dayOf(l.schoolEnds-1)):
		r := whyNot(whyEnds, School)
		r.Facts[factDay] = l.at(l.schoolEnds - 1)
		return &r
	}
	return nil
}

// unknown says why the absence of a name means nothing: the calendars never use it,
// and no school or health calendar is expected to.
func (l *looking) unknown() *plan.Result {
	for _, s := range l.stems {
		if !l.vocab[s] && !read.Known(s) {
			r := whyNot(whyUnnamed, "")
			return &r
		}
	}
	if l.tag != "" && !l.hasTag[l.tag] {
		r := l.noCalendar()
		return &r
	}
	return nil
}

// nothing is that there is nothing in w, where the calendars can tell.
func (l *looking) nothing(w read.Window) plan.Result {
	if no := l.covered(w.From.Unix(), w.To.Unix()); no != nil {
		return *no
	}
	return l.found(nil)
}

// noneAhead is that nothing of the kind is ahead, where that means something.
func (l *looking) noneAhead() plan.Result {
	if no := l.unknown(); no != nil {
		return *no
	}
	if no := l.covered(l.now.Unix(), l.to); no != nil {
		return *no
	}
	return l.found(nil)
}

// absent is that what was asked for is not there, where the calendars can tell.
func (l *looking) absent() plan.Result {
	if no := l.unknown(); no != nil {
		return *no
	}
	if !l.wanted.span.Named() {
		if l.past {
			return l.found(nil)
		}
		return l.noneAhead()
	}
	w, no := l.span()
	if no != nil {
		return *no
	}
	return l.nothing(w)
}

// found is the result with these rows. Its facts say on what it rests.
func (l *looking) found(items []item) plan.Result {
	r := plan.Result{Outcome: plan.OutcomeNone, Facts: maps.Clone(l.facts)}
	for _, s := range l.stems {
		if !l.vocab[s] {
			r.Facts[factNever] = true
		}
	}
	r.Facts[factUntil] = l.until
	if n := l.unreadable(); n > 0 {
		r.Facts[factUnread] = n
	}
	if w, ok := l.window(l.now); ok && strings.HasPrefix(w.Label, "in the next") {
		r.Facts[factPeriod] = w.Label
	}
	r.Facts[factLessons], r.Facts[factAppointments], r.Facts[factEvents] = 0, 0, 0
	_, stale := r.Facts[factAsOf]
	_, lost := r.Facts[factLost]
	_, unread := r.Facts[factUnread]
	if len(items) == 0 {
		if stale || lost || unread {
			// Nothing, as far as it could be read: of a look-up that found nothing no more
			// could be said.
			r.Outcome, r.Facts[factCount] = plan.OutcomeOK, 0
		}
		return r
	}
	r.Outcome = plan.OutcomeOK
	if strings.HasPrefix(l.tool, "homework.") {
		for _, it := range items {
			r.Rows = append(r.Rows, l.task(it))
		}
		return r
	}
	timetable, health := keepItems(items, isLesson), 0
	for _, it := range items {
		r.Rows = append(r.Rows, l.row(it))
		health += b2i(it.tag == Health)
	}
	r.Facts[factLessons], r.Facts[factAppointments], r.Facts[factEvents] = len(timetable), health, len(items)
	if len(timetable) == 0 {
		timetable = keepItems(items, func(it *item) bool { return !it.allDay })
	}
	if len(timetable) > 0 {
		r.Facts[factFirst], r.Facts[factLast] = l.at(timetable[0].start), l.at(lastEnd(timetable))
	}
	return r
}

// unreadable is how many entries could be missing from the result.
func (l *looking) unreadable() int {
	switch l.tool {
	case whenTool, endsTool, untilTool, untilEndTool, untilFirst, untilLast, lengthTool, placeTool, placeNowTool:
		return 0
	}
	n := 0
	for tag, unread := range l.unread {
		if l.about(tag) {
			n += unread
		}
	}
	return n
}

// The fields of a row besides starts, ends, place, due and done.
const (
	fieldTimetable = "in_timetable" // it is a lesson
	fieldOff       = "no_school"    // on such a day there is no school
	fieldSurgery   = "in_surgery"   // it is in a health calendar
	fieldBeside    = "beside"       // "after French", "after school"
	fieldAllDay    = "lasting"      // "all day"
	undated        = "without a date"
)

func (l *looking) row(it item) plan.Row {
	f := map[string]any{"starts": l.at(it.start), "ends": l.at(it.end)}
	if it.allDay {
		f["starts"], f["ends"] = l.at(it.start).Format(time.DateOnly), l.at(lastDay(it)).Format(time.DateOnly)
		f[fieldAllDay] = "all day"
	}
	if it.place != "" {
		f["place"] = it.place
	}
	for key, is := range map[string]bool{fieldTimetable: it.lesson, fieldOff: it.off, fieldSurgery: it.tag == Health} {
		if is {
			f[key] = true
		}
	}
	switch l.wanted.span.Bound {
	case read.AfterSchool:
		f[fieldBeside] = "after school"
	case read.BeforeSchool:
		f[fieldBeside] = "before school"
	}
	return plan.Row{Title: it.title, Fields: f}
}

func (l *looking) task(it item) plan.Row {
	f := map[string]any{"due": l.at(it.end), "done": it.done, "overdue": !it.done && !it.undated && l.dueBy(&it) <= l.now.Unix()}
	switch {
	case it.undated:
		f["due"] = undated
	case it.allDay:
		f["due"] = l.at(it.end).Format(time.DateOnly)
	}
	return plan.Row{Title: it.title, Fields: f}
}

func keepItems(items []item, keep func(*item) bool) []item {
	var out []item
	for i := range items {
		if keep(&items[i]) {
			out = append(out, items[i])
		}
	}
	return out
}

func isLesson(it *item) bool { return it.lesson }
func isOff(it *item) bool    { return it.off }

func midnightAfter(t time.Time) time.Time { return read.Midnight(t, 1) }

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
