package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/apprise"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/events"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/notify/target"
	"github.com/askhub/askhub/internal/notify/webpush"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/store"
)

// noticePart is the notices as serve runs them.
type noticePart struct {
	*notify.Outbox
	*store.Notices
	cfg       *config.Config
	book      *target.Book
	household func() *people.Household
	log       *slog.Logger
	happens   *eventPart
	ended     map[notify.State]*metrics.Counter
}

// openNotices makes the outbox over the store. It takes notices at once, and delivers them
// when it is run.
func openNotices(cfg *config.Config, notices *store.Notices, threads target.Threads, speech notify.Speaker, house func() *people.Household, tokens *secrets.Secrets, happens *eventPart, log *slog.Logger) *noticePart {
	n := &noticePart{Notices: notices, cfg: cfg, household: house, happens: happens, log: log}
	n.book = &target.Book{
		Secret: tokens.Named, Push: webpush.Notices{Sender: pushSender(cfg, notices, log)},
		Chat: &target.Chat{Threads: threads, Now: time.Now}, Speech: speech,
	}
	n.Outbox = notify.New(notify.Config{
		Store: notices, Household: house, Targets: n.book.Of, Now: time.Now, Log: log,
		Cap:   notify.Cap{Most: cfg.Notices.PerProject, Window: notify.DefaultCap.Window},
		Added: func(id string, one notify.Notice) { happens.notice(id, &one) },
		Ended: n.over,
	})
	return n
}

// pushSender tells browsers with the household's key.
func pushSender(cfg *config.Config, notices *store.Notices, log *slog.Logger) *webpush.Sender {
	return &webpush.Sender{
		KeyPath: filepath.Join(cfg.Dir, webpush.KeyName), Subscriptions: notices.Subscriptions(), Contact: cfg.PublicURL, Log: log,
	}
}

// measure shows how many deliveries wait, are dead and came to an end.
func (n *noticePart) measure(set *metrics.Set) {
	counts := func() notify.Counts {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		c, err := n.Counts(ctx)
		if err != nil {
			n.log.Error("the notices cannot be counted", "cause", err)
		}
		return c
	}
	set.NewGauge("askhub_notice_deliveries_waiting", func() float64 { return float64(counts().Waiting) })
	set.NewGauge("askhub_notice_deliveries_dead", func() float64 { return float64(counts().Dead) })
	n.ended = map[notify.State]*metrics.Counter{}
	for _, s := range []notify.State{notify.Delivered, notify.Dead, notify.Skipped} {
		n.ended[s] = set.NewCounter(fmt.Sprintf("askhub_notice_deliveries_total{state=%q}", s))
	}
}

// over is a delivery that has come to its end, well or not.
func (n *noticePart) over(r notify.Result) {
	n.ended[r.State].Inc()
	if r.State == notify.Dead {
		n.happens.publish(events.Notice, noticeEvent{ID: r.Notice, Undelivered: true})
	}
}

// noticeEvent is a notice that was taken, or one that a target did not get. Its words are
// in the notice only.
type noticeEvent struct {
	ID          string       `json:"id"`
	From        string       `json:"from,omitzero"`
	Person      string       `json:"person,omitzero"`
	Level       notify.Level `json:"level,omitzero"`
	Undelivered bool         `json:"undelivered,omitzero"`
}

// notice tells of a new notice.
func (p *eventPart) notice(id string, n *notify.Notice) {
	p.publish(events.Notice, noticeEvent{ID: id, From: n.From, Person: n.Person, Level: n.Level})
}

// waits tells every adult that something of the Hub's waits for a yes. What it is stays in
// the admin app. Each is a notice of its own, so that no approval is one with another.
// Quiet hours do not hold it: by the morning it would be over.
func (n *noticePart) waits(a approve.Approval) {
	if a.State != approve.Pending {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		tell := notify.Notice{Message: "Something waits for your yes in the admin app.", Level: notify.Important, Mark: a.ID, Asked: true}
		if err := n.TellAdults(ctx, tell); err != nil {
			n.log.Error("the adults could not be told that something waits for a yes", "cause", err)
		}
	}()
}

