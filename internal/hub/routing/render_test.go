package routing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/askhub/askhub/internal/hub/routing"
)

// writer renders a File as a household might write it, and sets the lines that the
// parser has to find.
type writer struct {
	t     *rapid.T
	lines []string
	// prefix puts the next lines into a quotation or a list.
	prefix string
}

func (w *writer) line(format string, args ...any) int {
	w.lines = append(w.lines, w.prefix+fmt.Sprintf(format, args...))
	return len(w.lines)
}

func (w *writer) pick(options ...string) string {
	return rapid.SampledFrom(options).Draw(w.t, "pick")
}

// escape writes s so that Markdown gives it back. Every mark of Markdown's is escaped.
func (w *writer) escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>()#+-.!|~&'/", r):
			if rapid.Bool().Draw(w.t, "entity") {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteString(`\` + string(r))
			}
		default:
			b.WriteRune(r)
		}
	}
	s = b.String()
	return w.pick("", " ") + s + w.pick("", "  ")
}

// name writes a project's name.
func (w *writer) name(name, note string) string {
	s := w.pick(name, "`"+name+"`", "**"+name+"**")
	if note != "" {
		s += " (" + note + ")"
	}
	return s
}

// table writes a table with its columns in any order, and gives each row's line.
func (w *writer) table(header []string, rows [][]string) []int {
	w.prefix = ""
	w.line("")
	w.line("Words for people.")
	w.line("")
	switch w.pick("plain", "quote", "list") {
	case "quote":
		w.prefix = "> "
	case "list":
		w.line("- one point")
		w.line("")
		w.prefix = "  "
	}
	order := make([]int, len(header))
	for i := range order {
		order[i] = i
	}
	order = rapid.Permutation(order).Draw(w.t, "order")
	outer := w.pick("|", "")
	// Without an outer bar a row loses an empty cell or a bar of its own at either end.
	for _, r := range rows {
		first, last := strings.TrimSpace(r[order[0]]), strings.TrimSpace(r[order[len(order)-1]])
		if first == "" || last == "" || strings.HasSuffix(last, "|") {
			outer = "|"
		}
	}
	write := func(cells []string) int {
		ordered := make([]string, len(cells))
		for i, from := range order {
			ordered[i] = cells[from]
		}
		return w.line("%s %s %s", outer, strings.Join(ordered, " | "), outer)
	}
	write(header)
	dashes := make([]string, len(header))
	for i := range dashes {
		dashes[i] = w.pick("---", ":---", "---:", ":--:")
	}
	write(dashes)
	var at []int
	for _, r := range rows {
		at = append(at, write(r))
	}
	w.prefix = ""
	w.line("")
	return at
}

func (w *writer) side(s routing.Side) string {
	switch len(s.Projects) {
	case 0:
		return w.pick("one project", "One project")
	case 1:
		return w.name(s.Projects[0], s.Note)
	}
	var names []string
	for _, p := range s.Projects {
		names = append(names, w.name(p, ""))
	}
	list := strings.Join(names, " + ")
	return w.pick("fanout ("+list+")", "fanout: "+list, "Fanout: ("+list+")")
}

func (w *writer) file(f *routing.File) []byte {
	w.line("# Our house")
	var rows [][]string
	for _, d := range f.Destinations {
		var topics []string
		for _, t := range d.Topics {
			topics = append(topics, w.escape(t))
		}
		kind := map[routing.Kind]string{
			routing.KindQuery: "query, `/ask`", routing.KindCommand: "command (direct)", routing.KindDecision: "decision, approval",
			routing.KindPeer: "peer", routing.KindWayIn: "way in",
		}[d.Kind]
		if d.Note != "" {
			kind += " (" + d.Note + ")"
		}
		status := w.pick("active service", "Active")
		if d.Placeholder {
			status = w.pick("placeholder — not built", "placeholder - not built", "Placeholder")
		}
		rows = append(rows, []string{strings.Join(topics, ","), w.name(d.Project, ""), kind, status})
	}
	w.line("%s", w.pick("## 1. Topic to project map", "# Topic to Project Map", "### 1) *topic* to project map ###"))
	for i, at := range w.table([]string{"Topic (what the user says)", "Project", "Kind", "Status"}, rows) {
		f.Destinations[i].Line = at
	}
	rows = nil
	for _, n := range f.WaysIn {
		rows = append(rows, []string{w.name(n, ""), "a reason"})
	}
	w.line("#### Ways in")
	w.table([]string{"Name", "Why it is not a destination"}, rows)

	rows = nil
	for _, o := range f.Overlaps {
		var phrases []string
		for _, p := range o.Phrases {
			open := w.pick(`"`, "“")
			phrases = append(phrases, open+w.escape(p)+map[string]string{`"`: `"`, "“": "”"}[open])
		}
		rows = append(rows, []string{strings.Join(phrases, w.pick(" / ", ", ")), w.side(o.Preferred), w.side(o.Other), w.escape(o.Reason)})
	}
	w.line("## 2. Preferred project when two overlap")
	for i, at := range w.table([]string{"Overlap", "Preferred", "Other", w.pick("Reason", "Why")}, rows) {
		f.Overlaps[i].Line = at
	}

	rows = nil
	for _, c := range f.NeverRoute {
		var phrases []string
		for _, p := range c.Phrasings {
			phrases = append(phrases, `"`+w.escape(p)+`"`)
		}
		rows = append(rows, []string{w.escape(c.Action), "Yes", strings.Join(phrases, " / ")})
	}
	w.line("%s", w.pick("# 3. Never-route list (control actions)", "## never route list"))
	for i, at := range w.table([]string{"Control action", "Refuse?", "Phrasings"}, rows) {
		f.NeverRoute[i].Line = at
	}
	w.table([]string{"Action", "Path", "Why"}, [][]string{{"Turn on a lamp", "home", "harmless"}})
	w.line("## Change log")
	return []byte(strings.Join(w.lines, w.pick("\n", "\r\n")))
}

