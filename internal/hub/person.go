package hub

import (
	"slices"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
)

// barred says in plain words why the asker must not have this destination
// asked; it is empty where they may (spec 5, "Who may call" and "People and
// permission"). The project checks again.
func (q *question) barred(aim dispatch.Aim, guest []string) string {
	asker := q.req.Asker
	role := q.rules.house.Role(asker)
	switch {
	case role == people.RoleGuest && !slices.Contains(guest, aim.Destination.Project):
		return "guests cannot ask about that"
	case role == people.RoleChild && aim.Destination.Kind == routing.KindDecision:
		return "only an adult can ask for that"
	case !asksPeople(aim.Destination.Kind):
		return ""
	case aim.Person != ask.Person(asker) && !q.rules.house.MayAsk(asker, aim.Person):
		return "you may not ask about " + people.Spoken(string(aim.Person))
	default:
		return ""
	}
}

// asksPeople is false for a destination that is only pointed to.
func asksPeople(k routing.Kind) bool { return k != routing.KindPeer && k != routing.KindWayIn }
