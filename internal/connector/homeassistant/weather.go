package homeassistant

import (
	"context"
	"math"
	"sync"
	"time"
)

// Weather is the weather at home as Home Assistant has it, in °C.
type Weather struct {
	// Temperature is the one now, nil where it is not known; Sky is how it is in words,
	// such as "light rain", and may be empty.
	Temperature *float64
	Sky         string
	// Days are those of the forecast, in order.
	Days []WeatherDay
}

// WeatherDay is the forecast of one day; what is not known is nil or empty.
type WeatherDay struct {
	// Date is the day on the household's clock, as "2006-01-02".
	Date string
	Sky  string
	// Low and High are in °C, Rain is its chance in percent.
	Low, High, Rain *float64
}

// forecast is the latest one.
type forecast struct {
	mu    sync.Mutex
	items []wireForecast
}

// wireForecast is one time of a forecast.
type wireForecast struct {
	Time        string   `json:"datetime"`
	Condition   string   `json:"condition"`
	Temperature *float64 `json:"temperature"`
	Low         *float64 `json:"templow"`
	Rain        *float64 `json:"precipitation_probability"`
}

func (f *forecast) set(items []wireForecast) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = items
}

func (f *forecast) get() []wireForecast {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.items
}

// weatherHere is the entity that knows the weather at home: the one that the config names,
// else the first that there is.
func (c *Connector) weatherHere() (entity, bool) {
	if c.cfg.Weather != "" {
		return c.house.get(c.cfg.Weather)
	}
	all, _ := c.house.all()
	var first entity
	for _, e := range all {
		if e.domain() == "weather" && (first.ID == "" || e.ID < first.ID) {
			first = e
		}
	}
	return first, first.ID != ""
}

// kindsOfForecast are Home Assistant's, by the bit of supported_features that has each, the
// best first.
var kindsOfForecast = []struct {
	bit  int
	name string
}{{1, "daily"}, {4, "twice_daily"}, {2, "hourly"}}

// askForecast has Home Assistant send the forecast now and whenever it changes, where it
// does not do that yet. That reads, and calls no service.
func (c *Connector) askForecast(ctx context.Context, l *live) error {
	if l.forecast != 0 {
		return nil
	}
	e, ok := c.weatherHere()
	if !ok || e.State == "unavailable" {
		return nil
	}
	for _, kind := range kindsOfForecast {
		if e.Attributes.Features&kind.bit != 0 {
			l.id++
			l.forecast, l.weather, l.changed = l.id, e.ID, false
			return l.write(ctx, map[string]any{"id": l.id, "type": "weather/subscribe_forecast", "entity_id": e.ID, "forecast_type": kind.name})
		}
	}
	return nil
}

// takeForecast takes in what belongs to the forecast, and says whether m does.
func (c *Connector) takeForecast(ctx context.Context, l *live, m message) (taken bool, err error) {
	if m.ID == 0 || m.ID != l.forecast {
		return false, nil
	}
	switch m.Type {
	case "event":
		var f struct {
			Items []wireForecast `json:"forecast"`
		}
		if !isA(m.Event, &f) {
			f.Items = nil
		}
		c.forecast.set(f.Items)
	case "result":
		if m.Success {
			break
		}
		// It is asked for again when the entity changes, and that may have been meanwhile.
		if l.forecast = 0; l.changed {
			return true, c.askForecast(ctx, l)
		}
	}
	return true, nil
}

// weatherChanged is the state of a weather entity that has changed. One that goes takes the
// forecast with it.
func (c *Connector) weatherChanged(ctx context.Context, l *live, id string, now *wireState) error {
	if id == l.weather && (now == nil || now.State == "unavailable") {
		l.forecast, l.weather = 0, ""
		c.forecast.set(nil)
	}
	l.changed = true
	return c.askForecast(ctx, l)
}

// Weather is how it is and will be at home; false where Home Assistant does not know that
// just now.
func (c *Connector) Weather() (Weather, bool) {
	e, ok := c.weatherHere()
	if !ok || !e.answers() || !c.house.believed() {
		return Weather{}, false
	}
	celsius := func(t *float64) *float64 { return t }
	if e.Attributes.TemperatureUnit == "°F" {
		celsius = func(t *float64) *float64 {
			if t == nil {
				return nil
			}
			c := (*t - 32) / 1.8
			return &c
		}
	}
	return Weather{Temperature: celsius(e.Attributes.Temperature), Sky: skies[e.State], Days: days(c.forecast.get(), c.cfg.Zone(), celsius)}, true
}

// days joins what a forecast has of each day.
func days(items []wireForecast, zone *time.Location, celsius func(*float64) *float64) []WeatherDay {
	var list []WeatherDay
	var noon float64 // how far the list's last sky is from noon
	for _, f := range items {
		at, ok := moment(f.Time)
		if !ok {
			continue
		}
		at = at.In(zone)
		date, off := at.Format(time.DateOnly), math.Abs(float64(at.Hour()*60+at.Minute()-12*60))
		if n := len(list); n == 0 || list[n-1].Date != date {
			list = append(list, WeatherDay{Date: date})
			noon = math.Inf(1)
		}
		d := &list[len(list)-1]
		if sky := skies[f.Condition]; off < noon {
			d.Sky, noon = sky, off
		}
		temperature := celsius(f.Temperature)
		d.High = better(d.High, temperature, math.Max)
		d.Rain = better(d.Rain, f.Rain, math.Max)
		if low := celsius(f.Low); low != nil {
			d.Low = better(d.Low, low, math.Min)
		} else {
			d.Low = better(d.Low, temperature, math.Min)
		}
	}
	return list
}

// better is whichever of the two choose takes; one that is not known is no choice.
func better(a, b *float64, choose func(a, b float64) float64) *float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	c := choose(*a, *b)
	return &c
}

// skies are Home Assistant's conditions in words. What is windy or exceptional says nothing
// of the sky.
var skies = map[string]string{
	"clear-night": "clear sky", "sunny": "clear sky", "partlycloudy": "some cloud", "cloudy": "cloud", "fog": "fog", "rainy": "rain", "pouring": "heavy rain",
	"snowy": "snow", "snowy-rainy": "sleet", "hail": "hail", "lightning": "thunderstorms", "lightning-rainy": "thunderstorms", "windy": "wind", "windy-variant": "wind and cloud",
}
