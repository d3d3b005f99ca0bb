package homeassistant

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
)

// Whatever comes over the WebSocket, it is outlived, nothing is told that is not watched, and
// what a person hears afterwards is one safe sentence, a reason or an error.
func FuzzWhatComesIsOutlived(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"type":"event","event":{"event_type":"state_changed","time_fired":"2026-11-30T22:10:00Z","data":{"entity_id":"light.lamp","old_state":null,"new_state":{"entity_id":"light.lamp","state":"on","attributes":{"friendly_name":"Lamp","brightness":1e308,"supported_features":-1,"entity_id":["light.lamp"]}}}}}`,
		`{"id":1,"type":"event","event":{"event_type":"state_changed","time_fired":"2026-11-30T22:10:00Z","data":{"entity_id":"event.door","old_state":{"entity_id":"event.door","state":"x"},"new_state":{"entity_id":"event.door","state":"2026-11-30T22:10:00Z","attributes":{"event_type":"ring"}}}}}`,
		`{"id":1,"type":"event","event":{"event_type":"state_changed","time_fired":"2026-11-30T22:10:00Z","data":{"entity_id":"timer.tea","old_state":{"entity_id":"timer.tea","state":"active","attributes":{"finishes_at":"2026-11-30T22:10:00Z"}},"new_state":{"entity_id":"timer.tea","state":"idle"}}}}`,
		`{"id":1,"type":"event","event":{"event_type":"knock","time_fired":"2026-11-30T22:10:00Z","data":[]}}`,
		`{"id":7,"type":"event","event":{"type":"daily","forecast":[{"datetime":"2026-12-01T12:00:00+00:00","condition":"rainy","temperature":1e300,"templow":-4,"precipitation_probability":900}]}}`,
		`{"id":1,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"weather.home","new_state":{"entity_id":"weather.home","state":"sunny","attributes":{"supported_features":7,"temperature":"warm","temperature_unit":"°F"}}}}}`,
		`{"id":7,"type":"result","success":false}`, `null`, `[]`,
	} {
		f.Add(s)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		for err == nil {
			_, _, err = conn.Read(context.Background())
		}
	}))
	f.Cleanup(s.Close)
	conn, _, err := websocket.Dial(f.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = conn.CloseNow() })
	now := time.Date(2026, 11, 30, 22, 10, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		var told []int
		c := New(Config{
			Watch: []Watch{{Entity: "event.door"}, {Entity: "timer.tea"}, {Event: "knock"}}, Happened: func(i int) { told = append(told, i) },
			Now: func() time.Time { return now }, Zone: func() *time.Location { return time.UTC }, Log: slog.New(slog.DiscardHandler),
			Token: func() ask.BearerToken { return "" }, URL: "http://127.0.0.1:1",
		})
		c.house.fill(nil, nil, nil)
		var m message
		if json.Unmarshal([]byte(text), &m) != nil {
			return
		}
		h, ok := m.happening()
		if ok && h.isRegistry() {
			return // asks for the registries, which nobody here has
		}
		_ = c.take(t.Context(), &live{conn: conn, forecast: 7, weather: "weather.home"}, m)
		if len(told) > 1 || len(told) == 1 && !ok {
			t.Fatalf("%q told %v", text, told)
		}
		if w, ok := c.Weather(); ok {
			for _, d := range w.Days {
				if _, err := time.Parse(time.DateOnly, d.Date); err != nil {
					t.Fatalf("%q makes a day of %q", text, d.Date)
				}
			}
		}
		anything := func(entity) want { return want{} }
		all, _ := c.house.all()
		for _, e := range all {
			for _, a := range []ask.Answer{sayStates([]string{"is"}, []entity{e}), sayDone(anything, []entity{e}, nil, nil), sayDone(anything, nil, []entity{e}, []entity{e})} {
				if a.Answer != nil && ask.CheckSentence(*a.Answer, true) != nil || a.Answer == nil && ask.CheckSafe(a.Reason) != nil {
					t.Fatalf("%q is said as %+v", text, a)
				}
			}
		}
	})
}
