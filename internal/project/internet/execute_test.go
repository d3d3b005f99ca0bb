package internet_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/project/internet"
)

func TestWhatCameOfAChangeIsToldAsItIs(t *testing.T) {
	uncertain := fmt.Errorf("%w: the line went dead", internet.ErrUncertain)
	for name, try := range map[string]struct {
		// made is whether the network makes the change before it fails.
		made    bool
		err     error
		state   error
		want    approve.State
		message string
	}{
		"the network is down":                     {err: &internet.UnableError{Why: "AdGuard Home is not answering"}, want: approve.Failed, message: "Nothing was changed: AdGuard Home is not answering."},
		"the network is too slow to be asked":     {err: &internet.UnableError{Why: "AdGuard Home is too slow", Err: context.DeadlineExceeded}, want: approve.Failed, message: "Nothing was changed: AdGuard Home is too slow."},
		"it failed for no known reason":           {err: errors.New("secret detail"), want: approve.Failed, message: "Nothing was changed: something went wrong."},
		"the end was lost, and it was made":       {made: true, err: uncertain, want: approve.Done, message: "The internet of Harry's tablet is cut."},
		"the end was lost, and it was not made":   {err: uncertain, want: approve.Failed, message: "Nothing was changed: the network did not take it."},
		"the end was lost, and nothing is to see": {made: true, err: uncertain, state: errors.New("gone"), want: approve.Unknown, message: "It is not known whether that was done: look at Harry's tablet itself."},
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, approve.NewMemory())
			a := c.ask("cut", `{"device":"Harry's tablet"}`)
			c.n.apply = func(ctx context.Context, d internet.Device, before, after internet.State, check bool) error {
				if try.made {
					if err := c.n.Network.Apply(ctx, d, before, after, check); err != nil {
						return err
					}
				}
				c.n.state = func() error { return try.state }
				return try.err
			}
			a = c.decide(a, approve.Yes)
			if a.State != try.want || a.Result.Message != try.message {
				t.Errorf("it ended as %s: %q, want %s: %q", a.State, a.Result.Message, try.want, try.message)
			}
			if strings.Contains(a.Result.Message, "secret") {
				t.Error("what is internal was told")
			}
		})
	}
}

// A device that is given back may still be off by its bedtime or its limit.
func TestWhatStillHoldsIsSaidWhereACutBeginsOrEnds(t *testing.T) {
	bed := &internet.Bedtime{From: 19 * 60, To: 7 * 60, Days: internet.Days}
	later := &internet.Bedtime{From: 21 * 60, To: 7 * 60, Days: internet.Days}
	for name, try := range map[string]struct {
		bed            *internet.Bedtime
		spent          bool
		cut, back, was string
	}{
		"nothing":            {nil, false, "it is on now.", "it is cut now.", "Harry's tablet has its internet back."},
		"a bedtime of later": {later, false, "it is on now.", "it is cut now.", "Harry's tablet has its internet back."},
		"a bedtime":          {bed, false, "it is not cut now, but its bedtime holds until 7:00.", "it is cut now, and even then its bedtime holds until 7:00.", "Harry's tablet is not cut any more, but its bedtime holds until 7:00."},
		"a limit":            {nil, true, "it is not cut now, but its time for today is used up.", "it is cut now, and even then its time for today is used up.", "Harry's tablet is not cut any more, but its time for today is used up."},
		"both":               {bed, true, "it is not cut now, but its bedtime holds until 7:00 and its time for today is used up.", "it is cut now, and even then its bedtime holds until 7:00 and its time for today is used up.", "Harry's tablet is not cut any more, but its bedtime holds until 7:00 and its time for today is used up."},
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, approve.NewMemory())
			c.n.spent = try.spent
			c.set(t, internet.State{Bedtime: try.bed})
			cut := c.ask("cut", `{"device":"Harry's tablet"}`)
			if want := "Cut the internet of Harry's tablet; " + try.cut; cut.What != want {
				t.Errorf("it says %q, want %q", cut.What, want)
			}
			c.decide(cut, approve.Yes)
			back := c.ask("restore", `{"device":"Harry's tablet"}`)
			if want := "Give Harry's tablet its internet back; " + try.back; back.What != want {
				t.Errorf("it says %q, want %q", back.What, want)
			}
			if back = c.decide(back, approve.Yes); back.State != approve.Done || back.Result.Message != try.was {
				t.Errorf("it ended as %s: %q, want %q", back.State, back.Result.Message, try.was)
			}
		})
	}
}
