package api

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/completions"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
)

const completionsAt = "/v1/chat/completions"

func hello(fields string) string {
	return `{"model": "askhub", "messages": [{"role": "user", "content": "hello"}]` + fields + `}`
}

func TestAQuestionByOpenAIsProtocol(t *testing.T) {
	s := serve(t)
	body := `{"messages": [{"role": "system", "content": "You are Emma."}, {"role": "user", "content": "what does Harry have on?"}], "user": "Mum"}`
	status, header, got := s.call("POST", completionsAt, kitchenToken, body)
	var c completions.Completion
	if err := json.Unmarshal([]byte(got), &c); err != nil || status != 200 {
		t.Fatalf("got %d %s: %v", status, got, err)
	}
	if c.Choices[0].Message.Content != "Harry has maths." || c.ID != onlyID(s) || header.Get("X-Request-Id") != c.ID {
		t.Errorf("got %s", got)
	}
	asked := s.hub.requests[0]
	if asked.Question.Question != "what does Harry have on?" || asked.Asker != "Mum" || asked.WayIn != "kitchen" || asked.Source != "chat" || asked.Want != reply.Text {
		t.Errorf("the Hub got %+v", asked)
	}
	if status, _, _ := s.call("GET", "/ask/"+c.ID, kitchenToken, ""); status != 200 {
		t.Errorf("its id gives %d at /ask, want the record", status)
	}
}

func TestWhoAsksByOpenAIsProtocol(t *testing.T) {
	for name, c := range map[string]struct {
		token, fields string
		status        int
		asker         ask.Asker
	}{
		"a bound way in":                           {phoneToken, ``, 200, "sam"},
		"a bound way in, and its asker":            {phoneToken, `, "user": "Mum"`, 200, "sam"},
		"a bound way in, and a client's own mark":  {phoneToken, `, "user": "8b1a9953-c461"`, 200, "sam"},
		"a bound way in, and somebody else":        {phoneToken, `, "user": "emma"`, 403, ""},
		"a shared way in, and nobody":              {kitchenToken, ``, 400, ""},
		"a shared way in, and one of them":         {kitchenToken, `, "user": "guest"`, 200, "guest"},
		"a shared way in, and somebody else":       {kitchenToken, `, "user": "emma"`, 403, ""},
		"a shared way in, and a client's own mark": {kitchenToken, `, "user": "8b1a9953-c461"`, 403, ""},
		"a shared way in, and control characters":  {kitchenToken, `, "user": "s\u0000m"`, 400, ""},
		"the admin app":                            {adminToken, `, "user": "sam"`, 403, ""},
		"a project":                                {projectToken, ``, 403, ""},
		"a stranger":                               {strings.Repeat("x", 40), ``, 401, ""},
		"nobody":                                   {"", ``, 401, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			status, header, body := s.call("POST", completionsAt, c.token, hello(c.fields))
			if status != c.status {
				t.Fatalf("got %d %s, want %d", status, body, c.status)
			}
			if status == 200 {
				if s.hub.requests[0].Asker != c.asker {
					t.Errorf("asked as %q, want %q", s.hub.requests[0].Asker, c.asker)
				}
				return
			}
			if len(s.hub.requests) > 0 {
				t.Error("the Hub was asked")
			}
			if p := openAIError(t, body); p.Message == "" || p.Code == "" || header.Get("Content-Type") != "application/json" {
				t.Errorf("got %s as %s, want OpenAI's form", body, header.Get("Content-Type"))
			}
		})
	}
}

func openAIError(t *testing.T, body string) completions.Error {
	t.Helper()
	var e completions.ErrorBody
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		t.Fatalf("%q is no error of OpenAI's form: %v", body, err)
	}
	return e.Error
}

