package compass

import (
	"time"

	"github.com/askhub/askhub/internal/project/compass/read"
	"github.com/askhub/askhub/plan"
)

// soon is how far "coming up" looks at first, in days.
const soon = 30

// on is what is on in a stretch of time.
func (l *looking) on() plan.Result {
	w, no := l.span()
	if no != nil {
		return *no
	}
	items := l.between(w.From.Unix(), w.To.Unix(), l.matches)
	if w.Part && w.From.Equal(l.now) {
		// "The rest of today" changes as each thing begins and ends.
		l.expireAll(items)
	}
	if len(items) == 0 {
		return l.nothing(w)
	}
	return l.found(items)
}

func (l *looking) expireAll(items []item) {
	for _, it := range items {
		l.expire(it.start, it.end)
	}
}

// rightNow is what is on at this moment.
func (l *looking) rightNow() plan.Result {
	t := l.now.Unix()
	items := l.between(t, t+1, func(it *item) bool { return it.start <= t && l.matches(it) })
	if next, ok := l.after(t, l.matches); ok {
		l.expire(next.start)
	}
	if timed := keepItems(items, func(it *item) bool { return !it.allDay }); len(timed) > 0 {
		items = timed
	}
	if l.tool == placeNowTool && len(items) > 0 && !items[0].allDay {
		items = items[:1]
	}
	if len(items) == 0 {
		if no := l.covered(t, t+1); no != nil {
			return *no
		}
	}
	l.expireAll(items)
	return l.found(items)
}

// coming is what is on in the next weeks, or else the next one after.
func (l *looking) coming() plan.Result {
	keep := func(it *item) bool { return it.start >= l.now.Unix() && l.matches(it) }
	if len(l.stems) == 0 && l.kind == "" {
		// The timetable goes on; what is coming up is what else there is.
		keep = func(it *item) bool { return it.start >= l.now.Unix() && l.matches(it) && !it.lesson }
	}
	items := l.between(l.now.Unix(), read.Midnight(l.now, soon).Unix(), keep)
	if len(items) > 0 {
		l.expire(items[0].start)
		r := l.found(items)
		r.Facts[factPeriod] = inTheNext(soon)
		return r
	}
	if next, ok := l.after(l.now.Unix(), keep); ok {
		return l.found([]item{next})
	}
	return l.noneAhead()
}

// lookedFor is the item that a question about one thing means: within the window that
// was named, or else the one that is on now, or the next.
func (l *looking) lookedFor(soonest bool) (it item, no *plan.Result) {
	if l.wanted.span.Named() {
		w, no := l.span()
		if no != nil {
			return item{}, no
		}
		if items := l.between(w.From.Unix(), w.To.Unix(), l.matches); len(items) > 0 {
			return items[0], nil
		}
		return item{}, nil
	}
	t := l.now.Unix()
	if l.past {
		it, _ = l.before(t, l.matches)
		return it, nil
	}
	if !soonest {
		if on := l.between(t, t+1, func(it *item) bool { return it.start <= t && l.matches(it) }); len(on) > 0 {
			return on[0], nil
		}
	}
	it, _ = l.after(t, l.matches)
	return it, nil
}

// one is one thing, whatever of it is asked.
func (l *looking) one() plan.Result {
	it, no := l.lookedFor(false)
	switch {
	case no != nil:
		return *no
	case it.entry == nil:
		return l.absent()
	}
	l.expire(it.end)
	if l.tool == placeTool && it.place == "" {
		return l.unsaid(whyNoPlace, it)
	}
	return l.found([]item{it})
}

// unsaid is that the calendar has the thing, and not what was asked of it.
func (l *looking) unsaid(why string, it item) plan.Result {
	r := l.found([]item{it})
	r.Facts[factWhy] = why
	return r
}

// when is when something is: all of that name within a window, or the one.
func (l *looking) when() plan.Result {
	it, no := l.lookedFor(false)
	if no != nil {
		return *no
	}
	if it.entry == nil {
		if task, ok := l.taskNamed(); ok {
			return l.foundTask(task)
		}
		if len(l.stems) == 1 && l.stems[0] == termStem {
			return whyNot(whyNotSaid, "")
		}
		return l.absent()
	}
	l.expire(it.start, it.end)
	if l.wanted.span.Named() && l.tool == whenTool {
		w, _ := l.span()
		if items := l.between(w.From.Unix(), w.To.Unix(), l.matches); len(items) <= maxNamed {
			return l.found(items)
		}
	}
	return l.found([]item{it})
}

