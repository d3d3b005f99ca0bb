package words

import (
	"testing"
	"time"
)

func timed(day, hour, minute, length int) Span {
	start := on(day, hour, minute)
	return Span{Start: start, End: start.Add(time.Duration(length) * time.Minute)}
}

func hourAt(day, hour, minute int) Span {
	s := timed(day, hour, minute, 60)
	s.Assumed = true
	return s
}

func whole(day, days int) Span {
	return Span{Start: on(day, 0, 0), End: on(day+days, 0, 0), AllDay: true}
}

// The title is the person's own words, and the day and the time are read as a reminder's are.
func TestEventsAreReadAsTheyAreSaid(t *testing.T) {
	one := func(s Span) []Span { return []Span{s} }
	for text, want := range map[string]Event{
		"add dentist on Friday at 3 to my calendar":                            {Title: "dentist", Mine: true, Spans: one(hourAt(4, 15, 0))},
		"Please add Dentist to my calendar on Friday at 3 pm.":                 {Title: "Dentist", Mine: true, Spans: one(hourAt(4, 15, 0))},
		"put football training in the family calendar tomorrow from 5 to 6":    {Title: "football training", Calendar: "family", Spans: one(timed(1, 17, 0, 60))},
		"add Emma's birthday party on 12 December":                             {Title: "Emma's birthday party", Spans: one(whole(12, 1))},
		"add Emma's party on the 12th of December 2026 to Emma's calendar":     {Title: "Emma's party", Calendar: "emma's", Spans: one(whole(12, 1))},
		"add the school play to the diary on December the 12th at half past 6": {Title: "school play", Spans: one(hourAt(12, 18, 30))},
		"create an event called Choir night tomorrow at 19:30":                 {Title: "Choir night", Spans: one(hourAt(1, 19, 30))},
		"create an event for the vet tomorrow at 4 pm":                         {Title: "vet", Spans: one(hourAt(1, 16, 0))},
		"schedule a haircut on Saturday at 10":                                 {Title: "haircut", Spans: one(hourAt(5, 10, 0))},
		"add tomorrow at 9 to my calendar plumber":                             {Title: "plumber", Mine: true, Spans: one(hourAt(1, 9, 0))},
		"put tomorrow meeting Ann at 2 in my calendar":                         {Title: "meeting Ann", Mine: true, Spans: one(hourAt(1, 14, 0))},
		"add lunch at Nan's on Sunday from 11 to 1":                            {Title: "lunch at Nan's", Spans: one(timed(6, 11, 0, 120))},
		"add shift tomorrow from 9 to 5 to the work calendar":                  {Title: "shift", Calendar: "work", Spans: one(timed(1, 9, 0, 480))},
		"add concert on Saturday from 7 to 10 pm":                              {Title: "concert", Spans: one(timed(5, 19, 0, 180))},
		"add party on Saturday from 10 pm to 2 am":                             {Title: "party", Spans: one(timed(5, 22, 0, 240))},
		"add football tomorrow 5-6pm":                                          {Title: "football", Spans: one(timed(1, 17, 0, 60))},
		"add football tomorrow at 5 for an hour and a half":                    {Title: "football", Spans: one(timed(1, 17, 0, 90))},
		"add football tomorrow at 5 until 6:15":                                {Title: "football", Spans: one(timed(1, 17, 0, 75))},
		"add dinner tonight at 8":                                              {Title: "dinner", Spans: one(hourAt(0, 20, 0))},
		"add holiday from 5 June to 12 June to the family calendar":            {Title: "holiday", Calendar: "family", Spans: one(whole(187, 8))},
		"add camp from Friday to Sunday":                                       {Title: "camp", Spans: one(whole(4, 3))},
		"add tournament all day on Saturday":                                   {Title: "tournament", Spans: one(whole(5, 1))},
		"add one to one on Friday at 3 pm":                                     {Title: "one to one", Spans: one(hourAt(4, 15, 0))},
		"add dentist to calendar 1 on Friday at 3":                             {Title: "dentist", Calendar: "calendar 1", Spans: one(hourAt(4, 15, 0))},
		"add \"A to Z\" on Friday at 3":                                        {Title: "A to Z", Spans: one(hourAt(4, 15, 0))},
		"add check the oven in two hours to my calendar":                       {Title: "check the oven", Mine: true, Spans: one(hourAt(0, 17, 0))},
		"add MOT in two weeks to my calendar":                                  {Title: "MOT", Mine: true, Spans: one(whole(14, 1))},
		"put the parents' evening in the calendar on Thursday at ten to six":   {Title: "parents' evening", Spans: one(hourAt(3, 17, 50))},
		"add dentist on Friday at 3 with Dr. Smith, please":                    {Title: "dentist with Dr. Smith", Spans: one(hourAt(4, 15, 0))},
		"put a dentist appointment in my calendar for Friday at 15.30":         {Title: "dentist appointment", Mine: true, Spans: one(hourAt(4, 15, 30))},
		"add tomorrow's lunch on Friday 4 December at 12":                      {Title: "tomorrow's lunch", Spans: one(hourAt(4, 12, 0))},
		"add dentist Friday 3pm":                                               {Title: "dentist", Spans: one(hourAt(4, 15, 0))},
		"add piano lesson Wednesday 4 to 5 pm":                                 {Title: "piano lesson", Spans: one(timed(2, 16, 0, 60))},
		"add party on December 19th 6pm to 10pm":                               {Title: "party", Spans: one(timed(19, 18, 0, 240))},
		"add party on 19th 6 pm to 10 pm":                                      {Title: "party", Spans: one(timed(19, 18, 0, 240))},
		"add review on Friday week at 3":                                       {Title: "review", Spans: one(hourAt(11, 15, 0))},
		"put in my calendar dentist Friday at 3":                               {Title: "dentist", Mine: true, Spans: one(hourAt(4, 15, 0))},
		"put it in the calendar that we are at Nan's on Sunday":                {Title: "we are at Nan's", Spans: one(whole(6, 1))},
		"make a calendar entry for Friday: bins":                               {Title: "bins", Spans: one(whole(4, 1))},
		"create a calendar event for choir on Tuesday at 7:30 pm":              {Title: "choir", Spans: one(hourAt(1, 19, 30))},
		"set up a meeting on Friday at 3":                                      {Title: "meeting", Spans: one(hourAt(4, 15, 0))},
		// Over already: the caller says so.
		"add lunch today at 1":      {Title: "lunch", Spans: one(hourAt(0, 13, 0))},
		"add lunch on 3 March 2020": {Title: "lunch", Spans: one(Span{Start: time.Date(2020, 3, 3, 0, 0, 0, 0, london), End: time.Date(2020, 3, 4, 0, 0, 0, 0, london), AllDay: true})},
		// What may be two things is asked back.
		"add dinner on Friday at 7":        {Title: "dinner", Spans: []Span{hourAt(4, 7, 0), hourAt(4, 19, 0)}},
		"add dinner on Friday at 7 to 9":   {Title: "dinner", Spans: []Span{timed(4, 7, 0, 120), timed(4, 19, 0, 120)}},
		"add dinner on Friday from 7 to 9": {Title: "dinner", Spans: []Span{timed(4, 7, 0, 120), timed(4, 19, 0, 120)}},
		"add dentist next Tuesday at 2":    {Title: "dentist", Spans: []Span{hourAt(1, 14, 0), hourAt(8, 14, 0)}},
		"add dentist on Monday at 5":       {Title: "dentist", Spans: []Span{hourAt(0, 17, 0), hourAt(7, 17, 0)}},
		"add dentist on Monday at 2":       {Title: "dentist", Spans: one(hourAt(7, 14, 0))},
		// What stands in quotation marks is the title, whatever it says.
		`add "dinner on Friday" on Saturday at 3 pm`:                {Title: "dinner on Friday", Spans: one(hourAt(5, 15, 0))},
		`add "the Friday night" on Friday at 7 pm`:                  {Title: "the Friday night", Spans: one(hourAt(4, 19, 0))},
		`add "plan next year" on Friday at 3 pm to my calendar`:     {Title: "plan next year", Mine: true, Spans: one(hourAt(4, 15, 0))},
		`add "x to the family calendar" on Friday at 3 pm`:          {Title: "x to the family calendar", Spans: one(hourAt(4, 15, 0))},
		`add "Tom's "big" day", on Friday at 3 pm`:                  {Title: `Tom's "big" day`, Spans: one(hourAt(4, 15, 0))},
		"add Friday night to my calendar on Friday at 7 pm":         {Title: "Friday night", Mine: true, Spans: one(hourAt(4, 19, 0))},
		"add the Friday to my calendar on Friday from 7 pm to 9 pm": {Title: "Friday", Mine: true, Spans: one(timed(4, 19, 0, 120))},
		// Which week, month or year is meant is not clear.
		"add x next year on 3 May at 3 pm":       {Title: "x next year", Unfit: NotClear},
		"add x next week on Thursday at 3 pm":    {Title: "x next week", Unfit: NotClear},
		"add x on Thursday next week at 3 pm":    {Title: "x next week", Unfit: NotClear},
		"add x this weekend on Saturday at 3 pm": {Title: "x this weekend", Spans: one(hourAt(5, 15, 0))},
		"add x in 3 months on Friday at 3 pm":    {Title: "x in 3 months", Unfit: NotClear},
		// What is missing, or not understood, is asked for.
		"add dentist to my calendar":                        {Title: "dentist", Mine: true, Unfit: NoDay},
		"add dentist at 3 to my calendar":                   {Title: "dentist", Mine: true, Unfit: NoDay},
		"add dentist on Friday afternoon":                   {Title: "dentist", Unfit: NoTime},
		"add football tomorrow at 5 to 6":                   {Title: "football", Unfit: NotClear},
		"add football tomorrow 5 to 6":                      {Title: "football", Unfit: NotClear},
		"add dentist at 3 for Emma on Friday":               {Title: "dentist at 3 for Emma", Unfit: NotClear},
		"add dentist on Friday for Emma at 3":               {Title: "dentist for Emma", Spans: one(hourAt(4, 15, 0))},
		"add review a week on Friday":                       {Title: "review a week", Unfit: NotClear},
		"add dentist on Friday at half thirteen":            {Title: "dentist at half thirteen", Unfit: NotClear},
		"add dentist on Friday at half":                     {Title: "dentist at half", Unfit: NotClear},
		"add dentist on Friday at 25:00":                    {Title: "dentist at 25:00", Unfit: NotClear},
		"add holiday from Friday":                           {Title: "holiday from", Unfit: NotClear},
		"add swimming on Fridays at 4":                      {Title: "swimming on Fridays", Unfit: Repeats},
		"add dentist on 30 February":                        {Title: "dentist", Unfit: NoSuchDay},
		"add dentist on Friday 5 December at 3":             {Title: "dentist", Unfit: NoSuchDay},
		"add dentist on 5/6 to my calendar":                 {Title: "dentist on 5/6", Mine: true, Unfit: NoDay},
		"put swimming on the family calendar every Tuesday": {Title: "swimming every", Calendar: "family", Unfit: Repeats},
		"add dentist on Friday from 18:00 to 17:00":         {Title: "dentist", Unfit: Backwards},
		"add look on 28 March at 1:30 am":                   {Title: "look", Unfit: NoClock},
		"add look on 31 October 2027 at 1:30 am":            {Title: "look", Unfit: NoClock},
	} {
		got, ok := ParseEvent(text, monday, []string{"Calendar 1"})
		same := ok && got.Title == want.Title && got.Calendar == want.Calendar && got.Mine == want.Mine && got.Unfit == want.Unfit && len(got.Spans) == len(want.Spans)
		for i := range got.Spans {
			// What is offered to choose from is read as what was offered, on any later day.
			again, _ := ParseEvent(Order(got.Title, got.Spans[i], "the family calendar"), monday.Add(20*time.Hour), nil)
			if len(again.Spans) != 1 || again.Spans[0] != got.Spans[i] || again.Title != got.Title || again.Calendar != "family" {
				t.Errorf("%q is read again as %+v", Order(got.Title, got.Spans[i], "the family calendar"), again)
			}
			same = same && got.Spans[i].Start.Equal(want.Spans[i].Start) && got.Spans[i].End.Equal(want.Spans[i].End) &&
				got.Spans[i].AllDay == want.Spans[i].AllDay && got.Spans[i].Assumed == want.Spans[i].Assumed
		}
		if !same {
			t.Errorf("%q is read as\n%+v, %v; want\n%+v", text, got, ok, want)
		}
	}
}

func TestOtherThingsAreNotTakenForEvents(t *testing.T) {
	for _, text := range []string{
		"what is on my calendar on Friday", "is dentist in my calendar?", "add milk to the shopping list", "put the kitchen light on tomorrow at 7", "turn on the calendar",
		"add milk", "book a table on Friday at 8 pm", "set the heating to 20 at 7", "", "add", "cancel the dentist on Friday", "add call Nan on Friday to the to-do list",
	} {
		if got, ok := ParseEvent(text, monday, nil); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}
