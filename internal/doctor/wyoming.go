package doctor

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/people"
)

// wideIPv4 and wideIPv6 are the shortest prefixes of one home network: a wider one lets in
// more than a house has.
const wideIPv4, wideIPv6 = 24, 64

// wyoming looks at the way in of voice assistants, which knows its callers by their
// addresses alone.
func (e *exam) wyoming(ctx context.Context) []Check {
	if e.cfg.Wyoming.Listen == "" {
		return nil
	}
	return append(e.whoSpeaks(), e.voiceDoor(ctx)...)
}

// voiceDoor is whether a Hub that runs takes voice assistants.
func (e *exam) voiceDoor(ctx context.Context) []Check {
	if !e.runs {
		return nil
	}
	address := e.cfg.Wyoming.Listen
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", config.Dialable(address))
	if err != nil {
		return []Check{{"wyoming.listen", Warn, "the Hub runs, and nobody answers voice assistants at " + address, `Start "askhub serve" again: it reads askhub.toml at its start.`, false}}
	}
	_ = c.Close()
	return nil
}

// whoSpeaks is who may connect, and as whom they ask.
func (e *exam) whoSpeaks() []Check {
	w := &e.cfg.Wyoming
	if unknown := e.unknownSpeakers(); len(unknown) > 0 {
		return []Check{{
			"wyoming", Fault, "it speaks for " + strings.Join(unknown, ", ") + ", whom people.toml does not name",
			"Name them in people.toml, or mend asker of [wyoming] and its satellites in askhub.toml.", false,
		}}
	}
	host, _, _ := net.SplitHostPort(w.Listen) // the config has checked it
	if config.Loopback(host) {
		return []Check{{Check: "wyoming", State: OK, What: "voice assistants on this machine ask at " + w.Listen + ", as " + w.Asker + " where no satellite says otherwise"}}
	}
	checks := []Check{{
		"wyoming", Warn, fmt.Sprintf("open to the network at %s: whoever comes from %s asks without a token and unencrypted, as %s", w.Listen, strings.Join(w.Allow, ", "), e.speakers()),
		"Where the voice assistant is on this machine, let it listen on 127.0.0.1; else see that the network gives nobody else these addresses.", false,
	}}
	for _, p := range w.Allowed() {
		if wide(p) {
			checks = append(checks, Check{"wyoming.allow", Warn, p.String() + " is more than one home network", "Name the voice assistant's own address.", false})
		}
	}
	return checks
}

// wide is whether a prefix that is no loopback holds more than one home network.
func wide(p netip.Prefix) bool {
	narrowest := wideIPv6
	if p.Addr().Is4() {
		narrowest = wideIPv4
	}
	return !p.Addr().IsLoopback() && p.Bits() < narrowest
}

// speakers are all as whom a device may ask.
func (e *exam) speakers() string {
	names := []string{e.cfg.Wyoming.Asker}
	for _, s := range e.cfg.Wyoming.Satellites {
		if !slices.Contains(names, s.Asker) {
			names = append(names, s.Asker)
		}
	}
	return strings.Join(names, " or ")
}

// unknownSpeakers are those of whom people.toml knows nothing.
func (e *exam) unknownSpeakers() []string {
	if e.house == nil {
		return nil // what is wrong with people.toml was said
	}
	var unknown []string
	for _, s := range append([]config.Satellite{{Asker: e.cfg.Wyoming.Asker}}, e.cfg.Wyoming.Satellites...) {
		if _, ok := e.house.Find(s.Asker); !ok && s.Asker != string(people.Guest) && !slices.Contains(unknown, s.Asker) {
			unknown = append(unknown, s.Asker)
		}
	}
	return unknown
}
