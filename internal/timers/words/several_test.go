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
		"set a timer for ten minutes and what's on today",
		"set a timer for ten minutes. Is it raining?",
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

func TestAListBesideAnotherOrderIsNotChanged(t *testing.T) {
	for _, text := range []string{
		"add milk to the shopping list and turn on the bed light",
		"add milk to the shopping list, then set a timer for five minutes",
		"add milk to the shopping list and add nails to the hardware list",
		"add milk to the shopping list. Remove eggs from the shopping list.",
		"add milk to the shopping list and what's on it",
		"turn off the lamp and add milk to the shopping list",
		"add dentist on Friday to the calendar and add milk to the shopping list",
		"tick off milk on the shopping list and remind me at six to call Nan",
	} {
		if c, ok := ParseList(text, nil); !ok || c.Verb != ListSeveral {
			t.Errorf("%q is read as %+v, %v", text, c, ok)
		}
	}
	for text, item := range map[string]string{
		"add milk to the shopping list and eggs":                      "milk and eggs",
		"add call mum and open the post to my to-do list":             "call mum and open the post",
		"add wash the car, put the bins out to the to-do list please": "wash the car, put the bins out",
	} {
		if c, ok := ParseList(text, nil); !ok || c.Verb != ListAdd || c.Item != item {
			t.Errorf("%q is read as %+v, %v", text, c, ok)
		}
	}
}

func TestAnEventBesideSomethingElseIsNotAdded(t *testing.T) {
	for _, text := range []string{
		"add dentist on Friday at 3 to my calendar and turn on the bed light",
		"add dentist on Friday at 3 to my calendar, then remind me at six to call Nan",
		"add dentist on Friday at 3 and swimming on Saturday at 10 to my calendar",
		"add dentist on Friday and swimming on Saturday to the family calendar",
		"add dentist on Friday at 3 and swimming on Saturday at 10",
	} {
		if e, ok := ParseEvent(text, monday, nil); !ok || e.Unfit != several {
			t.Errorf("%q is read as %+v, %v", text, e, ok)
		}
	}
	for text, title := range map[string]string{
		"add dinner and drinks on Friday at 7 pm":                                  "dinner and drinks",
		"add football and then pick up Tom on Friday at 3 to my calendar":          "football and then pick up Tom",
		`add "dentist on Friday and swimming" on Saturday at 10 to my calendar`:    "dentist on Friday and swimming",
		"add camp from Friday to Sunday to my calendar":                            "camp",
		"put clean the car and put the bins out on Friday at 3 pm in the calendar": "clean the car and put the bins out",
	} {
		if e, ok := ParseEvent(text, monday, nil); !ok || e.Unfit != "" || e.Title != title {
			t.Errorf("%q is read as %+v, %v", text, e, ok)
		}
	}
}
