package compass

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/project/compass/calendar"
	"github.com/askhub/askhub/internal/project/compass/read"
)

// entry is what is said about one calendar entry, worked out once.
type entry struct {
	title string // clean and as it stands in a sentence
	place string
	stems []string
	tag   string
	// lesson is an entry of the timetable, off a day without school.
	lesson, off bool
}

// item is one time at which an entry is on, or one task. Times are Unix seconds.
type item struct {
	start, end int64
	*entry
	allDay, done, undated bool
}

// index is all that one person's calendars come to within the window, ready to be
// asked. It never changes once it is made.
type index struct {
	day      time.Time // the day it was made on
	from, to int64
	events   []item // in order of start
	longest  int64  // the longest of events
	tasks    []item // homework, in order of when it is due
	vocab    map[string]bool
	words    []string // vocab, sorted
	entries  []*entry
	// schoolBegins and schoolEnds are when the first of the school calendars' events
	// begins and the last one ends, 0 for none.
	schoolBegins, schoolEnds int64
	unread                   map[string]int // by tag
}

func (ix *index) madeOn(now time.Time) bool {
	y, m, d := now.Date()
	iy, im, id := ix.day.Date()
	return y == iy && m == im && d == id
}

func newIndex(person string, cals []*calendar.Calendar, tags []string, zone *time.Location, now, from, to time.Time) (*index, error) {
	occurrences, err := calendar.Expand(cals, zone, from, to)
	if err != nil {
		return nil, err
	}
	ix := &index{day: now, from: from.Unix(), to: to.Unix(), vocab: map[string]bool{}, unread: map[string]int{}}
	for i, c := range cals {
		ix.unread[tags[i]] += c.Unread
	}
	made := map[*calendar.Entry]*entry{}
	of := func(o calendar.Occurrence) *entry {
		e := made[o.Entry]
		if e == nil {
			e = newEntry(o, tags[o.Source], person)
			made[o.Entry] = e
			ix.entries = append(ix.entries, e)
			for _, s := range e.stems {
				ix.vocab[s] = true
			}
		}
		return e
	}
	for _, o := range occurrences {
		if calledOff(o.Entry.Title) {
			continue
		}
		e := of(o)
		it := item{start: o.Start, end: o.End, entry: e, allDay: o.AllDay, done: o.Entry.Done}
		if o.Entry.Task || e.tag == School && slices.Contains(e.stems, homeworkStem) {
			if !o.Entry.Task {
				it.end = it.start
			}
			ix.tasks = append(ix.tasks, it)
			continue
		}
		if ix.doubled(it) {
			continue
		}
		ix.events = append(ix.events, it)
		ix.longest = max(ix.longest, it.end-it.start)
		if e.tag == School {
			if ix.schoolBegins == 0 {
				ix.schoolBegins = it.start
			}
			ix.schoolEnds = max(ix.schoolEnds, it.end)
		}
	}
	for _, o := range calendar.Undated(cals) {
		ix.tasks = append(ix.tasks, item{entry: of(o), undated: true, done: o.Entry.Done})
	}
	ix.words = slices.Sorted(maps.Keys(ix.vocab))
	return ix, nil
}

// calledOff is an entry that is cancelled by its title, as many schools do it.
func calledOff(title string) bool {
	word, rest, found := strings.Cut(strings.ToLower(strings.TrimSpace(title)), " ")
	return word == "cancelled:" || word == "canceled:" || (word == "cancelled" || word == "canceled") && found && strings.ContainsAny(rest[:1], "-–—:")
}

var homeworkStem = read.Stem("homework")

// doubled says whether it is there already under another UID, as when a school and a
// family calendar hold the same lesson.
func (ix *index) doubled(it item) bool {
	for i := len(ix.events) - 1; i >= 0 && ix.events[i].start == it.start; i-- {
		if ix.events[i].end == it.end && ix.events[i].title == it.title {
			return true
		}
	}
	return false
}

