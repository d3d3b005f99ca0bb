package words

import (
	"testing"
	"time"
)

var london = func() *time.Location {
	l, err := time.LoadLocation("Europe/London")
	if err != nil {
		panic(err)
	}
	return l
}()

// monday is a Monday at three in the afternoon.
var monday = time.Date(2026, 11, 30, 15, 0, 0, 0, london)

func on(day, hour, minute int) time.Time {
	return time.Date(2026, 11, 30+day, hour, minute, 0, 0, london)
}

func TestTimersAreReadAsTheyAreSaid(t *testing.T) {
	for text, want := range map[string]Command{
		"set a timer for ten minutes":                           {Length: 10 * time.Minute},
		"Set a 10 minute timer.":                                {Length: 10 * time.Minute},
		"set a ten-minute timer":                                {Length: 10 * time.Minute},
		"please start a pasta timer for 8 mins":                 {Length: 8 * time.Minute, Name: "pasta"},
		"timer 5 minutes":                                       {Length: 5 * time.Minute},
		"ninety second timer":                                   {Length: 90 * time.Second},
		"can you set a timer for an hour and a half":            {Length: 90 * time.Minute},
		"set a timer for one and a half hours":                  {Length: 90 * time.Minute},
		"set a timer for half an hour for the roast":            {Length: 30 * time.Minute, Name: "roast"},
		"set a timer for 1 hour 20 minutes":                     {Length: 80 * time.Minute},
		"set a timer for two hours and ten minutes":             {Length: 130 * time.Minute},
		"set a timer for a quarter of an hour":                  {Length: 15 * time.Minute},
		"set an egg timer for three and a half minutes":         {Length: 210 * time.Second, Name: "egg"},
		"set a timer called soft eggs for twenty-five minutes":  {Length: 25 * time.Minute, Name: "soft eggs"},
		"set a timer for twenty five minutes":                   {Length: 25 * time.Minute},
		"set a timer for 1h30m":                                 {Length: 90 * time.Minute},
		"set a timer":                                           {},
		"set an alarm for 7 am":                                 {Due: on(1, 7, 0)},
		"wake me up at seven":                                   {Due: on(0, 19, 0)},
		"wake me at half past six tomorrow morning":             {Due: on(1, 6, 30)},
		"wake us up in half an hour":                            {Due: on(0, 15, 30)},
		"add a timer for ten minutes":                           {Length: 10 * time.Minute},
		"put the timer on for ten minutes":                      {Length: 10 * time.Minute},
		"set an alarm for half past five":                       {Due: on(0, 17, 30)},
		"set a timer for 10 minutes and another for the carrot": {Length: 10 * time.Minute, Name: "another carrot"},
	} {
		want.Verb = Set
		if want.Length > 0 {
			want.Due = monday.Add(want.Length)
		}
		if got, ok := Parse(text, monday); !ok || got != want {
			t.Errorf("%q is read as %+v, %v; want %+v", text, got, ok, want)
		}
	}
}

func TestRemindersAreReadAsTheyAreSaid(t *testing.T) {
	for text, want := range map[string]Command{
		"remind me at six to take the bins out":             {Due: on(0, 18, 0), Words: "take the bins out"},
		"remind me to take the bins out at six.":            {Due: on(0, 18, 0), Words: "take the bins out"},
		"Remind me to call Nan at 6:30 pm":                  {Due: on(0, 18, 30), Words: "call Nan"},
		"remind me in twenty minutes to check the oven":     {Due: monday.Add(20 * time.Minute), Words: "check the oven"},
		"remind me to check the oven in an hour":            {Due: monday.Add(time.Hour), Words: "check the oven"},
		"remind me tomorrow at 8 to pay Mr. Smith":          {Due: on(1, 8, 0), Words: "pay Mr. Smith"},
		"remind me tomorrow morning to ring the school":     {Due: on(1, 9, 0), Words: "ring the school"},
		"remind me to ring the school tomorrow":             {Due: on(1, 9, 0), Words: "ring the school"},
		"remind me tomorrow to call Nan at six":             {Due: on(1, 18, 0), Words: "call Nan"},
		"remind me on Friday at noon to buy milk":           {Due: on(4, 12, 0), Words: "buy milk"},
		"remind me on monday at two to buy milk":            {Due: on(7, 14, 0), Words: "buy milk"},
		"remind me at quarter to seven about the match":     {Due: on(0, 18, 45), Words: "the match"},
		"remind me at ten past four to leave":               {Due: on(0, 16, 10), Words: "leave"},
		"remind me at two to leave":                         {Due: on(1, 14, 0), Words: "leave"},
		"remind me at 02:00 to leave":                       {Due: on(1, 2, 0), Words: "leave"},
		"remind me tonight to put the bins out":             {Due: on(0, 20, 0), Words: "put the bins out"},
		"remind me at seven in the morning to feed the cat": {Due: on(1, 7, 0), Words: "feed the cat"},
		"remind me at midnight to sleep":                    {Due: on(1, 0, 0), Words: "sleep"},
		"remind Harry at five to do his homework":           {Due: on(0, 17, 0), For: "Harry", Words: "do his homework"},
		"set a reminder for 5 pm to leave":                  {Due: on(0, 17, 0), Words: "leave"},
		"set a reminder to buy two eggs":                    {Words: "buy two eggs"},
		"remind me to buy milk":                             {Words: "buy milk"},
		"remind me at six":                                  {Due: on(0, 18, 0)},
		"remind me today at one pm to eat":                  {Due: on(0, 13, 0), Words: "eat"},
		"remind me today at two to eat":                     {Due: on(0, 14, 0), Words: "eat"},
		"remind me at two this afternoon to eat":            {Due: on(0, 14, 0), Words: "eat"},
		"remind me on 12 December to wrap presents":         {Due: on(12, 9, 0), Words: "wrap presents"},
		"remind me on the 3rd at six to pay the window man": {Due: on(3, 18, 0), Words: "pay the window man"},
		"remind me to pay on December the twenty-first":     {Due: on(21, 9, 0), Words: "pay"},
		"remind me on 30 February to pay":                   {Words: "pay"},
	} {
		want.Verb, want.Reminder = Set, true
		if got, ok := Parse(text, monday); !ok || got != want {
			t.Errorf("%q is read as\n%+v, %v; want\n%+v", text, got, ok, want)
		}
	}
}

