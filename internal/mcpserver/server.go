// Package mcpserver is askhub for programs that speak the Model Context Protocol: the
// tools ask, capabilities and why, over HTTP in the Hub and on standard input and output
// by `askhub mcp`. A model that calls them learns what a person at that way in would, and
// no more: whose token it is decides who asks.
package mcpserver

import (
	"context"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askhub/askhub/ask"
)

// Question is what the tool ask is called with.
type Question struct {
	Question  string     `json:"question"`
	Asker     ask.Asker  `json:"asker"`
	Person    ask.Person `json:"person"`
	InReplyTo string     `json:"in_reply_to"`
}

// Reply is a reply of POST /ask.
type Reply struct {
	ID, Status, Reply string
	Choices           []string
	// Whole is the reply's JSON.
	Whole jsontext.Value
}

// Hub is asked by the tools, as one caller. An error's text is shown to the model, so it
// says the mend and nothing internal; an *ask.Problem names the field.
type Hub interface {
	Ask(ctx context.Context, q Question) (*Reply, error)
	// Capabilities is the JSON of GET /capabilities.
	Capabilities(ctx context.Context) (jsontext.Value, error)
	// Why is the JSON of GET /ask/{id}.
	Why(ctx context.Context, id string) (jsontext.Value, error)
}

// Config is what a server is built from.
type Config struct {
	Hub Hub
	// Askers are those whom the caller may choose from; with one or none there is nothing
	// to choose.
	Askers  []ask.Asker
	Version string
}

// instructions tell a model what this is for.
const instructions = `askhub answers the questions of a household in one short honest sentence: calendars, mail, the house and whatever else it has.
Pass the person's own words to the tool ask, unchanged, and give its sentence back unchanged: do not add to it. "I do not know" is an answer.
Ask may also carry out what is asked, such as turning a lamp on. What only a parent may do is refused, and no other wording changes that.`

// New is a server with the three tools.
func New(c Config) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "askhub", Title: "askhub", Version: c.Version}, &mcp.ServerOptions{
		Instructions: instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	askTool, given := askToolFor(c.Askers)
	s.AddTool(askTool, c.call(func(ctx context.Context, args jsontext.Value) (*mcp.CallToolResult, error) {
		q := Question{}
		if err := given.read(args, &q); err != nil {
			return nil, err
		}
		if q.Question == "" {
			return nil, ask.NewProblem(ask.CodeMissingField, "question", `Send what the person said in "question".`)
		}
		r, err := c.Hub.Ask(ctx, q)
		if err != nil {
			return nil, err
		}
		return said(r), nil
	}))
	s.AddTool(capabilitiesTool, c.call(func(ctx context.Context, args jsontext.Value) (*mcp.CallToolResult, error) {
		if err := nothing.read(args, &struct{}{}); err != nil {
			return nil, err
		}
		v, err := c.Hub.Capabilities(ctx)
		return shown(v), err
	}))
	s.AddTool(whyTool, c.call(func(ctx context.Context, args jsontext.Value) (*mcp.CallToolResult, error) {
		var about struct {
			ID string `json:"id"`
		}
		if err := onlyID.read(args, &about); err != nil {
			return nil, err
		}
		v, err := c.Hub.Why(ctx, about.ID)
		return shown(v), err
	}))
	return s
}

// call makes a tool's handler of f: what goes wrong is a result that says so, which a
// model can read and mend, and no error of the protocol.
func (c Config) call(f func(context.Context, jsontext.Value) (*mcp.CallToolResult, error)) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, err := f(ctx, jsontext.Value(req.Params.Arguments))
		if err == nil {
			return result, nil
		}
		text := err.Error()
		if p, ok := errors.AsType[*ask.Problem](err); ok {
			text = p.Detail
		}
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
}

// Run serves one client on standard input and output until ctx ends or the input does.
// A line that is no message is answered with an error, and the next one is read.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer) error {
	to := newWhole(out)
	err := New(c).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(newLines(in, to)), Writer: nopCloser{to}})
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return err
	}
	return nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
