package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/api"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/notify/target"
	"github.com/askhub/askhub/internal/notify/webpush"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/secrets"
)

type notifyCmd struct {
	Test notifyTestCmd `cmd:"" help:"Send a test to a person's phones and rooms, and say what became of it."`
	List notifyListCmd `cmd:"" help:"Show notices, and what became of them."`
}

type notifyTestCmd struct {
	Person string `arg:"" help:"A name of people.toml."`
	JSON   bool   `help:"Print what became of it as JSON."`
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (notifyTestCmd) Help() string {
	return "Sends at once, also in quiet hours, and needs no running Hub. Exits 1 where an address is wrong, and 3 where one does not answer.\n\nExamples:\n  askhub notify test sam\n  askhub notify test sam --json"
}

// testTimeout is the longest that one phone or room may take with a test.
const testTimeout = 12 * time.Second

// testMessage is what a phone shows and a room hears.
const testMessage = "This is a test from askhub."

// tested is what became of a test at one target.
type tested struct {
	Target string `json:"target"`
	OK     bool   `json:"ok"`
	Fault  string `json:"fault,omitzero"`
	down   bool
}

// Run sends a test to each of the person's phones, and says it in each room in which
// notices to them are said.
func (c *notifyTestCmd) Run(e *env) (err error) {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	house, err := loadPeople(cfg)
	if err != nil {
		return err
	}
	person, err := findPerson(house, c.Person)
	if err != nil {
		return err
	}
	book := &target.Book{Secret: lookupSecret(e, cfg)}
	if slices.Contains(target.Phones(&person), target.Push) {
		push, done, fault := beside(e, cfg)
		if fault != nil {
			return fault
		}
		defer func() { err = errors.Join(err, done()) }()
		book.Push = push
	}
	if len(person.SpeakIn) > 0 && len(cfg.Speakers.Rooms) > 0 {
		token, _ := book.Secret(cfg.HomeAssistant.TokenEnv)
		c := newSpeakers(cfg, func() ask.BearerToken { return ask.BearerToken(token) }, house.Zone)
		defer c.Close()
		book.Speech = roomSpeech{c}
	}
	results := testAll(e.ctx, book.Of(&person), string(person.Name))
	if err := c.print(e, results); err != nil {
		return err
	}
	return verdictOf(results)
}

// beside is the web push over the household's store, beside whatever else has it open.
// Where there is no store yet, no browser has subscribed.
func beside(e *env, cfg *config.Config) (push notify.Sender, done func() error, err error) {
	if !storeThere(cfg) {
		none := &webpush.Sender{Subscriptions: new(notify.MemorySubscriptions)}
		return webpush.Notices{Sender: none}, func() error { return nil }, nil
	}
	db, err := openStore(e, cfg)
	if err != nil {
		return nil, nil, exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
	}
	return webpush.Notices{Sender: pushSender(cfg, db.notices, slog.New(slog.DiscardHandler))}, db.close, nil
}

// lookupSecret reads single lines of the secrets file.
func lookupSecret(e *env, cfg *config.Config) target.Secret {
	return func(name string) (string, bool) {
		found, err := secrets.Lookup(cfg.Secrets, e.environ(), name)
		return found[name], err == nil && found[name] != ""
	}
}

func names(house *people.Household) (list []string) {
	for _, p := range house.People() {
		list = append(list, string(p.Name))
	}
	return list
}

// testAll sends to all targets at once.
func testAll(ctx context.Context, targets []notify.Target, person string) []tested {
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	message := &notify.Message{ID: "ntc_test", From: notify.Hub, Person: person, Level: notify.Important, Text: testMessage, At: time.Now()}
	out := make([]tested, len(targets))
	var all sync.WaitGroup
	for i, t := range targets {
		all.Go(func() {
			out[i] = tested{Target: t.Name, Fault: t.Broken}
			if t.Sender == nil {
				return
			}
			err := t.Sender.Send(ctx, message)
			if out[i].OK = err == nil; err == nil {
				return
			}
			fault, ok := errors.AsType[*notify.Fault](err)
			if !ok {
				fault = notify.Retry("it did not take the test")
			}
			out[i].Fault, out[i].down = fault.Reason, fault.State == notify.Waiting
		})
	}
	all.Wait()
	return out
}

func (c *notifyTestCmd) print(e *env, results []tested) error {
	if c.JSON {
		raw, err := json.Marshal(results)
		if err != nil {
			return err
		}
		return printJSON(e.stdout, raw)
	}
	for _, r := range results {
		line := "ok    " + r.Target + ": it took the test"
		if !r.OK {
			line = "FAULT " + r.Target + ": " + r.Fault
		}
		if _, err := fmt.Fprintln(e.stdout, line); err != nil {
			return err
		}
	}
	return nil
}

// verdictOf is fine where every target took it.
func verdictOf(results []tested) error {
	var err error
	for _, r := range results {
		switch {
		case r.OK:
		case !r.down:
			return exitError{exitNot, errors.New("")}
		default:
			err = exitError{exitNeedDown, errors.New("")}
		}
	}
	return err
}

type notifyListCmd struct {
	Undelivered bool   `help:"Only those that a target did not get."`
	Person      string `help:"Only this person's." placeholder:"NAME"`
	Limit       int    `help:"How many at most." default:"20"`
	JSON        bool   `help:"Print them as JSON, as GET /notices gives them."`
	Config      string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (notifyListCmd) Help() string {
	return "Reads the store, beside a running Hub or without one.\n\nExamples:\n  askhub notify list\n  askhub notify list --undelivered\n  askhub notify list --person sam --json"
}

// Run lists notices, the newest first.
func (c *notifyListCmd) Run(e *env) (err error) {
	if c.Limit < 1 {
		return exitError{exitUsage, errors.New("--limit must be at least 1")}
	}
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	q := notify.Query{Undelivered: c.Undelivered, Limit: c.Limit}
	house, err := loadPeople(cfg)
	if err != nil {
		return err
	}
	if c.Person != "" {
		person, err := findPerson(house, c.Person)
		if err != nil {
			return err
		}
		q.Person = string(person.Name)
	}
	var list []notify.Entry
	if storeThere(cfg) {
		db, fault := openStore(e, cfg)
		if fault != nil {
			return exitError{exitNeedDown, fmt.Errorf("the store: %w", fault)}
		}
		defer func() { err = errors.Join(err, db.close()) }()
		if list, err = db.notices.List(e.ctx, q); err != nil {
			return err
		}
	}
	return c.print(e, list, house.Zone())
}

func (c *notifyListCmd) print(e *env, list []notify.Entry, zone *time.Location) error {
	if c.JSON {
		raw, err := api.NoticesJSON(list)
		if err != nil {
			return err
		}
		return printJSON(e.stdout, raw)
	}
	for i := range list {
		n := &list[i]
		if _, err := fmt.Fprintf(e.stdout, "%s  %s to %s, %s: %s\n", n.At.In(zone).Format("2006-01-02 15:04"), n.From, n.Person, n.Level, n.Message); err != nil {
			return err
		}
		for _, d := range n.Deliveries {
			line := fmt.Sprintf("    %s: %s", d.Name, d.State)
			if d.State == notify.Waiting {
				line += " until " + d.Due.In(zone).Format("2006-01-02 15:04:05")
			}
			if d.Reason != "" {
				line += " (" + d.Reason + ")"
			}
			if _, err := fmt.Fprintln(e.stdout, line); err != nil {
				return err
			}
		}
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(e.stdout, "there are none")
		return err
	}
	return nil
}
