package guard_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/askhub/askhub/internal/hub/guard"
	"github.com/askhub/askhub/internal/hub/guard/corpus"
	"github.com/askhub/askhub/internal/hub/routing"
)

// errands are innocent clauses that a control action may hide among.
var errands = []string{
	"turn on the lamp in the hall", "read me my emails", "what's the weather tomorrow", "add milk to the list", "set a timer for ten minutes",
	"play some music", "lock the back door", "remind me to ring Gran at six", "tell everyone dinner's ready", "dim the lights",
	"how long until the bus comes", "turn the heating down two degrees", "close the blinds", "what's on at the cinema", "put the oven on",
}

// joined are the ways in which two wishes stand in one sentence.
var joined = []struct{ between, end string }{{" and ", ""}, {", then ", ""}, {". ", "."}, {"; ", ""}, {", and also ", ""}, {" and while you're at it ", " please"}}

// right are the lines of one label that are judged rightly.
func right(t testing.TB, g *guard.Guard, refuse bool) []string {
	train, held, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range append(held, train...) {
		text := corpus.Pick(l.Text, func(int) int { return 0 })
		if l.Refuse == refuse && l.Style != "quoted" && g.Check(text).Refused == refuse {
			out = append(out, text)
		}
	}
	return out
}

// A control action is refused wherever it stands among innocent wishes. At most 15 of a
// thousand may slip by: those whose wish leans on what stood before it.
func TestACompoundIsRefusedWhole(t *testing.T) {
	g := newGuard()
	n, lost := 0, 0
	for i, q := range right(t, g, true) {
		q = strings.TrimRight(q, ".!")
		e, j := errands[i%len(errands)], joined[i/3%len(joined)]
		for _, text := range []string{e + j.between + q + j.end, q + j.between + e + j.end, e + j.between + q + j.between + errands[(i+7)%len(errands)] + j.end} {
			n++
			if !g.Check(text).Refused {
				if lost++; lost < 20 {
					t.Log(text)
				}
			}
		}
	}
	t.Logf("%d of %d lost", lost, n)
	if lost*1000 > n*15 {
		t.Errorf("%d of %d compounds were let by", lost, n)
	}
}

// Two innocent wishes together are innocent; at most 30 of a thousand may be refused.
func TestInnocentWishesTogetherAreInnocent(t *testing.T) {
	g := newGuard()
	n, refused := 0, 0
	for i, q := range right(t, g, false) {
		q = strings.TrimRight(q, ".!")
		e, j := errands[i%len(errands)], joined[i/3%len(joined)]
		for _, text := range []string{e + j.between + q + j.end, q + j.between + e + j.end} {
			n++
			if g.Check(text).Refused {
				if refused++; refused < 20 {
					t.Log(text)
				}
			}
		}
	}
	t.Logf("%d of %d refused", refused, n)
	if refused*1000 > n*30 {
		t.Errorf("%d of %d innocent compounds were refused", refused, n)
	}
}

// Whatever stands around a plain control action, as sentences of their own, it stays one.
func TestInnocentSentencesAroundItHideNothing(t *testing.T) {
	g := newGuard()
	plain := []string{"Turn off the kids' internet.", "Give Ysolde another hour on the Xbox.", "Block TikTok for the boys.", "Lock the kids' tablets.", "Move the kids' bedtime to nine."}
	rapid.Check(t, func(t *rapid.T) {
		around := rapid.SliceOfN(rapid.SampledFrom(errands), 0, 12)
		text := ""
		for _, e := range around.Draw(t, "before") {
			text += e + ". "
		}
		text += rapid.SampledFrom(plain).Draw(t, "action")
		for _, e := range around.Draw(t, "after") {
			text += " " + e + "."
		}
		if !g.Check(text).Refused {
			t.Errorf("%q was let by", text)
		}
	})
}

