package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/askhub/askhub/internal/store/crashtest"
	"github.com/askhub/askhub/internal/store/postgrestest"
)

// postForever posts by 50 writers until the process is killed.
func postForever(address string) {
	db, err := Open(context.Background(), address, "")
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
	ctx, c := context.Background(), postgrestest.Start(t)
	address, err := c.Create("crash")
	if err != nil {
		t.Fatal(err)
	}
	var ledger crashtest.Ledger
	for cycle := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ASKHUB_TEST_CRASH_STORE="+address, fmt.Sprint("ASKHUB_TEST_CRASH_CYCLE=", cycle))
		var die func() error
		if cycle%4 == 3 { // the server falls over, and not the Hub
			die = func() error { return c.Stop(true) }
		}
		if err := ledger.Victim(cmd, 40+37*cycle, die); err != nil {
			t.Fatalf("cycle %d: %v", cycle, err)
		}
		if die != nil {
			if err := c.Run(); err != nil {
				t.Fatal(err)
			}
		}
		db, err := Open(ctx, address, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := ledger.Check(ctx, db.Chat(crashtest.Rules()), cycle == 7); err != nil {
			t.Errorf("after cycle %d: %v", cycle, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if ledger.Len() < 1000 {
		t.Errorf("only %d messages were acknowledged; this has shown little", ledger.Len())
	}
	if err := c.Whole("crash"); err != nil {
		t.Error(err)
	}
}
