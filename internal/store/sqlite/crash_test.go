package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/askhub/askhub/internal/leaktest"
	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/record/recordtest"
)

// TestMain lets the test's own program be the child that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("ASKHUB_TEST_CRASH_STORE"); path != "" {
		writeForever(path)
	}
	if path := os.Getenv("ASKHUB_TEST_CRASH_CHAT"); path != "" {
		chatForever(path)
	}
	if path := os.Getenv("ASKHUB_TEST_CRASH_TIMERS"); path != "" {
		setForever(path)
	}
	if path := os.Getenv("ASKHUB_TEST_CRASH_APPROVALS"); path != "" {
		dieApproving(path)
	}
	code := m.Run()
	if err := leaktest.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// writeForever saves records and says the id of each once it is saved.
func writeForever(path string) {
	ctx := context.Background()
	db, err := Open(ctx, path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for {
		b := record.Batch{Counts: []record.Count{{Day: "2026-10-10", WayIn: "phone", Status: "answered", N: 3}}}
		for range 3 {
			b.Records = append(b.Records, recordtest.Example())
		}
		if err := db.Records().Save(ctx, b); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for _, r := range b.Records {
			fmt.Println(r.ID)
		}
	}
}

func TestAKilledProcessLosesNothingAcknowledged(t *testing.T) {
	path := fresh(t)
	var acknowledged []string
	for cycle := range 10 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ASKHUB_TEST_CRASH_STORE="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Killing after a number of lines that changes hits different moments of a save.
		lines := bufio.NewReader(out)
		for range 7 + 11*cycle {
			if id, err := lines.ReadString('\n'); err == nil {
				acknowledged = append(acknowledged, id[:len(id)-1])
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		// What it said before it died counts too, but for a line that was cut.
		rest, _ := io.ReadAll(lines)
		for len(rest) >= 31 && rest[30] == '\n' {
			acknowledged = append(acknowledged, string(rest[:30]))
			rest = rest[31:]
		}
		_ = cmd.Wait()

		if err := Check(context.Background(), path); err != nil {
			t.Fatalf("after cycle %d: %v", cycle, err)
		}
	}
	db := open(t, path)
	for _, id := range acknowledged {
		if _, err := db.Records().Get(context.Background(), id); err != nil {
			t.Errorf("%s was acknowledged: %v", id, err)
		}
	}
	counts, err := db.Records().Counts(context.Background())
	if err != nil || len(counts) != 1 {
		t.Fatal(counts, err)
	}
	// A batch is kept whole: the counts are those of the records.
	all, err := db.Records().About(context.Background(), "harry")
	if err != nil || int64(len(all)) != counts[0].N {
		t.Errorf("%d records but %d counted, %v", len(all), counts[0].N, err)
	}
	if len(acknowledged) < 500 {
		t.Errorf("only %d records were written; this has shown little", len(acknowledged))
	}
}
