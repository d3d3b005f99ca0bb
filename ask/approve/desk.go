package approve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
)

// The defaults of Options, and what is fixed.
const (
	// Lifetime is how long a request waits for a person.
	Lifetime = 10 * time.Minute
	// Within is the longest that an execution may take.
	Within = 30 * time.Second
	// Keep is how long what is over is kept.
	Keep = 90 * 24 * time.Hour
	// sweepEvery is how often what is older is looked for.
	sweepEvery = 24 * time.Hour
	// muteFor is how long "I did not ask for this" holds.
	muteFor = time.Hour
	// margin is what an execution's deadline leaves for keeping its result.
	margin = 10 * time.Second
	// storeWait is how long one write that must not be given up half-way may take.
	storeWait = 5 * time.Second
	// maxList is how many approvals a list has at most.
	maxList = 500
)

// Options are what a Desk is made from.
type Options struct {
	// Owner is who executes: "hub", or the project's name.
	Owner string
	Store Store
	// Execute runs what was approved.
	Execute Execute
	// Lifetime is how long a request waits, Within how long an execution may take; 0 is
	// the default of each.
	Lifetime, Within time.Duration
	// Keep is how long the store keeps what is over, where it is a Sweeper; 0 is the default.
	Keep time.Duration
	// Askers says whether requests may be made in that name; nil lets every name. It should
	// know each person by one spelling alone: limits and mutes go by the name as it is.
	Askers func(who string) bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Changed is told of each change that this Desk makes, also of a new approval. It must
	// not wait for anything. Nil is nobody.
	Changed func(Approval)
	// Log is where causes go; nil is slog.Default.
	Log *slog.Logger
}

// Desk keeps the approvals of one owner. Several Desks, also of several processes, may
// share a store. It is safe for concurrent use.
type Desk struct {
	Options
	ctx  context.Context
	stop context.CancelFunc
	all  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	running map[string]chan struct{} // closed when the execution has ended
	timers  map[string]*time.Timer
}

// Open is a Desk over the store, until ctx ends or Close. What an earlier process left
// executing past its deadline becomes unknown. The error says what is missing, or that the
// store cannot be read.
func Open(ctx context.Context, o Options) (*Desk, error) {
	switch {
	case !ask.ValidProject(o.Owner):
		return nil, fmt.Errorf("approvals: name their owner in lower-case letters, digits, \"_\" and \"-\"")
	case o.Store == nil || o.Execute == nil:
		return nil, errors.New("approvals: give them a Store and an Execute function")
	}
	if o.Lifetime <= 0 {
		o.Lifetime = Lifetime
	}
	if o.Within <= 0 {
		o.Within = Within
	}
	if o.Keep <= 0 {
		o.Keep = Keep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Changed == nil {
		o.Changed = func(Approval) {}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.Log = o.Log.With("approvals_of", o.Owner)
	d := &Desk{Options: o, running: map[string]chan struct{}{}, timers: map[string]*time.Timer{}}
	d.ctx, d.stop = context.WithCancel(ctx)
	context.AfterFunc(d.ctx, d.silence)
	open, err := d.lapseAll(ctx)
	if err != nil {
		d.stop()
		return nil, fmt.Errorf("approvals: %w", err)
	}
	for i := range open {
		d.watch(&open[i])
	}
	if s, ok := o.Store.(Sweeper); ok {
		go d.sweep(s)
	}
	return d, nil
}

// sweep forgets what is too old, now and once a day until the Desk ends.
func (d *Desk) sweep(s Sweeper) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		ctx, cancel := context.WithTimeout(d.ctx, storeWait)
		_, err := s.Sweep(ctx, d.Owner, d.now().Add(-d.Keep))
		cancel()
		if err != nil && d.ctx.Err() == nil {
			d.Log.Error("what is too old could not be removed; it is tried again in a day", "cause", err)
		}
		select {
		case <-tick.C:
		case <-d.ctx.Done():
			return
		}
	}
}

// Close takes no more yes, waits for what is being executed, at most its time, and ends
// the Desk.
func (d *Desk) Close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		d.all.Wait()
		close(ended)
	}()
	late := time.NewTimer(d.Within + margin)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
	}
	d.stop()
	d.silence()
}

