package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/speakers"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/notify/target"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/timers"
)

// newSpeakers is the connector that the config describes.
func newSpeakers(cfg *config.Config, token func() ask.BearerToken, zone func() *time.Location) *speakers.Connector {
	c := speakers.Config{URL: cfg.HomeAssistant.URL, Token: token, TTS: cfg.Speakers.TTS, Now: time.Now}
	for _, r := range cfg.Speakers.Rooms {
		c.Rooms = append(c.Rooms, speakers.Room{Name: r.Name, Satellite: r.Satellite, MediaPlayer: r.MediaPlayer})
	}
	from, to := cfg.Speakers.QuietHours()
	quiet := people.Quiet{From: from, To: to}
	c.Quiet = func(now time.Time) bool { return quiet.Holds(now.In(zone())) }
	return speakers.New(c)
}

// openSpeakers puts the speakers among the destinations, and has timers told by them.
func (s *connectorSet) openSpeakers(cfg *config.Config, token func() ask.BearerToken, rules *ruleBook) {
	if len(cfg.Speakers.Rooms) == 0 {
		return
	}
	c := newSpeakers(cfg, token, func() *time.Location { return rules.household().Zone() })
	s.add(speakersName, c, c.Close)
	s.quiet = c.Quiet
	s.speech = target.OncePerRoom(roomSpeech{c}, time.Now)
	s.tellers = append(s.tellers, func(ctx context.Context, t timers.Timer, message string) (bool, error) {
		// What somebody set in this room is said here, in quiet hours too; a reminder for
		// somebody else is theirs to hear.
		if !c.Has(t.Room) || t.Reminder && t.Person != ask.Person(t.Asker) {
			return false, nil
		}
		err := c.Announce(ctx, t.Room, message)
		return err == nil, err
	})
}

// roomSpeech says notices in the rooms.
type roomSpeech struct{ *speakers.Connector }

// Speak implements notify.Speaker.
func (r roomSpeech) Speak(ctx context.Context, room, sentence string) error {
	switch err := r.Connector.Speak(ctx, room, sentence); {
	case err == nil:
		return nil
	case errors.Is(err, speakers.ErrUnfit):
		return notify.Hopeless("it is too long to be said aloud, or no voice may say it")
	case errors.Is(err, speakers.ErrSilent):
		return notify.Retry("the speaker in the " + room + " did not answer")
	case errors.Is(err, speakers.ErrNoVoice):
		return notify.Retry("speakers.tts, which makes the speech, is not there in Home Assistant")
	case errors.Is(err, askclient.ErrRefused):
		return notify.Retry("Home Assistant does not take the token")
	default:
		return notify.Retry("Home Assistant did not answer, which speaks in the " + room)
	}
}

// checkedSpeakers looks whether each room's speaker is there.
func checkedSpeakers() doctor.Connector {
	const name = "speakers.rooms"
	return doctor.Connector{
		Name:       speakersName,
		Configured: func(cfg *config.Config) bool { return len(cfg.Speakers.Rooms) > 0 },
		Check: func(ctx context.Context, cfg *config.Config, secret func(string) string) []doctor.Check {
			token := ask.BearerToken(secret(cfg.HomeAssistant.TokenEnv))
			c := newSpeakers(cfg, func() ask.BearerToken { return token }, func() *time.Location { return time.Local })
			defer c.Close()
			silent, err := c.Silent(ctx)
			switch {
			case err != nil:
				return []doctor.Check{{Check: name, State: doctor.Warn, What: "Home Assistant does not say whether the speakers are there", Mend: "Mend what stands under home_assistant first; it is asked about them."}}
			case len(silent) > 0:
				return []doctor.Check{{
					Check: name, State: doctor.Warn, What: "no speaker answers in " + strings.Join(silent, ", "),
					Mend: "Switch it on, or mend its entity in askhub.toml.",
				}}
			}
			if errors.Is(c.Voice(ctx), speakers.ErrNoVoice) {
				return []doctor.Check{{
					Check: "speakers.tts", State: doctor.Fault, What: "Home Assistant has no " + cfg.Speakers.TTS + ", so nothing is heard on media players",
					Mend: "Mend speakers.tts in askhub.toml: it is an entity that begins with tts., as Home Assistant shows it under Developer tools, States.",
				}}
			}
			if cut, err := c.Interrupting(ctx); err == nil && len(cut) > 0 {
				return []doctor.Check{{
					Check: name, State: doctor.Warn, What: "every room's speaker is there, and the media player of " + strings.Join(cut, ", ") + " does not say that it can announce: what it plays ends when something is said there",
					Mend: "Name another media player, or a satellite, under speakers.rooms in askhub.toml, where that matters.",
				}}
			}
			return []doctor.Check{{Check: name, State: doctor.OK, What: "every room's speaker is there"}}
		},
	}
}
