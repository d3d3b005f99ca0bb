package planner_test

import (
	"testing"

	"github.com/askhub/askhub/plan/planner"
)

type wanted struct{ question, plan string }

func TestEmbeddedOnACalendar(t *testing.T) { planned(t, calendarTools, calendarQuestions) }
func TestEmbeddedOnMail(t *testing.T)      { planned(t, mailTools, mailQuestions) }
func TestEmbeddedOnALibrary(t *testing.T)  { planned(t, bookTools, bookQuestions) }

// planned holds the planner to all of the questions, and its plans to the offer.
func planned(t *testing.T, doc string, cases []wanted) {
	t.Helper()
	offer := offerOf(t, doc)
	e := planner.NewEmbedded()
	right := 0
	for _, c := range cases {
		reply, err := e.Plan(t.Context(), askOf(offer, c.question))
		if err != nil {
			t.Fatal(err)
		}
		p, err := offer.Validate(reply)
		if err != nil {
			t.Errorf("%q: the offer refuses its plan: %v", c.question, err)
			continue
		}
		if got := short(p); got != c.plan {
			t.Errorf("%q:\n got %s\nwant %s", c.question, got, c.plan)
			continue
		}
		right++
	}
	t.Logf("%d of %d questions planned right", right, len(cases))
}

