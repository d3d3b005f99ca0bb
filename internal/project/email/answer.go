package email

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/project/email/message"
	"github.com/askhub/askhub/plan"
)

const (
	whyNotUnderstood = "that is nothing that a look-up of the mail can tell"
	whyBroken        = "something went wrong while looking at the mail"
	whyUnfit         = "the mail has an answer that cannot be said in one short sentence"
)

// freshFor is how long an answer holds: mail can come at any moment.
const freshFor = time.Minute

// Answer answers one question from memory. Whether the asker may see the person is
// asked before, by Project.
func (e *Email) Answer(ctx context.Context, q ask.Question) (ask.Answer, error) {
	h := e.people[q.About()]
	if h == nil {
		return ask.NoAnswer("no data for that person"), nil
	}
	call, ok := readQuestion(q.Question)
	if !ok {
		return ask.NoAnswer(whyNotUnderstood), nil
	}
	offer := h.catalogue.Offer(plan.Access{})
	ran, err := offer.Run(ctx, plan.Plan{Intent: plan.IntentLookup, Calls: []plan.Call{call}}, plan.Asking{
		Question: q.Question, Given: plan.Given{IDs: e.IDs(h.person)},
	})
	var refused *plan.RefusedError
	if errors.As(err, &refused) {
		return ask.NoAnswer(whyNotUnderstood), nil
	}
	if err != nil {
		return ask.Answer{}, err
	}
	s := speaker{name: strings.ToUpper(string(h.person[:1])) + string(h.person[1:]), you: string(q.Asker) == string(h.person), now: e.cfg.Now().In(e.cfg.Zone)}
	switch found, unable := ran.Found[0], (*UnableError)(nil); {
	case found.Result.Outcome == plan.OutcomeOK || found.Result.Outcome == plan.OutcomeNone:
	case errors.As(ran.Record.Lookups[0].Err, &unable):
		return ask.NoAnswer(unable.Why), nil
	default:
		return ask.NoAnswer(whyBroken), ran.Record.Lookups[0].Err
	}
	said := s.say(ran.Found[0])
	if err := ask.CheckSentence(said, ask.WantsList(q.Question)); err != nil {
		return ask.NoAnswer(whyUnfit), nil
	}
	return ask.Say(said).Until(s.now.Add(freshFor)), nil
}

// speaker makes a sentence of one look-up and its result, and says no more than that.
type speaker struct {
	name string // of the person
	you  bool   // the asker is the person
	now  time.Time
}

func (s speaker) say(f plan.Found) string {
	r, said := f.Result, ""
	count, _ := r.Facts["count"].(int)
	what := s.what(f, count)
	switch {
	case count == 0:
		said = s.whose("You have", "has") + " no " + what
	case len(r.Rows) == 0:
		said = s.whose("You have", "has") + " " + strconv.Itoa(count) + " " + what
	case f.Call.Tool == ToolNewest:
		said = s.whose("Your", "'s") + " newest " + state(f) + "message is " + s.row(r.Rows[0])
	case count == 1:
		said = s.whose("You have", "has") + " 1 " + what + ", " + s.row(r.Rows[0])
	default:
		said = s.whose("You have", "has") + " " + strconv.Itoa(count) + " " + what + ", the newest " + s.row(r.Rows[0])
	}
	return said + s.limits(r) + "."
}

// whose begins a sentence about the asker or about somebody else.
func (s speaker) whose(you, other string) string {
	switch {
	case s.you:
		return you
	case other == "'s":
		return s.name + other
	}
	return s.name + " " + other
}