// foundTask is homework that answers a question after something else.
func (l *looking) foundTask(it item) plan.Result {
	r := l.found([]item{it})
	r.Rows = []plan.Row{l.task(it)}
	delete(r.Facts, factFirst)
	delete(r.Facts, factLast)
	return r
}

// has is whether something is on.
func (l *looking) has() plan.Result {
	if !l.wanted.span.Named() {
		it, _ := l.lookedFor(false)
		if it.entry == nil {
			if task, ok := l.taskNamed(); ok {
				return l.foundTask(task)
			}
			return l.absent()
		}
		l.expire(it.start, it.end)
		return l.found([]item{it})
	}
	w, no := l.span()
	if no != nil {
		return *no
	}
	if items := l.between(w.From.Unix(), w.To.Unix(), l.matches); len(items) > 0 {
		return l.found(items)
	}
	if w.Part && len(l.stems) > 0 {
		// Not then, and maybe at another time of that day.
		day := read.Midnight(w.From, 0)
		if other := l.between(day.Unix(), read.Midnight(day, 1).Unix(), l.matches); len(other) > 0 {
			r := l.found(other)
			r.Facts[factOther] = true
			return r
		}
	}
	return l.absent()
}

// factOther is that what was found is on at another time of the day that was named.
const factOther = "other_time"

// count is what is to be counted.
func (l *looking) count() plan.Result {
	w, no := l.span()
	if no != nil {
		return *no
	}
	switch {
	case l.wanted.span.Named():
	case l.kind == appointments || l.tag == Health:
		w = read.Window{From: l.now, To: read.Midnight(l.now, daysAhead-1), Days: daysAhead}
	case len(l.stems) > 0:
		w = read.ThisWeek(l.now)
	}
	if l.left && w.From.Before(l.now) {
		w.From = l.now
	}
	items := l.between(w.From.Unix(), w.To.Unix(), func(it *item) bool {
		return l.matches(it) && (!l.left || it.start >= l.now.Unix())
	})
	if len(items) == 0 {
		if no := l.unknown(); no != nil {
			return *no
		}
		return l.nothing(w)
	}
	if l.left {
		l.expire(items[0].start)
	}
	r := l.found(items)
	if l.tool == daysTool {
		days := map[time.Time]bool{}
		for _, it := range items {
			days[l.dayOf(it.start)] = true
		}
		r.Facts["days"] = len(days)
	}
	return r
}

// free is whether nothing with a time of day is on.
func (l *looking) free() plan.Result {
	w, no := l.span()
	if no != nil {
		return *no
	}
	items := l.between(w.From.Unix(), w.To.Unix(), func(it *item) bool { return l.matches(it) && !it.off })
	if w.Part {
		l.expireAll(items)
	}
	if len(items) == 0 {
		return l.nothing(w)
	}
	return l.found(items)
}

func (l *looking) following() plan.Result { return l.neighbour(true) }
func (l *looking) preceding() plan.Result { return l.neighbour(false) }

// neighbour is what comes right after or before something, on the same day.
func (l *looking) neighbour(after bool) plan.Result {
	mark, no := l.lookedFor(false)
	switch {
	case no != nil:
		return *no
	case mark.entry == nil || mark.allDay:
		return l.absent()
	}
	day := l.dayOf(mark.start)
	others := l.between(mark.start-24*3600, mark.end+24*3600, func(it *item) bool {
		return !it.allDay && l.dayOf(it.start).Equal(day) && it.entry != mark.entry
	})
	word, at := "before ", -1
	for i := range others {
		if after && others[i].start >= mark.end {
			at = i
			break
		}
		if !after && others[i].end <= mark.start {
			at = i
		}
	}
	if after {
		word = "after "
	}
	if at < 0 {
		return l.found(nil)
	}
	r := l.found(others[at : at+1])
	r.Rows[0].Fields[fieldBeside] = word + unarticled(mark.title)
	return r
}

