package homeassistant

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// rung are the events that a household was told of, by their indexes.
type rung chan int

// watching is a connector that tells of these, once it knows the house.
func watching(t *testing.T, r *replay, watch ...Watch) (*tried, rung) {
	t.Helper()
	told := make(rung, 100)
	cfg := r.config()
	cfg.Watch, cfg.Happened = watch, func(i int) { told <- i }
	return connect(t, cfg), told
}

// state is one state as Home Assistant writes it.
func state(id, is string, attributes map[string]any) map[string]any {
	return map[string]any{"entity_id": id, "state": is, "attributes": attributes}
}

// fires sends an event of that type as Home Assistant does, at its clock's time.
func (r *replay) fires(t *testing.T, kind string, data any, at time.Time) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{
		"id": 1, "type": "event", "event": map[string]any{"event_type": kind, "data": data, "origin": "LOCAL", "time_fired": at.Format(time.RFC3339Nano)},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send(string(raw))
}

// changes sends that an entity's state is another one; nil is an entity that is not there.
func (r *replay) changes(t *testing.T, id string, old, now any, at time.Time) {
	t.Helper()
	r.fires(t, "state_changed", map[string]any{"entity_id": id, "old_state": old, "new_state": now}, at)
}

// are fails unless just these were told, whatever else was sent before.
func (told rung) are(t *testing.T, r *replay, want ...int) {
	t.Helper()
	// The last one sent is known to be told, so all before it have been taken in.
	r.changes(t, "binary_sensor.last", state("binary_sensor.last", "off", nil), state("binary_sensor.last", "on", nil), time.Now())
	var got []int
	for {
		select {
		case i := <-told:
			if i == 0 {
				if !slices.Equal(got, want) {
					t.Errorf("told %v, want %v", got, want)
				}
				return
			}
			got = append(got, i)
		case <-time.After(20 * time.Second):
			t.Fatalf("only %v was told", got)
		}
	}
}

var (
	last     = Watch{Entity: "binary_sensor.last"}
	doorbell = Watch{Entity: "event.front_door"}
)

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000-07:00") }

func TestADoorbellIsToldWhenItRings(t *testing.T) {
	r := newReplay(t)
	_, told := watching(t, r, last, doorbell, Watch{Entity: "event.front_door", Type: "ring"})
	now := time.Now()
	at := func(when time.Time, kind string) any {
		return state("event.front_door", stamp(when), map[string]any{"event_type": kind})
	}
	is := func(s string) any { return state("event.front_door", s, nil) }
	for _, c := range []struct {
		name     string
		old, now any
		want     []int
	}{
		{"the first ring ever", is("unknown"), at(now, "ring"), []int{1, 2}},
		{"a ring", at(now.Add(-time.Hour), "ring"), at(now, "ring"), []int{1, 2}},
		{"a movement", at(now.Add(-time.Hour), "ring"), at(now, "motion"), []int{1}},
		{"only its name changed", at(now, "ring"), at(now, "ring"), nil},
		{"it is there again after a restart", is("unavailable"), at(now.Add(-time.Hour), "ring"), nil},
		{"it rang just before it was reloaded", is("unavailable"), at(now.Add(-5*time.Second), "ring"), nil},
		{"it goes", at(now.Add(-time.Hour), "ring"), is("unavailable"), nil},
		{"an entity that is new", nil, at(now, "ring"), nil},
		{"an entity that was renamed", at(now, "ring"), nil, nil},
		{"an old ring that is known now", is("unknown"), at(now.Add(-2*time.Minute), "ring"), nil},
		{"no time at all", is("unknown"), is("pressed"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.changes(t, "event.front_door", c.old, c.now, now)
			told.are(t, r, c.want...)
		})
	}
}

