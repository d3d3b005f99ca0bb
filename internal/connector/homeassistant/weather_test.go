package homeassistant

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// weather is the weather as one line.
func (h *tried) weather() string {
	w, ok := h.c.Weather()
	if !ok {
		return "none"
	}
	number := func(n *float64) string {
		if n == nil {
			return "?"
		}
		return fmt.Sprintf("%.0f", *n)
	}
	said := number(w.Temperature) + " " + w.Sky
	for _, d := range w.Days {
		said += fmt.Sprintf("; %s %s %s-%s %s%%", d.Date, d.Sky, number(d.Low), number(d.High), number(d.Rain))
	}
	return said
}

// weatherIs waits until the weather is that, for it comes a moment after the states.
func (h *tried) weatherIs(want string) {
	h.t.Helper()
	for end := time.Now().Add(30 * time.Second); h.weather() != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatalf("the weather is %q, want %q", h.weather(), want)
		}
	}
}

func weatherState(id, state, unit string, temperature float64, features int) string {
	return fmt.Sprintf(`{"entity_id":%q,"state":%q,"attributes":{"temperature":%g,"temperature_unit":%q,"supported_features":%d}}`, id, state, temperature, unit, features)
}

// only takes the recorded house's weather away and puts this in.
func (r *replay) only(states ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id := range r.states {
		if strings.HasPrefix(id, "weather.") {
			delete(r.states, id)
		}
	}
	r.add(states...)
}

func TestTheWeatherIsWhatHomeAssistantForecasts(t *testing.T) {
	for _, c := range []struct {
		name, state, kind, items, want string
	}{
		{
			"by the day", weatherState("weather.home", "partlycloudy", "°C", 11.4, 1), "daily",
			`[{"datetime":"2026-12-01T12:00:00+00:00","condition":"rainy","temperature":9.2,"templow":3,"precipitation_probability":60},
			{"datetime":"2026-12-02T12:00:00+00:00","condition":"exceptional","temperature":8}]`,
			"11 some cloud; 2026-12-01 rain 3-9 60%; 2026-12-02  8-8 ?%",
		},
		{
			"in °F", weatherState("weather.home", "sunny", "°F", 50, 1), "daily",
			`[{"datetime":"2026-12-01T12:00:00+00:00","condition":"snowy","temperature":41,"templow":14,"precipitation_probability":0}]`,
			"10 clear sky; 2026-12-01 snow -10-5 0%",
		},
		{
			"by day and night", weatherState("weather.home", "cloudy", "°C", 5, 6), "twice_daily",
			`[{"datetime":"2026-12-01T06:00:00+00:00","condition":"fog","temperature":9,"is_daytime":true,"precipitation_probability":10},
			{"datetime":"2026-12-01T18:00:00+00:00","condition":"pouring","temperature":2,"is_daytime":false,"precipitation_probability":90}]`,
			"5 cloud; 2026-12-01 fog 2-9 90%",
		},
		{
			"by the hour", weatherState("weather.home", "clear-night", "°C", 5, 2), "hourly",
			`[{"datetime":"2026-12-01T23:00:00+00:00","condition":"fog","temperature":1},{"datetime":"2026-12-02T11:00:00+00:00","condition":"hail","temperature":4},
			{"datetime":"2026-12-02T23:30:00+00:00","condition":"fog","temperature":-2},{"datetime":"what","temperature":99}]`,
			"5 clear sky; 2026-12-01 fog 1-1 ?%; 2026-12-02 hail -2-4 ?%",
		},
		{"none yet", weatherState("weather.home", "cloudy", "°C", 5, 1), "daily", "null", "5 cloud"},
		{"of another shape", weatherState("weather.home", "cloudy", "°C", 5, 1), "daily", `["x"]`, "5 cloud"},
		{"not at all", weatherState("weather.home", "cloudy", "°C", 5, 0), "daily", "null", "5 cloud"},
		{"it is not known", weatherState("weather.home", "unavailable", "°C", 5, 1), "daily", "null", "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newReplay(t)
			r.only(c.state)
			r.forecasts = map[string]string{c.kind: c.items}
			connect(t, r.config()).weatherIs(c.want)
		})
	}
}

func TestTheWeatherAtHomeIsTheEntityThatIsNamedOrTheFirst(t *testing.T) {
	r := newReplay(t)
	r.only(weatherState("weather.b", "fog", "°C", 2, 0), weatherState("weather.a", "rainy", "°C", 1, 0))
	cfg := r.config()
	connect(t, cfg).weatherIs("1 rain")
	cfg.Weather = "weather.b"
	connect(t, cfg).weatherIs("2 fog")
	cfg.Weather = "weather.c"
	connect(t, cfg).weatherIs("none")
	r.only()
	connect(t, r.config()).weatherIs("none")
}

// TestTheForecastIsFollowed has the weather's integration come late, change, go and come
// back, and Home Assistant go away.
func TestTheForecastIsFollowed(t *testing.T) {
	r := newReplay(t)
	r.only(weatherState("weather.home", "unavailable", "°C", 5, 1))
	h := connect(t, r.config())
	h.weatherIs("none")
	change := func(state string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.change([]byte(state))
	}
	forecast := func(high int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.forecasts = map[string]string{"daily": fmt.Sprintf(`[{"datetime":"2026-12-01T12:00:00+00:00","condition":"sunny","temperature":%d,"templow":0}]`, high)}
	}
	// Its state is there before its forecast can be asked for.
	change(weatherState("weather.home", "cloudy", "°C", 5, 1))
	h.weatherIs("5 cloud")
	forecast(7)
	change(weatherState("weather.home", "rainy", "°C", 6, 1))
	h.weatherIs("6 rain; 2026-12-01 clear sky 0-7 ?%")
	change(weatherState("weather.home", "unavailable", "°C", 6, 1))
	h.weatherIs("none")
	forecast(8)
	change(weatherState("weather.home", "rainy", "°C", 6, 1))
	h.weatherIs("6 rain; 2026-12-01 clear sky 0-8 ?%")
	forecast(9)
	r.drop()
	h.weatherIs("6 rain; 2026-12-01 clear sky 0-9 ?%")
	r.Close()
	r.drop()
	h.weatherIs("none")
	if len(r.calls) > 0 || len(r.told) > 0 {
		t.Errorf("asking for the weather called %q and told %q", r.calls, r.told)
	}
}

// TestAForecastThatComesWhileItIsRefusedIsAskedForAgain has the weather change, and its
// forecast come, between the question for that and the refusal.
func TestAForecastThatComesWhileItIsRefusedIsAskedForAgain(t *testing.T) {
	r := newReplay(t)
	r.only(weatherState("weather.home", "cloudy", "°C", 5, 1))
	r.refusing = func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.refusing = nil
		r.forecasts = map[string]string{"daily": `[{"datetime":"2026-12-01T12:00:00+00:00","condition":"sunny","temperature":7,"templow":0}]`}
		r.change([]byte(weatherState("weather.home", "rainy", "°C", 6, 1)))
	}
	connect(t, r.config()).weatherIs("6 rain; 2026-12-01 clear sky 0-7 ?%")
}
