package words

import (
	"slices"
	"time"
	"unicode"

	"github.com/askhub/askhub/internal/daystart"
)

// Span is when an event is.
type Span struct {
	Start, End time.Time
	// AllDay is an event without times; its End is the midnight after its last day.
	AllDay bool
	// Assumed is whether no end was said, and an hour was taken.
	Assumed bool
}

// Unfit is why words name no time at which an event can be.
type Unfit string

// What may be wrong with a day and a time.
const (
	NoDay     Unfit = "Please say on which day"
	NoTime    Unfit = "Please say at what time"
	NotClear  Unfit = `Please say the day and the time one after the other, like "on Friday from 5 to 6"`
	NoSuchDay Unfit = "There is no such day"
	NoClock   Unfit = "The clocks change at that hour; please say another time"
	Backwards Unfit = "The end lies before the start; please say it again"
	Repeats   Unfit = "I add single events only; please make one that repeats in Home Assistant"
)

// usual is how long an event is where no end was said.
const usual = time.Hour

// Words are s as it can be read again, whenever that is.
func (s Span) Words() string {
	const day, time = "2 January 2006", "15:04"
	last := s.End
	if s.AllDay {
		last = last.AddDate(0, 0, -1)
	}
	oneDay := s.Start.Format(day) == last.Format(day)
	switch {
	case s.AllDay && oneDay:
		return "on " + s.Start.Format(day)
	case s.AllDay:
		return "from " + s.Start.Format(day) + " to " + last.Format(day)
	case s.Assumed:
		return "on " + s.Start.Format(day) + " at " + s.Start.Format(time)
	case oneDay:
		return "on " + s.Start.Format(day) + " from " + s.Start.Format(time) + " to " + last.Format(time)
	}
	return "from " + s.Start.Format(day) + " at " + s.Start.Format(time) + " to " + last.Format(day) + " at " + last.Format(time)
}

// span is a stretch of time as it was said.
type span struct {
	from, to moment
	hasTo    bool
	length   time.Duration
	allDay   bool
	// unclear is "five to six", which may be one time or two.
	unclear bool
}

// readSpan reads as much of a span as stands at the start of w, and says how many words
// it took.
func readSpan(w []string) (sp span, took int) {
	for {
		n := sp.one(w[took:])
		if n == 0 {
			return sp, took
		}
		took += n
	}
}

func (sp *span) one(w []string) int {
	switch {
	case len(w) == 0:
		return 0
	case w[0] == "all-day":
		sp.allDay = true
		return 1
	case hasWords(w, "all", "day"):
		sp.allDay = true
		return 2
	case w[0] == "from" || w[0] == "between":
		return sp.fromTo(w)
	case w[0] == "for" && sp.length == 0 && !sp.hasTo:
		if d, n := duration(w[1:]); n > 0 {
			sp.length = d
			return n + 1
		}
	case (w[0] == "until" || w[0] == "till") && sp.from.isTime && !sp.hasTo && sp.length == 0:
		if m, n := bareMoment(w[1:]); n > 0 && m.isTime {
			sp.to, sp.hasTo = m, true
			return n + 1
		}
	}
	if n := sp.dashed(w); n > 0 {
		return n
	}
	if n := sp.twoTimes(w); n > 0 {
		return n
	}
	return sp.from.one(w)
}

// twoTimes reads "6 pm to 10 pm". "5 to 6" may be five minutes to six as well, and is
// unclear, where "at ten to six" is not.
func (sp *span) twoTimes(w []string) int {
	i := 0
	if w[0] == "at" {
		i = 1
	}
	if sp.from.isTime || len(w) < i+3 || w[i] == "a" || w[i] == "an" {
		return 0
	}
	var first moment
	n, took := number(w[i:])
	plain := took > 0
	if !plain {
		took = first.digits(w[i])
	}
	if k := first.half(w[min(i+took, len(w)):]); k > 0 {
		plain, took = false, took+k
	}
	if took == 0 || len(w) < i+took+2 || w[i+took] != "to" {
		return 0
	}
	if !plain || n%5 != 0 {
		return max(0, sp.fromTo(append([]string{"from"}, w[i:]...))+i-1)
	}
	m, k := bareMoment(w[i+took+1:])
	if !m.isTime || i > 0 && !unicode.IsDigit(rune(w[i][0])) {
		return 0
	}
	sp.unclear = true
	return i + took + 1 + k
}