func TestASensorAndATimerAreToldWhenTheyGoOff(t *testing.T) {
	r := newReplay(t)
	_, told := watching(t, r, last, Watch{Entity: "binary_sensor.bell"}, Watch{Entity: "timer.pasta"})
	now := time.Now()
	bell := func(s string) any { return state("binary_sensor.bell", s, nil) }
	timer := func(s, transition string) any {
		return state("timer.pasta", s, map[string]any{"last_transition": transition})
	}
	ends := func(at time.Time) any {
		return state("timer.pasta", "active", map[string]any{"finishes_at": at.Format(time.RFC3339)})
	}
	for _, c := range []struct {
		name, id string
		old, now any
		want     []int
	}{
		{"off to on", "binary_sensor.bell", bell("off"), bell("on"), []int{1}},
		{"on to off", "binary_sensor.bell", bell("on"), bell("off"), nil},
		{"on to on", "binary_sensor.bell", bell("on"), bell("on"), nil},
		{"on after a restart", "binary_sensor.bell", bell("unavailable"), bell("on"), nil},
		{"on from not known", "binary_sensor.bell", bell("unknown"), bell("on"), nil},
		{"a timer is over", "timer.pasta", timer("active", "started"), timer("idle", "finished"), []int{2}},
		{"a timer is cancelled", "timer.pasta", timer("active", "started"), timer("idle", "cancelled"), nil},
		{"a timer waits", "timer.pasta", timer("active", "started"), timer("paused", "paused"), nil},
		{"a timer was over while Home Assistant was down", "timer.pasta", timer("unavailable", ""), timer("idle", "finished"), nil},
		{"a timer of an older Home Assistant", "timer.pasta", ends(now.Add(-time.Second)), timer("idle", ""), []int{2}},
		{"the same, cancelled", "timer.pasta", ends(now.Add(time.Minute)), timer("idle", ""), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.changes(t, c.id, c.old, c.now, now)
			told.are(t, r, c.want...)
		})
	}
}

// TestNothingIsToldTwiceOrLate has Home Assistant go and come back with what happened
// meanwhile, and its messages wait while this machine sleeps.
func TestNothingIsToldTwiceOrLate(t *testing.T) {
	r := newReplay(t)
	h, told := watching(t, r, last, doorbell, Watch{Entity: "binary_sensor.bell"})
	now := time.Now()
	rings := func(at time.Time) {
		r.changes(t, "event.front_door", state("event.front_door", stamp(now.Add(-time.Hour)), nil), state("event.front_door", stamp(at), nil), at)
	}
	rings(now)
	told.are(t, r, 1)
	r.admits(false)
	r.drop()
	h.warm(false)
	r.mu.Lock()
	r.add(`{"entity_id":"event.front_door","state":"`+stamp(now.Add(time.Second))+`","attributes":{}}`,
		`{"entity_id":"binary_sensor.bell","state":"on","attributes":{}}`)
	r.mu.Unlock()
	r.admits(true)
	h.warm(true)
	told.are(t, r)
	// These come an hour after they happened, by Home Assistant's own clock: the connection
	// has slept, and is made anew.
	r.admits(false)
	rings(now.Add(-time.Hour))
	r.changes(t, "binary_sensor.bell", state("binary_sensor.bell", "off", nil), state("binary_sensor.bell", "on", nil), now.Add(-2*news))
	h.warm(false)
	r.admits(true)
	h.warm(true)
	told.are(t, r)
	rings(now.Add(2 * time.Second))
	told.are(t, r, 1)
}

// TestAnEventWhileTheHouseIsLearntIsTold comes between the subscription and the states, which
// have it too.
func TestAnEventWhileTheHouseIsLearntIsTold(t *testing.T) {
	r := newReplay(t)
	now := time.Now()
	r.add(`{"entity_id":"event.front_door","state":"` + stamp(now) + `","attributes":{}}`)
	r.meanwhile = fmt.Sprintf(`{"id":1,"type":"event","event":{"event_type":"state_changed","time_fired":%q,"data":{"entity_id":"event.front_door","old_state":{"state":"unknown"},"new_state":{"entity_id":"event.front_door","state":%q}}}}`,
		now.Format(time.RFC3339Nano), stamp(now))
	_, told := watching(t, r, last, doorbell)
	told.are(t, r, 1)
}

