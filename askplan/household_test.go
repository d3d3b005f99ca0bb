package askplan_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/askplan"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
	"github.com/askhub/askhub/plan/planner"
)

const token = "household-token-0123456789abcdef012345"

// wednesday is 2 December 2026, 10:00.
var wednesday = time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC)

// letter is a mail or an invitation: all of it was written by a stranger.
type letter struct{ sender, title, text string }

// read is one look-up that ran.
type read struct {
	person ask.Person
	tool   string
	args   string
}

// world is a household with a mailbox and a calendar for each person, and all that was
// read of it.
type world struct {
	mu     sync.Mutex
	mail   map[ask.Person][]letter
	events map[ask.Person][]letter
	reads  []read
	writes int
	people []ask.Person
	held   []string // the permissions of everybody
	topics []string
	model  planner.Model
	remote bool
	slow   time.Duration // how long each look-up takes
	// blind look-ups find all that there is, whatever is written in it.
	blind bool
}

type (
	noArgs struct{}
	from   struct {
		Sender string `arg:"sender" describe:"who wrote it" max:"120"`
	}
	about struct {
		Words string  `arg:"words" describe:"words of the subject or the text" max:"120"`
		State *unread `arg:"state" describe:"only unread or only read mail"`
	}
	thread struct {
		Message string `arg:"message" describe:"the id of a message that another look-up gave" max:"40"`
	}
	onDay struct {
		Day string `arg:"day" describe:"the day, as YYYY-MM-DD" max:"10"`
	}
)

type unread string

func (unread) Values() []string { return []string{"unread", "read"} }

// look is a tool that notes that it was read.
func look[A any](w *world, person ask.Person, s plan.Spec, words func(A) string, run func(A) []letter) plan.Tool {
	s.RowName = []string{"title"}
	s.AttackerFields = []string{"rows[].title", "rows[].fields.sender", "rows[].snippet"}
	s.Outputs = append(s.Outputs, plan.Output{Name: "message", Path: "rows[].ref", Describe: "the id of a message that was found", Kind: "message"})
	return plan.New(s, words, func(_ context.Context, a A) (plan.Result, error) {
		time.Sleep(w.slow)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reads = append(w.reads, read{person, s.ID, words(a)})
		r := plan.Result{Outcome: plan.OutcomeNone, Facts: map[string]any{"count": 0}}
		for i, l := range run(a) {
			r.Outcome = plan.OutcomeOK
			r.Rows = append(r.Rows, plan.Row{
				Ref: "m" + string(rune('1'+i)), Title: l.title, Snippet: l.text, Fields: map[string]any{"sender": l.sender, "at": wednesday.Add(-time.Hour)},
			})
			r.Facts["count"] = len(r.Rows)
		}
		return r, nil
	})
}