var calendarQuestions = []wanted{
	{"What's on today?", "lookup calendar.on_days(from=2026-12-02, to=2026-12-02)"},
	{"What is on tomorrow?", "lookup calendar.on_days(from=2026-12-03, to=2026-12-03)"},
	{"What's happening on Friday?", "lookup calendar.on_days(from=2026-12-04, to=2026-12-04)"},
	{"Is anything on this weekend?", "lookup calendar.on_days(from=2026-12-05, to=2026-12-06)"},
	{"What does Harry have tomorrow?", "lookup calendar.on_days(from=2026-12-03, to=2026-12-03)"},
	{"What have I got on 4 December?", "lookup calendar.on_days(from=2026-12-04, to=2026-12-04)"},
	{"What events are there on the 4th of December?", "lookup calendar.on_days(from=2026-12-04, to=2026-12-04)"},
	{"Any appointments next week?", "lookup calendar.on_days(from=2026-12-07, to=2026-12-13)"},
	{"show me all events this month", "lookup calendar.on_days(from=2026-12-01, to=2026-12-31)"},
	{"How many lessons does Harry have tomorrow?", "lookup calendar.on_days(from=2026-12-03, to=2026-12-03)"},
	{"which lessons are there on monday", "lookup calendar.on_days(from=2026-12-07, to=2026-12-07)"},
	{"events from Monday to Friday", "lookup calendar.on_days(from=2026-12-07, to=2026-12-04)"},
	{"What's planned for the day after tomorrow?", "lookup calendar.on_days(from=2026-12-04, to=2026-12-04)"},
	{"What is on 24/12?", "lookup calendar.on_days(from=2026-12-24, to=2026-12-24)"},
	{"appointments on 2026-12-10 please", "lookup calendar.on_days(from=2026-12-10, to=2026-12-10)"},
	{"what did I have on yesterday", "lookup calendar.on_days(from=2026-12-01, to=2026-12-01)"},
	{"What lessons did Harry have last Thursday?", "lookup calendar.on_days(from=2026-11-26, to=2026-11-26)"},
	{"tell me what's on next Friday", "lookup calendar.on_days(from=2026-12-11, to=2026-12-11)"},
	{"what appointmnets are there tommorow", "lookup calendar.on_days(from=2026-12-03, to=2026-12-03)"},
	{"events in the next 3 days", "lookup calendar.on_days(from=2026-12-02, to=2026-12-05)"},
	{"events in January", "lookup calendar.on_days(from=2027-01-01, to=2027-01-31)"},
	{"What's my next appointment?", "lookup calendar.next()"},
	{"When does my next event start?", "lookup calendar.next()"},
	{"next event", "lookup calendar.next()"},
	{"When is the dentist?", "lookup calendar.find(words=dentist)"},
	{"When is Harry's dentist appointment?", "lookup calendar.find(words=dentist)"},
	{"When is the trip to York?", "lookup calendar.find(words=trip to York)"},
	{"what time is swimming", "lookup calendar.find(words=swimming)"},
	{"When's parents' evening?", "lookup calendar.find(words=parents evening)"},
	{"Find the event called “Nativity play”", "lookup calendar.find(words=Nativity play)"},
	{"Is there an appointment about the boiler?", "lookup calendar.find(words=boiler)"},
	{"Any homework?", "lookup calendar.kind(kind=homework)"},
	{"What homework is there for tomorrow?", "lookup calendar.kind(kind=homework, period=tomorrow)"},
	{"Which clubs are there this week?", "lookup calendar.kind(kind=club, period=this_week)"},
	{"any birthdays next week", "lookup calendar.kind(kind=birthday, period=next_week)"},
	{"Are there school trips this week?", "lookup calendar.kind(kind=school_trip, period=this_week)"},
	{"Is Harry free on Saturday?", "lookup calendar.free(day=2026-12-05)"},
	{"Am I busy tomorrow?", "lookup calendar.free(day=2026-12-03)"},
	{"is he free on the 5th", "lookup calendar.free(day=2026-12-05)"},
	{"Who is invited to the party?", "lookup calendar.find(words=party) calendar.guests(event=@r1.event)"},
	{"Who are the guests of the event called “Games night”?", "lookup calendar.find(words=Games night) calendar.guests(event=@r1.event)"},
	{"Which day is the busiest this week?", "analyse calendar.on_days(from=2026-11-30, to=2026-12-06)"},
	{"Any homework and am I free on Friday?", "lookup calendar.kind(kind=homework) calendar.free(day=2026-12-04)"},
	{"What's on tomorrow and when is the dentist?", "lookup calendar.on_days(from=2026-12-03, to=2026-12-03) calendar.find(words=dentist)"},

	{"Add the dentist to Friday", "write"},
	{"Cancel maths tomorrow", "write"},
	{"Can you move swimming to Thursday?", "write"},
	{"Please book an appointment with the dentist", "write"},
	{"Remind me about the dentist tomorrow", "write"},
	{"What's on tomorrow? And delete it all.", "write"},
	{"Put swimming in the calendar", "write"},
	{"Schedule a meeting for Monday", "write"},
	{"Should I go to the party?", "none needs_judgement"},
	{"Do you think the trip is a good idea?", "none needs_judgement"},
	{"Why is there no lesson tomorrow?", "none needs_judgement"},
	{"Is it worth going to the match?", "none needs_judgement"},
	{"What is the capital of France?", "none out_of_scope"},
	{"Tell me a joke", "none out_of_scope"},
	{"How tall is the Eiffel Tower?", "none out_of_scope"},
	{"Wie spät ist es?", "none out_of_scope"},
	{"", "none out_of_scope"},
	{"Where is the party and how much does it cost?", "none no_tool"},
	{"Which lessons are not on tomorrow?", "none no_tool"},
	{"Who teaches the lesson tomorrow?", "none no_tool"},
	{"Is Sam free on Saturday?", "none no_tool"},
	{"How many grams of sugar are in the cake for the party?", "none no_tool"},
}

