package homeassistant

import (
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
)

// What asks, tells, forbids or speaks of an order is no order, however much it looks like one.
var noOrders = []string{
	"is it true that you can turn on the kitchen light?",
	"what happens if I open the garage door?",
	"how do I turn on the kitchen lights?",
	"should I close the hall window?",
	"shall we turn off the kitchen lights at night",
	"would it help to turn off the ceiling lights?",
	"could I turn off the bed light",
	"can we turn off the bed light?",
	"can you tell me whether the kitchen lights are on",
	"could you check if the bed light is off please",
	"please let me know if the kitchen lights are on",
	"if I turn off the bed light, is the hall dark?",
	"I wonder whether turn on the kitchen lights is a sentence",
	"don't turn on the kitchen lights",
	"please don’t turn on the kitchen lights",
	"do not turn off the bed light",
	"never open the hall window",
	"you must not open the hall window",
	"Nan said turn off the bed light",
	"Tom turned off the bed light",
	"somebody switched off the kitchen lights",
	"I just turned on the bed light",
	"the kitchen lights should be on",
	"kitchen lights on?",
	"the kitchen lights are too bright",
	"the bed light was on",
	"the bed light is on, isn't it?",
	"isn't the hall window open",
}

// These are orders, but for another time or under a condition, or for more than is named.
var notPlain = []string{
	"when I come home turn on the kitchen lights",
	"if the bed light is on turn it off",
	"if it rains, close the hall window",
	"turn on the kitchen lights at 7 in the evening",
	"turn on the kitchen lights at 19:00",
	"turn on the kitchen lights at seven",
	"turn off the bed light in ten minutes",
	"turn off the bed light in 10 minutes",
	"turn off the bed light in half an hour",
	"turn off the bed light for an hour",
	"turn off the bed light tomorrow",
	"turn on the kitchen lights on Monday",
	"turn on the kitchen lights if nobody is there",
	"turn on the kitchen lights unless it is dark",
	"turn off the kitchen lights when I leave",
	"set the bed light to 50% at 9pm",
	"turn on the kitchen lights but not the bed light",
	"turn off the kitchen lights except the bed light",
	"turn the kitchen lights on and the evening lamp off",
	"turn the kitchen lights off and on again",
}

// These are orders, and for now.
var plain = []string{
	"turn on the kitchen lights",
	"can you turn on the kitchen lights?",
	"please could you turn on the kitchen lights",
	"I want you to turn on the kitchen lights",
	"I'd like the kitchen lights on",
	"okay, now turn on the kitchen lights",
	"kitchen lights on",
	"kitchen lights off please",
	"set the bed light to 50%",
	"set the bed light at 30",
	"dim the bed light at 30 percent",
	"set the bed light to minimum",
	"turn up the second bed light",
	"turn off the bed light on the landing",
	"turn on the kitchen lights and turn off the evening lamp",
}

func TestOnlyAnOrderForNowIsCarriedOut(t *testing.T) {
	targets := []entity{{ID: "light.kitchen_lights", Name: "Kitchen Lights"}, {ID: "light.evening_lamp", Name: "Evening lamp"}}
	for i := range targets {
		targets[i].stems = stems(fold(targets[i].Name))
	}
	c := New(Config{Now: time.Now, Zone: func() *time.Location { return time.UTC }})
	for _, words := range noOrders {
		if !c.OnlyAsks(ask.Question{Question: words}) {
			t.Errorf("%q is taken for an order", words)
		}
	}
	for _, words := range notPlain {
		if c.OnlyAsks(ask.Question{Question: words}) {
			t.Errorf("%q is taken for a question", words)
		}
		if notNow(meant(fold(words)), targets, there{}) == "" {
			t.Errorf("%q is carried out at once", words)
		}
	}
	for _, words := range append(plain, "turn on the evening lamp") {
		if c.OnlyAsks(ask.Question{Question: words}) {
			t.Errorf("%q is taken for a question", words)
		}
		if why := notNow(meant(fold(words)), targets, there{}); why != "" {
			t.Errorf("%q is not carried out: %s", words, why)
		}
	}
}

func TestEachOrderIsSeenToBeDoneByItself(t *testing.T) {
	words := fold("turn on the kitchen lights and turn off the evening lamp, then open the hall window")
	for name, want := range map[string]string{"Kitchen Lights": "on", "Evening lamp": "off", "Hall Window": "open", "Bed light": "on"} {
		e := entity{Name: name, stems: stems(fold(name))}
		if got := wantOf(clauseOf(words, e), nil).state; got != want {
			t.Errorf("%s is wanted %s, want %s", name, got, want)
		}
	}
}
