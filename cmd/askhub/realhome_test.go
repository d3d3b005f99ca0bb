package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/project/email/sample"
)

// startRealHome is a household of separate processes: the Hub, with school, mail and screen
// time as its children on the demo's sample data, and the running Home Assistant that a
// speaks to. token is what the Hub shows there.
func startRealHome(a *assist, token string) *house {
	a.Helper()
	mail, err := sample.Start(time.Now(), time.Local)
	if err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() { _ = mail.Close() })
	dir, hub := a.TempDir(), addressOf(a.T)
	var held claims
	a.Cleanup(held.release)
	made, err := writeDemo(dir, mail, false, &held)
	if err != nil {
		a.Fatal(err)
	}
	change := func(name string, edit func(string) string) {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(edit(string(text))), 0o600)
		}
		if err != nil {
			a.Fatal(err)
		}
	}
	change(config.FileName, func(text string) string {
		text = strings.NewReplacer(`"127.0.0.1:0"`, fmt.Sprintf("%q", hub), "per_minute = 600", "per_minute = 100000").Replace(text)
		text += fmt.Sprintf("\n[home_assistant]\nurl = %q\n", a.url)
		return text + "\n[[compass.calendars]]\nperson = \"sam\"\ntag = \"school\"\nfile = \"harry-school.ics\"\n" // Sam learns as Harry does
	})
	change("secrets.conf", func(text string) string { return text + config.DefaultHomeToken + "=" + token + "\n" })
	h := &house{t: a.T, token: string(made.demo), dir: dir, program: program(a.T), url: "http://" + hub}
	h.serve = h.start(h.program, nil, "serve", "--config", dir)
	return h
}

// wholeDay is a household of which all three parts of the day answer.
func wholeDay(a *assist) *house {
	a.Helper()
	h := startRealHome(a, a.token)
	var last string
	a.Cleanup(func() {
		if a.Failed() {
			a.Logf("the whole day was %s", last)
		}
	})
	h.until(func() bool {
		r, err := h.ask(today)
		last = fmt.Sprint(r, err)
		return err == nil && len(r.Parts) == 3 && r.answered() == 3
	})
	return h
}

const today = "what do I have on today?"

// happened is an event in Home Assistant.
type happened struct {
	Type string `json:"event_type"`
	Data struct {
		Domain  string `json:"domain"`
		Service string `json:"service"`
		With    struct {
			Entities any `json:"entity_id"`
		} `json:"service_data"`
		Entity string `json:"entity_id"`
	} `json:"data"`
}

func (e happened) String() string {
	if e.Type == "call_service" {
		return fmt.Sprintf("calls %s.%s %s", e.Data.Domain, e.Data.Service, strings.Trim(fmt.Sprint(e.Data.With.Entities), "[]"))
	}
	return "changes " + e.Data.Entity
}

// byItself are domains whose entities change with nobody doing anything.
var byItself = map[string]bool{"sun": true, "geo_location": true, "image_processing": true}

// watch follows every event of Home Assistant from now on. What it gives waits for those that
// are under way, and is what was called and changed since it was last asked.
func watch(t *testing.T) (since func() []string) {
	t.Helper()
	a := openAssist(t)
	a.command("subscribe_events", map[string]any{})
	const mark = "askhub_mark"
	since = func() []string {
		t.Helper()
		a.rest(http.MethodPost, "/api/events/"+mark, map[string]any{})
		var all []string
		for {
			_, raw, err := a.ws.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var m struct {
				Event happened `json:"event"`
			}
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			switch e := m.Event; {
			case e.Type == mark:
				return all
			case e.Type == "call_service", e.Type == "state_changed" && !byItself[strings.Split(e.Data.Entity, ".")[0]]:
				all = append(all, e.String())
			}
		}
	}
	for moving := true; moving; moving = len(since()) > 0 { // a window takes seconds to open
		time.Sleep(1200 * time.Millisecond)
	}
	return since
}