// words draws plain text that a person could write in a cell, marks included, with
// none of the characters of without in it.
func words(t *rapid.T, without string) string {
	r := rapid.RuneFrom([]rune("abcdeéñßЖ中0123 |\\`*_[]<>()#+-!~&'/:?’;, "))
	s := rapid.StringOfN(r, 1, 12, -1).Filter(func(s string) bool {
		return s == strings.Join(strings.Fields(s), " ") && s != "" && !strings.ContainsAny(s, without)
	})
	return s.Draw(t, "words")
}

// file draws a correct File.
func file(t *rapid.T) *routing.File {
	f := &routing.File{}
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z][a-z0-9]{0,8}(_[a-z]{1,4})?`), 3, 7, rapid.ID[string]).Draw(t, "names")
	topics := map[string]bool{}
	for _, n := range names {
		d := routing.Destination{
			Project:     n,
			Kind:        rapid.SampledFrom([]routing.Kind{routing.KindQuery, routing.KindCommand, routing.KindDecision, routing.KindPeer, routing.KindWayIn}).Draw(t, "kind"),
			Note:        rapid.SampledFrom([]string{"", "action only", "keeps its own chat"}).Draw(t, "note"),
			Placeholder: rapid.Bool().Draw(t, "placeholder"),
		}
		for range rapid.IntRange(1, 3).Draw(t, "topics") {
			if topic := words(t, ","); !topics[strings.ToLower(topic)] {
				topics[strings.ToLower(topic)] = true
				d.Topics = append(d.Topics, topic)
			}
		}
		if d.Topics == nil {
			d.Topics = []string{"topic of " + n}
		}
		f.Destinations = append(f.Destinations, d)
	}
	seen := map[string]bool{}
	for range rapid.IntRange(0, 3).Draw(t, "overlaps") {
		o := routing.Overlap{}
		for range rapid.IntRange(1, 2).Draw(t, "phrases") {
			if p := words(t, `,`); !seen[strings.ToLower(p)] {
				seen[strings.ToLower(p)] = true
				o.Phrases = append(o.Phrases, p)
			}
		}
		if o.Phrases == nil {
			continue
		}
		if rapid.Bool().Draw(t, "reason") {
			o.Reason = words(t, "")
		}
		some := rapid.Permutation(names).Draw(t, "sides")
		if rapid.Bool().Draw(t, "fanout") {
			o.Preferred.Projects = some[:rapid.IntRange(2, 3).Draw(t, "n")]
		} else {
			o.Preferred = routing.Side{Projects: some[:1], Note: rapid.SampledFrom([]string{"", "calendar"}).Draw(t, "note")}
			o.Other = routing.Side{Projects: some[1:2]}
		}
		if rapid.Bool().Draw(t, "swap") {
			o.Preferred, o.Other = o.Other, o.Preferred
		}
		f.Overlaps = append(f.Overlaps, o)
	}
	for range rapid.IntRange(1, 4).Draw(t, "controls") {
		c := routing.Control{Action: words(t, "")}
		for range rapid.IntRange(0, 2).Draw(t, "phrasings") {
			c.Phrasings = append(c.Phrasings, words(t, ""))
		}
		f.NeverRoute = append(f.NeverRoute, c)
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "ways in") {
		f.WaysIn = append(f.WaysIn, fmt.Sprintf("way_%d", i))
	}
	return f
}

func TestAFileWrittenAndReadAgainIsEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := file(t)
		w := &writer{t: t}
		src := w.file(want)
		got, problems := routing.Parse("routing.md", src)
		if len(problems) > 0 {
			t.Fatalf("problems %v in\n%s", problems, src)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("%s\nin\n%s", d, src)
		}
	})
}
