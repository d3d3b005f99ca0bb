package notify

import (
	"context"
	"time"
)

// State is how one delivery stands.
type State string

// The states. A delivery leaves Waiting once.
const (
	// Waiting is to be sent, now or later.
	Waiting State = "waiting"
	// Delivered was taken by its target.
	Delivered State = "delivered"
	// Dead could not be delivered and is tried no more.
	Dead State = "dead"
	// Skipped has nothing that could take it, which is no fault of the set-up.
	Skipped State = "skipped"
)

// Delivery is one notice on its way to one target.
type Delivery struct {
	Notice string
	// Target is the target's key: it tells targets apart and holds no secret.
	Target string
	// Name is the target as a person may see it.
	Name  string
	State State
	// Tries is how often it was sent, or tried to be.
	Tries int
	// Due is when it is to be sent; First is what Due was at the start.
	Due, First time.Time
	// Done is when it left Waiting; zero before that.
	Done time.Time
	// Reason says why it is not delivered, in plain words and without a secret.
	Reason string
}

// Entry is a notice as it is kept, with all its deliveries in the order of their targets.
type Entry struct {
	ID string
	At time.Time
	Notice
	Deliveries []Delivery
}

// Cap is how many notices of one project pass within Window.
type Cap struct {
	Most   int
	Window time.Duration
}

// Added is what became of an entry.
type Added struct {
	// ID is the entry's, or that of the notice that it is one with.
	ID string
	// Merged is set where the same words were there within Merge.
	Merged bool
}

// Result is how a delivery that was taken came out.
type Result struct {
	Notice, Target string
	// Holder is who took it.
	Holder string
	State  State
	// Tried counts this as a try.
	Tried  bool
	Due    time.Time
	At     time.Time
	Reason string
}

// Store keeps the outbox. Every method is safe to call from several goroutines, and
// several processes may use one store at a time. What a method has done when it returns
// nil survives the machine's death, and an error has changed nothing.
type Store interface {
	// Add keeps an entry with its deliveries in one step. Where an entry with the same
	// From, Person, Message and Mark was added less than Merge before, it is that one: then its
	// level becomes the higher of the two, it is Asked if one of them is, it gets the deliveries
	// that it lacks, and those that wait for their first try are due when the earlier one is.
	// It is a *TooMany where the project's cap is reached, which counts a notice that becomes
	// urgent as an urgent one; no cap holds the Hub. What lies ahead, where the clock has
	// stepped back, counts where it does by less than Merge.
	Add(ctx context.Context, e *Entry, most Cap) (Added, error)
	// Take gives the deliveries that are due, of each of these targets at most so many, the
	// longest due first, and holds them for the lease: after that, should the holder have
	// died, another may take them.
	Take(ctx context.Context, t Taking) ([]Taken, error)
	// Settle ends the holding of deliveries. A result whose holder no longer holds its
	// delivery changes nothing.
	Settle(ctx context.Context, results []Result) error
	// Due gives the targets that have something due at that time which nobody holds, and
	// when the next delivery after it is due, zero where none is.
	Due(ctx context.Context, now time.Time) (targets []string, next time.Time, err error)
}

// Taking is what Take is asked for.
type Taking struct {
	Now     time.Time
	Lease   time.Duration
	Holder  string
	Targets []string
	Each    int
}

// Taken is a delivery with the notice that it brings.
type Taken struct {
	Delivery
	Level    Level
	From     string
	Person   string
	Message  string
	NoticeAt time.Time
	Asked    bool
}

// Query chooses notices.
type Query struct {
	// Person is whose; empty is everybody's.
	Person string
	// Undelivered is only those with a delivery that is dead.
	Undelivered bool
	// Limit is how many, the newest first.
	Limit int
}

// Counts is how many deliveries stand how.
type Counts struct {
	Waiting, Dead int
}

// Shelf is what a Store gives beside, to look at. Its calls keep the same promises.
type Shelf interface {
	// List gives notices with their deliveries, the newest first.
	List(ctx context.Context, q Query) ([]Entry, error)
	// Get is one notice; ErrNotFound where there is none.
	Get(ctx context.Context, id string) (Entry, error)
	// Counts counts deliveries.
	Counts(ctx context.Context) (Counts, error)
	// Sweep drops notices from before that time that wait for nothing, and says how many.
	Sweep(ctx context.Context, before time.Time) (int, error)
}

// Keeping is a whole store.
type Keeping interface {
	Store
	Shelf
}
