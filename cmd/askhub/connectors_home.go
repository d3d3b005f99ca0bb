package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/homeassistant"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/secrets"
)

// newHomeAssistant is the connector that the config describes.
func newHomeAssistant(cfg *config.Config, token func() ask.BearerToken, zone func() *time.Location, happened func(int), log *slog.Logger) *homeassistant.Connector {
	h := cfg.HomeAssistant
	calendars := map[string][]string{}
	for _, c := range h.Calendars {
		calendars[c.Person] = append(calendars[c.Person], c.Entities...)
	}
	return homeassistant.New(homeassistant.Config{
		URL: h.URL, Token: token, Allow: h.Allow, Deny: h.Deny, Language: h.Language, Calendars: calendars, Now: time.Now, Zone: zone, Log: log,
		Weather: h.Weather, Watch: watches(h.Events), Happened: happened,
	})
}

// openHome puts Home Assistant among the destinations. A changed token takes effect at the
// next use.
func (s *connectorSet) openHome(cfg *config.Config, rules *ruleBook, tokens *secrets.Secrets, log *slog.Logger) {
	name := cfg.HomeAssistant.TokenEnv
	token := func() ask.BearerToken {
		t, _ := tokens.Named(name)
		return ask.BearerToken(t)
	}
	if token() == "" {
		log.Warn("Home Assistant's access token is nowhere to be found; put it into the secrets file", "missing", name)
	}
	s.events = newEventTeller(cfg.HomeAssistant.Events, rules.household, log)
	zone := func() *time.Location { return rules.household().Zone() }
	c := newHomeAssistant(cfg, token, zone, s.events.happened, log)
	s.add(homeName, c, c.Close)
	s.weather = weatherOf(c, zone)
	s.runs = append(s.runs, c.Run)
	s.openSpeakers(cfg, token, rules)
}

// checkedHome looks at the running Home Assistant: whether it takes the token, and what it
// has that may be acted on.
func checkedHome() doctor.Connector {
	return doctor.Connector{
		Name:       homeName,
		Configured: func(cfg *config.Config) bool { return cfg.HomeAssistant.Configured() },
		Check: func(ctx context.Context, cfg *config.Config, secret func(string) string) []doctor.Check {
			name := cfg.HomeAssistant.TokenEnv
			token := secret(name)
			if token == "" {
				return []doctor.Check{{
					Check: "home_assistant.token_env", State: doctor.Fault, What: "its secret " + name + " is missing",
					Mend: "Make a long-lived access token in Home Assistant (your profile, Security), and put the line " + name + "=… into " + cfg.Secrets + ".",
				}}
			}
			c := newHomeAssistant(cfg, func() ask.BearerToken { return ask.BearerToken(token) }, func() *time.Location { return time.Local }, nil, slog.New(slog.DiscardHandler))
			defer c.Close()
			found, err := c.Check(ctx)
			checks := homeChecks(found, err)
			if err == nil {
				checks = append(checks, homeCalendarChecks(cfg)...)
				checks = append(checks, eventChecks(cfg, found)...)
			}
			if w := cfg.HomeAssistant.Weather; err == nil && w != "" && found.Weather == "" {
				checks = append(checks, doctor.Check{
					Check: "home_assistant.weather", State: doctor.Warn, What: "Home Assistant has no " + w,
					Mend: "Look for a misspelling, or take the line out: then it is the first weather that there is.",
				})
			}
			return checks
		},
	}
}

func homeChecks(f homeassistant.Found, err error) []doctor.Check {
	switch {
	case errors.Is(err, homeassistant.ErrToken):
		return []doctor.Check{{
			Check: "home_assistant.token_env", State: doctor.Fault, What: "Home Assistant does not take the token",
			Mend: "Make a new long-lived access token in Home Assistant (your profile, Security), and put it into the secrets file, as the line of home_assistant.token_env.",
		}}
	case err != nil:
		return []doctor.Check{server{
			"Home Assistant", "home_assistant.url", "what a browser shows for its first page, such as http://homeassistant.local:8123",
			"Start Home Assistant, wait until its page opens in a browser, and run \"askhub doctor\" again; or mend home_assistant.url in askhub.toml.",
		}.fault(err)}
	}
	what := fmt.Sprintf("Home Assistant answers; of its %d entities askhub may act on %d", f.Entities, f.MayAct)
	if len(f.Never) > 0 {
		what += fmt.Sprintf(", and never acts on %d that carry parental control or the way to the internet: %s", len(f.Never), strings.Join(f.Never[:min(len(f.Never), 5)], ", "))
	}
	if f.Weather != "" {
		what += "; the weather is that of " + f.Weather
	}
	checks := []doctor.Check{{Check: "home_assistant", State: doctor.OK, What: what}}
	if len(f.Barred) > 0 {
		checks = append(checks, doctor.Check{
			Check: "home_assistant.allow", State: doctor.Fault, What: "these carry parental control or the way to the internet, and are never acted on: " + strings.Join(f.Barred, ", "),
			Mend: "Take them out of allow; internet limits are changed in the admin app.",
		})
	}
	if len(f.Missing) > 0 {
		checks = append(checks, doctor.Check{
			Check: "home_assistant.allow", State: doctor.Warn, What: "Home Assistant has none of these: " + strings.Join(f.Missing, ", "),
			Mend: "Look for a misspelling in allow, deny and calendars, or for an entity that was renamed.",
		})
	}
	return checks
}

// homeCalendarChecks are the calendars that nobody has, since people.toml calls nobody so.
func homeCalendarChecks(cfg *config.Config) []doctor.Check {
	house, err := loadPeople(cfg)
	if err != nil {
		return nil
	}
	var checks []doctor.Check
	for i, c := range cfg.HomeAssistant.Calendars {
		check := fmt.Sprintf("home_assistant.calendars[%d].person", i)
		switch p, ok := house.Find(c.Person); {
		case !ok:
			checks = append(checks, doctor.Check{
				Check: check, State: doctor.Fault, What: "people.toml names nobody who is called " + c.Person + ", so these calendars are nobody's",
				Mend: "Write the name of people.toml whose they are.",
			})
		case string(p.Name) != c.Person:
			checks = append(checks, doctor.Check{
				Check: check, State: doctor.Fault, What: c.Person + " is called " + string(p.Name) + " in people.toml, and has these calendars under that name only",
				Mend: fmt.Sprintf("Write person = %q.", p.Name),
			})
		}
	}
	return checks
}
