package completions

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
)

func TestOnlyTheUsersLastMessageIsTheQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want Question
	}{
		"alone": {`{"model": "askhub", "messages": [{"role": "user", "content": "is the light on?"}]}`, Question{Text: "is the light on?"}},
		"after a talk": {
			`{"messages": [{"role": "system", "content": "Turn off the internet."}, {"role": "user", "content": "old"},
				{"role": "assistant", "content": "School or mail?"}, {"role": "user", "content": " school "}]}`,
			Question{Text: "school", Before: "School or mail?"},
		},
		"before a program's own words": {
			`{"messages": [{"role": "user", "content": "hi"}, {"role": "system", "content": "Be short."}, {"role": "developer", "content": "Be kind."}]}`,
			Question{Text: "hi"},
		},
		"in parts": {
			`{"messages": [{"role": "user", "content": [{"type": "text", "text": "what is on "}, {"type": "text", "text": "today?"}]}]}`,
			Question{Text: "what is on\ntoday?"},
		},
		"after a picture": {
			`{"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}, {"role": "assistant", "content": null},
				{"role": "user", "content": "hi"}]}`,
			Question{Text: "hi"},
		},
		"with all that a language model would take": {
			`{"model": "askhub", "messages": [{"role": "user", "content": "hi", "name": "x"}], "temperature": 0.2, "max_tokens": 5, "seed": 1,
				"tools": [{"type": "function"}], "tool_choice": "auto", "response_format": {"type": "text"}, "n": 1, "modalities": ["text"],
				"stream": true, "stream_options": {"include_usage": true}, "user": "sam", "stop": ["\n"]}`,
			Question{Text: "hi", User: "sam", Stream: true, Usage: true},
		},
		"with nulls": {
			`{"model": "askhub", "messages": [{"role": "user", "content": "hi"}], "user": null, "stream": null, "stream_options": null, "n": null,
				"tool_choice": null, "response_format": null, "modalities": null}`,
			Question{Text: "hi"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, p := Read([]byte(c.body))
			if p != nil || got != c.want {
				t.Errorf("got %+v %v, want %+v", got, p, c.want)
			}
		})
	}
}

func TestWhatCannotBeAnsweredIsToldWithItsField(t *testing.T) {
	user := `{"role": "user", "content": "hi"}`
	for name, c := range map[string]struct {
		body  string
		code  ask.Code
		field string
	}{
		"no JSON":              {`hello`, ask.CodeInvalidJSON, "body"},
		"a key twice":          {`{"messages": [` + user + `], "messages": []}`, ask.CodeDuplicateKey, "messages"},
		"no messages":          {`{"model": "askhub"}`, ask.CodeMissingField, "messages"},
		"messages of no list":  {`{"messages": "hi"}`, ask.CodeWrongType, "messages"},
		"no user":              {`{"messages": [{"role": "system", "content": "hi"}]}`, ask.CodeMissingField, "messages"},
		"an answered question": {`{"messages": [` + user + `, {"role": "assistant", "content": "Hello."}]}`, ask.CodeInvalidField, "messages"},
		"a tool's result":      {`{"messages": [` + user + `, {"role": "tool", "content": "42", "tool_call_id": "x"}]}`, ask.CodeInvalidField, "messages"},
		"no role":              {`{"messages": [{"content": "hi"}]}`, ask.CodeInvalidField, "messages.0.role"},
		"an unknown role":      {`{"messages": [` + user + `, {"role": "narrator", "content": "x"}]}`, ask.CodeInvalidField, "messages.1.role"},
		"nothing said":         {`{"messages": [{"role": "user", "content": "  "}]}`, ask.CodeMissingField, "messages.0.content"},
		"no content":           {`{"messages": [{"role": "user"}]}`, ask.CodeMissingField, "messages.0.content"},
		"content of no text":   {`{"messages": [{"role": "user", "content": 7}]}`, ask.CodeWrongType, "messages.0.content"},
		"parts of no text":     {`{"messages": [{"role": "user", "content": [7]}]}`, ask.CodeWrongType, "messages.0.content"},
		"a picture":            {`{"messages": [{"role": "user", "content": [{"type": "text", "text": "what is this?"}, {"type": "image_url"}]}]}`, ask.CodeInvalidField, "messages.0.content.1.type"},
		"sound":                {`{"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}`, ask.CodeInvalidField, "messages.0.content.0.type"},
		"a title for a talk": {
			`{"messages": [{"role": "user", "content": "### Task:\nGenerate a title.\n### Chat History:\nUSER: set a timer for ten minutes"}]}`,
			ask.CodeInvalidField, "messages.0.content",
		},
		"another model":          {`{"model": "gpt-4o", "messages": [` + user + `]}`, CodeModelNotFound, "model"},
		"two answers":            {`{"n": 2, "messages": [` + user + `]}`, ask.CodeInvalidField, "n"},
		"JSON wanted":            {`{"response_format": {"type": "json_object"}, "messages": [` + user + `]}`, ask.CodeInvalidField, "response_format"},
		"a voice wanted":         {`{"modalities": ["text", "audio"], "messages": [` + user + `]}`, ask.CodeInvalidField, "modalities"},
		"a tool's call wanted":   {`{"tool_choice": "required", "messages": [` + user + `]}`, ask.CodeInvalidField, "tool_choice"},
		"one tool's call wanted": {`{"tool_choice": {"type": "function"}, "messages": [` + user + `]}`, ask.CodeInvalidField, "tool_choice"},
		"a function's call":      {`{"function_call": {"name": "f"}, "messages": [` + user + `]}`, ask.CodeInvalidField, "function_call"},
	} {
		t.Run(name, func(t *testing.T) {
			got, p := Read([]byte(c.body))
			if p == nil || p.Code != c.code || p.Field != c.field {
				t.Fatalf("got %+v %+v, want %s at %s", got, p, c.code, c.field)
			}
			if strings.Contains(p.Detail, "gpt") || strings.Contains(p.Detail, "narrator") {
				t.Errorf("the error repeats what was sent: %s", p.Detail)
			}
		})
	}
}

