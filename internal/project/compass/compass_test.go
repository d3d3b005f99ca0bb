package compass

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
)

func london(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// sampleAt is the sample household at a moment.
func sampleAt(t testing.TB, now time.Time) *Compass {
	t.Helper()
	dir := t.TempDir()
	for name, text := range Sample(now, now.Location()) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := New(Config{Zone: now.Location(), Calendars: SampleCalendars(dir), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// said is the answer to a question, or "-- " and the reason for none.
func said(t testing.TB, c *Compass, asker ask.Asker, person ask.Person, question string) string {
	t.Helper()
	a, err := c.Answer(context.Background(), ask.Question{Question: question, Asker: asker, Person: person})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(a.Data), `"outcome":"failed"`) {
		t.Errorf("%q: a look-up failed: %s", question, a.Data)
	}
	if a.Answer == nil {
		if a.Reason == "" {
			t.Errorf("%q: no answer and no reason", question)
		}
		return "-- " + a.Reason
	}
	if err := ask.CheckSentence(*a.Answer, ask.WantsList(question)); err != nil {
		t.Errorf("%q: %q: %v", question, *a.Answer, err)
	}
	return *a.Answer
}

// A calendar of which nothing can be read is not an empty one.
func TestWhatCannotBeReadIsNotNothing(t *testing.T) {
	for entry, want := range map[string]string{
		"": "-- your school calendar is empty",
		"BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Maths\r\nDTSTART;TZID=Nowhere/Land:20261204T090000\r\nEND:VEVENT\r\n": "-- your school calendar holds nothing that could be read",
		"BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Maths\r\nDTSTART:tomorrow\r\nEND:VEVENT\r\n":                          "-- your school calendar holds nothing that could be read",
	} {
		path := filepath.Join(t.TempDir(), "school.ics")
		if err := os.WriteFile(path, []byte("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"+entry+"END:VCALENDAR\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 12, 4, 8, 0, 0, 0, london(t))
		c, err := New(Config{Zone: now.Location(), Calendars: []Calendar{{Person: "mia", Tag: School, File: path}}, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		if got := said(t, c, "mia", "", "what do I have at school today?"); got != want {
			t.Errorf("with %q: %q, want %q", entry, got, want)
		}
	}
}

// An entry that cannot be read is told, beside what is there and beside what is not.
func TestAnEntryThatCannotBeReadIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "school.ics")
	bad := "BEGIN:VEVENT\r\nUID:%\r\nSUMMARY:Art\r\nDTSTART:tomorrow\r\nEND:VEVENT\r\n"
	text := "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Maths\r\nDTSTART:20261204T090000\r\nDURATION:PT1H\r\nRRULE:FREQ=WEEKLY\r\nEND:VEVENT\r\n"
	now := time.Date(2026, 12, 4, 8, 0, 0, 0, london(t))
	for n, want := range [][2]string{
		1: {"You have maths at 9:00 today, though there is one unreadable entry.", "No, you have no maths tomorrow, though there is one unreadable entry."},
		2: {"You have maths at 9:00 today, though there are 2 unreadable entries.", "No, you have no maths tomorrow, though there are 2 unreadable entries."},
	} {
		if n == 0 {
			continue
		}
		all := text
		for i := range n {
			all += strings.Replace(bad, "%", string(rune('a'+i)), 1)
		}
		if err := os.WriteFile(path, []byte(all+"END:VCALENDAR\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := New(Config{Zone: now.Location(), Calendars: []Calendar{{Person: "mia", Tag: School, File: path}}, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range []string{"what do I have today", "do I have maths tomorrow"} {
			if got := said(t, c, "mia", "", q); got != want[i] {
				t.Errorf("%s: %q, want %q", q, got, want[i])
			}
		}
	}
}

func TestTheSampleAnswersOnEveryDay(t *testing.T) {
	start := time.Date(2026, 1, 1, 8, 0, 0, 0, london(t))
	for n := 0; n < 366; n += 5 {
		now := start.AddDate(0, 0, n)
		c := sampleAt(t, now)
		for _, person := range []ask.Person{"harry", "emma"} {
			if got := said(t, c, "sam", person, "what does "+string(person)+" have on today?"); got[:2] == "--" || len(got) < 20 || got == displayName(string(person))+" has nothing on today." {
				t.Errorf("%s: %s", now.Format("Mon 2 Jan"), got)
			}
		}
		// The demo proposes these two.
		if got := said(t, c, "sam", "harry", "when is Harry's dentist appointment?"); !strings.Contains(got, "the dentist at 16:15") {
			t.Errorf("%s: %s", now.Format("Mon 2 Jan"), got)
		}
		if got := said(t, c, "sam", "emma", "what homework is due for Emma this week?"); !strings.Contains(got, "due") || got[:2] == "--" {
			t.Errorf("%s: %s", now.Format("Mon 2 Jan"), got)
		}
	}
}

func TestTheFirstAnswer(t *testing.T) {
	c := sampleAt(t, time.Date(2026, 11, 30, 8, 15, 0, 0, london(t)))
	for _, tt := range []struct {
		asker ask.Asker
		want  string
	}{
		{"sam", "Harry has maths at 9:00, PE at 11:00 and a music lesson at 15:30 today."},
		{"harry", "You have maths at 9:00, PE at 11:00 and a music lesson at 15:30 today."},
	} {
		if got := said(t, c, tt.asker, "harry", "what does Harry have on today?"); got != tt.want {
			t.Errorf("%s is told %q, want %q", tt.asker, got, tt.want)
		}
	}
	if got := said(t, c, "sam", "", "what do I have on today?"); got != "-- no data for that person" {
		t.Errorf("somebody without a calendar is told %q", got)
	}
}
