package email

import (
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
)

// TestEachSentenceHolds writes the sentence of look-ups that are asked for in every way,
// and holds it against the check: what a template writes must always be sayable.
func TestEachSentenceHolds(t *testing.T) {
	e, s := household(t)
	for i := range 12 { // more than a result has rows
		if err := s.Deliver("sam", "Club News <club@club.example>", "News of the club", "Read it.", noon.Add(-time.Duration(i+1)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	const nothing = `"about":null,"state":null,"since":null`
	for _, c := range []struct {
		tool, args string
		change     func(*plan.Result)
		want       string
	}{
		{ToolFrom, `"sender":"Club News",` + nothing, nil, "You have 12 messages from “Club News”, the newest from “Club News” titled “News of the club”, today at 11:59."},
		{ToolFrom, `"sender":"club","about":"news","state":"unread","since":"yesterday"`, nil, "You have 12 unread messages from “club” with “news” since yesterday, the newest from “Club News” titled “News of the club”, today at 11:59."},
		{ToolFrom, `"sender":"club","about":null,"state":"read","since":null`, nil, "You have no read messages from “club”."},
		{ToolFrom, `"sender":"Gran","about":null,"state":"unread","since":null`, nil, "You have one unread message from “Gran”, from “Gran” titled “Sunday lunch”, yesterday at 16:00."},
		{ToolFrom, `"sender":"gran","about":null,"state":"read","since":null`, nil, "You have one read message from “gran”, from “Gran” titled “Photos of the garden”, on Saturday 28 November at 12:00."},
		{ToolFrom, `"sender":"vicar","about":"bells","state":"unread","since":"2026-11-25"`, nil, "You have no unread messages from “vicar” with “bells” since Wednesday 25 November."},
		{ToolSince, `"date":"2026-11-23","until":"2026-11-28","state":null`, nil, "You have 5 messages since Monday 23 November until Saturday 28 November, the newest from “Gran” titled “Photos of the garden”, on Saturday 28 November at 12:00."},
		{ToolSince, `"date":"yesterday","until":"yesterday","state":"unread"`, nil, "You have 2 unread messages yesterday, the newest from “Gran” titled “Sunday lunch”, yesterday at 16:00."},
		{ToolSince, `"date":"2026-11-10","until":null,"state":"read"`, nil, "You have 6 read messages since Tuesday 10 November, the newest from “Gran” titled “Photos of the garden”, on Saturday 28 November at 12:00."},
		{ToolSince, `"date":"2026-11-30","until":"2026-11-30","state":null`, nil, "You have 15 messages today, the newest from “Club News” titled “News of the club”, today at 11:59."},
		{ToolNewest, `"state":"read"`, nil, "Your newest read message is from “Gran” titled “Photos of the garden”, on Saturday 28 November at 12:00."},
		{ToolAbout, `"words":"consent form","state":"unread","since":"2026-11-25"`, nil, "You have one unread message with “consent form” since Wednesday 25 November, from “Hillside School” titled “Museum trip: consent form”, today at 10:00."},
		{ToolAttachments, `"name":"pdf","sender":"energy coop"`, nil, "You have one message with an attachment named “pdf” from “energy coop”, from “Energy Co-op” titled “Your bill for last month” with the attachment “energy-bill.pdf”, on Wednesday 18 November at 12:00."},
		{ToolAttachments, `"name":null,"sender":null`, nil, "You have 3 messages with an attachment, the newest from “Hillside School” titled “Museum trip: consent form” with the attachment “consent-form.pdf”, today at 10:00."},
		{ToolWaiting, ``, nil, "You have 2 messages that wait for an answer, the newest from “Hillside School” titled “Museum trip: consent form”, today at 10:00, by the rule “asks for a reply by a date”."},
		{ToolUnread, ``, func(r *plan.Result) { r.Rows = nil }, "You have 17 unread messages."},
		{ToolUnread, ``, func(r *plan.Result) { r.Rows, r.Facts["count"], r.Facts["unread"] = nil, 1, 1 }, "You have one unread message."},
		{ToolUnread, ``, func(r *plan.Result) { r.At = noon.Add(-time.Hour) }, "You have 17 unread messages, the newest from “Club News” titled “News of the club”, today at 11:59, as of today at 11:00."},
		{ToolUnread, ``, func(r *plan.Result) { r.Facts["mailboxes_missing"] = 1 }, "You have 17 unread messages, the newest from “Club News” titled “News of the club”, today at 11:59; with one mailbox missing."},
		{ToolFrom, `"sender":"gran",` + nothing, func(r *plan.Result) {
			r.At, r.Facts["mailboxes_missing"], r.Facts["mailboxes_still_loading"] = noon.Add(-time.Hour), 2, 1
			r.Facts["known_since"] = noon.AddDate(-1, 0, 0)
		}, "You have 2 messages from “gran”, the newest from “Gran” titled “Sunday lunch”, yesterday at 16:00, as of today at 11:00; known since 30 November 2025; with 2 mailboxes missing; with one mailbox still loading."},
		{
			ToolFrom, `"sender":"vicar","about":null,"state":null,"since":"2026-11-25"`, func(r *plan.Result) { r.At, r.Facts["known_since"] = noon.Add(-time.Hour), noon.AddDate(0, -1, 0) },
			"You have no messages from “vicar” since Wednesday 25 November, as of today at 11:00; known since Friday 30 October.",
		},
	} {
		f := run(t, e, "sam", call(c.tool, c.args))
		if c.change != nil {
			c.change(&f.Result)
		}
		spec := templates()[c.tool]
		spec.Says = f.Says
		made, err := answer.NewTemplate(spec)
		if err != nil {
			t.Fatal(err)
		}
		ctx := answer.Context{Now: noon, Zone: time.UTC, Asker: "sam", Person: "sam"}
		got, ok := made.Sentence(&f, ctx)
		_, err = answer.Check(got, plan.IntentLookup, []plan.Found{f}, ctx)
		if !ok || err != nil || ask.CheckSentence(got, false) != nil || got != c.want {
			t.Errorf("%s %s\n got %s %v %v %v\nwant %s", c.tool, c.args, got, ok, err, ask.CheckSentence(got, false), c.want)
		}
	}
}
