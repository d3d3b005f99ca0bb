package approve

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
)

// ErrUncertain is for Execute to wrap where nobody knows whether the action was carried out:
// the approval becomes unknown instead of failed. So it does where Execute
// panics, or returns the end of its own time.
var ErrUncertain = errors.New("nobody knows whether it was carried out")

// What a person hears where Execute has no words of its own.
const (
	saysDenied = "It was not approved, so nothing was done."
	saysYes    = "It was approved and is being carried out."
	saysDone   = "It was carried out."
	saysFailed = "It could not be carried out."
)

// maxMessage is how long Execute's message may be, in code points.
const maxMessage = 1000

// The waits between two looks for the end of another process's execution, and between two
// tries to keep the end of one's own, doubling from the first.
const firstLook, lastLook = 5 * time.Millisecond, 200 * time.Millisecond

// Decide carries a person's decision out and gives the approval as it then stands: of a
// yes after its execution has ended, or Options.Within is over. A later decision changes
// nothing and gets the first one's result. The errors are ErrUnknown, ErrDigest and an
// *ask.Problem that names the field; after any other, ask again how it stands.
func (d *Desk) Decide(ctx context.Context, dec Decision) (Approval, error) {
	if p := dec.check(); p != nil {
		return Approval{}, p
	}
	for {
		k, err := d.current(ctx, dec.ID)
		switch {
		case err != nil:
			return Approval{}, err
		case dec.Digest != k.Digest:
			return Approval{}, ErrDigest
		case k.State != Pending:
			return d.outcome(ctx, dec.ID)
		}
		if err := d.untouched(&k); err != nil {
			return Approval{}, err
		}
		if err := d.settle(ctx, k, dec); err != nil {
			return Approval{}, err
		}
	}
}

// check is what is wrong with the decision itself.
func (dec Decision) check() *ask.Problem {
	switch {
	case dec.Decision != Yes && dec.Decision != No:
		return ask.NewProblem(ask.CodeInvalidField, "decision", `Send "decision" as yes or no.`)
	case !validHex(dec.Digest, 64):
		return ask.NewProblem(ask.CodeInvalidField, "digest", `Send in "digest" the digest of what was shown, as 64 digits from 0 to 9 and a to f.`)
	case dec.Mute && dec.Decision != No:
		return ask.NewProblem(ask.CodeInvalidField, "mute", `Send "mute" with a no alone.`)
	case dec.By != "":
		return ask.CheckName("by", dec.By)
	}
	return nil
}

// untouched sees that what is kept is what its digest was made of: whoever can write the
// store can change a row, and must not have it run under another's yes.
func (d *Desk) untouched(k *Kept) error {
	is, err := Digest(k.What, k.Who, k.Why, k.Action)
	if err != nil || is != k.Digest {
		d.Log.Error("an approval was changed in the store after it was made; it is refused", "id", k.ID)
		return ErrDigest
	}
	return nil
}

// settle is the one step that decides. Of all that are taken at once, also of an expiry,
// one is made; afterwards the approval reads otherwise. What runs is k as it was read and
// compared, whatever is stored meanwhile.
func (d *Desk) settle(ctx context.Context, k Kept, dec Decision) error {
	now := d.now()
	m := Move{To: Denied, Digest: dec.Digest, Within: now, Result: Result{Message: saysDenied, By: dec.By, Decided: now}}
	if dec.Decision == No {
		if dec.Mute {
			m.Mute, m.Who = now.Add(muteFor), k.Who
		}
		_, err := d.move(ctx, &k, m)
		return err
	}
	// Whoever executes is known before anybody can read that it is approved.
	done, first := d.begin(k.ID)
	switch {
	case done == nil:
		return errClosed
	case !first: // another tap of this process is on its way
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	m.To, m.Result.Message, m.Deadline = Approved, saysYes, now.Add(d.Within+margin)
	moved, err := d.move(ctx, &k, m)
	if err != nil || !moved {
		d.ended(k.ID, done)
		return err
	}
	go d.run(k, done)
	return nil
}

var errClosed = errors.New("approvals: the desk is closed")

// begin marks the approval as this process's to execute, and says whether it was not so
// before. Done is closed at the end of it, and nil where the Desk takes no more.
func (d *Desk) begin(id string) (done chan struct{}, first bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if done := d.running[id]; done != nil || d.closed {
		return done, false
	}
	done = make(chan struct{})
	d.running[id] = done
	d.all.Add(1)
	return done, true
}

// isRunning is closed when this process has ended the execution; nil where it has none.
func (d *Desk) isRunning(id string) chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running[id]
}

