package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/api"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/llm/anthropic"
	"github.com/askhub/askhub/internal/llm/openai"
	"github.com/askhub/askhub/internal/secrets"
)

// provider is a model with connections to give back.
type provider interface {
	llm.Model
	Close()
}

// newProvider is the model that the config names, with that key.
func newProvider(m config.Model, key string) provider {
	if m.Provider == config.ProviderAnthropic {
		return anthropic.New(anthropic.Config{Model: m.Name, Key: key})
	}
	return openai.New(openai.Config{URL: m.URL, Model: m.Name, Key: key})
}

// keyed is the household's model with its key as it stands: a changed secret takes
// effect without a restart.
type keyed struct {
	config config.Model
	key    func() string

	mu   sync.Mutex
	last string
	now  provider
}

func newKeyed(m config.Model, key func() string) *keyed {
	k := &keyed{config: m, key: key, last: key()}
	k.now = newProvider(m, k.last)
	return k
}

// Complete asks with the newest key.
func (k *keyed) Complete(ctx context.Context, r llm.Request) ([]byte, error) {
	return k.current().Complete(ctx, r)
}

func (k *keyed) current() provider {
	key := k.key()
	k.mu.Lock()
	defer k.mu.Unlock()
	if key != k.last {
		k.now.Close()
		k.last, k.now = key, newProvider(k.config, key)
	}
	return k.now
}

// careful is the household's model as everybody in this process asks it.
func careful(cfg *config.Config, m llm.Model) *llm.Careful {
	return llm.NewCareful(m, llm.Limits{Timeout: cfg.Model.Timeout.Duration, AtOnce: cfg.Model.AtOnce})
}

// modelPart is the household's model in the Hub.
type modelPart struct {
	careful *llm.Careful
	decider *decide.Decider
	set     *metrics.Set
}

// openModel is the config's model for deciding, nil where there is none. It is asked
// nothing yet.
func openModel(cfg *config.Config, tokens *secrets.Secrets, log *slog.Logger) *modelPart {
	if !cfg.Model.Configured() {
		return nil
	}
	key := func() string { return "" }
	if name := cfg.Model.KeyEnv; name != "" {
		key = func() string { k, _ := tokens.Named(name); return k }
		if key() == "" {
			log.Warn("the model's key is nowhere to be found, so the model may not answer; put it into the secrets file", "missing", name)
		}
	}
	model := newKeyed(cfg.Model, key)
	p := &modelPart{careful: careful(cfg, model), set: metrics.NewSet()}
	p.decider = decide.NewDecider(p.careful, model, decide.Mode(cfg.Model.Decide), time.Now, func(took time.Duration, err error) {
		p.set.GetOrCreateHistogram("askhub_model_seconds").Update(took.Seconds())
		if err == nil {
			p.set.GetOrCreateCounter("askhub_model_decided_total").Inc()
			return
		}
		kind := llm.KindOf(err)
		p.set.GetOrCreateCounter(fmt.Sprintf("askhub_model_unused_total{why=%q}", kind)).Inc()
		if kind != llm.Resting && kind != llm.Stopped {
			log.Warn("the model did not decide", "why", err, "after", took.Round(time.Millisecond))
		}
	})
	p.set.NewGauge("askhub_model_resting", func() float64 {
		if p.careful.Resting() {
			return 1
		}
		return 0
	})
	return p
}

// decides is the Hub's Decider; nil without a model.
func (p *modelPart) decides() *decide.Decider {
	if p == nil {
		return nil
	}
	return p.decider
}

// join puts the model beside what the admin app is told of the Hub.
func (p *modelPart) join(c *api.Config) {
	if p == nil {
		return
	}
	before := c.Health
	c.Health = func() []api.PartHealth {
		part := api.PartHealth{Part: "model", OK: !p.careful.Resting()}
		if !part.OK {
			part.Fault = "it failed several times in a row and is left alone for half a minute; the embedded router decides"
		}
		return append(before(), part)
	}
	c.Metrics.RegisterMetricsWriter(p.set.WritePrometheus)
}

// made is the doctor's question, about a household that does not exist.
const (
	madeSystem = `You sort words. Reply with one JSON object: {"kind", "sure"}.`
	madePrompt = `Is the word "apple" a fruit or a tool?`
	madeSchema = `{"type":"object","properties":{"kind":{"type":"string","enum":["fruit","tool"]},"sure":{"type":"boolean"}},` +
		`"required":["kind","sure"],"additionalProperties":false}`
)

// tryModel asks the config's model the doctor's question, and how long it took.
func tryModel(ctx context.Context, m config.Model, key string) (time.Duration, error) {
	p := newProvider(m, key)
	defer p.Close()
	start := time.Now()
	// For as long as the examination has, so that it can tell slow from silent.
	_, err := llm.NewCareful(p, llm.Limits{Timeout: time.Minute, AtOnce: 1}).Complete(ctx, madeRequest())
	return time.Since(start), err
}

// madeRequest is the made-up question, with the check of its reply.
func madeRequest() llm.Request {
	return llm.Request{
		System: madeSystem, Prompt: madePrompt, Name: "kind", Schema: []byte(madeSchema), MaxTokens: 60,
		Check: func(reply []byte) error {
			var r struct {
				Kind *string `json:"kind"`
				Sure *bool   `json:"sure"`
			}
			err := json.Unmarshal(reply, &r, json.RejectUnknownMembers(true))
			switch {
			case err != nil || r.Kind == nil || r.Sure == nil:
				return errors.New("it is not one JSON object of the fields that were asked for")
			case *r.Kind != "fruit" && *r.Kind != "tool":
				return errors.New("a field is not one of the values that were asked for")
			}
			return nil
		},
	}
}

// listModels names the models that the config's server has; nil where it does not tell.
func listModels(ctx context.Context, m config.Model, key string) ([]string, error) {
	p := newProvider(m, key)
	defer p.Close()
	lister, ok := p.(llm.Lister)
	if !ok {
		return nil, nil
	}
	return lister.Names(ctx)
}
