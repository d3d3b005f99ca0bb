package email

import (
	"fmt"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/daystart"
	"github.com/askhub/askhub/internal/project/email/message"
	"github.com/askhub/askhub/plan"
)

// State narrows a look-up to unread or read mail.
type State string

// The states.
const (
	Unread State = "unread"
	Read   State = "read"
)

// Values are the closed list of the argument.
func (State) Values() []string { return []string{string(Unread), string(Read)} }

// The arguments of the look-ups. A pointer may be null.
type (
	// UnreadArgs has no argument: all unread mail.
	UnreadArgs struct{}
	// NewestArgs asks for the one newest message.
	NewestArgs struct {
		State *State `arg:"state" describe:"only unread or only read mail"`
	}
	// FromArgs asks for the mail of one sender.
	FromArgs struct {
		Sender string  `arg:"sender" describe:"who wrote it: a name, part of a name, or an address" max:"120"`
		About  *string `arg:"about" describe:"words that the subject or the text must hold too" max:"120"`
		State  *State  `arg:"state" describe:"only unread or only read mail"`
		Since  *string `arg:"since" describe:"the first day, as YYYY-MM-DD, today or yesterday" max:"20"`
	}
	// AboutArgs asks for the mail with certain words.
	AboutArgs struct {
		Words string  `arg:"words" describe:"the words that the subject or the text must hold" max:"120"`
		State *State  `arg:"state" describe:"only unread or only read mail"`
		Since *string `arg:"since" describe:"the first day, as YYYY-MM-DD, today or yesterday" max:"20"`
	}
	// SinceArgs asks for the mail of some days.
	SinceArgs struct {
		Date  string  `arg:"date" describe:"the first day, as YYYY-MM-DD, today or yesterday" max:"20"`
		Until *string `arg:"until" describe:"the last day, as YYYY-MM-DD, today or yesterday; null for up to now" max:"20"`
		State *State  `arg:"state" describe:"only unread or only read mail"`
	}
	// WaitingArgs has no argument: all that waits for the person.
	WaitingArgs struct{}
	// AttachmentsArgs asks for files that came with mail.
	AttachmentsArgs struct {
		Name   *string `arg:"name" describe:"words of the file's name, or its kind such as pdf; null for any file" max:"120"`
		Sender *string `arg:"sender" describe:"who sent it: a name, part of a name, or an address" max:"120"`
	}
	// ThreadArgs asks for the conversation that a message is part of.
	ThreadArgs struct {
		Message string `arg:"message" describe:"the id of a message that another look-up gave" max:"40"`
	}
)

func (s *State) fits(it item) bool { return s == nil || it.Unread == (*s == Unread) }

// unread counts what is unread in the whole of the mailboxes.
func (v *view) unread(UnreadArgs) (plan.Result, error) {
	st := v.standing()
	if st.missing == len(v.from) {
		return v.failed(st)
	}
	count := 0
	for _, s := range v.from {
		count += s.Unread
	}
	r, err := v.answer(v.received(func(it item) bool { return it.Unread }), nil)
	if err != nil && count > 0 { // counted, and not yet read
		r, err = plan.Result{Outcome: plan.OutcomeOK, At: st.at, Facts: st.facts(map[string]any{})}, nil
	}
	if err != nil {
		return r, err
	}
	r.Facts["count"], r.Facts["unread"] = count, count
	return r, nil
}

func (v *view) newest(a NewestArgs) (plan.Result, error) {
	for _, it := range v.items {
		if !it.own && a.State.fits(it) {
			var one hits
			one.add(it)
			return v.answer(one, nil)
		}
	}
	return v.answer(hits{}, nil)
}

func (v *view) bySender(a FromArgs) (plan.Result, error) {
	start, why := v.sinceDay(a.Since)
	if why != "" {
		return wrong(why)
	}
	var about []string
	if a.About != nil {
		about = telling(*a.About)
	}
	return v.scoped(v.fromSender(a.Sender, func(it item) bool {
		return a.State.fits(it) && !it.Arrived.Before(start) && holds(it, about)
	}), days{from: start}, a.State)
}

// holds says whether the subject and the text together hold all the words.
func holds(it item, all []string) bool {
	for _, w := range all {
		if !has(it.SubjectKey, w) && !has(it.TextKey, w) {
			return false
		}
	}
	return true
}

func (v *view) about(a AboutArgs) (plan.Result, error) {
	start, why := v.sinceDay(a.Since)
	if why != "" {
		return wrong(why)
	}
	all := telling(a.Words)
	if len(all) == 0 {
		return wrong("there is no word to look for")
	}
	return v.scoped(v.received(func(it item) bool {
		return a.State.fits(it) && !it.Arrived.Before(start) && holds(it, all)
	}), days{from: start}, a.State)
}

