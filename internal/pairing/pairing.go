// Package pairing says whom a chat's thread speaks for, and tells the thread so.
package pairing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/people"
)

// Desk is what pairing needs of a chat's store.
type Desk interface {
	chat.Pairing
	Append(ctx context.Context, p chat.Post) (chat.Receipt, error)
}

// ErrUntold is a change that was made and that the thread could not be told of.
var ErrUntold = errors.New("that is set, but the thread could not be told")

// Set changes a thread's settings. Where the person changed, the thread is told by a
// message: whoever reads it should know in whose name it asks.
func Set(ctx context.Context, d Desk, t chat.Thread, now time.Time, change func(*chat.Settings)) (was, is chat.Settings, err error) {
	is, err = d.SetUp(ctx, t, func(s *chat.Settings) {
		was = *s
		change(s)
	})
	if err != nil || was.Person == is.Person {
		return was, is, err
	}
	text := "This chat speaks for nobody now."
	if is.Person != "" {
		text = "This chat now speaks for " + people.Spoken(is.Person) + "."
	}
	if _, err := d.Append(ctx, chat.Post{Thread: t, Author: chat.Hermes, Text: text, Now: now}); err != nil {
		return was, is, fmt.Errorf("%w: %w", ErrUntold, err)
	}
	return was, is, nil
}
