package calendar

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var dayNames = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// simple is a rule that a slow reference can follow day by day.
type simple struct {
	freq      string
	interval  int
	days      []int // weekdays, for WEEKLY and MONTHLY
	nth       int   // which of them in a month, -1 the last, for MONTHLY; 0 for none
	monthDays []int
	count     int
	until     int // days after the start, 0 for none
}

func (s simple) String() string {
	parts := []string{"FREQ=" + s.freq, fmt.Sprint("INTERVAL=", s.interval)}
	var days []string
	for _, d := range s.days {
		n := ""
		if s.nth != 0 {
			n = fmt.Sprint(s.nth)
		}
		days = append(days, n+dayNames[d])
	}
	if len(days) > 0 {
		parts = append(parts, "BYDAY="+strings.Join(days, ","))
	}
	var nums []string
	for _, d := range s.monthDays {
		nums = append(nums, fmt.Sprint(d))
	}
	if len(nums) > 0 {
		parts = append(parts, "BYMONTHDAY="+strings.Join(nums, ","))
	}
	return strings.Join(parts, ";")
}

// hits says whether the rule, without its end, holds on a day.
func (s simple) hits(start, day time.Time) bool {
	monday := func(t time.Time) time.Time { return t.AddDate(0, 0, -(int(t.Weekday())+6)%7) }
	n := int(day.Sub(start) / (24 * time.Hour))
	months := (day.Year()-start.Year())*12 + int(day.Month()) - int(start.Month())
	switch s.freq {
	case "DAILY":
		return n%s.interval == 0
	case "WEEKLY":
		weeks := int(monday(day).Sub(monday(start)) / (7 * 24 * time.Hour))
		return weeks%s.interval == 0 && slices.Contains(s.days, int(day.Weekday()))
	case "MONTHLY":
		if months%s.interval != 0 {
			return false
		}
		if s.nth == 0 {
			last := time.Date(day.Year(), day.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
			return slices.Contains(s.monthDays, day.Day()) || slices.Contains(s.monthDays, day.Day()-last-1)
		}
		if !slices.Contains(s.days, int(day.Weekday())) {
			return false
		}
		if s.nth < 0 {
			return day.AddDate(0, 0, 7).Month() != day.Month()
		}
		return (day.Day()-1)/7+1 == s.nth
	}
	return day.Month() == start.Month() && day.Day() == start.Day() && (day.Year()-start.Year())%s.interval == 0
}

func drawSimple(t *rapid.T) simple {
	s := simple{freq: rapid.SampledFrom([]string{"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}).Draw(t, "freq"), interval: rapid.IntRange(1, 4).Draw(t, "interval")}
	weekdays := rapid.SliceOfNDistinct(rapid.IntRange(0, 6), 1, 4, rapid.ID[int])
	switch s.freq {
	case "WEEKLY":
		s.days = weekdays.Draw(t, "days")
	case "MONTHLY":
		if rapid.Bool().Draw(t, "by day") {
			s.days = weekdays.Draw(t, "days")
			s.nth = rapid.SampledFrom([]int{1, 2, 3, 4, 5, -1}).Draw(t, "nth")
		} else {
			s.monthDays = rapid.SliceOfNDistinct(rapid.SampledFrom([]int{1, 5, 15, 28, 29, 30, 31, -1, -3}), 1, 3, rapid.ID[int]).Draw(t, "month days")
		}
	}
	switch rapid.IntRange(0, 2).Draw(t, "end") {
	case 1:
		s.count = rapid.IntRange(1, 30).Draw(t, "count")
	case 2:
		s.until = rapid.IntRange(1, 900).Draw(t, "until")
	}
	return s
}

// TestExpandAgreesWithASlowReference compares the instances of simple rules in
// London with a walk over all days.
func TestExpandAgreesWithASlowReference(t *testing.T) {
	loc := london(t)
	rapid.Check(t, func(t *rapid.T) {
		s := drawSimple(t)
		start := time.Date(2006, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 7300).Draw(t, "start"))
		hour := rapid.IntRange(3, 22).Draw(t, "hour") // at no hour that a change of clock touches
		except := rapid.SliceOfN(rapid.IntRange(0, 200), 0, 4).Draw(t, "except")
		from := start.AddDate(0, 0, rapid.SampledFrom([]int{-30, 0, 100, 900, 5000}).Draw(t, "far")+rapid.IntRange(0, 300).Draw(t, "from"))
		to := from.AddDate(0, 0, rapid.IntRange(1, 200).Draw(t, "length"))

		rule := s.String()
		if s.count > 0 {
			rule += fmt.Sprint(";COUNT=", s.count)
		}
		last := start.AddDate(0, 0, s.until)
		if s.until > 0 {
			end := time.Date(last.Year(), last.Month(), last.Day(), hour, 0, 0, 0, loc)
			rule += ";UNTIL=" + end.UTC().Format("20060102T150405Z")
		}
		text := "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;TZID=Europe/London:" + start.Format("20060102") + fmt.Sprintf("T%02d0000\nRRULE:%s\n", hour, rule)
		for _, n := range except {
			text += "EXDATE;TZID=Europe/London:" + start.AddDate(0, 0, n).Format("20060102") + fmt.Sprintf("T%02d0000\n", hour)
		}
		cal, err := Parse([]byte(text + "END:VEVENT\nEND:VCALENDAR\n"))
		if err != nil || cal.Unread > 0 {
			t.Fatalf("%v %v\n%s", err, cal, text)
		}

		var want []int64
		n := 0
		for day := start; day.Before(to) && (s.until == 0 || !day.After(last)); day = day.AddDate(0, 0, 1) {
			if !day.Equal(start) && !s.hits(start, day) {
				continue
			}
			if n++; s.count > 0 && n > s.count {
				break
			}
			if !day.Before(from) && !slices.Contains(except, int(day.Sub(start)/(24*time.Hour))) {
				want = append(want, time.Date(day.Year(), day.Month(), day.Day(), hour, 0, 0, 0, loc).Unix())
			}
		}
		midnight := func(d time.Time) time.Time { return time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, loc) }
		got, err := Expand([]*Calendar{cal}, loc, midnight(from), midnight(to))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var starts []int64
		for _, o := range got {
			starts = append(starts, o.Start)
		}
		if !slices.Equal(starts, want) {
			t.Fatalf("%s from %s to %s:\n got %v\nwant %v", text, from, to, starts, want)
		}
	})
}

// FuzzParse holds that no text panics or comes to something out of bounds.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"exceptions", "zones", "faults", "this-and-future", "tasks", "days"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".ics"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;TZID=x:20261104T130000\nRRULE:FREQ=MONTHLY;BYDAY=-1FR;BYSETPOS=1\nEND:VEVENT\nEND:VCALENDAR")
	f.Add("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261104\nRRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU\nRDATE;VALUE=PERIOD:20261104T130000Z/PT1H\nEND:VEVENT\nEND:VCALENDAR")
	f.Add("BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:x\nBEGIN:STANDARD\nDTSTART:16010101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0000\nEND:STANDARD\nEND:VTIMEZONE\nEND:VCALENDAR")
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		cal, err := Parse([]byte(text))
		if err != nil {
			return
		}
		got, err := Expand([]*Calendar{cal}, time.UTC, from, from.AddDate(1, 0, 0))
		if err != nil {
			return
		}
		for i, o := range got {
			if o.End < o.Start || o.Start >= from.AddDate(1, 0, 0).Unix() || i > 0 && got[i-1].Start > o.Start {
				t.Errorf("out of bounds: %+v", o)
			}
		}
	})
}
