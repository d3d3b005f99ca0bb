package answer

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/plan"
)

func fits(s string) error { return ask.CheckSentence(s, false) }

func TestSayFallsBack(t *testing.T) {
	templates := map[string]*Template{"lessons.on_day": must(t, lessonSpec()), "mail.newest": must(t, mailSpec()), "mail.from": must(t, mailSpec())}
	for _, c := range []struct {
		why, model string
		found      []plan.Found
		want, by   string
		reason     string
	}{
		{"a model's sentence that holds", "PE is cancelled.", []plan.Found{lessons()}, "PE is cancelled.", ByModel, ""},
		{"a model's sentence that does not", "Maths is cancelled.", []plan.Found{oneLesson()}, "Harry has Maths tomorrow at 9:00 in room 4.", ByTemplate, ""},
		{"no model", "", []plan.Found{oneLesson()}, "Harry has Maths tomorrow at 9:00 in room 4.", ByTemplate, ""},
		{"two sentences of a model", "PE is cancelled. Maths is at 9:00.", []plan.Found{oneLesson()}, "Harry has Maths tomorrow at 9:00 in room 4.", ByTemplate, ""},
		{"no template for the tool", "", []plan.Found{week()}, "", "", "what was found cannot be said in one sure sentence"},
		{"denied", "Harry has nothing tomorrow.", []plan.Found{outcome(lessons(), plan.OutcomeDenied)}, "", "", "you may not be told that"},
		{"failed", "", []plan.Found{outcome(lessons(), plan.OutcomeFailed)}, "", "", "that could not be looked up just now"},
		{"none, and a template for it", "", []plan.Found{outcome(lessons(), plan.OutcomeNone)}, "Harry has no lessons tomorrow.", ByTemplate, ""},
		{"none, and no template for it", "", []plan.Found{outcome(week(), plan.OutcomeNone)}, "", "", "nothing was found"},
		{"ambiguous", "", []plan.Found{outcome(lessons(), plan.OutcomeAmbiguous)}, "Which one is it, Maths, PE or The art club?", ByTemplate, ""},
		{"two look-ups", "", []plan.Found{oneLesson(), second(fromHill())}, "Harry has Maths tomorrow at 9:00 in room 4; there is no mail from Mrs Hill.", ByTemplate, ""},
		{"one of two is lost", "", []plan.Found{oneLesson(), second(outcome(fromHill(), plan.OutcomeFailed))}, "Harry has Maths tomorrow at 9:00 in room 4; I could not find out the rest.", ByTemplate, ""},
		{"nothing was looked up", "All is well.", nil, "", "", "nothing was looked up"},
	} {
		got := Say(c.model, templates, plan.IntentLookup, c.found, harry(), fits)
		if got.Sentence != c.want || got.By != c.by || got.Reason != c.reason {
			t.Errorf("%s: %+v", c.why, got)
		}
		if (got.Sentence == "") == (got.Reason == "") {
			t.Errorf("%s: a sentence or a reason, not both or neither: %+v", c.why, got)
		}
		if got.By != ByModel && c.model != "" && len(got.Refused) == 0 {
			t.Errorf("%s: the model's sentence went without a reason", c.why)
		}
		for _, err := range got.Refused {
			if f := (*Fault)(nil); errors.As(err, &f) && (f.Code == "" || len(f.Words) == 0) {
				t.Errorf("%s: a fault without a code or words: %v", c.why, err)
			}
		}
	}
}

func oneLesson() plan.Found {
	f := lessons()
	f.Result.Rows, f.Result.Facts = f.Result.Rows[:1], nil
	return f
}

func second(f plan.Found) plan.Found { f.Position = 2; return f }

// A look-up whose value a later one took is not told of by itself.
func TestSayLeavesOutWhatOnlyLedThere(t *testing.T) {
	first := week()
	then := oneLesson()
	then.Position = 2
	then.Call.Args = append(then.Call.Args, plan.Argument{Name: "teacher", Value: "@r1.teacher_ref"})
	got := Say("", map[string]*Template{"lessons.on_day": must(t, lessonSpec())}, plan.IntentLookup, []plan.Found{first, then}, harry(), fits)
	if got.Sentence != "Harry has Maths tomorrow at 9:00 in room 4." {
		t.Errorf("%+v", got)
	}
}

// The proof names the words, the look-up and the place, in the sentence's order.
func TestProof(t *testing.T) {
	for _, c := range []struct {
		said string
		f    plan.Found
		ctx  Context
		want []Support
	}{
		{"Harry has 3 lessons tomorrow: maths at 9:00.", lessons(), harry(), []Support{
			{"3", 1, "facts.count", HowStands},
			{"tomorrow", 1, "rows[].fields.start", HowStands},
			{"maths", 1, "rows[0].title", HowName},
			{"9:00", 1, "rows[0].fields.start", HowStands},
		}},
		{"The mail from “Mrs Hill” is unread.", mails(), anna(), []Support{
			{"“Mrs Hill”", 1, "rows[1].fields.sender", HowQuoted},
			{"unread", 1, "rows[1].fields.unread", HowState},
		}},
		{"There is nothing from Mrs Hill.", fromHill(), anna(), []Support{{"nothing", 1, "outcome", HowNone}}},
		{"Harry has 165 minutes of lessons in total.", lessons(), harry(), []Support{{"165", 1, "rows[].fields.minutes", HowSum}}},
		{"PE and maths are tomorrow.", lessons(), harry(), []Support{
			{"PE", 1, "rows[1].title", HowName},
			{"maths", 1, "rows[0].title", HowName},
			{"tomorrow", 1, "rows[1].fields.start", HowStands},
			{"tomorrow", 1, "rows[0].fields.start", HowStands},
		}},
	} {
		proof, err := Check(c.said, plan.IntentLookup, []plan.Found{c.f}, c.ctx)
		if err != nil || !slices.Equal(proof.Supports, c.want) {
			t.Errorf("%q: %v\n got %+v\nwant %+v", c.said, err, proof.Supports, c.want)
		}
	}
	proof, _ := Check("PE is cancelled.", plan.IntentLookup, []plan.Found{lessons()}, harry())
	text, err := json.Marshal(proof)
	want := `{"supports":[{"words":"PE","position":1,"path":"rows[1].title","how":"name"},{"words":"cancelled","position":1,"path":"rows[1].fields.status","how":"state"}]}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

// Results that came through JSON say the same.
func TestResultsFromJSON(t *testing.T) {
	f := lessons()
	text, err := json.Marshal(f.Result)
	if err != nil {
		t.Fatal(err)
	}
	f.Result = plan.Result{}
	if err := json.Unmarshal(text, &f.Result); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"Harry has 3 lessons tomorrow.", "Maths has 60 minutes.", "PE is cancelled."} {
		if _, err := Check(s, plan.IntentLookup, []plan.Found{f}, harry()); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
}
