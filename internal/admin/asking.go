package admin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/askhub/askhub/ask"
)

// askWait is longer than the Hub's whole budget.
const askWait = 70 * time.Second

// askPage serves GET /ask.
func (a *App) askPage(v *visit) error {
	a.pages.render(v.w, http.StatusOK, "ask", v.page("Ask", "/ask", nil))
	return nil
}

// asked is the body of POST /api/ask.
type asked struct {
	Question string `json:"question"`
	// InReplyTo is the clarify that this answers.
	InReplyTo string `json:"in_reply_to,omitzero"`
}

// hubQuestion is the body of the Hub's POST /ask. The asker is who is signed in, and
// nobody else.
type hubQuestion struct {
	Question  string `json:"question"`
	Asker     string `json:"asker"`
	Source    string `json:"source"`
	InReplyTo string `json:"in_reply_to,omitzero"`
}

// hubSaid is what the page wants of the Hub's reply, and what it gives on.
type hubSaid struct {
	ID      string   `json:"id"`
	Status  string   `json:"status"`
	Reply   string   `json:"reply"`
	Choices []string `json:"choices,omitzero"`
	// Approval is the id of the Hub's approval that waits, with a pending.
	Approval string `json:"approval,omitzero"`
}

// ask serves POST /api/ask: a question of the signed-in person, put to the Hub as to
// anybody's. The Hub's guard refuses control changes; they have a page of their own.
func (a *App) ask(v *visit) error {
	var body asked
	if p := ask.ReadJSON(v.w, v.r, &body); p != nil {
		return p
	}
	q := hubQuestion{Question: body.Question, Asker: string(v.person.Name), Source: "admin", InReplyTo: body.InReplyTo}
	if p := (&ask.Question{Question: q.Question, Asker: ask.Asker(q.Asker)}).Validate(); p != nil {
		return p
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), askWait)
	defer cancel()
	var said hubSaid
	if err := a.cfg.Hub.call(ctx, http.MethodPost, "/ask", &q, &said); err != nil {
		return a.told(a.cfg.Hub, err)
	}
	if !goodID(said.Approval) {
		said.Approval = ""
	}
	return ask.WriteJSON(v.w, &said)
}

// isAway says whether an error means that somebody does not answer.
func isAway(err error) bool {
	p, ok := errors.AsType[*ask.Problem](err)
	return !ok || p.Code == ask.CodeUnavailable
}
