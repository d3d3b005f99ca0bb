package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/notify/target"
	"github.com/askhub/askhub/internal/notify/webpush"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/unreachable"
)

// phones looks at where each person is reached: the form of each address, and whether its
// server answers. Nothing is sent; askhub notify test does that.
func (e *exam) phones(ctx context.Context) []Check {
	if e.house == nil {
		return nil // what is wrong with people.toml was said
	}
	type address struct{ check, raw, which string }
	var list []address
	pushed := 0
	var without []string
	var unpushed []Check
	for _, p := range e.house.People() {
		for _, raw := range target.Phones(&p) {
			switch {
			case raw == target.Push && p.Role == people.RoleAdult:
				pushed++
				continue
			case raw == target.Push && len(p.Phone) == 0:
				without = append(without, string(p.Name))
				continue
			case raw == target.Push:
				unpushed = append(unpushed, Check{
					"people." + string(p.Name) + ".phone", Warn, "push comes from the admin app, which is for adults, so it never reaches " + string(p.Name),
					`Write the address of that phone in place of "push", such as a topic of ntfy, or take it out.`, false,
				})
				continue
			}
			list = append(list, address{"people." + string(p.Name) + ".phone", raw, target.Which(&p, raw)})
		}
	}
	found := make([]Check, len(list))
	var all sync.WaitGroup
	for i, a := range list {
		all.Go(func() { found[i] = e.phone(ctx, a.check, a.raw, a.which) })
	}
	all.Wait()
	faults := slices.DeleteFunc(slices.Clone(found), func(c Check) bool { return c.State == OK })
	var checks []Check
	if good := len(found) - len(faults); good > 0 {
		checks = append(checks, Check{Check: "phones", State: OK, What: count(good, "address where somebody gets notices is well", "addresses where people get notices are well")})
	}
	if pushed > 0 {
		checks = append(checks, Check{Check: "phones", State: OK, What: count(pushed, "person gets notices", "people get notices") + " by the admin app's push, on each browser where they switch it on"})
	}
	if len(without) > 0 {
		checks = append(checks, Check{Check: "phones", State: OK, What: "no phone is named of " + strings.Join(without, ", ") + ", who is no adult and so has no push: notices come in the feed and in their paired chats"})
	}
	return slices.Concat(checks, faults, unpushed, e.spokenTo(), e.pushKey())
}

// spokenTo looks whether each room in which somebody wants notices said has a speaker in
// askhub.toml; whether that speaker is there is said of the speakers.
func (e *exam) spokenTo() []Check {
	var has func(string) bool
	if rooms := e.cfg.Speakers.Rooms; len(rooms) > 0 {
		has = func(room string) bool {
			return slices.ContainsFunc(rooms, func(r config.SpeakerRoom) bool { return strings.EqualFold(r.Name, room) })
		}
	}
	var checks []Check
	good := 0
	for _, p := range e.house.People() {
		for _, room := range p.SpeakIn {
			if wrong := target.Unspoken(has, room); wrong != nil {
				checks = append(checks, Check{"people." + string(p.Name) + ".speak_in", Fault, wrong.Fault, sentence(wrong.Mend), false})
				continue
			}
			good++
		}
	}
	if good > 0 {
		checks = append([]Check{{Check: "speech", State: OK, What: count(good, "room hears", "rooms hear") + " somebody's urgent notices"}}, checks...)
	}
	return checks
}

// phone looks at one address; which tells it from others of the person's.
func (e *exam) phone(ctx context.Context, check, raw, which string) Check {
	t, err := target.Parse(raw, e.secret)
	if wrong, ok := errors.AsType[*target.Wrong](err); ok {
		return Check{check, Fault, "an address" + which + " cannot be used: " + wrong.Fault, sentence(wrong.Mend), false}
	}
	if checker, ok := t.Sender.(target.Checker); ok {
		ctx, cancel := context.WithTimeout(ctx, hubTimeout)
		defer cancel()
		if err := checker.Check(ctx); err != nil {
			if fault, ok := errors.AsType[*notify.Fault](err); ok && fault.State == notify.Dead {
				what, mend := halves(fault.Reason, "; ", "mend its address in people.toml")
				return Check{check, Fault, t.Name + ": " + what, sentence(mend), false}
			}
			return Check{check, Fault, t.Name + ": " + err.Error(), "Start it, or mend its address in people.toml.", true}
		}
	}
	return Check{Check: check, State: OK}
}

// secret is one line of the secrets file.
func (e *exam) secret(name string) (string, bool) {
	found, err := secrets.Lookup(e.cfg.Secrets, e.Environ, name)
	return found[name], err == nil && found[name] != ""
}

// pushKey looks at the key of the web push, where there is one.
func (e *exam) pushKey() []Check {
	path := filepath.Join(e.cfg.Dir, webpush.KeyName)
	if _, err := os.Stat(path); err != nil {
		return nil // it is made when it is first needed
	}
	if _, err := webpush.LoadKey(path); err != nil {
		what, mend := halves(err.Error(), "; ", "Mend it.")
		return []Check{{"push", Fault, what, mend, false}}
	}
	return []Check{{Check: "push", State: OK, What: "the push key can be read, and by you alone"}}
}

// phoneServers is what the destination apprise may call: the servers of people's phones.
func (e *exam) phoneServers() []unreachable.Connector {
	if e.house == nil {
		return nil
	}
	c := unreachable.Connector{Destination: notify.Spoken}
	for _, p := range e.house.People() {
		for _, raw := range target.Phones(&p) {
			if t, err := target.Parse(raw, e.secret); err == nil && target.Address(t.Sender) != "" {
				c.Addresses = append(c.Addresses, target.Address(t.Sender))
			}
		}
	}
	return []unreachable.Connector{c}
}