func (v *view) since(a SinceArgs) (plan.Result, error) {
	start, why := v.sinceDay(&a.Date)
	if why != "" {
		return wrong(why)
	}
	end, last := time.Time{}, time.Time{}
	if a.Until != nil {
		var ok bool
		if last, ok = v.day(*a.Until); !ok {
			return wrong("the last day must be a date, such as 2026-11-30")
		}
		if end = last.AddDate(0, 0, 1); !end.After(start) {
			return wrong("the last day is before the first")
		}
	}
	return v.scoped(v.received(func(it item) bool {
		return a.State.fits(it) && !it.Arrived.Before(start) && (end.IsZero() || it.Arrived.Before(end))
	}), days{from: start, last: last}, a.State)
}

// days are the first and the last day of a look-up; zero is no bound.
type days struct{ from, last time.Time }

// scoped is the answer with what it was narrowed to, so that it can be said.
func (v *view) scoped(found hits, d days, s *State) (plan.Result, error) {
	r, err := v.answer(found, nil)
	if err != nil {
		return r, err
	}
	switch {
	case d.from.IsZero():
	case d.last.Equal(d.from):
		r.Facts["day"] = d.from
	default:
		r.Facts["since"] = d.from
		if !d.last.IsZero() {
			r.Facts["until"] = d.last
		}
	}
	if s != nil && *s == Read {
		r.Facts["read"] = found.count
	}
	return r, nil
}

func (v *view) attachments(a AttachmentsArgs) (plan.Result, error) {
	var all []string
	if a.Name != nil {
		all = telling(*a.Name)
	}
	file := func(it item) (message.Attachment, bool) {
		for _, f := range it.Attachments {
			if hasAll(message.Fold(f.Name)+message.Fold(f.Type), all) {
				return f, true
			}
		}
		return message.Attachment{}, false
	}
	fits := func(it item) bool {
		_, ok := file(it)
		return ok
	}
	var found hits
	if a.Sender != nil {
		found = v.fromSender(*a.Sender, fits)
	} else {
		found = v.received(fits)
	}
	r, err := v.answer(found, func(it item) map[string]any {
		f, _ := file(it)
		return map[string]any{"file": message.Quote(f.Name, maxTitle), "size": f.Size}
	})
	if err != nil {
		return r, err
	}
	if oldest := v.detailedSince(); !oldest.IsZero() {
		r.Facts["known_since"] = oldest
	}
	return r, nil
}

// detailedSince is the oldest message whose text and attachments are known, where
// there are older ones; else zero.
func (v *view) detailedSince() time.Time {
	var oldest time.Time
	all := true
	for _, it := range v.items {
		if it.Detailed {
			oldest = it.Arrived
		} else {
			all = false
		}
	}
	if all {
		return v.standing().reach
	}
	return oldest
}

func (v *view) thread(a ThreadArgs) (plan.Result, error) {
	at, ok := v.refs()[strings.TrimSpace(a.Message)]
	if !ok {
		return v.answer(hits{}, nil)
	}
	return v.answer(v.conversation(at), nil)
}

// wrong is a look-up that was asked for something that cannot be looked up.
func wrong(why string) (plan.Result, error) { return plan.Result{}, &UnableError{why} }

// sinceDay is the start of the first day; nil is the beginning of time.
func (v *view) sinceDay(day *string) (start time.Time, why string) {
	if day == nil {
		return time.Time{}, ""
	}
	start, ok := v.day(*day)
	if !ok {
		return start, "the first day must be a date, such as 2026-11-30"
	}
	if start.After(v.holder.now()) {
		return start, "that day has not come yet"
	}
	return start, ""
}

// day is the start of a day of the household's zone.
func (v *view) day(s string) (time.Time, bool) {
	now := v.holder.now().In(v.holder.zone)
	switch s = strings.ToLower(strings.TrimSpace(s)); s {
	case "today":
		return daystart.Of(now, 0), true
	case "yesterday":
		return daystart.Of(now, -1), true
	}
	for back := 1; back <= 7; back++ { // the latest day of that name, not today
		if d := daystart.Of(now, -back); s == strings.ToLower(d.Weekday().String()) {
			return d, true
		}
	}
	d, err := time.ParseInLocation(time.DateOnly, s, v.holder.zone)
	return d, err == nil
}

func describeState(s *State) string {
	if s == nil {
		return ""
	}
	return string(*s) + " "
}

func describeSince(day *string) string {
	if day == nil {
		return ""
	}
	return fmt.Sprintf(" since %s", *day)
}
