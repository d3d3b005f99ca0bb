package calendar

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// big is a calendar of n events, a fifth of them weekly.
func big(n int) []byte {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\n")
	start := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for i := range n {
		at := start.Add(time.Duration(i) * 4 * time.Hour)
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%d\r\nDTSTART;TZID=Europe/London:%s\r\nDURATION:PT1H\r\nSUMMARY:Lesson %d\r\nLOCATION:Room %d\r\n", i, at.Format("20060102T150405"), i, i%30)
		if i%5 == 0 {
			b.WriteString("RRULE:FREQ=WEEKLY;COUNT=40\r\n")
		}
		b.WriteString("END:VEVENT\r\n")
	}
	b.WriteString("END:VCALENDAR\r\n")
	return []byte(b.String())
}

func BenchmarkParse2000(b *testing.B) {
	text := big(2000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExpand2000(b *testing.B) {
	cal, err := Parse(big(2000))
	if err != nil {
		b.Fatal(err)
	}
	loc := london(b)
	from := time.Date(2025, 11, 1, 0, 0, 0, 0, loc)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Expand([]*Calendar{cal}, loc, from, from.AddDate(0, 0, 800)); err != nil {
			b.Fatal(err)
		}
	}
}
