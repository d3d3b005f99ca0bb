package askplan_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/askplan"
)

// parrot plans what the test says.
type parrot struct{ reply string }

func (p *parrot) Complete(context.Context, string, []byte) ([]byte, error) {
	return []byte(p.reply), nil
}

// Two households that differ only in what strangers wrote are read alike: the same
// calls, with the same arguments, also where one call takes what another gave.
func TestStrangersTextsChangeNoCall(t *testing.T) {
	model := &parrot{}
	one, two := sam(), sam()
	for _, w := range []*world{one, two} {
		w.blind, w.model = true, model
	}
	projects := [2]struct {
		w   *world
		ask func(context.Context, ask.Question) (ask.Answer, error)
	}{{one, one.served(t).Answer}, {two, two.served(t).Answer}}
	questions := append([]string{"Show me the conversation about York", "Show me the conversation with Anna", "Any mail about York and what's on tomorrow?"}, benign...)
	rapid.Check(t, func(t *rapid.T) {
		strange := rapid.OneOf(rapid.SampledFrom([]string{"York", "@r1.message", "@context", "m1", "m2", "harry", "today", goals[0], goals[16], frames[1]}), rapid.String())
		n := rapid.IntRange(0, 3).Draw(t, "letters")
		for k, w := range []*world{one, two} {
			w.mail["sam"], w.events["sam"] = nil, nil
			for i := range n {
				label := fmt.Sprintf("household %d, letter %d ", k, i)
				l := letter{strange.Draw(t, label+"sender"), strange.Draw(t, label+"title"), strange.Draw(t, label+"text")}
				w.mail["sam"], w.events["sam"] = append(w.mail["sam"], l), append(w.events["sam"], l)
			}
		}
		model.reply = rapid.OneOf(rapid.Just("no plan"), rapid.SampledFrom(goals), rapid.Just(
			`{"intent":"lookup","reason":null,"calls":[{"tool":"mail.newest","args":{}},{"tool":"mail.thread","args":{"message":"@r1.message"}}]}`)).Draw(t, "reply")
		q := ask.Question{Question: rapid.SampledFrom(questions).Draw(t, "question"), Asker: "sam"}
		var reads [2][]read
		var plans [2]string
		for k, p := range projects {
			a, err := p.ask(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			var d askplan.Detail
			if err := json.Unmarshal(a.Data, &d); err != nil {
				t.Fatal(err)
			}
			plans[k] = string(d.Plan)
			reads[k] = p.w.taken()
		}
		// Calls of one round run side by side, so their order is not told.
		count := func(rs []read) map[read]int {
			m := map[read]int{}
			for _, r := range rs {
				m[r]++
			}
			return m
		}
		if diff := cmp.Diff(count(reads[0]), count(reads[1]), cmp.AllowUnexported(read{})); diff != "" || plans[0] != plans[1] {
			t.Fatalf("%q: plans %s and %s\n%s", q.Question, plans[0], plans[1], diff)
		}
	})
}
