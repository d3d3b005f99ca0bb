package homeassistant

import (
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
)

// service calls a service of a real Home Assistant, as a device or a person does there.
func (h *tried) service(path, body string) {
	h.t.Helper()
	if err := h.c.client.Call(h.t.Context(), http.MethodPost, "/api/services/"+path, []byte(body), nil); err != nil {
		h.t.Fatalf("%s: %v", path, err)
	}
}

// realHome are the settings that reach the Home Assistant that ./test homeassistant starts.
func realHome(t *testing.T) Config {
	t.Helper()
	address, token := os.Getenv("ASKHUB_TEST_HOMEASSISTANT_URL"), os.Getenv("ASKHUB_TEST_HOMEASSISTANT_TOKEN")
	if address == "" {
		t.Skip("Home Assistant is not running for this test")
	}
	return Config{URL: address, Token: func() ask.BearerToken { return ask.BearerToken(token) }}
}

// TestARealHomeTellsWhatHappens presses the demo's button, lets timers run and cancels one.
func TestARealHomeTellsWhatHappens(t *testing.T) {
	cfg := realHome(t)
	told := make(rung, 100)
	cfg.Watch = []Watch{
		{Entity: "event.push_button_press"},
		{Entity: "event.push_button_press", Type: "held"},
		{Event: "demo_button_pressed"},
		{Entity: "timer.laundry"},
		{Entity: "timer.kitchen"},
		{Entity: "binary_sensor.movement_backyard"},
	}
	cfg.Happened = func(i int) { told <- i }
	h := connect(t, cfg)
	next := func(n int) []int {
		t.Helper()
		var got []int
		for range n {
			select {
			case i := <-told:
				got = append(got, i)
			case <-time.After(20 * time.Second):
				t.Fatalf("only %v was told", got)
			}
		}
		slices.Sort(got)
		return got
	}
	f, err := New(h.c.cfg).Check(t.Context())
	if err != nil || len(f.Unheard) > 0 || len(f.Refused) > 0 {
		t.Fatalf("found %+v, %v", f, err)
	}
	l, err := h.c.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.end()
	if !l.clock {
		t.Error("Home Assistant does not say what its clock says")
	}
	for range 2 {
		h.service("button/press", `{"entity_id":"button.push"}`)
		if got := next(2); !slices.Equal(got, []int{0, 2}) {
			t.Errorf("a press told %v", got)
		}
	}
	h.service("timer/start", `{"entity_id":"timer.kitchen","duration":"00:05:00"}`)
	h.service("timer/cancel", `{"entity_id":"timer.kitchen"}`)
	h.service("timer/start", `{"entity_id":"timer.laundry","duration":"00:00:01"}`)
	if got := next(1); !slices.Equal(got, []int{3}) {
		t.Errorf("the timers told %v", got)
	}
	// One that is ended by hand is over too.
	h.service("timer/start", `{"entity_id":"timer.kitchen","duration":"00:05:00"}`)
	h.service("timer/finish", `{"entity_id":"timer.kitchen"}`)
	if got := next(1); !slices.Equal(got, []int{4}) {
		t.Errorf("the timer that was ended told %v", got)
	}
	// The demo is loaded anew: the event entity goes, and comes back with its last event.
	h.service("homeassistant/reload_config_entry", `{"entity_id":"event.push_button_press"}`)
	h.service("button/press", `{"entity_id":"button.push"}`)
	if got := next(2); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("after it was loaded anew a press told %v", got)
	}
}

// TestARealHomeForecastsTheWeather reads the demo's weather in the south by the day, and in
// the north, where its first weather is.
func TestARealHomeForecastsTheWeather(t *testing.T) {
	for name, temperature := range map[string]float64{"weather.demo_weather_south": 21.6, "": -24.4} {
		cfg := realHome(t)
		cfg.Weather = name
		h := connect(t, cfg)
		var w Weather
		for end := time.Now().Add(20 * time.Second); len(w.Days) == 0; time.Sleep(5 * time.Millisecond) {
			if w, _ = h.c.Weather(); time.Now().After(end) {
				t.Fatalf("there is no forecast: %+v", w)
			}
		}
		if w.Temperature == nil || *w.Temperature != temperature || w.Sky == "" || len(w.Days) != 7 {
			t.Errorf("%q: the weather is %+v", name, w)
		}
		for i, d := range w.Days {
			if want := time.Now().UTC().AddDate(0, 0, i).Format(time.DateOnly); d.Date != want || d.Sky == "" || d.Low == nil || d.High == nil || *d.Low > *d.High || d.Rain == nil {
				t.Errorf("%q: day %d is %+v, want it to be of %s", name, i, d, want)
			}
		}
	}
}
