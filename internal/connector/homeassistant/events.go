package homeassistant

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Watch is something that is to be told when it happens: at an entity, or on Home
// Assistant's bus.
type Watch struct {
	// Entity is an event entity, which is told at each new event; a binary sensor, when it
	// goes from off to on; or a timer, when it comes to its end.
	Entity string
	// Type is the one type of an event entity's events that is meant; empty is any.
	Type string
	// Event is a type of event on the bus, where Entity is empty. Home Assistant shows most
	// of them to administrators only.
	Event string
}

// news is how long something that happened is news. What comes later, after a machine has
// slept or a state was restored, is not told as if it were now.
const news = time.Minute

// happening is an event on the bus.
type happening struct {
	Type  string         `json:"event_type"`
	Fired string         `json:"time_fired"`
	Data  jsontext.Value `json:"data"`
}

// happening is what m tells of; false where it is no event.
func (m message) happening() (h happening, ok bool) {
	ok = m.Type == "event" && isA(m.Event, &h)
	return h, ok
}

// change is what state_changed brings.
type change struct {
	ID  string     `json:"entity_id"`
	Old *wireState `json:"old_state"`
	New *wireState `json:"new_state"`
}

// take takes in one message. An event that is not as expected is passed over: anything can
// be on the bus. Its error is the connection's.
func (c *Connector) take(ctx context.Context, l *live, m message) error {
	if taken, err := c.takeForecast(ctx, l, m); taken {
		return err
	}
	h, ok := m.happening()
	switch {
	case !ok:
		return nil
	case h.isRegistry():
		return c.moved(ctx, l)
	}
	fired, fresh := moment(h.Fired)
	if fresh && l.late(fired, c.cfg.Now()) {
		return errLate
	}
	if h.Type != "state_changed" {
		for i, w := range c.cfg.Watch {
			if fresh && w.Entity == "" && w.Event == h.Type {
				c.cfg.Happened(i)
			}
		}
		return nil
	}
	var d change
	if !isA(h.Data, &d) || d.ID == "" {
		return nil
	}
	c.house.set(d.ID, d.New)
	for _, i := range c.watched[d.ID] {
		switch {
		case d.New == nil:
			c.cfg.Log.Warn("an entity whose events are told is gone from Home Assistant; it may have been renamed", "entity", d.ID)
		case fresh && c.cfg.Watch[i].happened(d.Old, d.New, fired):
			c.cfg.Happened(i)
		}
	}
	if strings.HasPrefix(d.ID, "weather.") {
		return c.weatherChanged(ctx, l, d.ID, d.New)
	}
	return nil
}

// isA reads raw into to, and says whether it is of that form.
func isA(raw jsontext.Value, to any) bool { return json.Unmarshal(raw, to) == nil }

// moment reads a time as Home Assistant writes it.
func moment(s string) (t time.Time, ok bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	return t, err == nil
}

// happened is whether a change is what w waits for. What comes back after it was
// unavailable, or appears anew, has not happened just now: Home Assistant restores it so.
func (w Watch) happened(old, now *wireState, fired time.Time) bool {
	if old == nil || now == nil {
		return false
	}
	domain, _, _ := strings.Cut(w.Entity, ".")
	switch domain {
	case "event": // the state is when it last happened
		at, ok := moment(now.State)
		return ok && old.State != now.State && old.State != "unavailable" && fired.Sub(at).Abs() < news &&
			(w.Type == "" || now.text("event_type") == w.Type)
	case "binary_sensor":
		return old.State == "off" && now.State == "on"
	case "timer":
		return (old.State == "active" || old.State == "paused") && now.State == "idle" && ran(old, now, fired)
	}
	return false
}

// ran is whether a timer came to its end, and was not cancelled. A Home Assistant that does
// not say so is known by when it was to be over.
func ran(old, now *wireState, fired time.Time) bool {
	if last := now.text("last_transition"); last != "" {
		return last == "finished"
	}
	end, ok := moment(old.text("finishes_at"))
	return ok && !fired.Before(end)
}

// text is one attribute, empty where there is none or where it is no text.
func (w *wireState) text(attribute string) string {
	var all map[string]jsontext.Value
	var s string
	if !isA(w.Attributes, &all) || !isA(all[attribute], &s) {
		return ""
	}
	return s
}

// watched are the indexes of those that watch each entity.
func watched(list []Watch) map[string][]int {
	by := map[string][]int{}
	for i, w := range list {
		if w.Entity != "" {
			by[w.Entity] = append(by[w.Entity], i)
		}
	}
	return by
}

// listen asks for the events of the bus that are watched, and gives those that Home
// Assistant refuses.
func (c *Connector) listen(ctx context.Context, l *live) (refused []string, err error) {
	asked := map[string]bool{}
	for _, w := range c.cfg.Watch {
		if w.Entity != "" || asked[w.Event] {
			continue
		}
		asked[w.Event] = true
		_, err := l.call(ctx, map[string]any{"type": "subscribe_events", "event_type": w.Event})
		switch {
		case errors.Is(err, errRefuses):
			refused = append(refused, w.Event)
		case err != nil:
			return nil, err
		}
	}
	return refused, nil
}

// unheard are what is watched and never told as things stand: entities that are not there.
func (c *Connector) unheard() []string {
	var list []string
	for _, w := range c.cfg.Watch {
		if _, there := c.house.get(w.Entity); !there && w.Entity != "" && !slices.Contains(list, w.Entity) {
			list = append(list, w.Entity)
		}
	}
	return list
}

// warnOf says in the log what of the watched is never told as things stand.
func (c *Connector) warnOf(l *live) {
	if list := c.unheard(); len(list) > 0 {
		c.cfg.Log.Warn("Home Assistant does not have these entities, or not yet, so their events are not told", "entities", list)
	}
	if len(l.refused) > 0 {
		c.cfg.Log.Error("Home Assistant shows these events only to the token of an administrator, so they are not told", "events", l.refused)
	}
}

// errLate ends a connection on which something came long after it happened: this machine has
// slept, or one of the two clocks was set. What else waits there is as old, and the next
// connection knows the states and both clocks as they are.
var errLate = errors.New("what home assistant says comes late")

// late is whether that came long after it happened. Home Assistant's clock is compared with
// ours as it was when the connection was made; where it did not say, nothing is late.
func (l *live) late(fired, now time.Time) bool {
	return l.clock && now.Add(l.ahead).Sub(fired) > news
}