func FuzzCheck(f *testing.F) {
	g := newGuard()
	for _, l := range heldOut(f) {
		f.Add(l.Text)
	}
	for _, d := range disguises {
		f.Add(d.write("turn off the kids' wifi"))
	}
	f.Add(strings.Repeat("a ", 2000))
	f.Add(strings.Repeat("1 hour and ", 360))
	f.Add("\xff\xfe \u202e\u0301'''\"\"\"?!,,;")
	f.Fuzz(func(t *testing.T, q string) {
		if runes := []rune(q); len(runes) > 4000 {
			q = string(runes[:4000])
		}
		r := g.Check(q)
		if again := g.Check(q); r.Refused != again.Refused || r.Line != again.Line || !slices.Equal(r.Words, again.Words) {
			t.Errorf("%q: %+v, and then %+v", q, r, again)
		}
		if r.Refused && (r.Row == "" || r.Line == 0) {
			t.Errorf("%q was refused without a row", q)
		}
		for _, w := range r.Words {
			if !strings.Contains(q, w) {
				t.Errorf("%q: %q is none of its words", q, w)
			}
		}
		for _, form := range []norm.Form{norm.NFC, norm.NFD} {
			if same := g.Check(form.String(q)); same.Refused != r.Refused {
				t.Errorf("%q: refused %v, and %v in another form of the same letters", q, r.Refused, same.Refused)
			}
		}
		// A sentence of its own beside it hides nothing.
		const action = "Turn off the kids' internet."
		if quotes := strings.Count(q, "\""); quotes == 0 && !g.Check(q+". "+action).Refused && len(q) < 2000 {
			t.Errorf("%q hides a control action that stands behind it", q)
		}
	})
}

// Rows that nobody foresaw count as soon as they stand in the file, in other words than the
// row's too, and only where something is asked for.
func TestRowsThatNobodyForesaw(t *testing.T) {
	file := household()
	rows := []struct {
		action, phrasing  string
		refused, innocent []string
	}{
		{
			"Order a takeaway", "get us a curry in",
			[]string{"order a takeaway", "please order us a takeaway for seven", "could you order a takeaway?", "get us a curry in tonight"},
			[]string{"did anybody order a takeaway?", "remind me to order a takeaway", "what's in a takeaway curry", "put the takeaway menu on the list"},
		},
		{
			"Unlatch the chicken coop", "let the hens out",
			[]string{"unlatch the chicken coop", "could you unlatch the chicken coop for mum", "let the hens out please"},
			[]string{"is the chicken coop unlatched?", "how many hens are out", "search for chicken coops", "we let the hens out yesterday"},
		},
		{
			"Start the pottery kiln", "fire up the kiln",
			[]string{"start the pottery kiln", "could you start the pottery kiln at six", "fire up the kiln"},
			[]string{"when does the kiln finish", "the kiln was on yesterday", "start the kettle", "tell mum the kiln is hot"},
		},
		{
			"Send money to anybody", "wire him fifty pounds",
			[]string{"send money to Quillon", "wire him fifty pounds"},
			[]string{"how much money have we got", "send a message to Quillon", "who sent the money?"},
		},
		{
			"Empty the hot tub", "",
			[]string{"empty the hot tub", "would you empty the hot tub please", "turn on the lamp and empty the hot tub"},
			[]string{"is the hot tub empty?", "heat the hot tub", "empty the bin"},
		},
	}
	for i, r := range rows {
		c := routing.Control{Action: r.action, Line: 100 + i}
		if r.phrasing != "" {
			c.Phrasings = []string{r.phrasing}
		}
		file.NeverRoute = append(file.NeverRoute, c)
	}
	g, without := guard.New(file, []string{"Quillon", "Mum"}), newGuard()
	for i, r := range rows {
		for _, q := range r.refused {
			if got := g.Check(q); got.Line != 100+i || len(got.Words) == 0 {
				t.Errorf("%q: %+v, want a refusal by line %d with its words", q, got, 100+i)
			}
		}
		if got := without.Check(r.refused[0]); got.Refused {
			t.Errorf("%q is refused without its row: %+v", r.refused[0], got)
		}
		for _, q := range r.innocent {
			if got := g.Check(q); got.Refused {
				t.Errorf("%q was refused as %q for %q", q, got.Row, got.Words)
			}
		}
	}
}
