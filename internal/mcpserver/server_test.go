package mcpserver

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// scripted is a Hub that says what a test wants.
type scripted struct {
	reply string
	err   error
	asked []Question
}

func (s *scripted) Ask(_ context.Context, q Question) (*Reply, error) {
	s.asked = append(s.asked, q)
	if s.err != nil {
		return nil, s.err
	}
	return ReadReply(jsontext.Value(s.reply))
}

func (s *scripted) Capabilities(context.Context) (jsontext.Value, error) {
	return jsontext.Value(`{"topics":[],"people":[],"projects":[]}`), s.err
}

func (s *scripted) Why(context.Context, string) (jsontext.Value, error) {
	return jsontext.Value(`{"id":"ask_1","status":"answered","route":{}}`), s.err
}

// onPipes is a client of Run.
func onPipes(t *testing.T, hub Hub) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- Run(t.Context(), Config{Hub: hub, Version: "1"}, in, out) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if err := <-over; err != nil {
			t.Errorf("the end of its input is no fault, got %v", err)
		}
	})
	return session
}

func TestTheToolsOnStandardInputAndOutput(t *testing.T) {
	hub := &scripted{reply: `{"id":"ask_1","status":"done","reply":"The lamp is on."}`}
	c := onPipes(t, hub)
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "turn the lamp on", "person": "harry"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Content[0].(*mcp.TextContent).Text; r.IsError || text != "The lamp is on." {
		t.Errorf("got %q", text)
	}
	if len(hub.asked) != 1 || hub.asked[0].Question != "turn the lamp on" || hub.asked[0].Person != "harry" {
		t.Errorf("the Hub got %+v", hub.asked)
	}
	for tool, args := range map[string]map[string]any{"capabilities": nil, "why": {"id": "ask_1"}} {
		if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args}); err != nil || r.IsError || r.StructuredContent == nil {
			t.Errorf("%s: got %+v %v", tool, r, err)
		}
	}
}

func TestAHubThatIsDownIsAResultThatAModelCanRead(t *testing.T) {
	c := onPipes(t, &scripted{err: errors.New(`no Hub answers at http://127.0.0.1:8420: start it with "askhub serve"`)})
	for tool, args := range map[string]map[string]any{"ask": {"question": "hi"}, "capabilities": nil, "why": {"id": "ask_1"}} {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Content[0].(*mcp.TextContent).Text; !r.IsError || !strings.Contains(text, "no Hub answers") {
			t.Errorf("%s: got %q", tool, text)
		}
	}
}

// What a model sends is read whole or refused; nothing of it makes a tool panic.
func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"question": "hi", "asker": "sam"}`))
	f.Add([]byte(`{"question": null, "question": 1}`))
	f.Add([]byte(`[]`))
	_, given := askToolFor(nil)
	f.Fuzz(func(t *testing.T, args []byte) {
		var q Question
		if err := given.read(args, &q); err == nil && q.Asker != "" {
			t.Errorf("a model chose the asker %q", q.Asker)
		}
	})
}
