// Package completions is the wire of OpenAI's chat completions, as far as a way in needs
// it: what of a request is a question, and a reply in that protocol's form, whole or as
// server-sent events. It knows nothing of the Hub.
package completions

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// Model is the one model that there is.
const Model = "askhub"

// MaxBody is the largest request body that is read, in bytes: these clients send the whole
// talk with each question.
const MaxBody = 1 << 20

// CodeModelNotFound is a model of another name, as that protocol calls it.
const CodeModelNotFound ask.Code = "model_not_found"

// Codes are the codes of this way in, beside those of the ask contract, with their status.
func Codes() ask.CodeTable { return ask.CodeTable{CodeModelNotFound: http.StatusNotFound} }

// Question is what a request asks.
type Question struct {
	// Text is the last message of the user.
	Text string
	// Before is the assistant's message before it, by which an answer to something that was
	// asked back is known; empty where there is none.
	Before string
	// User is what the caller calls the end user; it may be empty.
	User string
	// Stream is whether the reply goes as events, Usage whether the last of them says what
	// it took.
	Stream, Usage bool
}

// request is what is read of a body. What is not here changes how a language model
// words things, and there is none; it is ignored.
type request struct {
	Model          string          `json:"model"`
	Messages       []message       `json:"messages"`
	User           string          `json:"user"`
	Stream         bool            `json:"stream"`
	StreamOptions  *streamOptions  `json:"stream_options"`
	N              *int            `json:"n"`
	ToolChoice     jsontext.Value  `json:"tool_choice"`
	FunctionCall   jsontext.Value  `json:"function_call"`
	ResponseFormat *responseFormat `json:"response_format"`
	Modalities     []string        `json:"modalities"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type responseFormat struct {
	Type string `json:"type"`
}

// message is one message of the talk. Only the content of the last ones is looked into.
type message struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`
}

// contentPart is a message's content where it is a list.
type contentPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Read finds the question in a body. Its problem names the field.
func Read(body []byte) (Question, *ask.Problem) {
	var r request
	if p := ask.DecodeJSON(body, &r); p != nil {
		return Question{}, p
	}
	if p := r.unsupported(); p != nil {
		return Question{}, p
	}
	at, p := r.asked()
	if p != nil {
		return Question{}, p
	}
	text, p := r.text(at)
	if p != nil {
		return Question{}, p
	}
	return Question{
		Text: text, Before: r.before(at), User: r.User,
		Stream: r.Stream, Usage: r.StreamOptions != nil && r.StreamOptions.IncludeUsage,
	}, nil
}

// unsupported is what a caller waits for and would not get. It is told, where ignoring
// it would make the reply something else than was asked for.
func (r *request) unsupported() *ask.Problem {
	switch {
	case r.Model != "" && r.Model != Model:
		return UnknownModel()
	case r.N != nil && *r.N != 1:
		return invalid("n", `There is one answer to a question: send "n" as 1, or leave it out.`)
	case r.ResponseFormat != nil && r.ResponseFormat.Type != "" && r.ResponseFormat.Type != "text":
		return invalid("response_format", `The answer is a sentence: send "response_format" as text, or leave it out.`)
	case len(r.Modalities) > 0 && !slices.Equal(r.Modalities, []string{"text"}):
		return invalid("modalities", `The answer is text: send "modalities" as ["text"], or leave it out.`)
	case forced(r.ToolChoice):
		return invalid("tool_choice", `No tool of yours is called here: send "tool_choice" as auto or none, or leave it out.`)
	case forced(r.FunctionCall):
		return invalid("function_call", `No function of yours is called here: send "function_call" as auto or none, or leave it out.`)
	}
	return nil
}

// UnknownModel is what a caller of another model is told.
func UnknownModel() *ask.Problem {
	return Codes().Problem(CodeModelNotFound, "model", `There is one model here: send "model" as `+Model+`.`)
}

// forced says whether a choice leaves no other answer than a call.
func forced(choice jsontext.Value) bool {
	switch string(choice) {
	case "", "null", `"auto"`, `"none"`:
		return false
	}
	return true
}

// The roles of a message. A tool's and a function's message stand alike.
var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

// asked is which message the question is: the user's last one. What a program says in
// between (system, developer) may follow it; a reply after it means that it was answered,
// and asking it again could turn a lamp on twice.
func (r *request) asked() (int, *ask.Problem) {
	for i, m := range r.Messages {
		if !slices.Contains(roles, m.Role) {
			return 0, invalid(fmt.Sprintf("messages.%d.role", i), "Send each message's role as one of "+strings.Join(roles, ", ")+".")
		}
	}
	for i := len(r.Messages) - 1; i >= 0; i-- {
		switch r.Messages[i].Role {
		case "user":
			return i, nil
		case "system", "developer":
		default:
			return 0, invalid("messages", "Nothing new is asked: send the question as the last message, with the role user.")
		}
	}
	return 0, ask.NewProblem(ask.CodeMissingField, "messages", "Send the question as the last message, with the role user.")
}

// chore is how Open WebUI begins what it asks for itself, such as a title for a talk. The
// talk stands in it, so whatever was asked for there would be asked for again.
const chore = "### Task:"

// text is what the message at that place says.
func (r *request) text(at int) (string, *ask.Problem) {
	field := fmt.Sprintf("messages.%d.content", at)
	parts, ok := contentOf(r.Messages[at].Content)
	if !ok {
		return "", ask.NewProblem(ask.CodeWrongType, field, `Send "content" as text, or as a list of parts.`)
	}
	var texts []string
	for i, part := range parts {
		if part.Type != "text" {
			return "", invalid(fmt.Sprintf("%s.%d.type", field, i), "Only text is understood here: send the question without pictures, sound or files.")
		}
		texts = append(texts, strings.TrimSpace(part.Text))
	}
	text := strings.TrimSpace(strings.Join(texts, "\n"))
	switch {
	case text == "":
		return "", ask.NewProblem(ask.CodeMissingField, field, `Send what the person said in "content".`)
	case strings.HasPrefix(text, chore):
		return "", invalid(field, "This is a program's own task about a talk, and no person's question: use another model for titles, tags and the like, or switch them off.")
	}
	return text, nil
}

// contentOf reads a content: a text, a list of parts, or nothing.
func contentOf(v jsontext.Value) ([]contentPart, bool) {
	switch v.Kind() {
	case '"':
		var text string
		if json.Unmarshal(v, &text) != nil {
			return nil, false
		}
		return []contentPart{{"text", text}}, true
	case '[':
		var parts []contentPart
		if json.Unmarshal(v, &parts) != nil {
			return nil, false
		}
		return parts, true
	case 'n', 0: // null, or left out
		return nil, true
	}
	return nil, false
}

// before is the assistant's message right before the one at that place.
func (r *request) before(at int) string {
	for i := at - 1; i >= 0; i-- {
		switch r.Messages[i].Role {
		case "system", "developer":
			continue
		case "assistant":
			parts, _ := contentOf(r.Messages[i].Content)
			if len(parts) == 1 {
				return parts[0].Text
			}
		}
		return ""
	}
	return ""
}

func invalid(field, detail string) *ask.Problem {
	return ask.NewProblem(ask.CodeInvalidField, field, detail)
}
