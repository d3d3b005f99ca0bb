package calendar

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-ical"
)

// moment is a date or a time as a calendar writes it.
type moment struct {
	wall time.Time
	// zone is nil for a floating time, which means the household's own clock,
	// and for a date.
	zone zone
	date bool
}

func (m moment) in(home zone) zone {
	if m.zone == nil {
		return home
	}
	return m.zone
}

// at is the instant; a date is its first moment at home.
func (m moment) at(home zone) int64 { return instant(m.in(home), m.wall) }

// parseMoment reads a DATE or DATE-TIME property with its TZID.
func parseMoment(p *ical.Prop, zs *zones) (moment, error) {
	if p == nil {
		return moment{}, errors.New("there is no date")
	}
	z, err := zoneOf(p, zs)
	if err != nil {
		return moment{}, err
	}
	return momentOf(p.Value, z)
}

func zoneOf(p *ical.Prop, zs *zones) (zone, error) {
	tzid := p.Params.Get(ical.PropTimezoneID)
	if tzid == "" || zs == nil || strings.HasSuffix(p.Value, "Z") || strings.EqualFold(p.Params.Get(ical.ParamValue), "DATE") {
		return nil, nil
	}
	return zs.find(tzid)
}

var utc zone = located{time.UTC}

// momentOf reads 20261204, 20261204T090000 or 20261204T090000Z.
func momentOf(v string, z zone) (moment, error) {
	v = strings.TrimSpace(v)
	switch len(v) {
	case len("20261204"):
		t, err := time.Parse("20060102", v)
		if err != nil {
			return moment{}, fmt.Errorf("%.20q is no date", v)
		}
		return moment{wall: t, date: true}, nil
	case len("20261204T090000Z"):
		t, err := time.Parse("20060102T150405Z", v)
		if err != nil {
			return moment{}, fmt.Errorf("%.20q is no time", v)
		}
		return moment{wall: t, zone: utc}, nil
	case len("20261204T090000"):
		t, err := time.Parse("20060102T150405", v)
		if err != nil {
			return moment{}, fmt.Errorf("%.20q is no time", v)
		}
		return moment{wall: t, zone: z}, nil
	}
	return moment{}, fmt.Errorf("%.20q is no date and no time", v)
}

// span is a DURATION: whole days follow the clock on the wall, the rest is exact.
type span struct {
	days int
	secs int64
}

// after is the instant at which something that starts at m ends.
func (s span) after(m moment, home zone) int64 {
	m.wall = m.wall.AddDate(0, 0, s.days)
	return m.at(home) + s.secs
}

const maxSpanDays = 3660

func parseSpan(v string) (span, error) {
	bad := fmt.Errorf("%.20q is no duration", v)
	s := strings.ToUpper(strings.TrimSpace(v))
	s = strings.TrimPrefix(s, "+")
	if !strings.HasPrefix(s, "P") || len(s) < 3 {
		return span{}, bad // a negative duration makes no sense here either
	}
	var out span
	inTime := false
	for s = s[1:]; s != ""; {
		if s[0] == 'T' && !inTime {
			inTime, s = true, s[1:]
			continue
		}
		i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
		if i <= 0 || i > 8 {
			return span{}, bad
		}
		n, err := strconv.Atoi(s[:i])
		if err != nil {
			return span{}, bad
		}
		switch unit := s[i]; {
		case unit == 'W' && !inTime:
			out.days += 7 * n
		case unit == 'D' && !inTime:
			out.days += n
		case unit == 'H' && inTime:
			out.secs += int64(n) * 3600
		case unit == 'M' && inTime:
			out.secs += int64(n) * 60
		case unit == 'S' && inTime:
			out.secs += int64(n)
		default:
			return span{}, bad
		}
		s = s[i+1:]
	}
	if out.days > maxSpanDays || out.secs > maxSpanDays*86400 {
		return span{}, bad
	}
	return out, nil
}
