package homeassistant

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// done is an agent that says that it has done whatever it is told, and what then changes.
func done(changes ...string) *saidAndDone {
	d := &saidAndDone{Reply: jsontext.Value(`{"response":{"response_type":"action_done","data":{"success":[],"failed":[]}}}`)}
	for _, c := range changes {
		d.Changes = append(d.Changes, jsontext.Value(c))
	}
	return d
}

// wasTold is an error where the agent was told anything else since the last look.
func (r *replay) wasTold(t *testing.T, want ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.told, want) {
		t.Errorf("the agent was told %q, want %q", r.told, want)
	}
	r.told = nil
}

// A thing is found by each of its names, and is told of by the one that the person said.
func TestAnAliasIsAName(t *testing.T) {
	r := newReplay(t)
	r.aliases = map[string]string{"light.bed_light": `[null,"Big lamp","Schlafzimmerlampe","大きいランプ"]`}
	r.whatever = done(`{"entity_id":"light.bed_light","state":"off","attributes":{"friendly_name":"Bed Light"}}`)
	h := connect(t, r.config())
	h.expect(
		[2]string{"is the big lamp on?", "Yes, the big lamp is on at 50.2%."},
		[2]string{"is the bed light on?", "Yes, the bed light is on at 50.2%."},
		[2]string{"the big lamp", "The big lamp is on at 50.2%."},
		[2]string{"turn off the big lamp", "The big lamp is off."},
		[2]string{"is the big lamp on?", "No, the big lamp is off."},
		[2]string{"turn off the big lamps", "The big lamp is off."},
		[2]string{"please, turn the big lamp off and the kitchen window", "The kitchen window is closed; the big lamp is off."},
	)
	r.mu.Lock()
	r.told = nil
	r.mu.Unlock()
	for _, words := range []string{"schalte die Schlafzimmerlampe aus", "大きいランプを消して", "turn off the bed light", "turn off the big lamps"} {
		h.says(words)
	}
	// The agent knows it by that very name.
	r.wasTold(t, "schalte die Schlafzimmerlampe aus", "大きいランプを消して", "turn off the bed light", "turn off the Big lamp")
	h.expect(
		[2]string{"turn off the big", "? Do you mean the big lamp? [big lamp: turn off the Big lamp]"},
		[2]string{"turn off the huge lamp in the attic", "? Do you mean the big lamp? [big lamp: turn off the Big lamp]"},
		[2]string{"turn off the flarb", "- I know no such device or room"},
		[2]string{"turn off the big lamp and the flarb", "- " + oneAtATime},
		[2]string{"turn off the big lamp tomorrow", "- " + onlyAtOnce},
	)
	r.wasTold(t)
}

// An alias that is given, changed or taken away counts at once, and only what has changed is
// asked for.
func TestAliasesAreFollowed(t *testing.T) {
	r := newReplay(t)
	h := connect(t, r.config())
	h.expect([2]string{"is the big lamp on?", "- I know no such device or room"})
	r.names("light.bed_light", `[null,"Big lamp"]`)
	h.comes("is the big lamp on?", "Yes, the big lamp is on at 50.2%.")
	r.names("light.bed_light", `[null,"Huge lamp"]`)
	h.comes("is the huge lamp on?", "Yes, the huge lamp is on at 50.2%.")
	h.expect([2]string{"is the big lamp on?", "- I know no such device or room"})
	r.names("light.ceiling_lights", `[null,"Sky"]`)
	h.comes("is the sky on?", "Yes, the sky is on at 70.6%.")
	h.expect([2]string{"is the huge lamp on?", "Yes, the huge lamp is on at 50.2%."})
	// It stays with the thing while that changes.
	r.turn("light.bed_light", "off")
	h.comes("is the huge lamp on?", "No, the huge lamp is off.")
	r.mu.Lock()
	looked := r.looked
	r.mu.Unlock()
	if want := [][]string{{"light.bed_light"}, {"light.bed_light"}, {"light.ceiling_lights"}}; len(looked) != 4 || len(looked[0]) < 10 || !slices.EqualFunc(looked[1:], want, slices.Equal) {
		t.Errorf("it asked for %q", looked)
	}
	// Another connection reads them all anew.
	r.drop()
	h.warm(false)
	h.warm(true)
	h.expect([2]string{"is the sky on?", "Yes, the sky is on at 70.6%."})
}

