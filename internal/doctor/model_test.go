package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/llm"
)

// askModel is what the doctor says of the model in that config.
func askModel(t *testing.T, text string, environ []string, took time.Duration, err error) Check {
	t.Helper()
	dir := t.TempDir()
	text = "secrets = \"secrets.conf\"\n" + text
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, wrong := config.Load(dir)
	if wrong != nil {
		t.Fatal(wrong)
	}
	e := &exam{cfg: cfg, Setup: Setup{
		Environ: environ,
		Model: func(_ context.Context, _ config.Model, key string) (time.Duration, error) {
			if cfg.Model.KeyEnv != "" && key != "sk-1" {
				t.Errorf("asked with the key %q", key)
			}
			return took, err
		},
		Models: func(context.Context, config.Model, string) ([]string, error) { return []string{"b", "a"}, nil },
	}}
	checks := e.model(t.Context())
	if len(checks) != 1 {
		t.Fatalf("%d checks: %v", len(checks), checks)
	}
	if strings.Contains(checks[0].String(), "sk-1") {
		t.Errorf("the key shows: %s", checks[0])
	}
	return checks[0]
}

func TestTheModelIsExamined(t *testing.T) {
	const local = "[model]\nprovider = \"openai\"\nurl = \"http://127.0.0.1:11434/v1\"\nname = \"small\"\n"
	const far = "[model]\nprovider = \"anthropic\"\nname = \"large\"\nkey_env = \"MODEL_KEY\"\n"
	key := []string{"MODEL_KEY=sk-1"}
	for _, c := range []struct {
		name    string
		text    string
		environ []string
		took    time.Duration
		err     error
		check   string
		state   State
		says    string
	}{
		{"none", "", nil, 0, nil, "model", OK, "the embedded router decides"},
		{"well", local, nil, 900 * time.Millisecond, nil, "model", OK, "small at 127.0.0.1:11434 answers within the schema in 900ms"},
		{"out of the house", far, key, time.Second, nil, "model", OK, "out of the house"},
		{"slow", local, nil, 5100 * time.Millisecond, nil, "model", Warn, "too slow for the 5s"},
		{"not asked", local + "decide = \"embedded\"\n", nil, 20 * time.Second, nil, "model", OK, "asked about no question"},
		{"no key", far, nil, 0, nil, "model.key_env", Fault, "MODEL_KEY=…"},
		{"wrong key", far, key, 0, &llm.Fault{Kind: llm.Key, Status: 401}, "model.key_env", Fault, "does not take the key"},
		{"down", local, nil, 0, &llm.Fault{Kind: llm.Down}, "model", Fault, "Start its server"},
		{"loading", local, nil, 0, &llm.Fault{Kind: llm.Loading, Status: 503}, "model", Fault, "Wait until it has loaded"},
		{"late", local, nil, 0, &llm.Fault{Kind: llm.Late}, "model", Fault, "a smaller model"},
		{"unknown", local, nil, 0, &llm.Fault{Kind: llm.Unknown, Status: 404}, "model.name", Fault, "it has a, b"},
		{"often", far, key, 0, &llm.Fault{Kind: llm.Rate, Status: 429}, "model", Warn, "raise the limit"},
		{"moved", local, nil, 0, &llm.Fault{Kind: llm.Moved, Status: 301}, "model.url", Fault, "leads to"},
		{"no schema", local, nil, 0, &llm.Fault{Kind: llm.Nonsense}, "model", Fault, "keeps to a JSON schema"},
		{"no schema at all", local, nil, 0, &llm.Fault{Kind: llm.Refused, Status: 400}, "model", Fault, "JSON schema"},
		{"broken", local, nil, 0, &llm.Fault{Kind: llm.Broken, Status: 500}, "model", Fault, "its server's log"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := askModel(t, c.text, c.environ, c.took, c.err)
			if got.Check != c.check || got.State != c.state || !strings.Contains(got.String(), c.says) {
				t.Errorf("got %s, want %s %s with %q", got, c.state, c.check, c.says)
			}
			if got.State != OK && got.Mend == "" {
				t.Error("no mend")
			}
		})
	}
}
