package compass

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func daily(title, start string) string {
	return "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:" + start + "\r\nDURATION:PT1H\r\nRRULE:FREQ=DAILY\r\nSUMMARY:" + title + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
}

// TestRunKeepsCalendarsFresh runs the loop on a clock of the test's own: a file that
// changes is read again, one that is gone is told of, and a new day is a new window.
func TestRunKeepsCalendarsFresh(t *testing.T) {
	path := filepath.Join(t.TempDir(), "school.ics")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		// The bubble's clock starts on 1 January 2000.
		write(daily("Maths", "20000101T090000Z"))
		c, err := New(Config{Zone: time.UTC, Calendars: []Calendar{{Person: "harry", Tag: School, File: path}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := c.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		expect := func(after time.Duration, want string) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := said(t, c, "sam", "harry", "what does Harry have on today?"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		expect(0, "Harry has maths at 9:00 today.")
		write(daily("Swimming", "20000101T140000Z"))
		expect(6*time.Second, "Harry has swimming at 14:00 today.")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		expect(10*time.Minute, "Harry has swimming at 14:00 today, but that was read 10 minutes ago.")
		if got := c.Status()[0]; got.Err == nil || got.Good.IsZero() || got.Calendar != "calendars[0] (harry, school)" {
			t.Errorf("status %+v", got)
		}
		write("<html>log in</html>")
		expect(20*time.Hour, "Harry has swimming at 14:00 today, but that was read today at 0:00.")
		expect(8*time.Hour, "Harry has swimming at 14:00 today, but that was read yesterday morning.")
		write(daily("English", "20000101T100000Z"))
		expect(time.Hour, "Harry has English at 10:00 today.")
		// A new day has a new window.
		expect(24*time.Hour, "Harry has English at 10:00 today.")
		if ix := c.people["harry"].index.Load(); !ix.madeOn(time.Now().UTC()) {
			t.Errorf("the window is still that of %v", ix.day)
		}
		cancel()
		wg.Wait()
	})
}

// TestAnswersWhileCalendarsChange is for the race detector.
func TestAnswersWhileCalendarsChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "school.ics")
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	if err := os.WriteFile(path, []byte(daily("Maths", "20261101T090000Z")), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{Zone: time.UTC, Now: func() time.Time { return now }, Calendars: []Calendar{{Person: "harry", Tag: School, File: path}}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				if got := said(t, c, "sam", "harry", "does Harry have maths today?"); got != "Yes, Harry has maths at 9:00 today." && got != "Yes, Harry has maths at 10:00 today." {
					t.Error(got)
				}
			}
		})
	}
	for i := range 50 {
		// The length changes each time, so that the file is another one for sure.
		text := daily("Maths", fmt.Sprintf("20261101T%02d0000Z", 9+i%2)) + fmt.Sprintf("X-N:%0*d\r\n", i+1, 0)
		next := path + ".new"
		if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, path); err != nil {
			t.Fatal(err)
		}
		if err := c.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
}
