package internet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
)

// Action is the one thing that an approval of this project runs, and all of it.
type Action struct {
	Change  string `json:"change"`
	Device  string `json:"device"`
	Backend string `json:"backend"`
	// Minutes is how long a cut lasts, from the yes on; 0 is until it is given back.
	Minutes int `json:"minutes,omitzero"`
	// Before and After are the whole state of the device as it has to be, and as it will be.
	Before State `json:"before"`
	After  State `json:"after"`
}

// after is the state that the action leads to where it runs at now.
func (a Action) after(now time.Time) State {
	s := a.After
	if a.Minutes > 0 {
		s.Until = now.Add(time.Duration(a.Minutes) * time.Minute).Truncate(time.Second)
	}
	return s
}

// standing is a device and how it stands.
type standing struct {
	Device
	State
}

// scene is what a change is chosen from.
type scene struct {
	can      Abilities
	devices  []standing
	missing  []Missing
	services []Service
	// now is in the household's time zone.
	now time.Time
}

// change is one kind of change. Its make fills in what the form's values mean for the
// device: what it is, in one sentence that says what is now too, and the state after it.
type change struct {
	name, title string
	need        func(Abilities) Ability
	fields      func(*scene) []Field
	// make gets the device as it stands, or with a zero device for a form that names it otherwise.
	make func(*scene, *input) (made, *ask.Problem)
}

// made is a change in words and states.
type made struct {
	device  standing
	after   State
	minutes int
	what    string
}

// Limits of what a form takes, in minutes.
const (
	minMinutes, maxMinutes = 1, 24 * 60
	leastLimit             = 10
)

func always(Abilities) Ability { return Ability{Can: true} }

// changes are all kinds, in the order in which a form shows them.
var changes = []change{
	{"cut", "Cut the internet", always, func(s *scene) []Field {
		fields := []Field{s.deviceField(func(d State) bool { return !d.Off })}
		if s.can.Timed.Can {
			fields = append(fields, Field{Name: "minutes", Label: "For how long; empty is until you give it back", Type: typeNumber, Unit: "minutes", Min: new(minMinutes), Max: new(maxMinutes)})
		}
		return fields
	}, makeCut},
	{"restore", "Give the internet back", always, func(s *scene) []Field {
		return []Field{s.deviceField(func(d State) bool { return d.Off })}
	}, makeRestore},
	{"limit", "Set a daily limit", func(a Abilities) Ability { return a.Limit }, func(s *scene) []Field {
		return []Field{s.deviceField(nil), {Name: "minutes", Label: "Time online each day", Type: typeNumber, Unit: "minutes", Required: true, Min: new(leastLimit), Max: new(maxMinutes)}}
	}, makeLimit},
	{"limit_off", "Take the daily limit away", func(a Abilities) Ability { return a.Limit }, func(s *scene) []Field {
		return []Field{s.deviceField(func(d State) bool { return d.Limit > 0 })}
	}, makeLimitOff},
	{"bedtime", "Set a bedtime", func(a Abilities) Ability { return a.Bedtime }, func(s *scene) []Field {
		return []Field{
			s.deviceField(nil),
			{Name: "from", Label: "From", Type: typeTime, Required: true},
			{Name: "to", Label: "To", Type: typeTime, Required: true},
			{Name: "days", Label: "On the evenings of", Type: typeDays, Required: true},
		}
	}, makeBedtime},
	{"bedtime_off", "Take the bedtime away", func(a Abilities) Ability { return a.Bedtime }, func(s *scene) []Field {
		return []Field{s.deviceField(func(d State) bool { return d.Bedtime != nil })}
	}, makeBedtimeOff},
	{"block_site", "Block a site", func(a Abilities) Ability { return a.Sites }, func(s *scene) []Field {
		return []Field{s.deviceField(nil), {Name: "site", Label: "Site, such as example.org", Type: typeText, Required: true}}
	}, makeBlockSite},
	{"unblock_site", "Unblock a site", func(a Abilities) Ability { return a.Sites }, func(s *scene) []Field {
		return []Field{s.blockedField(func(d State) []string { return d.Sites })}
	}, makeUnblockSite},
	{"block_service", "Block a service", func(a Abilities) Ability { return a.Services }, func(s *scene) []Field {
		return []Field{s.deviceField(nil), s.serviceField()}
	}, makeBlockService},
	{"unblock_service", "Unblock a service", func(a Abilities) Ability { return a.Services }, func(s *scene) []Field {
		return []Field{s.blockedField(func(d State) []string { return d.Services })}
	}, makeUnblockService},
}

func changeNamed(name string) (change, bool) {
	i := slices.IndexFunc(changes, func(c change) bool { return c.name == name })
	if i < 0 {
		return change{}, false
	}
	return changes[i], true
}

func (s *scene) deviceField(fits func(State) bool) Field {
	f := Field{Name: "device", Label: "Device", Type: typeChoice, Required: true}
	for _, d := range s.devices {
		if fits == nil || fits(d.State) {
			f.Choices = append(f.Choices, Choice{Value: d.Name, Label: d.Name})
		}
	}
	return f
}

