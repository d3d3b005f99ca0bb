package jobs

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask/approve"
)

// The waits of a keeper.
const (
	// unit is how exactly a store keeps times.
	unit = time.Microsecond
	// lookEvery is how often an approval is looked at that another process may decide.
	lookEvery = 15 * time.Second
	// lease is how long a job is one process's to see to.
	lease = time.Minute
	// firstLook and lastLook bound the wait before a filed job is looked at again.
	firstLook, lastLook = 30 * time.Second, 15 * time.Minute
	// idle is how often the store is looked at when nothing was heard of it, and compareEvery
	// how often it is compared with the desk.
	idle, compareEvery = time.Minute, 10 * time.Minute
	// comparedFor is how old an approval may be that is taken in again: what is older was
	// told long ago, or nobody waits for it.
	comparedFor = 48 * time.Hour
	// keepFor is how long what is over is kept, so that nobody is told twice.
	keepFor = 30 * 24 * time.Hour
	// most is how many jobs one round sees.
	most = 500
)

// Run sees to all jobs until ctx ends. What it has begun to tell then is told again by
// whoever runs next.
func (k *Keeper) Run(ctx context.Context) {
	var compared time.Time
	woken := true // an approval may have ended while nobody ran
	for ctx.Err() == nil {
		now := k.cfg.Now()
		if now.Sub(compared) >= compareEvery || now.Before(compared) {
			if err := k.compare(ctx); err != nil && ctx.Err() == nil {
				k.cfg.Log.Error("jobs could not be compared with the approvals; it is tried again", "cause", err)
			}
			compared = now
			k.sweep(ctx, now)
		}
		wait := k.round(ctx, woken)
		timer := time.NewTimer(wait)
		select {
		case <-k.woken:
			woken = true
		case <-timer.C:
			woken = false
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// compare takes in what the desk has and the store has not, as after a crash between the
// two.
func (k *Keeper) compare(ctx context.Context) error {
	desk, err := k.useDesk()
	if err != nil {
		return err
	}
	list, err := desk.List(ctx)
	if err != nil {
		return err
	}
	for _, a := range list {
		if !k.mine(a) || k.cfg.Now().Sub(a.Created) > comparedFor {
			continue
		}
		_, err := k.cfg.Store.Get(ctx, a.ID)
		if errors.Is(err, ErrUnknown) {
			err = k.cfg.Store.Put(ctx, k.fromApproval(a))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sweep drops what is over for long, where the store can.
func (k *Keeper) sweep(ctx context.Context, now time.Time) {
	s, ok := k.cfg.Store.(Sweeper)
	if !ok {
		return
	}
	if _, err := s.Sweep(ctx, now.Add(-keepFor)); err != nil && ctx.Err() == nil {
		k.cfg.Log.Warn("old jobs could not be dropped; it is tried again", "cause", err)
	}
}

// mine says whether the approval is of a job for this bench.
func (k *Keeper) mine(a approve.Approval) bool {
	var to struct {
		Destination string `json:"destination"`
	}
	return json.Unmarshal(a.Action, &to) == nil && to.Destination == k.cfg.Destination
}

// round sees to what is due, and says how long nothing is. Where an approval has changed,
// all that wait for one are.
func (k *Keeper) round(ctx context.Context, woken bool) time.Duration {
	list, err := k.cfg.Store.Due(ctx, most)
	if err != nil {
		if ctx.Err() == nil {
			k.cfg.Log.Error("the jobs cannot be read; it is tried again", "cause", err)
		}
		return lookEvery
	}
	wait := idle
	for _, j := range list {
		if ctx.Err() != nil {
			return 0
		}
		now := k.cfg.Now()
		// What is further off than an ordinary look is another process's just now.
		leased := j.Next.After(now.Add(lookEvery))
		if j.Next.After(now) && (!woken || j.State != Waiting || leased) {
			wait = min(wait, j.Next.Sub(now))
			continue
		}
		next, err := k.see(ctx, j)
		if err != nil && ctx.Err() == nil {
			k.cfg.Log.Error("a job could not be seen to; it is tried again", "approval", j.Approval, "job", j.Name, "cause", err)
		}
		wait = min(wait, max(next.Sub(k.cfg.Now()), time.Millisecond))
	}
	return wait
}

// see takes one job, sees how it stands, tells what there is to tell, and keeps how far it
// is. It gives when the job is to be seen again.
func (k *Keeper) see(ctx context.Context, seen Job) (time.Time, error) {
	now := k.cfg.Now()
	j, ok, err := k.take(ctx, seen, now)
	if err != nil || !ok {
		return now.Add(lookEvery), err
	}
	var looked error
	if j.State == Waiting {
		looked = k.seeApproval(ctx, &j)
	} else {
		looked = k.seeIssue(ctx, &j)
	}
	keeping, cancel := saving(ctx)
	defer cancel()
	err = k.change(keeping, j.Approval, func(kept *Job) {
		kept.State, kept.Next, kept.Tries = j.State, j.Next, j.Tries
	})
	if j.State == Over {
		return now.Add(idle), errors.Join(looked, err)
	}
	return j.Next, errors.Join(looked, err)
}

// take makes the job this process's for a while; ok is false where it is another's.
func (k *Keeper) take(ctx context.Context, seen Job, now time.Time) (j Job, ok bool, err error) {
	for {
		if j, err = k.cfg.Store.Get(ctx, seen.Approval); err != nil {
			return j, false, err
		}
		if j.State != seen.State || !j.Next.Equal(seen.Next) {
			return j, false, nil
		}
		taken := j
		taken.Next = now.Add(lease)
		if err = k.cfg.Store.Save(ctx, taken); !errors.Is(err, ErrStale) {
			return j, err == nil, err
		}
	}
}

// seeApproval tells what became of the approval, once something has.
func (k *Keeper) seeApproval(ctx context.Context, j *Job) error {
	now := k.cfg.Now()
	j.Next = now.Add(lookEvery)
	desk, err := k.useDesk()
	if err != nil {
		return err
	}
	a, err := desk.Get(ctx, j.Approval)
	switch {
	case errors.Is(err, approve.ErrUnknown): // it is swept away
		j.State = Over
		return nil
	case err != nil:
		return err
	case a.State == approve.Pending, a.State == approve.Approved, a.State == approve.Executing:
		return nil
	}
	if _, taken := k.withdrawing.Load(j.Approval); taken {
		return nil
	}
	// It may have been filed after the job was taken and before the approval was read.
	kept, err := k.cfg.Store.Get(ctx, j.Approval)
	if err != nil {
		return err
	}
	j.Issue, j.Name = kept.Issue, kept.Name
	important := a.State == approve.Failed || a.State == approve.Unknown
	if err := k.tell(ctx, j, string(a.State), outcome(a, j.Name), important); err != nil {
		return err
	}
	j.State, j.Tries = Over, 0
	if a.State == approve.Done && j.Issue != "" {
		j.State, j.Next = Open, now.Add(spread(firstLook))
	}
	return nil
}

// seeIssue looks at a filed job, and tells its end; also that it cannot be seen any more,
// as after its bench got another key, once that has gone on for long.
func (k *Keeper) seeIssue(ctx context.Context, j *Job) error {
	j.Next = k.cfg.Now().Add(spread(backOff(j.Tries)))
	progress, err := k.cfg.Bench.Look(ctx, j.Issue)
	switch {
	case err == nil && progress == Underway:
		j.Tries = min(j.Tries+1, doublings)
		return nil
	case err != nil && j.Tries < unseen:
		j.Tries++
		k.cfg.Log.Warn("a filed job cannot be seen just now; it is looked at again", "job", j.Name, "cause", err)
		return nil
	case err != nil:
		progress = Unseen
	}
	if err := k.tell(ctx, j, string(progress), ended(*j, progress), progress == Finished); err != nil {
		return err
	}
	j.State = Over
	return nil
}

// tell tells who asked. Where that fails, the job stays as it is and is tried again.
func (k *Keeper) tell(ctx context.Context, j *Job, key, message string, important bool) error {
	telling, cancel := saving(ctx)
	defer cancel()
	err := k.cfg.Teller.Tell(telling, News{
		Person: j.Person, Message: message, Important: important, Key: j.Approval + "-" + key,
	})
	if err != nil {
		j.Tries++
		j.Next = k.cfg.Now().Add(spread(backOff(j.Tries)))
	}
	return err
}

// doublings are as many as make firstLook longer than lastLook.
const doublings = 5

// unseen is how many looks in a row may fail: those of some thirty days.
const unseen = int(30 * 24 * time.Hour / lastLook)

// backOff doubles from one look to the next.
func backOff(tries int) time.Duration {
	if tries >= doublings {
		return lastLook
	}
	return min(firstLook<<tries, lastLook)
}

// spread keeps many jobs from being looked at in one moment.
func spread(wait time.Duration) time.Duration { return wait + rand.N(wait/5+1) }
