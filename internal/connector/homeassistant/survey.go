package homeassistant

import (
	"context"
	"slices"

	"github.com/askhub/askhub/internal/connector/spoken"
)

// registries say where things are, what they are called and what they belong to, by the
// event that tells of a change.
var registries = []string{"entity_registry_updated", "device_registry_updated", "area_registry_updated", "floor_registry_updated"}

func (h happening) isRegistry() bool { return slices.Contains(registries, h.Type) }

// moved learns anew where things are and what they belong to. What comes next of a new or
// renamed thing is taken in only then, so that it is never taken for one that may be acted on.
func (c *Connector) moved(ctx context.Context, l *live) error {
	ctx, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	l.early = slices.DeleteFunc(l.early, func(m message) bool { // these are seen with this one
		h, ok := m.happening()
		return ok && h.isRegistry()
	})
	places, rooms, err := c.survey(ctx, l)
	if err == nil {
		c.house.move(places, rooms)
	}
	return err
}

// wireFloor, wireArea, wireDevice and wireEntry are entries of Home Assistant's registries.
type (
	wireFloor struct {
		ID      string   `json:"floor_id"`
		Name    string   `json:"name"`
		Aliases []string `json:"aliases"`
	}
	wireArea struct {
		ID      string   `json:"area_id"`
		Name    string   `json:"name"`
		Aliases []string `json:"aliases"`
		Floor   *string  `json:"floor_id"`
	}
	wireDevice struct {
		ID   string  `json:"id"`
		Area *string `json:"area_id"`
		// Parent is the device that it is a part of.
		Parent *string `json:"parent_device_id"`
	}
	wireEntry struct {
		ID       string  `json:"entity_id"`
		Area     *string `json:"area_id"`
		Device   *string `json:"device_id"`
		Platform string  `json:"platform"`
		Disabled *string `json:"disabled_by"`
		Modified float64 `json:"modified_at"`
	}
)

// survey reads where things are, what they are called and what they belong to.
func (c *Connector) survey(ctx context.Context, l *live) (map[string]placed, []place, error) {
	var floors []wireFloor
	var areas []wireArea
	var devices []wireDevice
	var entries []wireEntry
	for call, to := range map[string]any{
		"config/floor_registry/list": &floors, "config/area_registry/list": &areas, "config/device_registry/list": &devices, "config/entity_registry/list": &entries,
	} {
		if err := l.list(ctx, call, to); err != nil {
			return nil, nil, err
		}
	}
	if err := l.readAliases(ctx, entries); err != nil {
		return nil, nil, err
	}
	names, rooms := map[string]string{}, []place{}
	for _, a := range areas {
		if name := spoken.Clean(a.Name, maxName); name != "" {
			names[a.ID] = name
			rooms = append(rooms, newPlace(name, a.Aliases, name))
		}
	}
	for _, f := range floors {
		var holds []string
		for _, a := range areas {
			if a.Floor != nil && *a.Floor == f.ID && names[a.ID] != "" {
				holds = append(holds, names[a.ID])
			}
		}
		if name := spoken.Clean(f.Name, maxName); name != "" && len(holds) > 0 {
			floor := newPlace(name, f.Aliases, holds...)
			floor.floor = true
			rooms = append(rooms, floor)
		}
	}
	ofDevice := map[string]string{}
	for _, d := range devices {
		if d.Area != nil {
			ofDevice[d.ID] = names[*d.Area]
		}
	}
	for _, d := range devices { // a part without a room of its own is where the whole is
		if d.Area == nil && d.Parent != nil {
			ofDevice[d.ID] = ofDevice[*d.Parent]
		}
	}
	places := make(map[string]placed, len(entries))
	for _, e := range entries {
		known := l.aliases[e.ID]
		p := placed{platform: e.Platform, also: known.also, nameless: known.nameless}
		switch {
		case e.Area != nil:
			p.area = names[*e.Area]
		case e.Device != nil:
			p.area = ofDevice[*e.Device]
		}
		places[e.ID] = p
	}
	return places, rooms, nil
}

// aliases are what an entity is called beside its name.
type aliases struct {
	// modified is when its entry was last changed, 0 where Home Assistant does not say.
	modified float64
	also     []called
	// nameless is whether Home Assistant's agent does not know it by its own name.
	nameless bool
}

// readAliases reads the aliases of what is new or has changed. The list of all entries has
// none in it, and asking for each entry with all that is known of it is much to say.
func (l *live) readAliases(ctx context.Context, entries []wireEntry) error {
	known := make(map[string]aliases, len(entries))
	modified := make(map[string]float64, len(entries))
	ids := []string{}
	for _, e := range entries {
		if was, ok := l.aliases[e.ID]; ok && was.modified == e.Modified && e.Modified != 0 {
			known[e.ID] = was
		} else if e.Disabled == nil { // what is disabled has no state
			ids, modified[e.ID] = append(ids, e.ID), e.Modified
		}
	}
	if len(ids) > 0 {
		// The entity's own name is a null among its aliases.
		var found map[string]*struct {
			Aliases []*string `json:"aliases"`
		}
		if err := l.ask(ctx, map[string]any{"type": "config/entity_registry/get_entries", "entity_ids": ids}, &found); err != nil {
			return err
		}
		for id, e := range found {
			if e == nil { // it is gone, which is told next
				continue
			}
			a := aliases{modified: modified[id], nameless: !slices.Contains(e.Aliases, nil)}
			var names []string
			for _, name := range e.Aliases {
				if name != nil {
					names = append(names, *name)
				}
			}
			a.also = calledAll(names)
			known[id] = a
		}
	}
	l.aliases = known
	return nil
}
