package homeassistant

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// changing is a house in which these are, and where each command has the agent do that.
func changing(t *testing.T, states ...string) (*tried, *replay) {
	t.Helper()
	r := newReplay(t)
	r.add(states...)
	return connect(t, r.config()), r
}

func (r *replay) does(changes ...string) {
	x := &saidAndDone{Reply: jsontext.Value(`{"response":{"response_type":"action_done","data":{"success":[],"failed":[]}}}`)}
	for _, c := range changes {
		x.Changes = append(x.Changes, jsontext.Value(c))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whatever = x
}

func lampOf(state, attributes string) string {
	return `{"entity_id":"` + state[:strings.Index(state, "=")] + `","state":"` + state[strings.Index(state, "=")+1:] + `","attributes":{` + attributes + `}}`
}

// What has no words here, such as a colour, is not said to be as before where it is not.
func TestWhatIsOtherThanBeforeIsNotSaidToBeAsBefore(t *testing.T) {
	for name, c := range map[string]struct{ before, after, words, want string }{
		"a colour": {
			lampOf("light.x=on", `"friendly_name":"Desk lamp","rgb_color":[255,0,0]`), lampOf("light.x=on", `"friendly_name":"Desk lamp","rgb_color":[0,0,255]`),
			"make the desk lamp blue", "The desk lamp has changed, and is on.",
		},
		"a sound": {
			lampOf("media_player.x=playing", `"friendly_name":"Radio","is_volume_muted":false`), lampOf("media_player.x=playing", `"friendly_name":"Radio","is_volume_muted":true`),
			"mute the radio", "The radio has changed, and is playing.",
		},
		"a volume": {
			lampOf("media_player.x=playing", `"friendly_name":"Radio","volume_level":1`), lampOf("media_player.x=playing", `"friendly_name":"Radio","volume_level":0.2`),
			"set the radio to 20%", "The radio is at volume 20%.",
		},
		"a position": {
			lampOf("cover.x=open", `"friendly_name":"Big blind","current_position":100`), lampOf("cover.x=open", `"friendly_name":"Big blind","current_position":20`),
			"set the big blind to 20%", "The big blind is at 20%.",
		},
		"a volume of what is off": {
			lampOf("media_player.x=off", `"friendly_name":"Radio"`), lampOf("media_player.x=off", `"friendly_name":"Radio"`),
			"set the radio to 20%", "- Home Assistant took that, and the radio is off as before",
		},
		"nothing": {
			lampOf("light.x=on", `"friendly_name":"Desk lamp","rgb_color":[255,0,0]`), lampOf("light.x=on", `"friendly_name":"Desk lamp","rgb_color":[255,0,0]`),
			"make the desk lamp red", "- Home Assistant took that, and the desk lamp is on as before",
		},
		"a speed, which may be another than was asked for": {
			lampOf("fan.x=off", `"friendly_name":"Fan one"`), lampOf("fan.x=on", `"friendly_name":"Fan one","percentage":67`),
			"turn the fan one on low", "The fan one is on at 67%.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, r := changing(t, c.before)
			r.does(c.after)
			h.expect([2]string{c.words, c.want})
		})
	}
}

// What is on its way is said to be, and neither open nor closed.
func TestWhatIsOnItsWayIsNotThereYet(t *testing.T) {
	h, r := changing(t, lampOf("cover.x=open", `"friendly_name":"Big blind"`), lampOf("cover.y=closed", `"friendly_name":"Small blind"`))
	r.does(lampOf("cover.x=closing", `"friendly_name":"Big blind"`))
	h.expect(
		[2]string{"close the big blind", "The big blind is closing."},
		[2]string{"is the big blind closed?", "The big blind is closing."},
		[2]string{"is the big blind open?", "The big blind is closing."},
		[2]string{"close the big blind and the small blind", "The big blind is closing; the small blind is closed."},
		[2]string{"is the small blind closed?", "Yes, the small blind is closed."},
	)
	if got := h.says("which blinds are closed?"); strings.Contains(got, "big blind") {
		t.Errorf("the one that is closing is said to be closed: %q", got)
	}
}

// "All" asks of those that are not so.
func TestWhetherAllAreSoIsAnsweredOfThoseThatAreNot(t *testing.T) {
	h, _ := changing(t)
	h.says("turn off the kitchen lights")
	h.expect(
		[2]string{"are all the lights off?", "No, the bed light, the ceiling lights and the living room RGBWW lights are on."},
		[2]string{"is every light off?", "No, the bed light, the ceiling lights and the living room RGBWW lights are on."},
		[2]string{"are all the lights on?", "No, the kitchen lights are off."},
	)
}

// What cannot be carried out is not blamed on devices where it names none.
func TestWhatIsNotUnderstoodIsSaidSo(t *testing.T) {
	h, _ := changing(t)
	h.expect(
		[2]string{"is anyone home?", "- " + notWhere},
		[2]string{"is Paulus home", "- " + notWhere},
		[2]string{"lights off", "- Please name a room or a device; I switch nothing that was not named"},
		[2]string{"we need to talk", "- I did not understand what to do, or with which device"},
		[2]string{"delete football training from the calendar", "- " + onlyAdds},
		[2]string{"move the dentist in my diary to Friday", "- " + onlyAdds},
	)
}

// A question for the date is none for what is on.
func TestTheDateIsNoAppointment(t *testing.T) {
	h, _ := changing(t)
	h.expect(
		[2]string{"what's the date today?", "Today is Monday 30 November."},
		[2]string{"what is the date tomorrow", "Tomorrow is Tuesday 1 December."},
		[2]string{"what do I have on today?", "Today there is Future Event at 22:30."},
	)
}

// What is said of a heating that was switched off is that it is off.
func TestAHeatingThatIsOffIsSaidToBeOff(t *testing.T) {
	r := newReplay(t)
	r.add(`{"entity_id":"climate.bedroom","state":"off","attributes":{"friendly_name":"Bedroom heating","temperature":20,"current_temperature":18.5}}`,
		`{"entity_id":"climate.bath","state":"off","attributes":{"friendly_name":"Bath heating","temperature":20}}`)
	h := connect(t, r.config())
	h.expect(
		[2]string{"is the bedroom heating on?", "No, the bedroom heating is off and measures 18.5 °C."},
		[2]string{"is the bath heating off?", "Yes, the bath heating is off."},
		[2]string{"how warm is the bedroom heating?", "The bedroom heating is off and measures 18.5 °C."},
	)
	r.whatever = &saidAndDone{
		Reply:   jsontext.Value(`{"response":` + acted + `}`),
		Changes: []jsontext.Value{jsontext.Value(`{"entity_id":"climate.bedroom","state":"off","attributes":{"friendly_name":"Bedroom heating","temperature":21,"current_temperature":18.5}}`)},
	}
	h.expect([2]string{"set the bedroom heating to 21", "The bedroom heating is set to 21 °C, and off."})
}
