package script

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Protocol is what a server speaks.
type Protocol struct {
	// Path is where completions are asked for, under the address that a provider gets.
	Path string
	// KeyHeader carries the key, behind KeyPrefix.
	KeyHeader, KeyPrefix string
	// Whole is an answer with that text and reason to end; its words for a whole reply, one
	// that was cut, and one that the model would not give.
	Whole            func(text, ended string) string
	Done, Cut, Shuns string
	// Schema is the schema in a request, Prompt all that the model is told.
	Schema func(request []byte) jsontext.Value
	Prompt func(request []byte) string
}

// OpenAI is the protocol of OpenAI's chat completions.
var OpenAI = Protocol{
	Path: "/chat/completions", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
	Whole: func(text, ended string) string {
		return `{"id":"c1","object":"chat.completion","created":1,"model":"scripted","choices":[{"index":0,"message":{"role":"assistant","content":` +
			quote(text) + `},"finish_reason":` + quote(ended) + `}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
	},
	Done: "stop", Cut: "length", Shuns: "content_filter",
	Schema: func(request []byte) jsontext.Value {
		var r struct {
			ResponseFormat struct {
				JSONSchema struct {
					Schema jsontext.Value `json:"schema"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		_ = json.Unmarshal(request, &r)
		return r.ResponseFormat.JSONSchema.Schema
	},
	Prompt: func(request []byte) string {
		var r struct {
			Messages []struct {
				Content string `json:"content"`
			} `json:"messages"`
		}
		_ = json.Unmarshal(request, &r)
		var all strings.Builder
		for _, m := range r.Messages {
			all.WriteString(m.Content + "\n")
		}
		return all.String()
	},
}

// Anthropic is the protocol of Anthropic's messages.
var Anthropic = Protocol{
	Path: "/v1/messages", KeyHeader: "X-Api-Key",
	Whole: func(text, ended string) string {
		return `{"id":"m1","type":"message","role":"assistant","model":"scripted","content":[{"type":"text","text":` + quote(text) +
			`}],"stop_reason":` + quote(ended) + `,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`
	},
	Done: "end_turn", Cut: "max_tokens", Shuns: "refusal",
	Schema: func(request []byte) jsontext.Value {
		var r struct {
			OutputConfig struct {
				Format struct {
					Schema jsontext.Value `json:"schema"`
				} `json:"format"`
			} `json:"output_config"`
		}
		_ = json.Unmarshal(request, &r)
		return r.OutputConfig.Format.Schema
	},
	Prompt: func(request []byte) string {
		type texts []struct {
			Text string `json:"text"`
		}
		var r struct {
			System   texts `json:"system"`
			Messages []struct {
				Content texts `json:"content"`
			} `json:"messages"`
		}
		_ = json.Unmarshal(request, &r)
		var all strings.Builder
		for _, t := range r.System {
			all.WriteString(t.Text + "\n")
		}
		for _, m := range r.Messages {
			for _, t := range m.Content {
				all.WriteString(t.Text + "\n")
			}
		}
		return all.String()
	},
}

func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Server is a model's server on this machine.
type Server struct {
	// URL is its address.
	URL string
	Protocol

	mu     sync.Mutex
	handle http.HandlerFunc
	seen   []Seen
}

// Seen is a request as it arrived.
type Seen struct {
	Path, Key string
	Body      []byte
}

// Serve starts a server whose completions are answered by h, until the test ends. What
// other paths answer h decides too; it may be told apart by the path.
func Serve(t testing.TB, p Protocol, h http.HandlerFunc) *Server {
	s := &Server{Protocol: p, handle: h}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller has gone
		}
		s.mu.Lock()
		s.seen = append(s.seen, Seen{r.URL.Path, r.Header.Get(p.KeyHeader), body})
		answer := s.handle
		s.mu.Unlock()
		answer(w, r)
	}))
	s.URL = srv.URL
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return s
}

// Handle answers by h from now on.
func (s *Server) Handle(h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = h
}

// Say answers with a whole reply of that text.
func (p Protocol) Say(text string) http.HandlerFunc { return p.End(text, p.Done) }

// End answers with that text and that reason to end.
func (p Protocol) End(text, ended string) http.HandlerFunc {
	return p.Raw(http.StatusOK, p.Whole(text, ended))
}

// Raw answers with that status and that body.
func (p Protocol) Raw(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Seen are the requests so far.
func (s *Server) Seen() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Seen(nil), s.seen...)
}
