package calendar

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// names is what it means that an identifier names an instance, word for word.
func names(home zone, id, at moment) bool {
	if id.date || at.date {
		if id.zone == utc && at.date {
			id.wall = wallOf(home, id.wall.Unix())
		}
		return civilOf(id.wall) == civilOf(at.wall)
	}
	if id.zone == nil {
		id.zone = at.zone
	}
	return id.at(home) == at.at(home)
}

func TestInstancesAreFoundAsOneByOne(t *testing.T) {
	load := func(name string) zone {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return located{loc}
	}
	home, away := load("Europe/London"), load("Australia/Sydney")
	moments := rapid.Custom(func(t *rapid.T) moment {
		// Few values around a change of the clock, so that many of them meet.
		wall := time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 36).Draw(t, "hours")) * time.Hour)
		if rapid.Bool().Draw(t, "date") {
			return moment{wall: wall.Truncate(24 * time.Hour), date: true}
		}
		return moment{wall: wall, zone: rapid.SampledFrom([]zone{nil, utc, home, away}).Draw(t, "zone")}
	})
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(moments, 0, 6).Draw(t, "ids")
		in := newInstances(home, ids)
		for _, at := range rapid.SliceOfN(moments, 1, 6).Draw(t, "starts") {
			want := false
			for _, id := range ids {
				want = want || names(home, id, at)
			}
			if got := in.has(at); got != want {
				t.Fatalf("%+v of %+v: got %v, want %v", at, ids, got, want)
			}
		}
	})
}

// A calendar may leave out, or change, every instance of a long series by itself: that
// is much to read and nothing that keeps the machine busy.
func TestAsManyExceptionsAsStarts(t *testing.T) {
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	const n = maxInstances - 1
	for name, line := range map[string]func(b *strings.Builder, at string){
		"left out": func(b *strings.Builder, at string) { fmt.Fprintf(b, "EXDATE:%s\r\n", at) },
		"left out in another zone": func(b *strings.Builder, at string) {
			fmt.Fprintf(b, "EXDATE;TZID=Africa/Abidjan:%s\r\n", strings.TrimSuffix(at, "Z"))
		},
		"called off": func(b *strings.Builder, at string) {
			fmt.Fprintf(b, "END:VEVENT\r\nBEGIN:VEVENT\r\nUID:1\r\nRECURRENCE-ID:%s\r\nDTSTART:%s\r\nSTATUS:CANCELLED\r\n", at, at)
		},
		"called off from then on": func(b *strings.Builder, at string) {
			fmt.Fprintf(b, "END:VEVENT\r\nBEGIN:VEVENT\r\nUID:1\r\nRECURRENCE-ID;RANGE=THISANDFUTURE:%s\r\nDTSTART:%s\r\nSTATUS:CANCELLED\r\n", at, at)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Bell\r\nDTSTART:20200101T000000Z\r\nRRULE:FREQ=HOURLY;COUNT=" + fmt.Sprint(n+1) + "\r\n")
			for i := range n {
				line(&b, start.Add(time.Duration(i)*time.Hour).Format("20060102T150405Z"))
			}
			b.WriteString("END:VEVENT\r\nEND:VCALENDAR\r\n")
			cal, err := Parse([]byte(b.String()))
			if err != nil || cal.Unread > 0 {
				t.Fatal(err, cal)
			}
			got, err := Expand([]*Calendar{cal}, time.UTC, start, start.AddDate(10, 0, 0))
			want := 1
			if strings.HasSuffix(name, "from then on") {
				want = 0
			}
			if err != nil || len(got) != want {
				t.Errorf("%d are left, %v; want %d", len(got), err, want)
			}
		})
	}
}