// blockedField is one choice for each thing that is blocked on a device.
func (s *scene) blockedField(of func(State) []string) Field {
	f := Field{Name: "blocked", Label: "What is blocked", Type: typeChoice, Required: true}
	for _, d := range s.devices {
		for _, b := range of(d.State) {
			f.Choices = append(f.Choices, Choice{Value: blockedValue(d.Name, b), Label: d.Name + ": " + s.serviceName(b)})
		}
	}
	return f
}

func blockedValue(device, what string) string { return device + "/" + what }

func (s *scene) serviceField() Field {
	f := Field{Name: "service", Label: "Service", Type: typeChoice, Required: true}
	for _, x := range s.services {
		f.Choices = append(f.Choices, Choice{Value: x.ID, Label: x.Name})
	}
	return f
}

// serviceName is what a service is called, or what stands there.
func (s *scene) serviceName(id string) string {
	for _, x := range s.services {
		if x.ID == id {
			return cmp.Or(x.Name, id)
		}
	}
	return id
}

func makeCut(s *scene, in *input) (made, *ask.Problem) {
	m, p := in.device(s)
	if p != nil {
		return m, p
	}
	if m.device.Off {
		return m, conflict("device", m.device.Name+" is cut off already.")
	}
	if raw, given := in.values["minutes"]; given && raw != "" {
		if !s.can.Timed.Can {
			return m, impossible(&ImpossibleError{"minutes", s.can.Timed.Why})
		}
		if m.minutes, p = in.number("minutes", minMinutes, maxMinutes); p != nil {
			return m, p
		}
	}
	m.after.Off = true
	m.what = "Cut the internet of " + m.device.Name
	if m.minutes > 0 {
		m.what += fmt.Sprintf(" for %d minutes", m.minutes)
	}
	if s.can.Cutting != "" {
		m.what += " (" + s.can.Cutting + ")"
	}
	if holds := m.device.holds(s.now); holds != "" {
		m.what += "; it is not cut now, but " + holds + "."
	} else {
		m.what += "; it is on now."
	}
	return m, nil
}

func makeRestore(s *scene, in *input) (made, *ask.Problem) {
	m, p := in.device(s)
	if p != nil {
		return m, p
	}
	if !m.device.Off {
		return m, conflict("device", m.device.Name+" is not cut off.")
	}
	m.after.Off, m.after.Until = false, time.Time{}
	m.what = "Give " + m.device.Name + " its internet back; it is cut now"
	if holds := m.device.holds(s.now); holds != "" {
		m.what += ", and even then " + holds
	}
	m.what += "."
	return m, nil
}

func makeLimit(s *scene, in *input) (made, *ask.Problem) {
	m, p := in.device(s)
	if p != nil {
		return m, p
	}
	if m.after.Limit, p = in.number("minutes", leastLimit, maxMinutes); p != nil {
		return m, p
	}
	if m.after.Limit == m.device.Limit {
		return m, conflict("minutes", fmt.Sprintf("%s has that limit already.", m.device.Name))
	}
	m.what = fmt.Sprintf("Give %s %d minutes of internet each day; now %s.", m.device.Name, m.after.Limit, limitWords(m.device.Limit))
	return m, nil
}

func limitWords(minutes int) string {
	if minutes == 0 {
		return "it has no limit"
	}
	return fmt.Sprintf("it has %d minutes", minutes)
}

func makeLimitOff(s *scene, in *input) (made, *ask.Problem) {
	m, p := in.device(s)
	if p != nil {
		return m, p
	}
	if m.device.Limit == 0 {
		return m, conflict("device", m.device.Name+" has no limit.")
	}
	m.after.Limit = 0
	m.what = fmt.Sprintf("Take the daily limit of %s away; now %s.", m.device.Name, limitWords(m.device.Limit))
	return m, nil
}

func makeBedtime(s *scene, in *input) (made, *ask.Problem) {
	m, p := in.device(s)
	if p != nil {
		return m, p
	}
	var b Bedtime
	if b.From, p = in.clock("from"); p != nil {
		return m, p
	}
	if b.To, p = in.clock("to"); p != nil {
		return m, p
	}
	if b.From == b.To {
		return m, ask.NewProblem(ask.CodeInvalidField, "fields.to", "Choose an end that is not the start; to have no internet at all, cut it.")
	}
	if b.Days, p = in.days("days"); p != nil {
		return m, p
	}
	if m.device.Bedtime != nil && m.device.Bedtime.Equal(b) {
		return m, conflict("from", m.device.Name+" has that bedtime already.")
	}
	m.after.Bedtime = &b
	m.what = "Give " + m.device.Name + " a bedtime " + b.words() + "; now " + bedtimeWords(m.device.Bedtime) + "."
	return m, nil
}

