package timers

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/timers/words"
)

// Config is what a Desk is made from.
type Config struct {
	Store Store
	// Next answers what is not about timers; nil where nothing does.
	Next dispatch.Connector
	// Household is the one in force.
	Household func() *people.Household
	// Tell tells the person of t, in the room that it came from or else by a notice. It is
	// tried again for a while where it fails, and may so be told twice, never not at all.
	Tell func(ctx context.Context, t Timer, message string) error
	// Reaches is whether Tell has a way to that room or person; nil where it always has.
	Reaches func(t Timer) bool
	Now     func() time.Time
	Log     *slog.Logger
}

// Desk is the destination that keeps timers and reminders, and hands on everything else.
// It is safe for concurrent use.
type Desk struct {
	cfg Config
	// changed is told that there is something new to wait for.
	changed chan struct{}
	rooms   rooms
}

var (
	_ dispatch.Connector = (*Desk)(nil)
	_ dispatch.Reader    = (*Desk)(nil)
	_ dispatch.Completer = (*Desk)(nil)
)

// NewDesk is a desk that tells nothing before Run.
func NewDesk(cfg Config) *Desk {
	return &Desk{cfg: cfg, changed: make(chan struct{}, 1), rooms: rooms{busy: map[string]bool{}}}
}

// now is the moment on the household's clock, as exactly as it is kept.
func (d *Desk) now() time.Time {
	return d.cfg.Now().In(d.cfg.Household().Zone()).Truncate(time.Microsecond)
}

// OnlyAsks is whether q asks and changes nothing.
func (d *Desk) OnlyAsks(q ask.Question) bool {
	if c, ok := words.Parse(q.Question, d.now()); ok {
		return c.Verb == words.Left || c.Verb == words.List
	}
	next, ok := d.cfg.Next.(dispatch.Reader)
	return ok && next.OnlyAsks(q)
}

// Complete is the whole order that the words make of one whose moment was asked for.
func (d *Desk) Complete(asked, reply string) (question string, ok bool) {
	if _, own := words.Parse(asked, d.now()); own {
		return words.Complete(asked, reply, d.now())
	}
	next, ok := d.cfg.Next.(dispatch.Completer)
	if !ok {
		return "", false
	}
	return next.Complete(asked, reply)
}

// Do sets or cancels what q says, or has it done elsewhere.
func (d *Desk) Do(ctx context.Context, q ask.Question) (ask.Answer, error) {
	c, ok := words.Parse(q.Question, d.now())
	switch {
	case !ok && d.cfg.Next == nil:
		return ask.Answer{}, dispatch.ErrNotConfigured
	case !ok:
		return d.cfg.Next.Do(ctx, q)
	case c.Verb == words.Set:
		return d.set(ctx, q, c)
	case c.Verb == words.Cancel:
		return d.cancel(ctx, q, c)
	}
	return d.tell(ctx, q, c)
}

// Read says what is set, and changes nothing.
func (d *Desk) Read(ctx context.Context, q ask.Question) (ask.Answer, error) {
	c, ok := words.Parse(q.Question, d.now())
	switch {
	case !ok && d.cfg.Next == nil:
		return ask.Answer{}, dispatch.ErrNotConfigured
	case !ok:
		return d.cfg.Next.Read(ctx, q)
	case c.Verb == words.Left || c.Verb == words.List:
		return d.tell(ctx, q, c)
	}
	return ask.Answer{}, dispatch.ErrAlone
}

// MaxTimer is the longest timer, and maxAhead the furthest reminder.
const (
	MaxTimer = 24 * time.Hour
	maxAhead = 366 * 24 * time.Hour
)

// set keeps a new one, once for each request.
func (d *Desk) set(ctx context.Context, q ask.Question, c words.Command) (ask.Answer, error) {
	now := d.now()
	person := ask.Person(q.Asker)
	if c.For != "" {
		p, known := d.cfg.Household().Find(strings.TrimRight(c.For, ".,!?"))
		if !known {
			return ask.NoAnswer("I can remind only people who live here"), nil
		}
		person = p.Name
	}
	if question, missing := words.Missing(q.Question, now); missing {
		return ask.Answer{}, &dispatch.Unclear{Ask: question, Missing: true}
	}
	if why := unfit(c, now); why != "" {
		return ask.NoAnswer(why), nil
	}
	heard := dispatch.HeardFrom(ctx)
	request := heard.Request
	if request == "" {
		request = rand.Text()
	}
	t := Timer{
		ID: IDOf(request), Reminder: c.Reminder, Name: short(c.Name, maxName), Words: c.Words,
		Asker: q.Asker, Person: person, Room: cmp.Or(heard.Room, heard.WayIn), Made: now, Due: c.Due, State: Waiting,
	}
	if c.Length > 0 { // it began when the words were read
		t.Made = c.Due.Add(-c.Length)
	}
	if d.cfg.Reaches != nil && !d.cfg.Reaches(t) {
		return ask.NoAnswer("There is no speaker here and no phone by which I could tell you then"), nil
	}
	live, err := d.cfg.Store.Live(ctx)
	if err != nil {
		return ask.Answer{}, err
	}
	own := 0
	for _, other := range live {
		if other.Asker == q.Asker && other.ID != t.ID {
			own++
		}
	}
	if own >= Most {
		return ask.NoAnswer("So many wait already; please cancel some first"), nil
	}
	kept, err := d.cfg.Store.Add(ctx, t)
	if err != nil {
		return ask.Answer{}, err
	}
	d.wake()
	return ask.Say(confirm(kept, now)), nil
}

