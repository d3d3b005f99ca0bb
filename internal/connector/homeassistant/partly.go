package homeassistant

import "slices"

// beside are the words of a question about how things are that name none of them; with firsts
// and anyOf, these are all.
var beside = setOf(`i we you leave anyone anything everything something still now please already yet currently on off open closed locked unlocked playing paused wet dry
	been being by accident moment right in at`)

// partly are those that a question speaks of with a part of their name ("is the garage open"), or
// with their room alone ("what's on in the kitchen"), and that can be as it asks; none where they
// are too many to be told.
func (c *Connector) partly(words []string, where there, all []entity) []entity {
	state := asked(words)
	if state == "" || where.twins {
		return nil
	}
	said := slices.DeleteFunc(cut(stems(words), where.said), func(w string) bool { return firsts[w] || anyOf[w] || beside[w] })
	if (where.name == "") == (len(said) == 0) {
		return nil
	}
	var found []entity
	for _, e := range all {
		named := where.name != "" && where.holds(e.Area) || where.name == "" && slices.ContainsFunc(e.calls(), func(n called) bool {
			return !slices.ContainsFunc(said, func(w string) bool { return !slices.Contains(n.stems, w) })
		})
		if named && canBe(e, state) {
			found = append(found, e)
		}
	}
	if where.name == "" && len(found) > mostSaid {
		return nil
	}
	slices.SortFunc(found, byName)
	return found
}

// canBe is whether such a thing may be in that state.
func canBe(e entity, state string) bool {
	switch state {
	case "on", "off":
		return slices.Contains([]string{"light", "switch", "fan", "media_player", "climate", "humidifier", "input_boolean"}, e.domain())
	case "open", "closed":
		return e.domain() == "cover" || e.domain() == "binary_sensor" && slices.Contains([]string{"door", "window", "opening", "garage_door"}, e.Attributes.DeviceClass)
	case "locked", "unlocked":
		return e.domain() == "lock"
	case "playing", "paused":
		return e.domain() == "media_player"
	}
	return false
}
