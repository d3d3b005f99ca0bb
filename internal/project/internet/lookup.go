package internet

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/daystart"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
)

// lag is how old what is known may be and still count as of now.
const lag = 3 * time.Minute

// maxRows is how many rows a look-up shows, as many as a sentence lists; its count counts all.
const maxRows = 3

// wrong is a look-up that cannot be made, with the reason for a person.
func wrong(why string) (plan.Result, error) { return plan.Result{}, &UnableError{Why: why} }

// dayOf is the start of the day that is asked for.
func (h *holder) dayOf(date *string) (start time.Time, why string) {
	now := h.internet.cfg.Now().In(h.internet.cfg.Zone)
	today := daystart.Of(now, 0)
	if date == nil {
		return today, ""
	}
	word := strings.ToLower(strings.TrimSpace(*date))
	for back := range 8 {
		d := daystart.Of(now, -back)
		named := back > 0 && word == strings.ToLower(d.Weekday().String())
		if word == d.Format(time.DateOnly) || back == 0 && word == "today" || back == 1 && word == "yesterday" || named {
			if back >= keptDays {
				break
			}
			return d, ""
		}
	}
	d, err := time.ParseInLocation(time.DateOnly, word, now.Location())
	switch {
	case err != nil:
		return d, "the day must be a date, such as 2026-11-30"
	case d.After(today):
		return d, "that day has not come yet"
	}
	return d, "that is longer ago than is kept here"
}

// known is the use of the devices on the day, or why it is not known. A day that began
// after what was last read is read first: else nobody knew of today just after midnight.
func (h *holder) known(ctx context.Context, date, device *string) (u use, start time.Time, why string) {
	devices := h.matching(device)
	if len(devices) == 0 {
		return u, start, "there is no device of that name"
	}
	if start, why = h.dayOf(date); why != "" {
		return u, start, why
	}
	u = h.internet.ledger.day(devices, start)
	if !u.to.IsZero() && u.to.Before(start) {
		if err := h.internet.Refresh(ctx); err != nil {
			h.internet.cfg.Log.Warn("the use of the devices cannot be read", "why", err)
		}
		u = h.internet.ledger.day(devices, start)
	}
	end := daystart.Of(start, 1)
	switch {
	case u.to.IsZero() && u.why != nil:
		return u, start, reasonOf(u.why)
	case u.to.IsZero():
		return u, start, "the use of the devices has not been read yet"
	case u.lost == len(devices):
		return u, start, reasonOf(u.lostWhy)
	case u.to.Before(start) && u.why != nil:
		return u, start, reasonOf(u.why)
	case u.to.Before(start), !u.from.Before(end):
		return u, start, "nothing is known of that day"
	}
	return u, start, ""
}

func reasonOf(err error) string {
	if down, ok := err.(interface{ Reason() string }); ok {
		return down.Reason()
	}
	return "the use of the devices cannot be read just now"
}

// result begins the result of a look-up on use, with what it has to own up to.
func (h *holder) result(u use, start time.Time) plan.Result {
	r := plan.Result{Outcome: plan.OutcomeOK, Facts: map[string]any{"day": start}}
	now := h.internet.cfg.Now()
	if end := daystart.Of(start, 1); u.to.Before(end) && now.Sub(u.to) > lag {
		r.At = u.to
	}
	if u.lost > 0 {
		r.Facts["devices_missing"] = u.lost
	}
	if !u.from.IsZero() {
		r.Facts["known_since"] = u.from.In(h.internet.cfg.Zone)
	}
	return r
}

// use counts the ten-minute slots in which something was looked up.
func (h *holder) use(ctx context.Context, a UseArgs) (plan.Result, error) {
	u, start, why := h.known(ctx, a.Date, a.Device)
	if why != "" {
		return wrong(why)
	}
	r := h.result(u, start)
	r.Facts["slots"] = u.slots
	if !u.last.IsZero() {
		r.Facts["last"] = u.last
	}
	if u.slots == 0 {
		r.Outcome = plan.OutcomeNone
	}
	return r, nil
}

// sites are the names that were looked up most.
func (h *holder) sites(ctx context.Context, a UseArgs) (plan.Result, error) {
	u, start, why := h.known(ctx, a.Date, a.Device)
	if why != "" {
		return wrong(why)
	}
	return h.rows(u, start, grouped(u.names, func(n named) int { return n.count - n.blocked })), nil
}

// site is whether one of them was.
func (h *holder) site(ctx context.Context, a SiteArgs) (plan.Result, error) {
	words := strings.Fields(strings.ToLower(a.Site))
	if len(words) == 0 {
		return wrong("there is no site to look for")
	}
	u, start, why := h.known(ctx, a.Date, nil)
	if why != "" {
		return wrong(why)
	}
	wanted := strings.Join(words, "")
	return h.rows(u, start, grouped(u.names, func(n named) int {
		if !strings.Contains(n.name, wanted) {
			return 0
		}
		return n.count - n.blocked
	})), nil
}

// refused are the names whose look-up was refused.
func (h *holder) refused(ctx context.Context, a UseArgs) (plan.Result, error) {
	can := h.internet.cfg.Backend.Abilities()
	if !can.Counts {
		return wrong("the network does not say what it refuses")
	}
	u, start, why := h.known(ctx, a.Date, a.Device)
	if why != "" {
		return wrong(why)
	}
	return h.rows(u, start, grouped(u.names, func(n named) int { return n.blocked })), nil
}

