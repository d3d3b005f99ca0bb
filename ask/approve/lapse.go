package approve

import (
	"context"
	"time"
)

// What a person hears of an approval that nobody saw the end of.
const (
	saysExpired = "Nobody decided in time, so nothing was done."
	saysUnknown = "It was begun, and nobody knows whether it was carried out; please look, and ask again if it was not."
	saysNot     = "It was approved, but it was not begun in time, so nothing was done."
)

// lapsed is the change that time alone brings about by now; ok is false where there is none.
func (k *Kept) lapsed(now time.Time) (m Move, ok bool) {
	if k.State == Pending {
		return Move{To: Expired, Result: Result{Message: saysExpired, Decided: k.Expires}}, !k.alive(now)
	}
	m = Move{Due: now}
	if k.Result != nil {
		m.Result = *k.Result
	}
	m.Result.Ended = now
	switch k.State {
	case Approved: // whoever would begin it finds it failed first
		m.To, m.Result.Message = Failed, saysNot
	case Executing:
		m.To, m.Result.Message = Unknown, saysUnknown
	default:
		return m, false
	}
	return m, !k.Deadline.After(now)
}

// lapsed is k.lapsed by the clock. What this process is carrying out is none of the clock's
// business, which may step: its timer ends it.
func (d *Desk) lapsed(k *Kept) (m Move, ok bool) {
	if k.State != Pending && d.isRunning(k.ID) != nil {
		return m, false
	}
	return k.lapsed(d.now())
}

// current is the approval with what time has brought about.
func (d *Desk) current(ctx context.Context, id string) (Kept, error) {
	if !validHex(id, 32) {
		return Kept{}, ErrUnknown
	}
	for {
		k, err := d.Store.Get(ctx, d.Owner, id)
		if err != nil {
			return Kept{}, err
		}
		m, ok := d.lapsed(&k)
		if !ok {
			return k, nil
		}
		if moved, err := d.move(ctx, &k, m); err != nil || moved {
			return k, err
		}
		// Somebody else was first: it reads otherwise now.
	}
}

// lapseAll brings about what time has, and gives what is still open.
func (d *Desk) lapseAll(ctx context.Context) ([]Kept, error) {
	list, err := d.Store.List(ctx, d.Owner, true, maxList)
	if err != nil {
		return nil, err
	}
	open := list[:0]
	for _, k := range list {
		m, ok := d.lapsed(&k)
		if !ok {
			open = append(open, k)
			continue
		}
		if _, err := d.move(ctx, &k, m); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// watch has the approval looked at when its time is over, so that its end is told without
// anybody asking. A timer goes on where the clock is set back, and ends it all the same.
func (d *Desk) watch(k *Kept) {
	id, from := k.ID, k.State
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return
	}
	if t := d.timers[id]; t != nil {
		t.Stop()
	}
	d.timers[id] = time.AfterFunc(max(k.end().Sub(d.now()), 0), func() { d.timeUp(id, from) })
}

func (d *Desk) unwatch(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.timers[id]; t != nil {
		t.Stop()
		delete(d.timers, id)
	}
}

// timeUp ends what still stands as it did when it was watched.
func (d *Desk) timeUp(id string, from State) {
	ctx, cancel := context.WithTimeout(d.ctx, storeWait)
	defer cancel()
	k, err := d.Store.Get(ctx, d.Owner, id)
	if err == nil && k.State == from {
		at := d.now()
		if end := k.end(); at.Before(end) {
			at = end
		}
		if m, ok := k.lapsed(at); ok {
			_, err = d.move(ctx, &k, m)
		}
	}
	if err != nil && d.ctx.Err() == nil {
		d.Log.Error("an approval whose time is over could not be changed; whoever reads it will", "id", id, "cause", err)
	}
}

// end is when the time of its state is over.
func (k *Kept) end() time.Time {
	if k.State == Pending {
		return k.Expires
	}
	return k.Deadline
}
