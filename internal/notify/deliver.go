package notify

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// Run delivers until ctx ends. What is under way then is given back.
func (o *Outbox) Run(ctx context.Context) {
	results := make(chan Result, 4*each)
	var settler, workers sync.WaitGroup
	settler.Go(func() { o.settle(context.WithoutCancel(ctx), results) })
	defer func() {
		workers.Wait()
		close(results)
		settler.Wait()
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.wake:
		case <-timer.C:
		}
		timer.Reset(o.round(ctx, &workers, results))
	}
}

// round gives every target that has something due, and is neither busy nor left alone, its
// next deliveries. It says how long nothing more will be due.
func (o *Outbox) round(ctx context.Context, workers *sync.WaitGroup, results chan<- Result) time.Duration {
	now := o.cfg.Now()
	due, next, err := o.cfg.Store.Due(ctx, now)
	if err != nil {
		o.storeFault(ctx, err)
		return firstPause
	}
	wait := look
	if !next.IsZero() {
		wait = min(wait, max(next.Sub(now), time.Millisecond))
	}
	free, soonest := o.free(due, now)
	if !soonest.IsZero() {
		wait = min(wait, max(soonest.Sub(now), time.Millisecond))
	}
	if len(free) == 0 {
		return wait
	}
	taken, err := o.cfg.Store.Take(ctx, Taking{Now: now, Lease: lease, Holder: o.holder, Targets: free, Each: each})
	if err != nil {
		o.done(free...)
		o.storeFault(ctx, err)
		return firstPause
	}
	batches := map[string][]Taken{}
	for _, t := range taken {
		batches[t.Target] = append(batches[t.Target], t)
	}
	o.done(slices.DeleteFunc(free, func(key string) bool { return len(batches[key]) > 0 })...)
	for _, key := range slices.Sorted(maps.Keys(batches)) {
		workers.Go(func() {
			o.work(ctx, key, batches[key], results)
			o.done(key)
			o.nudge()
		})
	}
	return wait
}

func (o *Outbox) storeFault(ctx context.Context, err error) {
	if ctx.Err() == nil {
		o.cfg.Log.Error("the notices cannot be read or written; they are tried again", "cause", err)
	}
}

// free marks those of the targets busy that may be given something now. Soonest is when
// the first of the others may be.
func (o *Outbox) free(due []string, now time.Time) (free []string, soonest time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, key := range due {
		until := o.failing[key].until
		switch {
		case o.busy[key]:
		case until.After(now):
			if soonest.IsZero() || until.Before(soonest) {
				soonest = until
			}
		default:
			o.busy[key] = true
			free = append(free, key)
		}
	}
	return free, soonest
}

func (o *Outbox) done(keys ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, key := range keys {
		delete(o.busy, key)
	}
}

// work sends one target's deliveries in their order, up to the first that it does not take.
func (o *Outbox) work(ctx context.Context, key string, batch []Taken, results chan<- Result) {
	began := o.cfg.Now()
	for i := range batch {
		t := &batch[i]
		now := o.cfg.Now()
		r := Result{Notice: t.Notice, Target: key, Holder: o.holder, State: Waiting, Due: t.Due, At: now}
		if ctx.Err() != nil || now.Sub(began) > giveBack || o.resting(key, now) {
			results <- r
			continue
		}
		o.one(ctx, t, &r)
		results <- r
	}
}

