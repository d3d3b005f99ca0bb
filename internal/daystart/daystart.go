// Package daystart tells when a day begins. In most places that is midnight; where clocks
// go forward at midnight, that day has none, and time.Date gives 23:00 of the day before.
package daystart

import "time"

// Of is the first moment of the day that lies so many days after t's, in t's zone.
func Of(t time.Time, days int) time.Time {
	y, m, d := t.Date()
	noon := time.Date(y, m, d+days, 12, 0, 0, 0, t.Location())
	start := time.Date(y, m, d+days, 0, 0, 0, 0, t.Location())
	if start.Day() != noon.Day() { // it begins when the clocks have gone forward
		_, start = start.ZoneBounds()
		return start.In(t.Location())
	}
	if twice := start.Add(-time.Hour); twice.Day() == noon.Day() { // they went back over midnight's hour
		return twice
	}
	return start
}
