package internet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/plan"
)

// The look-ups.
const (
	ToolUse      = "online.use"
	ToolSites    = "online.sites"
	ToolSite     = "online.site"
	ToolBlocked  = "online.blocked"
	ToolRules    = "rules.blocked"
	ToolLimit    = "rules.limit"
	ToolBedtime  = "rules.bedtime"
	ToolInternet = "rules.internet"
)

// The arguments of the look-ups. A pointer may be null.
type (
	// UseArgs asks for one day.
	UseArgs struct {
		Date   *string `arg:"date" describe:"the day, as YYYY-MM-DD, today or yesterday; null for today" max:"20"`
		Device *string `arg:"device" describe:"words of the device's name, such as tablet; null for all of the person's" max:"60"`
	}
	// SiteArgs asks for one site on one day.
	SiteArgs struct {
		Site string  `arg:"site" describe:"words of the site's domain, such as youtube" max:"80"`
		Date *string `arg:"date" describe:"the day, as YYYY-MM-DD, today or yesterday; null for today" max:"20"`
	}
	// DeviceArgs asks for how devices stand now.
	DeviceArgs struct {
		Device *string `arg:"device" describe:"words of the device's name, such as tablet; null for all of the person's" max:"60"`
	}
)

// Catalogue is the person's look-ups, nil for somebody without a device.
func (n *Internet) Catalogue(person ask.Person) *plan.Catalogue {
	if h := n.people[person]; h != nil {
		return h.catalogue
	}
	return nil
}

// spec is what the look-ups have in common. A domain is chosen by whoever writes an app or
// a page, so it is another person's text.
func spec(id, description string, attacker ...string) plan.Spec {
	if attacker == nil {
		attacker = []string{}
	}
	return plan.Spec{ID: id, Description: description, AttackerFields: attacker}
}

// lookupWithin is how long the network may take where a look-up asks it.
const lookupWithin = 2 * time.Second

func bind[A any](h *holder, s plan.Spec, describe func(A) string, look func(*holder, context.Context, A) (plan.Result, error)) plan.Tool {
	return plan.New(s, describe, func(ctx context.Context, a A) (plan.Result, error) {
		ctx, cancel := context.WithTimeout(ctx, lookupWithin)
		defer cancel()
		return look(h, ctx, a)
	})
}

func newCatalogue(h *holder) (*plan.Catalogue, error) {
	devices := func(device *string) string {
		if device == nil {
			return ""
		}
		return fmt.Sprintf(" with “%s” in its name", *device)
	}
	now := func(what string) func(DeviceArgs) string {
		return func(a DeviceArgs) string { return what + " of each device" + devices(a.Device) }
	}
	rules := spec(ToolRules, "Which sites, apps and services are blocked at all times on a device by the family's rules.")
	rules.RowName = []string{"title"}
	internet := spec(ToolInternet, "Whether a person's internet is on or cut off now.")
	internet.RowName = []string{"title"}
	for _, word := range []string{"connected", "cut", "off", "spent"} {
		internet.States = append(internet.States, plan.State{Word: word, StateField: plan.StateField{Field: "internet", Values: []any{word}}})
	}
	return plan.NewCatalogue([]plan.Tool{
		bind(h, spec(ToolUse, "How long, how much screen time, internet use, time online a person had on a day: in how many ten-minute slots a device looked something up."),
			func(a UseArgs) string {
				return "roughly how many ten-minute slots were active " + day(a.Date) + ", up to when, as far as known" + devices(a.Device)
			}, (*holder).use),
		bind(h, spec(ToolSites, "What sites, pages, apps a person used, visited, looked up, did online, was on, on a day.", "rows[].title"),
			func(a UseArgs) string {
				return "the sites that the devices asked for " + day(a.Date) + devices(a.Device)
			}, (*holder).sites),
		bind(h, spec(ToolSite, "Whether a person was on one site, page or app, such as YouTube, on a day, and when last.", "rows[].title"),
			func(a SiteArgs) string {
				return fmt.Sprintf("the sites with “%s” in their name that the devices asked for %s, and when last", a.Site, day(a.Date))
			}, (*holder).site),
		bind(h, spec(ToolBlocked, "What sites, look-ups were blocked, refused, filtered for a person on a day.", "rows[].title"),
			func(a UseArgs) string {
				return "the sites that the devices were refused " + day(a.Date) + devices(a.Device)
			}, (*holder).refused),
		bind(h, rules, now("what the rules block at all times, or at some hours, named"), (*holder).rules),
		bind(h, spec(ToolLimit, "What limit, time limit, daily allowance a person's device has: minutes each day."),
			now("how many minutes the daily limit allows each day, and how many are used"), (*holder).limits),
		bind(h, spec(ToolBedtime, "When a person's internet bedtime, schedule is: from when to when a device has no internet, at night."),
			now("from when to when the bedtime"), (*holder).bedtimes),
		bind(h, internet, now("whether the internet is connected, off for bedtime, cut, or its limit spent, and until when"), (*holder).internetNow),
	}, nil)
}

func day(date *string) string {
	if date == nil {
		return "today"
	}
	return "on " + *date
}

// matching are the person's devices with these words in their name.
func (h *holder) matching(words *string) []Device {
	if words == nil {
		return h.devices
	}
	var out []Device
	for _, d := range h.devices {
		name := " " + strings.ToLower(strings.ReplaceAll(d.Name, "’", "'")) + " "
		fits := true
		for w := range strings.FieldsSeq(strings.ToLower(*words)) {
			fits = fits && strings.Contains(name, " "+w+" ")
		}
		if fits {
			out = append(out, d)
		}
	}
	return out
}
