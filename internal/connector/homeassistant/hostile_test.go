package homeassistant

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// quiet is cfg with a log that nobody reads.
func quiet(cfg Config) Config {
	cfg.Log = slog.New(slog.DiscardHandler)
	return cfg
}

// with is a recorded list and more.
func with(t *testing.T, list jsontext.Value, more ...string) jsontext.Value {
	t.Helper()
	var all []jsontext.Value
	if err := json.Unmarshal(list, &all); err != nil {
		t.Fatal(err)
	}
	for _, m := range more {
		all = append(all, jsontext.Value(m))
	}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// What Home Assistant says instead of a reply never makes a state that nobody read.
func TestAReplyThatIsNoneIsNeverBelieved(t *testing.T) {
	for name, instead := range map[string]map[string][]string{
		"success is false":             {"get_states": {`{"id":ID,"type":"result","success":false,"error":{"code":"unauthorized","message":"inner words"}}`}},
		"an object for a list":         {"get_states": {`{"id":ID,"type":"result","success":true,"result":{"states":[]}}`}},
		"no JSON":                      {"get_states": {`<html>restarting</html>`}},
		"another version's registry":   {"config/entity_registry/list": {`{"id":ID,"type":"result","success":true,"result":"none"}`}},
		"an unknown command":           {"config/area_registry/list": {`{"id":ID,"type":"result","success":false,"error":{"code":"unknown_command"}}`}},
		"no aliases":                   {"config/entity_registry/get_entries": {`{"id":ID,"type":"result","success":false,"error":{"code":"unknown_error"}}`}},
		"no floors":                    {"config/floor_registry/list": {`{"id":ID,"type":"result","success":false,"error":{"code":"unknown_error"}}`}},
		"no events for that token":     {"subscribe_events": {`{"id":ID,"type":"result","success":false,"error":{"code":"unauthorized"}}`}},
		"a token that has run out":     {"auth": {`{"type":"auth_invalid","message":"Invalid access token or password"}`}},
		"the answer to another call":   {"get_states": {`{"id":999,"type":"result","success":true,"result":[{"entity_id":"light.kitchen_lights","state":"on"}]}`}},
		"nothing":                      {"get_states": nil},
		"a message that is one number": {"get_states": {`42`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReplay(t)
			r.instead = instead
			cfg := r.config()
			cfg.Zone = func() *time.Location { return time.UTC }
			h := &tried{t: t, c: New(quiet(cfg))}
			defer h.c.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			err := h.c.follow(ctx)
			if err == nil || strings.Contains(err.Error(), "inner words") {
				t.Errorf("it ended with %v", err)
			}
			if got := h.says("is the kitchen light on?"); got != "! "+ErrNotReady.Error() {
				t.Errorf("got %q", got)
			}
			if got := h.says("turn on the kitchen lights"); got != "! "+ErrNotReady.Error() || len(r.told) != 0 {
				t.Errorf("got %q, and the agent was told %q", got, r.told)
			}
		})
	}
}

// A disturbance in the middle of what is followed loses nothing that is true.
func TestADisturbanceInTheMiddleIsOutlived(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":                    `{{{`,
		"an event of nothing":        `{"id":1,"type":"event","event":null}`,
		"an event without data":      `{"id":1,"type":"event","event":{"event_type":"state_changed"}}`,
		"a state of another thing":   `{"id":1,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"light.kitchen_lights","new_state":{"entity_id":"lock.front_door","state":"on"}}}}`,
		"a state without an id":      `{"id":1,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"light.kitchen_lights","new_state":{"state":"on"}}}}`,
		"a number for a state":       `{"id":1,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"light.kitchen_lights","new_state":{"entity_id":"light.kitchen_lights","state":7}}}}`,
		"a message of no known kind": `{"type":"pong"}`,
		"five megabytes":             `{"type":"pong","x":"` + strings.Repeat("a", 5<<20) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReplay(t)
			h := connect(t, r.config())
			r.turn("light.kitchen_lights", "off")
			h.comes("is the kitchen light on?", "No, the kitchen lights are off.")
			r.mu.Lock()
			r.send(text)
			r.mu.Unlock()
			r.turn("light.bed_light", "unavailable")
			h.comes("is the bed light on?", "- The bed light does not answer")
			h.expect([2]string{"is the kitchen light on?", "No, the kitchen lights are off."}, [2]string{"is the front door locked?", "Yes, the front door is locked."})
		})
	}
}

