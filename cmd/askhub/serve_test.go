package main

import (
	"log/slog"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
)

// forgotten keeps no record.
type forgotten struct{}

func (forgotten) Add(record.Record) {}

// Whoever waits until a project answers, and then asks, is answered by it: it is told of as
// answering no sooner than the Hub judges questions by what it declares.
func TestAProjectAnswersOnceTheHubKnowsWhomItKnows(t *testing.T) {
	const name = "email_agent"
	project := asktest.NewScripted(t, asktest.Script{
		Project: name, Topics: []string{"mail"}, People: []ask.Person{"sam"},
		Answer: func(ask.Question) ask.Answer { return ask.Say("You have one unread mail.") },
	})
	projects := registry.New([]registry.Target{{
		Name: name, URL: project.URL, Token: func() ask.BearerToken { return project.Token },
	}}, slog.New(slog.DiscardHandler))
	file, problems := routing.Parse("routing.md", routing.Default())
	if file == nil {
		t.Fatal(problems)
	}
	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		t.Fatal(err)
	}
	h := hub.New(hub.Config{Projects: projects, Record: forgotten{}, Budget: ask.Budget, Now: time.Now})
	rules := &ruleBook{hub: h, projects: projects, file: file, house: house}
	rules.publish(func() {})
	served := projectsInForce{projects, h}
	answers := func() (answers bool) {
		s := served.States()[0]
		if s.Up == (s.Fault != "") {
			t.Errorf("it is up: %v, and its fault is %q", s.Up, s.Fault)
		}
		r := h.Ask(t.Context(), hub.Request{
			Question: ask.Question{Question: "any mail from the school?", Asker: "sam"}, Want: reply.Text,
		})
		if s.Up != (r.Status == routing.StatusAnswered) {
			t.Errorf("it is up: %v, and the answer is %s: %s", s.Up, r.Status, r.Record.Reply)
		}
		if s.Up != (len(served.Capabilities()) == 1) {
			t.Errorf("it is up: %v, and declares %v", s.Up, served.Capabilities())
		}
		return s.Up
	}
	if answers() {
		t.Error("it answers before it was asked anything")
	}
	projects.Once(t.Context())
	if !projects.States()[0].Up {
		t.Fatalf("%+v", projects.States())
	}
	if answers() {
		t.Error("it answers before the rules are those with it")
	}
	rules.publish(func() {})
	if !answers() {
		t.Error("it does not answer")
	}
}
