package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/askedback"
	"github.com/askhub/askhub/internal/completions"
	"github.com/askhub/askhub/internal/hub"
)

// completions serves POST /v1/chat/completions: the user's last message is the question.
func (s *Server) completions(w http.ResponseWriter, r *http.Request, who caller) *ask.Problem {
	leave, wait := s.admit(who)
	if leave == nil {
		return tooMany(w.Header(), wait)
	}
	defer leave()
	body, p := ask.ReadBody(w, r, completions.MaxBody)
	if p != nil {
		return p
	}
	q, p := completions.Read(body)
	if p != nil {
		return p
	}
	asker, p := s.endUser(q.User, who)
	if p != nil {
		return p
	}
	rec, p := s.talk(r.Context(), q, asker, who)
	if p != nil {
		if p.Field == "question" {
			p.Field = "messages"
		}
		return p
	}
	if err := completions.Write(w, q, completions.Reply{ID: rec.ID, Text: rec.Reply, Time: rec.Time}); err != nil {
		s.measured.problem(ask.CodeInternal)
	}
	return nil
}

// sourceChat is what says where it was asked, of protocols that are chats.
const sourceChat = "chat"

// talk asks one question of a talk. That protocol has no word for continuing a question
// that was asked back: it is known by the words that its caller repeats.
func (s *Server) talk(ctx context.Context, q completions.Question, asker ask.Asker, who caller) (hub.Reply, *ask.Problem) {
	body := askRequest{Question: q.Text, Asker: asker, Source: sourceChat}
	mark := askedback.Talk{WayIn: who.name, Asker: string(asker), Mark: q.Before}
	if q.Before != "" {
		body.InReplyTo = s.askedBack.Take(mark, s.cfg.Now())
	}
	rec, p := s.answer(ctx, &body, who)
	if p == nil && askedback.Continues(rec.Status) {
		mark.Mark = rec.Reply
		s.askedBack.Put(mark, rec.ID, s.cfg.Now())
	}
	return rec, p
}

// endUser is who asks. A way in that is bound to one asker speaks for nobody else: there
// the field is what clients make of it, often a number of their own, unless it names
// somebody else of the house. Where there are several, it says which.
func (s *Server) endUser(user string, who caller) (ask.Asker, *ask.Problem) {
	notAllowed := ownCodes.Problem(CodeAskerNotAllowed, "user", "This token may not speak for that asker; askers in askhub.toml lists those it may.")
	if len(who.wayIn.Askers) == 1 {
		bound := who.wayIn.Askers[0]
		if _, known := s.cfg.Household().Find(user); known && !sameAsker(s.cfg.Household(), bound, ask.Asker(user)) {
			return "", notAllowed
		}
		return bound, nil
	}
	if strings.TrimSpace(user) == "" {
		return "", ask.NewProblem(ask.CodeMissingField, "user", `This token may speak for several askers: send which one in "user".`)
	}
	if p := ask.CheckName("user", user); p != nil {
		return "", p
	}
	if !s.speaksFor(who, ask.Asker(user)) {
		return "", notAllowed
	}
	return ask.Asker(user), nil
}

// models serves GET /v1/models: there is one.
func (s *Server) models(w http.ResponseWriter, _ *http.Request, _ caller) *ask.Problem {
	_ = completions.WriteModels(w, s.since) // where that fails, who asked has gone
	return nil
}

// model serves GET /v1/models/{id}.
func (s *Server) model(w http.ResponseWriter, r *http.Request, _ caller) *ask.Problem {
	if r.PathValue("id") != completions.Model {
		return completions.UnknownModel()
	}
	about := completions.About(s.since)
	_ = ask.WriteJSON(w, &about)
	return nil
}

// chatRequest describes what is read of a body of chat completions; package completions
// reads it.
type chatRequest struct {
	Model    string        `json:"model,omitzero" enum:"askhub" doc:"The one model that there is."`
	Messages []chatMessage `json:"messages" doc:"The talk. Its last message of the user is the question; all others are ignored."`
	User     string        `json:"user,omitzero" doc:"Who asks, where the way in may speak for several askers."`
	Stream   bool          `json:"stream,omitzero" doc:"Whether the reply comes as server-sent events."`
}

type chatMessage struct {
	Role    string `json:"role" enum:"system,developer,user,assistant,tool,function"`
	Content any    `json:"content,omitzero" doc:"Text, or a list of parts of the type text."`
}

var (
	aboutCompletions = about{
		summary:     "Ask a question by OpenAI's protocol",
		description: "The user's last message is the question, and the reply is one sentence, whatever the outcome. Errors have that protocol's form, with the Hub's codes.",
		request:     chatRequest{}, reply: completions.Completion{}, openAI: true,
		codes: []ask.Code{
			ask.CodeAmbiguous, ask.CodeInvalidJSON, ask.CodeDuplicateKey, ask.CodeKeyCase, ask.CodeWrongType, ask.CodeMissingField,
			ask.CodeInvalidField, CodeAskerNotAllowed, completions.CodeModelNotFound, ask.CodeBodyTooLarge, ask.CodeQuestionTooLong,
			ask.CodeNotJSON, ask.CodeTooMany,
		},
	}
	aboutModels = about{summary: "List the models of OpenAI's protocol", description: "There is one, askhub.", reply: completions.Models{}, openAI: true}
	aboutModel  = about{
		summary: "See a model of OpenAI's protocol", description: "There is one, askhub.", reply: completions.ModelInfo{}, openAI: true,
		codes: []ask.Code{completions.CodeModelNotFound},
	}
	aboutMCP = about{
		summary:     "Speak the Model Context Protocol",
		description: "Streamable HTTP without sessions: one JSON-RPC message, one reply. The tools are ask, capabilities and why.",
		request:     rpcMessage{}, reply: rpcMessage{},
		codes: []ask.Code{ask.CodeAmbiguous, ask.CodeInvalidJSON, ask.CodeForbidden, ask.CodeBodyTooLarge, ask.CodeNotJSON},
	}
)

// rpcMessage describes a message of JSON-RPC.
type rpcMessage struct {
	JSONRPC string `json:"jsonrpc" enum:"2.0"`
	ID      any    `json:"id,omitzero"`
	Method  string `json:"method,omitzero"`
	Params  any    `json:"params,omitzero"`
	Result  any    `json:"result,omitzero"`
	Error   any    `json:"error,omitzero"`
}