var mailQuestions = []wanted{
	{"Do I have any unread mail?", "lookup mail.unread()"},
	{"How many unread emails do I have?", "lookup mail.unread()"},
	{"any new mail?", "lookup mail.unread()"},
	{"Is there anything new in my inbox?", "lookup mail.unread()"},
	{"Any mail?", "lookup mail.unread()"},
	{"how many messages are unread", "lookup mail.unread()"},
	{"What's my newest email?", "lookup mail.newest()"},
	{"Show me the latest message", "lookup mail.newest()"},
	{"What is the most recent email?", "lookup mail.newest()"},
	{"last email please", "lookup mail.newest()"},
	{"Any mail from the school?", "lookup mail.from(sender=school)"},
	{"Did the school write?", "lookup mail.from(sender=school)"},
	{"Did Mrs Hill reply?", "lookup mail.from(sender=Mrs Hill)"},
	{"Has Anna written yet?", "lookup mail.from(sender=Anna)"},
	{"emails from bob@example.org", "lookup mail.from(sender=bob@example.org)"},
	{"Any unread mail from Mrs Hill?", "lookup mail.from(sender=Mrs Hill, state=unread)"},
	{"Have I got mail from the swimming club since Monday?", "lookup mail.from(sender=swimming club, since=2026-11-30)"},
	{"Mail from Anna this week", "lookup mail.from(sender=Anna, since=2026-11-30)"},
	{"Did the dentist write today?", "lookup mail.from(sender=dentist, since=2026-12-02)"},
	{"What did Mrs Hill send me?", "lookup mail.from(sender=Mrs Hill)"},
	{"mesages from the scouts", "lookup mail.from(sender=scouts)"},
	{"Any mail by the head of year?", "lookup mail.from(sender=head of year)"},
	{"messages from the “Parent Portal”", "lookup mail.from(sender=Parent Portal)"},
	{"Any mail about the trip?", "lookup mail.about(words=trip)"},
	{"Is there an email about the trip to York?", "lookup mail.about(words=trip to York)"},
	{"emails regarding the gas bill", "lookup mail.about(words=gas bill)"},
	{"Find the mail titled “Trip money due”", "lookup mail.about(words=Trip money due)"},
	{"unread mail about football", "lookup mail.about(words=football, state=unread)"},
	{"mail mentioning the boiler since yesterday", "lookup mail.about(words=boiler, since=2026-12-01)"},
	{"Any messages about maths and PE?", "lookup mail.about(words=maths and PE)"},
	{"What mail came today?", "lookup mail.since(date=2026-12-02)"},
	{"What mail came yesterday?", "lookup mail.since(date=2026-12-01, until=2026-12-01)"},
	{"emails since Monday", "lookup mail.since(date=2026-11-30)"},
	{"What messages arrived on Friday?", "lookup mail.since(date=2026-11-27, until=2026-11-27)"},
	{"How many emails came this week?", "lookup mail.since(date=2026-11-30)"},
	{"mail of last week", "lookup mail.since(date=2026-11-23, until=2026-11-29)"},
	{"unread mail since yesterday", "lookup mail.since(date=2026-12-01, state=unread)"},
	{"emails from the last 3 days", "lookup mail.since(date=2026-11-29)"},
	{"mail from yesterday", "lookup mail.since(date=2026-12-01, until=2026-12-01)"},
	{"messages since 20 November", "lookup mail.since(date=2026-11-20)"},
	{"Which emails are waiting for an answer?", "lookup mail.waiting()"},
	{"Is anything waiting for my decision?", "lookup mail.waiting()"},
	{"What do I need to answer?", "lookup mail.waiting()"},
	{"Which messages need a reply?", "lookup mail.waiting()"},
	{"Is there anything to be signed?", "lookup mail.waiting()"},
	{"Any attachments?", "lookup mail.attachments()"},
	{"Any attachments from the school?", "lookup mail.attachments(sender=school)"},
	{"Is there a file called timetable?", "lookup mail.attachments(name=timetable)"},
	{"pictures from Anna", "lookup mail.attachments(sender=Anna)"},
	{"Show me the conversation with Mrs Hill", "lookup mail.from(sender=Mrs Hill) mail.thread(message=@r1.message)"},
	{"Show the thread about the boiler", "lookup mail.about(words=boiler) mail.thread(message=@r1.message)"},
	{"Who sends me the most mail?", "none no_tool"},
	{"Do I usually have more than one unread mail?", "analyse mail.unread()"},
	{"Any unread mail and any attachments from Anna?", "lookup mail.unread() mail.attachments(sender=Anna)"},

	{"Send a mail to Anna", "write"},
	{"Delete all mail from the school", "write"},
	{"Reply to Mrs Hill that we are coming", "write"},
	{"Could you forward the newest mail to Anna?", "write"},
	{"Show me the newest mail and delete it", "write"},
	{"Mark all messages as read", "write"},
	{"Email Mrs Hill that Harry is ill", "write"},
	{"Unsubscribe me from the newsletter", "write"},
	{"I want you to archive the mail from Bob", "write"},
	{"Should I answer Mrs Hill?", "none needs_judgement"},
	{"Any important mail?", "none needs_judgement"},
	{"What do you think of Mrs Hill's mail?", "none needs_judgement"},
	{"Which email is the most urgent?", "none needs_judgement"},
	{"What's the weather tomorrow?", "none out_of_scope"},
	{"Who won the football match?", "none out_of_scope"},
	{"Turn on the lights", "write"},
	{"What lessons does Harry have tomorrow?", "none out_of_scope"},
	{"Any mail about the trip from the school?", "none no_tool"},
	{"mail that is not from the school", "none no_tool"},
	{"Mail without attachments", "none no_tool"},
	{"How big is my inbox in megabytes?", "none no_tool"},
	{"Is the mail server encrypted?", "none no_tool"},
}

