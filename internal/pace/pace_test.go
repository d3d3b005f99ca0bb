package pace

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestALimitIsAnExactSlidingWindow(t *testing.T) {
	l := &Limiter{PerMinute: 3, AtOnce: 2}
	start := time.Unix(1000, 0)
	enter := func(after time.Duration) (time.Duration, bool) {
		wait, ok := l.Enter(start.Add(after))
		if ok {
			l.Leave()
		}
		return wait, ok
	}
	for _, at := range []time.Duration{0, 10 * time.Second, 20 * time.Second} {
		if _, ok := enter(at); !ok {
			t.Fatalf("the request at %v is within the limit", at)
		}
	}
	if wait, ok := enter(30 * time.Second); ok || wait != 30*time.Second {
		t.Errorf("got %v %v, want to wait 30s until the first one no longer counts", wait, ok)
	}
	if _, ok := enter(59999 * time.Millisecond); ok {
		t.Error("the first request counts for a whole minute")
	}
	if _, ok := enter(60 * time.Second); !ok {
		t.Error("after a minute the first request counts no more")
	}
	if wait, ok := enter(60 * time.Second); ok || wait != 10*time.Second {
		t.Errorf("got %v %v, want to wait 10s", wait, ok)
	}
}

func TestALimitHoldsThoseAtOnce(t *testing.T) {
	l := &Limiter{PerMinute: 100, AtOnce: 2}
	now := time.Unix(1000, 0)
	l.Enter(now)
	l.Enter(now)
	if wait, ok := l.Enter(now); ok || wait <= 0 {
		t.Errorf("got %v %v, want a third at once to wait", wait, ok)
	}
	l.Leave()
	if _, ok := l.Enter(now); !ok {
		t.Error("one left, so there is room")
	}
}

// Against a list of all that was let in, over any schedule.
func TestALimitAgainstItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &Limiter{PerMinute: rapid.IntRange(1, 20).Draw(t, "per minute"), AtOnce: 1000}
		now := time.Unix(1000, 0)
		var in []time.Time
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20000).Draw(t, "ms")) * time.Millisecond)
			counting := 0
			for _, at := range in {
				if now.Sub(at) < window {
					counting++
				}
			}
			wait, ok := l.Enter(now)
			if ok != (counting < l.PerMinute) {
				t.Fatalf("let in: %v, with %d of %d counting", ok, counting, l.PerMinute)
			}
			if ok {
				in = append(in, now)
				l.Leave()
			} else if first := in[len(in)-counting]; wait != window-now.Sub(first) {
				t.Fatalf("told to wait %v, want %v", wait, window-now.Sub(first))
			}
		}
	})
}

func BenchmarkLimiter(b *testing.B) {
	l := &Limiter{PerMinute: 1 << 30, AtOnce: 16}
	now := time.Unix(1000, 0)
	for b.Loop() {
		now = now.Add(time.Millisecond)
		l.Enter(now)
		l.Leave()
	}
}
