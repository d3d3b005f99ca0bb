package email

import (
	"context"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/askplan"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
)

// topics are those of the project's row in routing.md.
var topics = []string{"email", "inbox", "mail", "message", "unread"}

// freshFor is how long an answer holds: mail can come at any moment.
const freshFor = time.Minute

// paths are what a sentence may say of what was found.
var paths = []string{
	"facts.count", "facts.since", "facts.until", "facts.day",
	"facts.known_since", "facts.mailboxes_missing", "facts.mailboxes_still_loading",
	"rows[].title", "rows[].fields.sender", "rows[].fields.date", "rows[].fields.file", "rows[].fields.rule",
}

// What a sentence says of the one message that it names, the newest; what other
// people wrote stands in quotes. Each part may be missing: a stranger's name or
// subject may hold nothing that is fit to be said.
const (
	saysMessage = "[ from {fields.sender|quote}][ titled {title|quote}]"
	saysFile    = "[ with the attachment {fields.file|quote}]"
	saysWhen    = "[, {fields.date|when}]"
	saysRule    = "[, by the rule {fields.rule|quote}]"
)

// What a look-up was narrowed to, and what its answer must own up to.
const (
	saysState  = "[{args.state} ]"
	saysDays   = "[ since {facts.since|day}][ until {facts.until|day}][ {facts.day|day}]"
	saysLimits = "[, {as_of}][; known since {facts.known_since|day}]" +
		"[; with {facts.mailboxes_missing:mailbox:mailboxes} missing][; with {facts.mailboxes_still_loading:mailbox:mailboxes} still loading]"
)

// sentences are those of one look-up of messages within a scope; row is what is said of
// the newest.
func sentences(about, state, scope, row string) answer.Spec {
	newest := "[, the newest{first:" + row + "}]"
	return answer.Spec{
		About: about, Paths: paths,
		None: "{have} no " + state + "messages" + scope + saysLimits,
		One:  "{have} one " + state + "message" + scope + "{first:[, from {fields.sender|quote}]" + strings.TrimPrefix(row, "[ from {fields.sender|quote}]") + "}" + saysLimits,
		Few:  "{have} {facts.count} " + state + "messages" + scope + newest + saysLimits,
	}
}

// templates are the sentences of each look-up.
func templates() map[string]answer.Spec {
	const message = saysMessage + saysWhen
	unread := sentences("the unread messages, the newest", "unread ", "", message)
	unread.Few = "{have} {facts.count:unread message:unread messages}[, the newest{first:" + message + "}]" + saysLimits // a count may be known before its messages are
	last := sentences("the newest message", saysState, "", message)
	last.One = "{whose} newest " + saysState + "message is{first:" + message + "}" + saysLimits
	last.Few = last.One
	return map[string]answer.Spec{
		ToolUnread:  unread,
		ToolNewest:  last,
		ToolFrom:    sentences("the messages from a sender, the newest, since a day", saysState, " from {args.sender|quote}[ with {args.about|quote}]"+saysDays, message),
		ToolAbout:   sentences("the messages with the words, the newest, since a day", saysState, " with {args.words|quote}"+saysDays, message),
		ToolSince:   sentences("the messages since a day, the newest", saysState, saysDays, message),
		ToolWaiting: sentences("the messages that wait for an answer, the newest", "", " that wait for an answer", message+saysRule),
		ToolAttachments: sentences("the messages with an attachment, the newest, named, from a sender", "",
			" with an attachment[ named {args.name|quote}][ from {args.sender|quote}]", saysMessage+saysFile+saysWhen),
		ToolThread: sentences("the messages in the conversation, the newest", "", " in the conversation", message),
	}
}

// build makes the project out of the look-ups.
func (e *Email) build() (err error) {
	e.made, err = askplan.New(askplan.Project{
		Name: e.cfg.Name, Topics: topics, People: e.names, MaySee: e.cfg.MaySee, Log: e.cfg.Log,
		Catalogue: func(person ask.Person) (*plan.Catalogue, error) { return e.Catalogue(person), nil },
		IDs:       e.IDs, Templates: templates(), Planner: wordsPlanner{}, Second: e.cfg.Second, Model: e.cfg.Model, FreshFor: freshFor,
		Now: func() time.Time { return e.cfg.Now() }, Zone: e.cfg.Zone,
	})
	return err
}

// Project is e over the ask contract, to be served by askserve. Run keeps what it
// answers from fresh.
func (e *Email) Project(token ask.BearerToken) askserve.Project {
	p := e.made
	p.Token = token
	return p
}

// Answer answers one question from memory. Whether the asker may see the person is
// asked before, by Project.
func (e *Email) Answer(ctx context.Context, q ask.Question) (ask.Answer, error) {
	return e.made.Answer(ctx, q)
}
