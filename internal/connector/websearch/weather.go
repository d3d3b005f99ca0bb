package websearch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
)

// Forecast is the weather at home, in °C.
type Forecast struct {
	// Temperature is the one now, nil where it is not known; Sky is how it is in words,
	// such as "light rain", and may be empty.
	Temperature *float64
	Sky         string
	// Today is the date there, as "2006-01-02".
	Today string
	// Days are those of the forecast, in order. The first may be past, and some may be missing.
	Days []Day
}

// Day is the forecast of one day; what is not known is nil or empty.
type Day struct {
	// Date is as "2006-01-02".
	Date string
	Sky  string
	// Low and High are in °C, Rain is its chance in percent.
	Low, High, Rain *float64
}

// freshWeather is how long a forecast is taken for true.
const freshWeather = 15 * time.Minute

// weather says how it is and will be at home: as the house itself knows it, else as
// Open-Meteo does. Known is false where neither is asked or knows.
func (c *Connector) weather(ctx context.Context, when days) (a ask.Answer, known bool, err error) {
	place := ""
	if c.cfg.Home != nil {
		place = c.cfg.Home.Place
	}
	if sentence, ok := c.inHouse(when, place); ok {
		return ask.Say(sentence).Until(time.Now().Add(freshWeather)), true, nil
	}
	if c.cfg.Home == nil {
		return ask.Answer{}, false, nil
	}
	f, at, err := c.openMeteo(ctx)
	switch {
	case errors.Is(err, ErrBusy), errors.Is(err, ErrNoJSON):
		return ask.NoAnswer("The weather service wants fewer questions just now"), true, nil
	case err != nil:
		return ask.Answer{}, true, err
	}
	sentence, err := f.say(when, place)
	if err != nil {
		return ask.Answer{}, true, err
	}
	return ask.Say(sentence).Until(at.Add(freshWeather)), true, nil
}

// inHouse is the sentence by what the house knows. Where its forecast lacks today and
// nobody else is asked, how it is now has to do.
func (c *Connector) inHouse(when days, place string) (string, bool) {
	if c.cfg.House == nil {
		return "", false
	}
	f, ok := c.cfg.House()
	if !ok {
		return "", false
	}
	if sentence, err := f.say(when, place); err == nil {
		return sentence, true
	}
	now, ok := f.now()
	return "It is " + now + " now.", ok && c.cfg.Home == nil && when.today()
}

// CheckWeather asks Open-Meteo for the weather at home and says what is wrong.
func (c *Connector) CheckWeather(ctx context.Context) error {
	f, _, err := c.openMeteo(ctx)
	if err == nil {
		_, err = f.say(days{word: "today"}, "")
	}
	return err
}

// say is one sentence about those days.
func (f *Forecast) say(when days, place string) (string, error) {
	var said []string
	for _, d := range f.which(when) {
		day, ok := d.say()
		if !ok {
			return "", fmt.Errorf("%w: the forecast lacks a day", askclient.ErrNonsense)
		}
		if len(when.weekdays) > 1 {
			at, _ := time.Parse(time.DateOnly, d.Date)
			day = at.Weekday().String() + " " + day
		}
		said = append(said, day)
	}
	if len(said) == 0 {
		return "", fmt.Errorf("%w: the forecast lacks a day", askclient.ErrNonsense)
	}
	sentence := strings.Join(said, "; ")
	if len(when.weekdays) <= 1 {
		sentence = when.word + " " + sentence
	}
	if when.today() {
		if now, ok := f.now(); ok {
			sentence = "It is " + now + " now; " + sentence
		}
	}
	sentence = strings.ToUpper(sentence[:1]) + sentence[1:]
	if place != "" {
		sentence = "In " + place + ": " + strings.ToLower(sentence[:1]) + sentence[1:]
	}
	return sentence + ".", nil
}

// which are those days of the forecast.
func (f *Forecast) which(when days) []Day {
	today, err := time.Parse(time.DateOnly, f.Today)
	if err != nil {
		return nil
	}
	var found []Day
	for _, d := range f.Days {
		day, err := time.Parse(time.DateOnly, d.Date)
		switch {
		case err != nil || day.Before(today):
		case when.weekdays == nil && day.Equal(today.AddDate(0, 0, when.offset)):
			return []Day{d}
		case slices.Contains(when.weekdays, day.Weekday()) && len(found) < len(when.weekdays):
			found = append(found, d)
		}
	}
	return found
}

// now is how it is: "11 °C with cloud".
func (f *Forecast) now() (string, bool) {
	t := f.Temperature
	if t == nil || !plausible(*t) {
		return "", false
	}
	now := degrees(*t) + " °C"
	if f.Sky != "" {
		now += " with " + f.Sky
	}
	return now, true
}

// say is the forecast of one day: "9 to 14 °C with light rain, 60% chance of rain".
func (d Day) say() (string, bool) {
	if d.High == nil || d.Low == nil || !plausible(*d.High) || !plausible(*d.Low) {
		return "", false
	}
	said := degrees(*d.Low) + " to " + degrees(*d.High) + " °C"
	if d.Sky != "" {
		said += " with " + d.Sky
	}
	if d.Rain != nil && *d.Rain >= 0 && *d.Rain <= 100 {
		said += fmt.Sprintf(", %.0f%% chance of rain", *d.Rain)
	}
	return said, true
}

// plausible is a temperature that there is on Earth, in °C.
func plausible(t float64) bool { return t > -95 && t < 65 }

func degrees(t float64) string {
	return strconv.FormatFloat(math.Round(t)+0, 'f', 0, 64) // no "-0"
}