func TestQuestionsAndCancellationsAreReadAsTheyAreSaid(t *testing.T) {
	for text, want := range map[string]Command{
		"how long is left":                               {Verb: Left},
		"how long is left on the pasta timer?":           {Verb: Left, Name: "pasta"},
		"how much time is left on my timer":              {Verb: Left},
		"when does the egg timer go off":                 {Verb: Left, Name: "egg"},
		"what timers are running?":                       {Verb: List},
		"list my timers":                                 {Verb: List},
		"do I have any reminders?":                       {Verb: List, Reminder: true},
		"what timers and reminders are there":            {Verb: List, Reminder: true, Either: true},
		"cancel the pasta timer":                         {Verb: Cancel, Name: "pasta"},
		"stop the timer":                                 {Verb: Cancel},
		"turn off the timer":                             {Verb: Cancel},
		"cancel all timers":                              {Verb: Cancel, All: true},
		"cancel my timers":                               {Verb: Cancel, All: true},
		"cancel the ten minute timer":                    {Verb: Cancel, Length: 10 * time.Minute},
		"delete the reminder about the bins":             {Verb: Cancel, Reminder: true, Name: "bins"},
		"forget my reminder to call Nan":                 {Verb: Cancel, Reminder: true, Name: "call nan"},
		"clear all my timers and reminders, every last ": {Verb: Cancel, Reminder: true, Either: true, All: true, Name: "last"},
	} {
		if got, ok := Parse(text, monday); !ok || got != want {
			t.Errorf("%q is read as %+v, %v; want %+v", text, got, ok, want)
		}
	}
}

func TestOtherThingsAreNotTakenForTimers(t *testing.T) {
	for _, text := range []string{
		"turn on the kitchen light", "what's on my calendar today", "how long is the film", "how long does pasta take", "stop the music", "is the light on",
		"set the heating to 20", "when is the dentist", "cancel the meeting", "add an egg timer to the shopping list", "is the egg timer on the shopping list?", "turn on the timer light", "", "what is the time", "how long has Harry been online",
	} {
		if got, ok := Parse(text, monday); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

// At the hours at which clocks change, a moment is one that there is.
func TestTheHourThatClocksSkipOrRepeat(t *testing.T) {
	spring := time.Date(2027, 3, 28, 0, 30, 0, 0, london) // 1:00 becomes 2:00
	got, _ := Parse("remind me at 1:30 am to look", spring)
	if !got.Due.After(spring) || got.Due.Sub(spring) > 2*time.Hour {
		t.Errorf("due %v, asked at %v", got.Due, spring)
	}
	autumn := time.Date(2026, 10, 25, 0, 30, 0, 0, london)
	got, _ = Parse("set a timer for 3 hours", autumn)
	if got.Due.Sub(autumn) != 3*time.Hour {
		t.Errorf("three hours became %v", got.Due.Sub(autumn))
	}
}

// A moment is never over when it is set, unless a day was named, and no words make it panic.
func FuzzAMomentLiesAhead(f *testing.F) {
	for _, s := range []string{"remind me at six to x", "set a timer for 99999 weeks", "remind me in a half and a half hours", "cancel 1h", "timer half", "remind x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := Parse(text, monday)
		if !ok || c.Due.IsZero() {
			return
		}
		_, year := DayIn(text, monday)
		if c.Due.Before(on(0, 0, 0)) && !year || c.Length < 0 {
			t.Fatalf("%q is due %v, after %v", text, c.Due, c.Length)
		}
	})
}
