package decide

import (
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/decide/concept"
	"github.com/askhub/askhub/internal/hub/decide/concept/corpus"
	"github.com/askhub/askhub/internal/hub/routing"
)

var measure = flag.Bool("measure", false, "train again and again to measure the router on sentences that it has not seen; takes a minute")

// household names are those that the corpus's {kid} stands for.
var family = []ask.Person{"harry", "emma", "mia", "zoe", "josh", "ruby", "lily", "jacob", "daisy", "alfie", "sam", "tom", "sophie", "callum", "aisha", "dylan"}

func corpusLines(t *testing.T) (lines []corpus.Line, slots map[string][]string) {
	t.Helper()
	lines, err := corpus.Lines()
	if err != nil {
		t.Fatal(err)
	}
	if slots, err = corpus.Slots(); err != nil {
		t.Fatal(err)
	}
	return lines, slots
}

func trained(t *testing.T, lines []corpus.Line) *concept.Model {
	t.Helper()
	training, err := corpus.Training(lines)
	if err != nil {
		t.Fatal(err)
	}
	return concept.TrainModel(training)
}

// wanted is what a line should come to for that router.
func wanted(e *Embedded, l corpus.Line) string {
	var to []int
	for _, c := range l.Concepts {
		to = append(to, e.own[c]...)
	}
	to = byFile(to)
	outcome, c := routing.OutcomeRoute, l.Concepts[0]
	switch {
	case !l.Several && len(l.Concepts) > 1 && len(to) > 1:
		return string(routing.OutcomeClarify)
	case c == concept.Bare:
		return string(routing.OutcomeClarify)
	case c == concept.Overview && e.dayRow() >= 0:
		outcome, to = routing.OutcomeFanout, e.overlaps[e.dayRow()].preferred
	case len(to) == 0:
		return string(routing.OutcomeNoMatch)
	case len(to) > 1:
		outcome = routing.OutcomeFanout
	}
	d := routing.Decision{Outcome: outcome}
	for _, i := range to {
		d.Projects = append(d.Projects, e.destinations[i].project)
	}
	return told(d)
}

type measured struct{ n, right, confident int }

func (m *measured) add(want string, d routing.Decision) bool {
	got := told(d)
	if want == string(routing.OutcomeClarify) {
		got = string(d.Outcome)
	}
	m.n++
	switch {
	case got == want:
		m.right++
	case len(d.Projects) > 0 && d.Outcome != routing.OutcomeClarify:
		m.confident++
	}
	return got == want
}

func (m *measured) String() string {
	n := float64(max(m.n, 1))
	return fmt.Sprintf("%4d sentences, right %.3f, wrong without asking %.3f", m.n, float64(m.right)/n, float64(m.confident)/n)
}

func (m *measured) plus(o measured) { m.n += o.n; m.right += o.right; m.confident += o.confident }

// label is the group in which a line is reported.
func label(l corpus.Line) string {
	switch {
	case l.Several:
		return "several"
	case len(l.Concepts) > 1:
		return "either"
	}
	return concept.Abouts[l.Concepts[0]].Name
}

// fold measures on the lines of one fold what was learned from all others.
func fold(t *testing.T, k, of int, groups map[string]*measured, wrong func(string)) (all measured) {
	lines, slots := corpusLines(t)
	var train, test []corpus.Line
	order := rand.New(rand.NewPCG(9, 9)).Perm(len(lines))
	for i, l := range lines {
		if order[i]%of == k {
			test = append(test, l)
		} else {
			train = append(train, l)
		}
	}
	e := newEmbedded(shipped(t, ask.Capabilities{Project: "compass_nhs", People: family}), trained(t, train), nil)
	rnd := rand.New(rand.NewPCG(uint64(k), 5))
	for _, l := range test {
		text, _ := corpus.Fill(l.Text, slots, rnd)
		want, d := wanted(e, l), e.Decide(text)
		var m measured
		if !m.add(want, d) {
			wrong(fmt.Sprintf("%s | want %s | got %s | %s %.2f", text, want, told(d), d.Reason, d.Confidence))
		}
		all.plus(m)
		if groups[label(l)] == nil {
			groups[label(l)] = new(measured)
		}
		groups[label(l)].plus(m)
	}
	return all
}