// Whoever may not act on a thing may not by any of its names, nor by that of another thing.
func TestNoAliasLeadsAround(t *testing.T) {
	r := newReplay(t)
	r.add(`{"entity_id":"switch.pump","state":"off","attributes":{"friendly_name":"Pump"}}`, `{"entity_id":"switch.plug","state":"off","attributes":{"friendly_name":"Plug 7"}}`,
		`{"entity_id":"switch.adguard_home","state":"on","attributes":{"friendly_name":"AdGuard protection"}}`)
	r.Entities = with(t, r.Entities, `{"entity_id":"switch.pump","platform":"x"}`, `{"entity_id":"switch.plug","platform":"x"}`, `{"entity_id":"lock.front_door","platform":"demo"}`,
		`{"entity_id":"switch.adguard_home","platform":"adguard"}`, `{"entity_id":"light.spare","platform":"x","disabled_by":"user"}`)
	r.aliases = map[string]string{
		"switch.pump":          `[null,"Bubbles","Bed light"]`,
		"switch.plug":          `[null,"Kids wifi"]`,
		"switch.adguard_home":  `["Night lamp"]`,
		"lock.front_door":      `[null,"Gate","Ceiling lights"]`,
		"light.kitchen_lights": `[null,"Front door","Spots"]`,
	}
	r.whatever = done()
	cfg := r.config()
	cfg.Deny = []string{"switch.pump"}
	h := connect(t, cfg)
	never, named := ", for "+string(isNever), "; "+string(isNamed)
	h.expect(
		[2]string{"turn on the pump", "- I may not act on the pump"},
		[2]string{"turn on the bubbles", "- I may not act on the bubbles"},
		[2]string{"turn on the kitchen lights and the bubbles", "- I may not act on the bubbles"},
		[2]string{"turn off the plug 7", "- I never act on the plug 7" + never},
		[2]string{"turn off the kids wifi", "- I never act on the kids wifi" + never},
		[2]string{"turn off the night lamp", "- I never act on the night lamp" + never},
		[2]string{"turn off the adguard protection", "- I never act on the adguard protection" + never},
		[2]string{"unlock the gate", "- I may not act on the gate" + named},
		// What Home Assistant's agent would act on beside what is allowed.
		[2]string{"turn on the bed light", "- I may not act on the bed light"},
		[2]string{"turn on the ceiling lights", "- I may not act on the ceiling lights" + named},
		[2]string{"turn on the front door", "- I may not act on the front door" + named},
		// Nor is it told of.
		[2]string{"is the night lamp on?", "- I know no such device or room"},
		[2]string{"is the kids wifi on?", "- I know no such device or room"},
	)
	r.wasTold(t)
	h.says("turn on the spots")
	r.wasTold(t, "turn on the spots")
}

// Two that are called alike are asked about, by their rooms or by what else they are called.
func TestTheAliasOfOneIsTheNameOfAnother(t *testing.T) {
	r := newReplay(t)
	r.add(`{"entity_id":"light.l1","state":"off","attributes":{"friendly_name":"Lamp"}}`, `{"entity_id":"light.l2","state":"on","attributes":{"friendly_name":"Floor light"}}`,
		`{"entity_id":"fan.f1","state":"off","attributes":{"friendly_name":"Breeze one"}}`, `{"entity_id":"fan.f2","state":"on","attributes":{"friendly_name":"Breeze two"}}`,
		`{"entity_id":"switch.s1","state":"off","attributes":{"friendly_name":"Tree"}}`, `{"entity_id":"switch.s2","state":"on","attributes":{"friendly_name":"Star"}}`)
	r.Areas = with(t, r.Areas, `{"area_id":"attic","name":"Attic","aliases":["Loft"],"floor_id":null}`, `{"area_id":"cellar","name":"Cellar","aliases":[],"floor_id":null}`)
	r.Entities = with(t, r.Entities, `{"entity_id":"light.l1","platform":"x","area_id":"attic"}`, `{"entity_id":"light.l2","platform":"x","area_id":"cellar"}`,
		`{"entity_id":"fan.f1","platform":"x"}`, `{"entity_id":"fan.f2","platform":"x"}`, `{"entity_id":"switch.s1","platform":"x"}`, `{"entity_id":"switch.s2","platform":"x"}`)
	r.aliases = map[string]string{"light.l2": `[null,"Lamp"]`, "fan.f1": `[null,"Breeze"]`, "fan.f2": `[null,"Breeze"]`, "switch.s2": `[null,"Tree"]`}
	h := connect(t, r.config())
	h.expect(
		[2]string{"turn on the lamp", "? In which room: attic or cellar? [attic: turn on the lamp in the attic] [cellar: turn on the lamp in the cellar]"},
		[2]string{"is the lamp on?", "The lamp in the attic is off; the lamp in the cellar is on."},
		[2]string{"is the lamp in the cellar on?", "Yes, the lamp is on."},
		[2]string{"is the lamp in the loft on?", "No, the lamp is off."},
		[2]string{"turn on the breeze", "? Which one: breeze one or breeze two? [breeze one: turn on the Breeze one] [breeze two: turn on the Breeze two]"},
		[2]string{"is the breeze on?", "The breeze one is off; the breeze two is on."},
		[2]string{"turn on the tree", "? Several devices are called tree; give them names of their own in Home Assistant"},
		[2]string{"is the tree on?", "The tree is off; the star is on."},
	)
	r.wasTold(t)
	r.names("switch.s1", `[null,"Fir"]`)
	h.comes("turn on the tree", "? Which one: fir or star? [fir: turn on the Fir] [star: turn on the Star]")
	r.mu.Lock()
	r.whatever = done()
	r.mu.Unlock()
	h.says("turn off the lamp in the loft")
	r.wasTold(t, "turn off the lamp in the loft")
}

