package homeassistant

import (
	"errors"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// besideAQuestion are orders that a question comes with, however it is said, and with what a
// microphone makes of its commas.
var besideAQuestion = []string{
	"is the bed light on and turn off the kitchen lights",
	"is the bed light on and turn the kitchen lights off",
	"is the bed light on? turn off the kitchen lights",
	"Is the bed light on, turn off the kitchen lights.",
	"is the bed light on and could you turn off the kitchen lights",
	"is the bed light on and then please turn it off",
	"is the bed light on, if so turn it off",
	"is the bed light on if so turn it off",
	"is the bed light on turn it off",
	"is the bed light on also turn off the kitchen lights",
	"is the hall window open and close it",
	"is the hall window closed, otherwise close it",
	"are the kitchen lights on and dim them",
	"are the kitchen lights on and set them to 20%",
	"which lights are on and turn them off",
	"how warm is it and set the hvac to 21",
	"what is the outside temperature and close the hall window",
	"what's on today and add milk to the shopping list",
	"what's on the shopping list and add milk",
	"what's on the shopping list and turn off the bed light",
	"what's on this weekend and remind me to buy milk at six",
	"have we got milk on the shopping list and turn on the kitchen lights",
	"tell me if the bed light is on and turn it off",
	"can you check whether the hall window is open and close it",
	"could you tell me what's on today and turn on the bed light",
	"did the heating come on and turn off the bed light",
	"when is the dentist and turn on the bed light",
	"the kitchen lights are too bright, turn them off",
	"it's dark in here and turn on the kitchen lights",
	"should I close the hall window? Turn off the bed light",
}

// spokenOf are questions and words in which nothing is ordered.
var spokenOf = []string{
	"is the bed light on",
	"is the bed light on and the hall window open",
	"is the bed light on and is the hall window open",
	"is the hall window open and the bed light off",
	"is the hall window open all day",
	"is the shop open on Sunday",
	"is the kitchen switch on",
	"is the front door lock on",
	"are the lights set to turn off at night and turn on in the morning",
	"is it true that you can turn on the kitchen lights and turn off the bed light?",
	"is it ok to open the hall window and turn on the kitchen lights?",
	"should I close the hall window and open the door?",
	"does the heating turn off at night and turn on in the morning",
	"did Nan say turn on the kitchen lights and close the door",
	"Nan said turn off the bed light and close the door",
	"how do I turn on the kitchen lights and turn off the bed light",
	"what happens if I open the garage door and close it",
	"when will the lights turn off",
	"which button do I press to open the door",
	"what made the bed light turn on",
	"if I turn off the bed light, is the hall dark?",
	"do I have to turn off the heating and close the windows",
	"whether to turn on the kitchen lights and close the door",
	"don't turn on the kitchen lights and open the door",
	"the kitchen lights should be on and the door shut",
	"what's on the list to get and make",
	"is it my turn",
	"let me know whether the kitchen lights are on",
	"what is on today and let me know when it begins",
	"kitchen lights and the weather",
}

// An order beside a question is not dropped without a word: it is said that nothing was done.
func TestAnOrderBesideAQuestionIsNotDropped(t *testing.T) {
	r := newReplay(t)
	h := connect(t, r.config())
	for _, words := range besideAQuestion {
		if got := h.says(words); got != "! "+dispatch.ErrAlone.Error() && got != "- "+oneAtATime {
			t.Errorf("%q: got %q", words, got)
		}
		q := ask.Question{Question: words, Asker: "sam"}
		if a, err := h.c.Read(t.Context(), q); !errors.Is(err, dispatch.ErrAlone) {
			t.Errorf("%q: got %+v, %v", words, a, err)
		}
	}
	for _, words := range spokenOf {
		if alsoOrders(words) {
			t.Errorf("%q is taken to order something", words)
		}
	}
}

// What is ordered for a case is not taken for a question about it.
func TestAnOrderOnAConditionIsNotDropped(t *testing.T) {
	r := newReplay(t)
	h := connect(t, r.config())
	for _, words := range []string{
		"if the hall window is open close it", "if the hall window is open, then close it", "when I come home turn on the kitchen lights", "if it rains close the hall window",
		"when the sun goes down turn on the bed light", "as soon as it gets dark turn on the flarb", "whenever Nan comes in dim the bed light", "unless Nan is here turn off the bed light",
	} {
		h.expect([2]string{words, "- " + onlyAtOnce})
	}
	for _, words := range []string{
		"when does the heating start", "when is the hall window open", "if I turn off the bed light, is the hall dark?", "when will the lights turn on", "when do you turn off the lights", "if the hall window is open",
	} {
		if !h.c.OnlyAsks(ask.Question{Question: words}) {
			t.Errorf("%q is taken for an order", words)
		}
	}
	if len(r.told) != 0 {
		t.Errorf("the agent was told %q", r.told)
	}
}

// A question behind an order is not told to the agent, which would act on what it names.
func TestAQuestionBehindAnOrderIsNotActedOn(t *testing.T) {
	r := newReplay(t)
	h := connect(t, r.config())
	for _, words := range []string{
		"turn off the bed light. Is the kitchen light on?", "turn off the bed light and is the kitchen light on", "turn off the bed light, are the kitchen lights on", "turn off the bed light and then what's on today",
		"set the bed light to 50% and how bright is the kitchen light", "turn off the bed light\nis the kitchen light on",
	} {
		if got := h.says(words); got != "! "+dispatch.ErrAlone.Error() {
			t.Errorf("%q: got %q", words, got)
		}
	}
	if len(r.told) != 0 {
		t.Errorf("the agent was told %q", r.told)
	}
}