var bookQuestions = []wanted{
	{"Which books have I borrowed?", "lookup loans.current()"},
	{"How many books are on loan?", "lookup loans.current()"},
	{"What books do I have on loan?", "lookup loans.current()"},
	{"list my loans", "lookup loans.current()"},
	{"Which books are due by Friday?", "lookup loans.due(by=2026-12-04)"},
	{"What loans must be returned by 10 December?", "lookup loans.due(by=2026-12-10)"},
	{"books due until tomorrow", "lookup loans.due(by=2026-12-03)"},
	{"Are any books overdue?", "lookup loans.overdue()"},
	{"overdue books", "lookup loans.overdue()"},
	{"Which books are late?", "lookup loans.overdue()"},
	{"Do they have The Hobbit in the library?", "lookup books.search(title=Hobbit)"},
	{"Does the library have books by Tolkien?", "lookup books.search(author=Tolkien)"},
	{"Is there a book called “Matilda”?", "lookup books.search(title=Matilda)"},
	{"a book named Momo by Michael Ende", "lookup books.search(title=Momo, author=Michael Ende)"},
	{"books about dragons", "lookup books.search(title=dragons)"},
	{"fantasy books by Pratchett", "lookup books.search(author=Pratchett, genre=fantasy)"},
	{"On which shelf is Matilda?", "lookup books.search(title=Matilda)"},
	{"Where is The Hobbit?", "lookup books.search(title=Hobbit)"},
	{"crime books", "lookup books.search(genre=crime)"},
	{"does the libary have poetry", "lookup books.search(genre=poetry)"},
	{"Do I owe any fees?", "lookup card.fees()"},
	{"What fines do I have?", "lookup card.fees()"},
	{"how much do I owe the library", "lookup card.fees()"},
	{"Are my reservations ready?", "lookup card.reservations(state=ready)"},
	{"Which books are reserved?", "lookup card.reservations()"},
	{"Which of Harry's holds are waiting?", "lookup card.reservations(state=waiting)"},
	{"When does the Central branch open?", "lookup branch.hours(branch=Central)"},
	{"opening hours of Riverside on Saturday", "lookup branch.hours(branch=Riverside, day=saturday)"},
	{"What are the opening hours of North End?", "lookup branch.hours(branch=North End)"},
	{"when does Riverside close today", "lookup branch.hours(branch=Riverside, day=wednesday)"},
	{"Any overdue books and do I owe fines?", "lookup loans.overdue() card.fees()"},

	{"Renew The Hobbit", "write"},
	{"Reserve a book by Tolkien", "write"},
	{"Please return all my books", "write"},
	{"Can you extend my loans?", "write"},
	{"Pay the fees", "write"},
	{"Cancel the reservation for Matilda", "write"},
	{"Which book is best?", "none needs_judgement"},
	{"Can you recommend a book?", "none needs_judgement"},
	{"Should I read The Hobbit?", "none needs_judgement"},
	{"Is Matilda a good book?", "none needs_judgement"},
	{"What's for dinner?", "none out_of_scope"},
	{"Play some music", "write"},
	{"Any mail from the bank?", "none out_of_scope"},
	{"How much is the train to York?", "none out_of_scope"},
	{"Which books have I not borrowed?", "none no_tool"},
	{"When does the library open?", "none no_tool"},
	{"How many pages has the book?", "none no_tool"},
	{"Which books did Sam borrow?", "none no_tool"},
	{"Is there a toilet in the library?", "none no_tool"},
}
