package linux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/daystart"
	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/wholefile"
)

// kept is the file: what was set of each device by its name, and what it used today.
type kept struct {
	Bedtimes map[string]internet.Bedtime `json:"bedtimes,omitempty"`
	// Limits are in minutes of each day.
	Limits map[string]int  `json:"limits,omitempty"`
	Used   map[string]used `json:"used,omitempty"`
}

// clone is a copy that can be changed.
func (k kept) clone() kept {
	own := kept{map[string]internet.Bedtime{}, map[string]int{}, map[string]used{}}
	maps.Copy(own.Bedtimes, k.Bedtimes)
	maps.Copy(own.Limits, k.Limits)
	maps.Copy(own.Used, k.Used)
	return own
}

// readPlans reads the file. One that is damaged is an error: a bedtime must not get lost
// without a word.
func readPlans(path string) (kept, error) {
	var k kept
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &k, json.RejectUnknownMembers(true))
	}
	if err != nil {
		return k, fmt.Errorf("the file of bedtimes and limits cannot be read; take it away, and set them anew: %w", err)
	}
	return k, nil
}

// CheckFile says whether File of Options can be read, where it is there.
func CheckFile(path string) error {
	_, err := readPlans(path)
	return err
}

// tellStrangers says in the log which plans are of no device, under whose name they hold nothing.
func (r *Router) tellStrangers() {
	names := map[string]bool{}
	for name := range r.plans.Bedtimes {
		names[name] = true
	}
	for name := range r.plans.Limits {
		names[name] = true
	}
	for _, d := range r.o.Devices {
		delete(names, d.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		r.o.Slog.Warn("a bedtime or a limit is kept for a device that is not in the settings, and holds nothing: give the device that name again, or set it anew", "device", name)
	}
}

// plan keeps the device's bedtime and limit. Where the disk does not take it, nothing has
// changed.
func (r *Router) plan(d internet.Device, s internet.State) error {
	return r.keep(func(k kept) {
		delete(k.Bedtimes, d.Name)
		delete(k.Limits, d.Name)
		if s.Bedtime != nil {
			k.Bedtimes[d.Name] = *s.Bedtime
		}
		if s.Limit > 0 {
			k.Limits[d.Name] = s.Limit
		}
	})
}

// keep changes the file and what is known of it, or neither.
func (r *Router) keep(change func(kept)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.plans.clone()
	change(next)
	raw, err := json.Marshal(next, json.Deterministic(true))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.o.File), 0o700); err != nil {
		return unable("it cannot be saved", err)
	}
	if err := wholefile.Replace(r.o.File, raw, nil); err != nil {
		return unable("it cannot be saved", err)
	}
	if dir, err := os.Open(filepath.Dir(r.o.File)); err == nil { // so that the move lasts
		_ = dir.Sync()
		_ = dir.Close()
	}
	r.plans = next
	return nil
}

// keepEvery is how late a bedtime may begin.
const keepEvery = 5 * time.Second

// Keep begins bedtimes when their time comes, counts what devices with a limit use, and
// ends what was taken away. The kernel ends the rest.
func (r *Router) Keep(ctx context.Context) error {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	good, told := true, false
	for {
		if !told {
			if held, err := r.held(ctx); err == nil {
				r.tellOdd(held)
				told = true
			}
		}
		err := r.byTheClock(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && good {
			r.o.Slog.Error("bedtimes and limits cannot be kept just now", "why", err)
		}
		good = err == nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// slack is how far a kernel's timeout may be from the end of a bedtime: a changed
// bedtime, or a changed clock, is put right by more.
const slack = 30 * time.Second

// byTheClock makes the sets hold those devices that are off by the clock now, each until
// that ends, and count those that have a limit.
func (r *Router) byTheClock(ctx context.Context) error {
	held, err := r.held(ctx)
	if err != nil {
		return err
	}
	if err := r.count(held); err != nil {
		return err
	}
	r.mu.Lock()
	plans := r.plans
	r.mu.Unlock()
	now := r.o.Now().In(r.o.Zone)
	var commands []string
	for _, d := range r.o.Devices {
		end := plans.off(d.Name, now)
		for _, id := range idsIn(d, bedSets) {
			has, in := held[id]
			if asleep := !end.IsZero(); in != asleep || asleep && (has.left == 0 || (has.left-end.Sub(now)).Abs() > slack) {
				commands = append(commands, put([]element{id}, asleep, end.Sub(now))...)
			}
		}
		for _, id := range idsIn(d, useSets) {
			if _, in := held[id]; in != (plans.Limits[d.Name] > 0) {
				commands = append(commands, put([]element{id}, !in, 0)...)
			}
		}
	}
	return r.transact(ctx, commands)
}

// off is until when a device is off by the clock, zero where it is not.
func (k kept) off(device string, now time.Time) time.Time {
	var end time.Time
	if b, ok := k.Bedtimes[device]; ok {
		end, _ = b.Holds(now)
	}
	if midnight := daystart.Of(now, 1); k.spent(device, now) && midnight.After(end) {
		end = midnight
	}
	return end
}
