package homeassistant

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// Found is what a check found out.
type Found struct {
	// Entities is how many there are, MayAct on how many of them askhub acts.
	Entities, MayAct int
	// Never are those that it never acts on although the config's domains hold them.
	Never []string
	// Missing are the config's domains, entities and calendars that there are none of.
	Missing []string
	// Barred are entities that the config names and that are never acted on all the same.
	Barred []string
	// Weather is the entity of the weather at home, empty where there is none.
	Weather string
	// Unheard are entities whose events are to be told and that there are none of, Refused
	// events that Home Assistant does not show with this token.
	Unheard, Refused []string
}

// Check looks at the running Home Assistant, and changes nothing there.
func (c *Connector) Check(ctx context.Context) (Found, error) {
	l, err := c.connect(ctx)
	if err != nil {
		return Found{}, err
	}
	defer l.end()
	if err := c.know(ctx, l); err != nil {
		return Found{}, err
	}
	all, _ := c.house.all()
	f := Found{Entities: len(all), Unheard: c.unheard(), Refused: l.refused}
	if e, ok := c.weatherHere(); ok {
		f.Weather = e.ID
	}
	there := map[string]bool{}
	for _, e := range all {
		there[e.ID], there[e.domain()] = true, true
		switch why := c.may(&e); {
		case why == may:
			f.MayAct++
		case why == isNever && c.rules.entities[e.ID]:
			f.Barred = append(f.Barred, e.ID)
		case why == isNever && c.rules.domains[e.domain()]:
			f.Never = append(f.Never, e.ID)
		}
	}
	mentioned := slices.Concat(c.cfg.Allow, c.cfg.Deny)
	for _, person := range slices.Sorted(maps.Keys(c.cfg.Calendars)) {
		mentioned = append(mentioned, c.cfg.Calendars[person]...)
	}
	for _, a := range mentioned {
		// Of the usual domains a house may well have none.
		usual := slices.Contains(DefaultAllow, a)
		if !there[a] && !usual {
			f.Missing = append(f.Missing, a)
		}
	}
	slices.SortFunc(f.Never, strings.Compare)
	slices.SortFunc(f.Barred, strings.Compare)
	return f, nil
}
