package compass

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
	"github.com/askhub/askhub/plan/planner"
)

// planned is what the project plans for a question about mia, on Monday 30 November 2026.
func planned(t *testing.T, c *Compass, question string) string {
	t.Helper()
	catalogue, err := c.catalogue("mia")
	if err != nil {
		t.Fatal(err)
	}
	offer := catalogue.Offer(plan.Access{})
	reply, err := reader{c.names, c.namesOf}.Plan(context.Background(), planner.New(question, offer, planner.Date{Year: 2026, Month: time.November, Day: 30}, "mia", "Mia"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := offer.Validate(reply)
	if err != nil {
		t.Fatalf("%q: %s: %v", question, reply, err)
	}
	var said []string
	for _, call := range p.Calls {
		s := call.Tool
		for _, a := range call.Args {
			if !a.Null {
				s += " " + a.Name + "=" + a.Value
			}
		}
		said = append(said, s)
	}
	if len(said) == 0 {
		return string(p.Intent)
	}
	return strings.Join(said, "; ")
}

func TestAQuestionIsPlannedWithoutTheCalendars(t *testing.T) {
	c := family(t, time.Date(2026, 11, 30, 8, 15, 0, 0, london(t)))
	for question, want := range map[string]string{
		"what does Mia have on today?":               "events.on from=2026-11-30 to=2026-11-30",
		"does Mia have PE on Wednesday afternoon":    "events.has subject=pe from=2026-12-02 to=2026-12-02 part=afternoon",
		"when is Mia's next dentist appointment":     "events.next subject=dentist kind=appointment calendar=health",
		"what homework is due by Thursday":           "homework.due calendar=school to=2026-12-03",
		"when was half term":                         "events.when subject=half term tense=past",
		"what's after French tomorrow":               "events.following subject=french from=2026-12-01 to=2026-12-01",
		"is Mia free between 2 and 4 on Friday":      "events.free from=2026-12-04 to=2026-12-04 after=14:00 before=16:00",
		"when does school finish":                    "school.last_lesson calendar=school",
		"how many lessons are left today":            "events.count kind=lesson calendar=school from=2026-11-30 to=2026-11-30 tense=left",
		"who let the dogs out":                       "none",
		"add a dentist appointment":                  "write",
		"will it rain, and does Mia have PE today":   "events.has subject=pe from=2026-11-30 to=2026-11-30",
		"does Mia have a zebra and is it PE today":   "events.has subject=zebra and pe from=2026-11-30 to=2026-11-30; events.has subject=zebra; events.has subject=pe from=2026-11-30 to=2026-11-30",
		"what has Mia got on after school on Friday": "events.on from=2026-12-04 to=2026-12-04 bound=after_school",
	} {
		if got := planned(t, c, question); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

// Which clause is for a calendar is for the calendars to say.
func TestTheClauseThatTheCalendarsUnderstandIsAnswered(t *testing.T) {
	c := family(t, time.Date(2026, 11, 30, 8, 15, 0, 0, london(t)))
	for question, want := range map[string]string{
		"did anyone leave the garage door open and does Mia have PE on Wednesday": "Mia has PE at 10:00 on Wednesday.",
		"is there a zebra, and is there a giraffe":                                "-- that is not something a calendar can answer",
		"when was the trip":                           "Mia had no trip in the past year that the calendar knows.",
		"when does school start on Monday 7 December": "Mia's first lesson is registration at 8:45 on Monday 7 December, but the calendar says INSET day (staff training).",
		"any appointments next week or on the 14th":   "-- the question names more than one day",
		"what's on monday and tuesday":                "-- the question names more than one day",
	} {
		if got := said(t, c, "sam", "mia", question); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

// An answer comes with its plan, what was looked up and on what its words rest.
func TestAnAnswerIsProven(t *testing.T) {
	c := family(t, time.Date(2026, 11, 30, 8, 15, 0, 0, london(t)))
	a, err := c.Answer(context.Background(), ask.Question{Question: "does Mia have PE on Wednesday", Asker: "sam", Person: "mia"})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"tool":"events.has"`, `"about":"what the calendar has planned on on Wednesday`, `"words":"PE","position":1,"path":"rows[0].title","how":"name"`, `"path":"rows[0].fields.starts"`} {
		if !strings.Contains(string(a.Data), part) {
			t.Errorf("%s is not in %s", part, a.Data)
		}
	}
}

// The plain sentence says too what the answer rests on where that is less than it
// should be.
func TestThePlainSentenceSaysWhatIsMissing(t *testing.T) {
	now := time.Date(2026, 11, 30, 8, 15, 0, 0, london(t))
	c := family(t, now, Calendar{Person: "zoe", Tag: School, File: "testdata/none.ics"}, Calendar{Person: "zoe", Tag: Health, File: "testdata/mia-health.ics"})
	catalogue, err := c.catalogue("zoe")
	if err != nil {
		t.Fatal(err)
	}
	day := "2026-12-03"
	ran, err := catalogue.Offer(plan.Access{}).Run(context.Background(), plan.Plan{Intent: plan.IntentLookup, Calls: []plan.Call{{
		Tool: onTool, Args: []plan.Argument{{Name: "from", Value: day}, {Name: "to", Value: day}},
	}}}, plan.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	ran.Found[0].Result.Facts[factUnread] = 2
	spec := templates()[onTool]
	spec.Says, _ = catalogue.Statement(onTool)
	template, err := answer.NewTemplate(spec)
	if err != nil {
		t.Fatal(err)
	}
	got := answer.Say("", map[string]*answer.Template{onTool: template}, plan.IntentLookup, ran.Found, answer.Context{Now: now, Asker: "sam", Person: "zoe"}, nil)
	if want := "Zoe has the orthodontist on Thursday at 16:15; one calendar is unreachable; there are 2 unreadable entries."; got.Sentence != want {
		t.Errorf("%q %v, want %q", got.Sentence, got.Refused, want)
	}
}
