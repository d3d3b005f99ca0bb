package postgres

import (
	"context"
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
func dieApproving(address string) {
	db, err := Open(context.Background(), address, "")
	if err != nil {
		crashtest.Die(err)
	}
	approvetest.Die(db.Approvals())
}

func TestACrashAtAnyStepExecutesAtMostOnceAndIsTold(t *testing.T) {
	address := fresh(t)
	approvetest.Crashes(t, open(t, address).Approvals(), approvetest.CrashTimes(t), func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ASKHUB_TEST_CRASH_APPROVALS="+address)
		return cmd
	})
}

func BenchmarkTapsThreeChanges(b *testing.B) { approvetest.Moves(b, open(b, fresh(b)).Approvals()) }

func BenchmarkTap(b *testing.B) { approvetest.Tap(b, open(b, fresh(b)).Approvals()) }
