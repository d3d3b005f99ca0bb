package hub

import (
	"slices"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/hub/routing"
)

// The rows of the shipped routing.md that are no service which answers: what is not built
// yet, a way in, and peers that keep their own talk (spec 2).
func TestRowsThatAnswerNothingThemselves(t *testing.T) {
	const notBuilt = "not_built"
	for question, want := range map[string]struct {
		status  routing.Status
		kind    string
		project string
		reason  string // where it is not the topic that was found
	}{
		// artemis acts on a phone's screen, and is not built.
		"tap the screen":                  {routing.StatusUnavailable, "command", "artemis", notBuilt},
		"scroll down on the phone screen": {routing.StatusUnavailable, "command", "artemis", notBuilt},
		"type hello on the phone":         {routing.StatusUnavailable, "command", "artemis", notBuilt},
		"open an app":                     {routing.StatusUnavailable, "command", "artemis", notBuilt},
		// Whatever it would tap: a control action is refused before any row is looked at.
		"open the family link app and block YouTube for Harry":                {routing.StatusRefused, "refused", "", "high_consequence_control"},
		"on the phone screen, tap the switch that cuts the kids off the wifi": {routing.StatusRefused, "refused", "", "high_consequence_control"},
		// front_door_cam is a peer, and is not built; the camera owns the visitor.
		"who is at the door":                   {routing.StatusUnavailable, "peer", "front_door_cam", notBuilt},
		"is there a visitor":                   {routing.StatusUnavailable, "peer", "front_door_cam", notBuilt},
		"is the doorbell ringing":              {routing.StatusUnavailable, "peer", "front_door_cam", notBuilt},
		"is the doorbell ringing on the phone": {routing.StatusUnavailable, "peer", "front_door_cam", notBuilt},
		// dsh keeps its own talk: the Hub points there.
		"open my per-person chat":             {routing.StatusElsewhere, "peer", "dsh", ""},
		"any new messages in the family chat": {routing.StatusElsewhere, "peer", "dsh", ""},
		"open dsh":                            {routing.StatusElsewhere, "peer", "dsh", ""},
		"any new messages":                    {routing.StatusAnswered, "query", "email_agent", ""},
		// jervis is a way in, and never a destination: who calls it means what follows.
		"Hey Jervis":                              {routing.StatusElsewhere, "peer", "jervis", ""},
		"let me talk to the house voice":          {routing.StatusElsewhere, "peer", "jervis", ""},
		"Hey Jervis, turn on the lamp":            {routing.StatusDone, "command", "home_assistant", ""},
		"hey jervis what is on Harry's timetable": {routing.StatusAnswered, "query", "compass_nhs", ""},
		"hey jervis turn off the kids' internet":  {routing.StatusRefused, "refused", "", "high_consequence_control"},
		// Nor are the other ways in.
		"use the phone app to turn on the lamp": {routing.StatusDone, "command", "home_assistant", ""},
	} {
		t.Run(question, func(t *testing.T) {
			h := family(t)
			r := h.ask("sam", question)
			projects := slices.DeleteFunc([]string{want.project}, func(p string) bool { return p == "" })
			if r.Status != want.status || r.Route.Kind != want.kind || !slices.Equal(r.Route.Projects, projects) || want.reason != "" && r.Route.Reason != want.reason {
				t.Errorf("got %s %q %+v, want %s by %s %v %s", r.Status, r.Reply, r.Route, want.status, want.kind, projects, want.reason)
			}
			if strings.Count(r.Reply, ".") != 1 || strings.Contains(r.Reply, "_") {
				t.Errorf("%q is not one plain sentence", r.Reply)
			}
		})
	}
}

// A row becomes active by the household's hand; without what reaches it, that is said,
// and a peer is pointed to.
func TestARowThatIsMarkedActiveAndCannotBeReached(t *testing.T) {
	file := strings.ReplaceAll(string(routing.Default()), "placeholder — not built", "active service")
	h := newHome(t, file, asktest.Script{Project: "compass_nhs", Topics: []string{"school"}, Answer: says("Yes.")})
	for question, want := range map[string]struct {
		status routing.Status
		reason string
	}{
		"tap the screen":     {routing.StatusUnavailable, "not_configured"},
		"who is at the door": {routing.StatusElsewhere, ""},
		"on the phone screen, tap the switch that cuts the kids off the wifi": {routing.StatusRefused, "high_consequence_control"},
	} {
		if r := h.ask("sam", question); r.Status != want.status || want.reason != "" && r.Route.Reason != want.reason {
			t.Errorf("%q: got %s %q %+v", question, r.Status, r.Reply, r.Route)
		}
	}
}

// A household writes its own words for things into routing.md, in whatever language.
func TestAHouseholdsOwnLanguageIsRoutedByItsOwnWords(t *testing.T) {
	file := strings.Replace(string(routing.Default()), "| lights, lamp,", "| lights, Licht, Küchenlicht, Heizung, lumière, luz, lamp,", 1)
	h := newHome(t, file, asktest.Script{Project: "compass_nhs", Topics: []string{"school"}, Answer: says("Yes.")})
	for _, question := range []string{"schalte das Küchenlicht ein", "mach das Licht im Flur aus", "stell die Heizung auf 21 Grad", "allume la lumière de la cuisine", "apaga la luz de la cocina"} {
		if r := h.ask("sam", question); r.Status != routing.StatusDone || !slices.Equal(r.Route.Projects, []string{"home_assistant"}) {
			t.Errorf("%q: got %s %q %+v", question, r.Status, r.Reply, r.Route)
		}
	}
	if r := h.ask("sam", "schalte das Internet der Kinder aus"); r.Status != routing.StatusRefused {
		t.Errorf("got %s %q", r.Status, r.Reply)
	}
}
