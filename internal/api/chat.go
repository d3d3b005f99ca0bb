package api

import (
	"errors"
	"net/http"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/pairing"
)

// pairRequest is the body of POST /chat/pair.
type pairRequest struct {
	Code    string       `json:"code,omitzero" doc:"The eight digits that the chat page shows; or send thread." example:"48392017"`
	Thread  string       `json:"thread,omitzero" doc:"The thread; or send code." example:"a1b2c3d4e5f60718"`
	Person  *string      `json:"person,omitzero" doc:"Whom the thread speaks for from now on, a name of people.toml; empty for nobody. Left out, it stays."`
	Answers chat.Answers `json:"answers,omitzero" enum:"hub,host,off" doc:"Who answers from now on. Left out, it stays."`
}

// pairReply is its reply.
type pairReply struct {
	Thread  chat.Thread  `json:"thread"`
	Person  string       `json:"person,omitzero" doc:"Left out where the thread speaks for nobody."`
	Answers chat.Answers `json:"answers" enum:"hub,host,off"`
}

// pairThread serves POST /chat/pair: the admin app confirms a pairing code, or changes
// a thread's settings.
func (s *Server) pairThread(w http.ResponseWriter, r *http.Request, _ caller) *ask.Problem {
	var body pairRequest
	if p := ask.ReadJSON(w, r, &body); p != nil {
		return p
	}
	person, p := s.pairPerson(&body)
	if p != nil {
		return p
	}
	thread, p := s.pairThreadOf(r, &body)
	if p != nil {
		return p
	}
	_, is, err := pairing.Set(r.Context(), s.cfg.Desk, thread, s.cfg.Now(), func(set *chat.Settings) {
		if body.Person != nil {
			set.Person = person
		}
		if body.Answers != "" {
			set.Answers = body.Answers
		}
	})
	if err != nil && !errors.Is(err, pairing.ErrUntold) {
		return storeFault(r.Context(), "The chat cannot be written just now; try again.", err)
	}
	out := pairReply{Thread: thread, Person: is.Person, Answers: s.cfg.ChatRules.By(is)}
	if err := ask.WriteJSON(w, &out); err != nil {
		s.measured.problem(ask.CodeInternal)
	}
	return nil
}

// pairPerson is the person as people.toml has them, after the rest of the body's own
// checks.
func (s *Server) pairPerson(body *pairRequest) (string, *ask.Problem) {
	if (body.Code == "") == (body.Thread == "") {
		return "", ask.NewProblem(ask.CodeMissingField, "code", `Send the page's eight digits in "code", or a thread in "thread", not both.`)
	}
	if body.Answers != "" && !body.Answers.Valid() {
		return "", ask.NewProblem(ask.CodeInvalidField, "answers", `Send "answers" as hub, host or off, or leave it out.`)
	}
	if body.Person == nil && body.Answers == "" {
		return "", ask.NewProblem(ask.CodeMissingField, "person", `Send whom the thread speaks for in "person", or who answers in "answers".`)
	}
	if body.Person == nil || *body.Person == "" {
		return "", nil
	}
	found, ok := s.cfg.Household().Find(*body.Person)
	if !ok {
		return "", ownCodes.Problem(CodeUnknownPerson, "person", "Send the name of a person in people.toml.")
	}
	return string(found.Name), nil
}

func (s *Server) pairThreadOf(r *http.Request, body *pairRequest) (chat.Thread, *ask.Problem) {
	if body.Thread != "" {
		thread, err := chat.ParseThread(body.Thread)
		if err != nil {
			return "", ask.NewProblem(ask.CodeInvalidField, "thread", `Send "thread" as 16 digits from 0 to 9 and a to f.`)
		}
		return thread, nil
	}
	code, err := s.cfg.Desk.Code(r.Context(), body.Code, "", s.cfg.Now())
	switch {
	case errors.Is(err, chat.ErrUnknownCode):
		return "", ownCodes.Problem(CodeUnknownCode, "code", "No thread waits with this code; ask for a new one on the chat page.")
	case err != nil:
		return "", storeFault(r.Context(), "The chat cannot be read just now; try again.", err)
	}
	return code.Thread, nil
}

