package homeassistant

import "slices"

// sortOf tells those that a word of a question means where its kind says too little: a lock
// does not say whether a door is open, nor is every player a TV. It is nil for all other words.
func sortOf(words []string, kind string) func(entity) bool {
	said := stems(words)
	state := asked(words)
	switch {
	case kind == "lock" && slices.Contains(said, "door") && (state == "open" || state == "closed"):
		return func(e entity) bool {
			switch e.domain() {
			case "binary_sensor":
				return e.Attributes.DeviceClass == "door" || e.Attributes.DeviceClass == "garage_door"
			case "cover":
				return e.Attributes.DeviceClass == "door" || e.Attributes.DeviceClass == "garage"
			}
			return false
		}
	case kind == "media_player" && slices.Contains(said, "tv"):
		return func(e entity) bool {
			isCalled := slices.ContainsFunc(e.stems, func(w string) bool { return w == "tv" || w == "television" || w == "telly" })
			return e.domain() == "media_player" && (e.Attributes.DeviceClass == "tv" || isCalled)
		}
	}
	return nil
}
