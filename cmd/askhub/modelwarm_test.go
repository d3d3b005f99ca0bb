package main

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/llm/script"
)

// A household that changes is read once it stays as it is, and no question is in it.
func TestAModelReadsTheHouseholdBeforehand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, _ := routing.Parse(config.RoutingName, routing.Default())
		less := *file
		less.Destinations = file.Destinations[:3]
		told := func(f *routing.File) func() *decide.Told {
			return func() *decide.Told { return decide.NewTold(routing.View{File: f}) }
		}
		m := script.New(script.Act{Fault: &llm.Fault{Kind: llm.Cut}})
		cfg := &config.Config{Model: config.Model{Provider: config.ProviderOpenAI, URL: "http://127.0.0.1:1/v1", Decide: "model"}}
		w := newWarmer(&modelPart{decider: decide.NewDecider(m, m, decide.ModeModel, time.Now, nil)}, cfg, slog.New(slog.DiscardHandler))
		go w.run(t.Context())
		for range 3 {
			w.changed(told(&less))
			w.changed(told(file))
			<-time.After(quiet / 2)
		}
		if n := len(m.Asked()); n != 0 {
			t.Errorf("it was asked %d times while the household changed", n)
		}
		<-time.After(2 * quiet)
		if asked := m.Asked(); len(asked) != 1 || asked[0].Prompt != told(file)().Prompt("") {
			t.Errorf("it was asked %d times", len(asked))
		}
		w.changed(told(file))
		<-time.After(2 * quiet)
		if n := len(m.Asked()); n != 1 {
			t.Errorf("it read the same again: %d", n)
		}
		w.changed(told(&less))
		<-time.After(2 * quiet)
		if n := len(m.Asked()); n != 2 {
			t.Errorf("it did not read what changed: %d", n)
		}
	})
	far := &config.Config{Model: config.Model{Provider: config.ProviderAnthropic, Decide: "model"}}
	if newWarmer(&modelPart{}, far, nil) != nil || newWarmer(nil, far, nil) != nil {
		t.Error("a model elsewhere would be told what nobody asked")
	}
	var none *warmer
	none.changed(nil)
	none.run(t.Context())
}
