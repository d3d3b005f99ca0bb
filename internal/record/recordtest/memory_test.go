package recordtest

import (
	"testing"

	"github.com/askhub/askhub/internal/record"
)

func TestMemory(t *testing.T) {
	Run(t, func(*testing.T) record.Store { return NewMemory() })
}
