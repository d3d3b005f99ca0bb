package answer

import (
	"testing"

	"github.com/askhub/askhub/plan"
)

// bins is a look-up that gives facts and no rows.
func bins() plan.Found {
	return plan.Found{
		Position: 1,
		Call:     plan.Call{Tool: "bins.next", Args: []plan.Argument{{Name: "kind", Value: "paper"}}},
		About:    "when the paper bin is collected next",
		Says:     plan.Statement{Tool: "bins.next", AttackerFields: []string{"facts.note"}},
		Result: plan.Result{Outcome: plan.OutcomeOK, Facts: fields{
			"next_collection": "2026-12-04", "colour": "blue", "late": false, "note": "The street is closed", "bins": 2, "weight_kg": 4.5,
		}},
	}
}

func TestFactsAlone(t *testing.T) {
	runCases(t, plan.IntentLookup, []plan.Found{bins()}, anna(), []sentence{
		{"The next collection is on Friday.", "", "a fact"},
		{"The next collection of the paper bin is on Friday.", "", "with what was asked for"},
		{"The next collection is in two days.", "", "as people say it"},
		{"The next collection is on Thursday.", CodeDate, "a wrong day"},
		{"The next collection is in three days.", CodeDate, "a wrong number of days"},
		{"The next collection is not late.", "", "a boolean that is false"},
		{"The next collection is late.", CodeState, "it is not"},
		{"The colour is blue.", "", "a text by its key"},
		{"The colour is red.", CodeUnsupported, "a wrong text"},
		{"The bin is blue.", CodeName, "the colour of what, no key says"},
		{"There are 2 bins.", "", "a number by its key"},
		{"There are 4.5 bins.", CodeNumber, "another key's number"},
		{"The weight is 4.5 kg.", "", "a decimal by its key"},
		{"The weight is 2 kg.", CodeNumber, "another key's number"},
		{"No bins are late.", CodeQuantity, "there are no rows of which to say none"},
		{"All bins are blue.", CodeQuantity, "there are no rows of which to say all"},
		{"You are late.", CodePerson, "the collection is what is late"},
		{"A note says “The street is closed”.", "", "a stranger's fact, quoted"},
		{"The street is closed.", CodeUnquoted, "a stranger's fact as ours"},
		{"Paper is on Friday.", CodeUnsupported, "what was asked for claims nothing"},
	})
}

func TestTwoLookUps(t *testing.T) {
	a, b := lessons(), mails()
	b.Position = 2
	ctx := harry()
	ctx.Person = "anna"
	runCases(t, plan.IntentLookup, []plan.Found{a, b}, ctx, []sentence{
		{"You have 3 lessons and 2 unread mails.", "", "each its own"},
		{"You have 2 lessons and 3 unread mails.", CodeNumber, "changed over"},
		{"You have 3 unread lessons.", CodeNumber, "lessons are not unread"},
		{"You have 2 cancelled mails.", CodeNumber, "mails are not cancelled"},
		{"PE is unread.", CodeState, "PE is no mail"},
		{"The mail from “Bob” is cancelled.", CodeState, "a mail is no lesson"},
		{"PE from “Bob” is cancelled.", CodeName, "one row of two look-ups"},
		{"You have maths at 8:15.", CodeDate, "a mail's time"},
		{"You have 7 lessons.", CodeNumber, "a fact of the mails"},
		{"You have 3.", CodeNumber, "of what"},
		{"All are unread.", CodeQuantity, "all of what"},
		{"You have 3 mails tomorrow.", CodeDate, "the lessons' day"},
		{"You have 3 mails at 9:00.", CodeDate, "a lesson's time"},
		{"You have 3 lessons from “Bob”.", CodeName, "a mail's sender"},
		{"You have no lessons and no mail.", CodeQuantity, "there are both"},
	})
}

func TestMoreOfTheWeek(t *testing.T) {
	runCases(t, plan.IntentLookup, []plan.Found{week()}, harry(), []sentence{
		{"Harry has the concert on 12 December and the chess club on Monday.", "", "two rows with their days"},
		{"Harry has the concert on 7 December and the chess club on Saturday.", CodeDate, "days changed over"},
		{"The concert and the chess club are paid.", "", "a state of two"},
		{"The school trip to York is not paid.", "", "a state denied"},
		{"The school trip to York is paid.", CodeState, "it is not"},
		{"The school trip to York is unpaid.", CodeUnsupported, "what is not paid may be something else"},
		{"The chess club has a price of 3 and 12 seats.", "", "two numbers of a row"},
		{"The chess club has a price of 12 and 3 seats.", CodeNumber, "numbers changed over"},
		{"Harry has 2 paid events.", "", "a count by a state"},
		{"Harry has 3 paid events.", CodeNumber, "two"},
		{"Harry has one event on Friday.", "", "a count by a day"},
		{"Harry has two events next week.", "", "a count by a week"},
		{"Harry has one event next week.", CodeNumber, "two"},
		{"Harry has no events next week.", CodeQuantity, "two"},
		{"Harry has 3 events this week.", CodeNumber, "one"},
		{"No events are paid.", CodeQuantity, "two are"},
		{"All events are confirmed and paid.", CodeQuantity, "one is not paid"},
		{"Harry has 2 events at School.", "", "a label's own count"},
		{"Harry has 3 events at School.", CodeNumber, "a wrong count of a label"},
	})
}

// A label that nobody vouches for is a stranger's text.
func TestLabelsOfNoClosedList(t *testing.T) {
	f := week()
	for i := range f.Result.Breakdown {
		f.Result.Breakdown[i].Enum = false
	}
	runCases(t, plan.IntentAnalyse, []plan.Found{f}, harry(), []sentence{
		{"2 events are at School.", CodeName, "the breakdown does not say enum"},
		{"There are more at School than at Sports club.", CodeName, "nor here"},
	})
	f = week()
	f.Says.GroupBy = nil
	runCases(t, plan.IntentAnalyse, []plan.Found{f}, harry(), []sentence{
		{"2 events are at School.", CodeName, "groupBy does not declare the key"},
	})
}

// What a look-up was asked with by reference came from another result: the line about
// it may hold a stranger's words, and none of them is ours.
func TestWordsThatCameByReference(t *testing.T) {
	f := lessons()
	f.Call.Args = append(f.Call.Args, plan.Argument{Name: "who", Value: "@r1.sender"})
	f.About = "lessons with somebody whose alarm is broken"
	runCases(t, plan.IntentLookup, []plan.Found{f}, harry(), []sentence{
		{"Harry has 3 lessons tomorrow.", "", "the tool's own words still are"},
		{"Harry has 3 alarm lessons tomorrow.", CodeUnsupported, "a stranger's word before the tool's own"},
		{"The alarm is broken.", CodeUnsupported, "a stranger's words"},
		{"PE has an alarm.", CodeUnsupported, "a stranger's words"},
	})
}