func TestEveryErrorThereHasOpenAIsForm(t *testing.T) {
	s := serve(t)
	for _, c := range []struct {
		method, path, body string
		headers            []string
		status             int
		code               ask.Code
	}{
		{"GET", completionsAt, "", nil, 405, ask.CodeMethodNotAllowed},
		{"POST", "/v1/responses", "{}", nil, 404, ask.CodeNotFound},
		{"GET", "/v1/", "", nil, 404, ask.CodeNotFound},
		{"GET", "/v1/models/gpt-4o", "", nil, 404, completions.CodeModelNotFound},
		{"POST", completionsAt, hello(""), []string{"Content-Type", "text/plain"}, 415, ask.CodeNotJSON},
		{"POST", completionsAt, `{"messages": [{"role": "user", "content": "` + strings.Repeat("é", 4001) + `"}]}`, nil, 413, ask.CodeQuestionTooLong},
		{"POST", completionsAt, `{"x": "` + strings.Repeat("a", completions.MaxBody) + `"}`, nil, 413, ask.CodeBodyTooLarge},
		{"POST", completionsAt, `{"messages": [{"role": "user", "content": "a\u0007b"}]}`, nil, 400, ask.CodeInvalidField},
	} {
		status, header, body := s.call(c.method, c.path, phoneToken, c.body, c.headers...)
		if p := openAIError(t, body); status != c.status || p.Code != c.code || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: got %d %s, want %d %s", c.method, c.path, status, body, c.status, c.code)
		}
	}
	if len(s.hub.requests) > 0 {
		t.Error("the Hub was asked")
	}
}

func TestOpenAIsProtocolHasTheWayInsLimits(t *testing.T) {
	s := serve(t)
	for range 5 {
		if status, _, body := s.call("POST", completionsAt, kitchenToken, hello(`, "user": "sam"`)); status != 200 {
			t.Fatalf("got %d %s", status, body)
		}
	}
	status, header, body := s.call("POST", completionsAt, kitchenToken, hello(`, "user": "sam"`))
	if p := openAIError(t, body); status != 429 || p.Type != "rate_limit_error" || header.Get("Retry-After") != "60" {
		t.Errorf("got %d %s, Retry-After %q", status, body, header.Get("Retry-After"))
	}
	if status, _, _ := s.call("POST", "/ask", kitchenToken, `{"question": "hi", "asker": "sam"}`); status != 429 {
		t.Errorf("POST /ask got %d, want one limit for both", status)
	}
}

func TestATalkContinuesWhatWasAskedBack(t *testing.T) {
	s := serve(t)
	s.hub.status, s.hub.reply = routing.StatusClarify, "Do you mean school or mail?"
	s.call("POST", completionsAt, phoneToken, hello(""))
	first := onlyID(s)
	s.hub.status, s.hub.reply = "", ""
	talk := func(before string) string {
		return `{"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "` + before + `"}, {"role": "user", "content": "school"}]}`
	}
	for i, c := range []struct{ token, body, want string }{
		{phoneToken, talk("Do you mean something else?"), ""},
		{phoneToken, talk("Do you mean school or mail?"), first},
		{phoneToken, talk("Do you mean school or mail?"), ""}, // once
	} {
		s.call("POST", completionsAt, c.token, c.body)
		if got := s.hub.requests[i+1].InReplyTo; got != c.want {
			t.Errorf("%d: it continues %q, want %q", i, got, c.want)
		}
	}
}

func TestThereIsOneModel(t *testing.T) {
	s := serve(t)
	for path, want := range map[string]string{
		"/v1/models":        `{"object":"list","data":[{"id":"askhub","object":"model","created":1000,"owned_by":"askhub"}]}`,
		"/v1/models/askhub": `{"id":"askhub","object":"model","created":1000,"owned_by":"askhub"}`,
	} {
		if status, _, body := s.call("GET", path, phoneToken, ""); status != 200 || body != want {
			t.Errorf("%s: got %d %s", path, status, body)
		}
		if status, _, _ := s.call("GET", path, "", ""); status != 401 {
			t.Errorf("%s without a token: got %d", path, status)
		}
	}
}

func TestRoomAndLanguageGoAlong(t *testing.T) {
	s := serve(t)
	s.call("POST", "/ask", phoneToken, `{"question": "hi", "room": "kitchen", "language": "en-GB"}`)
	if h := s.hub.requests[0].Heard; h.Room != "kitchen" || h.Language != "en-GB" {
		t.Errorf("the Hub got %+v", h)
	}
	for field, body := range map[string]string{
		"room":     `{"question": "hi", "room": "kit\u0000chen"}`,
		"language": `{"question": "hi", "language": "English, please"}`,
	} {
		status, _, got := s.call("POST", "/ask", phoneToken, body)
		if p := problemOf(t, got); status != 400 || p.Field != field {
			t.Errorf("%s: got %d %s", field, status, got)
		}
	}
}
