package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/decide"
)

// quiet is how long the household must stay as it is before a model reads it: at a start
// the projects say one after the other what they know.
const quiet = 2 * time.Second

// longestRead is the longest that a model may take to read the household once.
const longestRead = 2 * time.Minute

// warmer lets a model on this machine read the household before anybody asks. Reading
// takes a small machine far longer than a question may, and servers keep what they have
// read. A model elsewhere is quick, and is told nothing that nobody asked.
type warmer struct {
	decider *decide.Decider
	told    chan *decide.Told
	log     *slog.Logger
}

// newWarmer is nil where nothing is to be warmed.
func newWarmer(p *modelPart, cfg *config.Config, log *slog.Logger) *warmer {
	if p == nil || cfg.Model.Leaves() || cfg.Model.Decide == string(decide.ModeEmbedded) {
		return nil
	}
	return &warmer{p.decider, make(chan *decide.Told, 1), log}
}

// changed says what the household is told as from now. It waits for nothing.
func (w *warmer) changed(told func() *decide.Told) {
	if w == nil {
		return
	}
	select {
	case <-w.told: // nobody has read it, and it holds no more
	default:
	}
	select {
	case w.told <- told():
	default:
	}
}

// run reads each new state of the household, until ctx ends.
func (w *warmer) run(ctx context.Context) {
	if w == nil {
		return
	}
	var last, next *decide.Told
	wait := time.NewTimer(quiet)
	defer wait.Stop()
	for {
		select {
		case next = <-w.told:
			wait.Reset(quiet)
		case <-wait.C:
			if next == nil || next.Same(last) {
				continue
			}
			reading, cancel := context.WithTimeout(ctx, longestRead)
			start := time.Now()
			err := w.decider.Warm(reading, next)
			cancel()
			if ctx.Err() == nil && err != nil {
				w.log.Warn("the model did not read the household beforehand, so its first answers may be late", "why", err)
			} else if err == nil {
				w.log.Info("the model has read the household", "after", time.Since(start).Round(time.Millisecond))
			}
			last = next
		case <-ctx.Done():
			return
		}
	}
}
