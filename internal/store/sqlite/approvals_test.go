package sqlite

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/ask/approve/approvetest"
	"github.com/askhub/askhub/internal/store/crashtest"
)

func TestApprovalsConform(t *testing.T) {
	approvetest.Store(t, func(t *testing.T) approve.Store { return open(t, fresh(t)).Approvals() })
}

func TestTapsAtOnceExecuteAtMostOnceAndHearTheSame(t *testing.T) {
	approvetest.Rounds(t, open(t, fresh(t)).Approvals(), approvetest.RoundTimes(t))
}

func TestHistoriesOfTapsAndLooks(t *testing.T) {
	approvetest.Histories(t, open(t, fresh(t)).Approvals(), 10)
}

// dieApproving is the child that is killed.
func dieApproving(path string) {
	db, err := Open(context.Background(), path)
	if err != nil {
		crashtest.Die(err)
	}
	approvetest.Die(db.Approvals())
}

func TestACrashAtAnyStepExecutesAtMostOnceAndIsTold(t *testing.T) {
	path := fresh(t)
	approvetest.Crashes(t, open(t, path).Approvals(), approvetest.CrashTimes(t), func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ASKHUB_TEST_CRASH_APPROVALS="+path)
		return cmd
	})
}

// Brought back, a backup must not have a second yes said to what has been done since.
func TestACopyHoldsNothingThatCouldStillRun(t *testing.T) {
	path := fresh(t)
	s := open(t, path).Approvals()
	for n, state := range []approve.State{approve.Pending, approve.Approved, approve.Executing, approve.Done, approve.Denied} {
		k := approvetest.Kept(n)
		if _, err := s.Add(t.Context(), k, k.Created); err != nil {
			t.Fatal(err)
		}
		if state != approve.Pending {
			m := approve.Move{Owner: k.Owner, ID: k.ID, From: approve.Pending, To: state, Deadline: k.Expires, Result: approve.Result{Message: "As it was.", Decided: k.Created}}
			if ok, err := s.Move(t.Context(), m); err != nil || !ok {
				t.Fatal(ok, err)
			}
		}
	}
	to := path + ".copy"
	if err := Copy(t.Context(), path, to); err != nil {
		t.Fatal(err)
	}
	copied := open(t, to).Approvals()
	for n, want := range []approve.State{approve.Expired, approve.Failed, approve.Unknown, approve.Done, approve.Denied} {
		id := approvetest.Kept(n).ID
		got, err := copied.Get(t.Context(), "hub", id)
		if err != nil || got.State != want || (got.Result.Message == "As it was.") != (n > 2) || got.Result.Decided.IsZero() {
			t.Errorf("%d is %s %+v, %v; want %s", n, got.State, got.Result, err, want)
		}
		if was, err := s.Get(t.Context(), "hub", id); err != nil || n == 0 && was.State != approve.Pending {
			t.Errorf("the store itself has %s, %v", was.State, err)
		}
	}
}

// SQLite would go on to write into a file that nobody finds again.
func TestAnApprovalIsNotKeptInAStoreThatIsGone(t *testing.T) {
	path := fresh(t)
	s := open(t, path).Approvals()
	k := approvetest.Kept(1)
	if _, err := s.Add(t.Context(), k, k.Created); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), approvetest.Kept(2), k.Created); !errors.Is(err, ErrGone) {
		t.Errorf("added: %v", err)
	}
	if ok, err := s.Move(t.Context(), approve.Move{Owner: k.Owner, ID: k.ID, From: approve.Pending, To: approve.Approved}); ok || !errors.Is(err, ErrGone) {
		t.Errorf("moved: %v %v", ok, err)
	}
}

func BenchmarkTapsThreeChanges(b *testing.B) { approvetest.Moves(b, open(b, fresh(b)).Approvals()) }

func BenchmarkTap(b *testing.B) { approvetest.Tap(b, open(b, fresh(b)).Approvals()) }
