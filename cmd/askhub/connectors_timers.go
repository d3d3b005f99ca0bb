package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/timers"
)

// teller tells somebody a message; told is false where it has no way to that room or
// person, so that another may.
type teller func(ctx context.Context, t timers.Timer, message string) (told bool, err error)

// rings tells by a notice, to the phone too: whoever set it is not in that room any more,
// or the room has no speaker.
func (n *noticePart) rings(ctx context.Context, t timers.Timer, message string) (bool, error) {
	_, err := n.Add(ctx, notify.Notice{From: notify.Hub, Person: string(t.Person), Message: message, Level: notify.Important, Asked: true})
	if errors.Is(err, notify.ErrUnknownPerson) {
		return false, nil
	}
	return err == nil, err
}

// keepTimers puts the timers before what else home_assistant does: they are askhub's own.
func (s *connectorSet) keepTimers(store timers.Store, rules *ruleBook, log *slog.Logger) *timers.Desk {
	desk := timers.NewDesk(timers.Config{
		Store: store, Next: s.byName[homeName], Household: rules.household, Now: time.Now, Log: log,
		Tell: func(ctx context.Context, t timers.Timer, message string) error {
			return tellBy(ctx, s.tellers, t, message)
		},
		// A notice reaches everybody who lives here, and a guest only hears a speaker.
		Reaches: func(t timers.Timer) bool {
			_, lives := rules.household().Find(string(t.Person))
			return lives || s.speech != nil && s.speech.Has(t.Room)
		},
	})
	s.byName[homeName] = desk
	return desk
}

// errNobodyTells is a household with neither a speaker in that room nor notices.
var errNobodyTells = errors.New("there is no speaker in that room, and no way to notify that person")

// tellBy tells by the first that can.
func tellBy(ctx context.Context, tellers []teller, t timers.Timer, message string) error {
	var faults []error
	for _, tell := range tellers {
		told, err := tell(ctx, t, message)
		if told {
			return nil
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return errNobodyTells
}
