package websearch

import (
	"context"
	"net/url"
	"strconv"
	"time"
)

// openMeteoReply is Open-Meteo's reply, as far as it is read.
type openMeteoReply struct {
	Current struct {
		Temperature *float64 `json:"temperature_2m"`
		Code        *int     `json:"weather_code"`
	} `json:"current"`
	Daily struct {
		Time []string   `json:"time"`
		Code []*int     `json:"weather_code"`
		Max  []*float64 `json:"temperature_2m_max"`
		Min  []*float64 `json:"temperature_2m_min"`
		Rain []*float64 `json:"precipitation_probability_max"`
	} `json:"daily"`
}

// forecastDays is how far ahead is asked: each weekday once, and today's again.
const forecastDays = 8

// openMeteo asks Open-Meteo, and says when.
func (c *Connector) openMeteo(ctx context.Context) (Forecast, time.Time, error) {
	at := time.Now()
	// About a kilometre is near enough for weather, and does not say which house.
	round := func(degrees float64) string { return strconv.FormatFloat(degrees, 'f', 2, 64) }
	v := url.Values{
		"latitude": {round(c.cfg.Home.Latitude)}, "longitude": {round(c.cfg.Home.Longitude)},
		"current":       {"temperature_2m,weather_code"},
		"daily":         {"weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max"},
		"forecast_days": {strconv.Itoa(forecastDays)}, "timezone": {"auto"},
	}
	var r openMeteoReply
	err := c.get(ctx, c.cfg.WeatherURL+"/v1/forecast?"+v.Encode(), &r)
	return r.forecast(), at, err
}

// forecast is the reply in our words. Its first day is today, on the clock of the place.
func (r *openMeteoReply) forecast() Forecast {
	f := Forecast{Temperature: r.Current.Temperature, Sky: skyOf(r.Current.Code)}
	for i, date := range r.Daily.Time {
		d := Day{Date: date, Low: at(r.Daily.Min, i), High: at(r.Daily.Max, i), Rain: at(r.Daily.Rain, i)}
		if i < len(r.Daily.Code) {
			d.Sky = skyOf(r.Daily.Code[i])
		}
		f.Days = append(f.Days, d)
	}
	if len(f.Days) > 0 {
		f.Today = f.Days[0].Date
	}
	return f
}

// at is one of a list that may be shorter than its dates.
func at(list []*float64, i int) *float64 {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// skyOf is what a weather code (WMO 4677) means; "" where it is none.
func skyOf(code *int) string {
	if code == nil {
		return ""
	}
	switch *code {
	case 0:
		return "clear sky"
	case 1, 2:
		return "some cloud"
	case 3:
		return "cloud"
	case 45, 48:
		return "fog"
	case 51, 53, 55:
		return "drizzle"
	case 56, 57, 66, 67:
		return "freezing rain"
	case 61:
		return "light rain"
	case 63:
		return "rain"
	case 65:
		return "heavy rain"
	case 71, 73, 75, 77:
		return "snow"
	case 80, 81:
		return "showers"
	case 82:
		return "heavy showers"
	case 85, 86:
		return "snow showers"
	case 95, 96, 99:
		return "thunderstorms"
	}
	return ""
}
