package words

import "testing"

// What is only a part of what was said is not done by itself.
func TestSeveralThingsInOneAreAskedForOneAtATime(t *testing.T) {
	for _, text := range []string{
		"turn on the bed light and set a timer for five minutes",
		"set a timer for five minutes and turn on the bed light",
		"set a timer for five minutes, turn on the bed light",
		"set a timer for ten minutes then turn off the lamp",
		"set a timer for ten minutes. Turn off the lamp.",
		"set a 5 minute timer and remind me at six to call Nan",
		"set a pasta timer for ten minutes and an egg timer for five minutes",
		"set two timers for five minutes",
		"wake me at seven and turn on the bed light",
		"cancel the timer and turn on the bed light",
		"turn off the bed light and cancel the timer",
		"cancel the five minute timer and the ten minute timer",
		"cancel the pasta timer and set a new one for ten minutes",
		"how long is left on the timer and turn off the bed light",
		"what timers are running, and open the blinds",
		"add dentist on Friday at 3 to my calendar and set a timer for 5 minutes",
	} {
		if c, ok := Parse(text, monday); !ok || c.Unfit != several {
			t.Errorf("%q is read as %+v, %v", text, c, ok)
		}
	}
	for _, text := range []string{
		"set a timer for ten minutes and start it",
		"set a timer for ten minutes and tell me when it is over",
		"set a salt and pepper timer for five minutes",
		"set a timer for two hours and ten minutes",
		"set a put and take timer for one minute",
		"wake me at seven and tell me",
		"cancel all timers and alarms",
		"cancel the five minute timer",
		"stop the timer, and stop it now",
		"how long is left on the pasta and the egg timer",
		"what timers and reminders are there",
		"remind me at six to call Nan and set the table for ten minutes in five hours",
		"remind me at six to turn off the oven, and close the door",
	} {
		if c, ok := Parse(text, monday); !ok || c.Unfit != "" {
			t.Errorf("%q is read as %+v, %v", text, c, ok)
		}
	}
}
