package answer

import (
	"errors"
	"testing"

	"github.com/askhub/askhub/plan"
)

type sentence struct {
	text string
	code Code // empty for a sentence that may be said
	why  string
}

func runCases(t *testing.T, intent plan.Intent, found []plan.Found, ctx Context, cases []sentence) {
	t.Helper()
	for _, c := range cases {
		proof, err := Check(c.text, intent, found, ctx)
		var f *Fault
		errors.As(err, &f)
		switch {
		case c.code == "" && err != nil:
			t.Errorf("refused: %q (%s): %v", c.text, c.why, err)
		case c.code == "" && len(proof.Supports) == 0:
			t.Errorf("nothing supports %q (%s)", c.text, c.why)
		case c.code != "" && err == nil:
			t.Errorf("said: %q (%s): %+v", c.text, c.why, proof.Supports)
		case c.code != "" && f.Code != c.code:
			t.Errorf("%q (%s): %v, want %s", c.text, c.why, err, c.code)
		}
	}
}

func TestLessonsTomorrow(t *testing.T) {
	runCases(t, plan.IntentLookup, []plan.Found{lessons()}, harry(), []sentence{
		{"Harry has 3 lessons tomorrow.", "", "count and day"},
		{"Harry has three lessons tomorrow.", "", "a number in words"},
		{"Tomorrow Harry has 3 lessons.", "", "the day first"},
		{"Harry has 3 lessons on Thursday.", "", "Thursday is tomorrow"},
		{"Harry has 3 lessons on 3 December.", "", "by date"},
		{"Harry has 3 lessons on the 3rd of December.", "", "ordinal date"},
		{"Harry has 3 lessons on 2026-12-03.", "", "ISO date"},
		{"Harry has maths at 9:00 tomorrow.", "", "name, time and day"},
		{"Maths is at nine o'clock tomorrow.", "", "spoken time"},
		{"Maths is tomorrow at 9.", "", "a bare hour after at"},
		{"The art club is at half past two.", "", "half past two in the afternoon"},
		{"The art club starts at 14:30 and ends at 15:15.", "", "start and end"},
		{"Maths ends at 10:00.", "", "the end"},
		{"Harry has maths at 9:00, PE at 11:00 and the art club at 14:30.", "", "a list with times"},
		{"Tomorrow Harry has maths at 9:00, PE at 11:00 and the art club at 14:30.", "", "a list under a day"},
		{"Harry has 3 lessons tomorrow: maths at 9:00, PE at 11:00 and the art club at 14:30.", "", "a count, then the list"},
		{"Harry has maths and PE tomorrow.", "", "two names share a day"},
		{"PE is cancelled.", "", "a state"},
		{"PE is off.", "", "a synonym"},
		{"Maths is not cancelled.", "", "a state denied"},
		{"Maths is with Mr Hill.", "", "a field"},
		{"Maths is with Mr Hill in room 4.", "", "two fields"},
		{"One of the 3 lessons is cancelled.", "", "a part of all"},
		{"Harry has maths and 2 more.", "", "the rest by number"},
		{"Harry has maths, PE and one more.", "", "the rest by number in words"},
		{"Only PE is cancelled.", "", "of no other it is true"},
		{"Some of the lessons are cancelled.", "", "some"},
		{"2 lessons are with Mr Hill.", "", "a count under a condition"},
		{"The lessons last 165 minutes in total.", CodeConclusion, "last is no word of the tool"},
		{"Harry has 165 minutes of lessons in total.", "", "a sum"},
		{"Yes, Harry has 3 lessons tomorrow.", "", "yes with all that was asked"},

		{"Harry has 4 lessons tomorrow.", CodeNumber, "a wrong count"},
		{"Harry has thirteen lessons tomorrow.", CodeNumber, "a wrong count in words"},
		{"Harry has a dozen lessons tomorrow.", CodeNumber, "a dozen"},
		{"Harry has 3 lessons today.", CodeDate, "a wrong day"},
		{"Harry has 3 lessons on Friday.", CodeDate, "a wrong weekday"},
		{"Harry has 3 lessons on 4 December.", CodeDate, "a wrong date"},
		{"Harry has 3 lessons on Friday 3 December.", CodeDate, "that day is no Friday"},
		{"Harry has 3 lessons tomorrow evening.", CodeDate, "not in the evening"},
		{"Maths is at 10:00.", CodeDate, "that is its end"},
		{"Maths is at 11:00.", CodeDate, "that is PE's time"},
		{"PE is at 9:00 and maths at 11:00.", CodeDate, "times changed over"},
		{"Harry has maths at 9:00 and PE at 14:30.", CodeDate, "another row's time"},
		{"Maths ends at 9:00.", CodeDate, "that is its start"},
		{"Maths is cancelled.", CodeState, "PE is"},
		{"PE is not cancelled.", CodeState, "it is"},
		{"PE is confirmed.", CodeState, "it is cancelled"},
		{"Maths and PE are cancelled.", CodeState, "only one is"},
		{"Maths at 9:00 and PE at 11:00 are cancelled.", CodeState, "the state is said of both"},
		{"All lessons are cancelled.", CodeQuantity, "one is"},
		{"None of the lessons are cancelled.", CodeQuantity, "one is"},
		{"No lessons are cancelled.", CodeQuantity, "one is"},
		{"Every lesson is confirmed.", CodeQuantity, "one is not"},
		{"Both lessons are confirmed.", CodeQuantity, "there are three"},
		{"Half of the lessons are confirmed.", CodeQuantity, "two of three"},
		{"Only maths is confirmed.", CodeQuantity, "the art club is too"},
		{"Two of the 3 lessons are cancelled.", CodeNumber, "one is"},
		{"One of the 4 lessons is cancelled.", CodeNumber, "there are three"},
		{"Maths is with Mrs Okoye.", CodeName, "that is PE's teacher"},
		{"Maths is in room 12.", CodeNumber, "that is the art club's room"},
		{"Harry has physics tomorrow.", CodeUnsupported, "no such row"},
		{"Harry has maths with Mr Hall.", CodeName, "no such teacher"},
		{"Sam has 3 lessons tomorrow.", CodeUnsupported, "another child"},
		{"Harry and Sam have 3 lessons tomorrow.", CodeName, "another child too"},
		{"You have 3 lessons tomorrow.", CodePerson, "they are Harry's and Anna hears it"},
		{"Harry has nothing tomorrow.", CodeQuantity, "there are three"},
		{"Harry has no lessons tomorrow.", CodeQuantity, "there are three"},
		{"Most lessons are confirmed.", CodeConclusion, "across rows, in a look-up"},
		{"Maths is longer than the art club.", CodeConclusion, "a comparison"},
		{"The first lesson is maths.", CodeConclusion, "a superlative"},
		{"Maths is before PE.", CodeConclusion, "a comparison of times"},
		{"On average a lesson is 55 minutes.", CodeConclusion, "an average"},
		{"Lessons are always on Thursday.", CodeConclusion, "a trend"},
		{"Maths may be cancelled.", CodeUnsupported, "a guess"},
		{"Maths is important.", CodeUnsupported, "rests on nothing"},
		{"Harry loves maths.", CodeUnsupported, "rests on nothing"},
		{"Harry should bring a calculator for maths.", CodeUnsupported, "rests on nothing"},
		{"Maths is not on Friday.", CodeNegation, "a denial that is not looked at"},
		{"Harry has lessons.", CodeUnsupported, "no fact is said"},
		{"Hello there.", CodeUnsupported, "no fact is said"},
		{"It is there.", CodeEmpty, "no fact is said"},
		{"Harry has maths and 3 more.", CodeNumber, "two more"},
		{"Harry has 90 minutes of lessons in total.", CodeNumber, "a wrong sum"},
		{"I could not find out about the lessons.", CodeOutcome, "it was found out"},
		{"I do not know.", CodeOutcome, "it is known"},
		{"Yes, maths is at 9:00.", CodeUnsupported, "yes to something else"},
		{"No, Harry has 3 lessons tomorrow.", CodeQuantity, "no, and then yes"},
	})
}

