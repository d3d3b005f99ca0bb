package jobs

import (
	"context"
	"errors"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/routing"
)

var _ dispatch.Decider = (*Keeper)(nil)

// What is said where nothing waits.
const (
	saysNoJob    = `say what the job is, like "file a job: find a plumber"`
	saysMuted    = "somebody said of a request of yours that they had not asked for it, so none is taken for an hour"
	saysTooMany  = "three requests of yours wait for a yes already; decide them in the admin app, or withdraw one"
	saysNotShown = "that cannot be shown whole and as it is for a yes, so I have not asked for one; say it in fewer and plain words"
)

// Propose implements dispatch.Decider: it asks for a yes to exactly one job, in the words
// that will be filed.
func (k *Keeper) Propose(ctx context.Context, q ask.Question) (routing.Part, error) {
	draft, err := k.cfg.Bench.Draft(q.Question)
	if errors.Is(err, ErrNoJob) {
		return notAsked(saysNoJob), nil
	}
	if err != nil {
		return routing.Part{}, err
	}
	desk, err := k.useDesk()
	if err != nil {
		return routing.Part{}, err
	}
	began := k.cfg.Now()
	a, err := desk.Ask(ctx, approve.Request{What: what(draft.Title), Who: string(q.Asker), Why: q.Question, Action: draft.Action})
	var wrong *ask.Problem
	switch {
	case errors.Is(err, approve.ErrMuted):
		return notAsked(saysMuted), nil
	case errors.Is(err, approve.ErrTooMany):
		return notAsked(saysTooMany), nil
	case errors.As(err, &wrong):
		k.cfg.Log.Warn("a job could not be put before anybody", "field", wrong.Field, "detail", wrong.Detail)
		return notAsked(saysNotShown), nil
	case err != nil:
		return routing.Part{}, err
	}
	// From here on a yes is being asked for, whatever else fails; what is not kept now is
	// kept when the keeper next compares its jobs with the desk.
	if err := k.cfg.Store.Put(ctx, k.fromApproval(a)); err != nil {
		k.cfg.Log.Error("a job that waits for a yes could not be kept yet", "approval", a.ID, "cause", err)
	}
	before := "I have asked for your yes in the admin app"
	if a.Created.Before(began.UTC().Truncate(unit)) {
		before = "That waits for your yes in the admin app already"
	}
	return pending(a, before), nil
}

// pending is the part of what waits: what it is, and where to say yes.
func pending(a approve.Approval, before string) routing.Part {
	return routing.Part{
		Status: routing.StatusPending, Approval: a.ID, Expires: a.Expires,
		Answer: before + ": " + lower(a.What),
	}
}

func notAsked(reason string) routing.Part {
	return routing.Part{Status: routing.StatusNoAnswer, Reason: reason}
}

// Waiting implements dispatch.Decider.
func (k *Keeper) Waiting(ctx context.Context, approval string, asker ask.Asker) (routing.Part, error) {
	a, err := k.own(ctx, approval, asker)
	if err != nil {
		return routing.Part{}, err
	}
	if a.State == approve.Pending {
		return pending(a, "Only a yes in the admin app counts, and it still waits there"), nil
	}
	return k.decided(ctx, a), nil
}

// Withdraw implements dispatch.Decider.
func (k *Keeper) Withdraw(ctx context.Context, approval string, asker ask.Asker) (routing.Part, error) {
	a, err := k.own(ctx, approval, asker)
	if err != nil {
		return routing.Part{}, err
	}
	if a.State != approve.Pending {
		return k.decided(ctx, a), nil
	}
	desk, err := k.useDesk()
	if err != nil {
		return routing.Part{}, err
	}
	// Who takes it back hears so here and now, and not once more from the keeper.
	k.withdrawing.Store(approval, true)
	defer k.withdrawing.Delete(approval)
	if a, err = desk.Withdraw(ctx, approval, string(asker)); err != nil {
		return routing.Part{}, err
	}
	if a.State != approve.Denied {
		return k.decided(ctx, a), nil
	}
	if err := k.change(ctx, approval, func(j *Job) { j.State = Over }); err != nil {
		k.cfg.Log.Warn("a withdrawn job is told of once more", "approval", approval, "cause", err)
	}
	return routing.Part{Status: routing.StatusDone, Approval: a.ID, Answer: "I have withdrawn the job " + quoted(titleOf(a)) + ", so nothing is filed."}, nil
}

// own is the approval, where that asker asked for it.
func (k *Keeper) own(ctx context.Context, approval string, asker ask.Asker) (approve.Approval, error) {
	desk, err := k.useDesk()
	if err != nil {
		return approve.Approval{}, err
	}
	a, err := desk.Get(ctx, approval)
	if err == nil && a.Who != string(asker) {
		err = approve.ErrUnknown
	}
	return a, err
}

// decided is the part of what does not wait any more.
func (k *Keeper) decided(ctx context.Context, a approve.Approval) routing.Part {
	name := ""
	if j, err := k.cfg.Store.Get(ctx, a.ID); err == nil {
		name = j.Name
	}
	return routing.Part{Status: routing.StatusAnswered, Approval: a.ID, Answer: outcome(a, name)}
}

// lower is a sentence as it goes on after a colon.
func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
