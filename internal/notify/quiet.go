package notify

import (
	"time"

	"github.com/askhub/askhub/internal/people"
)

// awake is when the person's phone may next be reached: now, or at the first minute that
// their quiet hours do not hold. Going by the minute is right on the nights too on which
// the household's clock is changed.
func awake(p *people.Person, zone *time.Location, now time.Time) time.Time {
	if !p.Quiet.Holds(now.In(zone)) {
		return now
	}
	t := now.Truncate(time.Minute)
	for range 48 * 60 {
		if t = t.Add(time.Minute); !p.Quiet.Holds(t.In(zone)) {
			return t
		}
	}
	return t
}