func (w *world) catalogue(person ask.Person) (*plan.Catalogue, error) {
	mails := func() []letter { return w.mail[person] }
	having := func(words string) []letter {
		var out []letter
		for _, l := range w.mail[person] {
			if w.blind || strings.Contains(strings.ToLower(l.sender+" "+l.title+" "+l.text), strings.ToLower(words)) {
				out = append(out, l)
			}
		}
		return out
	}
	everything := func() []letter {
		w.writes++
		return nil
	}
	return plan.NewCatalogue([]plan.Tool{
		look(w, person, plan.Spec{ID: "mail.unread", Description: "How many messages, emails are unread in the inbox: new mail."},
			func(noArgs) string { return "counts the unread messages of the mail" }, func(noArgs) []letter { return mails() }),
		look(w, person, plan.Spec{ID: "mail.newest", Description: "The one newest, latest, last message, email in the inbox."},
			func(noArgs) string { return "the newest message of the mail" }, func(noArgs) []letter { return mails()[:min(1, len(mails()))] }),
		look(w, person, plan.Spec{ID: "mail.from", Description: "Messages, mail, emails from one sender: what somebody wrote, sent or replied."},
			func(a from) string { return "messages of the mail from " + a.Sender }, func(a from) []letter { return having(a.Sender) }),
		look(w, person, plan.Spec{ID: "mail.about", Description: "Messages, mail, emails about a subject, by words of their subject or text."},
			func(a about) string { return "messages of the mail about " + a.Words }, func(a about) []letter { return having(a.Words) }),
		look(w, person, plan.Spec{ID: "mail.thread", Description: "The whole conversation, the thread that a message is part of."},
			func(a thread) string { return "the messages of the conversation " + a.Message }, func(thread) []letter { return mails() }),
		look(w, person, plan.Spec{ID: "calendar.day", Description: "What is on: events and appointments on a day."},
			func(a onDay) string { return "the events on " + a.Day }, func(onDay) []letter { return w.events[person] }),
		look(w, person, plan.Spec{ID: "mail.private", Permission: "private", Description: "Private messages."},
			func(noArgs) string { return "private messages of the mail" }, func(noArgs) []letter { return mails() }),
		look(w, person, plan.Spec{ID: "mail.purge", Permission: "admin", Description: "Deletes all mail."},
			func(noArgs) string { return "deletes all mail" }, func(noArgs) []letter { return everything() }),
		plan.NewRemote(plan.Spec{ID: "ask.bank", Description: "Asks the bank.", AttackerFields: []string{"facts.answer"}}, "bank"),
	}, []string{"message"})
}

var paths = []string{"facts.count", "facts.answer", "rows[].title", "rows[].fields.sender", "rows[].fields.at"}

// project is the household served; its answers are in one short sentence.
func (w *world) project() (askserve.Project, error) {
	letters := func(of, asked string) answer.Spec {
		row := "{first: from {fields.sender|quote}[ titled {title|quote}]}"
		return answer.Spec{
			About: of + " mail message messages event", Paths: paths,
			None: "There is no mail" + asked, One: "{have} one message, " + row, Few: "{have} {facts.count:message:messages}, " + row,
		}
	}
	events := answer.Spec{
		About: "the events on a day", Paths: paths,
		None: "{have} no events[ on {args.day}]", One: "{have} one event, {first: titled {title|quote}}", Few: "{have} {facts.count:event:events}, {first: titled {title|quote}}",
	}
	p := askplan.Project{
		Name: "household", Topics: w.topics, People: w.people, Token: token, Catalogue: w.catalogue,
		Permissions: func(ask.Asker, ask.Person) []string { return w.held },
		IDs: func(ask.Person) plan.IDCheck {
			return func(_ context.Context, kind, id string) bool { return kind == "message" && len(id) == 2 }
		},
		Templates: map[string]answer.Spec{
			"mail.unread": letters("unread", ""), "mail.newest": letters("newest", ""), "mail.from": letters("mail from", "[ from {args.sender}]"), "mail.about": letters("mail about", "[ about {args.words}]"),
			"mail.thread": letters("conversation", ""), "mail.private": letters("private", ""), "mail.purge": letters("deleted", ""), "calendar.day": events,
			"ask.bank": {About: "asks the bank", Paths: paths, One: "The bank says {facts.answer|quote}"},
		},
		Now: func() time.Time { return wednesday }, Zone: time.UTC, Log: slog.New(slog.DiscardHandler),
	}
	if w.model != nil {
		p.Planner = planner.WithModel(w.model, time.Second)
	}
	if w.remote {
		p.Remote = func(asker ask.Asker, person ask.Person) plan.Remote { return w }
	}
	return askplan.New(p)
}

// Ask counts as a read of another project.
func (w *world) Ask(_ context.Context, service, question string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads = append(w.reads, read{"", service, question})
	return "The balance is fine", nil
}

func (w *world) served(t testing.TB) askserve.Project {
	t.Helper()
	p, err := w.project()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// taken are the reads so far, and forgets them.
func (w *world) taken() []read {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.reads
	w.reads = nil
	return out
}
