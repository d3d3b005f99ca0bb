package calendar

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func london(t testing.TB) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func load(t testing.TB, names ...string) []*Calendar {
	t.Helper()
	var cals []*Calendar
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", name+".ics"))
		if err != nil {
			t.Fatal(err)
		}
		cal, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cals = append(cals, cal)
	}
	return cals
}

// lines are occurrences as "2006-01-02 15:04 to 15:04 Title" in London.
func lines(t testing.TB, cals []*Calendar, from, to string) []string {
	t.Helper()
	loc := london(t)
	day := func(s string) time.Time {
		d, err := time.ParseInLocation("2006-01-02", s, loc)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	occurrences, err := Expand(cals, loc, day(from), day(to))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, o := range occurrences {
		start, end := time.Unix(o.Start, 0).In(loc), time.Unix(o.End, 0).In(loc)
		s := start.Format("2006-01-02 15:04") + " to " + end.Format("15:04")
		if o.AllDay {
			s = start.Format("2006-01-02") + " to " + end.Format("2006-01-02")
		}
		if o.Entry.Done {
			s += " done"
		}
		out = append(out, s+" "+o.Entry.Title)
	}
	return out
}

func TestExpand(t *testing.T) {
	tests := []struct {
		name, file, from, to string
		want                 []string
	}{
		{"9:00 stays 9:00 over a change of clock", "clock-change", "2026-10-20", "2026-11-05", []string{
			"2026-10-21 09:00 to 10:00 Maths", "2026-10-28 09:00 to 10:00 Maths", "2026-11-04 09:00 to 10:00 Maths",
		}},
		{"a time that is skipped counts with the offset before the gap", "clock-gap", "2026-03-28", "2026-03-31", []string{
			"2026-03-28 01:30 to 02:00 In the gap", "2026-03-29 02:30 to 03:00 In the gap", "2026-03-30 01:30 to 02:00 In the gap",
		}},
		{"exceptions, an extra date, a moved and a cancelled instance", "exceptions", "2026-11-01", "2026-12-31", []string{
			"2026-11-02 15:30 to 16:30 Chess club", "2026-11-05 15:30 to 16:30 Chess club", "2026-11-14 10:00 to 11:00 Chess club",
			"2026-11-17 16:00 to 17:00 Chess club (moved)", "2026-11-26 15:30 to 16:30 Chess club", "2026-11-30 15:30 to 16:30 Chess club",
			"2026-12-03 15:30 to 16:30 Chess club", "2026-12-07 15:30 to 16:30 Chess club", "2026-12-10 15:30 to 16:30 Chess club",
			"2026-12-14 15:30 to 16:30 Chess club", "2026-12-17 15:30 to 16:30 Chess club",
		}},
		{"an instance moved out of the window is gone, one moved in is there", "moved-far", "2026-11-01", "2026-11-20", []string{
			"2026-11-02 10:00 to 11:00 Swimming", "2026-11-03 10:00 to 11:00 Swimming early", "2026-11-16 10:00 to 11:00 Swimming",
		}},
		{"the moved instance is where it was moved to", "moved-far", "2027-01-01", "2027-02-01", []string{"2027-01-09 10:00 to 11:00 Swimming in January"}},
		{"this and future", "this-and-future", "2026-11-01", "2026-12-31", []string{
			"2026-11-02 09:00 to 10:00 Drama", "2026-11-09 09:00 to 10:00 Drama", "2026-11-16 11:00 to 12:30 Drama, later",
			"2026-11-23 11:00 to 12:30 Drama, later", "2026-12-01 14:00 to 15:00 Drama on Tuesday", "2026-12-07 11:00 to 12:30 Drama, later",
		}},
		{"whole days, several days, over midnight", "days", "2026-12-01", "2026-12-31", []string{
			"2026-11-30 to 2026-12-03 Trip", "2026-12-04 to 2026-12-05 Non-uniform day", "2026-12-04 19:00 to 09:00 Sleepover",
			"2026-12-05 to 2026-12-06 Same end", "2026-12-07 to 2026-12-09 Two days", "2026-12-14 to 2026-12-16 Two days",
		}},
		{"a zone of its own, by Windows, by a vendor, floating and UTC", "zones", "2026-01-01", "2026-12-31", []string{
			"2026-06-10 08:00 to 08:00 Windows zone", "2026-06-10 09:00 to 09:00 Floating", "2026-06-10 09:00 to 09:00 UTC",
			"2026-06-10 09:00 to 10:00 Own zone", "2026-06-10 14:00 to 14:00 Vendor prefix", "2026-12-10 09:00 to 10:00 Own zone in winter",
		}},
		{"UNTIL in UTC, as a date, in local time", "until", "2026-11-01", "2026-11-30", []string{
			"2026-11-02 to 2026-11-03 Date days", "2026-11-02 20:00 to 20:00 Date end", "2026-11-02 20:00 to 20:00 Local end",
			"2026-11-03 to 2026-11-04 Date days", "2026-11-03 01:00 to 01:00 UTC end", "2026-11-03 20:00 to 20:00 Date end",
			"2026-11-03 20:00 to 20:00 Local end", "2026-11-04 to 2026-11-05 Date days", "2026-11-04 01:00 to 01:00 UTC end",
			"2026-11-04 20:00 to 20:00 Date end", "2026-11-05 01:00 to 01:00 UTC end",
		}},
		{"counts, endless rules and positions", "counts", "2026-11-01", "2026-11-08", []string{
			"2026-11-01 07:00 to 07:00 Endless", "2026-11-02 07:00 to 07:00 Endless", "2026-11-02 14:00 to 14:00 First working day",
			"2026-11-03 07:00 to 07:00 Endless", "2026-11-03 09:00 to 09:00 Starts off its rule", "2026-11-04 07:00 to 07:00 Endless",
			"2026-11-04 09:00 to 09:00 Starts off its rule", "2026-11-04 12:00 to 12:00 Fortnightly", "2026-11-05 07:00 to 07:00 Endless",
			"2026-11-06 07:00 to 07:00 Endless", "2026-11-07 07:00 to 07:00 Endless",
		}},
		{"the same a fortnight on: COUNT has run out", "counts", "2026-11-16", "2026-11-19", []string{
			"2026-11-16 07:00 to 07:00 Endless", "2026-11-17 07:00 to 07:00 Endless", "2026-11-18 07:00 to 07:00 Endless",
			"2026-11-18 12:00 to 12:00 Fortnightly",
		}},
		{"cancelled, replaced by a later one, and one UID for two", "cancelled", "2026-11-01", "2026-11-30", []string{
			"2026-11-04 10:00 to 10:00 New", "2026-11-04 13:00 to 13:00 One of one UID", "2026-11-04 14:00 to 14:00 Other of one UID",
		}},
		{"tasks count where they are due", "tasks", "2026-11-04", "2026-11-05", []string{
			"2026-11-04 to 2026-11-04 done Done one", "2026-11-04 to 2026-11-04 Worksheet", "2026-11-04 09:00 to 09:00 Essay",
		}},
		{"what can be read beside what cannot", "faults", "2026-11-01", "2026-11-30", []string{"2026-11-04 15:00 to 15:00 Fine, with a comma\nand a line"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, lines(t, load(t, tt.file), tt.from, tt.to)); diff != "" {
				t.Errorf("want - got +\n%s", diff)
			}
		})
	}
}