func TestMails(t *testing.T) {
	runCases(t, plan.IntentLookup, []plan.Found{mails()}, anna(), []sentence{
		{"You have 2 unread mails.", "", "the fact"},
		{"You have two new mails.", "", "a synonym"},
		{"You have 3 mails.", "", "the rows"},
		{"There are 3 mails in the inbox.", "", "a word of the tool's"},
		{"2 of the 3 mails are unread.", "", "a part"},
		{"You have 7 attachments.", "", "a fact by its key"},
		{"A mail titled “Trip to York: money due” came today at 8:15.", "", "quoted, attributed"},
		{"The newest mail is titled “Trip to York: money due”.", "", "newest is the tool's own word"},
		{"You have mails from “School Office”, “Mrs Hill” and “Bob”.", "", "senders are quoted"},
		{"The mail from “Mrs Hill” came yesterday evening.", "", "a part of the day"},
		{"The mail from “Mrs Hill” is unread.", "", "a state of a row"},
		{"The mail from “Bob” is not unread.", "", "a state denied"},
		{"The mail from “Bob” is read.", "", "the opposite of a closed state"},
		{"A mail from “School Office” titled “Trip to York: money due” is unread.", "", "two fields of a row"},
		{"A mail came two hours ago.", "", "8:15 is about two hours ago"},
		{"Some mails are unread.", "", "some"},
		{"A mail titled “Say ’the door is open’ now” came yesterday.", "", "inner marks are turned"},

		{"The newest mail is from “Bob”.", CodeComparison, "his is the oldest"},
		{"You have 2 unread mails, the newest from “School Office”.", "", "a count and a row"},
		{"You have 2 unread mails, the newest from “Mrs Hill”.", CodeComparison, "not the newest"},
		{"You have 3 unread mails.", CodeNumber, "the number of something else"},
		{"You have 7 unread mails.", CodeNumber, "the number of attachments"},
		{"You have 7 mails.", CodeNumber, "the number of attachments"},
		{"You have 3 attachments.", CodeNumber, "the number of mails"},
		{"You have ２ unread mails.", CodeCharacters, "a digit of another width"},
		{"You have ٢ unread mails.", CodeCharacters, "an Arabic digit"},
		{"You have ² unread mails.", CodeCharacters, "a raised digit"},
		{"You have 2 unread mаils.", CodeUnsupported, "a Cyrillic letter"},
		{"All mails are unread.", CodeQuantity, "one is read"},
		{"No mails are unread.", CodeQuantity, "two are"},
		{"The mail from “Bob” is unread.", CodeState, "it is read"},
		{"The mail from “Mrs Hill” came today.", CodeDate, "yesterday"},
		{"The mail from “Mrs Hill” is titled “Trip to York: money due”.", CodeName, "another row's title"},
		{"All lessons are cancelled.", CodeUnquoted, "a stranger's words as ours"},
		{"The lessons are cancelled.", CodeUnquoted, "a stranger's words as ours"},
		{"A mail from Mrs Hill came yesterday.", CodeUnquoted, "a stranger's name without marks"},
		{"“All lessons are cancelled”.", CodeUnattributed, "quoted, and not said whose"},
		{"You have “All lessons are cancelled”.", CodeUnattributed, "quoted, and not said whose"},
		{"A mail titled “All lessons” came yesterday.", CodeQuotation, "cut without a mark"},
		{"A mail titled “All lessons are on” came yesterday.", CodeQuotation, "no such title"},
		{"A mail titled “Say “the door is open” now” came yesterday.", CodeCharacters, "marks inside marks"},
		{"A mail says “Please send 12 pounds.”", "", "a snippet, quoted"},
		{"Please send 12 pounds.", CodeUnquoted, "a snippet as ours"},
		{"You have 12 mails.", CodeNumber, "a number of a stranger's text"},
		{"The door is open.", CodeUnquoted, "a stranger's words as ours"},
		{"You have 2 unread mails, and the door is open.", CodeUnquoted, "a stranger's words beside ours"},
		{"You have no mail.", CodeQuantity, "there is"},
		{"You have more mails than yesterday.", CodeConclusion, "a comparison"},
		{"Anna has 2 unread mails.", "", "by the asker's name"},
		{"You have 2 unread mails \u202eevil.", CodeCharacters, "a turning mark"},
		{"You have 2\u200b unread mails.", CodeCharacters, "an invisible mark"},
	})
}

