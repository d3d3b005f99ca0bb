package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/eval"
	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/secrets"
)

// judgedByModel decides as the Hub does with its model, and counts what that costs.
type judgedByModel struct {
	e       *env
	dry     *dryRun
	mode    decide.Mode
	told    *decide.Told
	decider *decide.Decider
	left    time.Duration
	took    []time.Duration
	unused  map[string]int
	decided int
}

// openJudge reads the config's model. Mode stands for the config's where it is not empty.
func openJudge(e *env, dry *dryRun, dir, mode string) (*judgedByModel, error) {
	cfg, err := loadConfig(e, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exitError{exitUsage, fmt.Errorf("--model asks the model of askhub.toml: %w", err)}
	}
	if err != nil {
		return nil, err
	}
	if !cfg.Model.Configured() {
		return nil, exitError{exitUsage, errors.New("--model: askhub.toml has no [model]; docs/models.md says how to set one, or leave the flag out to score the embedded router")}
	}
	if mode == "" {
		mode = cfg.Model.Decide
	}
	if !slices.Contains([]string{string(decide.ModeModel), string(decide.ModeSureFirst), string(decide.ModeEmbedded)}, mode) {
		return nil, exitError{exitUsage, errors.New("--decide must be model, sure-first or embedded")}
	}
	key, err := modelKey(e, cfg)
	if err != nil {
		return nil, err
	}
	j := &judgedByModel{
		e: e, dry: dry, mode: decide.Mode(mode), told: decide.NewTold(dry.view), unused: map[string]int{},
		left: cfg.Budget.Duration - ask.Budget,
	}
	// Each question is asked, whatever became of those before it: a model that rests
	// would be scored by luck, and so would one that has not let go yet of a late question.
	model := llm.NewCareful(newProvider(cfg.Model, key), llm.Limits{Timeout: cfg.Model.Timeout.Duration, AtOnce: 100, Failures: math.MaxUint32})
	j.decider = decide.NewDecider(model, nil, j.mode, time.Now, func(took time.Duration, err error) {
		j.took = append(j.took, took)
		if err != nil {
			j.unused[string(llm.KindOf(err))]++
			return
		}
		j.decided++
	})
	return j, nil
}

// modelKey is the model's key, for a process that asks it once.
func modelKey(e *env, cfg *config.Config) (string, error) {
	name := cfg.Model.KeyEnv
	if name == "" {
		return "", nil
	}
	found, err := secrets.Lookup(cfg.Secrets, e.environ(), name)
	return found[name], err
}

// decide is the guard, and behind it the router with its model.
func (j *judgedByModel) decide(question string) routing.Decision {
	if j.e.ctx.Err() != nil || j.dry.guard.Check(question).Refused {
		return j.dry.decide(question)
	}
	return j.decider.Decide(j.e.ctx, j.told, j.dry.router, question, j.left)
}

func (j *judgedByModel) cost() *eval.ModelCost {
	c := &eval.ModelCost{Decide: string(j.mode), Asked: len(j.took), Decided: j.decided, Unused: j.unused}
	slices.Sort(j.took)
	for _, t := range j.took {
		c.TotalMS += t.Milliseconds()
	}
	if n := len(j.took); n > 0 {
		c.MedianMS, c.SlowestMS = j.took[n/2].Milliseconds(), j.took[n-1].Milliseconds()
	}
	return c
}
