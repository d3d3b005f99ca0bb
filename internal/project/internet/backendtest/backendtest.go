// Package backendtest holds any backend of the internet project to what that asks of one.
package backendtest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/project/internet"
)

// Setup is a backend with two devices on which nothing is set.
type Setup struct {
	Backend internet.Backend
	// Device is changed, Other must not be.
	Device, Other internet.Device
	// Stranger is a device that the network does not know; where it has no ids, the network
	// knows all.
	Stranger internet.Device
	Now      func() time.Time
}

// Check runs the suite; setup gives a fresh network each time.
func Check(t *testing.T, setup func(t *testing.T) Setup) {
	for name, test := range map[string]func(*testing.T, Setup){
		"each change it can make is made and taken back": changes,
		"a check changes nothing":                        checks,
		"a device that moved is left as it is":           moved,
		"what it cannot do is said":                      impossible,
		"an end of the waiting is an end":                cancelled,
		"a device that it does not know is said":         stranger,
	} {
		t.Run(name, func(t *testing.T) { test(t, setup(t)) })
	}
}

func state(t *testing.T, s Setup, d internet.Device) internet.State {
	t.Helper()
	got, err := s.Backend.State(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// step is a change and the ability that it needs.
type step struct {
	name   string
	need   internet.Ability
	change func(*internet.State)
}

func steps(s Setup) []step {
	can := s.Backend.Abilities()
	return []step{
		{"cut", internet.Ability{Can: true}, func(s *internet.State) { s.Off = true }},
		{"bedtime", can.Bedtime, func(s *internet.State) {
			s.Bedtime = &internet.Bedtime{From: 21 * 60, To: 7 * 60, Days: slices.Clone(internet.Days)}
		}},
		{"limit", can.Limit, func(s *internet.State) { s.Limit = 60 }},
		{"site", can.Sites, func(s *internet.State) { s.Sites = []string{"tiktok.com"} }},
		{"service", can.Services, func(s *internet.State) { s.Services = []string{"youtube"} }},
		{"timed cut", can.Timed, func(st *internet.State) { st.Off, st.Until = true, s.Now().Add(time.Hour).Truncate(time.Second) }},
	}
}

func changes(t *testing.T, s Setup) {
	other := state(t, s, s.Other)
	for _, step := range steps(s) {
		if !step.need.Can {
			continue
		}
		before := state(t, s, s.Device)
		after := before
		step.change(&after)
		for _, way := range [][2]internet.State{{before, after}, {after, before}} {
			if err := s.Backend.Apply(t.Context(), s.Device, way[0], way[1], false); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			got := state(t, s, s.Device)
			if got.Until.Sub(way[1].Until).Abs() < 5*time.Second {
				got.Until = way[1].Until
			}
			if !got.Equal(way[1]) {
				t.Fatalf("%s: it stands as %+v, want %+v", step.name, got, way[1])
			}
		}
		if got := state(t, s, s.Other); !got.Equal(other) {
			t.Errorf("%s: the other device stands as %+v, want %+v", step.name, got, other)
		}
	}
}

func checks(t *testing.T, s Setup) {
	before := state(t, s, s.Device)
	after := before
	after.Off = true
	if err := s.Backend.Apply(t.Context(), s.Device, before, after, true); err != nil {
		t.Fatal(err)
	}
	if got := state(t, s, s.Device); !got.Equal(before) {
		t.Errorf("it stands as %+v, want %+v", got, before)
	}
}

func moved(t *testing.T, s Setup) {
	now := state(t, s, s.Device)
	wrong := now
	wrong.Off = true
	for _, check := range []bool{true, false} {
		if err := s.Backend.Apply(t.Context(), s.Device, wrong, now, check); !errors.Is(err, internet.ErrMoved) {
			t.Errorf("it says %v, want ErrMoved", err)
		}
	}
	if got := state(t, s, s.Device); !got.Equal(now) {
		t.Errorf("it stands as %+v, want %+v", got, now)
	}
}

func impossible(t *testing.T, s Setup) {
	can := s.Backend.Abilities()
	if can.Name == "" {
		t.Error("it has no name")
	}
	for _, a := range []internet.Ability{can.Timed, can.Bedtime, can.Limit, can.Sites, can.Services} {
		if !a.Can && a.Why == "" {
			t.Error("it says of something that it cannot, and not why")
		}
	}
	if _, catalogued := s.Backend.(internet.Catalogued); can.Services.Can && !catalogued {
		t.Error("it can block services, and lists none")
	}
}

func cancelled(t *testing.T, s Setup) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := state(t, s, s.Device)
	after := before
	after.Off = true
	err := s.Backend.Apply(ctx, s.Device, before, after, false)
	if got := state(t, s, s.Device); err != nil && !errors.Is(err, internet.ErrUncertain) && !got.Equal(before) {
		t.Errorf("it says %v, and the device stands as %+v", err, got)
	}
}

func stranger(t *testing.T, s Setup) {
	if len(s.Stranger.IDs) == 0 {
		return
	}
	_, err := s.Backend.State(t.Context(), s.Stranger)
	var down *internet.UnableError
	if !errors.As(err, &down) || down.Why == "" {
		t.Errorf("it says %v", err)
	}
}
