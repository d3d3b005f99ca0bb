package words

import (
	"testing"
	"time"
)

// What was not said is asked for, and the answer alone makes the order whole.
func TestAnOrderThatLacksItsMomentIsCompleted(t *testing.T) {
	for _, row := range []struct {
		asked, question, reply string
		want                   Command
	}{
		{"set a timer", howLong, "five minutes", Command{Length: 5 * time.Minute}},
		{"Set a timer.", howLong, "For five minutes, please.", Command{Length: 5 * time.Minute}},
		{"set a timer", howLong, "about an hour and a half", Command{Length: 90 * time.Minute}},
		{"set a timer", howLong, "until six", Command{}}, // of a timer, six may be minutes
		{"set a timer", howLong, "ten", Command{}},       // minutes or hours: asked again
		{"set a timer for ten", howLong, "ten minutes", Command{Length: 10 * time.Minute}},
		{"set a timer", howLong, "until half past six", Command{Due: on(0, 18, 30)}},
		{"set a timer", howLong, "a timer for ten minutes", Command{Length: 10 * time.Minute}},
		{"a timer", howLong, "90 seconds", Command{Length: 90 * time.Second}},
		{"a timer please", howLong, "make it 3 minutes", Command{Length: 3 * time.Minute}},
		{"start an egg timer", howLong, "four minutes", Command{Length: 4 * time.Minute, Name: "egg"}},
		{"set a timer for the soft eggs", howLong, "four minutes", Command{Length: 4 * time.Minute, Name: "soft eggs"}},
		{"set an alarm", whenRing, "seven", Command{Due: on(0, 19, 0)}},
		{"an alarm please", whenRing, "7 am", Command{Due: on(1, 7, 0)}},
		{"set a school alarm", whenRing, "tomorrow at seven", Command{Due: on(1, 7, 0), Name: "school"}},
		{"wake me up", whenRing, "at seven tomorrow morning", Command{Due: on(1, 7, 0)}},
		{"remind me to call Nan", whenRemind, "at six", Command{Reminder: true, Due: on(0, 18, 0), Words: "call Nan"}},
		{"Remind me to call Nan.", whenRemind, "Six.", Command{Reminder: true, Due: on(0, 18, 0), Words: "call Nan"}},
		{"remind me to call Nan", whenRemind, "in twenty minutes", Command{Reminder: true, Due: monday.Add(20 * time.Minute), Words: "call Nan"}},
		{"remind me to call Nan", whenRemind, "20 minutes", Command{Reminder: true, Due: monday.Add(20 * time.Minute), Words: "call Nan"}},
		{"remind me to call Nan", whenRemind, "tomorrow morning", Command{Reminder: true, Due: on(1, 9, 0), Words: "call Nan"}},
		{"remind me to call Nan", whenRemind, "Wednesday at six", Command{Reminder: true, Due: on(2, 18, 0), Words: "call Nan"}},
		{"remind Harry to call Nan", whenRemind, "the 3rd at six", Command{Reminder: true, Due: on(3, 18, 0), For: "Harry", Words: "call Nan"}},
		{"remind me about the match", whenRemind, "at noon", Command{Reminder: true, Due: on(1, 12, 0), Words: "the match"}},
		{"set a reminder to turn the oven on", whenRemind, "at six", Command{Reminder: true, Due: on(0, 18, 0), Words: "turn the oven on"}},
		{"remind me", whenAndWhat, "at six to call Nan", Command{Reminder: true, Due: on(0, 18, 0), Words: "call Nan"}},
		{"set a reminder", whenAndWhat, "at six", Command{Reminder: true, Due: on(0, 18, 0)}},
		{"remind me", whenAndWhat, "to call Nan", Command{Reminder: true, Words: "call Nan"}}, // and then when
	} {
		if got, ok := Missing(row.asked, monday); !ok || got != row.question {
			t.Errorf("%q is asked back with %q, %v; want %q", row.asked, got, ok, row.question)
		}
		whole, ok := Complete(row.asked, row.reply, monday)
		got, _ := Parse(whole, monday)
		row.want.Verb = Set
		if row.want.Length > 0 {
			row.want.Due = monday.Add(row.want.Length)
		}
		if row.want.Due.IsZero() && !row.want.Reminder {
			got.Name = "" // "ten", until it is known what
		}
		if !ok || got != row.want {
			t.Errorf("%q, %q: %q is read as\n%+v, %v; want\n%+v", row.asked, row.reply, whole, got, ok, row.want)
		}
	}
}

// Words that do more than say what is missing are a question of their own, and never part
// of the order.
func TestOtherWordsCompleteNothing(t *testing.T) {
	for _, asked := range []string{"set a timer", "wake me up", "remind me to call Nan", "remind me"} {
		for _, reply := range []string{
			"never mind", "no", "stop", "turn on the light", "what is the time?", "turn off the light in five minutes", "five minutes is too long", "I don't know", "", "please",
			"set a pasta timer for ten minutes", "cancel all timers", "call Nan at six", "is it six?", "how long is left", "open the window at six",
			"in five minutes turn off the kids' internet", "every day at six", "five or ten minutes", "minus five minutes",
		} {
			if whole, ok := Complete(asked, reply, monday); ok {
				t.Errorf("%q, %q makes %q", asked, reply, whole)
			}
		}
	}
	for _, asked := range []string{
		"set a timer for ten minutes", "set a timer every ten minutes", "turn on the light", "cancel the timer", "how long is left?", "add five minutes to the timer", "remind me at six",
		// A time that was not understood stands beside no other.
		"remind me at 25:00 to eat", "remind me to eat next week on Tuesday", "remind me to meet Ann on Friday at the office", "remind me yesterday to eat", "remind me in 10 years to eat",
	} {
		if whole, ok := Complete(asked, "in five minutes", monday); ok {
			t.Errorf("%q makes %q", asked, whole)
		}
		if got, ok := Missing(asked, monday); ok {
			t.Errorf("%q is asked back with %q", asked, got)
		}
	}
}
