package homeassistant

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// furnished is roomy with named lamps in its rooms, a blind and a thermostat.
func furnished(t *testing.T) *replay {
	t.Helper()
	r := roomy(t)
	for id, thing := range map[string][2]string{
		"light.desk": {"Desk lamp", "study"}, "light.salt": {"Salt and pepper lamp", "study"}, "light.hall": {"Hall lamp", "hall"}, "switch.kettle": {"Kettle", ""},
		"lock.gate": {"Gate", ""}, "light.twin1": {"Twin lamp", "study"}, "light.twin2": {"Twin lamp", "hall"},
	} {
		r.add(`{"entity_id":"` + id + `","state":"off","attributes":{"friendly_name":"` + thing[0] + `"}}`)
		r.Entities = with(t, r.Entities, `{"entity_id":"`+id+`","area_id":"`+thing[1]+`"}`)
	}
	return r
}

// Several devices and rooms' things behind one verb are ordered and seen to one by one.
func TestSeveralThingsInOneOrder(t *testing.T) {
	hallLights := []string{"light.coats", "light.hall", "light.twin2"}
	const hallIsOn = "the coats thing, the hall lamp and the twin lamp are on"
	for words, want := range map[string][]string{
		"turn on the desk lamp and the kettle": {"turn on the desk lamp", "turn on the kettle", "The desk lamp is on; the kettle is on."},
		"Turn on the desk lamp, the hall lamp and the kettle please.": {
			"Turn on the desk lamp please.", "Turn on the hall lamp please.", "Turn on the kettle please.", "The desk lamp is on; the hall lamp is on; the kettle is on.",
		},
		"turn the desk lamp and the hall lamp on":                {"turn the desk lamp on", "turn the hall lamp on", "The desk lamp is on; the hall lamp is on."},
		"could you switch on desk lamp and also the kettle?":     {"could you switch on desk lamp", "could you switch on the kettle", "The desk lamp is on; the kettle is on."},
		"turn on the desk lamp and the hall lights":              {"turn on the desk lamp", "turn on the hall lights", "The desk lamp is on; " + hallIsOn + "."},
		"turn on the lights in the hall and the kettle":          {"turn on the lights in the hall", "turn on the kettle", "T" + hallIsOn[1:] + "; the kettle is on."},
		"turn on the hall lights and the desk lamp in the study": {"turn on the hall lights", "turn on the desk lamp in the study", "T" + hallIsOn[1:] + "; the desk lamp is on."},
		"turn on the hall lamp and the hall lights":              {"turn on the hall lamp", "turn on the hall lights", "The hall lamp is on; " + hallIsOn + "."},
		"turn on both the desk lamp and the kettle":              {"turn on the desk lamp", "turn on the kettle", "The desk lamp is on; the kettle is on."},
		"turn on the salt and pepper lamp and the kettle":        {"turn on the salt and pepper lamp", "turn on the kettle", "The salt and pepper lamp is on; the kettle is on."},
	} {
		r := furnished(t)
		orders, sentence := want[:len(want)-1], want[len(want)-1]
		for _, o := range orders {
			on := hallLights
			for name, id := range map[string]string{"desk": "light.desk", "kettle": "switch.kettle", "salt": "light.salt", "hall lamp": "light.hall"} {
				if slices.Contains(fold(o), name) || at(fold(o), fold(name)) >= 0 {
					on = []string{id}
				}
			}
			r.answers(strings.ToLower(o), acted, on...)
		}
		h := connect(t, r.config())
		if got := h.says(words); got != sentence || !slices.Equal(r.told, orders) {
			t.Errorf("%q: got %q, want %q, and the agent was told %q", words, got, sentence, r.told)
		}
	}
}

// leaves is none of the sentences being carried out, with the reason that is told; an empty one
// is any.
func (h *tried) leaves(r *replay, why map[string]string) {
	h.t.Helper()
	for words, want := range why {
		if got := h.says(words); want != "" && got != "- "+want {
			h.t.Errorf("%q: got %q, want %q", words, got, want)
		}
		if len(r.told) != 0 {
			h.t.Errorf("%q: the agent was told %q", words, r.told)
			r.told = nil
		}
	}
}

// Where one of several things is not surely known, not allowed or not for now, nothing is sent.
func TestNothingIsDoneWhereOneThingIsNotClear(t *testing.T) {
	r := furnished(t)
	r.whatever = &saidAndDone{Reply: jsontext.Value(`{"response":` + acted + `}`)}
	cfg := r.config()
	cfg.Deny = []string{"light.own"}
	h := connect(t, cfg)
	h.leaves(r, map[string]string{
		"turn on the desk lamp and the attic lamp":                  oneAtATime,
		"turn on the attic lamp and the desk lamp":                  oneAtATime,
		"turn on the desk lamp and the lights in the attic":         oneAtATime,
		"turn on the hall lights and the lights in the attic":       oneAtATime,
		"turn on the lights in the hall and the lamps in the attic": oneAtATime,
		"turn on the desk lamp and the lights in the cellar":        "I know nothing of that kind in the cellar",
		"turn on the desk lamp and the twin lamp":                   oneAtATime,
		"turn on the kettle and the gate":                           "I may not act on the gate; it has to be named in askhub.toml first",
		"unlock the gate and turn on the kettle":                    "I may not act on the gate; it has to be named in askhub.toml first",
		"turn on the desk lamp and the bedroom lights":              "I may not act on the own thing",
		"turn on the desk lamp and the kettle at seven":             onlyAtOnce,
		"turn on the desk lamp and the kettle at 7":                 onlyAtOnce,
		"turn on the desk lamp and the kettle tomorrow":             onlyAtOnce,
		"turn on the desk lamp or the kettle":                       oneAtATime,
		"turn on the desk lamp and not the kettle":                  "",
		"turn on the desk lamp and the kettle but not the gate":     "",
		"turn the desk lamp on and the kettle off":                  "",
		"turn on the desk lamp and off the kettle":                  "",
		"don't turn on the desk lamp and the kettle":                "",
		"are the desk lamp and the kettle on?":                      "",
		"Nan said turn on the desk lamp and the kettle":             "",
		"turn on both the desk lamp, the hall lamp and the kettle":  "",
		"turn on the light and the fan in the hall":                 oneAtATime,
		"turn on the lights and the blinds in the hall":             oneAtATime,
		"set the hall lights to 40% and the desk lamp to 20%":       oneAtATime,
		"set the desk lamp to 40% and the flarb to 20%":             oneAtATime,
		"set the hall lights to 40% and the flarb to 20%":           oneAtATime,
		"turn on the coats light in the hall and the kettle":        oneAtATime,
		"turn on everything and the kettle":                         "",
	})
}

