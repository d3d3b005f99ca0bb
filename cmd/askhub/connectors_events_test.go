package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/homeassistant"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/store/sqlite"
)

const houseOfEvents = `[[person]]
name = "sam"
aliases = ["Mum"]
role = "adult"
[[person]]
name = "harry"
role = "child"
[[person]]
name = "nan"
role = "guest"
`

// voices is a stand-in for the speakers of a house, and what was said there.
type voices struct {
	mu   sync.Mutex
	said []string
}

func (*voices) Has(string) bool { return true }

func (v *voices) Speak(_ context.Context, room, sentence string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.said = append(v.said, room+": "+sentence)
	return nil
}

func (v *voices) heard() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	said := slices.Clone(v.said)
	slices.Sort(said)
	return said
}

// TestWhatHappensIsToldToWhomTheHouseholdNamed holds a doorbell down, too: it is one notice.
func TestWhatHappensIsToldToWhomTheHouseholdNamed(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "askhub.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	house, err := people.Parse("people.toml", []byte(houseOfEvents))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	household := func() *people.Household { return house }
	n := openNotices(&config.Config{Dir: t.TempDir(), Notices: config.Notices{PerProject: 30}}, db.Notices(), nil, nil, household, nil, newEventPart(), log)
	events := []config.HomeEvent{
		{Entity: "event.front_door", Say: "Somebody is at the front door.", People: []string{"everyone", "Mum"}, Rooms: []string{"kitchen"}, Level: "important"},
		{Entity: "timer.laundry", Say: "The laundry is done.", People: []string{"adults"}, Level: "info"},
		{Entity: "binary_sensor.smoke", Say: "There is smoke in the house!", People: []string{"mum", "nan", "bob"}, Rooms: []string{"kitchen", "attic"}, Level: "urgent"},
	}
	teller := newEventTeller(events, household, log)
	var voice voices
	quiet := true
	s := &connectorSet{events: teller, speech: &voice, quiet: func() bool { return quiet }}
	s.tellEvents(n)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		s.run(ctx)
		close(ended)
	}()
	for range 500 {
		teller.happened(0)
	}
	teller.happened(1)
	teller.happened(2)
	told := func() []string {
		list, err := n.List(context.Background(), notify.Query{Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for i := range list {
			out = append(out, list[i].From+" to "+list[i].Person+", "+string(list[i].Level)+": "+list[i].Message)
		}
		slices.Sort(out)
		return out
	}
	want := []string{
		"home_assistant to harry, important: Somebody is at the front door.", "home_assistant to nan, urgent: There is smoke in the house!",
		"home_assistant to sam, important: Somebody is at the front door.", "home_assistant to sam, info: The laundry is done.",
		"home_assistant to sam, urgent: There is smoke in the house!",
	}
	wait(t, "the notices", func() bool { return len(told()) >= len(want) && len(voice.heard()) >= 2 })
	stop()
	<-ended
	if got := told(); !slices.Equal(got, want) {
		t.Errorf("told %q", got)
	}
	// The doorbell is not said in quiet hours, and what is urgent is.
	if got := voice.heard(); !slices.Equal(got, []string{"attic: There is smoke in the house!", "kitchen: There is smoke in the house!"}) {
		t.Errorf("said %q", got)
	}
	quiet = false
	teller.tell(t.Context(), &events[0])
	if got := voice.heard(); !slices.Contains(got, "kitchen: Somebody is at the front door.") {
		t.Errorf("by day it said %q", got)
	}
}

func TestAStoreThatDoesNotTakeANoticeIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house, err := people.Parse("people.toml", []byte(houseOfEvents))
		if err != nil {
			t.Fatal(err)
		}
		teller := newEventTeller(nil, func() *people.Household { return house }, slog.New(slog.DiscardHandler))
		tries := 0
		teller.keep = func(context.Context, notify.Notice) (string, error) {
			if tries++; tries < 2 {
				return "", errors.New("the disk is full")
			}
			return "ntc_1", nil
		}
		teller.tell(t.Context(), &config.HomeEvent{Say: "It rings.", People: []string{"sam"}, Level: "important"})
		if tries != 2 {
			t.Errorf("it was tried %d times", tries)
		}
		teller.keep = func(context.Context, notify.Notice) (string, error) {
			tries++
			return "", &notify.TooMany{}
		}
		teller.tell(t.Context(), &config.HomeEvent{Say: "It rings.", People: []string{"sam"}, Level: "important"})
		if tries != 3 {
			t.Errorf("what is too much was tried %d times", tries-2)
		}
	})
}

func TestTheDoctorNamesEventsThatAreNeverTold(t *testing.T) {
	dir := t.TempDir()
	if err := writeFileNew(filepath.Join(dir, config.PeopleName), []byte(houseOfEvents)); err != nil {
		t.Fatal(err)
	}
	cfg := &config.Config{Dir: dir, HomeAssistant: config.HomeAssistant{Events: []config.HomeEvent{{People: []string{"sam"}}, {People: []string{"Bob", "adults"}}}}}
	checks := eventChecks(cfg, homeassistant.Found{Unheard: []string{"event.old_name"}, Refused: []string{"timer.finished"}})
	var all []string
	for _, c := range checks {
		all = append(all, c.Check+": "+c.What)
		if c.State != doctor.Fault || c.Mend == "" {
			t.Errorf("%+v", c)
		}
	}
	if got := strings.Join(all, "\n"); got != "home_assistant.events[1].people: people.toml names nobody who is called Bob\n"+
		"home_assistant.events: Home Assistant has none of these, so nothing is told of them: event.old_name\n"+
		"home_assistant.events: Home Assistant shows these events only to an administrator: timer.finished" {
		t.Errorf("it says\n%s", got)
	}
	cfg.HomeAssistant.Events = cfg.HomeAssistant.Events[:1]
	if checks := eventChecks(cfg, homeassistant.Found{}); len(checks) != 1 || checks[0].State != doctor.OK {
		t.Errorf("%+v", checks)
	}
	if checks := eventChecks(&config.Config{}, homeassistant.Found{}); checks != nil {
		t.Errorf("%+v", checks)
	}
}

func TestTheDoctorNamesCalendarsThatNobodyHas(t *testing.T) {
	dir := t.TempDir()
	if err := writeFileNew(filepath.Join(dir, config.PeopleName), []byte(houseOfEvents)); err != nil {
		t.Fatal(err)
	}
	cfg := &config.Config{Dir: dir, HomeAssistant: config.HomeAssistant{Calendars: []config.HomeCalendars{{Person: "sam"}, {Person: "Bob"}, {Person: "SAM"}}}}
	var all []string
	for _, c := range homeCalendarChecks(cfg) {
		all = append(all, c.Check+": "+c.What+". "+c.Mend)
		if c.State != doctor.Fault {
			t.Errorf("%+v", c)
		}
	}
	if got := strings.Join(all, "\n"); got != "home_assistant.calendars[1].person: people.toml names nobody who is called Bob, so these calendars are nobody's. Write the name of people.toml whose they are.\n"+
		`home_assistant.calendars[2].person: SAM is called sam in people.toml, and has these calendars under that name only. Write person = "sam".` {
		t.Errorf("it says\n%s", got)
	}
}
