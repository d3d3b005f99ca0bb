package decide

import (
	"slices"
	"testing"

	"github.com/askhub/askhub/internal/hub/routing"
)

// What nobody has heard of is a thing to buy where it is needed, and goes to the lists.
func TestANeedOfWhatNobodyKnowsIsForTheLists(t *testing.T) {
	e := NewEmbedded(shipped(t))
	for _, question := range []string{"we need quinoa", "we need tempeh", "we need milk", "We also need gochujang.", "we need some more tahini", "we need to buy dowels", "we still need fertiliser"} {
		if d := e.Decide(question); d.Outcome != routing.OutcomeRoute || !slices.Equal(d.Projects, []string{"home_assistant"}) {
			t.Errorf("%q: got %s to %q", question, d.Outcome, d.Projects)
		}
	}
	for _, question := range []string{"we need a plumber", "we need help", "we need", "we need to", "we need time"} {
		if d := e.Decide(question); d.Outcome == routing.OutcomeRoute {
			t.Errorf("%q goes to %q", question, d.Projects)
		}
	}
	if d := e.Decide("we need rain"); !slices.Equal(d.Projects, []string{"web_search"}) {
		t.Errorf("rain is looked for in %q", d.Projects)
	}
}
