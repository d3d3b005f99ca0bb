package email

import (
	"context"
	"fmt"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/plan"
)

// The look-ups.
const (
	ToolUnread      = "mail.unread"
	ToolNewest      = "mail.newest"
	ToolFrom        = "mail.from"
	ToolAbout       = "mail.about"
	ToolSince       = "mail.since"
	ToolWaiting     = "mail.waiting"
	ToolAttachments = "mail.attachments"
	ToolThread      = "mail.thread"
)

// KindMessage is the kind of the public ids of messages.
const KindMessage = "message"

// Catalogue is the person's look-ups, nil for somebody without an account. It reads
// that person's mail and nobody else's; its hash is the same for everybody.
func (e *Email) Catalogue(person ask.Person) *plan.Catalogue {
	if h := e.people[person]; h != nil {
		return h.catalogue
	}
	return nil
}

// IDs says whether an id is that of a message of the person.
func (e *Email) IDs(person ask.Person) plan.IDCheck {
	return func(_ context.Context, kind, id string) bool {
		h := e.people[person]
		if h == nil || kind != "" && kind != KindMessage {
			return false
		}
		_, ok := h.view().refs()[id]
		return ok
	}
}

// spec is what the look-ups have in common.
func spec(id, description string) plan.Spec {
	return plan.Spec{
		ID: id, Description: description,
		AttackerFields: []string{"rows[].title", "rows[].fields.sender", "rows[].fields.address", "rows[].snippet"},
		States: []plan.State{
			{Word: "unread", StateField: plan.StateField{Field: "unread", Values: []any{true}, Synonyms: []string{"unopened", "new"}}},
			{Word: "read", StateField: plan.StateField{Field: "unread", Values: []any{false}, Synonyms: []string{"opened", "seen"}}},
		},
		RowName: []string{"title", "sender"},
		Outputs: []plan.Output{{Name: "message", Path: "rows[].ref", Describe: "the id of a message that was found", Kind: KindMessage}},
	}
}

// UnableError is why a look-up could not be made: the Err of its record.
type UnableError struct {
	// Why is in the project's own words, fit for the reason of an answer.
	Why string
}

func (e *UnableError) Error() string { return e.Why }

// Reason is Why, as the reason of an answer.
func (e *UnableError) Reason() string { return e.Why }

func bind[A any](h *holder, s plan.Spec, describe func(A) string, look func(*view, A) (plan.Result, error)) plan.Tool {
	return plan.New(s, describe, func(_ context.Context, a A) (plan.Result, error) { return look(h.view(), a) })
}

func newCatalogue(h *holder) (*plan.Catalogue, error) {
	waiting := spec(ToolWaiting, "Messages that wait for a decision, an answer or a reply of the person: what needs to be answered, decided, confirmed or signed, each with the rule by which it counts.")
	waiting.GroupBy = []plan.Group{{Key: "rule", Labels: rules}}
	attachments := spec(ToolAttachments, "Files that came with mail: attachments, documents, pictures and PDFs, by words of the file's name or by its kind.")
	attachments.AttackerFields = append(attachments.AttackerFields, "rows[].fields.file")
	return plan.NewCatalogue([]plan.Tool{
		bind(h, spec(ToolUnread, "How many messages, emails are unread in the inbox, and the newest of them: new mail that was not opened."),
			func(UnreadArgs) string { return "the unread messages, the newest" }, (*view).unread),
		bind(h, spec(ToolNewest, "The one newest, latest, last, most recent message, email in the inbox."),
			func(a NewestArgs) string { return "the newest " + describeState(a.State) + "message" }, (*view).newest),
		bind(h, spec(ToolFrom, "Messages, mail, emails from one sender: what somebody wrote, sent or replied, about what, and whether they did."),
			func(a FromArgs) string {
				about := ""
				if a.About != nil {
					about = fmt.Sprintf(" with the words “%s”", *a.About)
				}
				return fmt.Sprintf("the %smessages from “%s”, the newest%s%s", describeState(a.State), a.Sender, about, describeSince(a.Since))
			}, (*view).bySender),
		bind(h, spec(ToolAbout, "Messages, mail, emails about a subject: those whose subject or text holds certain words."),
			func(a AboutArgs) string {
				return fmt.Sprintf("the %smessages with the words “%s”, the newest%s", describeState(a.State), a.Words, describeSince(a.Since))
			}, (*view).about),
		bind(h, spec(ToolSince, "Messages, mail, emails that came on or since a day: today, yesterday, this week, since a date."),
			func(a SinceArgs) string {
				until := ""
				if a.Until != nil {
					until = " until " + *a.Until
				}
				return fmt.Sprintf("the %smessages, the newest, since %s%s", describeState(a.State), a.Date, until)
			}, (*view).since),
		bind(h, waiting, func(WaitingArgs) string { return "the messages that wait for an answer or a decision, the newest" }, (*view).waiting),
		bind(h, attachments, func(a AttachmentsArgs) string {
			named, by := "", ""
			if a.Name != nil {
				named = fmt.Sprintf(" named “%s”", *a.Name)
			}
			if a.Sender != nil {
				by = fmt.Sprintf(" from “%s”", *a.Sender)
			}
			return "the messages with an attachment, the newest" + named + by
		}, (*view).attachments),
		bind(h, spec(ToolThread, "The whole conversation, the thread that a message is part of, with the answers to it."),
			func(a ThreadArgs) string { return "the messages in the conversation of one message, the newest" }, (*view).thread),
	}, []string{KindMessage})
}
