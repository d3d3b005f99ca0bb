// Package openai asks any server that speaks OpenAI's chat completions: Ollama,
// llama.cpp, vLLM, and OpenAI itself.
package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	client "github.com/sashabaranov/go-openai"

	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/llm/wire"
)

// almostCold is the temperature. The library leaves a plain 0 out, and servers then take
// their own; one much smaller makes llama.cpp divide by nothing and write at random.
const almostCold = 0.01

// Config is which model to ask, and where.
type Config struct {
	// URL is the API's address, such as http://127.0.0.1:11434/v1, with no slash at its end.
	URL string
	// Model is its name there.
	Model string
	// Key goes along as a bearer token; empty where the server wants none.
	Key string
}

// Model is one model of one server.
type Model struct {
	name   string
	client *client.Client
	http   *http.Client
	// plain is set once the server has refused the bounds of a schema.
	plain atomic.Bool
}

var (
	_ llm.Model  = (*Model)(nil)
	_ llm.Lister = (*Model)(nil)
)

// New is the model of c. It is asked nothing yet.
func New(c Config) *Model {
	m := &Model{name: c.Model, http: wire.Client()}
	set := client.DefaultConfig(c.Key)
	set.BaseURL = c.URL
	set.HTTPClient = m.http
	m.client = client.NewClientWithConfig(set)
	return m
}

// String keeps the key out of whatever prints a Model.
func (m *Model) String() string { return "openai model " + m.name }

// GoString does the same for %#v.
func (m *Model) GoString() string { return m.String() }

// Close gives back the connections that nobody uses.
func (m *Model) Close() { m.http.CloseIdleConnections() }

// Complete asks for one document that keeps to the schema. A server that does not take
// the schema's bounds is asked without them: OpenAI's own is one.
func (m *Model) Complete(ctx context.Context, r llm.Request) ([]byte, error) {
	if m.plain.Load() {
		return m.attempt(ctx, r, true)
	}
	reply, err := m.attempt(ctx, r, false)
	if f := (*llm.Fault)(nil); errors.As(err, &f) && f.Status == http.StatusBadRequest {
		if reply, err = m.attempt(ctx, r, true); err == nil {
			m.plain.Store(true)
		}
	}
	return reply, err
}

func (m *Model) attempt(ctx context.Context, r llm.Request, plain bool) ([]byte, error) {
	schema := r.Schema
	if plain {
		var err error
		if schema, err = wire.Unbounded(schema); err != nil {
			return nil, &llm.Fault{Kind: llm.Refused}
		}
	}
	ask := client.ChatCompletionRequest{
		Model: m.name,
		Messages: []client.ChatCompletionMessage{
			{Role: client.ChatMessageRoleSystem, Content: r.System},
			{Role: client.ChatMessageRoleUser, Content: r.Prompt},
		},
		ResponseFormat: &client.ChatCompletionResponseFormat{
			Type:       client.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &client.ChatCompletionResponseFormatJSONSchema{Name: r.Name, Schema: jsontext.Value(schema), Strict: true},
		},
	}
	if thinks(m.name) {
		// What it thinks counts among the tokens, and it takes no temperature.
		ask.MaxCompletionTokens, ask.ReasoningEffort = 8*r.MaxTokens, "low"
	} else {
		ask.MaxTokens, ask.Temperature = r.MaxTokens, almostCold //nolint:staticcheck // Ollama knows no other bound
	}
	resp, err := m.client.CreateChatCompletion(ctx, ask)
	if err != nil {
		return nil, fault(ctx, err)
	}
	return reply(&resp)
}

// thinks is whether the name is one of OpenAI's reasoning models, as the library tells.
func thinks(model string) bool {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5"} {
		if strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
}

// reply is the one whole document of an answer.
func reply(resp *client.ChatCompletionResponse) ([]byte, error) {
	if len(resp.Choices) != 1 {
		return nil, &llm.Fault{Kind: llm.Broken}
	}
	c := &resp.Choices[0]
	text := strings.TrimSpace(c.Message.Content)
	switch {
	case c.FinishReason == client.FinishReasonLength:
		return nil, &llm.Fault{Kind: llm.Cut}
	case c.Message.Refusal != "", c.FinishReason == client.FinishReasonContentFilter:
		return nil, &llm.Fault{Kind: llm.Empty}
	case c.FinishReason != client.FinishReasonStop:
		return nil, &llm.Fault{Kind: llm.Broken}
	case text == "":
		return nil, &llm.Fault{Kind: llm.Empty}
	case len(text) > llm.MaxReply:
		return nil, &llm.Fault{Kind: llm.Flood}
	}
	return []byte(text), nil
}

// Names asks the server which models it has.
func (m *Model) Names(ctx context.Context) ([]string, error) {
	list, err := m.client.ListModels(ctx)
	if err != nil {
		return nil, fault(ctx, err)
	}
	names := make([]string, 0, len(list.Models))
	for i := range list.Models {
		names = append(names, list.Models[i].ID)
	}
	return names, nil
}

// fault keeps nothing of what the library says.
func fault(ctx context.Context, err error) error {
	for _, mine := range []error{
		client.ErrChatCompletionInvalidModel, client.ErrReasoningModelMaxTokensDeprecated, client.ErrReasoningModelLimitationsLogprobs,
		client.ErrReasoningModelLimitationsOther,
	} {
		if errors.Is(err, mine) {
			return &llm.Fault{Kind: llm.Refused}
		}
	}
	return wire.Fault(ctx, err)
}
