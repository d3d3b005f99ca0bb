package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/timers"
	"github.com/askhub/askhub/internal/timers/timerstest"
)

func TestTimersConform(t *testing.T) {
	timerstest.Store(t, func(t *testing.T) timers.Store { return open(t, fresh(t)).Timers() })
}

// setForever sets timers and says the number of each once it is kept.
func setForever(path string) {
	ctx := context.Background()
	db, err := Open(ctx, path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	live, err := db.Timers().Live(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// What was asked and not acknowledged is asked again, as after any crash.
	for n := max(len(live)-1, 0); ; n++ {
		if _, err := db.Timers().Add(ctx, timerstest.Example(n)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

// A Hub that is killed between asking and keeping has set the timer once or not at all, and
// what it acknowledged is there.
func TestAKilledHubSetsNoTimerTwiceAndLosesNone(t *testing.T) {
	path := fresh(t)
	acknowledged := -1
	for cycle := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ASKHUB_TEST_CRASH_TIMERS="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 5 + 7*cycle {
			if lines.Scan() {
				fmt.Sscan(lines.Text(), &acknowledged)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
	live, err := open(t, path).Timers().Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(live) <= acknowledged || acknowledged < 50 {
		t.Errorf("%d are kept, and number %d was acknowledged", len(live), acknowledged)
	}
	for n, timer := range live {
		if want := timerstest.Example(n); timer.ID != want.ID || !timer.Due.Equal(want.Due) {
			t.Fatalf("the one in place %d is %+v", n, timer)
		}
	}
}

// A thousand that wait cost the Hub one look now and then, and each new one a write.
func BenchmarkThousandTimers(b *testing.B) {
	s := open(b, fresh(b)).Timers()
	for n := range 1000 {
		if _, err := s.Add(b.Context(), timerstest.Example(n+1)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			if live, err := s.Live(b.Context()); err != nil || len(live) < 1000 {
				b.Fatal(len(live), err)
			}
		}
	})
	b.Run("add", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			timer := timerstest.Example(1)
			timer.ID = timers.IDOf(strings.Repeat("x", 10) + fmt.Sprint(time.Now().UnixNano(), n))
			if _, err := s.Add(b.Context(), timer); err != nil {
				b.Fatal(err)
			}
		}
	})
}
