package decide

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask"
)

var (
	//go:embed testdata/looked_at.txt
	lookedAt string
	//go:embed testdata/blind.txt
	blind string
)

// sameSet is whether a decision goes where it should, in whatever order the projects
// are written.
func sameSet(want, got string) bool {
	a, b := strings.Fields(want), strings.Fields(got)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// TestTheRouterOnSentencesByKind scores sentences that it never learned: some that were
// looked at when it was made, and the blind ones, that were written after its last
// change. With -v it tells each kind, and the confusion that is left.
func TestTheRouterOnSentencesByKind(t *testing.T) {
	for _, set := range []struct{ name, src string }{{"looked at", lookedAt}, {"blind", blind}} {
		t.Run(set.name, func(t *testing.T) { scoreByKind(t, set.src) })
	}
}

func scoreByKind(t *testing.T, src string) {
	t.Helper()
	e := NewEmbedded(shipped(t, ask.Capabilities{Project: "compass_nhs", People: family}))
	kinds, confusion := map[string]*measured{}, map[string]int{}
	var all measured
	kind := ""
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "= "); ok {
			kind = name
			kinds[kind] = new(measured)
		}
		want, question, ok := strings.Cut(line, ": ")
		if !ok || line[0] == '#' {
			continue
		}
		d := e.Decide(question)
		got := told(d)
		if sameSet(want, got) {
			want = got // the file has its own order of projects
		}
		var m measured
		if !m.add(want, d) {
			t.Logf("%s: %q: %s (%s, %.2f), want %s", kind, question, got, d.Reason, d.Confidence, want)
			if d.Outcome == "clarify" {
				got = "clarify"
			}
			confusion[fmt.Sprintf("%s, taken for %s", want, got)]++
		}
		all.plus(m)
		kinds[kind].plus(m)
	}
	for _, name := range sorted(kinds) {
		t.Logf("%-28s %s", name, kinds[name])
	}
	for what, n := range confusion {
		if n > 1 {
			t.Logf("%d times %s", n, what)
		}
	}
	t.Logf("%-28s %s", "all", &all)
	if share := float64(all.right) / float64(all.n); share < 0.85 {
		t.Errorf("right on %.3f, want 0.85", share)
	}
	if share := float64(all.confident) / float64(all.n); share > 0.05 {
		t.Errorf("%.3f named a wrong project without asking, want at most 0.05", share)
	}
}
