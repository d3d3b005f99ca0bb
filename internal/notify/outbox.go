package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/askhub/askhub/internal/people"
)

// How long things take.
const (
	// sendFor is the longest that one target may take with one message.
	sendFor = 10 * time.Second
	// lease is how long a delivery is held by whoever sends it; after giveBack, what was
	// taken and not sent yet is given back.
	lease    = 30 * time.Second
	giveBack = lease - 2*sendFor
	// firstPause and longestPause bound the wait between two tries.
	firstPause   = 5 * time.Second
	longestPause = 30 * time.Minute
	// look is how often the store is asked for what another process left.
	look = 20 * time.Second
)

// What ends the tries of a delivery; the reasons say the lengths of time in words.
const (
	MaxTries = 50
	MaxAge   = 24 * time.Hour
	// MaxSpoken is how long what is urgent may still be said aloud: a voice says nothing of
	// when, so that what is old would be heard as new.
	MaxSpoken = time.Hour
)

// each is how many deliveries one target is given at a time.
const each = 16

// DefaultCap is what a project may send where the config says nothing.
var DefaultCap = Cap{Most: 30, Window: 10 * time.Minute}

// Config is what an Outbox is built from.
type Config struct {
	Store Keeping
	// Household is the one in force.
	Household func() *people.Household
	// Targets are all the places where that person is reached just now.
	Targets func(p *people.Person) []Target
	// Cap holds each project; DefaultCap where it is zero.
	Cap Cap
	Now func() time.Time
	Log *slog.Logger
	// Added is told of each notice that is kept, Ended of each delivery that leaves Waiting.
	// Both may be nil, and must not wait for anything.
	Added func(id string, n Notice)
	Ended func(Result)
}

// Outbox keeps notices and brings them to their targets. It is safe for concurrent use.
type Outbox struct {
	cfg    Config
	holder string
	wake   chan struct{}

	mu      sync.Mutex
	busy    map[string]bool
	failing map[string]failing
	settled chan struct{}
}

// failing is a target that did not take the last message.
type failing struct {
	times int
	until time.Time
}

// New is an outbox; Run delivers what is in it.
func New(cfg Config) *Outbox {
	if cfg.Cap == (Cap{}) {
		cfg.Cap = DefaultCap
	}
	if cfg.Added == nil {
		cfg.Added = func(string, Notice) {}
	}
	if cfg.Ended == nil {
		cfg.Ended = func(Result) {}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Outbox{
		cfg: cfg, holder: newID(cfg.Now()), wake: make(chan struct{}, 1),
		busy: map[string]bool{}, failing: map[string]failing{}, settled: make(chan struct{}),
	}
}

// Add keeps a notice for its person, durably, and gives its id. The same words from the
// same project to the same person within a minute are one notice. Its error is an
// *ask.Problem that names the field, ErrUnknownPerson, a *TooMany, or a fault of the store.
func (o *Outbox) Add(ctx context.Context, n Notice) (string, error) {
	if p := n.Validate(); p != nil {
		return "", p
	}
	return o.Keep(ctx, n)
}

// Keep is Add without the contract's check of the words, for those that a person of the
// household said.
func (o *Outbox) Keep(ctx context.Context, n Notice) (string, error) {
	house := o.cfg.Household()
	person, ok := house.Find(n.Person)
	if !ok {
		return "", ErrUnknownPerson
	}
	n.Person = string(person.Name)
	now := o.cfg.Now()
	e := Entry{ID: newID(now), At: now, Notice: n}
	e.Deliveries = plan(&n, &person, house.Zone(), o.cfg.Targets(&person), now)
	added, err := o.cfg.Store.Add(ctx, &e, o.cfg.Cap)
	if many, ok := errors.AsType[*TooMany](err); ok && many.First {
		o.tell(ctx, &n)
	}
	if err != nil {
		return "", err
	}
	if !added.Merged {
		o.cfg.Added(added.ID, n)
	}
	o.nudge()
	return added.ID, nil
}

// tell says once in the person's feed that a project is held back.
func (o *Outbox) tell(ctx context.Context, n *Notice) {
	_, err := o.Keep(ctx, Notice{
		From: Hub, Person: n.Person, Level: Info,
		Message: fmt.Sprintf("%s sends too many notices, so some of them are not taken.", n.From),
	})
	if err != nil {
		o.cfg.Log.Error("a person could not be told that a project sends too much", "project", n.From, "cause", err)
	}
	o.cfg.Log.Warn("a project sends too many notices", "project", n.From, "person", n.Person)
}

// TellAdults adds that notice of the Hub's for every adult of the household.
func (o *Outbox) TellAdults(ctx context.Context, n Notice) error {
	var all []error
	for _, p := range o.cfg.Household().People() {
		if p.Role == people.RoleAdult {
			n.From, n.Person = Hub, string(p.Name)
			_, err := o.Add(ctx, n)
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// Await gives the notice as it stands when none of its phones waits to be tried for the
// first time, or when ctx ends.
func (o *Outbox) Await(ctx context.Context, id string) (Entry, error) {
	for {
		o.mu.Lock()
		settled := o.settled
		o.mu.Unlock()
		e, err := o.cfg.Store.Get(context.WithoutCancel(ctx), id)
		if err != nil || !slices.ContainsFunc(e.Deliveries, func(d Delivery) bool { return o.underway(&d) }) {
			return e, err
		}
		select {
		case <-ctx.Done():
			return e, nil
		case <-settled:
		case <-time.After(time.Second): // another process may have taken it
		}
	}
}

func (o *Outbox) underway(d *Delivery) bool {
	return KindOf(d.Target).Phone() && d.State == Waiting && d.Tries == 0 && !d.Due.After(o.cfg.Now())
}

// nudge has Run look at once.
func (o *Outbox) nudge() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// pause is the wait after that many failures in a row, a quarter more or less.
func pause(failures int) time.Duration {
	wait := longestPause
	if n := max(failures, 1) - 1; n < 20 {
		wait = min(firstPause<<n, longestPause)
	}
	return wait*3/4 + rand.N(wait/2)
}
