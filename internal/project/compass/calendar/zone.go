package calendar

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // so that zones are right on a machine without a zone database

	"github.com/emersion/go-ical"
)

// Wall times are written as a time.Time in UTC that carries the numbers on the
// clock; only a zone makes an instant of them.

// zone says how far a clock is ahead of UTC, in seconds, at an instant.
type zone interface {
	offset(unix int64) int64
}

type located struct{ *time.Location }

func (l located) offset(unix int64) int64 {
	_, off := time.Unix(unix, 0).In(l.Location).Zone()
	return int64(off)
}

// instant is when the clocks of z show wall. A time that is skipped when the
// clocks go forward counts with the offset before the gap, and one that comes
// twice is the first of the two (RFC 5545, 3.3.5).
func instant(z zone, wall time.Time) int64 {
	w := wall.Unix()
	before, after := z.offset(w-86400), z.offset(w+86400)
	if before == after && z.offset(w-before) == before {
		return w - before
	}
	a, b := w-before, w-after
	okA, okB := z.offset(a) == before, z.offset(b) == after
	switch {
	case okA && okB:
		return min(a, b)
	case okB:
		return b
	}
	return a
}

// wallOf is what the clocks of z show at an instant.
func wallOf(z zone, unix int64) time.Time {
	return time.Unix(unix+z.offset(unix), 0).UTC()
}

// Instant is when the clocks of loc show these numbers, by the rule of RFC 5545
// for skipped and doubled times.
func Instant(loc *time.Location, year int, month time.Month, day, hour, minute int) time.Time {
	wall := time.Date(year, month, day, hour, minute, 0, 0, time.UTC)
	return time.Unix(instant(located{loc}, wall), 0).In(loc)
}

// defined is a zone by the VTIMEZONE that came with the calendar.
type defined struct {
	first   int64 // offset before the first change
	changes []change
}

type change struct{ at, from, offset int64 }

func (d *defined) offset(unix int64) int64 {
	i := sort.Search(len(d.changes), func(i int) bool { return d.changes[i].at > unix })
	if i == 0 {
		return d.first
	}
	return d.changes[i-1].offset
}

// zones finds zones by TZID within one calendar.
type zones struct {
	defs  map[string]*ical.Component
	known map[string]zone
}

func newZones(cal *ical.Component) *zones {
	z := &zones{defs: map[string]*ical.Component{}, known: map[string]zone{}}
	for _, c := range cal.Children {
		if c.Name == ical.CompTimezone {
			if p := c.Props.Get(ical.PropTimezoneID); p != nil {
				z.defs[p.Value] = c
			}
		}
	}
	return z
}

// find is the zone of that name: an IANA name first, then the calendar's own
// definition, then a Windows name, then an IANA name behind a vendor's prefix.
func (z *zones) find(tzid string) (zone, error) {
	if got, ok := z.known[tzid]; ok {
		if got == nil {
			return nil, unknownZone(tzid)
		}
		return got, nil
	}
	if len(z.known) == maxZones {
		return nil, fmt.Errorf("the calendar names more than %d time zones", maxZones)
	}
	got := z.lookUp(tzid)
	z.known[tzid] = got
	if got == nil {
		return nil, unknownZone(tzid)
	}
	return got, nil
}

func unknownZone(tzid string) error { return fmt.Errorf("unknown time zone %.60q", tzid) }

func (z *zones) lookUp(tzid string) zone {
	if got := iana(tzid); got != nil {
		return got
	}
	if def, ok := z.defs[tzid]; ok {
		if got, err := define(def); err == nil {
			return got
		}
	}
	if name, ok := windowsZones[strings.ToLower(strings.TrimSpace(tzid))]; ok {
		return iana(name)
	}
	// "/vendor.example/20210210_1/America/Argentina/Salta"
	parts := strings.Split(tzid, "/")
	for n := 3; n >= 1; n-- {
		if len(parts) > n {
			if got := iana(strings.Join(parts[len(parts)-n:], "/")); got != nil {
				return got
			}
		}
	}
	return nil
}

func iana(name string) zone {
	if name == "" || strings.EqualFold(name, "local") || len(name) > 64 {
		return nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return located{loc}
}

// A VTIMEZONE is worked out for these years; Outlook's begin in 1601.
var (
	definedFrom  = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	definedUntil = time.Date(2060, 1, 1, 0, 0, 0, 0, time.UTC)
)

// maxZones bounds the zones that one calendar names; a household's names a few.
const maxZones = 200

// define works a VTIMEZONE out into its changes of clock.
func define(def *ical.Component) (zone, error) {
	d := &defined{}
	for _, c := range def.Children {
		if c.Name != ical.CompTimezoneStandard && c.Name != ical.CompTimezoneDaylight {
			continue
		}
		from, err := utcOffset(c, ical.PropTimezoneOffsetFrom)
		if err != nil {
			return nil, err
		}
		to, err := utcOffset(c, ical.PropTimezoneOffsetTo)
		if err != nil {
			return nil, err
		}
		fixed := &defined{first: from}
		onsets, err := observances(c, fixed)
		if err != nil {
			return nil, err
		}
		for _, wall := range onsets {
			d.changes = append(d.changes, change{wall.Unix() - from, from, to})
		}
	}
	if len(d.changes) == 0 {
		return nil, fmt.Errorf("the time zone has no offset")
	}
	slices.SortStableFunc(d.changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	d.first = d.changes[0].from
	return d, nil
}

// observances are the wall times at which one half of a VTIMEZONE begins.
func observances(c *ical.Component, before zone) ([]time.Time, error) {
	start, err := parseMoment(c.Props.Get(ical.PropDateTimeStart), nil)
	if err != nil {
		return nil, err
	}
	onsets := []time.Time{start.wall}
	for _, p := range c.Props.Values(ical.PropRecurrenceRule) {
		r, err := parseRule(p.Value, start)
		if err != nil {
			return nil, err
		}
		walls, err := r.walls(start, before, definedFrom, definedUntil)
		if err != nil {
			return nil, err
		}
		onsets = append(onsets, walls...)
	}
	for _, p := range c.Props.Values(ical.PropRecurrenceDates) {
		for v := range strings.SplitSeq(p.Value, ",") {
			m, err := momentOf(v, nil)
			if err != nil {
				return nil, err
			}
			onsets = append(onsets, m.wall)
		}
	}
	return onsets, nil
}

// utcOffset reads +0100 or -043015 as seconds.
func utcOffset(c *ical.Component, name string) (int64, error) {
	p := c.Props.Get(name)
	if p == nil {
		return 0, fmt.Errorf("the time zone has no %s", name)
	}
	v := strings.TrimSpace(p.Value)
	if (len(v) != 5 && len(v) != 7) || (v[0] != '+' && v[0] != '-') {
		return 0, fmt.Errorf("%s must look like +0100", name)
	}
	n, err := strconv.ParseUint((v[1:] + "00")[:6], 10, 32)
	if err != nil || n > 235959 {
		return 0, fmt.Errorf("%s must look like +0100", name)
	}
	secs := int64(n/10000*3600 + n/100%100*60 + n%100)
	if v[0] == '-' {
		return -secs, nil
	}
	return secs, nil
}
