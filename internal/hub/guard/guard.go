// Package guard is the never-route check of spec 2, section 3: does a sentence mean a
// control action? It judges what is done, to what, for whom and in which mood, with a
// small model that was trained from the corpus beside it. It asks no model server, opens
// no connection and always gives the same answer.
package guard

import (
	"sync"

	"github.com/askhub/askhub/internal/hub/guard/internal/meaning"
	"github.com/askhub/askhub/internal/hub/routing"
)

// Guard refuses the control actions of one household's routing.md. It is safe for
// concurrent use.
type Guard struct {
	model   *meaning.Model
	rows    rows
	phrases []meaning.Phrase
	owners  []int // for each phrase, the index of its row
	control []routing.Control
	readers sync.Pool
}

// New makes the guard of a household: its routing.md, and the names and aliases of its
// people. Without names it goes by the usual first names.
func New(file *routing.File, names []string) *Guard {
	model, err := meaning.Shipped()
	if err != nil {
		panic(err) // the weights are part of the build, and a test reads them
	}
	g := &Guard{model: model, control: file.NeverRoute, rows: rowsOf(file.NeverRoute)}
	house := model.Names(names)
	g.readers.New = func() any { return meaning.NewReader(model, house) }
	r := meaning.NewReader(model, house)
	add := func(text string, row int) {
		if p := r.Phrase(text); !p.Empty() {
			p.Hint = !g.rows.own[row]
			g.phrases = append(g.phrases, p)
			g.owners = append(g.owners, row)
		}
	}
	for i, c := range file.NeverRoute {
		if g.rows.own[i] {
			add(c.Action, i)
		}
	}
	for i, c := range file.NeverRoute {
		for _, phrasing := range c.Phrasings {
			add(phrasing, i)
		}
	}
	return g
}

// Check says whether a question means a control action, under which row of the
// household's list it falls, and on which of its words that rests.
func (g *Guard) Check(question string) routing.Refusal {
	r := g.readers.Get().(*meaning.Reader)
	v := r.Judge(g.model, question, g.phrases)
	g.readers.Put(r)
	row := -1
	if v.Score > 0 {
		row = g.rows.byKind[v.Kind]
	}
	if v.Phrase >= 0 {
		if owner := g.owners[v.Phrase]; row < 0 || g.rows.own[owner] {
			row = owner
		}
	}
	if row < 0 {
		return routing.Refusal{}
	}
	c := g.control[row]
	return routing.Refusal{Refused: true, Row: c.Action, Line: c.Line, Words: v.Words}
}
