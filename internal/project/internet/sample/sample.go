// Package sample is a network in memory with a sample household's use, to try askhub
// with: what is changed in it holds until it ends.
package sample

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/askhub/askhub/internal/project/internet"
)

// Network is the sample. It is safe for concurrent use.
type Network struct {
	now  func() time.Time
	zone *time.Location

	mu     sync.Mutex
	states map[string]internet.State
}

var (
	_ internet.Backend    = (*Network)(nil)
	_ internet.Catalogued = (*Network)(nil)
)

// New is a network in which nothing is cut yet; devices whose name has "tablet" in it have
// a bedtime.
func New(now func() time.Time, zone *time.Location) *Network {
	return &Network{now: now, zone: zone, states: map[string]internet.State{}}
}

// Devices are the sample household's.
func Devices() []internet.Device {
	return []internet.Device{
		{Name: "Harry's tablet", Person: "harry", IDs: []string{"02:00:00:00:00:11"}},
		{Name: "Harry's console", Person: "harry", IDs: []string{"02:00:00:00:00:12"}},
		{Name: "Emma's laptop", Person: "emma", IDs: []string{"02:00:00:00:00:21"}},
		{Name: "Sam's phone", Person: "sam", IDs: []string{"02:00:00:00:00:31"}},
	}
}

// Abilities are all.
func (n *Network) Abilities() internet.Abilities {
	can := internet.Ability{Can: true}
	return internet.Abilities{Name: "the sample network", Timed: can, Bedtime: can, Limit: can, Sites: can, Services: can, Counts: true}
}

// State is the device as it was last changed.
func (n *Network) State(_ context.Context, d internet.Device) (internet.State, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.state(d), nil
}

func (n *Network) state(d internet.Device) internet.State {
	s := n.states[d.Name]
	if s.Off && !s.Until.IsZero() && !n.now().Before(s.Until) {
		s.Off, s.Until = false, time.Time{}
	}
	return s
}

// Apply changes it.
func (n *Network) Apply(_ context.Context, d internet.Device, before, after internet.State, check bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.state(d).Equal(before) {
		return internet.ErrMoved
	}
	if !check {
		n.states[d.Name] = after
	}
	return nil
}

// Services are a few.
func (n *Network) Services(context.Context) ([]internet.Service, error) {
	return []internet.Service{{ID: "tiktok", Name: "TikTok"}, {ID: "youtube", Name: "YouTube"}}, nil
}

// habit is something that a device does each day.
type habit struct {
	device   string
	hour     int
	minutes  int
	names    []string
	weekends bool
}

var habits = []habit{
	{"Harry's tablet", 7, 20, []string{"www.bbc.co.uk", "weather.example"}, true},
	{"Harry's tablet", 16, 90, []string{"www.youtube.com", "i.ytimg.com", "www.roblox.com"}, true},
	{"Harry's console", 17, 50, []string{"store.playstation.com"}, true},
	{"Emma's laptop", 8, 30, []string{"school.example", "docs.google.com"}, false},
	{"Emma's laptop", 18, 60, []string{"www.bbc.co.uk", "school.example"}, true},
	{"Sam's phone", 6, 30, []string{"news.example"}, true},
}

// Lookups are made up from the habits, the same for every day.
func (n *Network) Lookups(_ context.Context, devices []internet.Device, since time.Time, each func(internet.Lookup)) (internet.Reading, error) {
	now := n.now().In(n.zone)
	for day := since.In(n.zone); !day.After(now.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		for _, h := range habits {
			weekend := day.Weekday() == time.Saturday || day.Weekday() == time.Sunday
			if weekend && !h.weekends || !slices.ContainsFunc(devices, func(d internet.Device) bool { return d.Name == h.device }) {
				continue
			}
			start := time.Date(day.Year(), day.Month(), day.Day(), h.hour, 0, 0, 0, n.zone)
			for m := 0; m < h.minutes; m += 5 {
				at := start.Add(time.Duration(m) * time.Minute)
				if at.Before(since) || at.After(now) {
					continue
				}
				each(internet.Lookup{Device: h.device, At: at, Name: h.names[m/5%len(h.names)], Blocked: false})
				if m == 0 {
					each(internet.Lookup{Device: h.device, At: at, Name: "ads.example", Blocked: true})
				}
			}
		}
	}
	return internet.Reading{From: since}, nil
}
