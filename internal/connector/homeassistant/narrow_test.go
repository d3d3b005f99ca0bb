package homeassistant

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// A group and a scene act on what they hold: whoever may not touch a thing may not touch it
// by the name of another one.
func TestNothingDeniedHidesInAGroupOrAScene(t *testing.T) {
	group := func(id, name string, members ...string) string {
		return `{"entity_id":"` + id + `","state":"on","attributes":{"friendly_name":"` + name + `","entity_id":["` + strings.Join(members, `","`) + `"]}}`
	}
	newHouse := func(t *testing.T, allow ...string) (*replay, *tried) {
		r := newReplay(t)
		r.add(
			group("switch.plugs", "Plugs", "switch.decorative_lights", "switch.x9"), `{"entity_id":"switch.x9","state":"on","attributes":{"friendly_name":"Kids internet"}}`,
			group("switch.outer", "Outer", "switch.inner"), group("switch.inner", "Inner", "switch.outer", "switch.adguard_home_protection"),
			group("scene.open_house", "Open House", "light.bed_light", "lock.front_door"), group("switch.pumps", "Pumps", "switch.pump"), group("light.pair", "Lamp pair", "light.bed_light", "light.gone"),
			`{"entity_id":"light.odd","state":"off","attributes":{"friendly_name":"Odd lamp","entity_id":{"a":1}}}`,
		)
		r.whatever = &saidAndDone{Reply: jsontext.Value(`{"response":{"response_type":"action_done","data":{"success":[],"failed":[]}}}`)}
		cfg := r.config()
		cfg.Allow, cfg.Deny = append(allow, DefaultAllow...), []string{"switch.pump"}
		return r, connect(t, cfg)
	}
	r, h := newHouse(t)
	for _, words := range []string{
		"turn off the plugs", "turn off the outer", "turn off the inner", "activate open house", "turn off the pumps",
	} {
		if got := h.says(words); !strings.HasPrefix(got, "- I ") || !strings.Contains(got, " act on the ") {
			t.Errorf("%q: got %q", words, got)
		}
	}
	if len(r.told) != 0 {
		t.Errorf("the agent was told %q", r.told)
	}
	h.says("turn on the lamp pair")
	h.says("turn on the odd lamp")
	if len(r.told) != 2 {
		t.Errorf("the agent was told %q", r.told)
	}

	r, h = newHouse(t, "scene.open_house", "switch.outer", "switch.pumps")
	h.says("activate open house") // it was named
	h.says("turn off the outer")
	h.says("turn off the pumps")
	if len(r.told) != 1 || r.told[0] != "activate open house" {
		t.Errorf("the agent was told %q", r.told)
	}
}

