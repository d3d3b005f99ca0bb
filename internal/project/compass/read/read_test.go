package read

import (
	"slices"
	"testing"
	"time"
)

func london(t testing.TB) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// known is what the tests' person has in the calendars.
var known = []string{"maths", "pe", "dentist", "school", "trip", "non", "uniform", "day", "parents", "evening"}

func reading(t testing.TB, now time.Time, question string) (Reading, string) {
	t.Helper()
	whole, _, why := Question(question, Context{Names: []string{"harry"}, Others: []string{"emma", "will"}, Today: Midnight(now, 0)})
	if whole == nil {
		return Reading{}, why
	}
	return *whole, ""
}

// calendars are those of the tests' person.
func calendars() Calendars {
	var vocab []string
	for _, w := range known {
		vocab = append(vocab, Stem(w))
	}
	return Calendars{
		Knows: func(s string) bool { return slices.Contains(vocab, s) }, Vocabulary: vocab,
		Together: func([]string) bool { return false },
	}
}

func TestWindows(t *testing.T) {
	loc := london(t)
	monday := time.Date(2026, 11, 30, 10, 0, 0, 0, loc)
	thursday := time.Date(2026, 12, 3, 10, 0, 0, 0, loc)
	saturday := time.Date(2026, 12, 5, 10, 0, 0, 0, loc)
	sunday := time.Date(2026, 12, 6, 10, 0, 0, 0, loc)
	friday30 := time.Date(2027, 1, 30, 10, 0, 0, 0, loc)
	tests := []struct {
		now      time.Time
		when     string
		from, to string // as 2006-01-02 15:04
		label    string
	}{
		{monday, "today", "2026-11-30 00:00", "2026-12-01 00:00", "today"},
		{monday, "tomorrow", "2026-12-01 00:00", "2026-12-02 00:00", "tomorrow"},
		{monday, "yesterday", "2026-11-29 00:00", "2026-11-30 00:00", "yesterday"},
		{monday, "the day after tomorrow", "2026-12-02 00:00", "2026-12-03 00:00", "on Wednesday"},
		{monday, "on Monday", "2026-11-30 00:00", "2026-12-01 00:00", "today"},
		{monday, "on Friday", "2026-12-04 00:00", "2026-12-05 00:00", "on Friday"},
		{monday, "this Friday", "2026-12-04 00:00", "2026-12-05 00:00", "on Friday"},
		{monday, "next Friday", "2026-12-11 00:00", "2026-12-12 00:00", "on Friday 11 December"},
		{saturday, "next Friday", "2026-12-11 00:00", "2026-12-12 00:00", "on Friday"},
		{monday, "Friday week", "2026-12-11 00:00", "2026-12-12 00:00", "on Friday 11 December"},
		{monday, "a week on Friday", "2026-12-11 00:00", "2026-12-12 00:00", "on Friday 11 December"},
		{monday, "a week today", "2026-12-07 00:00", "2026-12-08 00:00", "on Monday 7 December"},
		{monday, "last Friday", "2026-11-27 00:00", "2026-11-28 00:00", "on Friday 27 November"},
		{monday, "this week", "2026-11-30 00:00", "2026-12-07 00:00", "this week"},
		{sunday, "this week", "2026-11-30 00:00", "2026-12-07 00:00", "this week"},
		{sunday, "next week", "2026-12-07 00:00", "2026-12-14 00:00", "next week"},
		{monday, "on Tuesday next week", "", "", ""},
		{monday, "next week on Tuesday", "2026-12-08 00:00", "2026-12-09 00:00", "on Tuesday 8 December"},
		{monday, "this weekend", "2026-12-05 00:00", "2026-12-07 00:00", "this weekend"},
		{sunday, "this weekend", "2026-12-06 00:00", "2026-12-07 00:00", "today"},
		{monday, "next weekend", "2026-12-12 00:00", "2026-12-14 00:00", "next weekend"},
		{monday, "this month", "2026-11-01 00:00", "2026-12-01 00:00", "this month"},
		{monday, "next month", "2026-12-01 00:00", "2027-01-01 00:00", "next month"},
		{monday, "in January", "2027-01-01 00:00", "2027-02-01 00:00", "in January"},
		{monday, "in May", "2027-05-01 00:00", "2027-06-01 00:00", "in May"},
		{monday, "on 4 December", "2026-12-04 00:00", "2026-12-05 00:00", "on Friday"},
		{monday, "on December 4th", "2026-12-04 00:00", "2026-12-05 00:00", "on Friday"},
		{monday, "on the 4th", "2026-12-04 00:00", "2026-12-05 00:00", "on Friday"},
		{monday, "on the 4th of January", "2027-01-04 00:00", "2027-01-05 00:00", "on Monday 4 January"},
		{friday30, "on the 31st", "2027-01-31 00:00", "2027-02-01 00:00", "tomorrow"},
		{friday30, "on the 29th", "2027-03-29 00:00", "2027-03-30 00:00", "on Monday 29 March"},
		{monday, "on 2026-12-04", "2026-12-04 00:00", "2026-12-05 00:00", "on Friday"},
		{monday, "on 4/12", "2026-12-04 00:00", "2026-12-05 00:00", "on Friday"},
		{monday, "on Friday the 4th", "2026-12-04 00:00", "2026-12-05 00:00", "on Friday"},
		{monday, "on Friday the 11th of December", "2026-12-11 00:00", "2026-12-12 00:00", "on Friday 11 December"},
		{monday, "in three days", "2026-12-03 00:00", "2026-12-04 00:00", "on Thursday"},
		{monday, "in two weeks time", "2026-12-14 00:00", "2026-12-15 00:00", "on Monday 14 December"},
		{monday, "over the next three days", "2026-11-30 00:00", "2026-12-03 00:00", "in the next 3 days"},
		{thursday, "this morning", "2026-12-03 00:00", "2026-12-03 12:00", "this morning"},
		{thursday, "this afternoon", "2026-12-03 12:00", "2026-12-03 17:00", "this afternoon"},
		{thursday, "tonight", "2026-12-03 17:00", "2026-12-04 00:00", "tonight"},
		{thursday, "tomorrow evening", "2026-12-04 17:00", "2026-12-05 00:00", "tomorrow evening"},
		{thursday, "on Saturday morning", "2026-12-05 00:00", "2026-12-05 12:00", "on Saturday morning"},
		{thursday, "between now and bedtime", "2026-12-03 10:00", "2026-12-04 00:00", "for the rest of today"},
		{thursday, "after 3", "2026-12-03 15:00", "2026-12-04 00:00", "after 15:00 today"},
		{thursday, "before half past ten tomorrow", "2026-12-04 00:00", "2026-12-04 10:30", "before 10:30 tomorrow"},
		{thursday, "between 2 and 4 tomorrow", "2026-12-04 14:00", "2026-12-04 16:00", "between 14:00 and 16:00 tomorrow"},
		{thursday, "at quarter to four", "2026-12-03 15:45", "2026-12-03 15:46", "at 15:45 today"},
		{thursday, "at 9.30", "2026-12-03 09:30", "2026-12-03 09:31", "at 9:30 today"},
		{thursday, "at 7 pm", "2026-12-03 19:00", "2026-12-03 19:01", "at 19:00 today"},
		{time.Date(2026, 10, 25, 12, 0, 0, 0, loc), "today", "2026-10-25 00:00", "2026-10-26 00:00", "today"},
		{time.Date(2026, 3, 28, 12, 0, 0, 0, loc), "tomorrow", "2026-03-29 00:00", "2026-03-30 00:00", "tomorrow"},
		{time.Date(2026, 12, 31, 23, 59, 0, 0, loc), "tomorrow", "2027-01-01 00:00", "2027-01-02 00:00", "tomorrow"},
	}
	for _, tt := range tests {
		r, why := reading(t, tt.now, "what does Harry have on "+tt.when)
		if tt.label == "" {
			if why == "" {
				t.Errorf("%q is read as %+v", tt.when, r.Span)
			}
			continue
		}
		w, ok := r.Span.Window(tt.now)
		if why != "" || !ok || !r.Span.Named() {
			t.Errorf("%q: no window, %q", tt.when, why)
			continue
		}
		const form = "2006-01-02 15:04"
		if from, to := w.From.Format(form), w.To.Format(form); from != tt.from || to != tt.to || w.Label != tt.label {
			t.Errorf("%q on %s: %s to %s %q, want %s to %s %q", tt.when, tt.now.Format("Monday"), from, to, w.Label, tt.from, tt.to, tt.label)
		}
	}
}

