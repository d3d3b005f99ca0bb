package email

import (
	"slices"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
)

// topics are those of the project's row in routing.md.
var topics = []string{"email", "inbox", "mail"}

// Project is e over the ask contract, to be served by askserve. Run keeps what it
// answers from fresh.
func (e *Email) Project(token ask.BearerToken) askserve.Project {
	return askserve.Project{
		Name:   e.cfg.Name,
		Topics: slices.Clone(topics),
		People: e.People(),
		Token:  token,
		MaySee: e.cfg.MaySee,
		Answer: e.Answer,
		Log:    e.cfg.Log,
	}
}
