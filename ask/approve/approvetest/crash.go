package approvetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/approve"
)

// step is a moment on the way from a tap to its result.
type step struct {
	name string
	// left is how another process finds the approval, and end what becomes of it in time.
	left, end approve.State
	// ran is how often the deed was done by then.
	ran int
}

// steps are all of them, in order.
var steps = []step{
	{"before the yes is kept", approve.Pending, approve.Done, 1}, // by the next tap
	{"after the yes is kept", approve.Approved, approve.Failed, 0},
	{"before its beginning is kept", approve.Approved, approve.Failed, 0},
	{"after its beginning is kept", approve.Executing, approve.Unknown, 0},
	{"before the deed", approve.Executing, approve.Unknown, 0},
	{"after the deed", approve.Executing, approve.Unknown, 1},
	{"before the result is kept", approve.Executing, approve.Unknown, 1},
	{"after the result is kept", approve.Done, approve.Done, 1},
}

// crashVariable tells Die what Crashes wants of it.
const crashVariable = "ASKHUB_TEST_CRASH_APPROVAL"

// Die says yes to an approval on s, and kills this process at the step that Crashes named.
func Die(s approve.Store) {
	parts := strings.Split(os.Getenv(crashVariable), "|")
	if len(parts) != 4 {
		fmt.Fprintln(os.Stderr, crashVariable, "is not what Crashes sets")
		os.Exit(1)
	}
	at, deeds := parts[0], parts[3]
	d, err := desk(mortal{s, at}, time.Now, func() error {
		dies(at, "before the deed")
		if err := note(deeds); err != nil {
			return err
		}
		dies(at, "after the deed")
		return nil
	})
	if err == nil {
		_, err = d.Decide(context.Background(), approve.Decision{ID: parts[1], Decision: approve.Yes, Digest: parts[2], By: "alex"})
	}
	if err == nil {
		time.Sleep(time.Minute) // a tap may hear of the result before the step behind its keeping comes
	}
	fmt.Fprintln(os.Stderr, "it did not die at", at, err)
	os.Exit(1)
}

// note adds a line to the file of deeds, on the disk before it returns.
func note(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("done\n")
	return errors.Join(err, f.Sync(), f.Close())
}

func dies(at, here string) {
	if at != here {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// mortal is a store whose process dies around a change.
type mortal struct {
	approve.Store
	at string
}

func (m mortal) Move(ctx context.Context, move approve.Move) (bool, error) {
	name := map[approve.State]string{approve.Approved: "the yes", approve.Executing: "its beginning"}[move.To]
	if name == "" {
		name = "the result"
	}
	dies(m.at, "before "+name+" is kept")
	moved, err := m.Store.Move(ctx, move)
	dies(m.at, "after "+name+" is kept")
	return moved, err
}

func desk(s approve.Store, now func() time.Time, deed func() error) (*approve.Desk, error) {
	return approve.Open(context.Background(), approve.Options{
		Owner: "hub", Store: s, Now: now, Log: slog.New(slog.DiscardHandler),
		Execute: func(context.Context, approve.Approval) (string, error) { return "The deed is done.", deed() },
	})
}

// Crashes kills a child at each step, so many times, and looks each time at what is left:
// the deed is done at most once, and of each yes a person hears how it ended. Command makes
// the child with its whole environment, which has to call Die on the same store.
func Crashes(t *testing.T, s approve.Store, times int, command func() *exec.Cmd) {
	n := 0
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			for range times {
				n++
				crash(t, s, step, n, command())
			}
		})
	}
}

func crash(t *testing.T, s approve.Store, step step, n int, child *exec.Cmd) {
	t.Helper()
	deeds := t.TempDir() + "/deeds"
	deed := func() error { return note(deeds) }
	d, err := desk(s, time.Now, deed)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	a, err := d.Ask(t.Context(), approve.Request{What: "Do it.", Who: "sam", Action: jsontext.Value(fmt.Sprintf(`{"n":%d}`, n))})
	if err != nil {
		t.Fatal(err)
	}
	child.Env = append(child.Env, crashVariable+"="+strings.Join([]string{step.name, a.ID, a.Digest, deeds}, "|"))
	var said strings.Builder
	child.Stderr = &said
	if err := child.Run(); err == nil || child.ProcessState.Exited() {
		t.Fatalf("the child was not killed: %v %s", err, said.String())
	}
	left, err := d.Get(t.Context(), a.ID)
	if err != nil || left.State != step.left {
		t.Fatalf("it is left %s, %v; want %s", left.State, err, step.left)
	}
	// What is being executed is not taken over before its time, and not run again after it.
	now := time.Now
	if left.State != approve.Pending {
		now = func() time.Time { return time.Now().Add(time.Hour) }
	}
	var told []approve.State
	later, err := approve.Open(t.Context(), approve.Options{
		Owner: "hub", Store: s, Now: now, Log: slog.New(slog.DiscardHandler),
		Changed: func(a approve.Approval) { told = append(told, a.State) },
		Execute: func(context.Context, approve.Approval) (string, error) { return "The deed is done.", deed() },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*approve.Desk{later, d} {
		got, err := d.Decide(t.Context(), approve.Decision{ID: a.ID, Decision: approve.Yes, Digest: a.Digest, By: "kim"})
		if err != nil || got.State != step.end || got.Result == nil || got.Result.Message == "" {
			t.Errorf("a later tap hears %s %+v, %v; want %s", got.State, got.Result, err, step.end)
		}
	}
	later.Close()
	if step.left != step.end && (len(told) == 0 || told[len(told)-1] != step.end) {
		t.Errorf("of its end nobody was told: %v", told)
	}
	b, err := os.ReadFile(deeds)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if ran := strings.Count(string(b), "\n"); ran != step.ran {
		t.Errorf("the deed was done %d times, want %d", ran, step.ran)
	}
}

// CrashTimes is how often a test kills at each step: few, unless the environment's
// ASKHUB_TEST_CRASHES says how many.
func CrashTimes(t *testing.T) int { return fromEnvironment(t, "ASKHUB_TEST_CRASHES", 3) }

// RoundTimes is how many rounds of taps a test on a disk makes: few, unless the
// environment's ASKHUB_TEST_ROUNDS says how many.
func RoundTimes(t *testing.T) int { return fromEnvironment(t, "ASKHUB_TEST_ROUNDS", 40) }

func fromEnvironment(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(name+" must be a number: ", err)
	}
	return n
}
