package notifytest

import (
	"testing"

	"github.com/askhub/askhub/internal/notify"
)

func TestTheStoreInMemory(t *testing.T) {
	Run(t, func(*testing.T) notify.Keeping { return notify.NewMemory() })
}

func TestTheSubscriptionsInMemory(t *testing.T) {
	RunSubscriptions(t, func(*testing.T) notify.Subscriptions { return new(notify.MemorySubscriptions) })
}