// one sends one delivery and writes into r how it came out.
func (o *Outbox) one(ctx context.Context, t *Taken, r *Result) {
	house := o.cfg.Household()
	person, ok := house.Find(t.Person)
	if !ok {
		r.State, r.Reason = Dead, "people.toml no longer names "+t.Person
		return
	}
	targets := o.cfg.Targets(&person)
	at := slices.IndexFunc(targets, func(target Target) bool { return target.Key == t.Target })
	switch {
	case at < 0:
		r.State, r.Reason = Dead, "this target of "+t.Person+"'s was taken out"
		return
	case targets[at].Sender == nil:
		// A person mends it: a line of the secrets file is missing, or cannot be read just now.
		o.judge(t, r, Retry(targets[at].Broken))
		return
	}
	if KindOf(t.Target).Phone() && held(t.Level, t.Asked) {
		if until := awake(&person, house.Zone(), r.At); until.After(r.At) {
			r.Due = until
			return
		}
	}
	if KindOf(t.Target) == KindSpeech && r.At.Sub(t.First) > MaxSpoken {
		r.State, r.Reason = Dead, "it could not be said within an hour, and is no news any more"
		return
	}
	if o.tooOld(t, r.At) {
		r.State, r.Reason = Dead, "it could not be delivered within a day"
		return
	}
	within, cancel := context.WithTimeout(ctx, sendFor)
	err := targets[at].Sender.Send(within, &Message{ID: t.Notice, From: t.From, Person: t.Person, Level: t.Level, Text: t.Message, At: t.NoticeAt})
	cancel()
	if ctx.Err() != nil && err != nil { // this process ends: the target is not to blame
		return
	}
	o.judge(t, r, err)
}

// judge writes into r what came of a try, and remembers how the target does.
func (o *Outbox) judge(t *Taken, r *Result, err error) {
	r.Tried, r.At = true, o.cfg.Now()
	if err == nil {
		r.State = Delivered
		o.works(t.Target)
		return
	}
	fault, ok := errors.AsType[*Fault](err)
	if !ok {
		fault = Retry("the target did not take it")
		if errors.Is(err, context.DeadlineExceeded) {
			fault = Retry("the target did not answer in time")
		}
	}
	r.Reason = fault.Reason
	if fault.State != Waiting {
		r.State = fault.State
		o.works(t.Target)
		return
	}
	wait := o.fails(t.Target, r.At, fault.After)
	r.Due = r.At.Add(max(pause(t.Tries+1), wait))
	if t.Tries+1 >= MaxTries {
		r.State = Dead
	}
	o.cfg.Log.Warn("a notice was not delivered and is tried again", "notice", t.Notice, "target", t.Name, "tries", t.Tries+1, "reason", r.Reason)
}

// tooOld is a delivery whose time is over, at a target that has had its chances.
func (o *Outbox) tooOld(t *Taken, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return now.Sub(t.First) > MaxAge && (t.Tries > 0 || o.failing[t.Target].times > 0)
}

func (o *Outbox) works(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.failing, key)
}

// fails leaves the target alone for a while, and says how long.
func (o *Outbox) fails(key string, now time.Time, after time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.failing[key]
	f.times++
	wait := max(pause(f.times), min(after, longestPause))
	f.until = now.Add(wait)
	o.failing[key] = f
	return wait
}

func (o *Outbox) resting(key string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failing[key].until.After(now)
}

// settle keeps results, as many at a time as have come.
func (o *Outbox) settle(ctx context.Context, results <-chan Result) {
	for r := range results {
		batch := []Result{r}
		for more := true; more && len(batch) < 256; {
			select {
			case r, ok := <-results:
				if more = ok; ok {
					batch = append(batch, r)
				}
			default:
				more = false
			}
		}
		o.keep(ctx, batch)
	}
}

// keep settles a batch. What cannot be kept is sent again when its lease is over.
func (o *Outbox) keep(ctx context.Context, batch []Result) {
	var err error
	for try := range 3 {
		if try > 0 {
			time.Sleep(time.Second)
		}
		if err = o.cfg.Store.Settle(ctx, batch); err == nil {
			break
		}
	}
	if err != nil {
		o.cfg.Log.Error("what became of notices cannot be written, so they may be sent twice", "cause", err)
		return
	}
	for _, r := range batch {
		if r.State != Waiting {
			o.cfg.Ended(r)
		}
	}
	o.mu.Lock()
	close(o.settled)
	o.settled = make(chan struct{})
	o.mu.Unlock()
	o.nudge()
}
