package decide

import (
	"github.com/askhub/askhub/internal/hub/decide/concept"
	"github.com/askhub/askhub/internal/hub/routing"
)

// mostNeeded is how many words the name of a thing to buy has at most.
const mostNeeded = 3

// needLeads are the words between "we" and what is needed.
var needLeads = set("need", "also", "still", "some", "more", "to", "buy", "get")

// needed is whether the question says that something is needed which nobody here has ever heard
// of: that is a thing to buy, "we need quinoa", and goes to whoever keeps the lists. What it is
// not, such as help or a plumber, the model knows.
func (e *Embedded) needed(t *concept.Text, w *work, v verdict) (routing.Decision, bool) {
	own := e.own[concept.List]
	if len(own) != 1 || len(w.hits) > 0 || v.byField || t.Len() < 3 || string(t.Bytes(0)) != "we" {
		return routing.Decision{}, false
	}
	from, need := 1, false
	for from < t.Len() && needLeads[string(t.Bytes(from))] {
		need = need || string(t.Bytes(from)) == "need"
		from++
	}
	if left := t.Len() - from; !need || left == 0 || left > mostNeeded {
		return routing.Decision{}, false
	}
	for i := from; i < t.Len(); i++ {
		if t.Known(i) {
			return routing.Decision{}, false
		}
	}
	return e.route(t, w, v, own[0], sureEnough), true
}
