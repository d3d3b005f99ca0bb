package calendar

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/emersion/go-ical"
)

// Entry is one event or task as the calendar has it: a single one, a series, or
// one changed instance of a series.
type Entry struct {
	// Task is whether this is a task (VTODO): its End is when it is due.
	Task bool
	// Title, Place and Categories are other people's text, cut to a sane length
	// and not cleaned.
	Title, Place, Categories string
	// Done is whether a task is completed.
	Done bool
	// Repeats is whether it is (part of) a series.
	Repeats bool

	uid       string
	sequence  int
	stamp     string // LAST-MODIFIED or DTSTAMP; UTC, so it sorts as text
	cancelled bool
	start     moment
	dated     bool // a task may have no date at all
	length    length
	rules     []*rule
	extra     []extra
	except    []moment
	instance  *moment // RECURRENCE-ID
	following bool    // RANGE=THISANDFUTURE
}

// length is how long an entry lasts: by an end on the clock, or by a span.
type length struct {
	end  *moment
	span span
}

// extra is an RDATE, with its own length where it is a PERIOD.
type extra struct {
	start  moment
	length *length
}

// Calendar is what one feed says.
type Calendar struct {
	Entries []*Entry
	// Faults says what could not be read, each with the number of its entry; at
	// most 20 are kept in words.
	Faults []string
	// Unread is how many entries could not be read.
	Unread int
}

const maxFaults = 20

func (c *Calendar) fault(n int, err error) {
	c.Unread++
	if len(c.Faults) < maxFaults {
		c.Faults = append(c.Faults, fmt.Sprintf("entry %d: %v", n, err))
	}
}

// Add puts the entries of another text to c, as CalDAV keeps one file for each.
func (c *Calendar) Add(other *Calendar) {
	c.Entries = append(c.Entries, other.Entries...)
	c.Unread += other.Unread
	c.Faults = append(c.Faults, other.Faults[:min(len(other.Faults), maxFaults-min(len(c.Faults), maxFaults))]...)
}

// Parse reads iCalendar text. An error means that nothing of it can be used; a
// single entry that cannot be read is a fault of the calendar instead.
func Parse(data []byte) (*Calendar, error) {
	roots, err := decode(data)
	if err != nil {
		return nil, err
	}
	cal := &Calendar{}
	n := 0
	for _, root := range roots {
		zs := newZones(root)
		for _, c := range root.Children {
			if c.Name != ical.CompEvent && c.Name != ical.CompToDo {
				continue
			}
			n++
			e, err := parseEntry(c, zs)
			if err != nil {
				cal.fault(n, err)
				continue
			}
			cal.Entries = append(cal.Entries, e)
		}
	}
	return cal, nil
}

func parseEntry(c *ical.Component, zs *zones) (*Entry, error) {
	if p := c.Props.Get(badLine); p != nil {
		return nil, fmt.Errorf("its %s line cannot be read", p.Value)
	}
	e := &Entry{
		Task:       c.Name == ical.CompToDo,
		Title:      text(c, ical.PropSummary, 400),
		Place:      text(c, ical.PropLocation, 200),
		Categories: text(c, ical.PropCategories, 200),
		uid:        text(c, ical.PropUID, 500),
	}
	e.sequence, _ = strconv.Atoi(strings.TrimSpace(text(c, ical.PropSequence, 20)))
	e.stamp = max(text(c, ical.PropLastModified, 20), text(c, ical.PropDateTimeStamp, 20))
	switch strings.ToUpper(text(c, ical.PropStatus, 20)) {
	case "CANCELLED", "CANCELED":
		e.cancelled = true
	case "COMPLETED":
		e.Done = true
	}
	if e.Task && (c.Props.Get(ical.PropCompleted) != nil || text(c, ical.PropPercentComplete, 5) == "100") {
		e.Done = true
	}
	if err := e.readInstance(c, zs); err != nil {
		return nil, err
	}
	if err := e.readTimes(c, zs); err != nil {
		// A cancelled instance may come without its times.
		if e.cancelled && e.instance != nil {
			e.start, e.dated = *e.instance, true
			return e, nil
		}
		return nil, err
	}
	if err := e.readRecurrence(c, zs); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *Entry) readInstance(c *ical.Component, zs *zones) error {
	p := c.Props.Get(ical.PropRecurrenceID)
	if p == nil {
		return nil
	}
	m, err := parseMoment(p, zs)
	if err != nil {
		return fmt.Errorf("RECURRENCE-ID: %w", err)
	}
	e.instance, e.Repeats = &m, true
	e.following = strings.EqualFold(p.Params.Get(ical.ParamRange), "THISANDFUTURE")
	return nil
}

func (e *Entry) readTimes(c *ical.Component, zs *zones) error {
	start := c.Props.Get(ical.PropDateTimeStart)
	end := c.Props.Get(ical.PropDateTimeEnd)
	if e.Task {
		end = c.Props.Get(ical.PropDue)
		if start == nil {
			if end == nil {
				return nil // a task that is due some day
			}
			start = end
		}
	}
	var err error
	if e.start, err = parseMoment(start, zs); err != nil {
		return fmt.Errorf("DTSTART: %w", err)
	}
	e.dated = true
	if end != nil {
		m, err := parseMoment(end, zs)
		if err != nil {
			return fmt.Errorf("DTEND or DUE: %w", err)
		}
		if m.date != e.start.date && !m.date {
			m.wall = m.wall.Truncate(24 * 3600e9)
		}
		e.length.end = &m
		if m.wall.Sub(e.start.wall) > maxSpanDays*24*3600e9 {
			return errors.New("it lasts more than ten years")
		}
		return nil
	}
	if p := c.Props.Get(ical.PropDuration); p != nil {
		if e.length.span, err = parseSpan(p.Value); err != nil {
			return fmt.Errorf("DURATION: %w", err)
		}
		return nil
	}
	if e.start.date && !e.Task {
		e.length.span = span{days: 1}
	}
	return nil
}

func (e *Entry) readRecurrence(c *ical.Component, zs *zones) error {
	if e.instance != nil || !e.dated {
		return nil
	}
	for _, p := range c.Props.Values(ical.PropRecurrenceRule) {
		r, err := parseRule(p.Value, e.start)
		if err != nil {
			return err
		}
		e.rules = append(e.rules, r)
	}
	for _, p := range c.Props.Values(ical.PropRecurrenceDates) {
		z, err := zoneOf(&p, zs)
		if err != nil {
			return err
		}
		for v := range strings.SplitSeq(p.Value, ",") {
			x, err := parseExtra(v, z)
			if err != nil {
				return fmt.Errorf("RDATE: %w", err)
			}
			e.extra = append(e.extra, x)
		}
	}
	for _, p := range c.Props.Values(ical.PropExceptionDates) {
		z, err := zoneOf(&p, zs)
		if err != nil {
			return err
		}
		for v := range strings.SplitSeq(p.Value, ",") {
			m, err := momentOf(v, z)
			if err != nil {
				return fmt.Errorf("EXDATE: %w", err)
			}
			e.except = append(e.except, m)
		}
	}
	e.Repeats = len(e.rules) > 0 || len(e.extra) > 0
	return nil
}

func parseExtra(v string, z zone) (extra, error) {
	first, last, period := strings.Cut(v, "/")
	m, err := momentOf(first, z)
	if err != nil || !period {
		return extra{start: m}, err
	}
	if s, err := parseSpan(last); err == nil {
		return extra{start: m, length: &length{span: s}}, nil
	}
	end, err := momentOf(last, z)
	return extra{start: m, length: &length{end: &end}}, err
}
