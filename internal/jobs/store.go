package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/askhub/askhub/ask"
)

// State is how far a job is, as the keeper sees it.
type State string

// The states of a job. What is over is kept, so that it is never told again.
const (
	// Waiting is for a person's yes, or for what came of it to be told.
	Waiting State = "waiting"
	// Open is filed and told; its end is looked out for.
	Open State = "open"
	// Over is told to the end.
	Over State = "over"
)

// Job is one request as the keeper keeps it.
type Job struct {
	// Approval is the id of its approval, and the job's own.
	Approval string
	// Person is who asked for it.
	Person ask.Person
	// Title is what it is called.
	Title string
	// Issue and Name are its id and its name on the bench; empty until it is filed.
	Issue, Name string
	State       State
	// Since is when it was asked for, Next when it is to be looked at again.
	Since, Next time.Time
	// Tries counts the looks since something last changed.
	Tries int
	// Version is the store's own.
	Version int64
}

// The errors of a Store.
var (
	// ErrUnknown is a job that is not kept.
	ErrUnknown = errors.New("no such job is kept")
	// ErrStale is a job that has changed since it was read.
	ErrStale = errors.New("the job has changed since it was read")
)

// Store keeps jobs. Times are kept to the microsecond. Several processes may share one;
// what a call has acknowledged is not lost. It is safe for concurrent use.
type Store interface {
	// Put adds the job; one of the same approval that is there already stays as it is.
	Put(ctx context.Context, j Job) error
	// Get finds one; ErrUnknown where there is none.
	Get(ctx context.Context, approval string) (Job, error)
	// Due gives those that are not over, the one to be looked at first first, at most that many.
	Due(ctx context.Context, most int) ([]Job, error)
	// Save keeps the job as it is now, if nobody has saved it since it was read; else
	// ErrStale, or ErrUnknown. Of several that save at once, one does.
	Save(ctx context.Context, j Job) error
}

// Sweeper is a store that can forget.
type Sweeper interface {
	// Sweep drops what is over and was asked for before that instant, and says how many that
	// were. What is not over stays, however old it is.
	Sweep(ctx context.Context, before time.Time) (int, error)
}
