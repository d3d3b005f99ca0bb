package planner_test

import "testing"

// These were written after the planner, to see how it does on questions that it was
// not made with.
func TestEmbeddedOnFurtherQuestions(t *testing.T) {
	t.Run("calendar", func(t *testing.T) { planned(t, calendarTools, furtherCalendar) })
	t.Run("mail", func(t *testing.T) { planned(t, mailTools, furtherMail) })
	t.Run("library", func(t *testing.T) { planned(t, bookTools, furtherBooks) })
}

var furtherCalendar = []wanted{
	{"Have I got anything on tonight?", "lookup calendar.on_days(from=2026-12-02, to=2026-12-02)"},
	{"whats happening this weekend", "lookup calendar.on_days(from=2026-12-05, to=2026-12-06)"},
	{"Could you tell me what's on on Thursday?", "lookup calendar.on_days(from=2026-12-03, to=2026-12-03)"},
	{"What's in the diary for next Tuesday?", "lookup calendar.on_days(from=2026-12-08, to=2026-12-08)"},
	{"How many appointments do we have next month?", "lookup calendar.on_days(from=2027-01-01, to=2027-01-31)"},
	{"Does Harry have lessons on Saturday 5 December?", "lookup calendar.on_days(from=2026-12-05, to=2026-12-05)"},
	{"What's coming up next?", "lookup calendar.next()"},
	{"what is the next appointment", "lookup calendar.next()"},
	{"When is the school concert?", "lookup calendar.find(words=school concert)"},
	{"When does football start?", "lookup calendar.find(words=football)"},
	{"What time is Harry's piano lesson?", "lookup calendar.find(words=piano lesson)"},
	{"Is there homework?", "lookup calendar.kind(kind=homework)"},
	{"Harry's homework this week", "lookup calendar.kind(kind=homework, period=this_week)"},
	{"Are we free next Saturday?", "lookup calendar.free(day=2026-12-12)"},
	{"is Friday free", "lookup calendar.free(day=2026-12-04)"},
	{"Who's coming to the match?", "none no_tool"},
	{"Who are the guests at the party?", "lookup calendar.find(words=party) calendar.guests(event=@r1.event)"},
	{"Create an event on Friday", "write"},
	{"Postpone the dentist", "write"},
	{"I want to cancel swimming", "write"},
	{"Would it be wise to go to the match?", "none needs_judgement"},
	{"Which bus goes to York?", "none out_of_scope"},
	{"What is 12 times 14?", "none out_of_scope"},
	{"Who was invited by the neighbours?", "none no_tool"},
	{"What's the phone number of the dentist?", "none out_of_scope"},
	{"Quels événements demain ?", "none out_of_scope"},
	{"What lessons does Emma have tomorrow?", "none no_tool"},
}

var furtherMail = []wanted{
	{"You've got mail?", "lookup mail.unread()"},
	{"Check my inbox", "lookup mail.unread()"},
	{"How much unread mail is there?", "lookup mail.unread()"},
	{"Read me the latest email", "lookup mail.newest()"},
	{"What was the last message?", "lookup mail.newest()"},
	{"Has the bank been in touch?", "none out_of_scope"},
	{"anything from the scouts?", "none out_of_scope"},
	{"Is there any email from Dr Patel?", "lookup mail.from(sender=Dr Patel)"},
	{"Have I had a message from Grandma this week?", "lookup mail.from(sender=Grandma, since=2026-11-30)"},
	{"What did the school say about the trip?", "none out_of_scope"},
	{"How many mails did Bob send since 1 November?", "lookup mail.from(sender=Bob, since=2026-11-01)"},
	{"Show all messages about the new kitchen", "lookup mail.about(words=new kitchen)"},
	{"any emails that mention swimming", "lookup mail.about(words=swimming)"},
	{"Which mails contain the word “invoice”?", "lookup mail.about(words=invoice)"},
	{"Emails received on 28 November", "lookup mail.since(date=2026-11-28, until=2026-11-28)"},
	{"how many messages did I get yesterday", "lookup mail.since(date=2026-12-01, until=2026-12-01)"},
	{"What messages do I still have to reply to?", "lookup mail.waiting()"},
	{"Which emails are awaiting a decision?", "lookup mail.waiting()"},
	{"Do I have any documents from the accountant?", "lookup mail.attachments(sender=accountant)"},
	{"Is there an attachment named invoice?", "lookup mail.attachments(name=invoice)"},
	{"PDFs from Bob", "lookup mail.attachments(sender=Bob)"},
	{"Open the thread with Anna", "lookup mail.from(sender=Anna) mail.thread(message=@r1.message)"},
	{"Write to Bob that I am late", "write"},
	{"Please delete the newest message", "write"},
	{"Move all mail from Bob to the archive", "write"},
	{"Is the mail from Bob trustworthy?", "none needs_judgement"},
	{"Is it worth answering Bob?", "none needs_judgement"},
	{"When is the dentist?", "none out_of_scope"},
	{"How many people live in London?", "none out_of_scope"},
	{"Mail from Bob or Anna", "none no_tool"},
	{"Which mails are encrypted?", "none no_tool"},
}

var furtherBooks = []wanted{
	{"What have I got on loan at the moment?", "lookup loans.current()"},
	{"show me the borrowed books", "lookup loans.current()"},
	{"What has to be returned by Monday?", "lookup loans.due(by=2026-12-07)"},
	{"Is anything overdue?", "lookup loans.overdue()"},
	{"Have you got anything by Astrid Lindgren?", "none out_of_scope"},
	{"Do you have books by Astrid Lindgren?", "lookup books.search(author=Astrid Lindgren)"},
	{"Has the library got Pippi Longstocking?", "lookup books.search(title=Pippi Longstocking)"},
	{"science books about volcanoes", "lookup books.search(title=volcanoes, genre=science)"},
	{"which shelf is Momo on", "lookup books.search(title=Momo)"},
	{"Do I have to pay a fine?", "none no_tool"},
	{"any fees on my card?", "lookup card.fees()"},
	{"Is my reservation ready?", "lookup card.reservations(state=ready)"},
	{"list my reserved books", "lookup card.reservations()"},
	{"Is the Central branch open on Sunday?", "lookup branch.hours(branch=Central, day=sunday)"},
	{"When does North End close on Friday?", "lookup branch.hours(branch=North End, day=friday)"},
	{"Order a copy of Momo", "write"},
	{"Put Momo on hold", "write"},
	{"Lend Matilda to Sam", "write"},
	{"Which author do you recommend?", "none needs_judgement"},
	{"Is the Hobbit better than Momo?", "none needs_judgement"},
	{"What's the population of Norway?", "none out_of_scope"},
	{"Who founded the library?", "none no_tool"},
	{"Are there books that are not overdue?", "none no_tool"},
	{"How heavy is the book?", "none no_tool"},
}
