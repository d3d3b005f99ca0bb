package internet

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask/approve"
)

// Execute carries out what a person said yes to, and is the only way to a change. It is
// at most once called for an approval; see approve.Execute. One change is made at a time.
func (n *Internet) Execute(ctx context.Context, a approve.Approval) (string, error) {
	action, device, err := n.readAction(a)
	if err != nil {
		return "Nothing was changed: that device is not in the household's settings any more.", err
	}
	select {
	case n.changing <- struct{}{}:
		defer func() { <-n.changing }()
	case <-ctx.Done():
		return n.told(action, State{}, &UnableError{Why: "another change took too long"})
	}
	after := action.after(n.cfg.Now())
	err = n.cfg.Backend.Apply(ctx, device, action.Before, after, false)
	if errors.Is(err, ErrUncertain) {
		err = n.settle(ctx, device, action.Before, after, err)
	}
	if err == nil && action.Change == "restore" { // what is spent is only to be seen there
		ctx, cancel := context.WithTimeout(ctx, lookupWithin)
		defer cancel()
		if state, err := n.cfg.Backend.State(ctx, device); err == nil {
			after = state
		}
	}
	return n.told(action, after, err)
}

func (n *Internet) readAction(a approve.Approval) (Action, Device, error) {
	var action Action
	if err := json.Unmarshal(a.Action, &action, json.RejectUnknownMembers(true)); err != nil {
		return action, Device{}, err
	}
	device, ok := n.device(action.Device)
	if !ok || action.Backend != n.cfg.Backend.Abilities().Name {
		return action, device, errors.New("the settings have changed since it was asked for")
	}
	return action, device, nil
}

// settleTime is how long the state is read for after a change of unclear end.
const settleTime = 5 * time.Second

// settle finds out by the state whether a change was made: nil where it was, the cause where
// it was not, and ErrUncertain where that cannot be told.
func (n *Internet) settle(ctx context.Context, d Device, before, after State, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	state, err := n.cfg.Backend.State(ctx, d)
	switch {
	case err != nil:
		return errors.Join(cause, err)
	case near(state, after):
		return nil
	case near(state, before):
		return &UnableError{Why: "the network did not take it", Err: errors.New(cause.Error())}
	}
	return cause
}

// near is Equal but for some seconds of a cut that ends by itself.
func near(a, b State) bool {
	if a.Until.IsZero() != b.Until.IsZero() || a.Until.Sub(b.Until).Abs() > 5*time.Second {
		return false
	}
	a.Until = b.Until
	return a.Equal(b)
}

// told is what a person hears of how it went, and of how the device stands after it.
func (n *Internet) told(a Action, s State, err error) (string, error) {
	var down *UnableError
	var not *ImpossibleError
	switch {
	case err == nil:
		n.cfg.Log.Info("a change was made", "change", a.Change, "device", a.Device)
		return a.said(s, n.cfg.Now().In(n.cfg.Zone)), nil
	case errors.Is(err, ErrUncertain):
		return "It is not known whether that was done: look at " + a.Device + " itself.", err
	case errors.Is(err, ErrMoved):
		return "Nothing was changed: " + a.Device + " no longer stands as it did when this was asked for.", err
	case errors.As(err, &down):
		// Without its cause: a time that ran out does not make a certain end an unclear one.
		return "Nothing was changed: " + down.Why + ".", errors.New(err.Error())
	case errors.As(err, &not):
		return not.Why, err
	}
	return "Nothing was changed: something went wrong.", err
}

// Settled is a change of which nobody saw the end, such as by a power cut, and what the
// network says of it now.
type Settled struct {
	ID   string `json:"id"`
	What string `json:"what"`
	// Now is one sentence.
	Now string `json:"now"`
}

// Unsettled are the approvals whose execution nobody saw the end of, each with how the
// device stands now. Nothing is run again.
func (n *Internet) Unsettled(ctx context.Context) ([]Settled, error) {
	if n.desk == nil {
		return nil, nil
	}
	all, err := n.desk.List(ctx)
	if err != nil {
		return nil, err
	}
	var out []Settled
	for _, a := range all {
		if a.State == approve.Unknown && n.cfg.Now().Sub(a.Created) < unsettledFor {
			out = append(out, Settled{a.ID, a.What, n.now(ctx, a)})
		}
	}
	return out, nil
}

// unsettledFor is how long an unclear change is told of.
const unsettledFor = 7 * 24 * time.Hour

func (n *Internet) now(ctx context.Context, a approve.Approval) string {
	action, device, err := n.readAction(a)
	if err != nil {
		return "That device is not in the household's settings any more."
	}
	state, err := n.cfg.Backend.State(ctx, device)
	after := action.After
	if action.Minutes > 0 { // from when on is not known
		after.Until = state.Until
	}
	switch {
	case err != nil:
		return "It is still not known whether that was done."
	case state.Equal(after):
		return "That was done."
	case state.Equal(action.Before):
		return "That was not done; ask for it again if it is still wanted."
	}
	return "The device has been changed since; look at how it stands now."
}

// sentence makes a sentence of a reason.
func sentence(why string) string {
	r, size := utf8.DecodeRuneInString(why)
	return string(unicode.ToUpper(r)) + strings.TrimSuffix(why[size:], ".") + "."
}

func compareFold(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }
