package chat_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine may outlive what it was started for.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