// fromTo reads "from 5 to 6", "from Friday to Sunday", "between 5 and 6".
func (sp *span) fromTo(w []string) int {
	if sp.hasTo || sp.length > 0 {
		return 0
	}
	ends := []string{"to", "until", "till"}
	if w[0] == "between" {
		ends = []string{"and"}
	}
	for i := 2; i < len(w); i++ {
		if !slices.Contains(ends, w[i]) {
			continue
		}
		first, n := bareMoment(w[1:i])
		second, k := bareMoment(w[i+1:])
		if n != i-1 || k == 0 || slices.Contains(w[i+1:i+1+k], "to") {
			continue
		}
		if sp.put(first, second) {
			return i + 1 + k
		}
	}
	return 0
}

// dashed reads "5-6pm".
func (sp *span) dashed(w []string) int {
	i := slices.IndexFunc([]rune(w[0]), func(r rune) bool { return r == '-' || r == '–' })
	runes := []rune(w[0])
	if sp.hasTo || i < 1 || i == len(runes)-1 || !unicode.IsDigit(runes[0]) || !unicode.IsDigit(runes[i+1]) {
		return 0
	}
	first, n := bareMoment([]string{string(runes[:i])})
	second, k := bareMoment(append([]string{string(runes[i+1:])}, w[1:]...))
	if n == 0 || k == 0 || !first.isTime || !second.isTime || second.hasDay() || !sp.put(first, second) {
		return 0
	}
	return k
}

// put takes in a first and a last moment, beside the day that was said before; a day that
// was said once is both's.
func (sp *span) put(first, second moment) bool {
	if first.after > 0 || second.after > 0 || first.isTime != second.isTime || !first.isTime && !(first.hasDay() && second.hasDay()) {
		return false
	}
	if sp.from.any() {
		if sp.from.isTime || first.hasDay() || second.hasDay() {
			return false
		}
		first = first.on(sp.from)
	} else if second.hasDay() && !first.hasDay() {
		first, second = first.on(second), second.on(moment{})
	}
	if second.part > 0 && first.part == 0 {
		first.part, first.today = second.part, second.today
	}
	// Who says one of 24 hours does not mean the other to be one of twelve.
	first.twelve, second.twelve = first.twelve && !second.full, second.twelve && !first.full
	sp.from, sp.to, sp.hasTo = first, second, true
	return true
}

// on is m on the day of other.
func (m moment) on(other moment) moment {
	m.isDay, m.dayAfter, m.isWeek, m.weekday, m.next, m.isDate, m.date = other.isDay, other.dayAfter, other.isWeek, other.weekday, other.next, other.isDate, other.date
	m.today = m.today || other.today
	if m.part == 0 {
		m.part = other.part
	}
	return m
}

// bareMoment reads a moment whose time may be a number alone.
func bareMoment(w []string) (m moment, took int) {
	for took < len(w) {
		n := m.day(w[took:], false)
		if n == 0 {
			n = m.time(w[took:], true)
		}
		if n == 0 {
			n = m.one(w[took:])
		}
		if n == 0 {
			break
		}
		took += n
	}
	return m, took
}

// resolve are the stretches of time that sp may mean at that moment, the likeliest first,
// or why there is none.
func (sp span) resolve(now time.Time) ([]Span, Unfit) {
	if sp.unclear {
		return nil, NotClear
	}
	if d := sp.from.after; d > 0 {
		return sp.ahead(now, d), ""
	}
	days, ok := sp.from.days(now)
	switch {
	case !ok && sp.from.hasDay():
		return nil, NoSuchDay
	case !ok:
		return nil, NoDay
	case !sp.from.isTime && (sp.from.part > 0 || sp.length > 0 && sp.length%(24*time.Hour) != 0) && !sp.allDay:
		return nil, NoTime
	case sp.from.isTime && sp.allDay:
		return nil, NotClear
	}
	var spans []Span
	var why Unfit
	for _, day := range days {
		list, unfit := sp.onDay(day, now)
		if unfit != "" && why == "" {
			why = unfit
		}
		spans = append(spans, list...)
	}
	// What is over already is not meant where something else may be.
	if ahead := slices.DeleteFunc(slices.Clone(spans), func(s Span) bool { return s.Over(now) }); len(ahead) > 0 {
		return ahead, ""
	}
	if len(spans) > 0 {
		return spans[:1], ""
	}
	return nil, why
}

// Over is whether it has begun already; an event without times has not before its day is over.
func (s Span) Over(now time.Time) bool {
	if s.AllDay {
		return s.Start.Before(daystart.Of(now, 0))
	}
	return !s.Start.After(now)
}

// ahead is "in two hours", and the whole day in "in two days".
func (sp span) ahead(now time.Time, d time.Duration) []Span {
	if days := int(d / (24 * time.Hour)); d%(24*time.Hour) == 0 {
		start := daystart.Of(now, days)
		return []Span{{Start: start, End: daystart.Of(start, 1), AllDay: true}}
	}
	start := now.Add(d).Truncate(time.Minute)
	s := Span{Start: start, End: start.Add(usual), Assumed: true}
	if sp.length > 0 {
		s.End, s.Assumed = start.Add(sp.length), false
	}
	return []Span{s}
}