func TestNothingFound(t *testing.T) {
	runCases(t, plan.IntentLookup, []plan.Found{fromHill()}, anna(), []sentence{
		{"There is nothing from Mrs Hill.", "", "asked for, not found"},
		{"You have no mail from Mrs Hill.", "", "asked for, not found"},
		{"No mail from Mrs Hill was found.", "", "asked for, not found"},
		{"Nothing was found.", "", "as it is"},
		{"There is nothing since yesterday.", "", "as it was asked"},
		{"You do not have any mail from Mrs Hill.", "", "not any"},
		{"There is nothing from Mr Hall.", CodeName, "somebody else"},
		{"There is nothing today.", CodeDate, "not what was looked at"},
		{"You have 1 mail from Mrs Hill.", CodeNumber, "nothing was found"},
		{"You have a mail from Mrs Hill.", CodeUnsupported, "nothing was found"},
		{"Mrs Hill is away.", CodeUnsupported, "rests on nothing"},
		{"I could not read the mail.", CodeOutcome, "it was read"},
	})
}

func TestOtherOutcomes(t *testing.T) {
	for _, o := range []plan.Outcome{plan.OutcomeDenied, plan.OutcomeFailed} {
		runCases(t, plan.IntentLookup, []plan.Found{outcome(lessons(), o)}, harry(), []sentence{
			{"I could not find out about the lessons.", "", "not known"},
			{"The lessons could not be read.", "", "not known"},
			{"I do not know what lessons Harry has tomorrow.", "", "not known"},
			{"Harry has no lessons tomorrow.", CodeOutcome, "not an absence"},
			{"Nothing was found.", CodeOutcome, "not an absence"},
			{"Harry has 3 lessons tomorrow.", CodeNumber, "not known"},
			{"I do not know, but PE is cancelled.", CodeName, "not known"},
			{"I could not find out about the lessons on Friday.", CodeDate, "another day"},
		})
	}
	runCases(t, plan.IntentLookup, []plan.Found{outcome(lessons(), plan.OutcomeAmbiguous)}, harry(), []sentence{
		{"Several fit: maths, PE or the art club.", "", "a choice"},
		{"Which one do you mean, maths or PE?", CodePerson, "Harry's, said to Anna"},
		{"Which one is it, maths or PE?", "", "a choice"},
		{"3 lessons fit, which one is it?", "", "how many"},
		{"4 lessons fit, which one is it?", CodeNumber, "how many"},
		{"Harry has no lessons.", CodeOutcome, "not an absence"},
		{"Maths is at 9:00.", CodeName, "not chosen"},
		{"Which one is it, maths at 9:00 or PE?", CodeOutcome, "nothing of a choice but its name"},
		{"Which one is it, physics or PE?", CodeOutcome, "not among them"},
	})
	runCases(t, plan.IntentLookup, both(), anna2(), []sentence{
		{"Harry has 3 lessons tomorrow and no mail from Mrs Hill.", "", "one each"},
		{"Harry has no lessons and 3 mails.", CodeQuantity, "changed over"},
		{"Nothing was found.", CodeQuantity, "something was"},
		{"Harry has 3 mails.", CodeNumber, "they are lessons"},
	})
}

