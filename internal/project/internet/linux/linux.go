// Package linux is a household's own Linux router as a backend of the internet project:
// nftables holds what is cut, and dnsmasq's log tells what was looked up.
//
// The nft command is used with its JSON form. It comes with every router that has
// nftables, takes one transaction as a whole, and a person sees by `nft list table inet
// askhub` exactly what was set here. The table is this program's own; every other table
// stays as it is. What is cut is in sets in the kernel, so it outlives this program; a
// cut for some time ends in the kernel by itself.
//
// A bedtime is kept in a file, and put into a set with a timeout when it begins: the
// kernel ends it, and this program has to run for it to begin. So it is with a daily limit:
// the kernel counts what a device sends, and a minute in which that is more than it says by
// itself counts as used.
package linux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/askhub/askhub/internal/project/internet"
)

// Options say where things are on the router.
type Options struct {
	// Nft is the command; empty is "nft". More words come before its own.
	Nft []string
	// Neighbours is the command that lists the network's neighbours as JSON; empty is
	// "ip -j neigh".
	Neighbours []string
	// Log is dnsmasq's log file, with log-queries; "" is none.
	Log string
	// Leases is dnsmasq's lease file, by which addresses are known for devices; "" is none.
	Leases string
	// File keeps bedtimes and limits over a restart.
	File string
	// Devices are all that a bedtime or a limit may be of.
	Devices []internet.Device
	// Zone is the household's time zone.
	Zone *time.Location
	// Now is the clock; nil is time.Now.
	Now  func() time.Time
	Slog *slog.Logger
}

// Router is this machine's network.
type Router struct {
	o Options

	log *queryLog

	mu     sync.Mutex
	plans  kept
	meters map[string]meter // by the device's name
}

var (
	_ internet.Backend = (*Router)(nil)
	_ internet.Keeper  = (*Router)(nil)
)

