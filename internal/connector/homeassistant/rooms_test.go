package homeassistant

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// roomy is a house of four rooms: two lights in the study, one each in the hall and in
// the bedroom, which may not be acted on, and none in the cellar.
func roomy(t *testing.T) *replay {
	t.Helper()
	r := newReplay(t)
	r.Areas = with(t, r.Areas, `{"area_id":"hall","name":"Hall"}`, `{"area_id":"cellar","name":"Cellar"}`, `{"area_id":"study","name":"Study","aliases":["office"]}`, `{"area_id":"back","name":"Back Kitchen"}`)
	for id, area := range map[string]string{
		"light.counter": "study", "light.table": "study", "light.coats": "hall", "light.own": "bedroom", "fan.hall": "hall", "fan.study": "study", "lock.hall": "hall", "lock.study": "study",
		"light.sink": "back",
	} {
		_, name, _ := strings.Cut(id, ".")
		r.add(`{"entity_id":"` + id + `","state":"off","attributes":{"friendly_name":"` + name + ` thing"}}`)
		r.Entities = with(t, r.Entities, `{"entity_id":"`+id+`","area_id":"`+area+`"}`)
	}
	return r
}

// answers has the agent answer to these words, and these be on afterwards.
func (r *replay) answers(words, response string, on ...string) {
	x := saidAndDone{Reply: jsontext.Value(`{"response":` + response + `}`)}
	for _, id := range on {
		x.Changes = append(x.Changes, jsontext.Value(strings.Replace(string(r.states[id]), `"state":"off"`, `"state":"on"`, 1)))
	}
	r.Exchanges[words] = x
}

const acted = `{"response_type":"action_done","data":{"success":[],"failed":[]}}`

// One kind of thing in several rooms is ordered and seen to for each of them.
func TestOneThingInSeveralRooms(t *testing.T) {
	const studyAndHall = "The counter thing and the table thing are on; the coats thing is on."
	for words, want := range map[string][]string{
		"turn on the lights in the study and the hall":     {"turn on the lights in the study", "turn on the lights in the hall", studyAndHall},
		"Turn on the lights in the study and in the hall.": {"Turn on the lights in the study", "Turn on the lights in the hall", studyAndHall},
		"turn on the lights in the office and the hall":    {"turn on the lights in the office", "turn on the lights in the hall", studyAndHall}, // as it is called too
		"turn on the study and hall lights":                {"turn on the study lights", "turn on the hall lights", studyAndHall},
		"turn the study and the hall lights on":            {"turn the study lights on", "turn the hall lights on", studyAndHall},
		"study and hall lights on please":                  {"study lights on please", "hall lights on please", studyAndHall},
		"could you turn on all the lights in the hall and study?": {
			"could you turn on all the lights in the hall", "could you turn on all the lights in the study", "The coats thing is on; the counter thing and the table thing are on.",
		},
		"turn on the lights in the study, the hall and the back kitchen": {
			"turn on the lights in the study", "turn on the lights in the hall", "turn on the lights in the back kitchen", studyAndHall[:len(studyAndHall)-1] + "; the sink thing is on.",
		},
	} {
		r := roomy(t)
		orders, sentence := want[:len(want)-1], want[len(want)-1]
		for _, o := range orders {
			switch {
			case strings.Contains(o, "back"):
				r.answers(strings.ToLower(o), acted, "light.sink")
			case strings.Contains(o, "hall"):
				r.answers(strings.ToLower(o), acted, "light.coats")
			default:
				r.answers(strings.ToLower(o), acted, "light.counter", "light.table")
			}
		}
		h := connect(t, r.config())
		if got := h.says(words); got != sentence || !slices.Equal(r.told, orders) {
			t.Errorf("%q: got %q, and the agent was told %q", words, got, r.told)
		}
	}
}