func bedtimeWords(b *Bedtime) string {
	if b == nil {
		return "it has none"
	}
	return "it is " + b.words()
}

func makeBedtimeOff(s *scene, in *input) (made, *ask.Problem) {
	m, p := in.device(s)
	if p != nil {
		return m, p
	}
	if m.device.Bedtime == nil {
		return m, conflict("device", m.device.Name+" has no bedtime.")
	}
	m.after.Bedtime = nil
	m.what = "Take the bedtime of " + m.device.Name + " away; now " + bedtimeWords(m.device.Bedtime) + "."
	return m, nil
}

func makeBlockSite(s *scene, in *input) (made, *ask.Problem) {
	m, p := in.device(s)
	if p != nil {
		return m, p
	}
	site := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(in.values["site"])), ".")
	if !GoodSite(site) {
		return m, ask.NewProblem(ask.CodeInvalidField, "fields.site", "Write the site's domain alone, in letters from a to z, such as example.org.")
	}
	if slices.Contains(m.device.Sites, site) {
		return m, conflict("site", site+" is blocked on "+m.device.Name+" already.")
	}
	m.after.Sites = with(m.device.Sites, site)
	m.what = "Block " + site + " and what belongs to it on " + m.device.Name + "; " + blockedNow(m.device.Sites) + "."
	return m, nil
}

// mostBlocked is how much of what is blocked a sentence names, in letters; the action has all of it.
const mostBlocked = 120

// blockedNow says what is blocked before a change.
func blockedNow(list []string) string {
	switch {
	case len(list) == 0:
		return "nothing like it is blocked there now"
	case len(list) == 1 && len(list[0]) <= mostBlocked:
		return "only " + list[0] + " is blocked there now"
	case len(list) > 1 && len(joinAnd(list)) <= mostBlocked:
		return joinAnd(list) + " are blocked there now"
	}
	return fmt.Sprintf("%d others are blocked there now", len(list))
}

func makeUnblockSite(s *scene, in *input) (made, *ask.Problem) {
	m, site, p := in.blocked(s, func(d State) []string { return d.Sites })
	if p != nil {
		return m, p
	}
	m.after.Sites = without(m.device.Sites, site)
	m.what = "Unblock " + site + " on " + m.device.Name + "; it is blocked now."
	return m, nil
}

func makeBlockService(s *scene, in *input) (made, *ask.Problem) {
	m, p := in.device(s)
	if p != nil {
		return m, p
	}
	id := in.values["service"]
	if !slices.ContainsFunc(s.services, func(x Service) bool { return x.ID == id }) {
		return m, ask.NewProblem(ask.CodeInvalidField, "fields.service", "Choose one of the services that are listed.")
	}
	if slices.Contains(m.device.Services, id) {
		return m, conflict("service", s.serviceName(id)+" is blocked on "+m.device.Name+" already.")
	}
	m.after.Services = with(m.device.Services, id)
	m.what = "Block " + s.serviceName(id) + " on " + m.device.Name + "; " + blockedNow(m.device.Services) + "."
	return m, nil
}

func makeUnblockService(s *scene, in *input) (made, *ask.Problem) {
	m, id, p := in.blocked(s, func(d State) []string { return d.Services })
	if p != nil {
		return m, p
	}
	m.after.Services = without(m.device.Services, id)
	m.what = "Unblock " + s.serviceName(id) + " on " + m.device.Name + "; it is blocked now."
	return m, nil
}

// holds says what keeps the device offline besides a cut, or nothing; now is in the
// household's time zone.
func (s State) holds(now time.Time) string {
	var all []string
	if s.Bedtime != nil {
		if end, ok := s.Bedtime.Holds(now); ok {
			all = append(all, "its bedtime holds until "+Clock(end.Hour()*60+end.Minute()).spoken())
		}
	}
	if s.Spent {
		all = append(all, "its time for today is used up")
	}
	return joinAnd(all)
}

// said is what a person hears when the action has been carried out and the device stands
// as it does now.
func (a Action) said(s State, now time.Time) string {
	d := a.Device
	switch {
	case a.Change == "cut" && a.Minutes > 0:
		return fmt.Sprintf("The internet of %s is cut for %d minutes.", d, a.Minutes)
	case a.Change == "cut":
		return "The internet of " + d + " is cut."
	case a.Change == "restore" && s.holds(now) != "":
		return d + " is not cut any more, but " + s.holds(now) + "."
	case a.Change == "restore":
		return d + " has its internet back."
	case a.Change == "limit":
		return fmt.Sprintf("%s has %d minutes of internet each day now.", d, a.After.Limit)
	case a.Change == "limit_off":
		return d + " has no daily limit any more."
	case a.Change == "bedtime":
		return d + " has its bedtime now."
	case a.Change == "bedtime_off":
		return d + " has no bedtime any more."
	case strings.HasPrefix(a.Change, "unblock"):
		return "That is open on " + d + " again."
	}
	return "That is blocked on " + d + " now."
}
