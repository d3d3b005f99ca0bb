package main

import (
	"context"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/plan/planner"
)

// How long a data project waits for its model. It has 3 seconds for an answer, of which
// the look-ups need some, and both uses fit in beside them.
const (
	planPatience  = 1300 * time.Millisecond
	writePatience = 1300 * time.Millisecond
	alonePatience = 2200 * time.Millisecond
)

// projectModel is the household's model as a data project knows it: a text, a schema and
// a reply. It has no way to call anything.
type projectModel struct{ model llm.Model }

// Complete asks the model. A reply is judged by who asked.
func (p projectModel) Complete(ctx context.Context, prompt string, schema []byte) ([]byte, error) {
	return p.model.Complete(ctx, llm.Request{
		System: "Reply with one JSON object that keeps to the schema, and with nothing else.",
		Prompt: prompt, Name: "reply", Schema: schema, MaxTokens: 600,
	})
}

// byModel is what a data project uses the household's model for: to plan, to write, or
// nothing, which is the usual.
func (s *set) byModel(use config.ByModel) (second planner.Planner, writer planner.Model) {
	if !use.Any() || !s.cfg.Model.Configured() {
		return nil, nil
	}
	m := projectModel{careful(s.cfg, newProvider(s.cfg.Model, s.secrets[s.cfg.Model.KeyEnv]))}
	plan, write := planPatience, writePatience
	if !use.Plan || !use.Write {
		plan, write = alonePatience, alonePatience
	}
	if use.Plan {
		second = planner.WithModel(m, plan)
	}
	if use.Write {
		writer = planner.Bound(m, write)
	}
	return second, writer
}
