package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/pattern"
)

// DefaultHomeToken names the secret that holds Home Assistant's access token.
const DefaultHomeToken = "HOME_ASSISTANT_TOKEN"

// HomeAssistant is the destination home_assistant.
type HomeAssistant struct {
	// URL is its address with no slash at its end; empty where there is none.
	URL string `toml:"url"`
	// TokenEnv names the secret that holds a long-lived access token.
	TokenEnv string `toml:"token_env"`
	// Language is what words are in where the way in says nothing.
	Language string `toml:"language"`
	// Allow are domains and entities that may be acted on; empty is the usual domains.
	Allow []string `toml:"allow"`
	// Deny are entities that may not.
	Deny []string `toml:"deny"`
	// Calendars say whose are whose; without one everybody has all of them.
	Calendars []HomeCalendars `toml:"calendars"`
	// Weather is the entity of the weather at home; empty is the first that there is.
	Weather string `toml:"weather"`
	// Events are what is told when it happens in the house.
	Events []HomeEvent `toml:"events"`
}

// HomeCalendars are one person's.
type HomeCalendars struct {
	Person   string   `toml:"person"`
	Entities []string `toml:"entities"`
}

// Configured says whether there is a Home Assistant.
func (h HomeAssistant) Configured() bool { return h.URL != "" }

// Speakers are the rooms in which something can be said.
type Speakers struct {
	// Quiet is when only urgent things are said, like "22:00-07:00"; empty is never.
	Quiet string `toml:"quiet"`
	// TTS is the entity that speaks on media players, such as tts.piper.
	TTS   string        `toml:"tts"`
	Rooms []SpeakerRoom `toml:"rooms"`
}

// QuietHours are the beginning and the end of quiet since midnight; both are 0 where there
// is none.
func (s Speakers) QuietHours() (from, to time.Duration) {
	begin, end, _ := strings.Cut(s.Quiet, "-")
	return sinceMidnight(begin), sinceMidnight(end)
}

func sinceMidnight(clock string) time.Duration {
	t, err := time.Parse("15:04", clock)
	if err != nil {
		return 0
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
}

// SpeakerRoom is one room: one of Satellite and MediaPlayer is set, or both.
type SpeakerRoom struct {
	Name        string `toml:"name"`
	Satellite   string `toml:"satellite"`
	MediaPlayer string `toml:"media_player"`
}

var (
	entityForm = pattern.Lazy(`^[a-z_]+\.[a-z0-9_]+$`)
	domainForm = pattern.Lazy(`^[a-z_]+$`)
	quietForm  = pattern.Lazy(`^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$`)
)

// homeAssistant checks [home_assistant] and [speakers].
func (v *check) homeAssistant() {
	v.speakers()
	if _, set := v.at["home_assistant"]; !set {
		return
	}
	h := &v.c.HomeAssistant
	if h.URL == "" {
		v.fault("home_assistant.url", `must be Home Assistant's address, like "http://homeassistant.local:8123"`)
	} else {
		v.server("home_assistant.url", &h.URL, "the access token and what is said")
	}
	if h.TokenEnv == "" {
		h.TokenEnv = DefaultHomeToken
	}
	if !envForm().MatchString(h.TokenEnv) {
		v.fault("home_assistant.token_env", "must be the name of a secret, like HOME_ASSISTANT_TOKEN, and not the token itself")
		h.TokenEnv = DefaultHomeToken // it may be the token
	}
	if h.Language != "" && !languageForm().MatchString(h.Language) {
		v.fault("home_assistant.language", `must be a language, like "en" or "de-AT"`)
	}
	for _, a := range h.Allow {
		if !entityForm().MatchString(a) && !domainForm().MatchString(a) {
			v.fault("home_assistant.allow", `%q is neither a domain like "light" nor an entity like "lock.front_door"`, a)
		}
		if slices.Contains([]string{"lock", "alarm_control_panel", "script", "automation", "button"}, a) {
			v.fault("home_assistant.allow", "%q as a whole is too much; name each entity, like %q", a, a+".front_door")
		}
	}
	for _, d := range h.Deny {
		if !entityForm().MatchString(d) {
			v.fault("home_assistant.deny", `%q is no entity like "switch.pump"`, d)
		}
	}
	if h.Weather != "" && (!strings.HasPrefix(h.Weather, "weather.") || !entityForm().MatchString(h.Weather)) {
		v.fault("home_assistant.weather", `must be an entity like "weather.home"`)
	}
	v.homeEvents()
	for i, c := range h.Calendars {
		field := fmt.Sprintf("home_assistant.calendars[%d]", i)
		if !personName(c.Person) {
			v.fault(field+".person", "must name the person whose calendars they are")
		}
		for _, e := range c.Entities {
			if !strings.HasPrefix(e, "calendar.") || !entityForm().MatchString(e) {
				v.fault(field+".entities", `%q is no calendar like "calendar.sam"`, e)
			}
		}
	}
}

// speakers checks [speakers].
func (v *check) speakers() {
	s := &v.c.Speakers
	if _, set := v.at["speakers"]; !set {
		return
	}
	if !v.c.HomeAssistant.Configured() {
		v.fault("speakers", "speak through Home Assistant; set [home_assistant] too, or take this out")
	}
	if s.Quiet != "" && !quietForm().MatchString(s.Quiet) {
		v.fault("speakers.quiet", `must be hours like "22:00-07:00"`)
	}
	entity := func(field, value, domain string) {
		if value != "" && (!strings.HasPrefix(value, domain+".") || !entityForm().MatchString(value)) {
			v.fault(field, "must be an entity like %q", domain+".kitchen")
		}
	}
	entity("speakers.tts", s.TTS, "tts")
	for i, r := range s.Rooms {
		field := fmt.Sprintf("speakers.rooms[%d]", i)
		if !personName(r.Name) {
			v.fault(field+".name", "must be what people call the room")
		}
		for _, other := range s.Rooms[:i] {
			if strings.EqualFold(other.Name, r.Name) {
				v.fault(field+".name", "%q stands there twice", r.Name)
			}
		}
		entity(field+".satellite", r.Satellite, "assist_satellite")
		entity(field+".media_player", r.MediaPlayer, "media_player")
		switch {
		case r.Satellite == "" && r.MediaPlayer == "":
			v.fault(field, "must have satellite or media_player")
		case r.Satellite == "" && s.TTS == "":
			v.fault(field+".media_player", "needs speakers.tts, the entity that makes speech of words, like tts.piper")
		}
	}
}
