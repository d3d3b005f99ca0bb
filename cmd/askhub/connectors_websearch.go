package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/homeassistant"
	"github.com/askhub/askhub/internal/connector/websearch"
	"github.com/askhub/askhub/internal/doctor"
)

// newWebSearch is the connector that the config describes. House is the weather as the house
// knows it, and may be nil.
func newWebSearch(w config.WebSearch, house func() (websearch.Forecast, bool), livesHere func(string) bool) *websearch.Connector {
	cfg := websearch.Config{URL: w.URL, Language: w.Language, WeatherURL: w.WeatherURL, House: house, LivesHere: livesHere}
	if w.HasHome {
		cfg.Home = &websearch.Home{Latitude: w.Latitude, Longitude: w.Longitude, Place: w.Place}
	}
	return websearch.New(cfg)
}

// looksUp is whether something can be looked up: Home Assistant knows the weather by itself.
func looksUp(cfg *config.Config) bool {
	return cfg.WebSearch.Configured() || cfg.HomeAssistant.Configured()
}

// weatherOf is the weather at home as Home Assistant knows it.
func weatherOf(home *homeassistant.Connector, zone func() *time.Location) func() (websearch.Forecast, bool) {
	return func() (websearch.Forecast, bool) {
		w, ok := home.Weather()
		f := websearch.Forecast{Temperature: w.Temperature, Sky: w.Sky, Today: time.Now().In(zone()).Format(time.DateOnly)}
		for _, d := range w.Days {
			f.Days = append(f.Days, websearch.Day(d))
		}
		return f, ok
	}
}

// checkedWebSearch asks both services something that says nothing of the household but
// where it is.
func checkedWebSearch() doctor.Connector {
	return doctor.Connector{
		Name:       webSearchName,
		Configured: looksUp,
		Check: func(ctx context.Context, cfg *config.Config, _ func(string) string) []doctor.Check {
			c := newWebSearch(cfg.WebSearch, nil, nil)
			defer c.Close()
			var checks []doctor.Check
			if cfg.WebSearch.URL != "" {
				failed, err := c.Check(ctx)
				checks = append(checks, searchCheck(failed, err))
			}
			if cfg.WebSearch.HasHome {
				checks = append(checks, weatherCheck(c.CheckWeather(ctx)))
			}
			return checks
		},
	}
}

func searchCheck(failed []string, err error) doctor.Check {
	const name = "web_search.url"
	switch {
	case err == nil && len(failed) == 0:
		return doctor.Check{Check: name, State: doctor.OK, What: "the search server answers"}
	case err == nil:
		return doctor.Check{
			Check: name, State: doctor.Warn, What: "the search server answers, and these engines of it do not: " + strings.Join(failed, ", "),
			Mend: "Look at its own page of preferences, and switch off the engines that do not answer there.",
		}
	case errors.Is(err, websearch.ErrNoJSON):
		return doctor.Check{Check: name, State: doctor.Fault, What: "the search server does not allow JSON", Mend: `Add json to "formats" under "search" in its settings.yml, and start it again.`}
	case errors.Is(err, websearch.ErrBusy):
		return doctor.Check{Check: name, State: doctor.Warn, What: "the search server wants fewer requests", Mend: "Switch its limiter off, or let this machine pass it."}
	default:
		return server{
			"the search server", name, "the address of a SearXNG server's own page, such as http://127.0.0.1:8888",
			"Start SearXNG, or mend web_search.url in askhub.toml; without a search server, take that line out.",
		}.fault(err)
	}
}

func weatherCheck(err error) doctor.Check {
	const name = "web_search.latitude"
	switch {
	case err == nil:
		return doctor.Check{Check: name, State: doctor.OK, What: "the weather service knows the weather at home"}
	case errors.Is(err, websearch.ErrBusy):
		return doctor.Check{Check: name, State: doctor.Warn, What: "the weather service wants fewer questions", Mend: "Wait; it counts them by the hour and the day."}
	case errors.Is(err, websearch.ErrNoJSON):
		return doctor.Check{Check: name, State: doctor.Fault, What: "the weather service does not let this machine ask", Mend: "Name another Open-Meteo server by web_search.weather_url in askhub.toml, or see what refuses it on the way."}
	default:
		return server{
			"the weather service", "web_search.weather_url", "the address of an Open-Meteo server; without that line the public one is asked",
			"See that this machine reaches the internet; a server of your own is named by web_search.weather_url in askhub.toml.",
		}.fault(err)
	}
}
