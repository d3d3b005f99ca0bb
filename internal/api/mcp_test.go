package api

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/mcpserver"
)

// withToken shows a token on every request.
type withToken string

func (t withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

func (s *served) mcp(token string) *mcp.ClientSession {
	s.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(s.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: withToken(token)}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = session.Close() })
	return session
}

func callTool(t *testing.T, c *mcp.ClientSession, name string, args map[string]any) (string, *mcp.CallToolResult) {
	t.Helper()
	r, err := c.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r
}

func TestTheToolsOfTheModelContextProtocol(t *testing.T) {
	s := serve(t)
	c := s.mcp(kitchenToken)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	readOnly := map[string]bool{}
	for _, tool := range list.Tools {
		readOnly[tool.Name] = tool.Annotations.ReadOnlyHint
		if tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
			t.Errorf("%s has no description or no schemas", tool.Name)
		}
	}
	if len(readOnly) != 3 || readOnly["ask"] || !readOnly["capabilities"] || !readOnly["why"] {
		t.Errorf("got %v, want three tools, of which ask alone may change something", readOnly)
	}

	text, result := callTool(t, c, "ask", map[string]any{"question": "what does Harry have on?", "asker": "sam"})
	if text != "Harry has maths." || result.IsError {
		t.Errorf("got %q %+v", text, result)
	}
	whole := result.StructuredContent.(map[string]any)
	if whole["status"] != "answered" || whole["id"] != onlyID(s) {
		t.Errorf("got %v", whole)
	}
	if asked := s.hub.requests[0]; asked.WayIn != "kitchen" || asked.Asker != "sam" || asked.Source != "chat" || asked.Want != "text" {
		t.Errorf("the Hub got %+v", asked)
	}
	if _, result = callTool(t, c, "why", map[string]any{"id": onlyID(s)}); result.IsError || result.StructuredContent.(map[string]any)["way_in"] != "kitchen" {
		t.Errorf("why gives %+v", result)
	}
	if text, _ = callTool(t, c, "capabilities", nil); !strings.Contains(text, `"project":"compass_nhs"`) {
		t.Errorf("capabilities gives %s", text)
	}
}

func TestAClarifyTellsAModelHowToGoOn(t *testing.T) {
	s := serve(t)
	s.hub.status, s.hub.reply = routing.StatusClarify, "School or mail?"
	c := s.mcp(phoneToken)
	text, _ := callTool(t, c, "ask", map[string]any{"question": "anything new?"})
	first := onlyID(s)
	if !strings.HasPrefix(text, "School or mail?") || !strings.Contains(text, first) {
		t.Errorf("got %q", text)
	}
	callTool(t, c, "ask", map[string]any{"question": "school", "in_reply_to": first})
	if got := s.hub.requests[1].InReplyTo; got != first {
		t.Errorf("it continues %q, want %q", got, first)
	}
}

func TestAToolsErrorCanBeReadByAModel(t *testing.T) {
	s := serve(t)
	kitchen, phone := s.mcp(kitchenToken), s.mcp(phoneToken)
	for name, c := range map[string]struct {
		session *mcp.ClientSession
		tool    string
		args    map[string]any
		says    string
	}{
		"no question":          {phone, "ask", map[string]any{}, `Send "question"`},
		"an empty question":    {phone, "ask", map[string]any{"question": " "}, `"question"`},
		"a question too long":  {phone, "ask", map[string]any{"question": strings.Repeat("é", 4001)}, "4,000"},
		"a wrong type":         {phone, "ask", map[string]any{"question": 7}, `"question" must be a string`},
		"an unknown argument":  {phone, "ask", map[string]any{"question": "hi", "room": "kitchen"}, `no argument "room"`},
		"another's asker":      {kitchen, "ask", map[string]any{"question": "hi", "asker": "emma"}, "may not speak"},
		"no asker":             {kitchen, "ask", map[string]any{"question": "hi"}, `Send "asker"`},
		"an asker to a bound":  {phone, "ask", map[string]any{"question": "hi", "asker": "emma"}, `no argument "asker"`},
		"an unknown person":    {phone, "ask", map[string]any{"question": "hi", "person": "nobody"}, "people.toml"},
		"a wrong in_reply_to":  {phone, "ask", map[string]any{"question": "hi", "in_reply_to": "7"}, "in_reply_to"},
		"an unknown id":        {phone, "why", map[string]any{"id": "ask_01KEXAMPLE00000000000000000"}, "Nothing is kept"},
		"no id":                {phone, "why", nil, `Send "id"`},
		"arguments for nobody": {phone, "capabilities", map[string]any{"all": true}, `Send none`},
	} {
		t.Run(name, func(t *testing.T) {
			text, result := callTool(t, c.session, c.tool, c.args)
			if !result.IsError || !strings.Contains(text, c.says) {
				t.Errorf("got %q, an error %v; want %q", text, result.IsError, c.says)
			}
		})
	}
	if len(s.hub.requests) > 0 {
		t.Error("the Hub was asked")
	}
}

func TestOnlyQuestionsCountAtTheModelContextProtocol(t *testing.T) {
	s := serve(t)
	c := s.mcp(kitchenToken)
	for range 10 {
		callTool(t, c, "capabilities", nil)
	}
	for range 5 {
		if text, result := callTool(t, c, "ask", map[string]any{"question": "hi", "asker": "sam"}); result.IsError {
			t.Fatal(text)
		}
	}
	if text, result := callTool(t, c, "ask", map[string]any{"question": "hi", "asker": "sam"}); !result.IsError || !strings.Contains(text, "60 seconds") {
		t.Errorf("got %q", text)
	}
}

func TestTheModelContextProtocolIsForAWayInsOwnToken(t *testing.T) {
	list := `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}`
	both := []string{"Accept", "application/json, text/event-stream"}
	for name, c := range map[string]struct {
		token, method, body string
		headers             []string
		status              int
		code                ask.Code
	}{
		"no token":         {"", "POST", list, both, 401, ask.CodeUnauthorized},
		"a project":        {projectToken, "POST", list, both, 403, CodeNotForThisCaller},
		"the admin app":    {adminToken, "POST", list, both, 403, CodeNotForThisCaller},
		"another page":     {phoneToken, "POST", list, append(both, "Origin", "https://elsewhere.example", "Sec-Fetch-Site", "cross-site"), 403, ask.CodeForbidden},
		"a stream":         {phoneToken, "GET", "", both, 405, ask.CodeMethodNotAllowed},
		"no JSON":          {phoneToken, "POST", "hello", both, 400, ask.CodeInvalidJSON},
		"a key twice":      {phoneToken, "POST", `{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "tools/list"}`, both, 400, ask.CodeInvalidJSON},
		"a large message":  {phoneToken, "POST", `{"x": "` + strings.Repeat("a", mcpserver.MaxBody) + `"}`, both, 413, ask.CodeBodyTooLarge},
		"another type":     {phoneToken, "POST", list, append(both, "Content-Type", "text/plain"), 415, ask.CodeNotJSON},
		"its own, and all": {phoneToken, "POST", list, both, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			status, _, body := s.call(c.method, "/mcp", c.token, c.body, c.headers...)
			if status != c.status || c.code != "" && problemOf(t, body).Code != c.code {
				t.Errorf("got %d %s, want %d %s", status, body, c.status, c.code)
			}
		})
	}
}
