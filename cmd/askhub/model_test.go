package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/eval"
	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/llm/script"
)

// modelAt is the config of a model at that address.
func modelAt(url, more string) string {
	return fmt.Sprintf("\n[model]\nprovider = \"openai\"\nurl = %q\nname = \"scripted\"\n%s", url, more)
}

const (
	key    = "sk-of-this-test-alone-0123456789"
	toMail = `{"outcome":"route","projects":["email_agent"],"confidence":70,"reason":"email"}`
)

func TestAHubWithAModelDecidesByIt(t *testing.T) {
	s := script.Serve(t, script.OpenAI, script.OpenAI.Say(toMail))
	h := startChatHouse(t, 1, modelAt(s.URL, ""))
	h.ask("what did the plumber want", `"by":"llm"`, `"email_agent"`)
	if n := about(s, "plumber"); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	h.ask("turn off the kids' internet", `"by":"guard"`)
	if about(s, "turn off the kids") != 0 {
		t.Errorf("it was asked about a control action")
	}
	s.Handle(script.OpenAI.Say("I think it is the mail."))
	h.ask("any new emails?", `"by":"embedded"`, `"email_agent"`)
	s.Handle(script.OpenAI.Raw(http.StatusInternalServerError, "broken"))
	h.ask("any new emails?", `"by":"embedded"`)
}

// about counts the requests with these words.
func about(s *script.Server, words string) int {
	n := 0
	for _, seen := range s.Seen() {
		if strings.Contains(script.OpenAI.Prompt(seen.Body), words) {
			n++
		}
	}
	return n
}

// ask posts a question, and wants each text in what comes back.
func (h *chatHouse) ask(question string, texts ...string) {
	h.Helper()
	body, err := json.Marshal(map[string]string{"question": question, "source": "chat"})
	if err != nil {
		h.Fatal(err)
	}
	req, err := http.NewRequestWithContext(h.Context(), http.MethodPost, h.urls[0]+"/ask", strings.NewReader(string(body)))
	if err != nil {
		h.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.Repeat("t", 40))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.Fatal(err)
	}
	defer resp.Body.Close()
	var got map[string]any
	if err := json.UnmarshalRead(resp.Body, &got); err != nil {
		h.Fatal(err)
	}
	said, err := json.Marshal(got, json.Deterministic(true))
	if err != nil {
		h.Fatal(err)
	}
	for _, text := range texts {
		if !strings.Contains(string(said), text) {
			h.Errorf("%q: %s lacks %s", question, said, text)
		}
	}
}

func TestTheDoctorAsksTheModelAMadeUpQuestion(t *testing.T) {
	h := newAddTo(t)
	s := script.Serve(t, script.OpenAI, script.OpenAI.Say(`{"kind":"fruit","sure":true}`))
	write(t, h.file("askhub.toml"), strings.Replace(read(t, h.file("askhub.toml")), "127.0.0.1:8420", "127.0.0.1:0", 1)+modelAt(s.URL, "key_env = \"MODEL_KEY\"\n"))
	h.want(exitNot, []string{"doctor"}, "FAULT model.key_env: its secret MODEL_KEY is missing")
	if len(s.Seen()) != 0 {
		t.Error("it was asked without its key")
	}
	write(t, h.secrets(), read(t, h.secrets())+"MODEL_KEY="+key+"\n")
	h.want(exitFine, []string{"doctor"}, "ok    model: scripted at 127.0.0.1:", "answers within the schema in")
	seen := s.Seen()
	if len(seen) != 1 || seen[0].Key != "Bearer "+key {
		t.Fatalf("the server saw %d requests", len(seen))
	}
	if told := script.OpenAI.Prompt(seen[0].Body); strings.Contains(told, "sam") || strings.Contains(told, "email") {
		t.Errorf("the made-up question tells of the household: %s", told)
	}
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		says string
		code int
	}{
		"prose":        {script.OpenAI.Say("A fruit."), "FAULT model: scripted at", exitNot},
		"another kind": {script.OpenAI.Say(`{"kind":"vegetable","sure":true}`), "a field is not one of the values", exitNot},
		"the key":      {script.OpenAI.Raw(http.StatusUnauthorized, key), "FAULT model.key_env: scripted at", exitNot},
		"loading":      {script.OpenAI.Raw(http.StatusServiceUnavailable, key), "Wait until it has loaded", exitNeedDown},
		"another one": {func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/models") {
				script.OpenAI.Raw(http.StatusOK, `{"data":[{"id":"other:7b"}]}`)(w, r)
				return
			}
			script.OpenAI.Raw(http.StatusNotFound, `{"error":{"message":"model not found"}}`)(w, r)
		}, "it has other:7b", exitNot},
	} {
		t.Run(name, func(t *testing.T) {
			s.Handle(c.h)
			h.want(c.code, []string{"doctor"}, c.says)
			if strings.Contains(h.out.String()+h.err.String(), key) {
				t.Error("the key is printed")
			}
		})
	}
}

