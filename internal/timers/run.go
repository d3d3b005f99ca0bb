package timers

import (
	"context"
	"sync"
	"time"
)

const (
	// look is how often the store is looked at anyway: another Hub, or a command on the
	// host, may have changed it.
	look = 20 * time.Second
	// holds is how long the one who tells a timer has it for itself, and telling how much
	// of that one try may take.
	holds   = 30 * time.Second
	telling = 20 * time.Second
	// late is when a moment counts as missed: then it is said when it was.
	late = 2 * time.Minute
	// giveUp is after how many tries it is left. They are half a minute apart.
	giveUp = 120
	// keeps is how long what ended is kept, so that the same request sets nothing again.
	keeps = 24 * time.Hour
)

// Run tells each timer when its moment comes, until ctx ends. What came due while nobody
// ran is told at once, as missed.
func (d *Desk) Run(ctx context.Context) {
	swept := time.Time{}
	defer d.rooms.done.Wait()
	for ctx.Err() == nil {
		wait := d.due(ctx)
		if now := d.cfg.Now(); now.Sub(swept) > time.Hour {
			swept = now
			if err := d.cfg.Store.Sweep(ctx, now.Add(-keeps)); err != nil && ctx.Err() == nil {
				d.cfg.Log.Warn("old timers cannot be forgotten", "cause", err)
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-d.changed:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// rooms are those in which something is being told. Each has its own: a speaker that does not
// answer holds up no other room.
type rooms struct {
	mu   sync.Mutex
	busy map[string]bool
	done sync.WaitGroup
}

// due has told what has come due, and says how long there is nothing to do.
func (d *Desk) due(ctx context.Context) time.Duration {
	live, err := d.cfg.Store.Live(ctx)
	if err != nil {
		if ctx.Err() == nil {
			d.cfg.Log.Error("timers cannot be read; they are looked at again soon", "cause", err)
		}
		return time.Second
	}
	due := map[string][]Timer{}
	defer func() {
		for room, list := range due {
			d.tellIn(ctx, room, list)
		}
	}()
	for _, t := range live {
		now := d.cfg.Now()
		next := t.Due
		if t.State == Telling {
			next = t.Until
		}
		if next.After(now) {
			if t.State == Waiting {
				return min(next.Sub(now), look)
			}
			continue
		}
		due[t.Room] = append(due[t.Room], t)
	}
	return look
}

// tellIn tells those one after another while Run goes on, if nothing is being told there.
func (d *Desk) tellIn(ctx context.Context, room string, list []Timer) {
	d.rooms.mu.Lock()
	defer d.rooms.mu.Unlock()
	if d.rooms.busy[room] {
		return
	}
	d.rooms.busy[room] = true
	d.rooms.done.Go(func() {
		tried := false
		for _, t := range list {
			tried = d.tellOne(ctx, t) || tried
		}
		d.rooms.mu.Lock()
		delete(d.rooms.busy, room)
		d.rooms.mu.Unlock()
		if tried { // what came due there meanwhile is next; a store that is down is not asked at once
			d.wake()
		}
	})
}

// tellOne tells t, where nobody else does, and says whether it tried.
func (d *Desk) tellOne(ctx context.Context, t Timer) bool {
	now := d.cfg.Now()
	mine, err := d.cfg.Store.Move(ctx, Move{ID: t.ID, To: Telling, Now: now, Until: now.Add(holds)})
	if err != nil || !mine {
		return false
	}
	missed := now.Sub(t.Due) > late
	bounded, cancel := context.WithTimeout(ctx, telling)
	defer cancel()
	err = d.cfg.Tell(bounded, t, message(t, missed, d.now()))
	switch {
	case err != nil && t.Tries+1 < giveUp:
		d.cfg.Log.Warn("a timer could not be told; it is tried again", "timer", t.ID, "room", t.Room, "cause", err)
		return true
	case err != nil:
		d.cfg.Log.Error("a timer could not be told for an hour; it is left", "timer", t.ID, "room", t.Room, "cause", err)
	}
	// It has been told, so that a stop just now must not have it told again.
	if _, err := d.cfg.Store.Move(context.WithoutCancel(ctx), Move{ID: t.ID, To: Told, Now: d.cfg.Now()}); err != nil {
		d.cfg.Log.Error("a timer was told and may be told again, for that cannot be kept", "timer", t.ID, "cause", err)
	}
	return true
}
