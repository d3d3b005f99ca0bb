package decide

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/askhub/askhub/internal/hub/routing"
)

// invented are words that nobody knows: what they decide, the file alone decides.
var invented = strings.Fields("zorblat krendix wumpish yolvane trimpkin quaddle snorvik blimter frundel glompat hexwig jolsum kvintle mirbock nolgrit purvane")

// everyday are words that the model knows well, to stand as topics and phrases.
var everyday = []string{
	"homework", "inbox", "lamp", "forecast", "timer", "headlines", "thermostat", "doorbell", "dentist", "playlist",
	"calendar event", "shopping list", "screen time", "front door", "unread mail", "gas meter", "library books",
}

// table is a random household: each destination with topics of its own, and an
// overlap table over phrases that are no topic.
type table struct {
	view    routing.View
	phrases []string
}

func drawTable(t *rapid.T, words []string) table {
	words = rapid.Permutation(words).Draw(t, "words")
	n := rapid.IntRange(3, 5).Draw(t, "destinations")
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf("p%d: %s, %s", i, words[2*i], words[2*i+1]))
	}
	tb := table{view: household(rows...)}
	pool := []string{"pending thing", "pending thing over there", "the usual", "usual rota", "over there"}
	for i, phrase := range pool[:rapid.IntRange(1, len(pool)).Draw(t, "overlaps")] {
		sides := rapid.Permutation([]int{0, 1, 2}).Draw(t, fmt.Sprint("sides", i))
		o := routing.Overlap{Phrases: []string{phrase}, Preferred: routing.Side{Projects: []string{fmt.Sprint("p", sides[0])}}, Other: routing.Side{Projects: []string{fmt.Sprint("p", sides[1])}}}
		if rapid.IntRange(0, 3).Draw(t, fmt.Sprint("fanout", i)) == 0 {
			o.Preferred.Projects, o.Other.Projects = append(o.Preferred.Projects, fmt.Sprint("p", sides[2])), nil
		}
		tb.view.File.Overlaps = append(tb.view.File.Overlaps, o)
		tb.phrases = append(tb.phrases, phrase)
	}
	return tb
}

// rule is what spec 2 says of a question that is those phrases and topics and nothing
// else: the longest phrase decides, another topic beats it, topics of both sides ask back.
func (tb table) rule(question string, topicsOf []string) (want string, said bool) {
	var row *routing.Overlap
	for i := range tb.view.File.Overlaps {
		o := &tb.view.File.Overlaps[i]
		if strings.Contains(" "+question+" ", " "+o.Phrases[0]+" ") && (row == nil || len(o.Phrases[0]) > len(row.Phrases[0])) {
			row = o
		}
	}
	ours := slices.ContainsFunc(topicsOf, func(p string) bool { return slices.Contains(row.Preferred.Projects, p) })
	theirs := slices.ContainsFunc(topicsOf, func(p string) bool { return slices.Contains(row.Other.Projects, p) })
	slices.Sort(topicsOf)
	topicsOf = slices.Compact(topicsOf)
	preferred := slices.Sorted(slices.Values(row.Preferred.Projects))
	switch {
	case len(topicsOf) == 0 && len(preferred) > 1:
		return "fanout " + strings.Join(preferred, " "), true
	case len(topicsOf) == 0:
		return "route " + preferred[0], true
	case len(topicsOf) == 1:
		return "route " + topicsOf[0], true
	case len(preferred) == 1 && ours && theirs:
		return "clarify", true
	}
	return "", false // two topics of others: no rule of the table
}

func checkTable(t *rapid.T, words []string) {
	tb := drawTable(t, words)
	e := NewEmbedded(tb.view)
	phrases := rapid.SliceOfNDistinct(rapid.SampledFrom(tb.phrases), 1, 2, rapid.ID).Draw(t, "phrases")
	spoken := slices.Clone(phrases)
	var topicsOf []string
	for range rapid.IntRange(0, 2).Draw(t, "topics") {
		d := rapid.SampledFrom(tb.view.File.Destinations).Draw(t, "of")
		topic := rapid.SampledFrom(d.Topics).Draw(t, "topic")
		spoken, topicsOf = append(spoken, topic), append(topicsOf, d.Project)
	}
	question := strings.Join(rapid.Permutation(spoken).Draw(t, "order"), " ")
	want, ruled := tb.rule(question, topicsOf)
	if !ruled {
		return
	}
	d := e.Decide(question)
	got := told(d)
	if want == "clarify" {
		got = string(d.Outcome)
	}
	if got != want {
		t.Fatalf("%q: %s (%s, %.2f), want %s\noverlaps %+v\ndestinations %+v", question, got, d.Reason, d.Confidence, want, tb.view.File.Overlaps, tb.view.File.Destinations)
	}
}

func TestAnyOverlapTableIsHonouredAsItIsWritten(t *testing.T) {
	t.Run("over words that nobody knows", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) { checkTable(rt, invented) })
	})
	t.Run("over everyday words", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) { checkTable(rt, everyday) })
	})
}
