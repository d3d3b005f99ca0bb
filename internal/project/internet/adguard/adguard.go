// Package adguard is AdGuard Home as a backend of the internet project, over its HTTP API.
//
// AdGuard Home is a DNS server: it knows who asked for which name, and refuses names. So a
// cut refuses every look-up of a device; what is open already may go on for a while, and
// who brings their own DNS is not held. Its ways, each met here on purpose:
//
//   - Rules belong to all devices in one list that is only ever replaced whole: all others
//     are written back as they stood, in their order.
//   - A client is only ever replaced whole: what this program does not know of is written back.
//   - A client's schedule pauses the blocking of services: one window a day, in whole
//     minutes, not across midnight. A bedtime is what the pauses leave.
//   - There is one schedule for all services of a client, so a service that is blocked at
//     all times and a bedtime exclude each other. A schedule that is no bedtime over all
//     services is somebody's own, and is never written over.
//   - Five wrong passwords lock the caller out: the first one ends all calls for a while.
//   - Nothing there can be written on condition. What is read back after a write shows
//     whether somebody else wrote at the same moment.
package adguard

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/internal/project/internet"
)

// Options say where AdGuard Home is.
type Options struct {
	// URL is the address of its page, without /control.
	URL, Username, Password string
	// Zone is the household's time zone, in which bedtimes are set.
	Zone *time.Location
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	Log *slog.Logger
}

// Home is one AdGuard Home.
type Home struct {
	*client
	zone *time.Location
	log  *slog.Logger

	mu       sync.Mutex
	services []internet.Service
	asked    time.Time
}

var (
	_ internet.Backend    = (*Home)(nil)
	_ internet.Catalogued = (*Home)(nil)
)

// New does not call anything yet. The error names the option and the mend.
func New(o Options) (*Home, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Zone == nil {
		o.Zone = time.Local
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c, err := newClient(o)
	if err != nil {
		return nil, err
	}
	return &Home{client: c, zone: o.Zone, log: o.Log}, nil
}

// Abilities are what a DNS server can.
func (h *Home) Abilities() internet.Abilities {
	can := internet.Ability{Can: true}
	return internet.Abilities{
		Name:    "AdGuard Home",
		Timed:   internet.Ability{Why: "AdGuard Home cannot end a cut by itself; cut it, and give it back in the admin app."},
		Limit:   internet.Ability{Why: "AdGuard Home keeps no daily limit: it counts look-ups and knows no minutes."},
		Bedtime: can, Sites: can, Services: can, Counts: true,
		Cutting: "AdGuard Home refuses its look-ups; what is open already may go on for a while",
	}
}

// object is a JSON object of AdGuard Home's with all of its fields, also those that this
// program does not know.
type object map[string]jsontext.Value

func (o object) read(key string, v any) error {
	raw, ok := o[key]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return unable(whyOdd, fmt.Errorf("clients: %s: %w", key, err))
	}
	return nil
}

func (o object) set(key string, v any) error {
	raw, err := json.Marshal(v)
	o[key] = raw
	return err
}

// device is one client of AdGuard Home's, read.
type device struct {
	raw      object
	name     string
	services []string
	// global says that the services of the whole household are blocked instead of its own.
	global bool
	// own says that it has settings of its own, and filtered whether rules hold for it then.
	own, filtered bool
	// unlogged says that its look-ups are not kept.
	unlogged bool
	schedule object
}

// find is the client that has one of the device's ids.
func (h *Home) find(ctx context.Context, d internet.Device) (*device, error) {
	var reply struct {
		Clients []object `json:"clients"`
	}
	if err := h.get(ctx, "/clients", &reply); err != nil {
		return nil, err
	}
	var found *device
	for _, raw := range reply.Clients {
		var ids []string
		if err := raw.read("ids", &ids); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(d.IDs, internet.CanonicalID(id)) }) {
			continue
		}
		if found != nil {
			return nil, unable("two clients of AdGuard Home have an id of "+d.Name, nil)
		}
		found = &device{raw: raw, filtered: true}
		shared := true
		for key, v := range map[string]any{
			"name": &found.name, "ignore_querylog": &found.unlogged,
			"use_global_settings": &shared, "filtering_enabled": &found.filtered, "blocked_services": &found.services,
			"use_global_blocked_services": &found.global, "blocked_services_schedule": &found.schedule,
		} {
			if err := raw.read(key, v); err != nil {
				return nil, err
			}
		}
		found.own = !shared
	}
	if found == nil || found.name == "" {
		return nil, unable(d.Name+" is no client of AdGuard Home; add it there with one of its ids", nil)
	}
	slices.Sort(found.services)
	return found, nil
}

// filtering is the list of rules, and whether they hold at all.
func (h *Home) filtering(ctx context.Context) (rules []string, on bool, err error) {
	var reply struct {
		Enabled bool     `json:"enabled"`
		Rules   []string `json:"user_rules"`
	}
	err = h.get(ctx, "/filtering/status", &reply)
	return reply.Rules, reply.Enabled, err
}

