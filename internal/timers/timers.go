// Package timers keeps the household's timers and reminders, durably: they outlive a
// restart, and a moment that was missed is told as missed. It reads what people say
// (package words), keeps it in a Store and tells when a moment comes.
package timers

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
)

// State is how a timer stands.
type State string

// A timer is Waiting, then Telling while it is being told of, and ends as Told or
// Cancelled.
const (
	Waiting   State = "waiting"
	Telling   State = "telling"
	Told      State = "told"
	Cancelled State = "cancelled"
)

// Timer is one timer or reminder.
type Timer struct {
	// ID names it; the same request always makes the same.
	ID string
	// Reminder says which of the two it is.
	Reminder bool
	// Name is a timer's, such as "pasta"; it may be empty.
	Name string
	// Words are what a reminder reminds of, exactly as they were said; they may be empty.
	Words string
	// Asker set it, and Person is to hear it.
	Asker  ask.Asker
	Person ask.Person
	// Room is where it was set: the way in, or what that calls the room.
	Room string
	// Made and Due are kept to the microsecond.
	Made, Due time.Time
	State     State
	// Until is how long the one who tells it has it for itself; zero in other states.
	Until time.Time
	// Tries is how often telling has begun.
	Tries int
}

// Length is how long a timer was set for.
func (t Timer) Length() time.Duration { return t.Due.Sub(t.Made) }

// Move takes a timer to another state.
type Move struct {
	ID string
	To State
	// Now is the moment of it, and Until the end of the time to tell it in, for Telling alone.
	Now, Until time.Time
}

// Store keeps timers. An acknowledged change outlives the process and the machine. Several
// Hubs may share one; each call is whole.
type Store interface {
	// Add keeps t. Where its ID is kept already, that one stays as it is and comes back:
	// who asks again after a crash sets nothing twice.
	Add(ctx context.Context, t Timer) (Timer, error)
	// Live are those that wait or are being told, the soonest first.
	Live(ctx context.Context) ([]Timer, error)
	// Move makes the change where the state allows it, and says whether it did: to
	// Cancelled from Waiting; to Telling from Waiting, or from Telling whose time is over
	// (it counts as another try); to Told from Telling. Of several at once one succeeds.
	Move(ctx context.Context, m Move) (bool, error)
	// Sweep forgets what ended before that moment.
	Sweep(ctx context.Context, before time.Time) error
}

// Most is how many may wait at once for one asker.
const Most = 50

// ErrTooMany is an asker for whom Most wait already.
var ErrTooMany = errors.New("too many timers wait")

// IDOf is the ID of what one request sets.
func IDOf(request string) string {
	sum := sha256.Sum256([]byte(request))
	return "t" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}
