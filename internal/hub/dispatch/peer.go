package dispatch

import "github.com/askhub/askhub/internal/hub/routing"

// peer is the part of a destination that keeps its own conversation: the Hub
// points there and asks nothing.
func peer(d routing.Destination) routing.Part {
	if d.Placeholder {
		return unavailable(routing.ReasonNotBuilt)
	}
	return routing.Part{Status: routing.StatusElsewhere}
}
