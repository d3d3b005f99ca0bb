package main

import (
	"context"
	"log/slog"
	"maps"
	"sync"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/websearch"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/secrets"
)

// The command destinations by their rows in routing.md.
const (
	homeName      = config.HomeName
	speakersName  = "speakers"
	webSearchName = "web_search"
)

// connectorSet is what the config sets up of the command destinations.
type connectorSet struct {
	byName map[string]dispatch.Connector
	closes []func()
	// tellers tell of a timer's end, the first that can.
	tellers []teller
	// weather is that of the house; nil where nothing there knows it.
	weather func() (websearch.Forecast, bool)
	// events tells of what happens in the house; nil where nothing is to be told.
	events *eventTeller
	// quiet is whether only what is urgent is said just now, where there are speakers.
	quiet func() bool
	// speech says things in the rooms; nil where there are no speakers.
	speech notify.Speaker
	// runs are what goes on in the background, each until its context ends.
	runs []func(context.Context)
}

// openConnectors makes the connectors that the config sets up. None of them calls
// anybody before it is asked.
func openConnectors(cfg *config.Config, rules *ruleBook, tokens *secrets.Secrets, log *slog.Logger) *connectorSet {
	s := &connectorSet{byName: make(map[string]dispatch.Connector)}
	if cfg.HomeAssistant.Configured() {
		s.openHome(cfg, rules, tokens, log)
	}
	if looksUp(cfg) {
		c := newWebSearch(cfg.WebSearch, s.weather, func(name string) bool {
			_, lives := rules.household().Find(name)
			return lives
		})
		s.add(webSearchName, c, c.Close)
	}
	return s
}

func (s *connectorSet) add(name string, c dispatch.Connector, end func()) {
	s.byName[name] = c
	s.closes = append(s.closes, end)
}

// all are the connectors under their names.
func (s *connectorSet) all() map[string]dispatch.Connector { return maps.Clone(s.byName) }

// run has everything go on that has to, until ctx ends.
func (s *connectorSet) run(ctx context.Context) {
	var all sync.WaitGroup
	for _, one := range s.runs {
		all.Go(func() { one(ctx) })
	}
	all.Wait()
}

// close gives their connections back.
func (s *connectorSet) close() {
	for _, end := range s.closes {
		end()
	}
}

// checkedConnectors are what the doctor looks at.
func checkedConnectors() []doctor.Connector {
	return []doctor.Connector{checkedHome(), checkedSpeakers(), checkedWebSearch(), checkedPaperclip(), checkedApprise()}
}
