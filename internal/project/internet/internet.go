// Package internet is the data project for what a household's children do and may do
// online: how long their devices were active, what was looked up and blocked, their
// bedtimes, and whose internet is cut. Questions are answered by typed look-ups (package
// plan) and change nothing.
//
// A change has one way and no other: somebody asks for it at POST /changes, an approval
// shows what will run with the state before and after, a person says yes in the admin app,
// and the project carries it out once, if the state is still the "before". The Hub is no
// part of that way.
//
// What knows and changes a network is behind Backend: package adguard is AdGuard Home,
// package linux a router's own nftables and dnsmasq, package sample one in memory.
package internet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/planner"
)

// DefaultName is the project's row in routing.md.
const DefaultName = "internet_control"

// Config is what the project needs.
type Config struct {
	// Name is the project's name in routing.md; "" is DefaultName.
	Name string
	// Zone is the household's time zone; nil is the machine's.
	Zone    *time.Location
	Devices []Device
	Backend Backend
	// MaySee says whether asker may see person's use; nil lets nobody but the person.
	MaySee func(asker ask.Asker, person ask.Person) bool
	// Known says whether somebody lives here: only they may ask for a change. Nil is anybody.
	Known func(name string) bool
	// Second plans what the project's own rules find no look-up for, and Model writes
	// what was found, as askplan has them; nil is nobody.
	Second planner.Planner
	Model  planner.Model
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	Log *slog.Logger
}

// Internet answers about the devices of a household and changes them after a yes.
type Internet struct {
	cfg    Config
	names  []ask.Person
	people map[ask.Person]*holder
	ledger *ledger
	made   askserve.Project

	// changing holds the one change that is carried out, reading the one reading of the log.
	changing, reading chan struct{}
	desk              Desk
	digest            [32]byte
}

// holder is one person with devices. Its catalogue reads these and no other's.
type holder struct {
	internet  *Internet
	person    ask.Person
	devices   []Device
	catalogue *plan.Catalogue
}

// New checks the configuration. The backend is not asked yet. The error names every fault
// by device, field and mend.
func New(cfg Config) (*Internet, error) {
	cfg.Name = cmp.Or(cfg.Name, DefaultName)
	if cfg.Zone == nil {
		cfg.Zone = time.Local
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.MaySee == nil {
		cfg.MaySee = func(asker ask.Asker, person ask.Person) bool { return string(asker) == string(person) }
	}
	if cfg.Known == nil {
		cfg.Known = func(string) bool { return true }
	}
	if cfg.Backend == nil {
		return nil, errors.New("backend: there is none: name what knows the network")
	}
	devices, err := CheckDevices(cfg.Devices)
	if err != nil {
		return nil, err
	}
	cfg.Devices = devices
	n := &Internet{cfg: cfg, people: map[ask.Person]*holder{}, ledger: newLedger(cfg.Zone), changing: make(chan struct{}, 1), reading: make(chan struct{}, 1)}
	for _, d := range cfg.Devices {
		h := n.people[d.Person]
		if h == nil {
			h = &holder{internet: n, person: d.Person}
			n.people[d.Person] = h
			n.names = append(n.names, d.Person)
		}
		h.devices = append(h.devices, d)
	}
	for _, h := range n.people {
		if h.catalogue, err = newCatalogue(h); err != nil {
			return nil, err
		}
	}
	return n, n.build()
}

// maxDeviceName is the longest name of a device, in code points.
const maxDeviceName = 40

// CheckDevices gives the devices with their ids in one form, or every fault of them.
func CheckDevices(all []Device) ([]Device, error) {
	if len(all) == 0 {
		return nil, errors.New("devices: there is none: add one with name, person and ids")
	}
	var faults []error
	out := slices.Clone(all)
	names, ids := map[string]int{}, map[string]int{}
	for i := range out {
		d := &out[i]
		fault := func(field, format string, args ...any) {
			faults = append(faults, fmt.Errorf("devices[%d].%s %s", i, field, fmt.Sprintf(format, args...)))
		}
		if !goodName(d.Name) {
			fault("name", "must be what the household calls it, like \"Harry's tablet\": up to %d letters, digits, spaces, ' and -", maxDeviceName)
		}
		if first, twice := names[strings.ToLower(d.Name)]; twice {
			fault("name", "is that of devices[%d] too: give each its own", first)
		}
		names[strings.ToLower(d.Name)] = i
		if d.Person == "" {
			fault("person", "is missing: name whose device it is")
		}
		if len(d.IDs) == 0 {
			fault("ids", "must name at least one MAC address, IP address or client id")
		}
		d.IDs = slices.Clone(d.IDs)
		for j, id := range d.IDs {
			d.IDs[j] = CanonicalID(id)
			if d.IDs[j] == "" {
				fault(fmt.Sprintf("ids[%d]", j), "must be a MAC address, an IP address, or a client id of small letters, digits and -")
				continue
			}
			if first, twice := ids[d.IDs[j]]; twice {
				fault(fmt.Sprintf("ids[%d]", j), "is an id of devices[%d] too: it belongs to one device", first)
			}
			ids[d.IDs[j]] = i
		}
	}
	return out, errors.Join(faults...)
}

func goodName(s string) bool {
	n := 0
	for _, r := range s {
		if n++; !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" '’-", r) {
			return false
		}
	}
	return n > 0 && n <= maxDeviceName && strings.TrimSpace(s) == s
}

// People are those with a device, in the order of the configuration.
func (n *Internet) People() []ask.Person { return slices.Clone(n.names) }

// device is the device of that name.
func (n *Internet) device(name string) (Device, bool) {
	for _, d := range n.cfg.Devices {
		if d.Name == name {
			return d, true
		}
	}
	return Device{}, false
}

// How often the backend's log is read, and for how long after a failure it is not.
const (
	readEvery = time.Minute
	readWait  = 20 * time.Second
)

// Run keeps the use of the devices known until ctx ends; that is no error.
func (n *Internet) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	if keeper, ok := n.cfg.Backend.(Keeper); ok {
		all.Go(func() {
			if err := keeper.Keep(ctx); err != nil && ctx.Err() == nil {
				n.cfg.Log.Error("what was set can no longer be kept up", "why", err)
			}
		})
	}
	for {
		wait := readEvery
		if err := n.Refresh(ctx); err != nil && ctx.Err() == nil {
			n.cfg.Log.Warn("the use of the devices cannot be read", "why", err)
			wait = readWait
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
	}
}

// Refresh reads once what was looked up since it was last read, one at a time: what two
// read at once would count twice.
func (n *Internet) Refresh(ctx context.Context) error {
	select {
	case n.reading <- struct{}{}:
		defer func() { <-n.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	now := n.cfg.Now()
	since := n.ledger.next(now)
	var fresh []Lookup
	read, err := n.cfg.Backend.Lookups(ctx, n.cfg.Devices, since, func(l Lookup) { fresh = append(fresh, l) })
	if err != nil {
		n.ledger.missed(err)
		return err
	}
	for _, l := range read.Lost {
		n.cfg.Log.Warn("a device's use cannot be read", "device", l.Device, "why", l.Why)
	}
	n.ledger.add(fresh, since, read, now)
	return nil
}