// What Home Assistant's agent knows only by an alias is called so to it.
func TestTheAgentIsToldANameThatItKnows(t *testing.T) {
	r := newReplay(t)
	r.aliases = map[string]string{"light.bed_light": `["Big lamp"]`, "light.ceiling_lights": `["Kitchen Lights","Sky"]`, "switch.ac": `[]`}
	r.whatever = done()
	h := connect(t, r.config())
	for _, words := range []string{"turn on the bed light", "turn on the big lamp", "turn on the ceiling lights", "turn on the AC"} {
		h.says(words)
	}
	r.wasTold(t, "turn on the Big lamp", "turn on the big lamp", "turn on the Sky", "turn on the AC")
}

// A room is found by its aliases, and so is a floor with the rooms on it.
func TestARoomAndAFloorHaveAliases(t *testing.T) {
	r := newReplay(t)
	r.floors = `[{"floor_id":"ground","name":"Ground floor","aliases":["Downstairs"],"level":0},{"floor_id":"empty","name":"Roof","aliases":[],"level":9}]`
	r.add(`{"entity_id":"light.shelf","state":"on","attributes":{"friendly_name":"Shelf"}}`, `{"entity_id":"light.desk","state":"on","attributes":{"friendly_name":"Desk"}}`,
		`{"entity_id":"light.far","state":"off","attributes":{"friendly_name":"Far"}}`, `{"entity_id":"sensor.warm","state":"21","attributes":{"friendly_name":"Warm","unit_of_measurement":"°C","device_class":"temperature"}}`)
	r.Areas = with(t, r.Areas, `{"area_id":"study","name":"Study","aliases":["Den"],"floor_id":"ground"}`, `{"area_id":"hall","name":"Hall","aliases":["Entrance"],"floor_id":"ground"}`,
		`{"area_id":"attic","name":"Attic","aliases":["Entrance","quarto"],"floor_id":null}`)
	r.Entities = with(t, r.Entities, `{"entity_id":"light.shelf","platform":"x","area_id":"study"}`, `{"entity_id":"light.desk","platform":"x","area_id":"hall"}`,
		`{"entity_id":"light.far","platform":"x","area_id":"attic"}`, `{"entity_id":"sensor.warm","platform":"x","area_id":"study"}`)
	r.whatever = done(`{"entity_id":"light.shelf","state":"off","attributes":{"friendly_name":"Shelf"}}`, `{"entity_id":"light.desk","state":"off","attributes":{"friendly_name":"Desk"}}`)
	r.aliases = map[string]string{"light.desk": `[null,"Lamp","Spot"]`, "light.far": `[null,"Spot"]`}
	cfg := r.config()
	h := connect(t, cfg)
	several := "- Several rooms are called entrance; give them names of their own in Home Assistant"
	h.expect(
		[2]string{"which lights are on in the den?", "The shelf is on."},
		[2]string{"is the shelf in the den on?", "Yes, the shelf is on."},
		[2]string{"what is the temperature in the den?", "The warm is 21 °C."},
		[2]string{"which lights are on downstairs?", "The desk and the shelf are on."},
		[2]string{"which lights are on on the ground floor?", "The desk and the shelf are on."},
		[2]string{"are the lights in the entrance on?", several},
		[2]string{"turn off the lights in the entrance", several},
		[2]string{"turn off the spot in the entrance", several},
		[2]string{"is the spot in the entrance on?", "The spot in the hall is on; the spot in the attic is off."},
		[2]string{"turn off the lights in the roof", "? Which one: bed light, ceiling lights or desk? [bed light: turn off the Bed Light] [ceiling lights: turn off the Ceiling Lights] [desk: turn off the Desk]"},
	)
	// To the agent these are all the lights there.
	h.expect(
		[2]string{"turn off the lamp downstairs", "- " + oneAtATime},
		[2]string{"turn off the hall lamp", "- " + oneAtATime},
		[2]string{"turn off the lights in the den downstairs", "- " + oneAtATime},
		[2]string{"turn off the lights in the den in the attic", "- " + oneAtATime},
	)
	r.wasTold(t)
	h.expect(
		[2]string{"turn off the shelf downstairs", "The shelf is off."},
		[2]string{"turn off the lamp in the hall", "The lamp is off."},
		[2]string{"turn off the lights in the den", "The shelf is off."},
		[2]string{"turn off the lights downstairs", "The desk and the shelf are off."},
		[2]string{"turn off all the lights on the ground floor", "The desk and the shelf are off."},
		[2]string{"apaga a luz no quarto", "- Home Assistant took that, and the far is off as before"},
	)
	r.wasTold(t, "turn off the shelf downstairs", "turn off the lamp in the hall", "turn off the lights in the den", "turn off the lights downstairs", "turn off all the lights on the ground floor", "apaga a luz no quarto")
	// A room and a floor that are called anew are known at once.
	r.mu.Lock()
	r.floors = strings.ReplaceAll(r.floors, "Downstairs", "Below")
	r.send(`{"id":2,"type":"event","event":{"event_type":"floor_registry_updated","data":{"action":"update","floor_id":"ground"}}}`)
	r.mu.Unlock()
	h.comes("which lights are on below?", "No light is on.")
	r.mu.Lock()
	r.Areas = jsontext.Value(strings.ReplaceAll(string(r.Areas), `"Den"`, `"Cave"`))
	r.send(`{"id":2,"type":"event","event":{"event_type":"area_registry_updated","data":{"action":"update","area_id":"study"}}}`)
	r.mu.Unlock()
	h.comes("which lights are on in the cave?", "No light is on.")
	// What may not be acted on is no more so on its floor.
	cfg.Deny = []string{"light.desk"}
	connect(t, cfg).expect([2]string{"turn off the lights below", "- I may not act on the desk"})
}

