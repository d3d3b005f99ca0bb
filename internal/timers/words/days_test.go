package words

import (
	"testing"
	"time"
)

func TestDaysAreReadAsTheyAreSaid(t *testing.T) {
	type row struct {
		first, count int
		name         string
	}
	for text, want := range map[string]row{ // it is Monday 30 November
		"am I free on Friday?":                     {4, 1, ""},
		"what's on on Saturday?":                   {5, 1, ""},
		"what's on tomorrow":                       {1, 1, ""},
		"what's on tonight":                        {0, 1, ""},
		"what's on on Friday week":                 {11, 1, ""},
		"what's on this weekend?":                  {5, 2, "this weekend"},
		"what are we doing at the weekend?":        {5, 2, "this weekend"},
		"anything on over the weekend":             {5, 2, "this weekend"},
		"what's on this coming weekend":            {5, 2, "this weekend"},
		"what's on this weekend in the evening":    {5, 2, "this weekend"},
		"what's on on Saturday this weekend":       {5, 1, ""},
		"what's on this week?":                     {0, 7, "this week"},
		"what do I have for the rest of the week?": {0, 7, "this week"},
		"what's on this week on Thursday":          {3, 1, ""},
		"what's on next week?":                     {7, 7, "next week"},
		"what are next week's appointments":        {7, 7, "next week"},
		"am I free on Tuesday next week?":          {8, 1, ""},
		"am I free next week on Tuesday?":          {8, 1, ""},
	} {
		got, ok, unclear := DaysIn(text, monday)
		if !ok || unclear || !got.First.Equal(on(want.first, 0, 0)) || got.Count != want.count || got.Name != want.name || !got.End().Equal(on(want.first+want.count, 0, 0)) {
			t.Errorf("%q is read as %+v, %v, %v; want %+v", text, got, ok, unclear, want)
		}
	}
	for text, want := range map[string]bool{
		"what's on next weekend?": true, "what's on next month": true, "what's on in two weeks": true, "what's on the week after next": true, "what's on this year": true,
		"what was on last week": true, "what's on a week on Friday": true, "what's on this week or next week": true, "am I free on Tuesday this weekend?": true,
		"am I free tomorrow or next week": true, "what's on in the week": true, "what's on this weekend and on 12 December": true, "am I free on Tuesday or Friday next week": true,
		"what's on": false, "am I free": false,
	} {
		if got, ok, unclear := DaysIn(text, monday); ok || unclear != want {
			t.Errorf("%q is read as %+v, %v, %v; want %v", text, got, ok, unclear, want)
		}
	}
}

// A weekend and a week that have begun are what is left of them.
func TestAWeekThatHasBegun(t *testing.T) {
	for text, want := range map[time.Time]map[string][2]int{
		on(5, 10, 0): {"this weekend": {5, 2}, "this week": {5, 2}, "next week": {7, 7}},
		on(6, 10, 0): {"this weekend": {6, 1}, "this week": {6, 1}, "next week": {7, 7}},
		on(2, 10, 0): {"this weekend": {5, 2}, "this week": {2, 5}, "next week": {7, 7}},
	} {
		for words, days := range want {
			if got, ok, _ := DaysIn("what's on "+words, text); !ok || !got.First.Equal(on(days[0], 0, 0)) || got.Count != days[1] {
				t.Errorf("at %v %q is read as %+v, %v; want %v", text, words, got, ok, days)
			}
		}
	}
	if got, ok, unclear := DaysIn("what's on on Monday this week", on(2, 10, 0)); ok || !unclear {
		t.Errorf("a day that is over is read as %+v", got)
	}
}
