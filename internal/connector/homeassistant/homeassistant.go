// Package homeassistant is the destination that acts in the house. Commands go to Home
// Assistant's own local conversation agent with the person's words, and are called done
// only after the state was read again; questions are answered from a copy of the states
// that is kept warm, on a path that has no call which could change anything.
package homeassistant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/connector/hass"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// Config is what a Connector is made from.
type Config struct {
	// URL is Home Assistant's address with no slash at its end.
	URL string
	// Token is the long-lived access token as it stands; it is asked for before each use.
	Token func() ask.BearerToken
	// Allow are what may be acted on: domains ("light") and entities ("lock.front_door").
	// Empty is DefaultAllow.
	Allow []string
	// Deny are entities that must not be acted on whatever Allow says.
	Deny []string
	// Language is that of the words; empty is "en".
	Language string
	// Calendars are the person's own, by person; a person with none has all of them.
	Calendars map[string][]string
	// Weather is the entity of the weather at home; empty is the first that there is.
	Weather string
	// Watch are what Happened is told of while Run runs, each by its index. Happened must
	// not wait for anything; it is nil where Watch is empty.
	Watch    []Watch
	Happened func(i int)
	Now      func() time.Time
	Zone     func() *time.Location
	Log      *slog.Logger
}

// DefaultAllow are the domains that a household acts on by voice. Scripts, automations
// and buttons are not among them, for they may do anything; locks and alarms are not
// either, and have to be named one by one.
var DefaultAllow = []string{"light", "switch", "fan", "cover", "climate", "media_player", "vacuum", "humidifier", "scene", "input_boolean", "calendar", "todo"}

// Connector reaches Home Assistant. It is safe for concurrent use.
type Connector struct {
	cfg    Config
	client *hass.Client
	rules  rules
	house  *house
	// writing holds the one that adds to calendars and lists: what is said twice at once is
	// still added once.
	writing  chan struct{}
	forecast forecast
	// watched are the indexes in Config.Watch of each entity.
	watched map[string][]int
}

var (
	_ dispatch.Connector = (*Connector)(nil)
	_ dispatch.Reader    = (*Connector)(nil)
)

// New is a connector that knows nothing of the house before Run.
func New(cfg Config) *Connector {
	if cfg.Language == "" {
		cfg.Language = "en"
	}
	if len(cfg.Allow) == 0 {
		cfg.Allow = DefaultAllow
	}
	return &Connector{
		cfg: cfg, rules: newRules(cfg.Allow, cfg.Deny), house: newHouse(), watched: watched(cfg.Watch),
		writing: make(chan struct{}, 1), client: hass.New(cfg.URL, cfg.Token),
	}
}

// Close gives idle connections back.
func (c *Connector) Close() { c.client.Close() }

// ErrNotReady is a copy of the states that is not there, or too old to be believed.
var ErrNotReady = errors.New("the states of Home Assistant are not known just now")

// notReady is why the copy is not to be believed.
func (c *Connector) notReady() error {
	if errors.Is(c.house.why(), ErrToken) {
		return fmt.Errorf("%w: %w", askclient.ErrRefused, ErrToken)
	}
	return ErrNotReady
}

// noSuch says that something is not known. While Home Assistant starts, what it has is not
// all there yet; and it is asked only for what is not known.
func (c *Connector) noSuch(ctx context.Context, reason string) (ask.Answer, error) {
	var is struct {
		State string `json:"state"`
	}
	if err := c.get(ctx, "/api/config", &is); err == nil && is.State != "" && is.State != "RUNNING" {
		return ask.Answer{}, ErrNotReady
	}
	return ask.NoAnswer(reason), nil
}

// OnlyAsks is whether the words ask. A question never changes anything, whatever an
// engine would make of it.
func (c *Connector) OnlyAsks(q ask.Question) bool {
	q.Question = withoutRemark(q.Question)
	if cmd, ok := c.listCommand(q); ok {
		return cmd.Verb.Asks()
	}
	if _, ok := c.event(q); ok || onCondition(q.Question) {
		return false
	}
	return asks(q.Question) || c.onlyNames(meant(fold(q.Question)))
}

// fold is s as words in small letters, without punctuation at their ends.
func fold(s string) []string {
	var words []string
	for w := range strings.FieldsSeq(strings.ToLower(strings.ReplaceAll(s, "’", "'"))) {
		if w = strings.Trim(w, `.,!?;:"()`); w != "" {
			words = append(words, w)
		}
	}
	return words
}

// Read answers q from the copy of the states, from a calendar or a to-do list. There is no call
// behind it that could change anything.
func (c *Connector) Read(ctx context.Context, q ask.Question) (ask.Answer, error) {
	q.Question = withoutRemark(q.Question)
	if alsoOrders(q.Question) {
		return ask.Answer{}, dispatch.ErrAlone
	}
	if cmd, ok := c.listCommand(q); ok {
		if cmd.Verb.Asks() {
			return c.readList(ctx, cmd)
		}
		return ask.Answer{}, dispatch.ErrAlone
	}
	if _, ok := c.event(q); ok {
		return ask.Answer{}, dispatch.ErrAlone
	}
	if a, ok, err := c.agenda(ctx, q); ok {
		return a, err
	}
	return c.look(ctx, q)
}
