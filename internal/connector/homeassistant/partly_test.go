package homeassistant

import "testing"

// lived is a house with things in two rooms, and some in none.
func lived(t *testing.T) *tried {
	t.Helper()
	r := roomy(t)
	r.add(`{"entity_id":"cover.gate","state":"closed","attributes":{"friendly_name":"Garage Door"}}`)
	for id, thing := range map[string][3]string{
		"cover.boat": {"Boat shed door", "", "open"}, "switch.coffee": {"Coffee machine", "cellar", "off"}, "media_player.tv": {"TV", "cellar", "playing"},
		"light.tree": {"Christmas tree", "cellar", "on"}, "cover.curtains": {"Front curtains", "", "closed"}, "cover.blinds": {"Front blinds", "", "closed"},
		"binary_sensor.phone": {"Emma's phone charging", "", "on"}, "light.emma": {"Emma's lamp", "", "off"}, "light.dark": {"Bare bulb", "", "off"}, "light.half": {"Half lamp", "hall", "on"}, "climate.cellar": {"Cellar stove", "cellar", "off"}, "cover.cellar": {"Cellar hatch", "cellar", "closed"},
	} {
		r.add(`{"entity_id":"` + id + `","state":"` + thing[2] + `","attributes":{"friendly_name":"` + thing[0] + `"}}`)
		r.Entities = with(t, r.Entities, `{"entity_id":"`+id+`","area_id":"`+thing[1]+`"}`)
	}
	return connect(t, r.config())
}

// A question that names a part of what a thing is called, or only its room, is answered with
// the whole name.
func TestAPartOfANameIsEnoughToAsk(t *testing.T) {
	h := lived(t)
	for words, want := range map[string]string{
		"is the boat shed open":              "Yes, the boat shed door is open.",
		"is the boat shed closed?":           "No, the boat shed door is open.",
		"did I leave the boat shed open":     "The boat shed door is open.",
		"is the coffee on":                   "No, the coffee machine is off.",
		"is the tree on":                     "Yes, the christmas tree is on.",
		"what's on in the cellar":            "The christmas tree is on; the TV is playing.",
		"is anything on in the cellar":       "The christmas tree is on; the TV is playing.",
		"is everything off in the cellar":    "No, the christmas tree is on; the TV is playing.",
		"are the hall lights off":            "No, the half lamp is on.",
		"are the lights in the hall off?":    "No, the half lamp is on.",
		"are the hall lights on":             "The half lamp is on.",
		"are the study lights off":           "Yes, the counter thing and the table thing are off.",
		"are any hall lights off":            "The coats thing is off.",
		"is the TV on":                       "Yes, the TV is playing.",
		"is the boat shed on":                "- " + noDevice,
		"is the garden open":                 "- " + noDevice,
		"is Emma on":                         "No, the emma's lamp is off.",
		"is Emma home":                       "- " + notWhere,
		"where is Emma":                      "- " + noDevice,
		"is it on":                           "- " + noDevice,
		"is anything open in the cellar":     "No device is open.",
		"is the thing on":                    "- " + noDevice,
		"is the big boat shed open":          "- " + noDevice,
		"are the attic lights on":            "- " + noDevice,
		"is the light in the attic room on?": "- " + noDevice,
	} {
		h.expect([2]string{words, want})
	}
}

// What is asked back is of the kind that was said, and of the place that was.
func TestWhatIsAskedBackIsLikeWhatWasSaid(t *testing.T) {
	h := lived(t)
	h.expect(
		[2]string{"open the curtains", "? Do you mean the front curtains? [front curtains: open the Front curtains]"},
		[2]string{"close the garage", "? Do you mean the garage door? [garage door: close the Garage Door]"},
		[2]string{"close the boat shed", "? Do you mean the boat shed door? [boat shed door: close the Boat shed door]"},
		[2]string{"set the temperature in the cellar to 21", "? Do you mean the cellar stove? [cellar stove: set the Cellar stove to 21]"},
		[2]string{"set the cellar to 21 degrees", "? Do you mean the cellar stove? [cellar stove: set the Cellar stove to 21 degrees]"},
		[2]string{"turn on the fan in the cellar", "- I know nothing of that kind in the cellar"},
		[2]string{"turn on the bulb", "? Do you mean the bare bulb? [bare bulb: turn on the Bare bulb]"},
		[2]string{"can someone turn on the fan in the cellar", "- I know nothing of that kind in the cellar"},
	)
}
