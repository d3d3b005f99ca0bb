// Package answering answers what waits in the chat (spec 3): the Hub answers a thread
// that is paired with a person, as that person's question, or an assistant on the host
// is told of the message. Each message is answered once and in its thread's order, by
// whichever process takes it, also after a crash in between.
package answering

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
)

// The waits of an Answerer.
const (
	// atOnce is how many threads the Hub answers at a time, tellAtOnce for how many the
	// assistants are told: one that does not listen must not keep the Hub from answering.
	atOnce, tellAtOnce = 4, 16
	// tellPause is how long a telling waits where all of those are taken.
	tellPause = 2 * time.Second
	// grace is how much longer than all that it may take a turn is held: whoever has it
	// still is then dead.
	grace = 10 * time.Second
	// storeWait is how long a store that fails is left alone.
	storeWait = 2 * time.Second
	// idle is how often the store is looked at when nothing was heard of it.
	idle = time.Minute
	// firstWait and lastWait bound the wait before an assistant is told again.
	firstWait, lastWait = time.Second, 5 * time.Minute
	// giveUp is how old a message grows before nobody is told of it any more.
	giveUp = 24 * time.Hour
)

// WayIn is the name under which the record has questions from the chat. No configured
// way in has it.
const WayIn = config.ChatName

// Hub answers one question.
type Hub interface {
	Ask(ctx context.Context, req hub.Request) hub.Reply
}

// Teller tells an assistant on the host that a message waits. An error means that it
// was not told, and is told again later.
type Teller interface {
	Tell(ctx context.Context, w Waiting) error
}

// Waiting is what an assistant is told.
type Waiting struct {
	Thread chat.Thread `json:"thread"`
	// Person is whom the thread speaks for; left out where it is not paired.
	Person  string           `json:"person,omitzero"`
	Message chat.WireMessage `json:"message"`
}

// Outcome is what became of one turn, for the metrics.
type Outcome string

// The outcomes of a turn.
const (
	Answered Outcome = "answered"
	Hinted   Outcome = "hinted"
	Told     Outcome = "told"
	PutOff   Outcome = "put_off"
	GaveUp   Outcome = "gave_up"
	Left     Outcome = "left"
	Taken    Outcome = "taken"
	Failed   Outcome = "failed"
)

// Outcomes are all of them.
func Outcomes() []Outcome {
	return []Outcome{Answered, Hinted, Told, PutOff, GaveUp, Left, Taken, Failed}
}

// Config is what an Answerer is built from.
type Config struct {
	Turns chat.Turns
	Hub   Hub
	// Tellers reach the assistants on the host; there may be none, since an assistant can
	// look for itself.
	Tellers []Teller
	// Rules say who answers where a thread has no setting.
	Rules chat.Rules
	// Household is the one in force.
	Household func() *people.Household
	// Budget bounds one question, and one telling.
	Budget time.Duration
	Now    func() time.Time
	// Observe is told what became of each turn; it may be nil.
	Observe func(Outcome)
	Log     *slog.Logger
}

// Answerer answers what waits.
type Answerer struct {
	cfg Config
	// over gets a value when a turn is: its thread may have another.
	over chan struct{}
}

// New is an Answerer over cfg.
func New(cfg Config) *Answerer {
	if cfg.Observe == nil {
		cfg.Observe = func(Outcome) {}
	}
	return &Answerer{cfg: cfg, over: make(chan struct{}, 1)}
}

// Run answers until ctx ends. A turn that is not finished then is given back.
func (a *Answerer) Run(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	free, tellings := make(chan struct{}, atOnce), make(chan struct{}, tellAtOnce)
	failing := false
	for {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return
		}
		turn, until, ok, err := a.cfg.Turns.Take(ctx, a.cfg.Now(), a.lease())
		if ctx.Err() != nil {
			return
		}
		if err != nil && !failing { // once is enough for a disk that stays full
			a.cfg.Log.Error("what waits in the chat cannot be read; it is tried again", "cause", err)
		}
		failing = err != nil
		if ok {
			slot := free
			if a.cfg.Rules.By(turn.Settings) == chat.ByHost {
				<-free
				select {
				case tellings <- struct{}{}:
					slot = tellings
				default:
					a.cfg.Observe(a.putOff(ctx, turn, a.cfg.Now().Add(tellPause)))
					continue
				}
			}
			all.Go(func() {
				a.cfg.Observe(a.answer(ctx, turn))
				<-slot
				select {
				case a.over <- struct{}{}:
				default:
				}
			})
			continue
		}
		<-free
		if !a.rest(ctx, until, err != nil) {
			return
		}
	}
}

// lease is how long a turn is held: one question, or telling each assistant in turn.
func (a *Answerer) lease() time.Duration {
	return a.cfg.Budget*time.Duration(max(1, len(a.cfg.Tellers))) + grace
}

