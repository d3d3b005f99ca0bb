package openai

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/leaktest"
	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/llm/script"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestItKeepsToThePort(t *testing.T) {
	script.Check(t, script.OpenAI, func(url, key, model string) llm.Model {
		return New(Config{URL: url, Key: key, Model: model})
	})
}

func TestAServerThatRefusesTheBoundsIsAskedWithoutThemFromThenOn(t *testing.T) {
	p := script.OpenAI
	s := script.Serve(t, p, nil)
	s.Handle(func(w http.ResponseWriter, r *http.Request) {
		seen := s.Seen()
		if strings.Contains(string(p.Schema(seen[len(seen)-1].Body)), "maxLength") {
			p.Raw(http.StatusBadRequest, `{"error":{"message":"maxLength is not permitted"}}`)(w, r)
			return
		}
		p.Say(`{"a":"b"}`)(w, r)
	})
	m := New(Config{URL: s.URL, Model: "scripted"})
	defer m.Close()
	r := llm.Request{Name: "x", Schema: []byte(`{"type":"object","properties":{"a":{"type":"string","maxLength":9}}}`), MaxTokens: 9}
	for i, want := range []int{2, 3} {
		if reply, err := m.Complete(t.Context(), r); err != nil || string(reply) != `{"a":"b"}` {
			t.Fatalf("got %q, %v", reply, err)
		}
		if n := len(s.Seen()); n != want {
			t.Errorf("after question %d: %d requests, want %d", i+1, n, want)
		}
	}
	if seen := s.Seen(); seen[0].Key != "" {
		t.Errorf("without a key, %q was sent", seen[0].Key)
	}
}

func TestAThinkingModelIsAskedInItsWay(t *testing.T) {
	s := script.Serve(t, script.OpenAI, script.OpenAI.Say("{}"))
	for name, want := range map[string]string{
		"gpt-5-mini": `"max_completion_tokens":80`, "llama3.2:3b": `"max_tokens":10`,
	} {
		m := New(Config{URL: s.URL, Model: name})
		defer m.Close() //nolint:gocritic // two of them
		before := len(s.Seen())
		if _, err := m.Complete(t.Context(), llm.Request{Name: "x", Schema: []byte("{}"), MaxTokens: 10}); err != nil {
			t.Fatal(err)
		}
		if body := string(s.Seen()[before].Body); !strings.Contains(body, want) || strings.Contains(body, "temperature") == strings.HasPrefix(name, "gpt-5") {
			t.Errorf("%s: %s", name, body)
		}
	}
}

func TestTheServerNamesItsModels(t *testing.T) {
	s := script.Serve(t, script.OpenAI, script.OpenAI.Raw(http.StatusOK, `{"object":"list","data":[{"id":"a"},{"id":"b"}]}`))
	m := New(Config{URL: s.URL, Model: "a"})
	defer m.Close()
	if names, err := m.Names(t.Context()); err != nil || fmt.Sprint(names) != "[a b]" {
		t.Errorf("got %v, %v", names, err)
	}
}
