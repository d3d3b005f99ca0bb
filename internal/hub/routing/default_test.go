package routing_test

import (
	"testing"

	"github.com/askhub/askhub/internal/hub/routing"
)

func TestTheShippedFileHasNoProblem(t *testing.T) {
	f, problems := routing.Parse("routing.md", routing.Default())
	for _, p := range problems {
		t.Errorf("line %d: %s: %s", p.Line, p.Severity, p.Message)
	}
	if f == nil {
		t.Fatal("no file")
	}
	if len(f.Destinations) != 12 || len(f.Overlaps) != 7 || len(f.NeverRoute) != 8 || len(f.WaysIn) != 3 {
		t.Errorf("destinations, overlaps, never-route, ways in = %d, %d, %d, %d; want 12, 7, 8, 3",
			len(f.Destinations), len(f.Overlaps), len(f.NeverRoute), len(f.WaysIn))
	}
	for _, c := range f.NeverRoute {
		if len(c.Phrasings) < 2 {
			t.Errorf("line %d: %q has %d phrasings", c.Line, c.Action, len(c.Phrasings))
		}
	}
	artemis, _ := f.Find("artemis")
	if artemis.Kind != routing.KindCommand || artemis.Note != "action only" || !artemis.Placeholder {
		t.Errorf("artemis = %+v", artemis)
	}
	if got := f.Overlaps[1].Preferred.Projects; len(got) != 3 || len(f.Overlaps[1].Other.Projects) != 0 {
		t.Errorf("the day summary is %+v", f.Overlaps[1])
	}
}
