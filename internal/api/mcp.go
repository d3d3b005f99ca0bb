package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/mcpserver"
)

// mcp serves POST /mcp, as the way in whose token it is.
func (s *Server) mcp(w http.ResponseWriter, r *http.Request, who caller) *ask.Problem {
	return s.mcpServer.Serve(w, r, mcpserver.Caller{Name: who.name, Askers: who.wayIn.Askers, Hub: asCaller{s, who}})
}

// asCaller is this Hub as one caller sees it.
type asCaller struct {
	s   *Server
	who caller
}

var _ mcpserver.Hub = asCaller{}

// Ask asks within the way in's limits. What is not a question does not count: a client
// greets and lists before each.
func (c asCaller) Ask(ctx context.Context, q mcpserver.Question) (*mcpserver.Reply, error) {
	leave, wait := c.s.admit(c.who)
	if leave == nil {
		c.s.measured.problem(ask.CodeTooMany)
		return nil, fmt.Errorf("this way in has asked too much; ask again in %d seconds", int((wait+time.Second-1)/time.Second))
	}
	defer leave()
	rec, p := c.s.answer(ctx, &askRequest{Question: q.Question, Asker: q.Asker, Person: q.Person, Source: sourceChat, InReplyTo: q.InReplyTo}, c.who)
	if p != nil {
		c.s.measured.problem(p.Code)
		return nil, p
	}
	out := toReply(&rec)
	whole, err := json.Marshal(&out)
	return &mcpserver.Reply{ID: out.ID, Status: out.Status, Reply: out.Reply, Choices: out.Choices, Whole: whole}, err
}

// Capabilities is what can be asked.
func (c asCaller) Capabilities(context.Context) (jsontext.Value, error) {
	return json.Marshal(c.s.merged())
}

// Why is one record, for whoever may see it.
func (c asCaller) Why(ctx context.Context, id string) (jsontext.Value, error) {
	out, p := c.s.recordOf(ctx, id, c.who)
	if p != nil {
		return nil, p
	}
	return json.Marshal(out)
}
