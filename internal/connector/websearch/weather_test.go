package websearch

import (
	"errors"
	"net/http"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

func degree(t float64) *float64 { return &t }

// inside is a stand-in for what Home Assistant knows, on a Monday.
func inside() (Forecast, bool) {
	return Forecast{
		Temperature: degree(4.4), Sky: "some cloud", Today: "2026-11-30",
		Days: []Day{
			{Date: "2026-11-29", Low: degree(30), High: degree(31)},
			{Date: "2026-11-30", Low: degree(2), High: degree(7), Sky: "sleet", Rain: degree(70)},
			{Date: "2026-12-01", Low: degree(-3), High: degree(-0.2), Sky: "snow"},
			{Date: "2026-12-05", Low: degree(1), High: degree(5)},
		},
	}, true
}

func TestTheHousesOwnWeatherIsSaidInTheSameWords(t *testing.T) {
	outside, asked := server(t, http.StatusOK, weekOfWeather)
	search, searched := server(t, http.StatusOK, `{"answers":["42"]}`)
	home := &Home{Place: "Leeds"}
	none := func() (Forecast, bool) { return Forecast{}, false }
	onlyNow := func() (Forecast, bool) { return Forecast{Temperature: degree(4.4), Today: "2026-11-30"}, true }
	for _, c := range []struct {
		name, question string
		cfg            Config
		want           string
		asks, searches int
	}{
		{"today", "what's the weather like?", Config{House: inside}, "It is 4 °C with some cloud now; today 2 to 7 °C with sleet, 70% chance of rain.", 0, 0},
		{"another day", "will it snow tomorrow?", Config{House: inside, URL: search}, "Tomorrow -3 to 0 °C with snow.", 0, 0},
		{"a place", "will it snow tomorrow?", Config{House: inside, Home: home, WeatherURL: outside}, "In Leeds: tomorrow -3 to 0 °C with snow.", 0, 0},
		{"a weekday", "how cold will it be on Saturday?", Config{House: inside}, "On Saturday 1 to 5 °C.", 0, 0},
		{"a day that it does not know", "will it rain on Friday?", Config{House: inside, Home: home, WeatherURL: outside}, "In Leeds: on Friday -6 to -1 °C with snow, 20% chance of rain.", 1, 0},
		{"the same, and nobody else", "will it rain on Friday?", Config{House: inside}, "no answer: The weather at home is not known just now", 0, 0},
		{"no forecast", "do I need an umbrella?", Config{House: onlyNow}, "It is 4 °C now.", 0, 0},
		{"no forecast, and somebody else", "will it rain today?", Config{House: onlyNow, Home: home, WeatherURL: outside}, "In Leeds: it is 0 °C with cloud now; today 1 to 9 °C with light rain, 80% chance of rain.", 1, 0},
		{"no forecast, and another day", "will it rain tomorrow?", Config{House: onlyNow}, "no answer: The weather at home is not known just now", 0, 0},
		{"no house", "will it rain tomorrow?", Config{House: none, Home: home, WeatherURL: outside}, "In Leeds: tomorrow 2 to 9 °C with clear sky, 0% chance of rain.", 1, 0},
		{"nobody", "will it rain tomorrow?", Config{House: none}, "no answer: The weather at home is not known just now", 0, 0},
		{"nobody but the search", "will it rain tomorrow?", Config{House: none, URL: search}, `The search says: "42".`, 0, 1},
	} {
		*asked, *searched = nil, nil
		got, err := lookUp(t, New(c.cfg), c.question)
		if err != nil || said(got) != c.want || len(*asked) != c.asks || len(*searched) != c.searches {
			t.Errorf("%s: got %q, %v after %d and %d requests; want %q", c.name, said(got), err, len(*asked), len(*searched), c.want)
		}
		if got.Answer != nil && ask.CheckSentence(*got.Answer, false) != nil {
			t.Errorf("%s: %q: %v", c.name, *got.Answer, ask.CheckSentence(*got.Answer, false))
		}
	}
}

func TestWithTheHousesWeatherAloneNothingIsSearchedFor(t *testing.T) {
	if _, err := lookUp(t, New(Config{House: inside}), "who is Ada Lovelace?"); !errors.Is(err, dispatch.ErrNotConfigured) {
		t.Errorf("got %v", err)
	}
}