// watched are questions of every shape, and words that only look like an order.
var watched = []string{
	"is the kitchen light on?",
	"are the kitchen lights off",
	"which lights are on?",
	"is any window open?",
	"what is the outside temperature?",
	"how warm is it in the living room?",
	"is the front door locked?",
	"what is the weather like?",
	"will it rain tomorrow?",
	today,
	"what does Harry have on today?",
	"what is on the calendar tomorrow?",
	"what is on the shopping list?",
	"is milk on the shopping list?",
	"read me the shopping list",
	"what lists are there?",
	"what is on the family calendar on 12 December?",
	"should I add milk to the shopping list?",
	"don't add milk to the shopping list",
	"what if I put dentist in the calendar on Friday at 3 pm?",
	"add dentist to my calendar",
	"add dentist on Friday afternoon to my calendar",
	"clear the shopping list",
	"how long is left on the kitchen timer?",
	"which timers are running?",
	"any mail from the school?",
	"how long was Harry online today?",
	"who is at home?",
	"is it true that you can turn on the kitchen light?",
	"what happens if I open the garage door?",
	"what if I turn off the kitchen lights?",
	"how do I turn on the kitchen lights?",
	"when did somebody turn off the bed light?",
	"why did you turn on the ceiling lights?",
	"did you turn off the bed light?",
	"have you turned on the kitchen lights?",
	"was the garage door opened?",
	"should I close the hall window?",
	"shall we turn off the kitchen lights at night?",
	"would it help to turn off the ceiling lights?",
	"does it cost much to turn on the kitchen lights?",
	"if I turn off the bed light, is the hall dark?",
	"I wonder whether turn on the kitchen lights is a sentence",
	"who may turn off the kitchen lights?",
	"is anybody allowed to unlock the front door?",
	"please tell me if the kitchen lights are on",
	"don't turn on the kitchen lights",
	"do not turn off the bed light",
	"never open the hall window",
	"Nan said turn off the bed light yesterday",
	"kitchen lights",
	"the kitchen lights are too bright",
	"unlock the front door",
	"turn off everything",
	"turn off all the lights",
	"turn off the kids' internet",
	"turn on the flarb",
	"turn on the kitchen lights at 7 in the evening",
	"turn off the bed light in ten minutes",
	"turn off the kitchen lights tomorrow",
	"turn off the bed light when I come home",
}

// A question never changes anything: whatever is asked, and however it is put.
func TestARealHomeIsChangedByNoQuestion(t *testing.T) {
	a := openAssist(t)
	h := wholeDay(a)
	h.says("turn off the kitchen lights")
	h.says("turn on the bed light")
	since := watch(t)
	for _, question := range watched {
		r, err := h.ask(question)
		if err != nil {
			t.Errorf("%q: %v", question, err)
			continue
		}
		t.Logf("%s → [%s] %s", question, r.Status, r.Reply)
		for _, what := range since() {
			t.Errorf("%q %s", question, what)
		}
	}
}

// says is the reply to a question, and fails where there is none.
func (h *house) says(question string) string {
	h.t.Helper()
	r, err := h.ask(question)
	if err != nil {
		h.t.Fatalf("%q: %v", question, err)
	}
	return r.Reply
}

// An order causes exactly the calls that it means, on exactly what it names.
func TestARealHomeDoesExactlyWhatIsSaid(t *testing.T) {
	a := openAssist(t)
	h := wholeDay(a)
	for _, before := range []string{"turn off the kitchen lights", "turn on the bed light", "set the bed light to 80%", "close the garage door"} {
		h.says(before)
	}
	since := watch(t)
	for _, c := range []struct {
		words, reply, changes string
		calls                 []string
	}{
		{"turn on the kitchen lights", "The kitchen lights are on", "light.kitchen_lights", []string{"homeassistant.turn_on", "light.turn_on"}},
		{"turn off the kitchen light", "The kitchen lights are off.", "light.kitchen_lights", []string{"homeassistant.turn_off", "light.turn_off"}},
		{"can you turn on the kitchen light?", "The kitchen lights are on", "light.kitchen_lights", []string{"homeassistant.turn_on", "light.turn_on"}},
		{"please set the bed light to 50%", "The bed light is on at 50", "light.bed_light", []string{"light.turn_on"}},
		{"turn off the bed light", "The bed light is off.", "light.bed_light", []string{"homeassistant.turn_off", "light.turn_off"}},
		{"open the garage door", "The garage door is open", "cover.garage_door", []string{"cover.open_cover"}},
	} {
		reply := h.says(c.words)
		if !strings.HasPrefix(reply, c.reply) {
			t.Errorf("%q: it says %q, want %q", c.words, reply, c.reply)
		}
		var calls []string
		changed := false
		for _, what := range since() {
			switch call, isCall := strings.CutPrefix(what, "calls "); {
			case isCall:
				calls = append(calls, call)
			case what == "changes "+c.changes:
				changed = true
			case what != "changes conversation.home_assistant": // it notes when it last heard something
				t.Errorf("%q %s", c.words, what)
			}
		}
		var want []string
		for _, call := range c.calls {
			want = append(want, call+" "+c.changes)
		}
		if !slices.Equal(calls, want) || !changed {
			t.Errorf("%q called %q, want %q; changed: %v", c.words, calls, want, changed)
		}
	}
}