// silence stops all timers, for good.
func (d *Desk) silence() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.timers {
		t.Stop()
	}
	clear(d.timers)
}

// now is the clock as a store keeps it.
func (d *Desk) now() time.Time { return d.Now().UTC().Truncate(time.Microsecond) }

// Ask asks for a person's yes. An equal request that waits already, of the same asker for
// the same action, is given back instead. The errors are ErrMuted, ErrTooMany and an
// *ask.Problem that names the field.
func (d *Desk) Ask(ctx context.Context, r Request) (Approval, error) {
	r, p := r.checked()
	if p != nil {
		return Approval{}, p
	}
	if d.Askers != nil && !d.Askers(r.Who) {
		return Approval{}, ask.NewProblem(ask.CodeForbidden, "who", `Send in "who" somebody for whom this may be asked.`)
	}
	// What has expired and was not looked at since must not count.
	if _, err := d.lapseAll(ctx); err != nil {
		return Approval{}, err
	}
	k, err := d.newKept(r)
	if err != nil {
		return Approval{}, err
	}
	kept, err := d.Store.Add(ctx, k, k.Created)
	if err != nil {
		return Approval{}, err
	}
	if kept.ID == k.ID {
		d.watch(&kept)
		d.Changed(kept.Approval)
	}
	return kept.Approval, nil
}

func (d *Desk) newKept(r Request) (Kept, error) {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	now := d.now()
	k := Kept{Approval: Approval{
		ID: hex.EncodeToString(id[:]), Owner: d.Owner, What: r.What, Who: r.Who, Why: r.Why, Action: r.Action,
		State: Pending, Created: now, Expires: now.Add(d.Lifetime),
	}}
	var err error
	if k.Digest, err = Digest(r.What, r.Who, r.Why, r.Action); err != nil {
		return k, err
	}
	k.Same, err = sameMark(r.Who, r.Action)
	return k, err
}

// Get is one approval as it stands; ErrUnknown where there is none.
func (d *Desk) Get(ctx context.Context, id string) (Approval, error) {
	k, err := d.current(ctx, id)
	return k.Approval, err
}

// List are the approvals as they stand, the newest 500: pending ones first, then what is
// being carried out, then the rest, the newest first in each.
func (d *Desk) List(ctx context.Context) ([]Approval, error) {
	if _, err := d.lapseAll(ctx); err != nil {
		return nil, err
	}
	kept, err := d.Store.List(ctx, d.Owner, false, maxList)
	if err != nil {
		return nil, err
	}
	list := make([]Approval, len(kept))
	for i := range kept {
		list[i] = kept[i].Approval
	}
	return list, nil
}

// Withdraw takes a request back, in the name of who asked for it; others may not. What is
// decided already stays as it is, and is given back.
func (d *Desk) Withdraw(ctx context.Context, id, who string) (Approval, error) {
	k, err := d.current(ctx, id)
	if err != nil {
		return Approval{}, err
	}
	if who != k.Who {
		return Approval{}, ask.NewProblem(ask.CodeForbidden, "who", "Only who asked for it may withdraw it.")
	}
	if k.State == Pending {
		now := d.now()
		_, err = d.move(ctx, &k, Move{To: Denied, Within: now, Result: Result{Message: "It was withdrawn by who asked for it.", Decided: now}})
		if err != nil {
			return Approval{}, err
		}
	}
	return d.Get(ctx, id)
}

// move makes one change of k and tells of it where it was made.
func (d *Desk) move(ctx context.Context, k *Kept, m Move) (bool, error) {
	m.Owner, m.ID, m.From = k.Owner, k.ID, k.State
	// Who has begun a change must learn whether it was made.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWait)
	defer cancel()
	moved, err := d.Store.Move(ctx, m)
	if err != nil || !moved {
		return false, err
	}
	result := m.Result
	k.State, k.Result, k.Deadline = m.To, &result, m.Deadline
	if !k.State.open() {
		d.unwatch(k.ID)
	}
	d.Changed(k.Approval)
	return true, nil
}
