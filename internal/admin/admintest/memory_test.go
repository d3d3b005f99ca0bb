package admintest

import (
	"testing"

	"github.com/askhub/askhub/internal/admin"
)

func TestMemory(t *testing.T) {
	Run(t, func(*testing.T) admin.Store { return admin.NewMemory() })
}