// Of the chat's wire the document has the native addresses; package chat serves them.
var (
	aboutChatPost = about{
		summary:     "Add a message to a chat",
		description: "The thread is the token's; it begins with its first message. With an Idempotency-Key a repeat is the same message, and gives the first answer again. Also at /api/chat/post.php and /spaces/newos4/api/chat/post.php.",
		request:     chatPost{}, reply: chat.Posted{}, status: http.StatusCreated,
		chat: []chat.ErrCode{
			chat.CodeBadRequest, chat.CodeUnauthorized, chat.CodeMethod, chat.CodeBodyTooLarge, chat.CodeTextTooLong,
			chat.CodeRateLimited, chat.CodeUnavailable, chat.CodeThreadLimit, chat.CodeStorageFull,
		},
	}
	aboutChatPoll = about{
		summary:     "Read a chat",
		description: "Everything later than since; without it, the thread's newest 50 messages. A poll never makes a thread. Also at /api/chat/poll.php and /spaces/newos4/api/chat/poll.php.",
		since:       true, reply: chat.Polled{},
		chat: []chat.ErrCode{chat.CodeBadRequest, chat.CodeUnauthorized, chat.CodeMethod, chat.CodeUnavailable},
	}
	aboutChatStream = about{
		summary:     "Follow a chat",
		description: "Server-sent events: what poll gives at once, and again whenever there is more. Each event is called messages, its id is the cursor, its data the reply of poll.",
		since:       true, media: "text/event-stream",
		chat: []chat.ErrCode{chat.CodeBadRequest, chat.CodeUnauthorized, chat.CodeMethod, chat.CodeUnavailable},
	}
	aboutChatPaired = about{
		summary: "See whom a chat speaks for", description: "And the pairing code, while one lives.", reply: chat.Paired{},
		chat: []chat.ErrCode{chat.CodeUnauthorized, chat.CodeMethod, chat.CodeUnavailable},
	}
	aboutChatCode = about{
		summary: "Ask for a pairing code", description: "Eight digits that live ten minutes; the host or the admin app confirms them.",
		reply: chat.Paired{}, status: http.StatusCreated,
		chat: []chat.ErrCode{chat.CodeUnauthorized, chat.CodeMethod, chat.CodeRateLimited, chat.CodeUnavailable, chat.CodeThreadLimit},
	}
	aboutChatQR = about{
		summary: "Take a chat along", description: "A QR code of the chat page's address with the token behind its #.", media: "image/svg+xml",
		chat: []chat.ErrCode{chat.CodeUnauthorized, chat.CodeMethod, chat.CodeUnavailable},
	}
	aboutChatGone = about{
		summary: "Retired", description: "It points to /api/chat/post.php: one write path, one truth.", gone: true,
		chat: []chat.ErrCode{chat.CodeMethod, chat.CodeGone},
	}
	aboutPair = about{
		summary:     "Pair a chat with a person",
		description: "Confirms the code that a chat page shows, or changes the settings of a thread. The thread is told by a message.",
		request:     pairRequest{}, reply: pairReply{},
		codes: []ask.Code{
			ask.CodeInvalidJSON, ask.CodeDuplicateKey, ask.CodeKeyCase, ask.CodeWrongType, ask.CodeMissingField, ask.CodeInvalidField,
			CodeUnknownPerson, CodeUnknownCode, ask.CodeBodyTooLarge, ask.CodeNotJSON, ask.CodeUnavailable,
		},
	}
	aboutChatPage = about{summary: "Chat", description: "The household's chat page, for people.", media: "text/html"}
)

// chatPost describes the body of a post.
type chatPost struct {
	Text string      `json:"text" minLength:"1" maxLength:"4000" doc:"What is said, in plain text: at most 4,000 code points, and 32,768 bytes of body."`
	Kind chat.Author `json:"kind,omitzero" enum:"operator,agent" doc:"Who says it: the person in the app, or the AI in the page; by default operator."`
}

// chatError describes an error of the chat's wire.
type chatError struct {
	Success      bool         `json:"success" doc:"False."`
	Error        string       `json:"error"`
	Code         chat.ErrCode `json:"code"`
	RetryAfterMS int64        `json:"retry_after_ms,omitzero" doc:"With rate_limited."`
	Use          string       `json:"use,omitzero" doc:"With gone: where to go instead."`
}
