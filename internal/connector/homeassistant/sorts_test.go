package homeassistant

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// What does not tell it is no ground for "no door is open" or "no tv is on".
func TestOnlyWhatTellsItIsAsked(t *testing.T) {
	add := func(id, state, name, class string) wireState {
		return wireState{ID: id, State: state, Attributes: jsontext.Value(fmt.Sprintf(`{"friendly_name":%q,"device_class":%q}`, name, class))}
	}
	for name, c := range map[string]struct {
		states   []wireState
		question string
		want     string
	}{
		"a lock says nothing of it": {[]wireState{add("lock.back", "unlocked", "Back", "")}, "is any door open?", "- I know no such device or room"},
		"a sensor does":             {[]wireState{add("lock.back", "locked", "Back", ""), add("binary_sensor.side", "on", "Side Gate", "door")}, "is any door open?", "The side gate is open."},
		"all of them are closed":    {[]wireState{add("binary_sensor.side", "off", "Side Gate", "door"), add("cover.garage", "closed", "Car Port", "garage")}, "are any doors open?", "No door is open."},
		"a lock says that":          {[]wireState{add("lock.back", "unlocked", "Back", ""), add("binary_sensor.side", "on", "Side Gate", "door")}, "is any door unlocked?", "The back is unlocked."},
		"a radio is no tv":          {[]wireState{add("media_player.r", "off", "Radio", "speaker")}, "is the tv on?", "- I know no such device or room"},
		"this one is":               {[]wireState{add("media_player.r", "off", "Big Screen", "tv")}, "is the tv on?", "No tv is on."},
	} {
		t.Run(name, func(t *testing.T) {
			home := New(Config{Token: func() ask.BearerToken { return "" }, Now: time.Now, Zone: func() *time.Location { return time.UTC }})
			defer home.Close()
			home.house.fill(c.states, nil, nil)
			a, err := home.Read(t.Context(), ask.Question{Question: c.question})
			got := "- " + a.Reason
			if a.Answer != nil {
				got = *a.Answer
			}
			if err != nil || got != c.want {
				t.Errorf("%q: got %q, %v, want %q", c.question, got, err, c.want)
			}
		})
	}
}
