package answering

import (
	"testing"

	"github.com/askhub/askhub/internal/leaktest"
)

// No goroutine may outlive what it was started for.
func TestMain(m *testing.M) { leaktest.Main(m) }
