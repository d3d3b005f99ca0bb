package completions

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// Reply is one sentence, as it goes back.
type Reply struct {
	// ID is the record's, so that `askhub why` explains a reply by it.
	ID   string
	Text string
	Time time.Time
}

// Completion is a whole reply as that protocol has it.
type Completion struct {
	ID      string   `json:"id" doc:"The record's id, for GET /ask/{id}."`
	Object  string   `json:"object" enum:"chat.completion"`
	Created int64    `json:"created" doc:"Seconds since 1970."`
	Model   string   `json:"model" enum:"askhub"`
	Choices []Choice `json:"choices" doc:"Always one."`
	Usage   Usage    `json:"usage"`
}

// Choice is the one answer.
type Choice struct {
	Index        int     `json:"index"`
	Message      Message `json:"message"`
	FinishReason string  `json:"finish_reason" enum:"stop"`
}

// Message is what is said.
type Message struct {
	Role    string `json:"role" enum:"assistant"`
	Content string `json:"content" doc:"One short honest sentence, whatever the outcome: an answer, a question back, or why there is none."`
}

// Usage is what a reply took of a language model, as its caller would pay for: nothing.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// Models is the list of the one model.
type Models struct {
	Object string      `json:"object" enum:"list"`
	Data   []ModelInfo `json:"data"`
}

// ModelInfo is one model.
type ModelInfo struct {
	ID      string `json:"id" enum:"askhub"`
	Object  string `json:"object" enum:"model"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by" enum:"askhub"`
}

// ErrorBody is an error in that protocol's form.
type ErrorBody struct {
	Error Error `json:"error"`
}

// Error says what was wrong. Code is the Hub's own.
type Error struct {
	Message string   `json:"message"`
	Type    string   `json:"type" enum:"invalid_request_error,authentication_error,permission_error,rate_limit_error,server_error"`
	Param   *string  `json:"param" doc:"The field at fault; null where it is none."`
	Code    ask.Code `json:"code"`
}

type chunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []chunkChoice `json:"choices"`
	Usage   *Usage        `json:"usage,omitzero"`
}

type chunkChoice struct {
	Index        int     `json:"index"`
	Delta        delta   `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role    string  `json:"role,omitzero"`
	Content *string `json:"content,omitzero"`
}

// Write sends r in the form that q asked for. An error means that the caller has gone.
func Write(w http.ResponseWriter, q Question, r Reply) error {
	w.Header().Set("X-Request-Id", r.ID)
	if q.Stream {
		return stream(w, q.Usage, r)
	}
	return ask.WriteJSON(w, &Completion{
		ID: r.ID, Object: "chat.completion", Created: r.Time.Unix(), Model: Model,
		Choices: []Choice{{Message: Message{"assistant", r.Text}, FinishReason: "stop"}},
	})
}

// stream sends r as events: who speaks, the sentence, the end of it, and the mark after
// which nothing comes.
func stream(w http.ResponseWriter, usage bool, r Reply) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy before the Hub should not hold it back
	stop, none := "stop", ""
	steps := [][]chunkChoice{
		{{Delta: delta{Role: "assistant", Content: &none}}},
		{{Delta: delta{Content: &r.Text}}},
		{{FinishReason: &stop}},
	}
	if usage {
		steps = append(steps, []chunkChoice{})
	}
	var out []byte
	for i, choices := range steps {
		c := chunk{ID: r.ID, Object: "chat.completion.chunk", Created: r.Time.Unix(), Model: Model, Choices: choices}
		if i == 3 {
			c.Usage = &Usage{}
		}
		// The sentence's line separators would end an event's line for some readers.
		event, err := json.Marshal(&c, jsontext.EscapeForJS(true))
		if err != nil {
			return err
		}
		out = append(append(append(out, "data: "...), event...), "\n\n"...)
	}
	_, err := w.Write(append(out, "data: [DONE]\n\n"...))
	return err
}

// WriteModels sends the list of the one model, that has been there since that time.
func WriteModels(w http.ResponseWriter, since time.Time) error {
	return ask.WriteJSON(w, &Models{Object: "list", Data: []ModelInfo{About(since)}})
}

// About is the one model.
func About(since time.Time) ModelInfo {
	return ModelInfo{ID: Model, Object: "model", Created: since.Unix(), OwnedBy: "askhub"}
}

// WriteProblem sends p as that protocol's error.
func WriteProblem(w http.ResponseWriter, p *ask.Problem) {
	body := ErrorBody{Error{Message: p.Detail, Type: typeOf(p.Status), Code: p.Code}}
	if p.Field != "" && p.Field != "Authorization" {
		body.Error.Param = &p.Field
	}
	b, err := json.Marshal(&body)
	if err != nil {
		b = []byte(`{"error":{"message":"Something went wrong here.","type":"server_error","param":null,"code":"internal"}}`)
	}
	ask.WriteProblemAs(w, p, "application/json", b)
}

func typeOf(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}