func TestIntents(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, london(t))
	for question, want := range map[string]Intent{
		"what does Harry have on today?":       Agenda,
		"do I have PE tomorrow":                Has,
		"when is the trip":                     When,
		"what time is PE":                      When,
		"what's next?":                         Next,
		"what is my first lesson tomorrow":     Next,
		"is there school on Monday":            SchoolDay,
		"what time does school finish":         SchoolEnd,
		"what homework is due":                 Homework,
		"how many lessons do I have today":     Count,
		"how long until the trip":              Until,
		"how long is PE":                       Length,
		"where is PE":                          Where,
		"which room is maths in":               Where,
		"is Harry free this afternoon":         Free,
		"is there a parents evening at school": Has,
	} {
		if r, why := reading(t, now, question); why != "" || r.Intent != want {
			t.Errorf("%q: %q %q, want %q", question, r.Intent, why, want)
		}
	}
}

func TestCalendarsThatAreMeant(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, london(t))
	for question, want := range map[string][2]bool{
		"what does Harry have on today?":      {false, false},
		"what lessons does Harry have today?": {true, false},
		"what's on at school today":           {true, false},
		"what is on Compass today":            {true, false},
		"any appointments this week":          {false, true},
		"when is Harry's dentist appointment": {false, true},
		"any NHS appointments this week?":     {false, true},
		"what homework is due":                {true, false},
		"is there school on Monday":           {true, false},
		"any school appointments this week":   {true, true},
	} {
		if r, why := reading(t, now, question); why != "" || r.School != want[0] || r.Health != want[1] {
			t.Errorf("%q: school %v, health %v, %q", question, r.School, r.Health, why)
		}
	}
}

func TestNames(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, london(t))
	for question, want := range map[string]string{
		"does HARRY have PE tomorrow":      "",
		"does harrys PE start at 10":       "",
		"what is Harry's next lesson":      "",
		"what will Harry have on tomorrow": "", // Will is a name here, and a word
		"does Emma have PE tomorrow":       WhyOther,
		"what do Emma's lessons look like": WhyOther,
	} {
		if _, why := reading(t, now, question); why != want {
			t.Errorf("%q: %q, want %q", question, why, want)
		}
	}
}

func TestSlipsOfTheFinger(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, london(t))
	for question, want := range map[string]string{
		"when is the dentsit":           "dentist",
		"when is my orthodentist":       "orthodontist",
		"is there a vacination tomorow": "vaccination",
	} {
		r, _ := reading(t, now, question)
		if stems, _, why := Subject(r.Subject, calendars()); why != "" || len(stems) != 1 || stems[0] != Stem(want) {
			t.Errorf("%q: %q %q %q", question, r.Subject, stems, why)
		}
	}
}

func TestTooLong(t *testing.T) {
	question := ""
	for range 200 {
		question += "when is PE "
	}
	if _, why := reading(t, time.Now(), question); why != WhyLong {
		t.Errorf("%q", why)
	}
}
