// Package speakers is the destination that says something aloud in the rooms of the
// house, through Home Assistant: on a voice satellite where a room has one, else on a
// media player. What is said is said exactly as it was put, or not at all.
package speakers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/connector/hass"
	"github.com/askhub/askhub/internal/connector/spoken"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/routing"
)

// Room is one room. Satellite, MediaPlayer or both are set.
type Room struct {
	// Name is what people call it.
	Name string
	// Satellite is an entity of assist_satellite, MediaPlayer one of media_player.
	Satellite, MediaPlayer string
}

// Config is what a Connector is made from.
type Config struct {
	// URL is Home Assistant's address with no slash at its end.
	URL   string
	Token func() ask.BearerToken
	Rooms []Room
	// TTS is the entity that makes speech for media players.
	TTS string
	// Quiet is whether only what is urgent may be said at that moment of the household's clock.
	Quiet func(now time.Time) bool
	Now   func() time.Time
}

// Connector says things. It is safe for concurrent use.
type Connector struct {
	cfg    Config
	client *hass.Client
	// saying are announcements under way, which outlive the answer to them.
	saying sync.WaitGroup
}

var (
	_ dispatch.Connector = (*Connector)(nil)
	_ dispatch.Reader    = (*Connector)(nil)
)

// New is a connector that calls nobody yet.
func New(cfg Config) *Connector {
	return &Connector{cfg: cfg, client: hass.New(cfg.URL, cfg.Token)}
}

// Close waits for what is being said, and gives connections back.
func (c *Connector) Close() {
	c.saying.Wait()
	c.client.Close()
}

// maxMessage is the longest announcement, in code points: twenty seconds of speech.
const maxMessage = ask.MaxSentence

// OnlyAsks is never so: what comes here is said.
func (*Connector) OnlyAsks(ask.Question) bool { return false }

// Read says nothing aloud.
func (*Connector) Read(context.Context, ask.Question) (ask.Answer, error) {
	return ask.Answer{}, dispatch.ErrAlone
}

// Do says aloud what q wants said, in the rooms that it names, or in the one that it
// comes from.
func (c *Connector) Do(ctx context.Context, q ask.Question) (ask.Answer, error) {
	names := make([]string, len(c.cfg.Rooms))
	for i, r := range c.cfg.Rooms {
		names[i] = r.Name
	}
	a := parse(q.Question, names)
	switch {
	case a.Message == "":
		return ask.NoAnswer("Please say what is to be announced"), nil
	case a.Unknown != "":
		return ask.NoAnswer("I said nothing, for I have speakers in the " + spoken.And(names) + " only"), nil
	case utf8.RuneCountInString(a.Message) > maxMessage:
		return ask.NoAnswer("That is too long to be announced; please say it in one sentence"), nil
	case !safe(a.Message):
		return ask.NoAnswer("I cannot say that aloud"), nil
	case !a.Urgent && c.cfg.Quiet(c.cfg.Now()):
		return ask.NoAnswer("It is quiet time, so I said nothing; say that it is urgent if it is"), nil
	}
	rooms, err := c.rooms(a, dispatch.HeardFrom(ctx))
	if err != nil {
		return ask.Answer{}, err
	}
	return c.sayIn(ctx, rooms, a.Message)
}

// safe is whether a voice may say s.
func safe(s string) bool { return ask.CheckSafe(s) == nil }