func TestEventsOfTheBusAreTold(t *testing.T) {
	r := newReplay(t)
	_, told := watching(t, r, last, Watch{Event: "doorbell_pressed"}, Watch{Event: "timer.finished"})
	now := time.Now()
	r.fires(t, "doorbell_pressed", map[string]any{"entity_id": 7, "new_state": "odd"}, now)
	r.fires(t, "timer.finished", map[string]any{"entity_id": "light.bed_light"}, now)
	r.fires(t, "something_else", nil, now)
	told.are(t, r, 1, 2)
}

// TestNoEventEndsTheConnection sends what an integration may put on the bus.
func TestNoEventEndsTheConnection(t *testing.T) {
	r := newReplay(t)
	h, told := watching(t, r, last, doorbell, Watch{Event: "odd"})
	now := time.Now()
	for _, data := range []any{nil, 7, "x", []int{1}, map[string]any{"entity_id": []int{1}, "new_state": 7}, map[string]any{"entity_id": "light.bed_light", "new_state": []int{}}} {
		r.fires(t, "state_changed", data, now)
		r.fires(t, "odd", data, now)
	}
	r.mu.Lock()
	for _, text := range []string{`{"type":"event"}`, `{"type":"event","event":7}`, `{"type":"event","event":{"event_type":"state_changed","data":{},"time_fired":"never"}}`} {
		r.send(text)
	}
	r.mu.Unlock()
	told.are(t, r, 2, 2, 2, 2, 2, 2)
	h.expect([2]string{"is the bed light on?", "Yes, the bed light is on at 50.2%."})
	if _, warm := h.c.house.all(); !warm {
		t.Error("the connection has ended")
	}
}

func TestWhatIsNeverToldIsFoundOut(t *testing.T) {
	r := newReplay(t)
	r.refuse = "timer.finished"
	r.add(`{"entity_id":"event.front_door","state":"unknown","attributes":{}}`)
	cfg := r.config()
	cfg.Watch = []Watch{doorbell, {Entity: "event.old_name"}, {Entity: "event.old_name", Type: "ring"}, {Event: "timer.finished"}, {Event: "other"}}
	var log strings.Builder
	cfg.Log, cfg.Happened = slog.New(slog.NewTextHandler(&log, nil)), func(int) {}
	c := New(cfg)
	defer c.Close()
	f, err := c.Check(t.Context())
	if err != nil || !slices.Equal(f.Unheard, []string{"event.old_name"}) || !slices.Equal(f.Refused, []string{"timer.finished"}) {
		t.Errorf("found %+v, %v", f, err)
	}
	again := New(cfg)
	defer again.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- again.follow(ctx) }()
	(&tried{t: t, c: again}).warm(true)
	before := again.house.next()
	r.changes(t, "event.front_door", state("event.front_door", "unknown", nil), nil, time.Now())
	<-before
	cancel()
	<-ended
	for _, want := range []string{"[event.old_name]", "[timer.finished]", "it may have been renamed\" entity=event.front_door"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q: %s", want, log.String())
		}
	}
}

// TestAClockThatIsSetSilencesNothing is a small machine that learns the time after it began.
func TestAClockThatIsSetSilencesNothing(t *testing.T) {
	r := newReplay(t)
	var set atomic.Bool
	told := make(rung, 100)
	cfg := r.config()
	cfg.Watch, cfg.Happened = []Watch{last, doorbell}, func(i int) { told <- i }
	cfg.Now = func() time.Time {
		if set.Load() {
			return time.Now()
		}
		return time.Unix(0, 0)
	}
	h := connect(t, cfg)
	ring := func() {
		now := time.Now()
		r.changes(t, "event.front_door", state("event.front_door", "unknown", nil), state("event.front_door", stamp(now), nil), now)
	}
	ring()
	told.are(t, r, 1)
	set.Store(true)
	r.admits(false)
	r.changes(t, "sensor.any", nil, state("sensor.any", "1", nil), time.Now())
	h.warm(false)
	r.admits(true)
	h.warm(true)
	ring()
	told.are(t, r, 1)
}
