package homeassistant

import (
	"slices"
	"strings"
)

// rules say what may be acted on.
type rules struct {
	domains, entities map[string]bool
	denied            map[string]bool
}

func newRules(allow, deny []string) rules {
	r := rules{domains: map[string]bool{}, entities: map[string]bool{}, denied: map[string]bool{}}
	for _, a := range allow {
		if strings.Contains(a, ".") {
			r.entities[a] = true
		} else {
			r.domains[a] = true
		}
	}
	for _, d := range deny {
		r.denied[d] = true
	}
	return r
}

// named are domains whose entities have to be named one by one.
var named = []string{"lock", "alarm_control_panel", "script", "automation", "button", "siren", "valve"}

// never are integrations whose entities are never acted on: they carry parental control,
// or the way to the internet.
var never = map[string]bool{
	"adguard": true, "pi_hole": true, "nextdns": true, "controld": true, "opendns": true, "familylink": true, "google_family_link": true, "family_safety": true,
	"unifi": true, "unifi_direct": true, "fritz": true, "fritzbox": true, "fritzbox_netmonitor": true, "asuswrt": true, "netgear": true, "tplink_omada": true, "tplink_router": true,
	"mikrotik": true, "mikrotik_router": true, "opnsense": true, "pfsense": true, "openwrt": true, "luci": true, "ubus": true, "keenetic_ndms2": true, "freebox": true,
	"huawei_lte": true, "synology_srm": true, "eero": true, "firewalla": true, "circle": true, "gryphon": true, "nintendo_parental_controls": true,
}

// neverWords are parts of a name that say the same, where the integration does not.
var neverWords = []string{
	"adguard", "ad guard", "pi-hole", "pihole", "pi hole", "parental", "family link", "familylink", "screen time", "screentime", "firewall", "router", "internet", "wifi", "wi-fi",
	"wan ", "blocklist", "block list", "content filter", "safe search", "safesearch", "dns", "kids access", "bedtime", "time limit", "access point", "guest network",
}

// permit says whether e may be acted on, and else why not.
type permit string

const (
	may     permit = ""
	isNever permit = "it carries parental control or the way to the internet"
	isNamed permit = "it has to be named in askhub.toml first"
	isOut   permit = "it is not among what askhub may act on"
)

func (r rules) may(e *entity) permit {
	switch {
	case e.never():
		return isNever // even where it is named
	case r.denied[e.ID]:
		return isOut
	case r.entities[e.ID]:
		return may
	case slices.Contains(named, e.domain()):
		return isNamed
	case r.domains[e.domain()]:
		return may
	}
	return isOut
}

// may says whether e may be acted on, and else why not. A group and a scene act on what they
// hold, so that has to be allowed too. Whoever names one in the config names its locks with it.
func (c *Connector) may(e *entity) permit {
	if why := c.rules.may(e); why != may {
		return why
	}
	return c.held(e, c.rules.entities[e.ID], map[string]bool{})
}

// held is why what e holds may not be acted on; seen are those that were looked at.
func (c *Connector) held(e *entity, named bool, seen map[string]bool) permit {
	for _, id := range e.Attributes.Members {
		if seen[id] {
			continue
		}
		seen[id] = true
		m, there := c.house.get(id)
		if !there {
			m = entity{ID: id}
		}
		switch why := c.rules.may(&m); {
		case why == isNever, why == isNamed && !named, c.rules.denied[id]:
			return why
		}
		if why := c.held(&m, named, seen); why != may {
			return why
		}
	}
	return may
}

// never is whether nothing that anybody says may act on e.
func (e *entity) never() bool {
	if never[e.Platform] {
		return true
	}
	if e.domain() == "light" && e.Platform != "switch_as_x" { // "router lamp" is a lamp, if it is none that was a switch
		return false
	}
	text := e.Name + " " + strings.ReplaceAll(e.ID, "_", " ") + " " + e.own + " "
	for _, n := range e.also { // what a name hides, an alias may say
		text += n.name + " "
	}
	text = strings.ToLower(text)
	return slices.ContainsFunc(neverWords, func(w string) bool { return strings.Contains(text, w) })
}
