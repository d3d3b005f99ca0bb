// Package email is the data project for electronic mail. It keeps what a household
// asks of its mailboxes in memory, read over IMAP without a trace, and answers
// questions about them over the ask contract with typed look-ups (package plan).
//
// The way of a question: a reading of it becomes a plan of look-ups, the person's
// own catalogue runs it over the person's own view, and a sentence is made of what
// was found. Senders, subjects and words of mail are other people's text: they are
// cleaned when they are read (package message), quoted when they are spoken, and
// never steer anything. Package mailbox reads the servers; package sample is a
// server with sample mail.
package email

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/internal/project/email/mailbox"
	"github.com/askhub/askhub/plan/planner"
)

// DefaultName is the project's row in routing.md.
const DefaultName = "email_agent"

// maxMailboxes of one account: each is a connection that stays open, and providers
// allow few.
const maxMailboxes = 5

// Account is one mail account of one person.
type Account struct {
	Person ask.Person
	mailbox.Account
	// Addresses are the account's own addresses; empty is Username where that is one.
	// Mail from them is the person's own, and only mail to them can wait for the person.
	Addresses []string
	// Mailboxes are what is read; empty is INBOX. With the mailbox of sent mail among
	// them a look-up knows what was answered.
	Mailboxes []string
}

// Config is what the project needs.
type Config struct {
	// Name is the project's name in routing.md; "" is DefaultName.
	Name string
	// Zone is the household's time zone; nil is the machine's.
	Zone     *time.Location
	Accounts []Account
	// MaySee says whether asker may see person's mail; nil lets nobody but the person.
	MaySee func(asker ask.Asker, person ask.Person) bool
	// Second plans what the project's own rules find no look-up for, and Model writes
	// what was found, as askplan has them; nil is nobody.
	Second planner.Planner
	Model  planner.Model
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	Log *slog.Logger
	// CacheDir keeps what is known over a restart, readable by this account only; ""
	// keeps none.
	CacheDir string
}

// Email holds what is known of the mailboxes and answers from memory.
type Email struct {
	cfg    Config
	people map[ask.Person]*holder
	names  []ask.Person
	boxes  []*box // in the order of the configuration
	made   askserve.Project
}

// box is one mailbox with its place in the configuration.
type box struct {
	*mailbox.Box
	label string
	// key makes the public ids of its messages its own.
	key string
	own []string
}

