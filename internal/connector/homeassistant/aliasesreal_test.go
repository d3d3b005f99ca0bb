package homeassistant

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// asks has a real Home Assistant do what its own pages ask of it, and gives what it says.
func (h *tried) asks(request map[string]any, to any) {
	h.t.Helper()
	l, err := h.c.connect(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	defer l.end()
	raw, err := l.call(h.t.Context(), request)
	if err != nil {
		h.t.Fatalf("%v: %v", request, err)
	}
	if to != nil {
		if err := json.Unmarshal(raw, to); err != nil {
			h.t.Fatalf("%v: %v", request, err)
		}
	}
}

// becomes says the words until the answer begins so: an event comes a moment later, and the
// agent learns new names a moment after that.
func (h *tried) becomes(words, want string) {
	h.t.Helper()
	var got string
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = h.says(words); strings.HasPrefix(got, want) {
			return
		}
	}
	h.t.Fatalf("%q never comes to %q, but to %q", words, want, got)
}

// TestARealHomesAliasesAreNames gives a lamp, its room and its floor aliases as Home
// Assistant's own pages do, and takes them away again.
func TestARealHomesAliasesAreNames(t *testing.T) {
	cfg := realHome(t)
	h := connect(t, cfg)
	named := func(id string, aliases ...any) {
		h.asks(map[string]any{"type": "config/entity_registry/update", "entity_id": id, "aliases": aliases}, nil)
	}
	defer named("light.ceiling_lights", nil)
	defer named("light.bed_light", nil)
	h.says("turn on the bed light")

	named("light.bed_light", nil, "Big lamp")
	h.becomes("is the big lamp on?", "Yes, the big lamp is on")
	h.becomes("turn off the big lamp", "The big lamp is off.")
	h.becomes("turn on the big lamps", "The big lamp is on")
	h.becomes("is the bed light on?", "Yes, the bed light is on")
	denied := cfg
	denied.Deny = []string{"light.bed_light"}
	connect(t, denied).expect(
		[2]string{"turn off the big lamp", "- I may not act on the big lamp"},
		[2]string{"turn off the bed light", "- I may not act on the bed light"},
	)
	h.becomes("is the big lamp on?", "Yes, the big lamp is on")

	// Its own name is then no name to the agent.
	named("light.bed_light", "Big lamp")
	h.becomes("turn off the bed light", "The bed light is off.")

	named("light.bed_light", nil, "Big lamp")
	named("light.ceiling_lights", nil, "Big lamp")
	h.becomes("turn on the big lamp", "? Which one: bed light or ceiling lights?")
	named("light.ceiling_lights", nil)
	h.becomes("turn on the big lamp", "The big lamp is on")

	var floor struct {
		ID      string   `json:"floor_id"`
		Aliases []string `json:"aliases"`
	}
	h.asks(map[string]any{"type": "config/floor_registry/create", "name": "Ground floor", "aliases": []string{"Downstairs"}}, &floor)
	defer h.asks(map[string]any{"type": "config/floor_registry/delete", "floor_id": floor.ID}, nil)
	var area struct {
		ID string `json:"area_id"`
	}
	h.asks(map[string]any{"type": "config/area_registry/create", "name": "Study", "aliases": []string{"Den"}, "floor_id": floor.ID}, &area)
	defer h.asks(map[string]any{"type": "config/area_registry/delete", "area_id": area.ID}, nil)
	var entry struct {
		Device string `json:"device_id"`
	}
	h.asks(map[string]any{"type": "config/entity_registry/get", "entity_id": "light.bed_light"}, &entry)
	h.asks(map[string]any{"type": "config/device_registry/update", "device_id": entry.Device, "area_id": area.ID}, nil)
	h.becomes("which lights are on in the den?", "The bed light is on")
	h.becomes("turn off the lights in the den", "The bed light is off.")
	h.becomes("turn on the big lamp in the den", "The big lamp is on")
	h.becomes("which lights are on downstairs?", "The bed light is on")
	h.becomes("turn off the lights downstairs", "The bed light is off.")
	h.becomes("turn on all the lights on the ground floor", "The bed light is on")
	h.asks(map[string]any{"type": "config/floor_registry/update", "floor_id": floor.ID, "aliases": []string{"Below"}}, &floor)
	if !slices.Equal(floor.Aliases, []string{"Below"}) {
		t.Errorf("the floor's aliases are %q", floor.Aliases)
	}
	h.becomes("which lights are on below?", "The bed light is on")

	named("light.bed_light", nil)
	h.becomes("is the big lamp on?", "- I know no such device or room")
}
