// Package anthropic asks Anthropic's models, with structured output.
package anthropic

import (
	"context"
	"net/http"
	"strings"

	client "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/llm/wire"
)

// DefaultURL is Anthropic's own address.
const DefaultURL = "https://api.anthropic.com"

// Config is which model to ask.
type Config struct {
	// URL is the API's address; empty is DefaultURL.
	URL string
	// Model is its name there.
	Model string
	Key   string
}

// Model is one of Anthropic's models.
type Model struct {
	name   string
	client client.Client
	http   *http.Client
}

var _ llm.Model = (*Model)(nil)

// New is the model of c. It is asked nothing yet. The library's own variables of the
// environment are not read: they could send the key and the question elsewhere. It tries
// nothing twice, since the embedded router is there sooner.
func New(c Config) *Model {
	if c.URL == "" {
		c.URL = DefaultURL
	}
	m := &Model{name: c.Model, http: wire.Client()}
	m.client = client.NewClient(
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(c.URL), option.WithHeader("X-Api-Key", c.Key),
		option.WithHTTPClient(m.http), option.WithMaxRetries(0),
	)
	return m
}

// String keeps the key out of whatever prints a Model.
func (m *Model) String() string { return "anthropic model " + m.name }

// GoString does the same for %#v.
func (m *Model) GoString() string { return m.String() }

// Close gives back the connections that nobody uses.
func (m *Model) Close() { m.http.CloseIdleConnections() }

// Complete asks for one document that keeps to the schema. Its bounds are left out:
// Anthropic's structured output takes none.
func (m *Model) Complete(ctx context.Context, r llm.Request) ([]byte, error) {
	schema, err := asMap(r.Schema)
	if err != nil {
		return nil, &llm.Fault{Kind: llm.Refused}
	}
	resp, err := m.client.Messages.New(ctx, client.MessageNewParams{
		Model:     m.name,
		MaxTokens: int64(r.MaxTokens),
		System:    []client.TextBlockParam{{Text: r.System}},
		Messages:  []client.MessageParam{client.NewUserMessage(client.NewTextBlock(r.Prompt))},
		OutputConfig: client.OutputConfigParam{
			Format: client.JSONOutputFormatParam{Schema: schema},
		},
	})
	if err != nil {
		return nil, wire.Fault(ctx, err)
	}
	return reply(resp)
}

// asMap is the schema without bounds, as the library wants it: each member as it stands,
// so that the order within is kept.
func asMap(schema []byte) (map[string]any, error) {
	plain, err := wire.Unbounded(schema)
	if err != nil {
		return nil, err
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(plain, &members); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(members))
	for name, v := range members {
		out[name] = v
	}
	return out, nil
}

// reply is the one whole document of an answer.
func reply(resp *client.Message) ([]byte, error) {
	if resp == nil {
		return nil, &llm.Fault{Kind: llm.Broken}
	}
	switch resp.StopReason {
	case client.StopReasonEndTurn:
	case client.StopReasonMaxTokens, client.StopReasonModelContextWindowExceeded:
		return nil, &llm.Fault{Kind: llm.Cut}
	case client.StopReasonRefusal:
		return nil, &llm.Fault{Kind: llm.Empty}
	default:
		return nil, &llm.Fault{Kind: llm.Broken}
	}
	var text strings.Builder
	for i := range resp.Content {
		if resp.Content[i].Type == "text" {
			text.WriteString(resp.Content[i].Text)
		}
	}
	out := strings.TrimSpace(text.String())
	switch {
	case out == "":
		return nil, &llm.Fault{Kind: llm.Empty}
	case len(out) > llm.MaxReply:
		return nil, &llm.Fault{Kind: llm.Flood}
	}
	return []byte(out), nil
}