// New checks the configuration and reads what CacheDir keeps. No server is asked yet.
// The error names every fault by account, field and mend.
func New(cfg Config) (*Email, error) {
	cfg.Name = cmp.Or(cfg.Name, DefaultName)
	if cfg.Zone == nil {
		cfg.Zone = time.Local
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.MaySee == nil {
		cfg.MaySee = func(asker ask.Asker, person ask.Person) bool { return string(asker) == string(person) }
	}
	if len(cfg.Accounts) == 0 {
		return nil, errors.New("accounts: there is none: add one with person, server, username and password")
	}
	e := &Email{cfg: cfg, people: map[ask.Person]*holder{}}
	if err := CheckAccounts(cfg.Accounts); err != nil {
		return nil, err
	}
	for i := range cfg.Accounts {
		a := &cfg.Accounts[i]
		boxes := e.open(i, a)
		h := e.people[a.Person]
		if h == nil {
			h = &holder{person: a.Person, zone: cfg.Zone, now: cfg.Now}
			e.people[a.Person] = h
			e.names = append(e.names, a.Person)
		}
		h.boxes = append(h.boxes, boxes...)
		e.boxes = append(e.boxes, boxes...)
	}
	for _, h := range e.people {
		var err error
		if h.catalogue, err = newCatalogue(h); err != nil {
			return nil, err
		}
	}
	if err := e.build(); err != nil {
		return nil, err
	}
	return e, nil
}

// key tells the mailbox of that name from all others.
func (a *Account) key(name string) string {
	return fmt.Sprintf("%s\x00%s\x00%s\x00%s", a.Person, a.Server, a.Username, name)
}

// own are the account's own addresses.
func (a *Account) own() []string {
	if len(a.Addresses) == 0 && strings.Contains(a.Username, "@") {
		return []string{a.Username}
	}
	return a.Addresses
}

// mailboxes are the names of those that are read.
func (a *Account) mailboxes() []string {
	if len(a.Mailboxes) == 0 {
		return []string{"INBOX"}
	}
	return a.Mailboxes
}

// CheckAccounts says what is wrong with the accounts: an error for each, which begins with
// its field.
func CheckAccounts(accounts []Account) error {
	var faults []error
	taken := map[string]int{}
	for i := range accounts {
		if err := accounts[i].check(i, taken); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

func (a *Account) check(i int, taken map[string]int) error {
	fault := func(field, mend string) error { return fmt.Errorf("accounts[%d].%s %s", i, field, mend) }
	if a.Person == "" {
		return fault("person", "is missing: name whose account it is")
	}
	if err := a.Check(); err != nil {
		return fmt.Errorf("accounts[%d].%w", i, err)
	}
	for j, address := range a.own() {
		if !strings.Contains(address, "@") {
			return fault(fmt.Sprintf("addresses[%d]", j), "must be an address, such as sam@example.org")
		}
	}
	if len(a.Mailboxes) > maxMailboxes {
		return fault("mailboxes", fmt.Sprintf("may be at most %d: each keeps a connection open", maxMailboxes))
	}
	for j, name := range a.mailboxes() {
		if name == "" || strings.ContainsAny(name, "\x00\r\n") {
			return fault(fmt.Sprintf("mailboxes[%d]", j), "must be the name of a mailbox, such as INBOX")
		}
		if first, twice := taken[a.key(name)]; twice {
			return fault("mailboxes", fmt.Sprintf("names %q, which accounts[%d] reads already: take one of them out", name, first))
		}
		taken[a.key(name)] = i
	}
	return nil
}

// open makes the account's mailboxes.
func (e *Email) open(i int, a *Account) []*box {
	var out []*box
	for _, name := range a.mailboxes() {
		key := a.key(name)
		label := fmt.Sprintf("accounts[%d] (%s, %s)", i, a.Person, name)
		o := mailbox.Options{Now: e.cfg.Now, Log: e.cfg.Log.With("mailbox", label)}
		if e.cfg.CacheDir != "" {
			sum := sha256.Sum256([]byte(key))
			o.CacheFile = filepath.Join(e.cfg.CacheDir, fmt.Sprintf("mail-%x.json", sum[:12]))
		}
		out = append(out, &box{Box: mailbox.New(a.Account, name, o), label: label, key: key, own: lower(a.own())})
	}
	return out
}

func lower(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = strings.ToLower(strings.TrimSpace(s))
	}
	return out
}

// ref is the public id of a message: it says nothing, and stays the same for as long
// as the server's own number for the message does.
func (b *box) ref(validity, uid uint32) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", b.key, validity, uid))
	return "m" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))[:12]
}

// People are those with an account, in the order of the configuration.
func (e *Email) People() []ask.Person { return slices.Clone(e.names) }

// Run keeps the mailboxes known until ctx ends; that is no error.
func (e *Email) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, b := range e.boxes {
		wg.Go(func() { b.Run(ctx) })
	}
	wg.Wait()
	return nil
}

// Refresh asks every server once, and returns what went wrong, each with the
// mailbox's place in the configuration.
func (e *Email) Refresh(ctx context.Context) error {
	faults := make([]error, len(e.boxes))
	var wg sync.WaitGroup
	for i, b := range e.boxes {
		wg.Go(func() {
			if err := b.Refresh(ctx); err != nil {
				faults[i] = fmt.Errorf("%s: the mail server %w", b.label, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(faults...)
}

// Status is how one mailbox stands, for whoever set it up.
type Status struct {
	// Mailbox names it by its place in the configuration.
	Mailbox string
	// Known is how many messages are known of Total; Unread counts all.
	Known, Total, Unread int
	// Good is when it was last known to be right; zero for never.
	Good time.Time
	// Why is what is wrong with the server, with the mend, to read on after "the mail
	// server"; "" where nothing is.
	Why string
}

// Status is how each mailbox stands, in the order of the configuration.
func (e *Email) Status() []Status {
	out := make([]Status, len(e.boxes))
	for i, b := range e.boxes {
		s := b.Snapshot()
		out[i] = Status{Mailbox: b.label, Known: len(s.Messages), Total: s.Total, Unread: s.Unread, Good: s.Confirmed, Why: s.Why()}
	}
	return out
}