// What was done of several is told apart from what was not.
func TestOneOfSeveralRoomsDoesNotAnswer(t *testing.T) {
	const words = "turn on the lights in the study and the hall"
	for name, row := range map[string]struct {
		study, hall string
		on          []string
		want        string
	}{
		"silent":        {acted, acted, []string{"light.counter", "light.table"}, "- The counter thing and the table thing are on; the coats thing did not answer"},
		"partly":        {acted, acted, []string{"light.table", "light.coats"}, "- The table thing is on; the counter thing did not answer; the coats thing is on"},
		"not exposed":   {acted, `{"response_type":"error","data":{"code":"no_valid_targets"},"speech":{"plain":{"speech":"coats is not exposed"}}}`, []string{"light.counter", "light.table"}, "- The counter thing and the table thing are on; Home Assistant does not act on that in the hall by voice; expose it to Assist there"},
		"broken off":    {acted, "", []string{"light.counter", "light.table"}, "- The counter thing and the table thing are on; Home Assistant did not answer about that in the hall"},
		"none at all":   {`{"response_type":"error","data":{"code":"no_intent_match"}}`, `{"response_type":"error","data":{"code":"no_intent_match"}}`, nil, "- Home Assistant did not understand that"},
		"as a question": {`{"response_type":"query_answer","data":{}}`, acted, []string{"light.coats"}, "- Home Assistant took that in the study for a question; the coats thing is on"},
	} {
		r := roomy(t)
		study, hall := []string{}, []string{}
		for _, id := range row.on {
			if id == "light.coats" {
				hall = append(hall, id)
			} else {
				study = append(study, id)
			}
		}
		r.answers("turn on the lights in the study", row.study, study...)
		r.answers("turn on the lights in the hall", row.hall, hall...)
		if row.hall == "" {
			r.Exchanges["turn on the lights in the hall"] = saidAndDone{} // a connection that breaks off
		}
		h := connect(t, r.config())
		if got := h.says(words); got != row.want || len(r.told) != 2 {
			t.Errorf("%s: got %q, want %q; the agent was told %q", name, got, row.want, r.told)
		}
	}
}

// Where one part is not known, not allowed or not clear, nothing is done of the others.
func TestNothingIsDoneWhereOneRoomIsNotClear(t *testing.T) {
	r := roomy(t)
	r.add(`{"entity_id":"fan.odd","state":"off","attributes":{"friendly_name":"Hall"}}`)
	cfg := r.config()
	cfg.Deny = []string{"light.own"}
	h := connect(t, cfg)
	for words, want := range map[string]string{
		"turn on the lights in the study and the bedroom":               "- I may not act on the own thing",
		"turn on the lights in the bedroom and the study":               "- I may not act on the own thing",
		"turn on the lights in the study and the cellar":                "- I know nothing of that kind in the cellar",
		"turn on the lights in the study and the attic":                 "- " + oneAtATime,
		"turn on the fan in the study and the hall":                     "- " + oneAtATime, // another fan is called Hall
		"unlock the doors in the study and the hall":                    "",
		"open the locks in the study and the hall":                      "",
		"turn on the lights in the study and the hall at seven":         "",
		"turn on the lights in the study and the hall tomorrow":         "",
		"turn on the lights in the study and the fan in the hall":       "",
		"turn on the lights in the study and not in the hall":           "",
		"turn on the lights in the study or the hall":                   "",
		"turn on the lights in the study except the hall":               "",
		"turn on the lights in the study and the hall and unlock it":    "",
		"turn on the lights in the study and the hall to 50%":           "",
		"turn on both lights in the study and the hall":                 "",
		"don't turn on the lights in the study and the hall":            "",
		"are the lights in the study and the hall on?":                  "",
		"Nan said turn on the lights in the study and the hall":         "",
		"turn on the study lights in the hall and the living room":      "",
		"turn on the lights in the study and the hall and the bedroom":  "- I may not act on the own thing",
		"turn on lights in the study, hall, cellar, bedroom and garage": "",
	} {
		if got := h.says(words); want != "" && got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
		if len(r.told) != 0 {
			t.Errorf("%q: the agent was told %q", words, r.told)
			r.told = nil
		}
	}
	// The same where the agent would be told of one room only, and would act in both.
	r.Exchanges["turn on the lights in the bedroom and the study"] = saidAndDone{Reply: jsontext.Value(`{"response":` + acted + `}`)}
	if got := h.says("turn on the lights in the bedroom and the study"); got != "- I may not act on the own thing" || len(r.told) != 0 {
		t.Errorf("got %q, and the agent was told %q", got, r.told)
	}
	// A Home Assistant that does not answer at all is said not to answer.
	r.status = 500
	if got := h.says("turn on the study and hall lights"); !strings.HasPrefix(got, "! ") {
		t.Errorf("got %q", got)
	}
}
