// Package leaktest sees that no goroutine outlives the tests that started it, with the
// patience that a busy machine needs: goleak by itself waits less than half a second.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long what was ended may take to be gone.
const patience = 30 * time.Second

// Main runs a package's tests, and fails where one has left a goroutine.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// None fails the test where a goroutine is left; see goleak for the options.
func None(t testing.TB, options ...goleak.Option) {
	t.Helper()
	if err := Find(options...); err != nil {
		t.Error(err)
	}
}

// Find gives the goroutines that are left, once they have had the time to end.
func Find(options ...goleak.Option) error {
	for limit := time.Now().Add(patience); ; {
		err := goleak.Find(options...)
		if err == nil || time.Now().After(limit) {
			return err
		}
	}
}