// howLong is how long it is until something starts, or ends.
func (l *looking) howLong() plan.Result {
	it, no := l.lookedFor(l.tool == untilTool)
	switch {
	case no != nil:
		return *no
	case it.entry == nil:
		return l.absent()
	}
	l.expire(it.start)
	end := it.start
	if l.tool == untilEndTool && !it.isAnEnd() {
		end = it.end
		if it.allDay {
			end = lastDay(it)
		}
	}
	return l.distance(l.found([]item{it}), end)
}

// distance adds how far away an instant is: in days from the day after tomorrow on,
// else in hours and minutes.
func (l *looking) distance(r plan.Result, unix int64) plan.Result {
	if days := int(l.dayOf(unix).Sub(l.dayOf(l.now.Unix())) / (24 * time.Hour)); days >= 2 {
		r.Facts["days"] = days
		return r
	}
	lasting(r.Facts, l.at(unix).Sub(l.now).Round(time.Minute))
	r.Facts[factUntil] = earlier(l.until, l.now.Truncate(time.Minute).Add(time.Minute))
	return r
}

// lasting puts a time into hours and minutes.
func lasting(values map[string]any, d time.Duration) {
	h, m := int(d/time.Hour), int(d%time.Hour/time.Minute)
	if h > 0 {
		values["hours"] = h
	}
	if m > 0 || h == 0 {
		values["minutes"] = m
	}
}

// length is how long something lasts.
func (l *looking) length() plan.Result {
	r := l.one()
	if len(r.Rows) == 0 {
		return r
	}
	it, _ := l.lookedFor(false)
	switch {
	case it.allDay:
		r.Rows[0].Fields["days"] = int(l.dayOf(lastDay(it)).Sub(l.dayOf(it.start))/(24*time.Hour)) + 1
	case it.end == it.start:
		return l.unsaid(whyNoLength, it)
	default:
		lasting(r.Rows[0].Fields, time.Duration(it.end-it.start)*time.Second)
	}
	return r
}

// next is the next of something.
func (l *looking) next() plan.Result {
	t := l.now.Unix()
	keep := func(it *item) bool {
		return l.matches(it) && (!it.allDay || len(l.stems) > 0 || l.kind != "")
	}
	it, ok := l.after(t, keep)
	if w, _ := l.window(l.now); ok && l.wanted.span.Named() {
		if it, ok = l.after(max(t, w.From.Unix()-1), keep); ok && it.start >= w.To.Unix() {
			ok = false
		}
	}
	if !ok {
		return l.absent()
	}
	l.expire(it.start)
	return l.found([]item{it})
}

// lastTime is when there last was something.
func (l *looking) lastTime() plan.Result {
	l.past = true
	return l.one()
}

func (l *looking) first() plan.Result { return l.edge(false) }
func (l *looking) last() plan.Result  { return l.edge(true) }

// edge is the first or last thing of a day: the day that was named, or today while
// there is one to come, or the next day that has one.
func (l *looking) edge(last bool) plan.Result {
	keep := func(it *item) bool { return l.matches(it) && !it.allDay }
	w, no := l.span()
	if no != nil {
		return *no
	}
	items, ok := l.edgeOf(w, last, keep)
	switch {
	case !ok:
		return l.noneAhead()
	case len(items) == 0:
		return l.nothing(w)
	case last:
		return l.found(items[len(items)-1:])
	}
	return l.found(items[:1])
}

// edgeOf are the items of w, or where no day was named and that is over, of the next
// day that has any; ok is false where there is none.
func (l *looking) edgeOf(w read.Window, last bool, keep func(*item) bool) (items []item, ok bool) {
	items = l.between(w.From.Unix(), w.To.Unix(), keep)
	if l.wanted.span.Named() {
		return items, true
	}
	t := l.now.Unix()
	if len(items) == 0 || !last && items[0].start <= t || last && lastEnd(items) <= t {
		next, ok := l.after(max(t, w.To.Unix()-1), keep)
		if !ok {
			return nil, false
		}
		from := read.Midnight(l.at(next.start), 0)
		return l.between(from.Unix(), read.Midnight(from, 1).Unix(), keep), true
	}
	if last {
		l.expire(lastEnd(items))
	} else {
		l.expire(items[0].start)
	}
	return items, true
}
