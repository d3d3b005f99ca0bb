package config

import (
	"strings"
	"testing"
	"time"
)

const local = "[model]\nprovider = \"openai\"\nurl = \"http://127.0.0.1:11434/v1/\"\nname = \"llama3.2:3b\"\n"

func TestAModelHasItsDefaults(t *testing.T) {
	c, err := load(t, local+"[compass]\nplan_by_model = true\n[email]\nwrite_by_model = true\n")
	if err != nil {
		t.Fatal(err)
	}
	want := Model{
		Provider: ProviderOpenAI, URL: "http://127.0.0.1:11434/v1", Name: "llama3.2:3b", Decide: "model",
		Timeout: Duration{5 * time.Second}, AtOnce: 2,
	}
	if c.Model != want || !c.Compass.Plan || c.Compass.Write || !c.Email.Write || c.Model.Leaves() {
		t.Errorf("got %+v, %+v, %+v", c.Model, c.Compass.ByModel, c.Email.ByModel)
	}
	if len(c.Warnings()) != 0 {
		t.Errorf("warnings: %v", c.Warnings())
	}
	if c, err = load(t, ""); err != nil || c.Model.Configured() {
		t.Errorf("without [model]: %+v, %v", c.Model, err)
	}
}

func TestEachFaultOfAModelNamesItsFieldAndTheMend(t *testing.T) {
	cloud := "[model]\nprovider = \"anthropic\"\nname = \"some-model\"\nkey_env = \"MODEL_KEY\"\n"
	for _, c := range []struct{ text, field, mend string }{
		{"[model]\n", "model.provider", "anthropic"},
		{strings.Replace(local, "openai", "ollama", 1), "model.provider", "must be openai"},
		{strings.Replace(local, "http://127.0.0.1:11434/v1/", "", 1), "model.url", "must be an address"},
		{strings.Replace(local, "/v1/", "/v1?key=sk-1", 1), "model.url", "secrets file"},
		{strings.Replace(local, "http://", "http://me:sk-1@", 1), "model.url", "secrets file"},
		{strings.Replace(local, "http://", "file://", 1), "model.url", "must begin with"},
		{strings.Replace(local, "llama3.2:3b", "", 1), "model.name", "like"},
		{local + "key_env = \"sk-1-secret\"\n", "model.key_env", "not the key itself"},
		{local + "decide = \"sure\"\n", "model.decide", "sure-first"},
		{local + "decide = \"\"\n", "model.decide", "sure-first"},
		{local + "timeout = \"0s\"\n", "model.timeout", "5s"},
		{local + "timeout = \"soon\"\n", "model.timeout", "5s"},
		{local + "at_once = 0\n", "model.at_once", "from 1"},
		{local + "at_once = 101\n", "model.at_once", "to 100"},
		{local + "key = \"sk-1\"\n", "model.key", "no such field"},
		{local + "Name = \"x\"\n", "model.Name", "small letters"},
		{"budget = \"3s\"\n" + local, "budget", "model.decide"},
		{cloud + "url = \"https://example.org\"\n", "model.url", "take this line out"},
		{strings.Replace(cloud, "key_env = \"MODEL_KEY\"\n", "", 1), "model.key_env", "must name the secret"},
		{"[compass]\nplan_by_model = true\n", "compass.plan_by_model", "set [model]"},
		{"[email]\nwrite_by_model = true\n", "email.write_by_model", "set [model]"},
	} {
		_, err := load(t, c.text)
		if err == nil || !strings.Contains(err.Error(), ": "+c.field+": ") || !strings.Contains(err.Error(), c.mend) {
			t.Errorf("%q: got %v, want %s and %q", c.text, err, c.field, c.mend)
		}
		if err != nil && strings.Contains(err.Error(), "sk-1") {
			t.Errorf("a fault quotes the key: %v", err)
		}
	}
}

func TestAModelThatLeavesTheHouseUnseenIsWarnedOf(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{strings.Replace(local, "127.0.0.1", "10.0.0.7", 1), []string{"model.url"}},
		{strings.Replace(local, "http://127.0.0.1:11434", "https://llm.example.org", 1), nil},
		{strings.Replace(local, "http://127.0.0.1:11434", "https://llm.example.org", 1) + "[email]\nwrite_by_model = true\n", []string{"email.write_by_model"}},
		{local + "timeout = \"20s\"\n", []string{"model.timeout"}},
	} {
		cfg, err := load(t, c.text)
		if err != nil {
			t.Fatal(err)
		}
		if len(cfg.Warnings()) != len(c.want) {
			t.Errorf("%q: %v", c.text, cfg.Warnings())
			continue
		}
		for i, field := range c.want {
			if !strings.Contains(cfg.Warnings()[i], ": "+field+": ") {
				t.Errorf("%q: %v", c.text, cfg.Warnings())
			}
		}
	}
}