// New reads the file of bedtimes, and asks the network nothing yet. The error names the
// option and the mend.
func New(o Options) (*Router, error) {
	if len(o.Nft) == 0 {
		o.Nft = []string{"nft"}
	}
	if len(o.Neighbours) == 0 {
		o.Neighbours = []string{"ip", "-j", "neigh"}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Zone == nil {
		o.Zone = time.Local
	}
	if o.Slog == nil {
		o.Slog = slog.New(slog.DiscardHandler)
	}
	if err := CheckDevices(o.Devices); err != nil {
		return nil, err
	}
	for _, d := range o.Devices {
		if hardware, _ := idsOf(d); len(hardware) == 0 {
			o.Slog.Warn("a device is known by its addresses alone, so under another address it is not held: add its MAC address", "device", d.Name)
		}
	}
	r := &Router{o: o, meters: map[string]meter{}}
	var err error
	if r.plans, err = readPlans(o.File); err != nil {
		return nil, err
	}
	r.tellStrangers()
	if o.Log != "" {
		r.log = newQueryLog(o.Log, o.Zone, o.Now)
	}
	return r, nil
}

// CheckDevices says of which devices no packet bears an id.
func CheckDevices(devices []internet.Device) error {
	var faults []error
	for i, d := range devices {
		if hardware, addresses := idsOf(d); len(hardware)+len(addresses) == 0 {
			faults = append(faults, fmt.Errorf("devices[%d].ids are too few: %s needs a MAC address or an IP address, the router knows no other", i, d.Name))
		}
	}
	return errors.Join(faults...)
}

// Abilities are what packets and clocks allow.
func (r *Router) Abilities() internet.Abilities {
	can := internet.Ability{Can: true}
	const sites = "This router holds packets by device and cannot tell one site of a device from another."
	return internet.Abilities{
		Name: "the router", Timed: can, Bedtime: can, Limit: can,
		Sites:    internet.Ability{Why: sites},
		Services: internet.Ability{Why: sites},
		Cutting:  "the router drops all that it sends",
	}
}

// idsOf are the device's ids that packets bear.
func idsOf(d internet.Device) (hardware []string, addresses []netip.Addr) {
	for _, id := range d.IDs {
		if _, err := net.ParseMAC(id); err == nil {
			hardware = append(hardware, id)
		} else if ip, err := netip.ParseAddr(id); err == nil {
			addresses = append(addresses, ip)
		}
	}
	return hardware, addresses
}

// State is how the device stands by the sets and by the file.
func (r *Router) State(ctx context.Context, d internet.Device) (internet.State, error) {
	held, err := r.held(ctx)
	if err != nil {
		return internet.State{}, err
	}
	return r.state(d, held), nil
}

func (r *Router) state(d internet.Device, held elements) internet.State {
	var s internet.State
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.o.Now().In(r.o.Zone)
	if b, ok := r.plans.Bedtimes[d.Name]; ok {
		s.Bedtime = &b
	}
	s.Limit, s.Used, s.Spent = r.plans.Limits[d.Name], r.plans.usedOn(d.Name, now), r.plans.spent(d.Name, now)
	s.Off, s.Until, _ = cutBy(d, held, now)
	return s
}

// cutBy is how the sets hold the device back. One that is held by some of its ids alone, which
// were changed after the cut, is off too, so that it can be given back; then whole is false.
// Until is when the last of them ends, zero for never.
func cutBy(d internet.Device, held elements, now time.Time) (off bool, until time.Time, whole bool) {
	whole, forGood := true, false
	for _, id := range idsIn(d, cutSets) {
		how, in := held[id]
		if !in {
			whole = false
			continue
		}
		off = true
		forGood = forGood || how.left == 0
		if end := now.Add(how.left).Truncate(time.Second); end.After(until) {
			until = end
		}
	}
	if !off || forGood {
		until = time.Time{}
	}
	return off, until, off && whole
}

// near is whether two states are the same but for a second of a cut that ends by itself.
func near(a, b internet.State) bool {
	if a.Until.IsZero() != b.Until.IsZero() || a.Until.Sub(b.Until).Abs() > 3*time.Second {
		return false
	}
	a.Until = b.Until
	return a.Equal(b)
}

// Apply changes the sets in one transaction, or the file in one step.
func (r *Router) Apply(ctx context.Context, d internet.Device, before, after internet.State, check bool) error {
	held, err := r.held(ctx)
	if err != nil {
		return err
	}
	now := r.state(d, held)
	if !near(now, before) {
		return internet.ErrMoved
	}
	if len(after.Sites)+len(after.Services) > 0 {
		return &internet.ImpossibleError{Field: "change", Why: r.Abilities().Sites.Why}
	}
	if check {
		return nil
	}
	cutting := now.Off != after.Off || !after.Until.Equal(before.Until)
	if cutting {
		if err := r.cut(ctx, d, after); err != nil {
			return err
		}
	}
	clock := after
	clock.Off, clock.Until = now.Off, now.Until
	if now.Equal(clock) {
		return nil
	}
	err = r.plan(d, after)
	if err == nil {
		if err = r.byTheClock(ctx); err == nil {
			return nil
		}
		// What is in the file is kept up later, so a plan that failed must not stay there.
		if back := r.plan(d, now); back != nil {
			return fmt.Errorf("%w: %w, and it could not be taken back: %w", internet.ErrUncertain, err, back)
		}
	}
	if cutting {
		return fmt.Errorf("%w: it was half done: %w", internet.ErrUncertain, err)
	}
	return err
}

// run runs a command with an input, and gives what it printed.
func run(ctx context.Context, command []string, input []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], args...)...)
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = time.Second
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	text := strings.TrimSpace(said.String())
	if len(text) > 300 {
		text = text[:300]
	}
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), err)
	case errors.Is(err, exec.ErrNotFound):
		return nil, unable(command[0]+" is not installed on this router", err)
	case strings.Contains(text, "Operation not permitted"), strings.Contains(text, "you must be root"):
		return nil, unable("askhub may not change this router's packet filter", err)
	}
	return nil, fmt.Errorf("%w: %s", err, text)
}

func unable(why string, err error) error { return &internet.UnableError{Why: why, Err: err} }