// refusal is the agent's one code for all that it does not do, with what it says of it.
func refusal(words string) string {
	return `{"response":{"response_type":"error","data":{"code":"no_valid_targets"},"speech":{"plain":{"speech":"` + words + `"}}}}`
}

// The agent's reply is not believed by itself: what was read again is what is said.
func TestWhatTheAgentSaysIsNotWhatIsSo(t *testing.T) {
	done := `{"response":{"response_type":"action_done","data":{"success":[{"name":"Kitchen Lights","type":"entity","id":"light.kitchen_lights"}],"failed":[]}}}`
	for reply, want := range map[string]string{
		done:   "- The kitchen lights did not answer",
		`{}`:   "- The kitchen lights did not answer",
		`[]`:   "! ",
		`null`: "- The kitchen lights did not answer",
		`{"response":{"response_type":"error","data":{"code":"failed_to_handle"}}}`:                                                                 "- Home Assistant could not do that",
		`{"response":{"response_type":"error","data":{"code":"<b>x</b>"},"speech":{"plain":{"speech":"inner words"}}}}`:                             "- Home Assistant could not do that",
		`{"response":{"response_type":"error","data":{"code":"no_valid_targets"}}}`:                                                                 "- Home Assistant did not understand that, or may not act on the kitchen lights by voice",
		refusal("Sorry, Kitchen Lights is not exposed"):                                                                                             "- Home Assistant does not act on the kitchen lights by voice; expose it to Assist there",
		refusal("Sorry, no device supports the required features"):                                                                                  "- The kitchen lights cannot do that",
		refusal("Sorry, I couldn't understand that"):                                                                                                "- Home Assistant did not understand what to do with the kitchen lights",
		refusal("Sorry, I am not aware of any device called of the Kitchen Lights"):                                                                 "- Home Assistant did not understand what to do with the kitchen lights",
		`{"response":{"response_type":"action_done","data":{"success":[{"type":"entity","id":"light.gone","name":"x"}],"failed":[]}}}`:              "- The kitchen lights did not answer; the light.gone did not answer",
		`{"response":{"response_type":"action_done","data":{"success":[],"failed":[{"type":"entity","id":"light.kitchen_lights","name":"x"}]}}}`:    "- The kitchen lights did not answer",
		`{"response":{"response_type":"action_done","data":{"success":[` + strings.Repeat(`{"type":"entity","id":"lock.x"},`, 200) + `{}]}},"x":1}`: "",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			r := newReplay(t)
			h := connect(t, r.config())
			h.says("turn off the kitchen lights")
			r.mu.Lock()
			r.reply = reply
			r.mu.Unlock()
			if got := h.says("turn on the kitchen lights"); got != want && !(want == "! " && strings.HasPrefix(got, want)) && want != "" {
				t.Errorf("%.80s: got %q, want %q", reply, got, want)
			}
		})
	}
}

func TestAHomeAssistantWithoutItsOwnAgentActsOnNothing(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound} {
		r := newReplay(t)
		h := connect(t, r.config())
		r.mu.Lock()
		r.status = status
		r.mu.Unlock()
		h.expect([2]string{"turn on the kitchen lights", "- Home Assistant has no agent of its own that could do that"}, [2]string{"is the front door locked?", "Yes, the front door is locked."})
	}
}

// slowly answers every request in its own way; it is a fake that keeps who asks waiting.
func slowly(t *testing.T, answer func(w http.ResponseWriter, done <-chan struct{})) *httptest.Server {
	t.Helper()
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		ctx, cancel := context.WithCancel(req.Context())
		defer cancel()
		go func() {
			select {
			case <-over:
				cancel()
			case <-ctx.Done():
			}
		}()
		answer(w, ctx.Done())
	}))
	t.Cleanup(func() {
		close(over)
		s.Close()
	})
	return s
}

