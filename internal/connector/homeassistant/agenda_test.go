package homeassistant

import (
	"testing"

	"github.com/askhub/askhub/ask"
)

// What is asked of several days is told with the day of each, and whether somebody is free is
// told by what the calendars say. It is Tuesday 1 December.
func TestWhatIsOnOnSeveralDays(t *testing.T) {
	s := newStandIn(t, "calendar.family=Family", "calendar.emma=Emma", "media_player.tv=TV", "light.bed=Bed light")
	at := func(day, hour string) instant { return instant{DateTime: "2026-12-" + day + "T" + hour + ":00Z"} }
	date := func(day string) instant { return instant{Date: "2026-12-" + day} }
	s.events["calendar.family"] = []event{
		{at("01", "18:00"), at("01", "19:00"), "choir"},
		{at("05", "10:00"), at("05", "11:30"), "football"},
		{date("05"), date("07"), "Nan is here"},
		{date("06"), date("07"), "fair"},
		{date("11"), date("14"), "camp"},
		{at("10", "22:00"), at("11", "06:00"), "night train"},
	}
	s.events["calendar.emma"] = []event{{at("09", "09:15"), at("09", "10:00"), "dentist"}, {at("06", "12:00"), at("06", "14:00"), "lunch"}}
	h := connect(t, s.config())
	const weekend = "This weekend there is Nan is here, football on Saturday at 10:00, fair on Sunday and lunch on Sunday at 12:00."
	const nextWeek = "Next week there is dentist on Wednesday at 9:15, night train on Thursday at 22:00 and camp from Friday to Sunday."
	for words, want := range map[string]string{
		"what's on this weekend?":                      weekend,
		"what is on at the weekend?":                   weekend,
		"what are we doing this weekend":               weekend,
		"are we free at the weekend?":                  weekend,
		"do I have anything on this weekend?":          weekend,
		"what is on the calendar this weekend?":        weekend,
		"is there anything on this weekend?":           weekend,
		"anything on this weekend":                     weekend,
		"what is on Emma's calendar this weekend":      "This weekend there is lunch on Sunday at 12:00.",
		"what's on next week?":                         nextWeek,
		"am I busy next week?":                         nextWeek,
		"what's on on Saturday?":                       "On Saturday there is Nan is here and football at 10:00.",
		"what is on on Saturday?":                      "On Saturday there is Nan is here and football at 10:00.",
		"am I free on Friday?":                         "There is nothing on the calendar on Friday.",
		"am I free on Sunday?":                         "On Sunday there is Nan is here, fair and lunch at 12:00.",
		"are we busy tomorrow?":                        "There is nothing on the calendar tomorrow.",
		"am I free tonight?":                           "Today there is choir at 18:00.",
		"am I free on Wednesday next week?":            "On Wednesday 9 December there is dentist at 9:15.",
		"am I free on the 11th?":                       "On Friday 11 December there is camp and night train.",
		"what's on this week?":                         "This week there is choir today at 18:00, Nan is here from Saturday to Sunday, football on Saturday at 10:00, fair on Sunday and 1 more.",
		"what is on Emma's calendar on Wednesday":      "There is nothing on the calendar tomorrow.",
		"am I free next weekend?":                      "- " + whichDays,
		"what's on next month?":                        "- " + whichDays,
		"is the TV free on Friday?":                    "",
		"what is the TV doing this weekend?":           "",
		"are the lights on this weekend?":              "",
		"is it going to be busy on Friday?":            "",
		"what will the garden be doing at the weekend": "",
	} {
		got := h.says(words)
		if want != "" && got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
		if want == "" && (got == weekend || got == "There is nothing on the calendar on Friday.") {
			t.Errorf("%q is answered with the calendar: %q", words, got)
		}
	}
	s.expectCalls(t)
}

// Whether somebody else is free is told of that person's calendars.
func TestWhetherSomebodyElseIsFree(t *testing.T) {
	s := newStandIn(t, "calendar.sam=Sam", "calendar.emma=Emma")
	s.events["calendar.emma"] = []event{{instant{DateTime: "2026-12-04T15:00:00Z"}, instant{DateTime: "2026-12-04T16:00:00Z"}, "dentist"}}
	cfg := s.config()
	cfg.Calendars = map[string][]string{"sam": {"calendar.sam"}, "emma": {"calendar.emma"}}
	h := connect(t, cfg)
	a, err := h.c.Read(t.Context(), ask.Question{Question: "is Emma free on Friday?", Asker: "sam", Person: "emma"})
	if err != nil || a.Answer == nil || *a.Answer != "On Friday there is dentist at 15:00." {
		t.Errorf("got %+v, %v", a, err)
	}
	// Of somebody who is not known here, one's own calendar says nothing.
	a, err = h.c.Read(t.Context(), ask.Question{Question: "is Boris free on Friday?", Asker: "sam", Person: "sam"})
	if err != nil || a.Answer != nil {
		t.Errorf("got %+v, %v", a, err)
	}
	h.expect([2]string{"am I free on Friday?", "There is nothing on the calendar on Friday."})
}
