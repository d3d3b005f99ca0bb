package internet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// Device is one thing in the household's network.
type Device struct {
	// Name is what the household calls it, and what it is asked for by.
	Name   string
	Person ask.Person
	// IDs are its MAC addresses, IP addresses and client ids, in the form of CanonicalID.
	IDs []string
}

var clientID = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$`)

// CanonicalID is an id of a device in the one form by which ids are compared; "" is none.
func CanonicalID(id string) string {
	if mac, err := net.ParseMAC(id); err == nil && len(mac) == 6 {
		return mac.String()
	}
	if ip, err := netip.ParseAddr(id); err == nil && ip.Zone() == "" && !ip.IsUnspecified() {
		return ip.Unmap().String()
	}
	if clientID.MatchString(id) {
		return id
	}
	return ""
}

// State is how one device stands, as far as it can be changed here.
type State struct {
	// Off is whether its internet is cut; Until is when that ends by itself, zero for never.
	Off   bool      `json:"off"`
	Until time.Time `json:"until,omitzero"`
	// Bedtime is nil for none.
	Bedtime *Bedtime `json:"bedtime,omitempty"`
	// Limit is the minutes of each day, 0 for no limit.
	Limit int `json:"limit,omitzero"`
	// Used are the minutes of today that count towards the limit, and Spent is whether it is
	// used up. They are no part of what is changed, nor of Equal.
	Used  int  `json:"-"`
	Spent bool `json:"-"`
	// Sites and Services are what is blocked on it at all times, in alphabetical order.
	Sites    []string `json:"sites,omitempty"`
	Services []string `json:"services,omitempty"`
	// Scheduled are services that are blocked at hours of the network's own, which are no
	// bedtime, in alphabetical order. They are no part of what is changed, nor of Equal.
	Scheduled []string `json:"-"`
}

// Equal compares all that can be changed.
func (s State) Equal(o State) bool {
	same := s.Bedtime == nil && o.Bedtime == nil || s.Bedtime != nil && o.Bedtime != nil && s.Bedtime.Equal(*o.Bedtime)
	return same && s.Off == o.Off && s.Until.Equal(o.Until) && s.Limit == o.Limit &&
		slices.Equal(s.Sites, o.Sites) && slices.Equal(s.Services, o.Services)
}

// Lookup is one name that a device asked the network for.
type Lookup struct {
	// Device is the device's Name.
	Device string
	At     time.Time
	// Name is the domain. Whoever writes an app or a page chooses it.
	Name    string
	Blocked bool
}

// Ability is whether a backend can do something, and else why not, to read on after "but".
type Ability struct {
	Can bool
	Why string
}

// Abilities are what a backend can change.
type Abilities struct {
	// Name is what the backend is called: "AdGuard Home".
	Name string
	// Timed is a cut that ends by itself.
	Timed, Bedtime, Limit, Sites, Services Ability
	// Cutting says in some words what a cut does there, to read on in brackets.
	Cutting string
	// Counts is whether blocked look-ups can be told from others.
	Counts bool
}

// Backend knows the network and changes it. It is called by several goroutines; Apply by
// one at a time. All of them end with ctx, and their errors are *UnableError where a
// person can be told why.
type Backend interface {
	Abilities() Abilities
	// State is how the device stands now.
	State(ctx context.Context, d Device) (State, error)
	// Apply takes the device from before to after, and changes nothing else in the network.
	// With check it only finds out whether that can be done. What can never be done there is
	// an *ImpossibleError; a device that does not stand as before is ErrMoved. An error is
	// ErrUncertain where something may have changed, and else nothing has.
	Apply(ctx context.Context, d Device, before, after State, check bool) error
	// Lookups calls each with every look-up of the devices at since or later, in any order.
	Lookups(ctx context.Context, devices []Device, since time.Time, each func(Lookup)) (Reading, error)
}

// Reading says how whole what was read is.
type Reading struct {
	// From is since when all look-ups are there: what was asked for, or later.
	From time.Time
	// Lost are devices whose look-ups cannot be told.
	Lost []Lost
}

// Lost is a device whose look-ups cannot be told, and why, mostly an *UnableError.
type Lost struct {
	Device string
	Why    error
}

// Keeper is a backend that has to work for what was set to hold, such as a bedtime. Keep
// returns when ctx ends.
type Keeper interface {
	Keep(ctx context.Context) error
}

// Service is something with many domains that can be blocked as one, such as YouTube.
type Service struct{ ID, Name string }

// Catalogued is a backend that knows services.
type Catalogued interface {
	// Services are those that can be blocked, by name.
	Services(ctx context.Context) ([]Service, error)
}

// ErrMoved is a device that no longer stands as it did when the change was asked for.
var ErrMoved = errors.New("the device no longer stands as it did when this was asked for")

// ErrUncertain is a change of which it is not known whether it was made.
var ErrUncertain = approve.ErrUncertain

// UnableError is what keeps a backend from doing anything just now.
type UnableError struct {
	// Why is in plain words for a person, with nothing internal: "AdGuard Home is not answering".
	Why string
	// Err is the cause, for the log; nil where Why says it all, and is one device's own.
	Err error
}

func (e *UnableError) Error() string {
	if e.Err == nil {
		return e.Why
	}
	return e.Why + ": " + e.Err.Error()
}

// Unwrap is the cause.
func (e *UnableError) Unwrap() error { return e.Err }

// Reason is Why, as the reason of an answer.
func (e *UnableError) Reason() string { return e.Why }

// ImpossibleError is a change that a backend can never make as it was asked for.
type ImpossibleError struct {
	// Field is the field of the form at fault, or "change".
	Field string
	// Why is a whole sentence for a person.
	Why string
}

func (e *ImpossibleError) Error() string { return e.Why }

var domain = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`)

// GoodSite is whether s is a domain in small ASCII letters, such as example.org.
func GoodSite(s string) bool { return len(s) <= 253 && domain.MatchString(s) }

// with and without are lists in alphabetical order.
func with(list []string, s string) []string {
	out := append(slices.Clone(list), s)
	slices.Sort(out)
	return slices.Compact(out)
}

func without(list []string, s string) []string {
	out := slices.DeleteFunc(slices.Clone(list), func(x string) bool { return x == s })
	if len(out) == 0 {
		return nil
	}
	return out
}

func joinAnd(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// GoodLabel is whether s can stand in a form and in a sentence: a name of some plain words.
func GoodLabel(s string) bool {
	return s != "" && len(s) <= 60 && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || strings.ContainsRune("<>\"“”`{}[]|\\", r)
	})
}

// Canonical is the device with its ids in the form of CanonicalID, without those that are none.
func (d Device) Canonical() Device {
	ids := make([]string, 0, len(d.IDs))
	for _, id := range d.IDs {
		if id = CanonicalID(id); id != "" {
			ids = append(ids, id)
		}
	}
	d.IDs = ids
	return d
}