// what names what was looked for, in words of the project and of the asker.
func (s speaker) what(f plan.Found, count int) string {
	messages := "messages"
	if count == 1 {
		messages = "message"
	}
	arg := func(name string) string {
		for _, a := range f.Call.Args {
			if a.Name == name && !a.Null {
				return message.Quote(a.Value, maxSender)
			}
		}
		return ""
	}
	since := ""
	if day := arg("since"); day != "" {
		since = " since " + s.dayWord(day)
	}
	switch f.Call.Tool {
	case ToolUnread:
		return "unread " + messages
	case ToolFrom:
		if about := arg("about"); about != "" {
			since = " with “" + about + "”" + since
		}
		return state(f) + messages + " from “" + arg("sender") + "”" + since
	case ToolAbout:
		return state(f) + messages + " with “" + arg("words") + "”" + since
	case ToolSince:
		if until := arg("until"); until != "" && until == arg("date") {
			return state(f) + messages + " of " + s.dayWord(until)
		}
		return state(f) + messages + " since " + s.dayWord(arg("date"))
	case ToolWaiting:
		return messages + " that may wait for an answer"
	case ToolAttachments:
		out := messages + " with an attachment"
		if name := arg("name"); name != "" {
			out += " named “" + name + "”"
		}
		if sender := arg("sender"); sender != "" {
			out += " from “" + sender + "”"
		}
		return out
	case ToolNewest:
		return state(f) + messages
	}
	return messages
}

func state(f plan.Found) string {
	for _, a := range f.Call.Args {
		if a.Name == "state" && !a.Null {
			return a.Value + " "
		}
	}
	return ""
}

func (s speaker) dayWord(day string) string {
	if d, err := time.ParseInLocation(time.DateOnly, day, s.now.Location()); err == nil {
		return d.Format("Monday 2 January")
	}
	if day == "today" || day == "yesterday" || day == "" {
		return day
	}
	return strings.ToUpper(day[:1]) + day[1:]
}

// row quotes one message: everything that a stranger wrote stands in quotes.
func (s speaker) row(r plan.Row) string {
	var b strings.Builder
	if sender, _ := r.Fields["sender"].(string); sender != "" {
		b.WriteString("from “" + sender + "”")
	} else {
		b.WriteString("from somebody without a name")
	}
	if r.Title != "" {
		b.WriteString(" with the subject “" + r.Title + "”")
	} else {
		b.WriteString(" without a subject")
	}
	if file, _ := r.Fields["file"].(string); file != "" {
		b.WriteString(" and the file “" + file + "”")
	}
	if at, ok := r.Fields["date"].(time.Time); ok {
		b.WriteString(", " + s.when(at))
	}
	if rule, _ := r.Fields["rule"].(string); rule != "" {
		b.WriteString(", which " + rule)
	}
	return b.String()
}

// when is an instant in words, relative to now.
func (s speaker) when(t time.Time) string {
	t = t.In(s.now.Location())
	midnight := time.Date(s.now.Year(), s.now.Month(), s.now.Day(), 0, 0, 0, 0, s.now.Location())
	clock := t.Format("15:04")
	switch {
	case !t.Before(midnight):
		return "at " + clock + " today"
	case !t.Before(midnight.AddDate(0, 0, -1)):
		return "at " + clock + " yesterday"
	case !t.Before(midnight.AddDate(0, 0, -6)):
		return "at " + clock + " on " + t.Weekday().String()
	case t.Year() == s.now.Year():
		return "on " + t.Format("2 January")
	}
	return "on " + t.Format("2 January 2006")
}

// limits says what the answer rests on where that is less than it should be.
func (s speaker) limits(r plan.Result) string {
	out := ""
	if !r.At.IsZero() {
		out += ", as of " + s.age(r.At)
	}
	if since, ok := r.Facts["known_since"].(time.Time); ok {
		out += ", looking back to " + since.In(s.now.Location()).Format("2 January 2006")
	}
	if r.Facts["still_reading"] == true {
		out += ", though older mail is still being read"
	}
	if n, _ := r.Facts["mailboxes_missing"].(int); n == 1 {
		out += ", though one mailbox could not be read"
	} else if n > 1 {
		out += fmt.Sprintf(", though %d mailboxes could not be read", n)
	}
	return out
}

func (s speaker) age(t time.Time) string {
	switch d := s.now.Sub(t); {
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d hours ago", int(d.Hours()))
	}
	return t.In(s.now.Location()).Format("2 January at 15:04")
}
