package homeassistant

import (
	"slices"
	"testing"
)

// What is only remarked before an order does not keep it from being carried out; what is more
// than a remark does.
func TestARemarkBeforeAnOrderIsLeftOut(t *testing.T) {
	r := newReplay(t)
	h := connect(t, r.config())
	for _, words := range []string{
		"it's cold in here, turn off the bed light", "It's too bright. turn off the bed light", "I'm off to bed, turn off the bed light", "oh it's late! turn off the bed light", "we're leaving, turn off the bed light", "it is dark, turn off the bed light",
	} {
		r.told = nil
		if got := h.says(words); got != "The bed light is off." || !slices.Equal(r.told, []string{"turn off the bed light"}) {
			t.Errorf("%q: got %q, and the agent was told %q", words, got, r.told)
		}
	}
	r.told = nil
	for _, words := range []string{
		"I'm home at six, turn off the bed light", "it's tomorrow that I leave, turn off the bed light", "we're out of milk, turn off the bed light", "it's not dark, turn off the bed light",
		"I'm told to say, turn off the bed light", "it's on if you turn it, turn off the bed light", "it's dark, isn't it, turn off the bed light?", "it's dark, don't turn off the bed light",
		"it's dark, Nan said turn off the bed light", "it's cold, turn off the bed light tomorrow", "it's cold, if it rains turn off the bed light",
	} {
		h.says(words)
		if len(r.told) != 0 {
			t.Errorf("%q: the agent was told %q", words, r.told)
			r.told = nil
		}
	}
}
