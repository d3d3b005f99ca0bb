package homeassistant

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/internal/connector/spoken"
)

// entity is one thing in the house as it stands. What it is called comes from Home
// Assistant, and is made fit to be spoken when it is read.
type entity struct {
	// Name is its own, or the alias that it was found by.
	ID, Name, State string
	Attributes      attributes
	// Area is the name of its room, Platform the integration that it belongs to; each may be empty.
	Area, Platform string
	// stems are the words of Name as they are compared.
	stems []string
	// within is its room where that has to be said, since another of its name is spoken of too.
	within string
	// own is its own name, and also what it is called beside that.
	own  string
	also []called
	// nameless is whether Home Assistant's agent does not know it by its own name.
	nameless bool
	// untold is whether no question is answered from it.
	untold bool
}

// at puts it where it is, and finds out what follows from that.
func (e *entity) at(p placed) {
	e.Area, e.Platform, e.also, e.nameless = p.area, p.platform, p.also, p.nameless
	// What the children may do online is another project's to say.
	e.untold = e.never() || e.written() || slices.Contains(unread, e.domain()) || whereabouts[e.Platform] && e.Attributes.DeviceClass != "battery"
}

// attributes are those that are read.
type attributes struct {
	Name        string   `json:"friendly_name"`
	DeviceClass string   `json:"device_class"`
	Unit        string   `json:"unit_of_measurement"`
	Brightness  *float64 `json:"brightness"`
	Position    *float64 `json:"current_position"`
	Temperature *float64 `json:"temperature"`
	Current     *float64 `json:"current_temperature"`
	Percentage  *float64 `json:"percentage"`
	Volume      *float64 `json:"volume_level"`
	// TemperatureUnit is a weather's.
	TemperatureUnit string `json:"temperature_unit"`
	// Looks are what can change and has no word here: a colour, whether it is muted, a song.
	Looks string `json:"-"`
	// Features are what an entity can do, as bits; their meaning is its domain's.
	Features int `json:"supported_features"`
	// Members are the entities that a group or a scene acts on.
	Members []string `json:"entity_id"`
}

func (e *entity) domain() string {
	domain, _, _ := strings.Cut(e.ID, ".")
	return domain
}

// can is whether e has that feature.
func (e *entity) can(feature int) bool { return e.Attributes.Features&feature != 0 }

// answers is whether the device is there.
func (e *entity) answers() bool { return e.State != "unavailable" && e.State != "unknown" }

// wireState is a state on the wire. Attributes that are not as expected are passed over.
type wireState struct {
	ID         string         `json:"entity_id"`
	State      string         `json:"state"`
	Attributes jsontext.Value `json:"attributes"`
}

// maxName and maxState are the most that is kept, in code points.
const (
	maxName  = 60
	maxState = 60
)

func (w wireState) entity() entity {
	e := entity{ID: w.ID, State: cmp.Or(w.State, "unknown")}
	e.Attributes = readAttributes(w.Attributes)
	e.Name = spoken.Clean(e.Attributes.Name, maxName)
	if e.Name == "" {
		_, name, _ := strings.Cut(w.ID, ".")
		e.Name = spoken.Clean(strings.ReplaceAll(name, "_", " "), maxName)
	}
	e.own, e.stems = e.Name, stems(fold(e.Name))
	return e
}

// lookedAt are the attributes that Looks is made from.
var lookedAt = []string{
	"rgb_color", "color_temp_kelvin", "effect", "is_volume_muted", "volume_level", "media_title", "source", "shuffle", "repeat", "percentage", "preset_mode",
	"oscillating", "direction", "fan_mode", "fan_speed", "swing_mode", "temperature", "target_temp_low", "target_temp_high", "humidity", "current_position", "current_tilt_position",
	"brightness",
}

// differs is whether e is in any way other than it was.
func (e *entity) differs(was entity) bool {
	return isState(*e) != isState(was) || e.Attributes.Looks != was.Attributes.Looks
}

