// Package jobs follows what somebody asks to have done on the work bench: it waits for a
// person's yes, is filed once, and its end is told to who asked. Nothing of it is lost by
// a restart, and nothing that is not so is told as success.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// Bench is where jobs are filed. It is safe for concurrent use, and each call ends with ctx.
type Bench interface {
	// Draft is exactly what would be filed for those words; ErrNoJob where they name none.
	Draft(words string) (Draft, error)
	// File files what Draft made, as one job however often it is called with that key. Its
	// error may be a Failure; of another one nothing is known.
	File(ctx context.Context, key string, action jsontext.Value) (Filed, error)
	// Look says how a filed job stands. An error means that it could not be seen just now.
	Look(ctx context.Context, issue string) (Progress, error)
}

// ErrNoJob is words that ask for a job and do not say which.
var ErrNoJob = errors.New("the words name no job")

// Draft is a job before anybody has said yes to it.
type Draft struct {
	// Title is what the job is called, in one line.
	Title string
	// Action is all that will be filed.
	Action jsontext.Value
}

// Filed is a job on the bench.
type Filed struct {
	// Issue is the bench's own id, Name what people call it, such as HOU-1.
	Issue, Name string
}

// Progress is how a filed job stands.
type Progress string

// Where a filed job may stand. All but the first are its end; a bench never says Unseen.
const (
	Underway  Progress = "underway"
	Finished  Progress = "finished"
	Cancelled Progress = "cancelled"
	Gone      Progress = "gone"
	// Unseen is a job that could not be looked at for weeks.
	Unseen Progress = "unseen"
)

// Failure is an error that a bench gives words for.
type Failure interface {
	error
	// Uncertain says whether the job may have been filed all the same.
	Uncertain() bool
	// Says is one sentence for a person.
	Says() string
}

// Desk is where a yes is asked for.
type Desk interface {
	Ask(ctx context.Context, r approve.Request) (approve.Approval, error)
	Get(ctx context.Context, id string) (approve.Approval, error)
	List(ctx context.Context) ([]approve.Approval, error)
	Withdraw(ctx context.Context, id, who string) (approve.Approval, error)
}

// News is what is told to who asked for a job.
type News struct {
	// Person is who asked.
	Person ask.Person
	// Message is one short sentence that is safe to speak.
	Message string
	// Important is what somebody should look at soon.
	Important bool
	// Key is the same each time that this is told.
	Key string
}

// Teller tells news. It is called again with the same key after an error, and after a
// crash, and should tell each once.
type Teller interface {
	Tell(ctx context.Context, n News) error
}

// Config is what a Keeper is built from.
type Config struct {
	// Destination is the bench's name in routing.md.
	Destination string
	Bench       Bench
	Store       Store
	Teller      Teller
	Now         func() time.Time
	Log         *slog.Logger
}

// Keeper sees each job of one bench through. It is safe for concurrent use.
type Keeper struct {
	cfg  Config
	desk atomic.Pointer[Desk]
	// woken gets a value when an approval has changed.
	woken chan struct{}
	// withdrawing holds the approvals that their askers are taking back.
	withdrawing sync.Map
}

// New is a keeper that has no desk yet: the desk's Execute is the keeper's own.
func New(cfg Config) *Keeper { return &Keeper{cfg: cfg, woken: make(chan struct{}, 1)} }

// Use gives the keeper its desk. It is called once, before any question is asked.
func (k *Keeper) Use(desk Desk) { k.desk.Store(&desk) }

var errNoDesk = errors.New("jobs: there is no desk")

func (k *Keeper) useDesk() (Desk, error) {
	desk := k.desk.Load()
	if desk == nil {
		return nil, errNoDesk
	}
	return *desk, nil
}

// Execute is the desk's: it files what was approved. Its message says what the job is
// called there.
func (k *Keeper) Execute(ctx context.Context, a approve.Approval) (message string, err error) {
	filed, err := k.cfg.Bench.File(ctx, a.ID, a.Action)
	var failure Failure
	switch {
	case errors.As(err, &failure) && failure.Uncertain():
		return failure.Says(), fmt.Errorf("%w: %w", approve.ErrUncertain, err)
	case errors.As(err, &failure):
		return failure.Says(), err
	case err != nil:
		return "", fmt.Errorf("%w: %w", approve.ErrUncertain, err)
	}
	k.note(ctx, a, filed)
	return "It is filed as " + filed.Name + ".", nil
}

// note keeps which job it became. Where that fails, the asker is told all the same, and
// only the job's end is not.
func (k *Keeper) note(ctx context.Context, a approve.Approval, filed Filed) {
	ctx, cancel := saving(ctx)
	defer cancel()
	err := k.cfg.Store.Put(ctx, k.fromApproval(a))
	if err == nil {
		err = k.change(ctx, a.ID, func(j *Job) { j.Issue, j.Name = filed.Issue, filed.Name })
	}
	if err != nil {
		k.cfg.Log.Error("which job an approval became could not be kept, so its end will not be told", "approval", a.ID, "job", filed.Name, "cause", err)
	}
}

// Changed is the desk's: it is told of each change of an approval.
func (k *Keeper) Changed(approve.Approval) {
	select {
	case k.woken <- struct{}{}:
	default:
	}
}

// change makes one change of a job, anew where another came first.
func (k *Keeper) change(ctx context.Context, approval string, change func(*Job)) error {
	for {
		j, err := k.cfg.Store.Get(ctx, approval)
		if err != nil {
			return err
		}
		change(&j)
		if err := k.cfg.Store.Save(ctx, j); !errors.Is(err, ErrStale) {
			return err
		}
	}
}

// fromApproval is the job as it begins.
func (k *Keeper) fromApproval(a approve.Approval) Job {
	return Job{
		Approval: a.ID, Person: ask.Person(a.Who), Title: titleOf(a), State: Waiting,
		Since: a.Created, Next: a.Created.Add(lookEvery),
	}
}

// saving outlives a stop, so that what was done is kept.
func saving(ctx context.Context) (context.Context, context.CancelFunc) {
	const long = 5 * time.Second
	return context.WithTimeout(context.WithoutCancel(ctx), long)
}