// However slowly it answers, a question ends when nobody waits for it any more.
func TestASlowHomeAssistantHoldsNobodyUp(t *testing.T) {
	flush := func(w http.ResponseWriter, text string) {
		_, _ = w.Write([]byte(text))
		w.(http.Flusher).Flush()
	}
	for name, answer := range map[string]func(w http.ResponseWriter, done <-chan struct{}){
		"never": func(_ http.ResponseWriter, done <-chan struct{}) { <-done },
		"headers and then nothing": func(w http.ResponseWriter, done <-chan struct{}) {
			flush(w, "")
			<-done
		},
		"a byte at a time": func(w http.ResponseWriter, done <-chan struct{}) {
			for {
				select {
				case <-done:
					return
				case <-time.After(20 * time.Millisecond):
					flush(w, " ")
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := slowly(t, answer)
			c := New(quiet(Config{URL: s.URL, Token: func() ask.BearerToken { return "t" }, Now: time.Now, Zone: func() *time.Location { return time.UTC }}))
			defer c.Close()
			c.house.fill([]wireState{{ID: "light.bed", State: "off", Attributes: jsontext.Value(`{"friendly_name":"Bed Light"}`)}}, nil, nil)
			for _, act := range []func(context.Context) error{
				func(ctx context.Context) error {
					_, err := c.Do(ctx, ask.Question{Question: "turn on the bed light"})
					return err
				},
				func(ctx context.Context) error {
					_, err := c.Read(ctx, ask.Question{Question: "what is on my calendar today?"})
					return err
				},
				func(ctx context.Context) error { return c.follow(ctx) },
			} {
				ctx, cancel := context.WithTimeout(dispatch.WithHeard(t.Context(), dispatch.Heard{Room: "hall"}), 100*time.Millisecond)
				if err := act(ctx); err == nil {
					t.Error("it was answered")
				}
				cancel()
			}
		})
	}
}

// What is renamed, moved or new is known at once, and barred at once where it must be.
func TestARegistryThatChangesIsReadAgain(t *testing.T) {
	r := newReplay(t)
	h := connect(t, r.config())
	h.expect([2]string{"turn on the reading box", "- I know no such device or room"})
	r.mu.Lock()
	r.Entities = with(t, r.Entities, `{"entity_id":"switch.reading_lamp","platform":"adguard"}`, `{"entity_id":"light.shelf","platform":"demo","area_id":"kitchen"}`)
	for _, id := range []string{"switch.reading_lamp", "light.shelf"} {
		r.send(`{"id":2,"type":"event","event":{"event_type":"entity_registry_updated","data":{"action":"create","entity_id":"` + id + `"}}}`)
	}
	r.change(jsontext.Value(`{"entity_id":"switch.reading_lamp","state":"on","attributes":{"friendly_name":"Reading box"}}`))
	r.change(jsontext.Value(`{"entity_id":"light.shelf","state":"on","attributes":{"friendly_name":"Shelf"}}`))
	r.mu.Unlock()
	h.comes("is the shelf on?", "Yes, the shelf is on.")
	h.expect(
		[2]string{"turn off the reading box", "- I never act on the reading box, for it carries parental control or the way to the internet"},
		[2]string{"which lights are on in the kitchen?", "The shelf is on."},
	)
	// The kitchen lights are called otherwise from now on.
	r.mu.Lock()
	r.send(`{"id":1,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"light.kitchen_lights","new_state":null}}}`)
	r.change(jsontext.Value(`{"entity_id":"light.cooking","state":"on","attributes":{"friendly_name":"Cooking lights"}}`))
	r.mu.Unlock()
	h.comes("is the cooking light on?", "Yes, the cooking lights are on.")
}

// A part of a device is in the room of the whole, for Home Assistant acts on it with the room.
func TestAPartOfADeviceIsWhereTheWholeIs(t *testing.T) {
	r := newReplay(t)
	r.add(`{"entity_id":"light.left","state":"on","attributes":{"friendly_name":"Left"}}`, `{"entity_id":"light.right","state":"on","attributes":{"friendly_name":"Right"}}`)
	r.Devices = with(t, r.Devices, `{"id":"part","area_id":null,"parent_device_id":"whole"}`, `{"id":"elsewhere","area_id":"bedroom","parent_device_id":"whole"}`, `{"id":"whole","area_id":"kitchen","parent_device_id":null}`)
	r.Entities = with(t, r.Entities, `{"entity_id":"light.left","platform":"x","device_id":"part"}`, `{"entity_id":"light.right","platform":"x","device_id":"elsewhere"}`)
	cfg := r.config()
	cfg.Deny = []string{"light.left"}
	connect(t, cfg).expect(
		[2]string{"which lights are on in the kitchen?", "The left is on."},
		[2]string{"turn off the lights in the kitchen", "- I may not act on the left"},
	)
}

// Two of one name are told apart by their rooms, and by nothing that nobody can see.
func TestTwoOfOneNameAreAskedAbout(t *testing.T) {
	r := newReplay(t)
	r.add(`{"entity_id":"light.l1","state":"off","attributes":{"friendly_name":"Lamp"}}`, `{"entity_id":"light.l2","state":"off","attributes":{"friendly_name":"Lamp"}}`,
		`{"entity_id":"fan.f1","state":"off","attributes":{"friendly_name":"Breeze"}}`, `{"entity_id":"fan.f2","state":"off","attributes":{"friendly_name":"Breeze"}}`)
	r.Areas = with(t, r.Areas, `{"area_id":"attic","name":"Attic"}`, `{"area_id":"cellar","name":"Cellar"}`)
	r.Entities = with(t, r.Entities, `{"entity_id":"light.l1","platform":"x","area_id":"attic"}`, `{"entity_id":"light.l2","platform":"x","area_id":"cellar"}`)
	h := connect(t, r.config())
	h.expect(
		[2]string{"turn on the lamp", "? In which room: attic or cellar? [attic: turn on the lamp in the attic] [cellar: turn on the lamp in the cellar]"},
		[2]string{"turn on the breeze", "? Several devices are called breeze; give them names of their own in Home Assistant"},
		[2]string{"is the lamp on?", "The lamp in the attic is off; the lamp in the cellar is off."},
		[2]string{"is the lamp in the attic on?", "No, the lamp is off."},
	)
	if len(r.told) != 0 {
		t.Errorf("the agent was told %q", r.told)
	}
	// The choice is about that one and no other.
	r.mu.Lock()
	r.reply = `{"response":{"response_type":"action_done","data":{"success":[{"type":"entity","id":"light.l2","name":"Lamp"}],"failed":[]}}}`
	r.mu.Unlock()
	go r.turn("light.l2", "on")
	h.expect([2]string{"turn on the lamp in the cellar", "The lamp is on."})
}

// Where several of one name are spoken of, each is said with its room.
func TestTwoOfOneNameAreSaidWithTheirRooms(t *testing.T) {
	lamp := func(id, state, area string) entity {
		return entity{ID: "light." + id, Name: "Lamp", State: state, Area: area}
	}
	on, off, desk := lamp("l1", "on", "Attic"), lamp("l2", "off", "Cellar"), entity{ID: "light.desk", Name: "Desk", State: "on", Area: "Attic"}
	nowhere := lamp("l3", "on", "")
	wanted := func(entity) want { return want{state: "on"} }
	for want, got := range map[string]ask.Answer{
		"The lamp in the attic and the desk are on.":                           sayGroup(fold("which lights are on"), []entity{on, off, desk}),
		"The lamp in the attic is on; the lamp in the cellar is off.":          sayStates(fold("how are the lamps"), []entity{on, off}),
		"The lamp in the attic and the lamp in the cellar are on.":             sayDone(wanted, []entity{on, lamp("l2", "on", "Cellar")}, nil, nil),
		"The desk and the lamp are on.":                                        sayDone(wanted, []entity{desk, on}, nil, nil),
		"The lamp in the attic and the lamp are on.":                           sayDone(wanted, []entity{on, nowhere}, nil, nil),
		"- The lamp in the attic is on; the lamp in the cellar did not answer": sayDone(wanted, []entity{on}, []entity{off}, nil),
	} {
		said := "- " + got.Reason
		if got.Answer != nil {
			said = *got.Answer
		}
		if said != want {
			t.Errorf("got %q, want %q", said, want)
		}
	}
}

func BenchmarkFiveThousandEntities(b *testing.B) {
	states := make([]wireState, 5000)
	for n := range states {
		states[n] = wireState{ID: fmt.Sprintf("sensor.meter_%d", n), State: fmt.Sprint(n), Attributes: jsontext.Value(fmt.Sprintf(`{"friendly_name":"Meter %d","unit_of_measurement":"W","device_class":"power","state_class":"measurement"}`, n))}
	}
	c := New(Config{Now: time.Now, Zone: func() *time.Location { return time.UTC }})
	c.house.fill(states, nil, nil)
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			c.house.fill(states, nil, nil)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MB-held")
	})
	b.Run("question", func(b *testing.B) {
		for b.Loop() {
			if a, err := c.Read(b.Context(), ask.Question{Question: "what is meter 4321?"}); err != nil || a.Answer == nil {
				b.Fatal(a, err)
			}
		}
	})
	b.Run("change", func(b *testing.B) {
		for b.Loop() {
			c.house.set(states[7].ID, &states[7])
		}
	})
}
