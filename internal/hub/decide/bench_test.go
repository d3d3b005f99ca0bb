package decide

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

// shipped is the view of the routing.md that ships.
func shipped(t testing.TB, capabilities ...ask.Capabilities) routing.View {
	t.Helper()
	file, problems := routing.Parse("routing.md", routing.Default())
	if file == nil {
		t.Fatalf("the shipped routing.md: %v", problems)
	}
	return routing.View{File: file, Capabilities: capabilities}
}

// household is a view of nothing but those rows: "project: topic, topic".
func household(rows ...string) routing.View {
	file := &routing.File{NeverRoute: []routing.Control{{Action: "cut the internet"}}}
	for _, row := range rows {
		project, topics, _ := strings.Cut(row, ":")
		d := routing.Destination{Project: project, Kind: routing.KindQuery}
		for topic := range strings.SplitSeq(topics, ",") {
			d.Topics = append(d.Topics, strings.TrimSpace(topic))
		}
		file.Destinations = append(file.Destinations, d)
	}
	return routing.View{File: file}
}

// large is a household of n projects with eight topics each.
func large(n int) routing.View {
	var rows []string
	for i := range n {
		row := fmt.Sprintf("project%d:", i)
		for j := range 8 {
			row += fmt.Sprintf("topic%c%c %s%d,", 'a'+i%26, 'a'+j, []string{"crate", "ledger", "orchard", "kiln", "sextant", "trellis", "anvil", "quarry"}[j], i)
		}
		rows = append(rows, strings.TrimSuffix(row, ","))
	}
	return household(rows...)
}

func BenchmarkDecide(b *testing.B) {
	e := NewEmbedded(shipped(b, ask.Capabilities{Project: "compass_nhs", Topics: []string{"lessons"}, People: []ask.Person{"harry", "emma"}}))
	strange := "zorblat krendix wumpish yolvane trimpkin "
	two := "what homework does Harry have for Monday, and has the piano teacher replied to my email about moving the lesson, because we are away that week and I would like to know what the weather is going to be like?"
	for _, c := range []struct{ name, question string }{
		{"40 characters", "what lessons does Harry have on Tuesday?"},
		{"40 characters, no match", "book us a table for four at the Swan pls"},
		{"40 characters, strange words", strange[:40]},
		{"200 characters, clauses", two[:200]},
		{"200 characters, strange words", strings.Repeat(strange, 5)[:200]},
		{"4000 characters", strings.Repeat(two, 20)[:4000]},
		{"4000 characters, strange words", strings.Repeat(strange, 100)[:4000]},
		{"4000 characters, one word", strings.Repeat("a", 4000)},
		{"4000 characters, commas", strings.Repeat("mail,", 800)},
		{"4000 characters, one topic", strings.Repeat("homework ", 444)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.Decide(c.question)
			}
		})
	}
	many := NewEmbedded(large(200))
	b.Run("40 characters, 200 projects", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			many.Decide("where is the topicca orchard54 kept now?")
		}
	})
}

func BenchmarkNewEmbedded(b *testing.B) {
	view, many := shipped(b), large(200)
	NewEmbedded(view) // the weights are read once in a process
	b.Run("shipped", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewEmbedded(view)
		}
	})
	b.Run("200 projects", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewEmbedded(many)
		}
	})
}
