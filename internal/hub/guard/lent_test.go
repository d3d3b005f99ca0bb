package guard_test

import (
	"fmt"
	"testing"
)

// One verb for several things orders each of them: "turn off the lamp and the wifi" is "turn
// off the wifi" too, and is refused whole. Together nothing is refused that each would not be.
func TestOneVerbForSeveralThingsIsAnOrderForEach(t *testing.T) {
	g := newGuard()
	innocent := []string{"the lamp", "the kitchen lights", "the heating", "the AC", "the telly", "the washing machine"}
	control := []string{"the wifi", "the internet", "the xbox", "the tablet", "the router", "Emma's tablet", "the kids' phones"}
	n := 0
	for _, form := range []struct{ alone, together string }{
		{"turn off %s", "turn off %s and %s"},
		{"turn %s off", "turn %s and %s off"},
		{"turn %s off", "turn %s off and %s"},
		{"turn %s off", "turn %s off and %s off"},
		{"turn %s off", "turn the fan, %s and %s off"},
		{"switch off %s", "switch off %s, %s and the fan"},
		{"please switch off %s", "please switch off the fan, %s and %s"},
		{"can you turn off %s", "can you turn off %s and also %s"},
		{"turn off %s", "Turn off %s, then %s."},
		{"turn off %s", "it's late. turn off %s and %s. thank you"},
		{"shut off %s", "shut off %s plus %s"},
		{"turn off %s", "turn off %s as well as %s"},
		{"turn off %s", "turn off %s & %s"},
		{"I'd like you to turn off %s", "I'd like you to turn off %s and %s"},
		{"we need to shut off %s", "we need to shut off %s and %s"},
	} {
		for i, a := range innocent {
			for _, b := range control {
				if !g.Check(fmt.Sprintf(form.alone, b)).Refused {
					continue
				}
				n++
				if q := fmt.Sprintf(form.together, a, b); !g.Check(q).Refused {
					t.Errorf("let by: %s", q)
				}
			}
			if q := fmt.Sprintf(form.together, a, innocent[(i+1)%len(innocent)]); g.Check(q).Refused {
				t.Errorf("refused: %s", q)
			}
		}
	}
	if n < 600 {
		t.Errorf("only %d orders are refused alone", n)
	}
}

// Who asks, tells or writes down what stands behind one verb orders nothing.
func TestOneVerbForSeveralThingsThatIsOnlySpokenOfIsNone(t *testing.T) {
	g := newGuard()
	for _, q := range []string{
		"how do I turn off the lamp and the wifi?", "is the lamp on and the wifi off?", "remind me to turn off the lamp and the wifi",
		"add batteries and a wifi cable to the shopping list", "did the storm knock out the lights and the wifi?",
		"turn on the lamp. is the wifi on?", "turn on the lamp and is the wifi on?", "turn on the lamp, what is the wifi password?", "turn on the lamp and tell me whether the wifi works",
	} {
		if r := g.Check(q); r.Refused {
			t.Errorf("%q was refused for %q", q, r.Words)
		}
	}
}