// readAttributes reads each attribute by itself: an integration may put anything into one.
func readAttributes(raw jsontext.Value) (a attributes) {
	var all map[string]jsontext.Value
	if json.Unmarshal(raw, &all) != nil {
		return a
	}
	text := func(name string, to *string) {
		if json.Unmarshal(all[name], to) != nil {
			*to = ""
		}
	}
	number := func(name string, to **float64) {
		var v float64
		if raw, ok := all[name]; ok && raw.Kind() == '0' && json.Unmarshal(raw, &v) == nil {
			*to = &v
		}
	}
	text("friendly_name", &a.Name)
	text("device_class", &a.DeviceClass)
	text("unit_of_measurement", &a.Unit)
	text("temperature_unit", &a.TemperatureUnit)
	number("brightness", &a.Brightness)
	number("current_position", &a.Position)
	number("temperature", &a.Temperature)
	number("current_temperature", &a.Current)
	number("percentage", &a.Percentage)
	number("volume_level", &a.Volume)
	for _, name := range lookedAt {
		if raw := all[name]; len(raw) > 0 {
			a.Looks += name + string(raw)
		}
	}
	var features *float64
	if number("supported_features", &features); features != nil {
		a.Features = int(*features)
	}
	if json.Unmarshal(all["entity_id"], &a.Members) != nil {
		a.Members = nil
	}
	return a
}

// placed is what the registries say of an entity.
type placed struct {
	area, platform string
	also           []called
	nameless       bool
}

// house is the copy of the states.
type house struct {
	mu       sync.RWMutex
	entities map[string]entity
	places   map[string]placed
	areas    []place
	// list are the entities, told those that questions are answered from, and papers the
	// calendars and to-do lists; nil where something has changed since they were made.
	list, told, papers []entity
	// warm is whether the copy follows what happens; since tells since when it does not.
	warm  bool
	since time.Time
	// cause is what ended the last connection.
	cause error
	// changed is closed at each change, and made anew.
	changed chan struct{}
}

func newHouse() *house {
	return &house{entities: map[string]entity{}, changed: make(chan struct{})}
}

// fill replaces the whole copy.
func (h *house) fill(states []wireState, places map[string]placed, areas []place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entities, h.places, h.areas = make(map[string]entity, len(states)), places, areas
	for _, s := range states {
		h.put(s)
	}
	h.warm = true
	h.tell()
}

// move puts each thing where it is now.
func (h *house) move(places map[string]placed, areas []place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.places, h.areas = places, areas
	for id, e := range h.entities {
		e.at(places[id])
		h.entities[id] = e
	}
	h.tell()
}

// put keeps one state; the lock is held. What has no id is nothing.
func (h *house) put(s wireState) {
	if !strings.Contains(s.ID, ".") {
		return
	}
	e := s.entity()
	e.at(h.places[s.ID])
	h.entities[s.ID] = e
}

// set takes in one change; a nil state is an entity that is gone.
func (h *house) set(id string, s *wireState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s == nil {
		delete(h.entities, id)
	} else if s.ID == id {
		h.put(*s)
	}
	h.tell()
}

// cold marks a copy that no longer follows.
func (h *house) cold(now time.Time, why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cause = why
	if h.warm {
		h.warm, h.since = false, now
	}
	h.tell()
}

// why is what ended the last connection.
func (h *house) why() error {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.cause
}

// tell says that something has changed; the lock is held.
func (h *house) tell() {
	h.list, h.told, h.papers = nil, nil, nil
	close(h.changed)
	h.changed = make(chan struct{})
}

// next is closed at the next change.
func (h *house) next() <-chan struct{} {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.changed
}

// all are the entities, and whether the copy may be believed.
func (h *house) all() ([]entity, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists()
	return slices.Clone(h.list), h.warm
}

// tellable are those of all that questions are answered from. The list is everybody's: it
// is not to be changed.
func (h *house) tellable() ([]entity, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists()
	return h.told, h.warm
}

// written are the calendars and to-do lists.
func (h *house) written() []entity {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists()
	return slices.Clone(h.papers)
}

// lists makes the lists where they are not there; the lock is held.
func (h *house) lists() {
	if h.list != nil {
		return
	}
	h.list, h.told = make([]entity, 0, len(h.entities)), make([]entity, 0, len(h.entities))
	for _, e := range h.entities {
		h.list = append(h.list, e)
		if !e.untold {
			h.told = append(h.told, e)
		}
		if e.written() {
			h.papers = append(h.papers, e)
		}
	}
}

// believed is whether the copy follows what happens.
func (h *house) believed() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.warm
}

func (h *house) get(id string) (entity, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	e, ok := h.entities[id]
	return e, ok
}

// rooms are the rooms and the floors.
func (h *house) rooms() []place {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.areas
}