// What was not understood of an order is not handed on with the rest of it.
func TestNothingIsHandedOnThatWasNotUnderstood(t *testing.T) {
	r := newReplay(t)
	r.whatever = &saidAndDone{Reply: jsontext.Value(`{"response":{"response_type":"action_done","data":{"success":[],"failed":[]}}}`)}
	h := connect(t, r.config())
	for words, want := range map[string]string{
		"turn off the bed light and unlock the back door":                     oneAtATime,
		"turn off the bed light and then also unlock it":                      oneAtATime,
		"turn off the bed light. Unlock the front-door":                       oneAtATime,
		"turn off the bed light; unlock frontdoor":                            oneAtATime,
		"turn off the bed light\nunlock frontdoor":                            oneAtATime,
		"turn off the bed light, please run the party":                        oneAtATime,
		"turn off the bed light and turn on the ceiling lights and unlock it": oneAtATime,
		"turn off the bed light, unlock it and open the hall window":          oneAtATime,
		"turn off the bed light and the lock":                                 oneAtATime,
		"mach das bed light aus und schließ die Tür auf":                      oneAtATime,
		"turn off the bed light and all lights":                               nameIt,
		"turn off the bed light and everything":                               nameIt,
		"turn off the bed lights in all rooms":                                nameIt,
		"turn off the bed light in 5":                                         onlyAtOnce,
		"turn off the bed light in a bit":                                     onlyAtOnce,
		"turn off the bed light 10 pm":                                        onlyAtOnce,
		"turn on the bed light as soon as it gets dark":                       onlyAtOnce,
		"turn on no bed light":                                                "Please name only what is to be switched",
		"turn off the bed light and, by the way, open the gate":               "",
	} {
		if got := h.says(words); want != "" && got != "- "+want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	r.told = nil
	for _, words := range []string{
		"turn off all the kitchen lights", "please, turn off the bed light.", "turn off the bed light and turn on the ceiling lights",
		"turn off the bed light and then open the hall window", "turn off the bed light. Open the hall window!", "ok, turn the bed light off",
	} {
		if h.says(words); len(r.told) != 1 {
			t.Errorf("%q: the agent was told %q", words, r.told)
		}
		r.told = nil
	}
}

// What is asked back never orders another thing than was said.
func TestWhatIsAskedBackIsTheSameOrder(t *testing.T) {
	for words, want := range map[string]string{
		"turn off the lamp on the desk":         "turn off",
		"turn off the lights that are on":       "turn off",
		"turn on the lamp off the hall":         "turn on",
		"turn the lamp on the desk off":         "turn off",
		"turn the lamp in the hall on":          "turn on",
		"switch the lamp on the desk off":       "switch off",
		"turn the lamp off on the desk now":     "",
		"turn the switch on":                    "turn on",
		"put the lamp on":                       "put on",
		"turn the radio on the shelf up":        "turn up",
		"unlock the door on the left":           "unlock",
		"turn the light switch on the wall off": "turn off",
	} {
		if verb, _ := verbOf(fold(words)); verb != want {
			t.Errorf("%q: got %q, want %q", words, verb, want)
		}
	}
}

// Where people are, and what their phones know, is told to nobody.
func TestWhereabouts(t *testing.T) {
	r := newReplay(t)
	for i, s := range []string{
		`{"entity_id":"sensor.p1","state":"12 Hidden Street","attributes":{"friendly_name":"Phone place"}}`,
		`{"entity_id":"sensor.p2","state":"55","attributes":{"friendly_name":"Phone battery","device_class":"battery","unit_of_measurement":"%"}}`,
	} {
		r.add(s)
		r.Entities = with(t, r.Entities, `{"entity_id":"sensor.p`+string(rune('1'+i))+`","platform":"mobile_app"}`)
	}
	h := connect(t, r.config())
	h.expect(
		[2]string{"what is the phone place?", "- I know no such device or room"},
		[2]string{"what is the phone battery?", "The phone battery is 55%."},
	)
}

// What is said to be done is what was asked for: no television that sleeps is turned on, and
// none that is on and plays nothing is said to be off.
func TestAPlayerThatSleepsIsOffAndOneThatPlaysNothingIsNot(t *testing.T) {
	t.Parallel() // it waits for what does not come
	for state, want := range map[string][3]string{
		"standby": {"- The lounge TV did not answer", "No, the lounge TV is off.", "The lounge TV is off."},
		"idle":    {"The lounge TV is idle.", "No, the lounge TV is idle.", "The lounge TV is idle."},
	} {
		r := newReplay(t)
		r.add(`{"entity_id":"media_player.tv","state":"off","attributes":{"friendly_name":"Lounge TV"}}`)
		r.whatever = &saidAndDone{Reply: jsontext.Value(`{"response":{"response_type":"action_done","data":{"success":[],"failed":[]}}}`), Changes: []jsontext.Value{
			jsontext.Value(`{"entity_id":"media_player.tv","state":"` + state + `","attributes":{"friendly_name":"Lounge TV"}}`),
		}}
		h := connect(t, r.config())
		h.expect([2]string{"turn on the lounge TV", want[0]}, [2]string{"is the lounge TV on?", want[1]}, [2]string{"turn off the lounge TV", want[2]})
	}
}
