package daystart_test

import (
	"testing"
	"time"

	"github.com/askhub/askhub/internal/daystart"
)

// Each day of three years begins with a moment of its own, and the one before that is of
// the day before, wherever clocks change.
func TestADayBeginsWithItsFirstMoment(t *testing.T) {
	for _, name := range []string{
		"UTC", "Europe/London", "America/Los_Angeles", "Pacific/Auckland", "Australia/Lord_Howe", "Asia/Kolkata",
		"Africa/Cairo", "Asia/Beirut", "America/Santiago", "America/Havana", // whose clocks change about midnight
	} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for day := time.Date(2026, time.January, 1, 12, 0, 0, 0, zone); day.Year() < 2029; day = day.AddDate(0, 0, 1) {
			start := daystart.Of(day, 0)
			if start.Format(time.DateOnly) != day.Format(time.DateOnly) || start.Location() != zone {
				t.Errorf("%s: %s begins at %v", name, day.Format(time.DateOnly), start)
			}
			if before := start.Add(-time.Nanosecond); before.Format(time.DateOnly) != day.AddDate(0, 0, -1).Format(time.DateOnly) {
				t.Errorf("%s: %s begins at %v, after its first moment", name, day.Format(time.DateOnly), start)
			}
			for _, days := range []int{-8, -1, 1, 40} {
				if got, want := daystart.Of(day, days), daystart.Of(day.AddDate(0, 0, days), 0); !got.Equal(want) {
					t.Errorf("%s: %d days from %s begin at %v, want %v", name, days, day.Format(time.DateOnly), got, want)
				}
			}
		}
	}
}