func TestEvalScoresADecisionWithAModel(t *testing.T) {
	h := newAddTo(t)
	s := script.Serve(t, script.OpenAI, script.OpenAI.Say(toMail))
	lines := h.file("lines.jsonl")
	write(t, lines, `{"id":"1","text":"any new emails?","decision":"route","projects":["email_agent"],"person":null,"source":"own"}
{"id":"2","text":"turn it off","decision":"clarify","projects":[],"person":null,"source":"own"}
{"id":"3","text":"turn off the kids' internet","decision":"route","projects":["email_agent"],"person":null,"source":"own"}
`)
	h.want(exitUsage, []string{"eval", "routing", lines, "--model"}, "docs/models.md")
	h.want(exitUsage, []string{"eval", "routing", lines, "--decide", "model"}, "give --model too")
	write(t, h.file("askhub.toml"), read(t, h.file("askhub.toml"))+modelAt(s.URL, ""))
	h.want(exitUsage, []string{"eval", "routing", lines, "--model", "--decide", "often"}, "sure-first")
	for mode, asked := range map[string]int{"model": 2, "sure-first": 1, "embedded": 0} {
		before := len(s.Seen())
		h.out.Reset()
		h.want(exitFine, []string{"eval", "routing", lines, "--model", "--decide", mode, "--json"})
		var report eval.RoutingReport
		if err := json.Unmarshal(h.out.Bytes(), &report); err != nil {
			t.Fatal(err)
		}
		if m := report.Model; m == nil || m.Asked != asked || m.Decided != asked || m.Decide != mode || len(s.Seen())-before != asked {
			t.Errorf("%s: %+v, and the server saw %d", mode, m, len(s.Seen())-before)
		}
	}
	h.want(exitFine, []string{"eval", "routing", lines, "--model"}, "answered without the model", "the model decided")
}

func TestAChildGetsTheModelsKeyOnlyWhereItUsesTheModel(t *testing.T) {
	cfg := &config.Config{Model: config.Model{Provider: config.ProviderAnthropic, Name: "m", KeyEnv: "MODEL_KEY"}}
	for _, c := range []struct {
		compass, email config.ByModel
		run            string
		want           bool
	}{
		{run: "compass"},
		{run: "email"},
		{run: "compass", compass: config.ByModel{Plan: true}, want: true},
		{run: "compass", email: config.ByModel{Plan: true}},
		{run: "email", email: config.ByModel{Write: true}, want: true},
	} {
		cfg.Compass.ByModel, cfg.Email.ByModel = c.compass, c.email
		if got := slices.Contains(projectSecrets(cfg, c.run), "MODEL_KEY"); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestAChangedKeyTakesEffectWithoutARestart(t *testing.T) {
	s := script.Serve(t, script.OpenAI, script.OpenAI.Say(toMail))
	now := "first"
	k := newKeyed(config.Model{Provider: config.ProviderOpenAI, URL: s.URL, Name: "scripted"}, func() string { return now })
	for _, want := range []string{"first", "second"} {
		now = want
		if _, err := k.Complete(t.Context(), llm.Request{Name: "x", Schema: []byte("{}"), MaxTokens: 9}); err != nil {
			t.Fatal(err)
		}
	}
	if seen := s.Seen(); seen[0].Key != "Bearer first" || seen[1].Key != "Bearer second" {
		t.Errorf("the keys were %q and %q", seen[0].Key, seen[1].Key)
	}
	k.current().Close()
}

// A project asks the model itself; no data is told where it plans.
func TestAProjectPlansByTheModelWhereItIsToldTo(t *testing.T) {
	s := script.Serve(t, script.OpenAI, script.OpenAI.Say(`{"intent":"none","reason":"out_of_scope","calls":[]}`))
	cfg := &config.Config{Model: config.Model{Provider: config.ProviderOpenAI, URL: s.URL, Name: "scripted", AtOnce: 1}}
	cfg.Model.Timeout.Duration = config.DefaultModelTimeout
	set := &set{cfg: cfg}
	if second, writer := set.byModel(config.ByModel{}); second != nil || writer != nil {
		t.Error("a project uses the model though nothing says so")
	}
	second, writer := set.byModel(config.ByModel{Plan: true})
	if second == nil || writer != nil {
		t.Error("it should plan, and not write")
	}
	_, writer = set.byModel(config.ByModel{Write: true})
	reply, err := writer.Complete(t.Context(), "what was found", []byte(`{"type":"object"}`))
	if err != nil || !strings.Contains(string(reply), "out_of_scope") {
		t.Errorf("%q, %v", reply, err)
	}
}
