package config

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// The providers of a model.
const (
	// ProviderOpenAI is any server of OpenAI's protocol, such as Ollama or llama.cpp.
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
)

// What holds where [model] is silent.
const (
	// DefaultModelTimeout is what is left of a request's 8 s when a project has had its 3.
	DefaultModelTimeout = 5 * time.Second
	DefaultModelAtOnce  = 2
	DefaultDecide       = "model"
)

// projectShare is the time of a request that is its project's (spec 5).
const projectShare = 3 * time.Second

// Model is the language model that a household may have.
type Model struct {
	// Provider is ProviderOpenAI or ProviderAnthropic; empty is no model.
	Provider string `toml:"provider"`
	// URL is the server's address with no slash at its end, for ProviderOpenAI alone.
	URL string `toml:"url"`
	// Name is the model's name there.
	Name string `toml:"name"`
	// KeyEnv names the secret that holds the key; empty where the server wants none.
	KeyEnv string `toml:"key_env"`
	// Decide is model, embedded or sure-first.
	Decide string `toml:"decide"`
	// Timeout is the longest that one request may take.
	Timeout Duration `toml:"timeout"`
	// AtOnce is how many requests are in flight at most.
	AtOnce int `toml:"at_once"`
}

// Configured says whether there is a model.
func (m Model) Configured() bool { return m.Provider != "" }

// Leaves says whether what the model is told goes to another machine.
func (m Model) Leaves() bool {
	u, err := url.Parse(m.URL)
	return m.Provider == ProviderAnthropic || err != nil || !Loopback(u.Hostname())
}

// ByModel says what a data project uses the household's model for. Both are off until
// they are named.
type ByModel struct {
	// Plan chooses look-ups for a question that the project's own rules find none for.
	Plan bool `toml:"plan_by_model"`
	// Write writes the sentence: the model is told what was found.
	Write bool `toml:"write_by_model"`
}

// Any says whether the project uses the model at all.
func (b ByModel) Any() bool { return b.Plan || b.Write }

// model checks [model], and who uses it.
func (v *check) model() {
	m := &v.c.Model
	if _, set := v.at["model"]; !set {
		v.byModel("compass", v.c.Compass.ByModel)
		v.byModel("email", v.c.Email.ByModel)
		return
	}
	v.provider(m)
	if strings.TrimSpace(m.Name) != m.Name || m.Name == "" || strings.ContainsFunc(m.Name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		v.fault("model.name", `must be the model's name at its server, like "llama3.2:3b"`)
	}
	if m.KeyEnv != "" && !envForm().MatchString(m.KeyEnv) {
		v.fault("model.key_env", "must be the name of a secret, like MODEL_KEY, and not the key itself")
		m.KeyEnv = "" // it may be the key
	}
	if _, set := v.at["model.decide"]; !set {
		m.Decide = DefaultDecide
	}
	if !slices.Contains([]string{"model", "embedded", "sure-first"}, m.Decide) {
		v.fault("model.decide", "must be model (it is asked about each question), sure-first (about those of which the embedded router is not sure) or embedded (about none)")
	}
	if _, set := v.at["model.timeout"]; !set {
		m.Timeout = Duration{DefaultModelTimeout}
	}
	if m.Timeout.Duration < 100*time.Millisecond || m.Timeout.Duration > time.Minute {
		v.fault("model.timeout", `must be a duration from "100ms" to "1m"; the usual is "5s"`)
	}
	if _, set := v.at["model.at_once"]; !set {
		m.AtOnce = DefaultModelAtOnce
	}
	if m.AtOnce < 1 || m.AtOnce > 100 {
		v.fault("model.at_once", "must be from 1 to 100; the usual is %d", DefaultModelAtOnce)
	}
	switch left := v.c.Budget.Duration - projectShare; {
	case m.Decide == "embedded":
	case left <= 0:
		v.fault("budget", `leaves a model no time, since a project has 3 s of it; make it "8s", or set model.decide to embedded`)
	case m.Timeout.Duration > left && v.at["model.timeout"] != 0:
		v.warn("model.timeout", "is longer than what budget leaves, which is "+left.String()+": that is when a late model is dropped; make budget longer, or this shorter")
	}
	v.byModel("compass", v.c.Compass.ByModel)
	v.byModel("email", v.c.Email.ByModel)
}

// provider checks where the model is.
func (v *check) provider(m *Model) {
	switch m.Provider {
	case ProviderOpenAI:
		m.URL = strings.TrimRight(m.URL, "/")
		u := v.address("model.url", m.URL)
		switch {
		case u == nil:
		case u.RawQuery != "" || u.ForceQuery:
			v.fault("model.url", "must have no query; the key belongs into the secrets file, and its name into key_env")
		case u.Scheme == "http" && !Loopback(u.Hostname()):
			v.warn("model.url", "nothing encrypts the questions and the key on their way to "+u.Hostname()+"; use https://, or a model on this machine")
		}
	case ProviderAnthropic:
		if m.URL != "" {
			v.fault("model.url", "goes with provider = \"openai\" only; take this line out")
		}
		if _, set := v.at["model.key_env"]; !set {
			v.fault("model.key_env", "must name the secret that holds the key, like ANTHROPIC_API_KEY")
		}
	default:
		v.fault("model.provider", `must be openai (Ollama, llama.cpp, vLLM and all that speak OpenAI's protocol) or anthropic`)
	}
}

// byModel checks the switches of one data project.
func (v *check) byModel(project string, use ByModel) {
	for _, s := range []struct {
		field string
		on    bool
	}{{project + ".plan_by_model", use.Plan}, {project + ".write_by_model", use.Write}} {
		if s.on && !v.c.Model.Configured() {
			v.fault(s.field, "there is no model: set [model] with provider, url and name, or take this line out")
		}
	}
	if use.Write && v.c.Model.Configured() && v.c.Model.Leaves() {
		v.warn(project+".write_by_model", "what is found goes to another machine, to be put into words there; a model on this machine keeps it in the house")
	}
}
