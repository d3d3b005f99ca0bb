package config

import (
	"net/netip"
	"strings"
	"testing"
)

func TestWyomingIsRead(t *testing.T) {
	c, err := load(t, `[wyoming]
listen = "0.0.0.0:10600"
allow = ["192.168.1.20", "fd00::/64"]
asker = "sam"
at_once = 2

[[wyoming.satellites]]
id = "assist_satellite.kitchen"
room = "kitchen"

[[wyoming.satellites]]
id = "3c1f"
asker = "emma"
room = "Emma's room"
`)
	if err != nil {
		t.Fatal(err)
	}
	w := c.Wyoming
	if w.Listen != "0.0.0.0:10600" || w.Asker != "sam" || w.PerMinute != DefaultPerMinute || w.AtOnce != 2 {
		t.Errorf("%+v", w)
	}
	if len(w.Satellites) != 2 || w.Satellites[0] != (Satellite{"assist_satellite.kitchen", "sam", "kitchen"}) || w.Satellites[1] != (Satellite{"3c1f", "emma", "Emma's room"}) {
		t.Errorf("%+v", w.Satellites)
	}
	for address, may := range map[string]bool{
		"192.168.1.20": true, "fd00::1": true, "127.0.0.1": true, "::1": true,
		"192.168.1.21": false, "fd01::1": false, "8.8.8.8": false,
	} {
		allowed := false
		for _, p := range w.Allowed() {
			allowed = allowed || p.Contains(netip.MustParseAddr(address))
		}
		if allowed != may {
			t.Errorf("%s: allowed is %v", address, allowed)
		}
	}
}

func TestWyomingIsOffByItself(t *testing.T) {
	c, err := load(t, "")
	if err != nil || c.Wyoming.Listen != "" {
		t.Errorf("got %+v %v", c.Wyoming, err)
	}
	here, err := load(t, "[wyoming]\nlisten = \"127.0.0.1:10600\"\n")
	if err != nil || here.Wyoming.Asker != "guest" || len(here.Wyoming.Allowed()) != 2 {
		t.Errorf("got %+v %v, want a guest, and this machine alone", here.Wyoming, err)
	}
}

func TestEachFaultOfWyomingNamesLineFieldAndMend(t *testing.T) {
	const here, open = `listen = "127.0.0.1:10600"`, `listen = "0.0.0.0:10600"`
	for text, want := range map[string]string{
		`listen = ""`:                                   `:2: wyoming.listen: must be an address and a port`,
		`listen = "10600"`:                              `:2: wyoming.listen: must be an address and a port`,
		`listen = "house:10600"`:                        `:2: wyoming.listen: the address must be an IP address`,
		`listen = "127.0.0.1:8420"`:                     `:2: wyoming.listen: is the address of the Hub or the admin app too`,
		`listen = "127.0.0.1:8430"`:                     `:2: wyoming.listen: is the address of the Hub or the admin app too`,
		`asker = "sam"`:                                 `wyoming.listen: must say where it listens`,
		`allow = ["127.0.0.1"]`:                         `wyoming.listen: must say where it listens`,
		open:                                            `wyoming.allow: must name who may connect`,
		open + "\nallow = []":                           `:3: wyoming.allow: must name who may connect`,
		open + "\nallow = [\"0.0.0.0/0\"]":              `:3: wyoming.allow: "0.0.0.0/0" is every address there is`,
		open + "\nallow = [\"0.0.0.0\"]":                `:3: wyoming.allow: "0.0.0.0" is no address of anybody`,
		open + "\nallow = [\"homeassistant.local\"]":    `:3: wyoming.allow: "homeassistant.local" is neither`,
		open + "\nallow = [\"10.0.0.1/8\"]":             `:3: wyoming.allow: "10.0.0.1/8": its address has more`,
		open + "\nallow = [\"10.0.0.1\", \"10.0.0.1\"]": `:3: wyoming.allow: "10.0.0.1" stands there twice`,
		here + "\nasker = \"\\u0000\"":                  `:3: wyoming.asker: `,
		here + "\nper_minute = 0":                       `:3: wyoming.per_minute: must be from 1`,
		here + "\nrooms = 1":                            `:3: wyoming.rooms: no such field`,
		here + "\n[[wyoming.satellites]]\nroom = \"x\"": `:3: wyoming.satellites[0].id: must be what the voice assistant calls it`,
		here + "\n[[wyoming.satellites]]\nid = \" x\"":  `:4: wyoming.satellites[0].id: must be what`,
		here + "\n[[wyoming.satellites]]\nid = \"x\"\nasker = \"\\u0007\"":                `:5: wyoming.satellites[0].asker: `,
		here + "\n[[wyoming.satellites]]\nid = \"x\"\nroom = \"\\u0007\"":                 `:5: wyoming.satellites[0].room: `,
		here + "\n[[wyoming.satellites]]\nid = \"x\"\n[[wyoming.satellites]]\nid = \"x\"": `:6: wyoming.satellites[1].id: "x" stands there twice`,
		here + "\n[ways_in.wyoming]\naskers = [\"sam\"]":                                  `:3: ways_in.wyoming: this name is that of [wyoming]`,
	} {
		_, err := load(t, "[wyoming]\n"+text+"\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %s", text, err, want)
		}
	}
}
