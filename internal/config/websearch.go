package config

import (
	"regexp"
	"strings"

	"github.com/askhub/askhub/internal/pattern"
)

// WebSearch is what the destination web_search asks.
type WebSearch struct {
	// URL is the SearXNG server's address with no slash at its end; empty where there is none.
	URL string `toml:"url"`
	// Language is that of the results, as SearXNG names it: "en", "de-AT".
	Language string `toml:"language"`
	// Latitude and Longitude are where the household lives, in degrees; HasHome says
	// whether they are given.
	Latitude  float64 `toml:"latitude"`
	Longitude float64 `toml:"longitude"`
	HasHome   bool    `toml:"-"`
	// Place is what people call it.
	Place string `toml:"place"`
	// WeatherURL is the Open-Meteo server's address; empty is the public one.
	WeatherURL string `toml:"weather_url"`
}

// Configured says whether there is anything to ask.
func (w WebSearch) Configured() bool { return w.URL != "" || w.HasHome }

var languageForm = pattern.Lazy(`^[a-z]{2,3}(-[A-Z]{2})?$`)

// maxPlace is the longest name of a place, in bytes.
const maxPlace = 60

// webSearch checks [web_search].
func (v *check) webSearch() {
	if _, set := v.at["web_search"]; !set {
		return
	}
	w := &v.c.WebSearch
	_, lat := v.at["web_search.latitude"]
	_, lon := v.at["web_search.longitude"]
	w.HasHome = lat && lon
	switch {
	case lat != lon:
		v.fault("web_search", "latitude and longitude go together; give both or neither")
	case !lat && w.URL == "":
		v.fault("web_search", "must have url (a SearXNG server), or latitude and longitude (for the weather), or both")
	}
	if !(w.Latitude >= -90 && w.Latitude <= 90) {
		v.fault("web_search.latitude", "must be degrees from -90 to 90, such as 53.8")
	}
	if !(w.Longitude >= -180 && w.Longitude <= 180) {
		v.fault("web_search.longitude", "must be degrees from -180 to 180, such as -1.55")
	}
	v.server("web_search.url", &w.URL, "the questions that are looked up")
	v.server("web_search.weather_url", &w.WeatherURL, "where the household lives")
	match := func(form func() *regexp.Regexp, s string) bool { return s == "" || form().MatchString(s) }
	if !match(languageForm, w.Language) {
		v.fault("web_search.language", `must be a language as SearXNG names it, like "en" or "de-AT"`)
	}
	if len(w.Place) > maxPlace || strings.ContainsFunc(w.Place, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		v.fault("web_search.place", "must be the name of a place, at most 60 characters long")
	}
	if w.Place != "" && !w.HasHome {
		v.fault("web_search.place", "goes with latitude and longitude; give them too, or take this line out")
	}
}

// server checks the address of a server that is optional, and takes the slash off its
// end. What goes there in the open is warned of.
func (v *check) server(field string, address *string, what string) {
	if _, set := v.at[field]; !set {
		return
	}
	*address = strings.TrimRight(*address, "/")
	u := v.address(field, *address)
	switch {
	case u == nil:
	case u.RawQuery != "" || u.ForceQuery:
		v.fault(field, "must have no query; askhub adds it itself")
	case u.Scheme == "http" && !Loopback(u.Hostname()):
		v.warn(field, "nothing encrypts "+what+" on the way to "+u.Hostname()+"; use https://, or a server on this machine")
	}
}
