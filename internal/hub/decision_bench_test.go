package hub

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
)

// BenchmarkDecision is all that is decided without a model: guard, router and person.
func BenchmarkDecision(b *testing.B) {
	file, problems := routing.Parse("routing.md", routing.Default())
	if file == nil {
		b.Fatal(problems)
	}
	house, err := people.Parse("people.toml", []byte("zone = \"Europe/London\"\n[[person]]\nname = \"sam\"\nrole = \"adult\"\n[[person]]\nname = \"harry\"\naliases = [\"haz\"]\nrole = \"child\"\nasked_by = [\"adults\"]\n"))
	if err != nil {
		b.Fatal(err)
	}
	list := []ask.Person{"harry", "emma", "mia", "zoë", "sam", "tom"}
	capabilities := []ask.Capabilities{{Project: "compass_nhs", People: list}, {Project: "email_agent", People: list}, {Project: "home_assistant", People: list}}
	usual := NewRules(file, house, capabilities)
	wide := *file
	for i := range 200 {
		wide.Destinations = append(wide.Destinations[:len(wide.Destinations):len(wide.Destinations)], routing.Destination{
			Project: fmt.Sprint("project", i), Kind: routing.KindQuery,
			Topics: []string{fmt.Sprint("ledger", i), fmt.Sprint("garden plot ", i), fmt.Sprint("crate", i, " tyres"), "parcel shelf " + string(rune('a'+i%26))},
		})
		wide.Overlaps = append(wide.Overlaps[:len(wide.Overlaps):len(wide.Overlaps)], routing.Overlap{
			Phrases: []string{fmt.Sprint("phrase number ", i)}, Preferred: routing.Side{Projects: []string{fmt.Sprint("project", i)}},
		})
	}
	many := NewRules(&wide, house, capabilities)
	long := "what homework does Harry have for Monday, and has the piano teacher replied to my email about moving the lesson, because we are away that week and I would like to know what the weather is going to be like? "
	strange := "zorblat krendix wumpish yolvane trimpkin "
	garden := "are the tyres in the garden and did the parcel for the plot come? "
	for _, c := range []struct {
		name, question string
		rules          *Rules
	}{
		{"matched, 40 characters", "what lessons does Harry have on Tuesday?", usual},
		{"unmatched, 40 characters", "book us a table for four at the Swan pls", usual},
		{"strange words, 40 characters", strange[:40], usual},
		{"several clauses, 200 characters", long[:200], usual},
		{"4000 characters", strings.Repeat(long, 20)[:4000], usual},
		{"4000 characters of strange words", strings.Repeat(strange, 100)[:4000], usual},
		{"200 projects, 40 characters", "where is the ledger54 that we had kept?", many},
		{"200 projects, unmatched", "book us a table for four at the Swan pls", many},
		{"200 projects, 4000 characters", strings.Repeat(garden, 70)[:4000], many},
		{"200 projects, 4000 strange", strings.Repeat(strange, 100)[:4000], many},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := New(Config{Now: time.Now}) // without a model
			b.ReportAllocs()
			for b.Loop() {
				q := question{rules: c.rules, now: time.Now, text: c.question}
				q.guard(h)
				q.decide(b.Context(), h)
			}
		})
	}
}
