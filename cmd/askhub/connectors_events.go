package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/homeassistant"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/people"
)

// watches are the events of the config as the connector has them, in the same order.
func watches(events []config.HomeEvent) []homeassistant.Watch {
	list := make([]homeassistant.Watch, len(events))
	for i, e := range events {
		list[i] = homeassistant.Watch{Entity: e.Entity, Type: e.Type, Event: e.Event}
	}
	return list
}

// eventTeller tells of what happens in the house. What happens again before it was told is
// told once.
type eventTeller struct {
	events    []config.HomeEvent
	rang      []chan struct{}
	household func() *people.Household
	// keep takes a notice.
	keep func(context.Context, notify.Notice) (string, error)
	// speech says things in the rooms, but for what is not urgent while quiet; both are nil
	// where there are no speakers.
	speech notify.Speaker
	quiet  func() bool
	log    *slog.Logger
}

func newEventTeller(events []config.HomeEvent, household func() *people.Household, log *slog.Logger) *eventTeller {
	t := &eventTeller{events: events, rang: make([]chan struct{}, len(events)), household: household, log: log}
	for i := range t.rang {
		t.rang[i] = make(chan struct{}, 1)
	}
	return t
}

// happened takes that the event of that index has happened, and waits for nothing.
func (t *eventTeller) happened(i int) {
	select {
	case t.rang[i] <- struct{}{}:
	default: // it is to be told already
	}
}

// run tells until ctx ends.
func (t *eventTeller) run(ctx context.Context) {
	var all sync.WaitGroup
	for i := range t.events {
		all.Go(func() {
			for {
				select {
				case <-t.rang[i]:
					t.tell(ctx, &t.events[i])
				case <-ctx.Done():
					return
				}
			}
		})
	}
	all.Wait()
}

// tell tells everybody and every room of one event.
func (t *eventTeller) tell(ctx context.Context, e *config.HomeEvent) {
	var all sync.WaitGroup
	for _, room := range e.Rooms {
		all.Go(func() { t.say(ctx, e, room) })
	}
	names, unknown := whom(t.household(), e.People)
	if len(unknown) > 0 {
		t.log.Error("askhub.toml: home_assistant.events names people whom people.toml does not", "people", unknown)
	}
	for _, name := range names {
		t.notify(ctx, name, e)
	}
	all.Wait()
}

// How often a store that does not take a notice is tried, and how far apart: what happened
// is news for so long.
const (
	eventTries = 10
	eventPause = 2 * time.Second
)

func (t *eventTeller) notify(ctx context.Context, person string, e *config.HomeEvent) {
	n := notify.Notice{From: config.HomeName, Person: person, Message: e.Say, Level: notify.Level(e.Level)}
	for try := 1; ; try++ {
		_, err := t.keep(ctx, n)
		if _, many := errors.AsType[*notify.TooMany](err); err == nil || many || ctx.Err() != nil {
			return // who sends too much is told of by the outbox
		}
		if try == eventTries {
			t.log.Error("an event could not be told", "person", person, "cause", err)
			return
		}
		timer := time.NewTimer(eventPause)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// eventSpoken is how long one room may take.
const eventSpoken = 10 * time.Second

func (t *eventTeller) say(ctx context.Context, e *config.HomeEvent, room string) {
	if t.speech == nil || !e.Urgent() && t.quiet() {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, eventSpoken)
	defer cancel()
	if err := t.speech.Speak(bounded, room, e.Say); err != nil && ctx.Err() == nil {
		t.log.Warn("an event could not be said", "room", room, "cause", err)
	}
}

// whom are the people meant by names, aliases and groups, each once, and those that nobody
// is called.
func whom(house *people.Household, list []string) (names, unknown []string) {
	add := func(p people.Person) {
		if !slices.Contains(names, string(p.Name)) {
			names = append(names, string(p.Name))
		}
	}
	for _, who := range list {
		group := people.Fold(who)
		if group == people.Adults || group == people.Everyone {
			for _, p := range house.People() {
				if p.Role == people.RoleAdult || group == people.Everyone && p.Role != people.RoleGuest {
					add(p)
				}
			}
			continue
		}
		p, ok := house.Find(who)
		if !ok {
			unknown = append(unknown, who)
			continue
		}
		add(p)
	}
	return names, unknown
}

// tellEvents has what happens in the house told by notices, and in the rooms.
func (s *connectorSet) tellEvents(notices *noticePart) {
	if s.events == nil {
		return
	}
	s.events.keep, s.events.speech, s.events.quiet = notices.Add, s.speech, s.quiet
	s.runs = append(s.runs, s.events.run)
}

// eventChecks are what of the events is never told as things stand.
func eventChecks(cfg *config.Config, f homeassistant.Found) []doctor.Check {
	const name = "home_assistant.events"
	events := cfg.HomeAssistant.Events
	if len(events) == 0 {
		return nil
	}
	var checks []doctor.Check
	if house, err := loadPeople(cfg); err == nil {
		for i, e := range events {
			if _, unknown := whom(house, e.People); len(unknown) > 0 {
				checks = append(checks, doctor.Check{
					Check: fmt.Sprintf("%s[%d].people", name, i), State: doctor.Fault, What: "people.toml names nobody who is called " + strings.Join(unknown, ", "),
					Mend: `Write a name of people.toml, "adults" or "everyone".`,
				})
			}
		}
	}
	if len(f.Unheard) > 0 {
		checks = append(checks, doctor.Check{
			Check: name, State: doctor.Fault, What: "Home Assistant has none of these, so nothing is told of them: " + strings.Join(f.Unheard, ", "),
			Mend: "Look for a misspelling, or for an entity that was renamed.",
		})
	}
	if len(f.Refused) > 0 {
		checks = append(checks, doctor.Check{
			Check: name, State: doctor.Fault, What: "Home Assistant shows these events only to an administrator: " + strings.Join(f.Refused, ", "),
			Mend: "Tell them by an entity (a timer, an event entity), or make the token as an administrator.",
		})
	}
	if len(checks) == 0 {
		checks = append(checks, doctor.Check{Check: name, State: doctor.OK, What: "what is to be told when it happens is there"})
	}
	return checks
}
