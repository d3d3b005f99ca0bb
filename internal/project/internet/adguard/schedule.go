package adguard

import (
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/project/internet"
)

// wholeDay is the end of a day as the API has it, in milliseconds from its start.
const wholeDay = 24 * 60 * minute

const minute = 60_000

// window is one day's pause of blocking, in milliseconds from the start of the day.
type window struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// pausesFor is the schedule that leaves the bedtime unpaused. Each day has one window, so
// what lies within a day cannot be left out of it.
func pausesFor(b internet.Bedtime, zone string) (map[string]any, error) {
	if !b.Overnight() {
		return nil, &internet.ImpossibleError{
			Field: "to",
			Why:   "AdGuard Home has one pause a day, so a bedtime has to go over midnight, such as from 21:00 to 7:00.",
		}
	}
	out := map[string]any{"time_zone": zone}
	for i, day := range internet.Days {
		before := internet.Days[(i+6)%7]
		w := window{0, wholeDay}
		if slices.Contains(b.Days, before) {
			w.Start = int(b.To) * minute
		}
		if slices.Contains(b.Days, day) {
			w.End = int(b.From) * minute
		}
		if w.Start < w.End {
			out[day] = w
		}
	}
	return out, nil
}

// hasPauses says whether there is anything in a schedule; what cannot be read is something.
func hasPauses(schedule object) bool {
	return slices.ContainsFunc(internet.Days, func(day string) bool {
		raw, has := schedule[day]
		var w window
		return has && raw.Kind() != 'n' && (json.Unmarshal(raw, &w) != nil || w != window{})
	})
}

// bedtimeOf reads a schedule back; ok is false for one that is no bedtime, such as an empty one.
func bedtimeOf(schedule object) (b *internet.Bedtime, ok bool) {
	days := map[string]window{}
	for _, day := range internet.Days {
		var w window
		if raw, has := schedule[day]; has && raw.Kind() == '{' && json.Unmarshal(raw, &w) == nil {
			days[day] = w
		}
	}
	if len(days) == 0 {
		return nil, false
	}
	b = &internet.Bedtime{From: -1, To: -1}
	for i, day := range internet.Days {
		end, morning := days[day].End, days[internet.Days[(i+1)%7]].Start
		if end == wholeDay {
			if morning != 0 { // the end of a night that never began
				return nil, false
			}
			continue
		}
		b.Days = append(b.Days, day)
		if b.From, ok = agree(b.From, end); !ok {
			return nil, false
		}
		// A night whose next day is paused from its start on ends at midnight.
		if b.To, ok = agree(b.To, morning); !ok {
			return nil, false
		}
	}
	return b, len(b.Days) > 0 && b.To < b.From
}

// agree is the one time of day that all windows have.
func agree(so internet.Clock, ms int) (internet.Clock, bool) {
	at := internet.Clock(ms / minute)
	return at, ms%minute == 0 && ms >= 0 && ms < wholeDay && (so < 0 || so == at)
}

// clientAfter is the client's whole object as it will be, or nil where it stays as it is.
func (h *Home) clientAfter(ctx context.Context, c *device, before, after internet.State) (object, error) {
	same := slices.Equal(before.Services, after.Services)
	bed := before.Bedtime == nil && after.Bedtime == nil || before.Bedtime != nil && after.Bedtime != nil && before.Bedtime.Equal(*after.Bedtime)
	if same && bed {
		return nil, nil
	}
	if before.Bedtime == nil && hasPauses(c.schedule) {
		return nil, &internet.ImpossibleError{Field: "device", Why: "This device has a schedule of its own in AdGuard Home, which would be lost: take it away there first."}
	}
	if !same && after.Bedtime != nil {
		return nil, &internet.ImpossibleError{Field: "service", Why: "AdGuard Home has one schedule for all services of a device, and its bedtime uses it: block the service's site instead."}
	}
	out := maps.Clone(c.raw)
	services, schedule := after.Services, map[string]any{"time_zone": h.zoneName()}
	if after.Bedtime != nil {
		if len(before.Services) > 0 {
			return nil, &internet.ImpossibleError{Field: "device", Why: "AdGuard Home has one schedule for all services of a device, so what is blocked there at all times would be open outside bedtime: unblock those services first, or block their sites."}
		}
		var err error
		if schedule, err = pausesFor(*after.Bedtime, h.zoneName()); err != nil {
			return nil, err
		}
		all, err := h.Services(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			services = append(services, s.ID)
		}
	}
	if err := h.leavesGlobal(ctx, c); err != nil {
		return nil, err
	}
	if services == nil {
		services = []string{}
	}
	for key, v := range map[string]any{"use_global_blocked_services": false, "blocked_services": services, "blocked_services_schedule": schedule} {
		if err := out.set(key, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// leavesGlobal refuses to take a device out of what is blocked for the whole household.
func (h *Home) leavesGlobal(ctx context.Context, c *device) error {
	if !c.global {
		return nil
	}
	var reply struct {
		IDs []string `json:"ids"`
	}
	if err := h.get(ctx, "/blocked_services/get", &reply); err != nil {
		return err
	}
	if len(reply.IDs) > 0 {
		return &internet.ImpossibleError{Field: "device", Why: "This device follows the services that are blocked for the whole household, and would no longer: give it its own list in AdGuard Home first."}
	}
	return nil
}

// zoneName is the zone as AdGuard Home reads it.
func (h *Home) zoneName() string {
	if name := h.zone.String(); name != "" {
		return name
	}
	return "Local"
}
