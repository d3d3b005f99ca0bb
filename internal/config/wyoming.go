package config

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode"
)

// WyomingName is the way in of [wyoming], which has no token.
const WyomingName = "wyoming"

// DefaultWyoming is where examples let it listen.
const DefaultWyoming = "127.0.0.1:10600"

// Wyoming is the way in of voice assistants that speak the Wyoming protocol, such as Home
// Assistant. The protocol has no authentication, so addresses say who may connect.
type Wyoming struct {
	// Listen is its address, host and port; empty is off.
	Listen string `toml:"listen"`
	// Allow are addresses and prefixes that may connect, beside this machine itself.
	Allow []string `toml:"allow"`
	// Asker is as whom a device asks that is not among Satellites.
	Asker string `toml:"asker"`
	// PerMinute and AtOnce are the limits of all devices together, in requests.
	PerMinute  int         `toml:"per_minute"`
	AtOnce     int         `toml:"at_once"`
	Satellites []Satellite `toml:"satellites"`

	allowed []netip.Prefix
}

// Satellite is one device that listens.
type Satellite struct {
	// ID is what the assistant calls it: a satellite's or a device's id.
	ID string `toml:"id"`
	// Asker is as whom it asks; Wyoming's own where it is empty.
	Asker string `toml:"asker"`
	// Room is where it stands; it may be empty.
	Room string `toml:"room"`
}

// Allowed are those who may connect, this machine among them.
func (w *Wyoming) Allowed() []netip.Prefix { return slices.Clone(w.allowed) }

// wyoming checks the way in of voice assistants.
func (v *check) wyoming() {
	w := &v.c.Wyoming
	if w.Listen == "" {
		v.withoutListen()
		return
	}
	host, ok := v.listenAddress("wyoming.listen", DefaultWyoming, w.Listen)
	if w.Listen == v.c.Listen || w.Listen == v.c.Admin.Listen {
		v.fault("wyoming.listen", "is the address of the Hub or the admin app too; give it a port of its own, like %q", DefaultWyoming)
	}
	w.allowed = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for i, text := range w.Allow {
		if slices.Contains(w.Allow[:i], text) {
			v.fault("wyoming.allow", "%q stands there twice", text)
		}
		if p, ok := v.prefix("wyoming.allow", text, "the voice assistant's own", "no address of anybody; name the one that the voice assistant comes from"); ok {
			w.allowed = append(w.allowed, p)
		}
	}
	if ok && !Loopback(host) && len(w.Allow) == 0 {
		v.fault("wyoming.allow", `must name who may connect, like ["192.168.1.20"], since others reach %s and the protocol asks for no token; or let it listen on 127.0.0.1`, w.Listen)
	}
	w.Asker = cmp.Or(w.Asker, "guest")
	if !personName(w.Asker) {
		v.fault("wyoming.asker", "%q is not a person's name", w.Asker)
	}
	v.limits("wyoming", &w.PerMinute, &w.AtOnce)
	v.satellites()
}

// withoutListen refuses settings of something that is off.
func (v *check) withoutListen() {
	if _, set := v.at["wyoming.listen"]; set {
		v.fault("wyoming.listen", "must be an address and a port, like %q; take [wyoming] out to switch it off", DefaultWyoming)
		return
	}
	w := &v.c.Wyoming
	if len(w.Allow)+len(w.Satellites)+w.PerMinute+w.AtOnce > 0 || w.Asker != "" {
		v.fault("wyoming.listen", "must say where it listens, like %q; without it the rest of [wyoming] does nothing", DefaultWyoming)
	}
}

func (v *check) satellites() {
	w := &v.c.Wyoming
	var ids []string
	for i := range w.Satellites {
		s, field := &w.Satellites[i], fmt.Sprintf("wyoming.satellites[%d]", i)
		switch {
		case strings.TrimSpace(s.ID) != s.ID || s.ID == "" || len(s.ID) > 200 || strings.ContainsFunc(s.ID, unicode.IsControl):
			v.fault(field+".id", `must be what the voice assistant calls it, like "assist_satellite.kitchen"`)
		case slices.Contains(ids, s.ID):
			v.fault(field+".id", "%q stands there twice", s.ID)
		}
		ids = append(ids, s.ID)
		s.Asker = cmp.Or(s.Asker, w.Asker)
		if !personName(s.Asker) {
			v.fault(field+".asker", "%q is not a person's name", s.Asker)
		}
		if s.Room != "" && !personName(s.Room) {
			v.fault(field+".room", "%q is not a room's name", s.Room)
		}
	}
}