// State is how the device stands by the rules and by its client.
func (h *Home) State(ctx context.Context, d internet.Device) (internet.State, error) {
	c, err := h.find(ctx, d)
	if err != nil {
		return internet.State{}, err
	}
	rules, _, err := h.filtering(ctx)
	if err != nil {
		return internet.State{}, err
	}
	return h.state(ctx, c, rules)
}

func (h *Home) state(ctx context.Context, c *device, rules []string) (internet.State, error) {
	var s internet.State
	s.Off = slices.Contains(rules, cutRule(c.name))
	for _, r := range rules {
		if site, ok := siteOf(r, c.name); ok {
			s.Sites = append(s.Sites, site)
		}
	}
	slices.Sort(s.Sites)
	s.Sites = slices.Compact(s.Sites)
	switch {
	case c.global, len(c.services) == 0:
		return s, nil
	case !hasPauses(c.schedule):
		s.Services = c.services
		return s, nil
	}
	all, err := h.Services(ctx)
	if err != nil {
		return s, err
	}
	some := slices.ContainsFunc(all, func(x internet.Service) bool { return !slices.Contains(c.services, x.ID) })
	if b, ok := bedtimeOf(c.schedule); ok && !some {
		s.Bedtime = b
	} else {
		s.Scheduled = c.services
	}
	return s, nil
}

// Apply reads, changes and writes whole, and reads back what came of it.
func (h *Home) Apply(ctx context.Context, d internet.Device, before, after internet.State, check bool) error {
	c, err := h.find(ctx, d)
	if err != nil {
		return err
	}
	rules, on, err := h.filtering(ctx)
	if err != nil {
		return err
	}
	now, err := h.state(ctx, c, rules)
	if err != nil {
		return err
	}
	if !now.Equal(before) {
		return internet.ErrMoved
	}
	if err := h.holds(ctx, c, on, after); err != nil {
		return err
	}
	write, err := h.clientAfter(ctx, c, before, after)
	if err != nil {
		return err
	}
	changed := rulesAfter(rules, c.name, before, after)
	if check {
		return nil
	}
	if !slices.Equal(changed, rules) {
		if err := h.post(ctx, "/filtering/set_rules", map[string]any{"rules": changed}); err != nil {
			return err
		}
	}
	if write != nil {
		err := h.post(ctx, "/clients/update", map[string]any{"name": c.name, "data": write})
		if err != nil && !slices.Equal(changed, rules) { // half of it is done
			return fmt.Errorf("%w: %w", internet.ErrUncertain, err)
		}
		if err != nil {
			return err
		}
	}
	return h.confirm(ctx, d, after)
}

// holds says why what would be set would not hold: AdGuard Home takes a rule also where
// filtering is switched off, for all or for one client.
func (h *Home) holds(ctx context.Context, c *device, on bool, after internet.State) error {
	if !after.Off && len(after.Sites)+len(after.Services) == 0 && after.Bedtime == nil {
		return nil
	}
	var status struct {
		Protection bool `json:"protection_enabled"`
	}
	if err := h.get(ctx, "/status", &status); err != nil {
		return err
	}
	switch rules := after.Off || len(after.Sites) > 0; {
	case !status.Protection:
		return unable("AdGuard Home's protection is switched off, so nothing of it would hold", nil)
	case rules && !on:
		return unable("AdGuard Home's filtering is switched off, so no rule of it would hold", nil)
	case rules && c.own && !c.filtered:
		return unable("AdGuard Home's filtering is switched off for "+c.name+", so no rule of it would hold", nil)
	}
	return nil
}

// confirm reads back what was written.
func (h *Home) confirm(ctx context.Context, d internet.Device, after internet.State) error {
	state, err := h.State(ctx, d)
	switch {
	case err != nil:
		return fmt.Errorf("%w: it could not be read back: %w", internet.ErrUncertain, err)
	case !state.Equal(after):
		return fmt.Errorf("%w: it reads back otherwise", internet.ErrUncertain)
	}
	return nil
}

// Services are those that AdGuard Home knows, asked once an hour.
func (h *Home) Services(ctx context.Context) ([]internet.Service, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.services != nil && h.now().Sub(h.asked) < time.Hour {
		return slices.Clone(h.services), nil
	}
	var reply struct {
		All []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"blocked_services"`
	}
	if err := h.get(ctx, "/blocked_services/all", &reply); err != nil {
		return nil, err
	}
	var out []internet.Service
	for _, s := range reply.All {
		if id := strings.TrimSpace(s.ID); id != "" && internet.GoodLabel(s.Name) {
			out = append(out, internet.Service{ID: id, Name: s.Name})
		}
	}
	h.services, h.asked = out, h.now()
	return slices.Clone(out), nil
}
