package words

import (
	"testing"
	"time"
)

// A time of day is the same moment wherever it is said: to a reminder, to an alarm and to a
// calendar, which asks back what may be of either half of the day.
func TestTimesOfDayAreReadAsTheyAreSaid(t *testing.T) {
	for said, want := range map[string]time.Time{
		"tomorrow at half six":                       on(1, 18, 30),
		"tomorrow at half 6":                         on(1, 18, 30),
		"tomorrow half six":                          on(1, 18, 30),
		"tomorrow at half six in the morning":        on(1, 6, 30),
		"tomorrow at half past six in the morning":   on(1, 6, 30),
		"tomorrow at half ten am":                    on(1, 10, 30),
		"tomorrow at half twelve":                    on(1, 12, 30),
		"tomorrow at half one":                       on(1, 13, 30),
		"on Friday at quarter past six":              on(4, 18, 15),
		"on Friday at a quarter to six":              on(4, 17, 45),
		"on Friday at ten to six":                    on(4, 17, 50),
		"on Friday at twenty-five past four":         on(4, 16, 25),
		"on Friday at six thirty":                    on(4, 18, 30),
		"on Friday six thirty":                       on(4, 18, 30),
		"on Friday at six oh five":                   on(4, 18, 5),
		"on Friday at six fifteen pm":                on(4, 18, 15),
		"at half five today":                         on(0, 17, 30),
		"today at half five":                         on(0, 17, 30),
		"tomorrow at noon":                           on(1, 12, 0),
		"tomorrow at midday":                         on(1, 12, 0),
		"tomorrow at quarter to noon":                on(1, 11, 45),
		"tomorrow at ten past noon":                  on(1, 12, 10),
		"tonight at 12":                              on(1, 0, 0),
		"tonight at twelve":                          on(1, 0, 0),
		"at 12 tonight":                              on(1, 0, 0),
		"tonight at 12:00":                           on(1, 0, 0),
		"tonight at midnight":                        on(1, 0, 0),
		"at midnight tonight":                        on(1, 0, 0),
		"today at midnight":                          on(1, 0, 0),
		"this evening at 12":                         on(1, 0, 0),
		"tonight at 00:30":                           on(1, 0, 30),
		"tonight at half past twelve":                on(1, 0, 30),
		"tonight at half twelve":                     on(1, 0, 30),
		"tonight at 1":                               on(1, 1, 0),
		"tonight at 2 am":                            on(1, 2, 0),
		"tonight at ten to midnight":                 on(0, 23, 50),
		"tonight at 11":                              on(0, 23, 0),
		"tonight at half eleven":                     on(0, 23, 30),
		"tonight at 8":                               on(0, 20, 0),
		"tomorrow night at 12":                       on(2, 0, 0),
		"tomorrow at 12 at night":                    on(2, 0, 0),
		"on Friday night at 1":                       on(5, 1, 0),
		"on 12 December at 12 at night":              on(13, 0, 0),
		"tomorrow at 12":                             on(1, 12, 0),
		"tomorrow at 12 in the afternoon":            on(1, 12, 0),
		"tomorrow at 12 pm":                          on(1, 12, 0),
		"tomorrow at three o'clock in the afternoon": on(1, 15, 0),
	} {
		if got, ok := Parse("remind me "+said+" to look", monday); !ok || !got.Due.Equal(want) || got.Words != "look" {
			t.Errorf("a reminder %q is read as %+v, %v; want %v", said, got, ok, want)
		}
		if got, ok := Parse("remind me to look "+said, monday); !ok || !got.Due.Equal(want) || got.Words != "look" {
			t.Errorf("a reminder with %q at its end is read as %+v, %v; want %v", said, got, ok, want)
		}
		if got, ok := Parse("set an alarm for "+said, monday); !ok || !got.Due.Equal(want) || got.Name != "" {
			t.Errorf("an alarm for %q is read as %+v, %v; want %v", said, got, ok, want)
		}
		got, ok := ParseEvent("add a look "+said, monday, nil)
		if !ok || len(got.Spans) != 1 || !got.Spans[0].Start.Equal(want) || !got.Spans[0].End.Equal(want.Add(time.Hour)) || got.Title != "look" {
			t.Errorf("an event %q is read as %+v, %v; want %v", said, got, ok, want)
		}
	}
	for said, want := range map[string][2]time.Time{
		"tonight from 8 to 12":                {on(0, 20, 0), on(1, 0, 0)},
		"from 8 to 12 tonight":                {on(0, 20, 0), on(1, 0, 0)},
		"tonight from 10 to 1":                {on(0, 22, 0), on(1, 1, 0)},
		"tonight from 8 to midnight":          {on(0, 20, 0), on(1, 0, 0)},
		"tonight from 12 to 1":                {on(1, 0, 0), on(1, 1, 0)},
		"tomorrow from half two to half four": {on(1, 14, 30), on(1, 16, 30)},
		"on Friday from 9 to 12":              {on(4, 9, 0), on(4, 12, 0)},
	} {
		got, ok := ParseEvent("add a look "+said, monday, nil)
		if !ok || len(got.Spans) != 1 || !got.Spans[0].Start.Equal(want[0]) || !got.Spans[0].End.Equal(want[1]) {
			t.Errorf("an event %q is read as %+v, %v; want %v", said, got, ok, want)
		}
	}
}

// After midnight, the night is the one that it is.
func TestTonightInTheNight(t *testing.T) {
	night := on(1, 0, 30)
	for said, want := range map[string]time.Time{"tonight at 2": on(1, 2, 0), "tonight at 12": on(2, 0, 0), "at half one at night": on(1, 1, 30)} {
		if got, ok := Parse("remind me "+said+" to look", night); !ok || !got.Due.Equal(want) {
			t.Errorf("%q is read as %+v, %v; want %v", said, got, ok, want)
		}
	}
	if got, ok := ParseEvent("add a look tonight at 2", night, nil); !ok || len(got.Spans) != 1 || !got.Spans[0].Start.Equal(on(1, 2, 0)) {
		t.Errorf("an event is read as %+v, %v", got, ok)
	}
}

// What only sounds like a time is none.
func TestHalvesAndNumbersThatAreNoTime(t *testing.T) {
	for text, want := range map[string]string{
		"remind me in an hour to buy half six":                   "buy half six",
		"remind me in an hour to buy half a dozen eggs":          "buy half a dozen eggs",
		"remind me tomorrow at 8 to cook half two kilos of rice": "cook half two kilos of rice",
	} {
		if got, ok := Parse(text, monday); !ok || got.Words != want || got.Due.IsZero() {
			t.Errorf("%q is read as %+v, %v", text, got, ok)
		}
	}
	if got, ok := Parse("set a timer for half an hour", monday); !ok || got.Length != 30*time.Minute {
		t.Errorf("half an hour is read as %+v, %v", got, ok)
	}
}
