package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/doctor"
)

// A media player that cannot announce stops what it plays when something is said there.
func TestTheDoctorNamesPlayersThatCannotAnnounce(t *testing.T) {
	for name, c := range map[string]struct {
		attributes string
		state      doctor.State
	}{
		"it can":            {`{"supported_features":1048577}`, doctor.OK},
		"it cannot":         {`{"supported_features":512}`, doctor.Warn},
		"it does not say":   {`{}`, doctor.Warn},
		"it says something": {`{"supported_features":"many"}`, doctor.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet {
					t.Errorf("it called %s %s", r.Method, r.URL)
				}
				_, _ = w.Write([]byte(`{"state":"idle","attributes":` + c.attributes + `}`))
			}))
			defer s.Close()
			cfg := &config.Config{}
			cfg.HomeAssistant.URL, cfg.Speakers.TTS = s.URL, "tts.piper"
			cfg.Speakers.Rooms = []config.SpeakerRoom{{Name: "kitchen", Satellite: "assist_satellite.kitchen"}, {Name: "hall", MediaPlayer: "media_player.hall"}}
			got := checkedSpeakers().Check(t.Context(), cfg, func(string) string { return "token" })
			if len(got) != 1 || got[0].State != c.state || (c.state == doctor.Warn) != strings.Contains(got[0].What, "the media player of hall does not") {
				t.Errorf("got %+v", got)
			}
		})
	}
}
