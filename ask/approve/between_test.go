package approve

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// between is a store that lets something happen after an approval was read and before the
// first change of it.
type between struct {
	Store
	happens func(ctx context.Context)
}

func (b *between) Move(ctx context.Context, m Move) (bool, error) {
	if happens := b.happens; happens != nil {
		b.happens = nil
		happens(ctx)
	}
	return b.Store.Move(ctx, m)
}

func TestWhatIsChangedBetweenReadingAndDecidingIsRefused(t *testing.T) {
	memory := NewMemory()
	store := &between{Store: memory}
	d, ran := made(t, func(o *Options) { o.Store = store })
	a := asked(t, d, request("Mend the tap."))
	store.happens = func(context.Context) {
		m := memory.(*Memory)
		k := m.at(a.ID)
		k.What = "Buy a boat."
		k.Digest, _ = Digest(k.What, k.Who, k.Why, k.Action)
		m.put(k)
	}
	got, err := d.Decide(t.Context(), yes(a))
	d.Close() // it waits for what may run
	if !errors.Is(err, ErrDigest) || ran.Load() != 0 {
		t.Errorf("got %s %v, ran %d times", got.State, err, ran.Load())
	}
}

// looked is a store that lets something happen once, right after an approval was read.
type looked struct {
	Store
	then atomic.Pointer[func()]
}

func (l *looked) Get(ctx context.Context, owner, id string) (Kept, error) {
	k, err := l.Store.Get(ctx, owner, id)
	if then := l.then.Swap(nil); then != nil {
		(*then)()
	}
	return k, err
}

// A tap reads the clock when it looks and again when it decides.
func TestAClockThatStepsWithinATap(t *testing.T) {
	for name, step := range map[string]time.Duration{"over the expiry": Lifetime, "back to before it was made": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			c := &clock{}
			c.set(time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC))
			store := &looked{Store: NewMemory()}
			d, ran := made(t, func(o *Options) { o.Now, o.Store = c.now, store })
			a := asked(t, d, request("Mend the tap."))
			store.then.Store(new(func() { c.add(step) }))
			if got := decided(t, d, yes(a)); got.State != Expired || ran.Load() != 0 || store.then.Load() != nil {
				t.Errorf("got %s, ran %d times", got.State, ran.Load())
			}
		})
	}
}

func TestWhoTapsAndGoesLeavesNoChangeHalfWay(t *testing.T) {
	store := &between{Store: NewMemory()}
	d, ran := made(t, func(o *Options) { o.Store = store })
	a := asked(t, d, request("Mend the tap."))
	ctx, leave := context.WithCancel(t.Context())
	store.happens = func(ctx context.Context) {
		leave()
		if ctx.Err() != nil {
			t.Error("the change is given up with its tap")
		}
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("nothing bounds the change")
		}
	}
	_, _ = d.Decide(ctx, yes(a))
	if got := decided(t, d, yes(a)); got.State != Done || ran.Load() != 1 {
		t.Errorf("got %s, ran %d times", got.State, ran.Load())
	}
}
