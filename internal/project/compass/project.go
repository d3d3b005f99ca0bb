package compass

import (
	"context"
	"slices"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/askplan"
)

// topics are those of the project's row in routing.md.
var topics = []string{"school", "Compass", "homework", "timetable", "class", "NHS appointment"}

// plan makes the project of look-ups.
func (c *Compass) plan() (askserve.Project, error) {
	return askplan.New(askplan.Project{
		Name:      c.cfg.Name,
		Topics:    slices.Clone(topics),
		People:    c.People(),
		MaySee:    c.cfg.MaySee,
		Log:       c.cfg.Log,
		Catalogue: c.catalogue,
		Templates: templates(),
		Names:     c.namesOf,
		Planner:   reader{c.names, c.namesOf},
		Writer:    c.write,
		Second:    c.cfg.Second,
		Model:     c.cfg.Model,
		Now:       c.cfg.Now,
		Zone:      c.cfg.Zone,
	})
}

// Project is c over the ask contract, to be served by askserve. Run keeps what it
// answers from fresh.
func (c *Compass) Project(token ask.BearerToken) askserve.Project {
	p := c.planned
	p.Token, p.Topics, p.People = token, slices.Clone(p.Topics), c.People()
	return p
}

// Answer answers one question from memory. Whether the asker may see the person is
// asked before, by askserve.
func (c *Compass) Answer(ctx context.Context, q ask.Question) (ask.Answer, error) {
	return c.planned.Answer(ctx, q)
}

// namesOf is all that a person is called.
func (c *Compass) namesOf(p ask.Person) []string {
	return append([]string{string(p), displayName(string(p))}, c.cfg.Aliases(p)...)
}
