package approve

import (
	"context"
	"errors"
	"time"
)

// MaxPending is how many requests of one asker may wait at one owner.
const MaxPending = 3

// The errors of a Desk that a caller may want to tell apart; ProblemOf has their wire form.
// A request that is itself wrong is an *ask.Problem that names the field.
var (
	// ErrUnknown is an id under which nothing is kept.
	ErrUnknown = errors.New("there is no such approval")
	// ErrDigest is a decision about something else than what is kept.
	ErrDigest = errors.New("what was shown is not what is kept")
	// ErrMuted is an asker of whom somebody said "I did not ask for this" within the hour.
	ErrMuted = errors.New("this asker's requests are not taken just now")
	// ErrTooMany is an asker of whom MaxPending requests wait already.
	ErrTooMany = errors.New("too many requests of this asker wait already")
)

// Kept is an approval as a store keeps it.
type Kept struct {
	Approval
	// Same is equal for requests of one asker for the same action.
	Same string
	// Deadline is when nobody may be waited for any more, of what is approved or executing.
	Deadline time.Time
}

// Move is one conditional change of an approval: either all its conditions hold and all
// of it happens, or nothing does.
type Move struct {
	Owner, ID string
	From, To  State
	// Digest is what the approval's must be; empty is no condition.
	Digest string
	// Within, where it is not zero, is an instant that must lie in the approval's life: after
	// Created, less Skew, and before Expires.
	Within time.Time
	// Due, where it is not zero, is an instant that Deadline must not lie after.
	Due time.Time
	// Result and Deadline are the new ones.
	Result   Result
	Deadline time.Time
	// Mute, where it is not zero, is until when requests of Who are refused from now on.
	Mute time.Time
	Who  string
}

// Skew is how far the clocks of several processes on one store may be apart.
const Skew = time.Minute

// Store keeps approvals. Several owners, and several processes, may share one; an owner
// never sees another's. Times are kept to the microsecond. What a call has acknowledged is
// not lost. It is safe for concurrent use.
type Store interface {
	// Add keeps a new pending approval. Where one of the same owner, asker and Same is
	// pending, it keeps nothing and gives that one. ErrMuted comes before that, ErrTooMany
	// after it; now is for the mute. However many call at once, no more than MaxPending of
	// one asker are ever pending.
	Add(ctx context.Context, k Kept, now time.Time) (Kept, error)
	// Move makes the change in one step and says whether it was made. Of several that
	// start from one state, at most one is.
	Move(ctx context.Context, m Move) (bool, error)
	// Get finds one; ErrUnknown where there is none.
	Get(ctx context.Context, owner, id string) (Kept, error)
	// List gives at most that many: the pending ones first, then what is approved or
	// executing, and then the rest; the newest first in each. With open it leaves out the rest.
	List(ctx context.Context, owner string, open bool, most int) ([]Kept, error)
}

// Sweeper is a Store that can forget.
type Sweeper interface {
	// Sweep removes of that owner what was made before then and is not open any more, and
	// mutes that were over by then. It says how many approvals it removed.
	Sweep(ctx context.Context, owner string, before time.Time) (int, error)
}