// rooms are where it is to be said; an *Unclear asks where nobody can tell.
func (c *Connector) rooms(a announcement, heard dispatch.Heard) ([]Room, error) {
	if a.Everywhere {
		return c.cfg.Rooms, nil
	}
	var found []Room
	for _, name := range a.Rooms {
		if r, ok := c.room(name); ok {
			found = append(found, r)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	if len(c.cfg.Rooms) == 1 {
		return c.cfg.Rooms, nil
	}
	for _, place := range []string{heard.Room, heard.WayIn} {
		if r, ok := c.room(place); ok {
			return []Room{r}, nil
		}
	}
	u := &dispatch.Unclear{}
	order := "announce in the "
	if a.Urgent {
		order = "urgent: " + order
	}
	var labels []string
	for _, r := range c.cfg.Rooms[:min(len(c.cfg.Rooms), routing.MaxChoices)] {
		labels = append(labels, r.Name)
		u.Choices = append(u.Choices, routing.Choice{Label: r.Name, Question: order + r.Name + ": " + a.Message})
	}
	u.Ask = "In which room: " + spoken.Or(labels) + "?"
	return nil, u
}

func (c *Connector) room(name string) (Room, bool) {
	i := slices.IndexFunc(c.cfg.Rooms, func(r Room) bool { return strings.EqualFold(r.Name, name) })
	if i < 0 || name == "" {
		return Room{}, false
	}
	return c.cfg.Rooms[i], true
}

// Has is whether something can be said in the room of that name.
func (c *Connector) Has(room string) bool {
	_, ok := c.room(room)
	return ok
}

// Announce says message in one room. It ends when it has been said, or cannot be.
func (c *Connector) Announce(ctx context.Context, room, message string) error {
	r, ok := c.room(room)
	if !ok {
		return fmt.Errorf("there is no speaker in %q", room)
	}
	return c.announce(ctx, r, message, always)
}

const (
	// soon is how long an answer waits for a fault: saying a sentence takes longer.
	soon = 1200 * time.Millisecond
	// longest is how long one announcement may take.
	longest = 60 * time.Second
)

// saying is one announcement under way. Who begins to speak and who gives it up agree by
// who comes first: what is told as not said is never said later.
type saying struct {
	fault   chan error
	decided atomic.Bool
}

// first is whether nobody has decided before.
func (s *saying) first() bool { return s.decided.CompareAndSwap(false, true) }

// sayIn says message in all the rooms at once, and answers where it is being said. A room
// whose speaker has not been found by then is given up.
func (c *Connector) sayIn(ctx context.Context, rooms []Room, message string) (ask.Answer, error) {
	under := make([]saying, len(rooms))
	for i, r := range rooms {
		under[i].fault = make(chan error, 1)
		c.saying.Go(func() {
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
			defer cancel()
			under[i].fault <- c.announce(bounded, r, message, under[i].first)
		})
	}
	var said, silent []string
	var last error
	patient, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	for i, r := range rooms {
		var err error
		select {
		case err = <-under[i].fault:
		case <-patient.Done():
			if under[i].first() {
				err = ErrSilent
			}
		}
		if err != nil {
			silent, last = append(silent, r.Name), err
			continue
		}
		said = append(said, r.Name)
	}
	switch {
	case len(said) == 0 && errors.Is(last, ErrNoVoice):
		return ask.NoAnswer("Nothing makes speech for the speaker in the " + spoken.And(silent) + ", so I said nothing"), nil
	case len(said) == 0 && !errors.Is(last, ErrSilent):
		return ask.Answer{}, last
	case len(silent) > 0:
		return ask.NoAnswer("The speaker in the " + spoken.And(silent) + " did not answer" + alsoSaid(said)), nil
	}
	return ask.Say("It is said in the " + spoken.And(said) + "."), nil
}

func alsoSaid(said []string) string {
	if len(said) == 0 {
		return ""
	}
	return "; it is said in the " + spoken.And(said)
}

// ErrSilent is a speaker that is not there.
var ErrSilent = errors.New("the speaker does not answer")

func always() bool { return true }

// announce says message in one room, if begin lets it once the speaker has been found. Home
// Assistant answers 200 for an entity that it does not have, so that is looked at first.
func (c *Connector) announce(ctx context.Context, r Room, message string, begin func() bool) error {
	entity, path := r.Satellite, "assist_satellite/announce"
	body := map[string]any{"entity_id": r.Satellite, "message": message}
	if r.Satellite == "" {
		entity, path = r.MediaPlayer, "tts/speak"
		body = map[string]any{"entity_id": c.cfg.TTS, "media_player_entity_id": r.MediaPlayer, "message": message, "cache": false}
	}
	if err := c.there(ctx, entity); err != nil {
		return err
	}
	if r.Satellite == "" {
		if err := c.voice(ctx); err != nil {
			return err
		}
	}
	if !begin() {
		return ErrSilent
	}
	return c.call(ctx, http.MethodPost, "/api/services/"+path, body, nil)
}

// ErrNoVoice is a speakers.tts that is not there: nothing would be heard of what is said.
var ErrNoVoice = errors.New("speakers.tts, which makes the speech, is not there")

// voice is nil where what makes the speech is there.
func (c *Connector) voice(ctx context.Context) error {
	err := c.there(ctx, c.cfg.TTS)
	if errors.Is(err, ErrSilent) {
		return ErrNoVoice
	}
	return err
}

// Voice is an ErrNoVoice where what makes speech for media players is not there. It changes
// nothing, and is nil where no room needs it.
func (c *Connector) Voice(ctx context.Context) error {
	if !slices.ContainsFunc(c.cfg.Rooms, func(r Room) bool { return r.Satellite == "" }) {
		return nil
	}
	return c.voice(ctx)
}

// Silent names the rooms whose speaker is not there, and changes nothing.
func (c *Connector) Silent(ctx context.Context) ([]string, error) {
	var silent []string
	for _, r := range c.cfg.Rooms {
		err := c.there(ctx, cmp.Or(r.Satellite, r.MediaPlayer))
		switch {
		case errors.Is(err, ErrSilent):
			silent = append(silent, r.Name)
		case err != nil:
			return nil, err
		}
	}
	return silent, nil
}

// announces is the feature by which a media player says something and then plays on.
const announces = 1 << 20

// Interrupting names the rooms whose media player cannot announce: what it plays ends where
// something is said. Nothing is changed.
func (c *Connector) Interrupting(ctx context.Context) ([]string, error) {
	var rooms []string
	for _, r := range c.cfg.Rooms {
		if r.Satellite != "" {
			continue
		}
		s, err := c.look(ctx, r.MediaPlayer)
		if err != nil {
			return nil, err
		}
		var can struct {
			Features int `json:"supported_features"`
		}
		if json.Unmarshal(s.Attributes, &can) != nil || can.Features&announces == 0 {
			rooms = append(rooms, r.Name)
		}
	}
	return rooms, nil
}

// state is how a speaker is, as far as it is read.
type state struct {
	State string `json:"state"`
	// Attributes may be anything.
	Attributes jsontext.Value `json:"attributes"`
}

// there is nil where the entity is, an ErrSilent where it is not.
func (c *Connector) there(ctx context.Context, entity string) error {
	_, err := c.look(ctx, entity)
	return err
}

// look reads how an entity is; an ErrSilent is one that is not there.
func (c *Connector) look(ctx context.Context, entity string) (state, error) {
	var s state
	if err := c.call(ctx, http.MethodGet, "/api/states/"+url.PathEscape(entity), nil, &s); err != nil {
		return state{}, err
	}
	if s.State == "unavailable" {
		return state{}, ErrSilent
	}
	return s, nil
}

// call is one request to Home Assistant; to may be nil.
func (c *Connector) call(ctx context.Context, method, path string, body, to any) error {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return err
		}
	}
	err := c.client.Call(ctx, method, path, raw, to)
	var status hass.StatusError
	switch {
	case !errors.As(err, &status):
		return err
	case status == http.StatusUnauthorized:
		return fmt.Errorf("%w: home assistant does not take the token", askclient.ErrRefused)
	case status == http.StatusNotFound:
		return ErrSilent
	}
	return fmt.Errorf("%w: %w", ErrSilent, err)
}