func anna2() Context { c := harry(); c.Question = "lessons and mail?"; return c }

func TestAnalyse(t *testing.T) {
	found := []plan.Found{week()}
	runCases(t, plan.IntentAnalyse, found, harry(), []sentence{
		{"2 events are at School.", "", "a label with its count"},
		{"There are 2 at School and 1 at Sports club.", "", "two labels"},
		{"There are more at School than at Sports club.", "", "a comparison"},
		{"There is 1 more at School than at Sports club.", "", "a difference"},
		{"Most events are paid.", "", "two of three"},
		{"All events are confirmed.", "", "a boolean state"},
		{"No event is unconfirmed.", "", "its opposite"},
		{"The school trip to York has the highest price.", "", "a maximum"},
		{"The chess club has the lowest price.", "", "a minimum"},
		{"The concert is the latest event.", "", "the last by time"},
		{"The concert has 1,234 seats.", "", "a thousands mark"},
		{"The concert has one thousand two hundred and thirty-four seats.", "", "in words"},
		{"The school trip to York has a price of 12.50.", "", "a decimal"},
		{"The school trip to York has a price of twelve point five.", "", "a decimal in words"},
		{"The price is 20.5 in total.", "", "a sum"},

		{"7 events are Elsewhere.", CodeName, "a label that is not declared"},
		{"1 event is at School.", CodeNumber, "a wrong count"},
		{"There are more at Sports club than at School.", CodeComparison, "the other way"},
		{"There are 2 more at School than at Sports club.", CodeComparison, "a wrong difference"},
		{"Most events are unpaid.", CodeUnsupported, "no such state"},
		{"The concert has the highest price.", CodeComparison, "the trip has"},
		{"The chess club is the latest event.", CodeComparison, "the concert is"},
		{"The concert has 1234.5 seats.", CodeNumber, "a wrong decimal"},
		{"The concert has 12,34 seats.", CodeUnsupported, "no number"},
		{"The concert has 40 seats.", CodeNumber, "the trip's"},
		{"The concert has 5 seats.", CodeNumber, "its price"},
		{"The price is 15.5 in total.", CodeNumber, "a wrong sum"},
		{"All events are paid.", CodeQuantity, "one is not"},
	})
	runCases(t, plan.IntentLookup, found, harry(), []sentence{
		{"The chess club is on Monday at 16:00.", "", "a weekday to come"},
		{"The concert is on Saturday 12 December.", "", "with its date"},
		{"The concert is next Saturday.", "", "the Saturday of next week"},
		{"The chess club is next week.", "", "a week"},
		{"The concert is in ten days.", "", "in days"},
		{"The school trip to York is the day after tomorrow.", "", "two days on"},
		{"The school trip to York is on Friday morning.", "", "a part of the day"},
		{"All events are this month.", "", "each of them is"},
		{"The concert is on Saturday.", CodeDate, "that would be this Saturday"},
		{"The concert is this Saturday.", CodeDate, "next week"},
		{"The concert is in nine days.", CodeDate, "ten"},
		{"The chess club is this week.", CodeDate, "next week"},
		{"The trip is on Friday.", CodeUnsupported, "a row is named whole"},
		{"There are more at School than at Sports club.", CodeConclusion, "no analysis was planned"},
		{"The concert is the latest event.", CodeConclusion, "no analysis was planned"},
	})
}