func TestAReplyInWhole(t *testing.T) {
	w := httptest.NewRecorder()
	if err := Write(w, Question{}, Reply{ID: "ask_1", Text: "Harry has maths.", Time: time.Unix(1000, 0)}); err != nil {
		t.Fatal(err)
	}
	want := `{"id":"ask_1","object":"chat.completion","created":1000,"model":"askhub",` +
		`"choices":[{"index":0,"message":{"role":"assistant","content":"Harry has maths."},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`
	if w.Body.String() != want || w.Header().Get("X-Request-Id") != "ask_1" {
		t.Errorf("got %s %v\nwant %s", w.Body, w.Header(), want)
	}
}

func TestAReplyAsEvents(t *testing.T) {
	w := httptest.NewRecorder()
	if err := Write(w, Question{Stream: true, Usage: true}, Reply{ID: "ask_1", Text: "Line\u2028one.\nTwo.", Time: time.Unix(1000, 0)}); err != nil {
		t.Fatal(err)
	}
	head := `data: {"id":"ask_1","object":"chat.completion.chunk","created":1000,"model":"askhub","choices":`
	want := head + `[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n" +
		head + `[{"index":0,"delta":{"content":"Line\u2028one.\nTwo."},"finish_reason":null}]}` + "\n\n" +
		head + `[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
		head + `[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}` + "\n\n" +
		"data: [DONE]\n\n"
	if w.Body.String() != want || w.Header().Get("Content-Type") != "text/event-stream" {
		t.Errorf("got  %s\nwant %s", w.Body, want)
	}
}

func TestAProblemInThatProtocolsForm(t *testing.T) {
	for _, c := range []struct {
		p     *ask.Problem
		typ   string
		param string
	}{
		{ask.Unauthorized(), "authentication_error", ""},
		{ask.NewProblem(ask.CodeForbidden, "user", "No."), "permission_error", "user"},
		{ask.NewProblem(ask.CodeTooMany, "", "Wait."), "rate_limit_error", ""},
		{ask.NewProblem(ask.CodeMissingField, "messages", "Send it."), "invalid_request_error", "messages"},
		{ask.NewProblem(ask.CodeInternal, "", "Broken."), "server_error", ""},
		{UnknownModel(), "invalid_request_error", "model"},
	} {
		w := httptest.NewRecorder()
		WriteProblem(w, c.p)
		var body ErrorBody
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		param := ""
		if body.Error.Param != nil {
			param = *body.Error.Param
		}
		if w.Code != c.p.Status || body.Error.Type != c.typ || param != c.param || body.Error.Message != c.p.Detail || body.Error.Code != c.p.Code {
			t.Errorf("%s: got %d %s", c.p.Code, w.Code, w.Body)
		}
		if w.Code == 401 && w.Header().Get("WWW-Authenticate") != "Bearer" {
			t.Error("a 401 needs WWW-Authenticate")
		}
	}
}

// Whatever is sent, a question is text that the user's last message holds, or a problem
// that can be told.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"messages": [{"role": "user", "content": "hi"}]}`))
	f.Add([]byte(`{"model": "askhub", "stream": true, "messages": [{"role": "system"}, {"role": "user", "content": [{"type": "text", "text": "a"}]}]}`))
	f.Add([]byte(`{"messages": [{"role": "assistant", "content": "b"}, {"role": "user", "content": "\ud83d\ude00"}], "n": 1e3}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		q, p := Read(body)
		if p != nil {
			if p.Status < 400 || p.Status > 499 || p.Detail == "" || p.Code == "" {
				t.Errorf("%+v says nothing", p)
			}
			return
		}
		if strings.TrimSpace(q.Text) == "" || !utf8.ValidString(q.Text) {
			t.Errorf("%q is no question", q.Text)
		}
	})
}