// onDay are the spans that begin on that day.
func (sp span) onDay(day, now time.Time) ([]Span, Unfit) {
	if !sp.from.isTime {
		s := Span{Start: day, End: daystart.Of(day, max(1, int(sp.length/(24*time.Hour)))), AllDay: true}
		if sp.hasTo {
			last, ok := sp.to.days(day)
			if !ok {
				return nil, NoSuchDay
			}
			s.End = daystart.Of(last[0], 1)
		}
		if !s.End.After(s.Start) {
			return nil, Backwards
		}
		return []Span{s}, ""
	}
	var spans []Span
	var why Unfit
	day = daystart.Of(day, sp.from.halved().nights(now))
	for _, hour := range sp.from.hours(day, now, sp.hasTo && !sp.to.halved().twelve) {
		start, ok := clock(day, hour, sp.from.minute)
		if !ok {
			why = NoClock
			continue
		}
		s := Span{Start: start, End: start.Add(usual), Assumed: true}
		switch {
		case sp.hasTo:
			end, unfit := sp.to.endAfter(start)
			if unfit != "" {
				why = unfit
				continue
			}
			s.End, s.Assumed = end, false
		case sp.length > 0:
			s.End, s.Assumed = start.Add(sp.length), false
		}
		spans = append(spans, s)
	}
	if len(spans) == 0 {
		return nil, why
	}
	return sp.likely(spans), ""
}

// likely leaves one of two halves of the day where the other would be odd: "from 8 to 4"
// lasts through no night, and an end of one half of the day is the nearer one's.
func (sp span) likely(spans []Span) []Span {
	if !sp.hasTo || len(spans) < 2 {
		return spans
	}
	sameDay := slices.DeleteFunc(slices.Clone(spans), func(s Span) bool { return s.End.After(daystart.Of(s.Start, 1)) })
	if len(sameDay) > 0 {
		spans = sameDay
	}
	if !sp.to.halved().twelve {
		spans = []Span{slices.MinFunc(spans, func(a, b Span) int { return int(a.End.Sub(a.Start) - b.End.Sub(b.Start)) })}
	}
	return spans
}

// hours are those of the day that a time may mean. Of a time without its half, 1 to 6 are
// after noon and 9 to 12 before; 7 and 8 are either, and so are all whose end tells.
func (m moment) hours(day, now time.Time, endTells bool) []int {
	m = m.halved()
	if !m.twelve {
		return []int{m.hour}
	}
	early, late := m.hour%12, m.hour%12+12
	over := func(hour int) bool {
		t := time.Date(day.Year(), day.Month(), day.Day(), hour, m.minute, 0, 0, day.Location())
		return !t.After(now)
	}
	switch {
	case endTells, m.hour == 7, m.hour == 8:
		return []int{early, late}
	case m.hour >= 9 && m.hour < 12 && over(early) && !over(late):
		return []int{late} // "today at nine", and it is noon
	case m.hour >= 9 && m.hour < 12:
		return []int{early}
	}
	return []int{late}
}

// endAfter is the end of what begins then: of either half of the day the next one, and
// after midnight where it is not a whole night away.
func (m moment) endAfter(start time.Time) (time.Time, Unfit) {
	m = m.halved()
	day, own := daystart.Of(start, 0), false
	if m.hasDay() {
		days, ok := m.days(day)
		if !ok {
			return time.Time{}, NoSuchDay
		}
		day, own = daystart.Of(days[0], m.nights(start)), true
	}
	hours := []int{m.hour}
	if m.twelve {
		hours = []int{m.hour % 12, m.hour%12 + 12}
	}
	for _, hour := range hours {
		end, ok := clock(day, hour, m.minute)
		if !ok {
			return time.Time{}, NoClock
		}
		if end.After(start) && (!own || !m.twelve || hour >= 6) {
			return end, ""
		}
	}
	if own {
		return time.Time{}, Backwards
	}
	end, ok := clock(daystart.Of(day, 1), hours[0], m.minute)
	switch {
	case !ok:
		return time.Time{}, NoClock
	case end.Sub(start) > 12*time.Hour:
		return time.Time{}, Backwards
	}
	return end, ""
}

// clock is that time of the day; false where clocks skip or repeat it.
func clock(day time.Time, hour, minute int) (time.Time, bool) {
	t := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, day.Location())
	same := func(o time.Time) bool { return o.Hour() == hour && o.Minute() == minute && o.Day() == day.Day() }
	for _, d := range []time.Duration{30 * time.Minute, time.Hour} {
		if same(t.Add(d)) || same(t.Add(-d)) {
			return t, false
		}
	}
	return t, same(t)
}
