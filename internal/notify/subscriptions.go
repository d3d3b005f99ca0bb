package notify

import (
	"context"
	"errors"
	"time"

	"github.com/askhub/askhub/ask"
)

// ErrNotFound is what is not kept.
var ErrNotFound = errors.New("nothing is kept under this name")

// Subscription is one browser that takes web pushes for a person.
type Subscription struct {
	// Endpoint is the push service's address for that browser; who has it can push to it.
	Endpoint string
	// P256dh and Auth are the browser's keys in base64, as it gives them.
	P256dh, Auth string
	Person       ask.Person
	Added        time.Time
}

// Subscriptions keep who takes web pushes. Every method is safe to call from several
// goroutines, and what it has done when it returns nil survives the machine's death.
type Subscriptions interface {
	// Add keeps a subscription; one with the same endpoint takes its place.
	Add(ctx context.Context, s Subscription) error
	// Remove forgets the endpoint. One that is not there is no error.
	Remove(ctx context.Context, endpoint string) error
	// Of are the person's, the oldest first.
	Of(ctx context.Context, person ask.Person) ([]Subscription, error)
	// All are everybody's, by person.
	All(ctx context.Context) ([]Subscription, error)
}
