package guard_test

import (
	"testing"

	"github.com/askhub/askhub/internal/hub/guard"
)

// A thing of the house is no control, whatever else the words for it may mean: a ceiling is a
// limit too, and a window a time. What bears on the children's internet stays one.
func TestAThingOfTheHouseIsNoControl(t *testing.T) {
	g := guard.New(shippedFile(t), []string{"Harry", "Emma"})
	for _, q := range []string{
		"turn off the ceiling lights", "turn the ceiling light off", "switch the ceiling lamp off please", "turn on the bed light and turn off the ceiling lights",
		"turn off the bedroom ceiling light", "turn off the ceiling fan", "set the ceiling light to 20 percent", "lower the ceiling lights",
		"set the hall window to 20 percent", "set the kitchen window to 50 percent", "set the bedroom window to half", "close the living room window",
		"turn off the hvac", "turn off the heat pump", "turn off the hygrostat",
	} {
		if r := g.Check(q); r.Refused {
			t.Errorf("%q is refused as %q, for %q", q, r.Row, r.Words)
		}
	}
	for _, q := range []string{
		"put a ceiling on Harry's screen time", "lower the ceiling on his gaming to an hour", "set the kids' internet window to seven till eight",
		"move the wifi window to half past eight for Emma", "turn off the ceiling lights and the kids' wifi",
	} {
		if !g.Check(q).Refused {
			t.Errorf("%q is let by", q)
		}
	}
}

// "It" is what was named last: to lock it, leave it or turn it down is a control only where that
// is a control's thing. Tablets that are taken with water are none, for all that they are called.
func TestItIsWhatWasNamedLast(t *testing.T) {
	g := guard.New(shippedFile(t), []string{"Harry", "Emma"})
	for _, q := range []string{
		"close the greenhouse door and lock it", "shut the front window and bolt it", "the radio is too loud, turn it down",
		"close the blinds and leave them closed", "give Harry two tablets with a glass of water", "Emma has her tablets at breakfast",
	} {
		if r := g.Check(q); r.Refused {
			t.Errorf("%q is refused as %q, for %q", q, r.Row, r.Words)
		}
	}
	for _, q := range []string{
		"get Emma's iPad and lock it", "Harry's Xbox is still on, turn it off", "the boys have the internet, cut it",
		"lock the kids' tablets", "give Harry an hour on the tablets",
	} {
		if !g.Check(q).Refused {
			t.Errorf("%q is let by", q)
		}
	}
}
