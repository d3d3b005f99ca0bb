package config

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestHomeAssistantAndSpeakers(t *testing.T) {
	const home = "[home_assistant]\nurl = \"http://127.0.0.1:8123/\"\n"
	const house = home + "[[speakers.rooms]]\nname = \"kitchen\"\nsatellite = \"assist_satellite.kitchen\"\n"
	event := func(what, whom string) string {
		return home + "[[home_assistant.events]]\nsay = \"It rings.\"\n" + what + "\n" + whom
	}
	for text, want := range map[string]string{
		home: "",
		home + "allow = [\"light\", \"lock.front_door\"]\ndeny = [\"switch.pump\"]\n[[home_assistant.calendars]]\nperson = \"sam\"\nentities = [\"calendar.sam\"]": "",
		home + "[speakers]\nquiet = \"22:00-07:00\"\ntts = \"tts.piper\"\n[[speakers.rooms]]\nname = \"kitchen\"\nmedia_player = \"media_player.kitchen\"":         "",
		"[home_assistant]\nlanguage = \"en\"":                                              "home_assistant.url: must be Home Assistant's address",
		home + "token_env = \"eyJhbGciOi.xyz\"":                                            "home_assistant.token_env: must be the name of a secret",
		home + "token = \"x\"":                                                             "home_assistant.token: no such field",
		home + "allow = [\"Light\"]":                                                       "home_assistant.allow: \"Light\" is neither",
		home + "allow = [\"lock\"]":                                                        "home_assistant.allow: \"lock\" as a whole is too much",
		home + "weather = \"sensor.outside\"":                                              "home_assistant.weather: must be an entity like",
		home + "deny = [\"switch\"]":                                                       "home_assistant.deny: \"switch\" is no entity",
		home + "language = \"English\"":                                                    "home_assistant.language: must be a language",
		home + "[[home_assistant.calendars]]\nentities = [\"light.x\"]":                    "home_assistant.calendars[0].entities: \"light.x\" is no calendar",
		"[speakers]\nquiet = \"22:00-07:00\"":                                              "speakers: speak through Home Assistant",
		home + "[speakers]\nquiet = \"22-7\"":                                              "speakers.quiet: must be hours",
		home + "[[speakers.rooms]]\nname = \"kitchen\"":                                    "speakers.rooms[0]: must have satellite",
		home + "[[speakers.rooms]]\nname = \"kitchen\"\nmedia_player = \"media_player.k\"": "speakers.rooms[0].media_player: needs speakers.tts",
		home + "[[speakers.rooms]]\nname = \"\"\nsatellite = \"assist_satellite.k\"":       "speakers.rooms[0].name: must be what people call",
		home + "[[speakers.rooms]]\nname = \"a\"\nsatellite = \"media_player.k\"":          "speakers.rooms[0].satellite: must be an entity",
		house + "[[home_assistant.events]]\nentity = \"event.front_door\"\ntype = \"ring\"\nsay = \"Somebody is at the front door.\"\npeople = [\"everyone\"]\nrooms = [\"Kitchen\"]": "",
		event("event = \"doorbell_pressed\"", "people = [\"sam\"]\nlevel = \"urgent\""):                                                                                               "",
		event("", "people = [\"sam\"]"):                                              "home_assistant.events[0]: must have entity",
		event("entity = \"timer.a\"\nevent = \"b\"", "people = [\"sam\"]"):           "home_assistant.events[0]: must have entity",
		event("entity = \"light.a\"", "people = [\"sam\"]"):                          "home_assistant.events[0].entity: must be an entity of event",
		event("event = \"state_changed\"", "people = [\"sam\"]"):                     "home_assistant.events[0].event: must be a type of event",
		event("entity = \"timer.a\"\ntype = \"ring\"", "people = [\"sam\"]"):         "home_assistant.events[0].type: goes with an entity of event",
		event("entity = \"timer.a\"", ""):                                            "home_assistant.events[0]: must have people",
		event("entity = \"timer.a\"", "people = [\"\"]"):                             "home_assistant.events[0].people: \"\" is no name",
		event("entity = \"timer.a\"", "rooms = [\"attic\"]"):                         "home_assistant.events[0].rooms: \"attic\" is no room",
		event("entity = \"timer.a\"", "people = [\"sam\"]\nlevel = \"high\""):        "home_assistant.events[0].level: must be info, important or urgent",
		home + "[[home_assistant.events]]\nentity = \"timer.a\"\npeople = [\"sam\"]": "home_assistant.events[0].say: ",
		home + "[projects.home_assistant]\nurl = \"http://127.0.0.1:1\"":             "projects.home_assistant: this name is that of the destination for the house",
	} {
		c, err := parse(filepath.Join(t.TempDir(), FileName), []byte(text+"\n"))
		switch {
		case want == "" && (err != nil || !c.HomeAssistant.Configured() || c.HomeAssistant.URL != "http://127.0.0.1:8123" || c.HomeAssistant.TokenEnv != DefaultHomeToken):
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "eyJ")):
			t.Errorf("%s:\ngot %v, want %s", text, err, want)
		}
	}
	// Where there is no [home_assistant], a project may be the destination instead.
	if _, err := parse(filepath.Join(t.TempDir(), FileName), []byte("[projects.home_assistant]\nurl = \"http://127.0.0.1:1\"\n")); err != nil {
		t.Error(err)
	}
}
