package compass

import (
	"slices"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
)

// topics are those of the project's row in routing.md.
var topics = []string{"school", "Compass", "homework", "timetable", "class", "NHS appointment"}

// Project is c over the ask contract, to be served by askserve. Run keeps what it
// answers from fresh.
func (c *Compass) Project(token ask.BearerToken) askserve.Project {
	return askserve.Project{
		Name:   c.cfg.Name,
		Topics: slices.Clone(topics),
		People: c.People(),
		Token:  token,
		MaySee: c.cfg.MaySee,
		Answer: c.Answer,
		Log:    c.cfg.Log,
	}
}
