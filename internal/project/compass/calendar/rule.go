package calendar

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// ErrTooOften is a rule that makes more instances than a household can have.
var ErrTooOften = fmt.Errorf("%w: an entry repeats too often", ErrTooLarge)

const (
	// maxInstances is the most that one rule may make in the window asked for:
	// once an hour for two years.
	maxInstances = 20_000
	// maxSteps bounds the walk of a rule with COUNT, which must start at its first.
	maxSteps = 200_000
)

// rule is an RRULE. It is worked out in wall time, so that 9:00 stays 9:00 over a
// change of clock; UNTIL and COUNT are applied here and not by the library, which
// knows neither a UNTIL in UTC beside local times nor a start off the rule.
type rule struct {
	opt      rrule.ROption
	count    int
	until    *moment
	interval int
}

func parseRule(v string, start moment) (*rule, error) {
	r := &rule{interval: 1}
	var parts []string
	for part := range strings.SplitSeq(strings.ToUpper(strings.TrimSpace(v)), ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		value = strings.TrimSpace(value)
		switch {
		case part == "" || strings.HasPrefix(key, "X-"):
		case value == "":
			return nil, fmt.Errorf("the rule's %.20s has no value", key)
		case key == "COUNT":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("the rule's COUNT %.20q is no number above 0", value)
			}
			r.count = n
		case key == "UNTIL":
			m, err := momentOf(value, nil)
			if err != nil {
				return nil, fmt.Errorf("the rule's UNTIL: %w", err)
			}
			r.until = &m
		case key == "BYEASTER" || key == "DTSTART" || len(value) > 2000:
			return nil, fmt.Errorf("the rule's %s is not known", key)
		default:
			parts = append(parts, key+"="+value)
		}
	}
	opt, err := rrule.StrToROption(strings.Join(parts, ";"))
	if err != nil {
		return nil, fmt.Errorf("the rule cannot be read: %w", err)
	}
	if opt.Interval < 0 || opt.Interval > 10_000 {
		return nil, fmt.Errorf("the rule's INTERVAL %d is out of range", opt.Interval)
	}
	r.opt, r.interval = *opt, max(opt.Interval, 1)
	r.opt.Interval = r.interval
	if err := r.check(start.wall); err != nil {
		return nil, err
	}
	r.opt.Dtstart = start.wall
	if _, err := rrule.NewRRule(r.opt); err != nil {
		return nil, fmt.Errorf("the rule cannot be read: %w", err)
	}
	return r, nil
}

// check refuses what the library would run out of bounds on or never return from.
func (r *rule) check(start time.Time) error {
	for _, d := range r.opt.Byweekday {
		n := max(d.N(), -d.N())
		inMonth := r.opt.Freq == rrule.MONTHLY || (r.opt.Freq == rrule.YEARLY && len(r.opt.Bymonth) > 0)
		if (inMonth && n > 5) || n > 53 {
			return errors.New("the rule's BYDAY is out of range")
		}
	}
	if len(r.opt.Bymonth) > 0 && len(r.opt.Bymonthday) > 0 && !possibleDay(r.opt.Bymonth, r.opt.Bymonthday) {
		return errors.New("the rule names a day that its month never has")
	}
	if r.opt.Freq < rrule.HOURLY {
		return nil
	}
	// Step through one whole cycle of the clock: a rule that never meets its own
	// BYHOUR, BYMINUTE or BYSECOND has no instance.
	unit, cycle := stepOf(r.opt.Freq), 86400/stepOf(r.opt.Freq)
	pos := (start.Hour()*3600 + start.Minute()*60 + start.Second()) / unit
	for range cycle {
		pos = (pos + r.interval) % cycle
		s := pos * unit
		if in(r.opt.Byhour, s/3600) && (r.opt.Freq < rrule.MINUTELY || in(r.opt.Byminute, s/60%60)) &&
			(r.opt.Freq < rrule.SECONDLY || in(r.opt.Bysecond, s%60)) {
			return nil
		}
	}
	return errors.New("the rule never meets its own hours")
}

func in(list []int, n int) bool { return len(list) == 0 || slices.Contains(list, n) }

func possibleDay(months, days []int) bool {
	for _, m := range months {
		longest := time.Date(2024, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day()
		for _, d := range days {
			if max(d, -d) <= longest {
				return true
			}
		}
	}
	return false
}

// stepOf is the length of one step in seconds, for those that have a fixed one.
func stepOf(f rrule.Frequency) int {
	switch f {
	case rrule.WEEKLY:
		return 7 * 86400
	case rrule.DAILY:
		return 86400
	case rrule.HOURLY:
		return 3600
	case rrule.MINUTELY:
		return 60
	case rrule.SECONDLY:
		return 1
	}
	return 0
}

// walls are the rule's instances within [from, to) in wall time, in order. The
// start is the first instance even where the rule does not hit it, and counts.
func (r *rule) walls(start moment, home zone, from, to time.Time) (out []time.Time, err error) {
	defer func() {
		if p := recover(); p != nil { // the library indexes without a check here and there
			out, err = nil, errors.New("a rule of the calendar cannot be worked out")
		}
	}()
	z := start.in(home)
	opt := r.opt
	if step := stepOf(opt.Freq) * r.interval; step > 0 && r.count == 0 {
		// Skip the past in whole steps, two short so that the first sets are whole.
		if n := (from.Unix()-start.wall.Unix())/int64(step) - 2; n > 0 {
			opt.Dtstart = time.Unix(start.wall.Unix()+n*int64(step), 0).UTC()
		}
	}
	if first := start.wall; opt.Freq == rrule.YEARLY && r.count == 0 && first.Day() < 29 {
		if n := (from.Year() - first.Year()) / r.interval; n > 1 {
			opt.Dtstart = first.AddDate((n-1)*r.interval, 0, 0)
		}
	}
	opt.Until = to // without one the library stops 290 years after the start
	lib, err := rrule.NewRRule(opt)
	if err != nil {
		return nil, fmt.Errorf("the rule cannot be read: %w", err)
	}
	left := r.count
	next := lib.Iterator()
	for n := 0; ; n++ {
		if n > maxSteps {
			return nil, ErrTooOften
		}
		wall, ok := next()
		if !ok || !wall.Before(to) || r.over(wall, z) {
			return out, nil
		}
		if r.count > 0 {
			if n == 0 && !wall.Equal(start.wall) {
				left--
			}
			if left--; left < 0 {
				return out, nil
			}
		}
		if wall.Before(from) {
			continue
		}
		if len(out) == maxInstances {
			return nil, ErrTooOften
		}
		out = append(out, wall)
	}
}

// over says whether wall is past UNTIL. A UNTIL that is a date takes in that day.
func (r *rule) over(wall time.Time, z zone) bool {
	switch {
	case r.until == nil:
		return false
	case r.until.date:
		return !wall.Before(r.until.wall.AddDate(0, 0, 1))
	case r.until.zone != nil:
		return instant(z, wall) > r.until.wall.Unix()
	}
	return wall.After(r.until.wall)
}