// A list and a calendar are found by their aliases, and are told of by their own names.
func TestAListAndACalendarHaveAliases(t *testing.T) {
	s := newStandIn(t, "todo.buy=Einkaufen", "todo.jobs=Jobs", "calendar.us=Family")
	s.aliases = map[string]string{"todo.buy": `[null,"Groceries"]`, "calendar.us": `[null,"Home calendar"]`}
	h := connect(t, s.config())
	h.expect(
		[2]string{"add milk and eggs to the groceries list", "“milk” and “eggs” are on the Einkaufen list now."},
		[2]string{"what is on the groceries list?", "On the Einkaufen list there is milk and eggs."},
		[2]string{"add dentist on Friday at 15:00 to the home calendar", "“dentist” is on the Family calendar now, on Friday 4 December at 15:00, for an hour."},
		[2]string{"what is on the home calendar on Friday?", "On Friday there is dentist at 15:00."},
	)
}

func TestOfAllNamesInAHouseTheRightOneIsFound(t *testing.T) {
	c, states := manyAliases()
	if len(states) != 5000 {
		t.Fatal(len(states))
	}
	a, err := c.Read(t.Context(), ask.Question{Question: "what is the big counter 4321?"})
	if err != nil || a.Answer == nil || *a.Answer != "The big counter 4321 is 4321 W." {
		t.Errorf("got %+v, %v", a, err)
	}
}

// manyAliases is a connector that knows 5,000 entities with two aliases each.
func manyAliases() (*Connector, []wireState) {
	states, places := make([]wireState, 5000), map[string]placed{}
	for n := range states {
		id := fmt.Sprintf("sensor.meter_%d", n)
		states[n] = wireState{ID: id, State: fmt.Sprint(n), Attributes: jsontext.Value(fmt.Sprintf(`{"friendly_name":"Meter %d","unit_of_measurement":"W"}`, n))}
		places[id] = placed{platform: "x", also: calledAll([]string{fmt.Sprintf("Counter %d", n), fmt.Sprintf("Big counter %d", n)})}
	}
	c := New(Config{Now: time.Now, Zone: func() *time.Location { return time.UTC }})
	c.house.fill(states, places, nil)
	return c, states
}

// BenchmarkStateQuestionByAlias asks in a house of 5,000 entities with two aliases each.
func BenchmarkStateQuestionByAlias(b *testing.B) {
	c, _ := manyAliases()
	for b.Loop() {
		if a, err := c.Read(b.Context(), ask.Question{Question: "what is the big counter 4321?"}); err != nil || a.Answer == nil {
			b.Fatal(a, err)
		}
	}
}
