package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/pattern"
)

// HomeName is the destination by that name, and whom notices of what happens in the house
// are from.
const HomeName = "home_assistant"

// HomeEvent is something that happens in the house, and whom that is told.
type HomeEvent struct {
	// Entity is an event entity, a binary sensor or a timer; Type is one type of an event
	// entity's events, empty is any.
	Entity string `toml:"entity"`
	Type   string `toml:"type"`
	// Event is a type of event on Home Assistant's bus, where Entity is empty.
	Event string `toml:"event"`
	// Say is the sentence that is told.
	Say string `toml:"say"`
	// People get it as a notice: names, "adults" or "everyone".
	People []string `toml:"people"`
	// Rooms are those of the speakers where it is said aloud.
	Rooms []string `toml:"rooms"`
	// Level is that of the notices; empty in the file is important. What is urgent is said
	// in quiet hours too.
	Level string `toml:"level"`
}

// The levels of a notice, as a file has them.
const (
	levelImportant = "important"
	levelUrgent    = "urgent"
)

// Urgent is whether quiet hours do not hold it.
func (e HomeEvent) Urgent() bool { return e.Level == levelUrgent }

// told are the domains whose entities tell by themselves that something happened.
var told = []string{"event", "binary_sensor", "timer"}

var busForm = pattern.Lazy(`^[A-Za-z0-9_.:-]{1,64}$`)

// homeEvent checks one of [[home_assistant.events]].
func (v *check) homeEvent(field string, e *HomeEvent) {
	domain, _, _ := strings.Cut(e.Entity, ".")
	switch {
	case (e.Entity == "") == (e.Event == ""):
		v.fault(field, `must have entity, like "event.front_door", or event, a type of event of Home Assistant's bus`)
	case e.Entity != "" && (!entityForm().MatchString(e.Entity) || !slices.Contains(told, domain)):
		v.fault(field+".entity", `must be an entity of event, binary_sensor or timer, like "event.front_door"`)
	case e.Event != "" && (!busForm().MatchString(e.Event) || e.Event == "state_changed"):
		v.fault(field+".event", `must be a type of event, like "doorbell_pressed"; a change of a state is told by entity`)
	}
	if e.Type != "" && (domain != "event" || !busForm().MatchString(e.Type)) {
		v.fault(field+".type", `goes with an entity of event, and is one of its types, like "ring"`)
	}
	if err := ask.CheckSentence(e.Say, false); err != nil {
		v.fault(field+".say", "%v; write one short sentence, like \"Somebody is at the front door.\"", err)
	}
	if len(e.People) == 0 && len(e.Rooms) == 0 {
		v.fault(field, `must have people, like ["sam"] or ["everyone"], or rooms, or both`)
	}
	for _, p := range e.People {
		if !personName(p) {
			v.fault(field+".people", `%q is no name of people.toml, nor "adults" or "everyone"`, p)
		}
	}
	for _, name := range e.Rooms {
		if !slices.ContainsFunc(v.c.Speakers.Rooms, func(r SpeakerRoom) bool { return strings.EqualFold(r.Name, name) }) {
			v.fault(field+".rooms", "%q is no room of [[speakers.rooms]]; write it there, or mend its name", name)
		}
	}
	if e.Level == "" {
		e.Level = levelImportant
	}
	if !slices.Contains([]string{"info", levelImportant, levelUrgent}, e.Level) {
		v.fault(field+".level", "must be info, important or urgent")
	}
}

// homeEvents checks [[home_assistant.events]].
func (v *check) homeEvents() {
	for i := range v.c.HomeAssistant.Events {
		v.homeEvent(fmt.Sprintf("home_assistant.events[%d]", i), &v.c.HomeAssistant.Events[i])
	}
}
