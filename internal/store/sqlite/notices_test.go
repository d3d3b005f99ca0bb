package sqlite

import (
	"testing"

	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/notify/notifytest"
)

func TestNoticesKeepTheirPromises(t *testing.T) {
	notifytest.Run(t, func(t *testing.T) notify.Keeping { return open(t, fresh(t)).Notices() })
}

func TestSubscriptionsKeepTheirPromises(t *testing.T) {
	notifytest.RunSubscriptions(t, func(t *testing.T) notify.Subscriptions { return open(t, fresh(t)).Notices().Subscriptions() })
}
