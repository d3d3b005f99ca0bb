package sqlite

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/store/smalldisk"
)

// On a full disk nothing runs that is not kept as approved first, nothing runs twice, and
// what has run is told once there is room.
func TestAFullDiskLetsNothingRunUnkept(t *testing.T) {
	smalldisk.Run(t, "3m", func(t *testing.T, disk *smalldisk.Disk) {
		path := filepath.Join(disk.Dir, "hub.db")
		s := open(t, path).Approvals()
		var mu sync.Mutex
		ran := map[string]int{}
		d, err := approve.Open(context.Background(), approve.Options{
			Owner: "hub", Store: s, Log: slog.New(slog.DiscardHandler),
			Execute: func(_ context.Context, a approve.Approval) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				ran[a.ID]++
				return "Done.", nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		tapped := map[string]string{} // ids with their digests
		failures, full := 0, false
		for n := 0; n < 1000 && failures < 20; n++ {
			a, err := d.Ask(context.Background(), approve.Request{
				What: "Do it.", Who: fmt.Sprint("person ", n), Why: strings.Repeat("x", approve.MaxWhy), Action: jsontext.Value(fmt.Sprintf(`{"n":%d}`, n)),
			})
			if err == nil {
				tapped[a.ID] = a.Digest
				ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
				_, err = d.Decide(ctx, approve.Decision{ID: a.ID, Decision: approve.Yes, Digest: a.Digest})
				cancel()
			}
			if err != nil {
				failures, full = failures+1, true
			}
		}
		if !full || len(tapped) < 20 {
			t.Fatalf("%d approvals, full: %v: this has shown nothing", len(tapped), full)
		}
		disk.Resize("20m")
		d.Close() // it waits for what could not be kept yet
		later, err := approve.Open(context.Background(), approve.Options{
			Owner: "hub", Store: s, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Now().Add(time.Hour) },
			Execute: func(context.Context, approve.Approval) (string, error) { t.Error("it is run again"); return "", nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer later.Close()
		ends := map[approve.State]int{}
		for id, digest := range tapped {
			a, err := later.Decide(context.Background(), approve.Decision{ID: id, Decision: approve.Yes, Digest: digest})
			if err != nil {
				t.Fatal(err)
			}
			want := map[approve.State]int{approve.Done: 1}[a.State]
			if ran[id] != want && a.State != approve.Unknown || ran[id] > 1 {
				t.Errorf("one is %s and ran %d times", a.State, ran[id])
			}
			ends[a.State]++
		}
		t.Logf("%v", ends)
		if err := Check(context.Background(), path); err != nil {
			t.Error(err)
		}
	})
}