// afterHours are words of entries in a school calendar that are no lessons.
var (
	afterHours = stemSet(`club clubs trip visit evening concert match fixture rehearsal detention disco fair fete parents meeting photo party practice
 performance play show tournament festival open residential breakfast after-school wraparound training team closed deadline bus exam exams mock test appointment interview assessment`)
	offWords   = stemSet(`holiday holidays inset closed closure strike vacation`)
	offPhrases = []string{"half term", "no school", "bank holiday", "school closed", "staff training", "training day", "teacher training", "inset", "christmas break", "easter break", "summer break", "winter break", "spring break", "mid-term break", "reading week"}
)

func stemSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[read.Stem(w)] = true
	}
	return m
}

// longestLesson is in seconds; what lasts longer is no lesson.
const longestLesson = 4 * 3600

func newEntry(o calendar.Occurrence, tag, person string) *entry {
	title := withoutName(cleanText(o.Entry.Title, maxTitle), person)
	e := &entry{title: spoken(title), place: cleanText(o.Entry.Place, maxPlace), tag: tag}
	e.stems = read.Stems(title)
	if title == "" {
		e.stems = nil
	}
	for _, s := range read.Stems(cleanText(o.Entry.Categories, maxPlace)) {
		if !slices.Contains(e.stems, s) {
			e.stems = append(e.stems, s)
		}
	}
	if tag == School && !o.Entry.Task {
		low := strings.ToLower(title)
		e.off = o.AllDay && (slices.ContainsFunc(e.stems, func(s string) bool { return offWords[s] }) ||
			slices.ContainsFunc(offPhrases, func(p string) bool { return strings.Contains(low, p) }))
		e.lesson = !o.AllDay && o.End > o.Start && o.End-o.Start <= longestLesson && !e.off &&
			!slices.ContainsFunc(e.stems, func(s string) bool { return afterHours[s] || s == homeworkStem })
	}
	return e
}

// between are the events that overlap [from, to) and that keep takes.
func (ix *index) between(from, to int64, keep func(*item) bool) []item {
	var out []item
	i := sort.Search(len(ix.events), func(i int) bool { return ix.events[i].start >= from-ix.longest })
	for ; i < len(ix.events) && ix.events[i].start < to; i++ {
		it := &ix.events[i]
		if (it.end > from || it.start >= from) && keep(it) {
			out = append(out, *it)
		}
	}
	return out
}

// after is the first event that starts after t.
func (ix *index) after(t int64, keep func(*item) bool) (item, bool) {
	i := sort.Search(len(ix.events), func(i int) bool { return ix.events[i].start > t })
	for ; i < len(ix.events); i++ {
		if keep(&ix.events[i]) {
			return ix.events[i], true
		}
	}
	return item{}, false
}

// before is the last event that ended by t.
func (ix *index) before(t int64, keep func(*item) bool) (item, bool) {
	i := sort.Search(len(ix.events), func(i int) bool { return ix.events[i].start > t })
	for i--; i >= 0; i-- {
		if it := &ix.events[i]; it.end <= t && keep(it) {
			return *it, true
		}
	}
	return item{}, false
}

// together says whether one entry is called by all of these stems.
func (ix *index) together(stems []string) bool {
	return slices.ContainsFunc(ix.entries, func(e *entry) bool { return e.named(stems) })
}

// named says whether e is called by all of these stems.
func (e *entry) named(stems []string) bool {
	for _, s := range stems {
		if !slices.Contains(e.stems, s) {
			return false
		}
	}
	return true
}

// withoutName is "Dentist" for Harry's "Harry: Dentist", "Harry's dentist" and
// "Dentist (Harry)".
func withoutName(title, person string) string {
	if n := len(person); len(title) > n && strings.EqualFold(title[:n], person) {
		rest := strings.TrimPrefix(strings.TrimPrefix(title[n:], "'s"), "’s")
		if cut := strings.TrimLeft(rest, " :-–—"); cut != rest && cut != "" {
			return cut
		}
	}
	if cut, ok := strings.CutSuffix(title, " ("+person+")"); ok {
		return cut
	}
	return title
}
