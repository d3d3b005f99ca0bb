package planner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/planner"
)

// It is Wednesday 2 December 2026.
var today = planner.Date{Year: 2026, Month: time.December, Day: 2}

// The three catalogues: a family calendar, a mailbox and a library card.
const calendarTools = `{"idKinds":["event"],"tools":[
{"id":"calendar.on_days","description":"What is on: all events, appointments, lessons and plans on a day or between two days, and whether anything is on.",
 "args":{"from":{"type":"text","describe":"the first day, as YYYY-MM-DD","maxLength":10},"to":{"type":"text","describe":"the last day, as YYYY-MM-DD","maxLength":10}},
 "attackerFields":["rows[].title"],"outputs":{"event":{"path":"rows[].ref","describe":"the id of an event","kind":"event"}}},
{"id":"calendar.next","description":"The very next event or appointment that comes, and when it starts.","args":{},"attackerFields":["rows[].title"]},
{"id":"calendar.find","description":"When an event, appointment, lesson, trip, match or party is: finds events by words of their title.",
 "args":{"words":{"type":"text","describe":"words of the title","maxLength":80}},"attackerFields":["rows[].title"],
 "outputs":{"event":{"path":"rows[].ref","describe":"the id of an event that was found","kind":"event"}}},
{"id":"calendar.kind","description":"All events, lessons, homework or clubs of one kind.",
 "args":{"kind":{"type":"enum","describe":"which kind","values":["homework","club","birthday","school_trip"]},"period":{"type":"enum","describe":"when","values":["today","tomorrow","this_week","next_week"],"nullable":true}},
 "attackerFields":[]},
{"id":"calendar.free","description":"Whether the person is free or busy on a day.","args":{"day":{"type":"text","describe":"the day, as YYYY-MM-DD","maxLength":10}},"attackerFields":[]},
{"id":"calendar.guests","description":"Who is invited: the guests and participants of an event.",
 "args":{"event":{"type":"text","describe":"the id of an event that another look-up gave","maxLength":40}},"attackerFields":["rows[].title"]}]}`

const mailArgs = `"state":{"type":"enum","describe":"only unread or only read mail","values":["unread","read"],"nullable":true}`

const mailSince = `"since":{"type":"text","describe":"the first day, as YYYY-MM-DD, today or yesterday","nullable":true,"maxLength":20}`

const mailGives = `"attackerFields":["rows[].title"],"outputs":{"message":{"path":"rows[].ref","describe":"the id of a message that was found","kind":"message"}}}`

const mailTools = `{"idKinds":["message"],"tools":[
{"id":"mail.unread","description":"How many messages, emails are unread in the inbox, and the newest of them: new mail that was not opened.","args":{},` + mailGives + `,
{"id":"mail.newest","description":"The one newest, latest, last, most recent message, email in the inbox.","args":{` + mailArgs + `},` + mailGives + `,
{"id":"mail.from","description":"Messages, mail, emails from one sender: what somebody wrote, sent or replied, and whether they did.",
 "args":{"sender":{"type":"text","describe":"who wrote it: a name, part of a name, or an address","maxLength":120},` + mailArgs + `,` + mailSince + `},` + mailGives + `,
{"id":"mail.about","description":"Messages, mail, emails about a subject: those whose subject or text holds certain words.",
 "args":{"words":{"type":"text","describe":"the words that the subject or the text must hold","maxLength":120},` + mailArgs + `,` + mailSince + `},` + mailGives + `,
{"id":"mail.since","description":"Messages, mail, emails that came on or since a day: today, yesterday, this week, since a date.",
 "args":{"date":{"type":"text","describe":"the first day, as YYYY-MM-DD, today or yesterday","maxLength":20},
 "until":{"type":"text","describe":"the last day, as YYYY-MM-DD, today or yesterday; null for up to now","nullable":true,"maxLength":20},` + mailArgs + `},` + mailGives + `,
{"id":"mail.waiting","description":"Messages that wait for a decision, an answer or a reply of the person: what needs to be answered, decided, confirmed or signed, each with the rule by which it counts.","args":{},` + mailGives + `,
{"id":"mail.attachments","description":"Files that came with mail: attachments, documents, pictures and PDFs, by words of the file's name or by its kind.",
 "args":{"name":{"type":"text","describe":"words of the file's name, or its kind such as pdf; null for any file","nullable":true,"maxLength":120},
 "sender":{"type":"text","describe":"who sent it: a name, part of a name, or an address","nullable":true,"maxLength":120}},` + mailGives + `,
{"id":"mail.thread","description":"The whole conversation, the thread that a message is part of, with the answers to it.",
 "args":{"message":{"type":"text","describe":"the id of a message that another look-up gave","maxLength":40}},` + mailGives + `]}`

const bookTools = `{"idKinds":["loan"],"tools":[
{"id":"loans.current","description":"The books that are borrowed now, on loan, how many, and when each is due back.","args":{},"attackerFields":[]},
{"id":"loans.due","description":"Borrowed books, loans that are due back by or on a day, and must be returned.",
 "args":{"by":{"type":"text","describe":"the last day, as YYYY-MM-DD","maxLength":10}},"attackerFields":[]},
{"id":"loans.overdue","description":"Borrowed books that are overdue, too late.","args":{},"attackerFields":[]},
{"id":"books.search","description":"Books of the library by their title or author, and on which shelf they stand, whether the library has them.",
 "args":{"title":{"type":"text","describe":"words of the title","nullable":true,"maxLength":80},"author":{"type":"text","describe":"who wrote it","nullable":true,"maxLength":80},
 "genre":{"type":"enum","describe":"the genre","values":["fantasy","crime","science","poetry"],"nullable":true}},"attackerFields":[]},
{"id":"card.fees","description":"The fees and fines that are owed on the library card.","args":{},"attackerFields":[]},
{"id":"card.reservations","description":"Reserved books, reservations and holds, and whether they are ready for collection.",
 "args":{"state":{"type":"enum","describe":"only those","values":["ready","waiting"],"nullable":true}},"attackerFields":[]},
{"id":"branch.hours","description":"Opening hours of a library branch: when it opens and closes.",
 "args":{"branch":{"type":"enum","describe":"which branch","values":["Central","Riverside","North End"]},"day":{"type":"enum","describe":"the weekday","values":["monday","tuesday","wednesday","thursday","friday","saturday","sunday"],"nullable":true}},"attackerFields":[]}]}`

func offerOf(t testing.TB, doc string) *plan.Offer {
	t.Helper()
	c, err := plan.ParseCatalogue([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return c.Offer(plan.Access{})
}

func askOf(offer *plan.Offer, question string) planner.Ask {
	return planner.New(question, offer, today, "Harry", "Harry Hill")
}

// short writes a plan in one line: lookup mail.from(sender=school), or none no_tool.
func short(p plan.Plan) string {
	var b strings.Builder
	b.WriteString(string(p.Intent))
	if p.Reason != "" {
		b.WriteString(" " + string(p.Reason))
	}
	for _, c := range p.Calls {
		var args []string
		for _, a := range c.Args {
			if !a.Null {
				args = append(args, a.Name+"="+a.Value)
			}
		}
		fmt.Fprintf(&b, " %s(%s)", c.Tool, strings.Join(args, ", "))
	}
	return b.String()
}