// rows shows the first of the sites and counts all.
func (h *holder) rows(u use, start time.Time, all []named) plan.Result {
	r := h.result(u, start)
	shown := 0
	for _, n := range all {
		title := speakable(n.name)
		if title == "" {
			continue
		}
		shown++
		if len(r.Rows) < maxRows {
			r.Rows = append(r.Rows, plan.Row{Title: title, Fields: map[string]any{"last": n.last.In(h.internet.cfg.Zone), "look_ups": n.count}})
		}
	}
	r.Facts["count"] = shown
	if shown == 0 {
		r.Outcome = plan.OutcomeNone
	}
	return r
}

// maxDomain is the longest domain that is spoken.
const maxDomain = 60

// speakable is a domain that is fit to be said, or "".
func speakable(name string) string {
	if len(name) > maxDomain || !GoodSite(name) || answer.Quotable(name) != name || ask.CheckSentence("It says “"+name+"” there.", true) != nil {
		return ""
	}
	return name
}

// standings are how the person's devices stand now.
func (h *holder) standings(ctx context.Context, words *string) ([]standing, error) {
	devices := h.matching(words)
	if len(devices) == 0 {
		return nil, &UnableError{Why: "there is no device of that name"}
	}
	var out []standing
	for _, d := range devices {
		state, err := h.internet.cfg.Backend.State(ctx, d)
		if err != nil {
			h.internet.cfg.Log.Warn("a device's state cannot be read", "device", d.Name, "why", err)
			return nil, &UnableError{Why: reasonOf(err), Err: err}
		}
		out = append(out, standing{d, state})
	}
	return out, nil
}

// each makes a row of each device that has something to say.
func (h *holder) each(ctx context.Context, words *string, row func(standing) map[string]any) (plan.Result, error) {
	all, err := h.standings(ctx, words)
	if err != nil {
		return plan.Result{}, err
	}
	r := plan.Result{Outcome: plan.OutcomeNone, Facts: map[string]any{}}
	for _, d := range all {
		if fields := row(d); fields != nil {
			r.Rows = append(r.Rows, plan.Row{Title: d.Name, Fields: fields})
			r.Outcome = plan.OutcomeOK
		}
	}
	r.Facts["count"] = len(r.Rows)
	return r, nil
}

func (h *holder) limits(ctx context.Context, a DeviceArgs) (plan.Result, error) {
	return h.each(ctx, a.Device, func(d standing) map[string]any {
		if d.Limit == 0 {
			return nil
		}
		return map[string]any{"minutes": d.Limit, "used": d.Used}
	})
}

func (h *holder) bedtimes(ctx context.Context, a DeviceArgs) (plan.Result, error) {
	return h.each(ctx, a.Device, func(d standing) map[string]any {
		switch {
		case len(d.Scheduled) > 0:
			return map[string]any{"times": "services are blocked at hours of its own"}
		case d.Bedtime == nil:
			return nil
		}
		now := h.internet.cfg.Now().In(h.internet.cfg.Zone)
		at := func(c Clock) time.Time {
			return time.Date(now.Year(), now.Month(), now.Day(), int(c)/60, int(c)%60, 0, 0, now.Location())
		}
		if len(d.Bedtime.Days) < len(Days) {
			return map[string]any{"times": d.Bedtime.words()}
		}
		return map[string]any{"from": at(d.Bedtime.From), "to": at(d.Bedtime.To)}
	})
}

func (h *holder) internetNow(ctx context.Context, a DeviceArgs) (plan.Result, error) {
	now := h.internet.cfg.Now().In(h.internet.cfg.Zone)
	return h.each(ctx, a.Device, func(d standing) map[string]any {
		fields := map[string]any{"internet": "connected"}
		var end time.Time
		if d.Bedtime != nil {
			end, _ = d.Bedtime.Holds(now)
		}
		switch {
		case d.Off:
			fields["internet"] = "cut"
			if !d.Until.IsZero() {
				fields["until"] = d.Until.In(h.internet.cfg.Zone)
			}
		case d.Spent:
			fields["internet"] = "spent"
		case !end.IsZero():
			fields["internet"], fields["until"] = "off", end
		}
		return fields
	})
}

func (h *holder) rules(ctx context.Context, a DeviceArgs) (plan.Result, error) {
	names := map[string]string{}
	if c, ok := h.internet.cfg.Backend.(Catalogued); ok {
		if all, err := c.Services(ctx); err == nil {
			for _, s := range all {
				names[s.ID] = s.Name
			}
		}
	}
	all, err := h.standings(ctx, a.Device)
	if err != nil {
		return plan.Result{}, err
	}
	r := plan.Result{Outcome: plan.OutcomeNone, Facts: map[string]any{}}
	for _, d := range all {
		for i, what := range slices.Concat(d.Sites, d.Services, d.Scheduled) {
			fields := map[string]any{"device": d.Name}
			if i >= len(d.Sites)+len(d.Services) {
				fields["times"] = "at some hours"
			}
			r.Outcome = plan.OutcomeOK
			r.Rows = append(r.Rows, plan.Row{Title: cmp.Or(names[what], what), Fields: fields})
		}
	}
	r.Facts["count"] = len(r.Rows)
	return r, nil
}
