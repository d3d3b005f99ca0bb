package decide

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/hub/routing"
)

//go:embed testdata/projects.txt
var madeUp string

//go:embed testdata/blind_projects.txt
var blindProjects string

// madeUpProjects are the rows of testdata/projects.txt and its sentences by kind.
func madeUpProjects(t *testing.T, src string) (rows []string, sentences map[byte][][2]string) {
	t.Helper()
	sentences = map[byte][][2]string{}
	project := ""
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		kind, text := line[0], line[2:]
		switch kind {
		case '=':
			project, _, _ = strings.Cut(text, ":")
			rows = append(rows, text)
		case '-':
			want, question, _ := strings.Cut(text, ": ")
			sentences[kind] = append(sentences[kind], [2]string{want, question})
		default:
			sentences[kind] = append(sentences[kind], [2]string{"route " + project, text})
		}
	}
	return rows, sentences
}

// added is the shipped file with those rows below its own.
func added(t *testing.T, rows ...string) routing.View {
	t.Helper()
	view := shipped(t)
	file := *view.File
	file.Destinations = append(slices.Clone(file.Destinations), household(rows...).File.Destinations...)
	view.File = &file
	return view
}

func TestProjectsThatNobodyForesawByTheirRowsAlone(t *testing.T) {
	t.Run("sixteen that were looked at", func(t *testing.T) { checkMadeUp(t, madeUp) })
	t.Run("five that were not", func(t *testing.T) { checkMadeUp(t, blindProjects) })
}

func checkMadeUp(t *testing.T, src string) {
	t.Helper()
	rows, sentences := madeUpProjects(t, src)
	e := NewEmbedded(added(t, rows...))
	for _, c := range []struct {
		kind            byte
		what            string
		right, wrongMax float64
	}{
		{'+', "says one of its topics", 0.90, 0.05},
		{'~', "other words for it", 0, 0.25},
		{'-', "only sounds like it", 0.75, 0.15},
	} {
		var all measured
		among := 0 // asked back, with the right one among the candidates
		for _, s := range sentences[c.kind] {
			d := e.Decide(s[1])
			if d.Outcome == routing.OutcomeClarify && slices.Contains(d.Projects, strings.TrimPrefix(s[0], "route ")) {
				among++
			}
			if !all.add(s[0], d) {
				t.Logf("%c %q: %s (%s, %.2f), want %s", c.kind, s[1], told(d), d.Reason, d.Confidence, s[0])
			}
		}
		t.Logf("%-24s %s, asked back with it among the candidates %.3f", c.what, &all, float64(among)/float64(all.n))
		if share := float64(all.right) / float64(all.n); share < c.right {
			t.Errorf("%s: right on %.3f, want %.2f", c.what, share, c.right)
		}
		if share := float64(all.confident) / float64(all.n); share > c.wrongMax {
			t.Errorf("%s: %.3f named a wrong project without asking", c.what, share)
		}
	}
}
