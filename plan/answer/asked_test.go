package answer

import (
	"testing"
	"time"

	"github.com/askhub/askhub/plan"
)

// TestTheAskersWordsStandQuotedAsWhatWasAsked says what was looked for in quotation
// marks, so that it is nobody's claim.
func TestTheAskersWordsStandQuotedAsWhatWasAsked(t *testing.T) {
	f := mails()
	f.Call.Args = []plan.Argument{{Name: "who", Value: "the school office"}, {Name: "words", Value: "you owe 12 pounds"}}
	runCases(t, plan.IntentLookup, []plan.Found{f}, anna(), []sentence{
		{"You have 2 unread mails from “the school office”.", "", "what was asked for"},
		{"You have 2 unread mails about “you owe 12 pounds”.", "", "whole words of the asker's"},
		{"You have 2 unread mails from “the school”.", CodeQuotation, "not what was asked for"},
		{"You have 2 unread mails titled “you owe 12 pounds”.", CodeQuotation, "no mail has that title"},
		{"The mail says “you owe 12 pounds”.", CodeQuotation, "no mail says so"},
		{"“The school office” wrote.", CodeQuotation, "asked for, and not found"},
	})
	none := outcome(f, plan.OutcomeNone)
	runCases(t, plan.IntentLookup, []plan.Found{none}, anna(), []sentence{
		{"You have no mails from “the school office”.", "", "an absence of what was asked for"},
		{"You have no mails from “the bank”.", CodeQuotation, "an absence of something else"},
	})
	taken := mails()
	taken.Call.Args = []plan.Argument{{Name: "who", Value: "@r1.message"}}
	taken.Args = []plan.Argument{{Name: "who", Value: "the bank"}}
	runCases(t, plan.IntentLookup, []plan.Found{taken}, anna(), []sentence{
		{"You have 2 unread mails from “the bank”.", CodeQuotation, "taken from a result, and not the asker's"},
	})
	// A name that is a row's too, where not every row is shown.
	some := mails()
	some.Call.Args = []plan.Argument{{Name: "who", Value: "Bob"}}
	some.Result.Facts, some.Result.Rows = fields{"total": 30}, some.Result.Rows[2:]
	runCases(t, plan.IntentLookup, []plan.Found{some}, anna(), []sentence{
		{"You have 30 mails from “Bob”.", "", "all that was asked for"},
		{"You have 31 mails from “Bob”.", CodeNumber, "a wrong count"},
		{"The newest came on Tuesday at 7:00.", "", "the tool's own newest, without a name"},
		{"The mail came on Tuesday at 7:00.", CodeDate, "one of 30 without a name"},
	})
}

// TestWhatWasNotFoundTellsHowFarItLooked says facts beside an absence.
func TestWhatWasNotFoundTellsHowFarItLooked(t *testing.T) {
	f := outcome(mails(), plan.OutcomeNone)
	f.Result.Facts = fields{"total": 0, "known_since": at(1, 7, 0)}
	f.Result.At = now.Add(-50 * time.Minute)
	runCases(t, plan.IntentLookup, []plan.Found{f}, anna(), []sentence{
		{"You have no mails, as of today at 9:10.", "", "with its age"},
		{"You have no mails; known since 1 December.", "", "with how far back it looked"},
		{"You have no mails; known since Monday.", CodeDate, "another day"},
		{"You have no mails, as of today at 8:10.", CodeDate, "another age"},
	})
	f = outcome(mails(), plan.OutcomeFailed)
	f.Result.Facts = fields{"known_since": at(1, 7, 0)}
	runCases(t, plan.IntentLookup, []plan.Found{f}, anna(), []sentence{
		{"The mails are known since Tuesday.", CodeDate, "a look-up that failed tells nothing"},
	})
}

func TestTemplatesQuoteArgumentsAndBoundDays(t *testing.T) {
	spec := mailSpec()
	spec.Paths = append(spec.Paths, "facts.since")
	spec.Few = "{have} {facts.total:mail:mails}[ from {args.who|quote}] since {facts.since|day}"
	f := mails()
	f.Call.Args = []plan.Argument{{Name: "who", Value: "mrs hill"}}
	f.Result.Facts["since"] = time.Date(2026, 11, 26, 0, 0, 0, 0, now.Location())
	got, ok := must(t, spec).Sentence(&f, anna())
	if want := "You have 3 mails from “mrs hill” since Thursday 26 November."; !ok || got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := Check(got, plan.IntentLookup, []plan.Found{f}, anna()); err != nil {
		t.Error(err)
	}
}
