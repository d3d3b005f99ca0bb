package postgres

import (
	"testing"

	"github.com/askhub/askhub/internal/timers"
	"github.com/askhub/askhub/internal/timers/timerstest"
)

func TestTimersConform(t *testing.T) {
	timerstest.Store(t, func(t *testing.T) timers.Store { return open(t, fresh(t)).Timers() })
}
