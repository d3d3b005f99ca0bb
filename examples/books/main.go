// Command books is a project made of look-ups: what each person has borrowed from the
// library, what is due, and what the library has.
package main

import (
	"context"
	"log"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/askplan"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
)

type book struct {
	title, author, shelf string
	due                  string // the day on which it must be back
}

// The data: in a project of yours it comes from a file or a service.
var (
	library = []book{
		{title: "The Hobbit", author: "J.R.R. Tolkien", shelf: "F2"},
		{title: "Matilda", author: "Roald Dahl", shelf: "C1"},
		{title: "The Witches", author: "Roald Dahl", shelf: "C1"},
	}
	loans = map[ask.Person][]book{
		"sam":   {{title: "Momo", author: "Michael Ende", due: "2026-12-04"}, {title: "The BFG", author: "Roald Dahl", due: "2026-12-11"}},
		"harry": {},
	}
)

type (
	noArgs  struct{}
	dueArgs struct {
		By string `arg:"by" describe:"the last day, as YYYY-MM-DD" max:"10"`
	}
	searchArgs struct {
		Title  *string `arg:"title" describe:"words of the title" max:"80"`
		Author *string `arg:"author" describe:"who wrote it" max:"80"`
	}
)

// catalogue is what may be looked up for one person, and nothing else can be.
func catalogue(person ask.Person) (*plan.Catalogue, error) {
	mine := loans[person]
	spec := func(id, description string) plan.Spec {
		return plan.Spec{ID: id, Description: description, AttackerFields: []string{}, RowName: []string{"title"}}
	}
	return plan.NewCatalogue([]plan.Tool{
		plan.New(spec("loans.current", "The books that are borrowed now, on loan, and when each is due back."),
			func(noArgs) string { return "the books on loan" },
			func(context.Context, noArgs) (plan.Result, error) {
				return found(mine, func(book) bool { return true }), nil
			}),
		plan.New(spec("loans.due", "The borrowed books, loans that are due back by a day."),
			func(a dueArgs) string { return "the books due by " + a.By },
			func(_ context.Context, a dueArgs) (plan.Result, error) {
				return found(mine, func(b book) bool { return b.due <= a.By }), nil
			}),
		plan.New(spec("books.search", "Books that the library has, by title or author, and the shelf on which they stand."),
			func(searchArgs) string { return "the books of the library" },
			func(_ context.Context, a searchArgs) (plan.Result, error) {
				return found(library, func(b book) bool { return holds(b.title, a.Title) && holds(b.author, a.Author) }), nil
			}),
	}, nil)
}

func found(from []book, fits func(book) bool) plan.Result {
	r := plan.Result{Outcome: plan.OutcomeNone}
	for _, b := range from {
		if fits(b) {
			r.Outcome = plan.OutcomeOK
			r.Rows = append(r.Rows, plan.Row{Title: b.title, Fields: map[string]any{"author": b.author, "shelf": b.shelf, "due": b.due}})
		}
	}
	return r
}

func holds(text string, words *string) bool {
	return words == nil || strings.Contains(strings.ToLower(text), strings.ToLower(*words))
}

var paths = []string{"rows[].title", "rows[].fields.author", "rows[].fields.shelf", "rows[].fields.due"}

func project(now func() time.Time) askplan.Project {
	onLoan := answer.Spec{
		About: "the books on loan", Paths: paths,
		None: "{have} no books on loan", Few: "{have} {count:book:books} on loan: {rows: {title} due {fields.due|day}}",
	}
	due := answer.Spec{
		About: "the books due by a day", Paths: paths,
		None: "{have} no books due by {args.by}", Few: "{have} {count:book:books} due: {rows: {title} {fields.due|day}}",
	}
	search := answer.Spec{
		About: "the books of the library", Paths: paths,
		None: "There are no books[ titled {args.title}][ by {args.author}] in the library", Few: "The library has {count:book:books}: {rows: {title} on shelf {fields.shelf}}",
	}
	return askplan.Project{
		Name: "books", Topics: []string{"books", "library", "loans"}, People: []ask.Person{"sam", "harry"},
		Catalogue: catalogue, Now: now,
		Templates: map[string]answer.Spec{"loans.current": onLoan, "loans.due": due, "books.search": search},
	}
}

func main() {
	p, err := askplan.New(project(time.Now))
	if err == nil {
		err = askserve.Run(p)
	}
	if err != nil {
		log.Fatal(err)
	}
}
