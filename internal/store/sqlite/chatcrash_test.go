package sqlite

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/askhub/askhub/internal/store/crashtest"
)

// chatForever posts by 50 writers until the process is killed.
func chatForever(path string) {
	db, err := Open(context.Background(), path)
	if err != nil {
		crashtest.Die(err)
	}
	cycle, err := strconv.Atoi(os.Getenv("ASKHUB_TEST_CRASH_CYCLE"))
	if err != nil {
		crashtest.Die(err)
	}
	crashtest.PostForever(db.Chat(crashtest.Rules()), cycle, 50)
}

// The full count is bench/crash's.
func TestAKilledChatLosesNothingAcknowledged(t *testing.T) {
	ctx, path := context.Background(), fresh(t)
	var ledger crashtest.Ledger
	for cycle := range 10 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ASKHUB_TEST_CRASH_CHAT="+path, fmt.Sprint("ASKHUB_TEST_CRASH_CYCLE=", cycle))
		// A number that changes hits different moments of a commit.
		if err := ledger.Victim(cmd, 40+37*cycle, nil); err != nil {
			t.Fatalf("cycle %d: %v", cycle, err)
		}
		if err := Check(ctx, path); err != nil {
			t.Fatalf("after cycle %d: %v", cycle, err)
		}
		db, err := Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if err := ledger.Check(ctx, db.Chat(crashtest.Rules()), cycle == 9); err != nil {
			t.Errorf("after cycle %d: %v", cycle, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if ledger.Len() < 2000 {
		t.Errorf("only %d messages were acknowledged; this has shown little", ledger.Len())
	}
}
