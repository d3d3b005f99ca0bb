package internet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Clock is a time of day in minutes from midnight, below 1,440.
type Clock int

// ParseClock reads "21:00".
func ParseClock(s string) (Clock, bool) {
	h, m, ok := strings.Cut(s, ":")
	hours, err := strconv.ParseUint(h, 10, 8)
	minutes, err2 := strconv.ParseUint(m, 10, 8)
	if !ok || err != nil || err2 != nil || len(m) != 2 || len(h) > 2 || hours > 23 || minutes > 59 {
		return 0, false
	}
	return Clock(hours*60 + minutes), true
}

// String is "21:00".
func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", int(c)/60, int(c)%60) }

// MarshalText is String.
func (c Clock) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what String writes.
func (c *Clock) UnmarshalText(text []byte) error {
	v, ok := ParseClock(string(text))
	if !ok {
		return fmt.Errorf("%q is no time of day like 21:00", text)
	}
	*c = v
	return nil
}

// spoken is "21:00", "7:00".
func (c Clock) spoken() string { return fmt.Sprintf("%d:%02d", int(c)/60, int(c)%60) }

// Days are the days of the week as the wire has them, in its order.
var Days = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// DayName is Days' word for the weekday.
func DayName(d time.Weekday) string { return Days[(int(d)+6)%7] }

// Bedtime is the hours without internet: From on each of the evenings in Days, until To,
// which is on the next day where it is not later than From.
type Bedtime struct {
	From Clock `json:"from"`
	To   Clock `json:"to"`
	// Days are of Days, in its order, and never empty.
	Days []string `json:"days"`
}

// Equal compares all of it.
func (b Bedtime) Equal(o Bedtime) bool {
	return b.From == o.From && b.To == o.To && slices.Equal(b.Days, o.Days)
}

// Overnight says whether it ends on the day after.
func (b Bedtime) Overnight() bool { return b.To <= b.From }

// Holds is when the bedtime that holds at t ends; ok is false where none does.
func (b Bedtime) Holds(t time.Time) (end time.Time, ok bool) {
	for _, back := range []int{0, 1} {
		day := t.AddDate(0, 0, -back)
		if back == 1 && !b.Overnight() || !slices.Contains(b.Days, DayName(day.Weekday())) {
			continue
		}
		at := func(plus int, c Clock) time.Time {
			return time.Date(day.Year(), day.Month(), day.Day()+plus, int(c)/60, int(c)%60, 0, 0, t.Location())
		}
		start, stop := at(0, b.From), at(0, b.To)
		if b.Overnight() {
			stop = at(1, b.To)
		}
		if !t.Before(start) && t.Before(stop) {
			return stop, true
		}
	}
	return time.Time{}, false
}

// words say it: "from 21:00 to 7:00 every night".
func (b Bedtime) words() string {
	return "from " + b.From.spoken() + " to " + b.To.spoken() + " " + daysWords(b.Days, b.Overnight())
}

var longDays = map[string]string{
	"mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday", "sat": "Saturday", "sun": "Sunday",
}

func daysWords(days []string, night bool) string {
	unit := "day"
	if night {
		unit = "night"
	}
	switch {
	case len(days) == 7:
		return "every " + unit
	case slices.Equal(days, []string{"sun", "mon", "tue", "wed", "thu"}), slices.Equal(days, []string{"mon", "tue", "wed", "thu", "sun"}):
		return "on school nights"
	}
	long := make([]string, len(days))
	for i, d := range days {
		long[i] = longDays[d] + "s"
	}
	return "on " + joinAnd(long)
}

// sortDays puts days into the order of Days, each once; ok is false for what is no day.
func sortDays(days []string) (out []string, ok bool) {
	for _, d := range days {
		if !slices.Contains(Days, d) {
			return nil, false
		}
	}
	for _, d := range Days {
		if slices.Contains(days, d) {
			out = append(out, d)
		}
	}
	return out, true
}
