package dispatch

import "github.com/askhub/askhub/internal/hub/routing"

// decision is the part of a destination that needs a person's yes. Nothing is
// sent without one, so without a place to ask for it the destination is not
// configured.
func decision(d routing.Destination) routing.Part {
	if d.Placeholder {
		return unavailable(routing.ReasonNotBuilt)
	}
	return unavailable(routing.ReasonNotConfigured)
}