// rest waits until there may be something to do again.
func (a *Answerer) rest(ctx context.Context, until time.Time, failing bool) bool {
	wait := idle
	if !until.IsZero() {
		wait = min(wait, max(until.Sub(a.cfg.Now()), time.Millisecond))
	}
	waiting, over := a.cfg.Turns.Waiting(), a.over
	if failing {
		wait, waiting, over = storeWait, nil, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-waiting:
	case <-over:
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	return true
}

// answer sees to one turn.
func (a *Answerer) answer(ctx context.Context, t chat.Turn) Outcome {
	switch a.cfg.Rules.By(t.Settings) {
	case chat.ByHub:
		if t.Settings.Person == "" {
			return a.finish(ctx, t, chat.Answer{Text: hint(t.Thread), Hinted: true}, Hinted)
		}
		return a.ask(ctx, t)
	case chat.ByHost:
		return a.tell(ctx, t)
	default:
		return a.finish(ctx, t, chat.Answer{}, Left)
	}
}

// hint says once how to pair a thread. It says nothing of anybody.
func hint(t chat.Thread) string {
	return "This chat is not paired with anybody yet, so nothing is answered here. The chat page shows a code for that under “This chat”; on the host, it is: askhub chat pair " + string(t) + " NAME"
}

// ask has the Hub answer the message as the person's question.
func (a *Answerer) ask(ctx context.Context, t chat.Turn) Outcome {
	person, known := a.cfg.Household().Find(t.Settings.Person)
	if !known {
		return a.finish(ctx, t, chat.Answer{Text: "This chat is paired with somebody who does not live here any more; pair it anew."}, Answered)
	}
	q := ask.Question{Question: t.Message.Text, Asker: ask.Asker(person.Name), Source: WayIn}
	if p := q.Validate(); p != nil {
		return a.finish(ctx, t, chat.Answer{Text: "I cannot read that: it holds characters that are no text."}, Answered)
	}
	asking, cancel := context.WithTimeout(ctx, a.cfg.Budget)
	defer cancel()
	got := a.cfg.Hub.Ask(asking, hub.Request{Question: q, WayIn: WayIn, Want: reply.Text, InReplyTo: t.ReplyTo, Key: string(t.Thread) + "." + t.Message.ID})
	if ctx.Err() != nil { // a stop cut it short: what it says is the stop's doing
		return a.putOff(ctx, t, a.cfg.Now())
	}
	answer := chat.Answer{Text: got.Reply}
	if got.Status == routing.StatusClarify || got.Status == routing.StatusPending {
		answer.ReplyTo = got.ID
	}
	return a.finish(ctx, t, answer, Answered)
}

// tell tells the assistants on the host, again and again until all have heard.
func (a *Answerer) tell(ctx context.Context, t chat.Turn) Outcome {
	w := Waiting{Thread: t.Thread, Person: t.Settings.Person, Message: t.Message.Wire()}
	var faults []error
	for _, teller := range a.cfg.Tellers {
		telling, cancel := context.WithTimeout(ctx, a.cfg.Budget)
		faults = append(faults, teller.Tell(telling, w))
		cancel()
	}
	err := errors.Join(faults...)
	now := a.cfg.Now()
	switch {
	case ctx.Err() != nil:
		return a.putOff(ctx, t, now)
	case err == nil:
		return a.finish(ctx, t, chat.Answer{}, Told)
	case now.Sub(t.Message.Epoch.Time()) > giveUp:
		a.cfg.Log.Error("nobody on the host could be told of a message for a day; it is left", "thread", t.Thread, "message", t.Message.ID, "cause", err)
		return a.finish(ctx, t, chat.Answer{}, GaveUp)
	}
	wait := backOff(t.Tries)
	a.cfg.Log.Warn("the assistant on the host was not told of a message; it is tried again", "thread", t.Thread, "message", t.Message.ID, "wait", wait, "cause", err)
	return a.putOff(ctx, t, now.Add(wait))
}

// backOff doubles from one try to the next, and spreads them.
func backOff(tries int) time.Duration {
	wait := lastWait
	if tries < 9 { // 1 s doubled eight times is under five minutes
		wait = min(firstWait<<tries, lastWait)
	}
	return wait + rand.N(wait/4+1)
}

// saving outlives a stop, so that what was done is kept.
func saving(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), grace/2)
}

func (a *Answerer) finish(ctx context.Context, t chat.Turn, answer chat.Answer, done Outcome) Outcome {
	ctx, cancel := saving(ctx)
	defer cancel()
	answer.Now = a.cfg.Now()
	switch err := a.cfg.Turns.Finish(ctx, t, answer); {
	case errors.Is(err, chat.ErrTaken):
		return Taken
	case err != nil:
		// The lease runs out by itself, and the message is answered then.
		a.cfg.Log.Error("an answer in the chat could not be kept; the message is answered again", "thread", t.Thread, "cause", err)
		return Failed
	}
	return done
}

func (a *Answerer) putOff(ctx context.Context, t chat.Turn, until time.Time) Outcome {
	ctx, cancel := saving(ctx)
	defer cancel()
	switch err := a.cfg.Turns.PutOff(ctx, t, until); {
	case errors.Is(err, chat.ErrTaken):
		return Taken
	case err != nil:
		a.cfg.Log.Error("a message in the chat could not be put off; it waits until nobody holds it", "thread", t.Thread, "cause", err)
		return Failed
	}
	return PutOff
}