func (d *Desk) ended(id string, done chan struct{}) {
	d.mu.Lock()
	delete(d.running, id)
	d.mu.Unlock()
	close(done)
	d.all.Done()
}

// run executes what this process alone has moved to approved.
func (d *Desk) run(k Kept, done chan struct{}) {
	defer d.ended(k.ID, done)
	ctx := context.WithoutCancel(d.ctx)
	d.watch(&k)
	moved, err := d.move(ctx, &k, Move{To: Executing, Result: *k.Result, Deadline: k.Deadline})
	if err != nil {
		d.Log.Error("an approved action could not be begun", "id", k.ID, "cause", err)
	}
	if !moved {
		return // time was over first; or nobody knows, and then nothing is done
	}
	d.watch(&k)
	m := d.execute(ctx, k)
	m.Deadline = k.Deadline
	d.keep(ctx, &k, m)
}

// execute runs the action and turns what came of it into the last change.
func (d *Desk) execute(ctx context.Context, k Kept) Move {
	ctx, cancel := context.WithTimeout(ctx, d.Within)
	defer cancel()
	message, err := d.guarded(ctx, k.Approval)
	m := Move{To: Done, Result: *k.Result}
	fallback := saysDone
	switch {
	case err == nil:
	case errors.Is(err, ErrUncertain), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		m.To, fallback = Unknown, saysUnknown
	default:
		m.To, fallback = Failed, saysFailed
	}
	if err != nil {
		d.Log.Error("an approved action was not carried out", "id", k.ID, "state", m.To, "cause", err)
	}
	m.Result.Message, m.Result.Ended = d.fit(message, fallback), d.now()
	return m
}

// guarded is Execute, with a panic as an uncertain error.
func (d *Desk) guarded(ctx context.Context, a Approval) (message string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			message, err = "", fmt.Errorf("%w: panic: %v\n%s", ErrUncertain, cause, debug.Stack())
		}
	}()
	return d.Execute(ctx, a)
}

// fit is the message if it can be shown to a person, and else the fallback.
func (d *Desk) fit(message, fallback string) string {
	if message == "" {
		return fallback
	}
	err := ask.CheckSafe(message)
	if err == nil && utf8.RuneCountInString(message) > maxMessage {
		err = ask.ErrTooLong
	}
	if err != nil {
		d.Log.Error("what an action said of itself is not fit to be shown", "why", "it "+err.Error())
		return fallback
	}
	return message
}

// keep stores what came of the execution; until its deadline it tries again. After that
// it is unknown, and stays so for everybody.
func (d *Desk) keep(ctx context.Context, k *Kept, m Move) {
	end := time.NewTimer(max(k.Deadline.Sub(d.now()), storeWait))
	defer end.Stop()
	for wait := firstLook; ; wait = min(2*wait, lastLook) {
		moved, err := d.move(ctx, k, m)
		switch {
		case moved:
			return
		case err == nil:
			d.alreadyKept(ctx, k.ID, m)
			return
		}
		d.Log.Error("what came of an execution cannot be kept just now; it is tried again", "id", k.ID, "cause", err)
		select {
		case <-end.C:
			return
		case <-time.After(wait):
		}
	}
}

// alreadyKept tells of what an earlier try has kept although it ended in an error, or that
// somebody else was first.
func (d *Desk) alreadyKept(ctx context.Context, id string, m Move) {
	kept, err := d.Store.Get(ctx, d.Owner, id)
	if err == nil && kept.State == m.To {
		d.unwatch(id)
		d.Changed(kept.Approval)
		return
	}
	d.Log.Warn("an execution ended after its time, and is kept as unknown", "id", id, "came", m.To)
}

// outcome waits until nothing more will become of the approval.
func (d *Desk) outcome(ctx context.Context, id string) (Approval, error) {
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		done := d.isRunning(id)
		k, err := d.current(ctx, id)
		if err != nil || k.State != Approved && k.State != Executing {
			return k.Approval, err
		}
		wait := pause
		if done != nil { // an execution that forgets its time is not waited for longer than that
			wait = max(k.Deadline.Sub(d.now()), pause)
		}
		look := time.NewTimer(wait)
		select {
		case <-done:
		case <-look.C:
		case <-ctx.Done():
			look.Stop()
			return Approval{}, ctx.Err()
		}
		look.Stop()
	}
}

// validHex says whether s is that many lower-case digits of base 16.
func validHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}