func TestATimeThatComesTwiceIsTheFirst(t *testing.T) {
	loc := london(t)
	got, err := Expand(load(t, "clock-gap"), loc, time.Date(2026, 10, 25, 0, 0, 0, 0, loc), time.Date(2026, 10, 26, 0, 0, 0, 0, loc))
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if want := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC).Unix(); got[0].Start != want {
		t.Errorf("start %v, want %v", time.Unix(got[0].Start, 0).UTC(), time.Unix(want, 0).UTC())
	}
}

func TestFaultsAreCountedAndNamed(t *testing.T) {
	cal := load(t, "faults")[0]
	if cal.Unread != 6 || len(cal.Faults) != 6 {
		t.Fatalf("%d faults: %q", cal.Unread, cal.Faults)
	}
	for i, part := range []string{"entry 1: DTSTART: there is no date", "entry 2: the rule", "never meets its own hours", "a day that its month never has", "BYDAY is out of range", "its DTSTART line cannot be read"} {
		if !strings.Contains(cal.Faults[i], part) {
			t.Errorf("fault %q does not say %q", cal.Faults[i], part)
		}
	}
	if unknown := load(t, "zones")[0]; unknown.Unread != 1 || !strings.Contains(unknown.Faults[0], "Nowhere/At_All") {
		t.Errorf("an unknown zone: %q", unknown.Faults)
	}
}