func TestTheRouterKnowsSentencesThatItHasNotSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model")
	}
	groups := map[string]*measured{}
	folds := 1
	if *measure {
		folds = 5
	}
	var all measured
	for k := range folds {
		all.plus(fold(t, k, 5, groups, func(s string) {
			if *measure {
				t.Log(s)
			}
		}))
	}
	if *measure {
		for _, name := range sorted(groups) {
			t.Logf("%-10s %s", name, groups[name])
		}
		t.Logf("%-10s %s", "all", &all)
	}
	if share := float64(all.right) / float64(all.n); share < 0.85 {
		t.Errorf("right on %.3f of unseen sentences, want 0.85", share)
	}
	if share := float64(all.confident) / float64(all.n); share > 0.05 {
		t.Errorf("%.3f named a wrong project without asking, want at most 0.05", share)
	}
}

func sorted(groups map[string]*measured) (names []string) {
	for name := range groups {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestAProjectThatNobodyForesaw leaves out each shipped destination in turn: no
// sentence of it is learned and no seed claims it, so that its topics are all there is.
func TestAProjectThatNobodyForesaw(t *testing.T) {
	if !*measure {
		t.Skip("run with -measure")
	}
	lines, slots := corpusLines(t)
	view := shipped(t, ask.Capabilities{Project: "email_agent", People: family})
	whole := NewEmbedded(view)
	for i, d := range whole.destinations {
		var blind []concept.Concept
		for c, own := range whole.own {
			if slices.Equal(own, []int{i}) {
				blind = append(blind, concept.Concept(c))
			}
		}
		var train []corpus.Line
		for _, l := range lines {
			if !slices.ContainsFunc(l.Concepts, func(c concept.Concept) bool { return has(blind, c) }) {
				train = append(train, l)
			}
		}
		e := newEmbedded(view, trained(t, train), blind)
		var all, named measured
		rnd := rand.New(rand.NewPCG(3, uint64(i)))
		for _, l := range lines {
			if l.Several || len(l.Concepts) > 1 || !has(blind, l.Concepts[0]) {
				continue
			}
			text, _ := corpus.Fill(l.Text, slots, rnd)
			d2 := e.Decide(text)
			all.add("route "+d.project, d2)
			if saysTopic(text, d.topics) {
				named.add("route "+d.project, d2)
			}
		}
		t.Logf("%-16s %s; of those that say one of its topics: %s", d.project, &all, &named)
	}
}

// saysTopic is whether the text has a whole topic in it, letter for letter.
func saysTopic(text string, topics []topic) bool {
	words := " " + strings.Join(stems(text), " ") + " "
	return slices.ContainsFunc(topics, func(tp topic) bool {
		return !tp.weak && strings.Contains(words, " "+strings.Join(tp.stems, " ")+" ")
	})
}

func TestTheWeightsBelongToTheCorpus(t *testing.T) {
	hash, err := corpus.Hash()
	if err != nil {
		t.Fatal(err)
	}
	if concept.Default().TrainedOn() != hash {
		t.Error("the corpus, the lexicon or the features have changed since the weights were trained: run go generate ./internal/hub/decide/concept")
	}
}

func TestTheCorpusIsSound(t *testing.T) {
	lines, slots := corpusLines(t)
	seen := map[string]string{}
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, l := range lines {
		text, _ := corpus.Fill(l.Text, slots, rnd) // panics for a slot that nothing fills
		if strings.ContainsAny(text, "{}") {
			t.Errorf("%q: a slot is not closed", l.Text)
		}
		key := strings.Join(concept.Words(strings.ReplaceAll(l.Text, "{", "slot")), " ")
		if was, ok := seen[key]; ok && was != label(l) && label(l) != "several" {
			t.Errorf("%q stands under %s and under %s", l.Text, was, label(l))
		}
		seen[key] = label(l)
	}
	if len(lines) < 1500 {
		t.Errorf("%d sentences", len(lines))
	}
}

//go:embed testdata/unseen.txt
var unseen string

func TestTheRouterOnSentencesKeptApart(t *testing.T) {
	e := NewEmbedded(shipped(t, ask.Capabilities{Project: "compass_nhs", People: family}))
	learned := map[string]bool{}
	lines, _ := corpusLines(t)
	for _, l := range lines {
		learned[strings.Join(concept.Words(l.Text), " ")] = true
	}
	var all measured
	for line := range strings.Lines(unseen) {
		want, question, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if learned[strings.Join(concept.Words(question), " ")] {
			t.Errorf("%q is in the corpus", question)
		}
		if d := e.Decide(question); !all.add(want, d) {
			t.Logf("%q: %s (%s, %.2f), want %s", question, told(d), d.Reason, d.Confidence, want)
		}
	}
	t.Log(&all)
	if share := float64(all.right) / float64(all.n); share < 0.85 {
		t.Errorf("right on %.3f, want 0.85", share)
	}
	if share := float64(all.confident) / float64(all.n); share > 0.06 {
		t.Errorf("%.3f named a wrong project without asking", share)
	}
}
