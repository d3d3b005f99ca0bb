package internet

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askhub/askhub/internal/daystart"
)

// slotLength is the unit in which use is counted. Who looks names up does so in bursts, and
// a device that is awake does so by itself: minutes would claim more than is known.
const slotLength = 10 * time.Minute

const (
	slotsOfDay = int(24 * time.Hour / slotLength)
	// keptDays are how many days are kept, today included.
	keptDays = 8
	// maxNames bounds the names kept of one device and day; the rest counts only as use.
	maxNames = 2000
)

// ledger is what is known of the devices' use, in memory: the backend's log is what lasts.
type ledger struct {
	zone *time.Location

	mu   sync.Mutex
	days map[string]map[string]*dayUse // by device, and by date
	// seen are the look-ups of the last instant that was read, which may come again.
	seen map[Lookup]bool
	// from is since when all is known, to until when; zero is nothing yet.
	from, to time.Time
	why      error
	lost     map[string]error
}

// dayUse is one device's day.
type dayUse struct {
	slots [slotsOfDay]bool
	names map[string]nameUse
	// first and last are the first and the last look-up.
	first, last time.Time
}

type nameUse struct {
	count, blocked int
	last           time.Time
}

func newLedger(zone *time.Location) *ledger {
	return &ledger{zone: zone, days: map[string]map[string]*dayUse{}, seen: map[Lookup]bool{}}
}

// overlap is read again each time: a log is not written in the order of its instants.
const overlap = 30 * time.Second

// next is from when on to read.
func (l *ledger) next(now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to.IsZero() {
		return daystart.Of(now.In(l.zone), -keptDays+1)
	}
	return l.to.Add(-overlap)
}

// missed notes that the backend could not be read.
func (l *ledger) missed(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.why = why
}

// add takes in what was read at now.
func (l *ledger) add(fresh []Lookup, since time.Time, read Reading, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := map[string]error{}
	for _, d := range read.Lost {
		lost[d.Device] = d.Why
	}
	for device := range l.lost {
		if lost[device] == nil { // it is back: what it missed is read next time, with all the rest
			l.days, l.seen, l.lost = map[string]map[string]*dayUse{}, map[Lookup]bool{}, nil
			l.from, l.to = time.Time{}, time.Time{}
			return
		}
	}
	l.lost = lost
	again := map[Lookup]bool{}
	for _, f := range fresh {
		f.Name = strings.ToLower(strings.TrimSuffix(f.Name, "."))
		if f.At.After(now.Add(-overlap * 2)) {
			again[f] = true
		}
		if !l.seen[f] {
			l.count(f)
		}
	}
	l.seen = again
	if l.to.IsZero() || read.From.After(l.to) { // a hole in between: only what is whole counts
		l.from = later(since, read.From)
	}
	l.to, l.why = now, nil
	l.forget(now)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (l *ledger) count(f Lookup) {
	at := f.At.In(l.zone)
	days := l.days[f.Device]
	if days == nil {
		days = map[string]*dayUse{}
		l.days[f.Device] = days
	}
	date := at.Format(time.DateOnly)
	u := days[date]
	if u == nil {
		u = &dayUse{names: map[string]nameUse{}, first: at}
		days[date] = u
	}
	// A refused look-up is no use: a device that is cut off keeps on asking.
	if !f.Blocked {
		u.slots[(at.Hour()*60+at.Minute())/int(slotLength/time.Minute)] = true
		u.last = later(u.last, at)
		if at.Before(u.first) {
			u.first = at
		}
	}
	n, known := u.names[f.Name]
	if !known && len(u.names) >= maxNames {
		return
	}
	n.count++
	if f.Blocked {
		n.blocked++
	}
	n.last = later(n.last, at)
	u.names[f.Name] = n
}

// forget drops the days that are too old.
func (l *ledger) forget(now time.Time) {
	oldest := now.In(l.zone).AddDate(0, 0, -keptDays+1).Format(time.DateOnly)
	for _, days := range l.days {
		for date := range days {
			if date < oldest {
				delete(days, date)
			}
		}
	}
}

// use is one day of some devices together.
type use struct {
	slots int
	// last is the last look-up; zero for none.
	last  time.Time
	names []named
	// from is since when the day is known, where that is not from its start; to is until
	// when all of it is.
	from, to time.Time
	why      error
	// lost counts devices of which nothing is known, for the reason lostWhy.
	lost    int
	lostWhy error
}

type named struct {
	name string
	nameUse
}

// day is what is known of the devices on the day that starts at start.
func (l *ledger) day(devices []Device, start time.Time) use {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := use{to: l.to, why: l.why}
	if l.from.After(start) {
		out.from = l.from
	}
	var slots [slotsOfDay]bool
	names := map[string]nameUse{}
	for _, d := range devices {
		u := l.days[d.Name][start.In(l.zone).Format(time.DateOnly)]
		if err := l.lost[d.Name]; err != nil {
			out.lost++
			out.lostWhy = err
		}
		if u == nil {
			continue
		}
		for i, active := range u.slots {
			slots[i] = slots[i] || active
		}
		out.last = later(out.last, u.last)
		for name, n := range u.names {
			sum := names[name]
			names[name] = nameUse{sum.count + n.count, sum.blocked + n.blocked, later(sum.last, n.last)}
		}
	}
	for _, active := range slots {
		if active {
			out.slots++
		}
	}
	for name, n := range names {
		out.names = append(out.names, named{name, n})
	}
	slices.SortFunc(out.names, func(a, b named) int {
		if a.count != b.count {
			return b.count - a.count
		}
		return strings.Compare(a.name, b.name)
	})
	return out
}
