package leaktest

import (
	"testing"

	"go.uber.org/goleak"
)

// goleak looks for less than half a second; what ends later than that is waited for.
func TestWhatEndsLateIsWaitedFor(t *testing.T) {
	ignored := []goleak.Option{goleak.IgnoreCurrent(), goleak.IgnoreAnyFunction("github.com/askhub/askhub/internal/leaktest.Find")}
	late, found := make(chan struct{}), make(chan error, 1)
	go func() { <-late }()
	go func() { found <- Find(ignored...) }()
	if err := goleak.Find(ignored...); err == nil {
		t.Fatal("a goroutine that waits is not seen")
	}
	select {
	case err := <-found:
		t.Fatalf("it was not waited for: %v", err)
	default:
	}
	close(late)
	if err := <-found; err != nil {
		t.Error(err)
	}
}