// look tells in the log of each address under phone that is none, and of each room in
// which nothing can be said, with its mend.
func (n *noticePart) look(house *people.Household) {
	for _, p := range house.People() {
		for _, t := range n.book.Of(&p) {
			switch {
			case t.Broken == "", t.Kind().Phone() && len(p.Phone) == 0: // to name no phone is no fault
			case t.Kind() == notify.KindSpeech:
				n.log.Warn("people.toml: a room under speak_in cannot be used", "person", p.Name, "fault", t.Broken)
			default:
				n.log.Warn("people.toml: an address under phone cannot be used", "person", p.Name, "address", t.Name, "fault", t.Broken)
			}
		}
	}
}

// sweepNotices drops what is older than the config keeps, now and every hour until ctx ends.
func (n *noticePart) sweepNotices(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if _, err := n.Sweep(ctx, time.Now().AddDate(0, 0, -n.cfg.Notices.Days)); err != nil && ctx.Err() == nil {
			n.log.Error("old notices could not be dropped; it is tried again in an hour", "cause", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Add takes a notice; of the two that are embedded, the outbox is meant.
func (n *noticePart) Add(ctx context.Context, one notify.Notice) (string, error) {
	return n.Outbox.Add(ctx, one)
}

// connector is the destination that sends a person's words to phones.
func (n *noticePart) connector() *apprise.Connector {
	return &apprise.Connector{House: func() apprise.People { return atHome{n.household()} }, Phones: n}
}

// checkedApprise needs no look of the doctor's own: phones are looked at by person.
func checkedApprise() doctor.Connector {
	return doctor.Connector{
		Name: apprise.Name, Configured: func(*config.Config) bool { return true },
		Check: func(context.Context, *config.Config, func(string) string) []doctor.Check { return nil },
	}
}

// Send implements apprise.Phones.
func (n *noticePart) Send(ctx context.Context, person, message string, own bool) (apprise.Outcome, error) {
	id, err := n.Keep(context.WithoutCancel(ctx), notify.Notice{From: notify.Spoken, Person: person, Message: message, Level: notify.Important, Asked: own})
	if _, many := errors.AsType[*notify.TooMany](err); many {
		return apprise.Outcome{Reason: "too many notifications were sent just now"}, nil
	}
	if err != nil {
		return apprise.Outcome{}, err
	}
	e, err := n.Await(ctx, id)
	if err != nil {
		return apprise.Outcome{}, err
	}
	return outcome(&e, n.household().Zone()), nil
}

// outcome is what became of a notice on the way to its person's phones.
func outcome(e *notify.Entry, zone *time.Location) apprise.Outcome {
	var out apprise.Outcome
	for _, d := range e.Deliveries {
		if !notify.KindOf(d.Target).Phone() {
			continue
		}
		switch {
		case d.State == notify.Delivered:
			return apprise.Outcome{Sent: true}
		case d.State == notify.Waiting && d.Tries == 0 && d.Due.After(e.At.Add(notify.Merge)):
			out.Held = d.Due.In(zone)
		case d.State == notify.Waiting:
			out.Later = true
		default:
			out.Reason = d.Reason
		}
	}
	return out
}

// atHome gives a household to the connector, which knows nothing of people.toml.
type atHome struct{ house *people.Household }

// Find implements apprise.People.
func (h atHome) Find(name string) (string, bool) {
	p, ok := h.house.Find(name)
	return string(p.Name), ok
}

// Everybody implements apprise.People.
func (h atHome) Everybody() []string { return append(h.Adults(), h.Children()...) }

// Adults implements apprise.People.
func (h atHome) Adults() []string { return h.those(people.RoleAdult) }

// Children implements apprise.People.
func (h atHome) Children() []string { return h.those(people.RoleChild) }

func (h atHome) those(role people.Role) (names []string) {
	for _, p := range h.house.People() {
		if p.Role == role {
			names = append(names, string(p.Name))
		}
	}
	return names
}

// Spoken implements apprise.People.
func (atHome) Spoken(person string) string { return people.Spoken(person) }
