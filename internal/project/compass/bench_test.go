package compass

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
)

// crowded is one person with five calendars of 2,000 events each, a fifth of them
// weekly.
func crowded(tb testing.TB) *Compass {
	dir := tb.TempDir()
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, london(tb))
	titles := []string{"Maths", "English", "Science", "PE", "Music lesson", "History", "Dentist", "Chess club", "Art", "Drama rehearsal"}
	var calendars []Calendar
	for n := range 5 {
		var b strings.Builder
		b.WriteString("BEGIN:VCALENDAR\r\n")
		for i := range 2000 {
			at := now.AddDate(0, 0, -200).Add(time.Duration(i) * 4 * time.Hour).Add(time.Duration(n) * 7 * time.Minute)
			fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%d-%d\r\nDTSTART;TZID=Europe/London:%s\r\nDURATION:PT1H\r\nSUMMARY:%s\r\nLOCATION:Room %d\r\n", n, i, at.Format("20060102T150405"), titles[(i+n)%len(titles)], i%30)
			if i%5 == 0 {
				b.WriteString("RRULE:FREQ=WEEKLY;COUNT=40\r\n")
			}
			b.WriteString("END:VEVENT\r\n")
		}
		b.WriteString("END:VCALENDAR\r\n")
		path := filepath.Join(dir, fmt.Sprint(n, ".ics"))
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			tb.Fatal(err)
		}
		calendars = append(calendars, Calendar{Person: "mia", Tag: []string{School, Health}[n%2], File: path})
	}
	c, err := New(Config{Zone: now.Location(), Now: func() time.Time { return now }, Calendars: calendars})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func BenchmarkAnswer(b *testing.B) {
	c := crowded(b)
	for name, q := range map[string]string{
		"today":    "what does Mia have on today?",
		"yesno":    "does Mia have PE tomorrow?",
		"next":     "when is Mia's next dentist appointment?",
		"nextweek": "what does Mia have on next week?",
		"absent":   "when is the trip to Paris?",
		"none":     "tell me a joke about the weather",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Answer(context.Background(), ask.Question{Question: q, Asker: "sam", Person: "mia"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMemory reports what the five calendars keep in memory.
func BenchmarkMemory(b *testing.B) {
	var before, after runtime.MemStats
	var c *Compass
	for b.Loop() {
		runtime.KeepAlive(c)
		c = nil //nolint:ineffassign // so that the one before is not counted
		runtime.GC()
		runtime.ReadMemStats(&before)
		c = crowded(b)
		runtime.GC()
		runtime.ReadMemStats(&after)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB-kept")
	runtime.KeepAlive(c)
}