func TestTheNewestOfTwoCalendarsCounts(t *testing.T) {
	event := func(seq, start, title string) *Calendar {
		cal, err := Parse([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:x\nSEQUENCE:" + seq + "\nDTSTART:" + start + "\nSUMMARY:" + title + "\nEND:VEVENT\nEND:VCALENDAR\n"))
		if err != nil {
			t.Fatal(err)
		}
		return cal
	}
	first, second := event("3", "20261104T090000Z", "Newer"), event("2", "20261104T080000Z", "Older")
	want := []string{"2026-11-04 09:00 to 09:00 Newer"}
	for _, cals := range [][]*Calendar{{first, second}, {second, first}} {
		if diff := cmp.Diff(want, lines(t, cals, "2026-11-01", "2026-11-30")); diff != "" {
			t.Error(diff)
		}
	}
}

func TestUndated(t *testing.T) {
	got := Undated(load(t, "tasks"))
	if len(got) != 1 || got[0].Entry.Title != "Some day" {
		t.Errorf("got %+v", got)
	}
}

func TestNotACalendar(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "does not start with BEGIN:VCALENDAR"},
		{"a page to log in", "<!DOCTYPE html><html><body>Sign in</body></html>", "web page"},
		{"a page with a comment first", "<!-- x --><html>", "web page"},
		{"JSON", `{"error":"no"}`, "does not start"},
		{"cut off", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\n", "cut off"},
		{"wrong end", "BEGIN:VCALENDAR\nEND:VEVENT\n", "did not begin"},
		{"only an event", "BEGIN:VEVENT\nEND:VEVENT\n", "does not start"},
		{"nested without end", "BEGIN:VCALENDAR\n" + strings.Repeat("BEGIN:VEVENT\n", 1000), "nests deeper"},
		{"too many entries", "BEGIN:VCALENDAR\n" + strings.Repeat("BEGIN:VEVENT\nEND:VEVENT\n", MaxEntries+1) + "END:VCALENDAR\n", "too large"},
		{"too large", "BEGIN:VCALENDAR\n" + strings.Repeat("X-A:1234567890\n", MaxSize/15+10), "more than 10 MB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v does not say %q", err, tt.want)
			}
		})
	}
}

func TestARuleThatRepeatsTooOftenIsRefused(t *testing.T) {
	for _, rule := range []string{"FREQ=SECONDLY", "FREQ=MINUTELY;COUNT=1000000", "FREQ=SECONDLY;COUNT=1000000"} {
		cal, err := Parse([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101T000000Z\nRRULE:" + rule + "\nEND:VEVENT\nEND:VCALENDAR\n"))
		if err != nil {
			t.Fatal(err)
		}
		from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if _, err := Expand([]*Calendar{cal}, time.UTC, from, from.AddDate(2, 0, 0)); err == nil || !strings.Contains(err.Error(), "repeats too often") {
			t.Errorf("%s: %v", rule, err)
		}
	}
	// One that is endless, and rare enough, is fine far from its start.
	cal, err := Parse([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:16010101T000000Z\nRRULE:FREQ=HOURLY\nEND:VEVENT\nEND:VCALENDAR\n"))
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	got, err := Expand([]*Calendar{cal}, time.UTC, from, from.AddDate(0, 0, 1))
	if err != nil || len(got) != 24 {
		t.Errorf("%d occurrences, %v", len(got), err)
	}
}

func TestLineBreaksAndFolding(t *testing.T) {
	for name, sep := range map[string]string{"CRLF": "\r\n", "LF": "\n", "CR": "\r"} {
		text := strings.Join([]string{"\ufeffBEGIN:VCALENDAR", "BEGIN:VEVENT", "DTSTART:20261104T090000Z", "SUM", " MARY:Ma", "\tths", "X-BIG:" + strings.Repeat("A", maxLine+1), "END:VEVENT", "END:VCALENDAR", ""}, sep)
		cal, err := Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(cal.Entries) != 1 || cal.Entries[0].Title != "Maths" {
			t.Errorf("%s: %+v", name, cal)
		}
	}
}

func TestEveryWindowsZoneIsThere(t *testing.T) {
	for name, to := range windowsZones {
		if iana(to) == nil {
			t.Errorf("%s stands for %s, which is no zone", name, to)
		}
		if name != strings.ToLower(name) {
			t.Errorf("%s is not in lower case", name)
		}
	}
	if len(windowsZones) < 130 {
		t.Errorf("only %d zones", len(windowsZones))
	}
}

func TestRulesFarFromTheirStart(t *testing.T) {
	for rule, want := range map[string]string{
		"FREQ=YEARLY":                        "2026-12-04",
		"FREQ=YEARLY;INTERVAL=5":             "2026-12-04",
		"FREQ=YEARLY;BYMONTH=12;BYDAY=2FR":   "2026-12-11",
		"FREQ=YEARLY;BYWEEKNO=50;BYDAY=MO":   "2026-12-07",
		"FREQ=YEARLY;BYYEARDAY=-17":          "2026-12-15",
		"FREQ=MONTHLY;INTERVAL=5":            "2026-12-04",
		"FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-1":  "2026-12-28",
		"FREQ=WEEKLY;INTERVAL=3;BYDAY=TU,SA": "2026-12-08 2026-12-12 2026-12-29",
		"FREQ=DAILY;INTERVAL=11":             "2026-12-03 2026-12-14 2026-12-25",
	} {
		cal, err := Parse([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20011204\nRRULE:" + rule + "\nEND:VEVENT\nEND:VCALENDAR\n"))
		if err != nil || cal.Unread > 0 {
			t.Fatal(rule, err, cal)
		}
		var got []string
		for _, line := range lines(t, []*Calendar{cal}, "2026-12-01", "2027-01-01") {
			got = append(got, line[:10])
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", rule, s, want)
		}
	}
}