// "Switch" is an order here, and no thing: what is looked at are the lights.
func TestToSwitchIsNoSwitch(t *testing.T) {
	r := furnished(t)
	r.add(`{"entity_id":"switch.hall","state":"off","attributes":{"friendly_name":"Bell"}}`)
	r.Entities = with(t, r.Entities, `{"entity_id":"switch.hall","area_id":"hall"}`)
	r.answers("switch on the lights in the hall", acted, "light.coats", "light.hall", "light.twin2")
	r.answers("turn on the switch in the hall", acted, "switch.hall")
	cfg := r.config()
	cfg.Deny = []string{"light.own"}
	h := connect(t, cfg)
	h.expect(
		[2]string{"switch on the lights in the hall", "The coats thing, the hall lamp and the twin lamp are on."},
		[2]string{"please switch on the lights in the bedroom", "- I may not act on the own thing"},
		[2]string{"could you switch on the lights in the bedroom", "- I may not act on the own thing"},
		[2]string{"turn on the switch in the hall", "The bell is on."},
	)
}

// Orders behind verbs of their own are told one by one where the agent would have to be told of
// rooms and devices at once; where one of them is not clear, none is.
func TestOrdersForRoomsAndDevices(t *testing.T) {
	const hallIsOn = "The coats thing, the hall lamp and the twin lamp are on"
	for words, want := range map[string][]string{
		"turn on the hall lights and turn off the kettle":                     {"turn on the hall lights", "turn off the kettle", hallIsOn + "; the kettle is off."},
		"please turn on the lights in the hall, then switch on the desk lamp": {"turn on the lights in the hall", "switch on the desk lamp", hallIsOn + "; the desk lamp is on."},
		"turn off the kettle and turn on the hall lights and the desk lamp":   {"turn off the kettle", "turn on the hall lights", "turn on the desk lamp", "The kettle is off; t" + hallIsOn[1:] + "; the desk lamp is on."},
	} {
		r := furnished(t)
		orders, sentence := want[:len(want)-1], want[len(want)-1]
		for _, o := range orders {
			switch {
			case strings.Contains(o, "hall"):
				r.answers(o, acted, "light.coats", "light.hall", "light.twin2")
			case strings.Contains(o, "desk"):
				r.answers(o, acted, "light.desk")
			default:
				r.answers(o, acted)
			}
		}
		h := connect(t, r.config())
		if got := h.says(words); got != sentence || !slices.Equal(r.told, orders) {
			t.Errorf("%q: got %q, want %q, and the agent was told %q", words, got, sentence, r.told)
		}
	}
	r := furnished(t)
	r.whatever = &saidAndDone{Reply: jsontext.Value(`{"response":` + acted + `}`)}
	h := connect(t, r.config())
	h.leaves(r, map[string]string{
		"turn on the hall lights and turn on the attic lamp":       oneAtATime,
		"turn on the hall lights and the attic lamp":               oneAtATime,
		"turn on the hall lights and turn off the hall lamp":       oneAtATime,
		"turn on the hall lights and lock it":                      oneAtATime,
		"turn on the hall lights and unlock the gate":              "I may not act on the gate; it has to be named in askhub.toml first",
		"turn on the hall lights and turn off the kettle at seven": onlyAtOnce,
		"turn on the hall lights and set a table":                  oneAtATime,
		"turn on the hall lights and turn off everything":          "",
		"turn on the hall lights, turn on the kettle, turn on the desk lamp, turn on the salt and pepper lamp, turn on the study lights": oneAtATime,
	})
}

// A part of a name beside its room is asked back, and does not mean all that is there.
func TestOneOfARoomIsNotAllOfIt(t *testing.T) {
	r := furnished(t)
	r.whatever = &saidAndDone{Reply: jsontext.Value(`{"response":` + acted + `}`)}
	h := connect(t, r.config())
	h.expect(
		[2]string{"turn on the counter light in the study", "? Do you mean the counter thing? [counter thing: turn on the counter thing]"},
		[2]string{"turn on the table lamp in the study", "? Do you mean the table thing? [table thing: turn on the table thing]"},
	)
	if len(r.told) != 0 {
		t.Errorf("the agent was told %q", r.told)
	}
	for _, words := range []string{"turn on the nice hall lights", "set the hall lights to 40%", "turn on the desk lamp and set it to 40%", "set the desk lamp brightness to 40 percent, please"} {
		r.told = nil
		if h.says(words); len(r.told) != 1 {
			t.Errorf("%q: the agent was told %q", words, r.told)
		}
	}
}
