package linux

import (
	"slices"
	"time"
)

// busy is how much a device sends in a minute that counts, in bytes: what it says by
// itself, with nobody at it, is less.
const busy = 20_000

// used is how many minutes of a day a device was busy.
type used struct {
	Date    string `json:"date"`
	Minutes int    `json:"minutes"`
}

// meter is what was counted of a device in the minute that runs.
type meter struct {
	since time.Time
	bytes int64
}

// usedOn is how many minutes a device was busy on the day of now.
func (k kept) usedOn(device string, now time.Time) int {
	if u := k.Used[device]; u.Date == now.Format(time.DateOnly) {
		return u.Minutes
	}
	return 0
}

// spent says whether the day's limit is used up.
func (k kept) spent(device string, now time.Time) bool {
	return k.Limits[device] > 0 && k.usedOn(device, now) >= k.Limits[device]
}

// count adds a minute to those devices that were busy in it. What was used while this program
// did not run is not counted.
func (r *Router) count(held elements) error {
	now := r.o.Now().In(r.o.Zone)
	var active []string
	r.mu.Lock()
	for _, d := range r.o.Devices {
		if r.plans.Limits[d.Name] == 0 {
			delete(r.meters, d.Name)
			continue
		}
		sum := int64(0)
		for _, id := range idsIn(d, useSets) {
			sum += held[id].bytes
		}
		m, running := r.meters[d.Name]
		switch {
		case !running || sum < m.bytes || now.Before(m.since): // it begins, or counts from zero again
			r.meters[d.Name] = meter{now, sum}
		case now.Sub(m.since) >= time.Minute:
			if sum-m.bytes >= busy {
				active = append(active, d.Name)
			}
			r.meters[d.Name] = meter{now, sum}
		}
	}
	r.mu.Unlock()
	if len(active) == 0 {
		return nil
	}
	return r.keep(func(k kept) {
		for name := range k.Used {
			if !slices.Contains(active, name) && k.Limits[name] == 0 {
				delete(k.Used, name)
			}
		}
		for _, name := range active {
			k.Used[name] = used{now.Format(time.DateOnly), k.usedOn(name, now) + 1}
		}
	})
}