// maxName and maxWords are the most that is kept of what was said, in code points.
const (
	maxName  = 40
	maxWords = 200
)

// unfit says why nothing can be set for c; empty where it can.
func unfit(c words.Command, now time.Time) string {
	ahead := c.Due.Sub(now)
	switch {
	case c.Unfit != "":
		return string(c.Unfit)
	case c.Due.IsZero() && c.Reminder:
		return "Please say when I shall remind you"
	case c.Due.IsZero():
		return "Please say how long the timer shall run, or when it shall ring"
	case ahead <= 0:
		return "That moment is over already"
	case c.Length > 0 && c.Length < time.Second:
		return "A timer runs for a second at least"
	case c.Length > MaxTimer && !c.Reminder:
		return "A timer runs for a day at most; ask for a reminder instead"
	case ahead > maxAhead:
		return "That is more than a year ahead"
	case utf8.RuneCountInString(c.Words) > maxWords:
		return "That is too long for a reminder; please say it in fewer words"
	case c.Words != "" && ask.CheckSafe(c.Words) != nil:
		return "I cannot keep those words"
	}
	return ""
}

// cancel takes back what c names, if it names one, or all of them.
func (d *Desk) cancel(ctx context.Context, q ask.Question, c words.Command) (ask.Answer, error) {
	if c.Unfit != "" {
		return ask.NoAnswer(string(c.Unfit)), nil
	}
	found, err := d.find(ctx, q, c)
	switch {
	case err != nil:
		return ask.Answer{}, err
	case len(found) == 0:
		return ask.NoAnswer(none(c)), nil
	case len(found) > 1 && !c.All:
		return ask.Answer{}, which(found, "cancel", d.now())
	}
	done := 0
	for _, t := range found {
		moved, err := d.cfg.Store.Move(ctx, Move{ID: t.ID, To: Cancelled, Now: d.cfg.Now()})
		if err != nil {
			return ask.Answer{}, err
		}
		if moved {
			done++
		}
	}
	d.wake()
	switch {
	case done == 0:
		return ask.NoAnswer("That has just come to its end"), nil
	case done == 1:
		return ask.Say(capital(theName(found[0])) + " is cancelled."), nil
	default:
		return ask.Say(capital(counted(done, c)) + " are cancelled."), nil
	}
}

// tell answers what is set, or how long is left.
func (d *Desk) tell(ctx context.Context, q ask.Question, c words.Command) (ask.Answer, error) {
	if c.Unfit != "" {
		return ask.NoAnswer(string(c.Unfit)), nil
	}
	found, err := d.find(ctx, q, c)
	if err != nil {
		return ask.Answer{}, err
	}
	if len(found) == 0 {
		return ask.Say(none(c) + "."), nil
	}
	return ask.Say(listed(found, d.now())), nil
}

// find are the timers that c is about and the asker may hear of, the soonest first:
// everybody's timers, for they ring for the whole room, and one's own reminders.
func (d *Desk) find(ctx context.Context, q ask.Question, c words.Command) ([]Timer, error) {
	live, err := d.cfg.Store.Live(ctx)
	if err != nil {
		return nil, err
	}
	mine := func(t Timer) bool { return t.Asker == q.Asker || t.Person == ask.Person(q.Asker) }
	live = slices.DeleteFunc(live, func(t Timer) bool {
		switch {
		case t.State != Waiting, !c.Either && t.Reminder != c.Reminder, t.Reminder && !mine(t), c.All && !mine(t):
			return true
		case c.Length > 0 && c.Verb == words.Cancel:
			return t.Length().Round(time.Second) != c.Length
		}
		return false
	})
	if c.Name == "" || c.All {
		return live, nil
	}
	named := slices.DeleteFunc(slices.Clone(live), func(t Timer) bool { return !isNamed(t, c.Name) })
	return named, nil
}

// isNamed is whether the timer's name or words hold every word of the name, or that is its ID.
func isNamed(t Timer, name string) bool {
	have := strings.FieldsFunc(strings.ToLower(t.Name+" "+t.Words+" "+t.ID), func(r rune) bool { return strings.ContainsRune(" .,!?;:", r) })
	for _, w := range strings.Fields(strings.ToLower(name)) {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

// wake lets Run look again.
func (d *Desk) wake() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

func short(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most])
	}
	return s
}
