// Package doctor examines a household's whole set-up: its files, tokens, store,
// port, projects, calendars, clock and disk. Every fault comes with its mend, and
// no check needs another one to be good, so that a set-up that is half broken is
// examined as far as it goes.
package doctor

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/unreachable"
)

// State is what a check came to.
type State string

// The states. A warning works and may be regretted; a fault does not work.
const (
	OK    State = "ok"
	Warn  State = "warn"
	Fault State = "fault"
)

// Check is one thing that was looked at. It never holds a token.
type Check struct {
	// Check is what was looked at, by the dotted name that it has in askhub.toml
	// where it has one: "secrets", "projects.compass_nhs".
	Check string `json:"check"`
	State State  `json:"state"`
	// What is how it stands, in one line without a full stop.
	What string `json:"what"`
	// Mend is what to do, as a sentence; empty where nothing is to be done.
	Mend string `json:"mend"`
	// Down is a fault of something that is not running, while nothing is wrong with the set-up.
	Down bool `json:"-"`
}

// Setup is what is examined, and what the doctor may not choose by itself.
type Setup struct {
	// Dir is the config folder.
	Dir string
	// Environ is the environment that the Hub would have, as os.Environ gives it.
	Environ []string
	Now     func() time.Time
	// Store reads the whole store at path and says what is wrong with it. It changes
	// nothing and works beside a running Hub. Its error may be ErrStoreBusy or ErrStoreDamaged.
	Store func(ctx context.Context, path string) error
	// Server does the same with a PostgreSQL database. Its error may be ErrStoreDown,
	// ErrStoreUnsafe or ErrStoreClock, and says no password.
	Server func(ctx context.Context, address, password string) error
	// Passkeys are those of the admin app, in the store of that config; it is asked only while
	// a Hub runs on it.
	Passkeys func(ctx context.Context, cfg *config.Config) ([]Enrolled, error)
	// Routes are those of the Hub's own API.
	Routes []unreachable.Route
	// Roots are the CAs that this machine knows; nil is the system's own.
	Roots *x509.CertPool
	// Calendar says what keeps an ICS file from being one.
	Calendar func(ics []byte) error
	// Model asks the model one made-up question, with that key, and says how long the
	// reply took. Its error has a kind of package llm.
	Model func(ctx context.Context, m config.Model, key string) (took time.Duration, err error)
	// Models names the models that the server has.
	Models func(ctx context.Context, m config.Model, key string) ([]string, error)
	// Connectors are the destinations that this program reaches itself.
	Connectors []Connector
	// Shipped says what the shipped projects would not take of askhub.toml; its error joins one
	// *config.Error for each fault.
	Shipped func(cfg *config.Config) error
	// Network looks at the network of the internet project, with that password of its own, once:
	// it changes nothing there, and a wrong password tried often locks this machine out.
	Network func(ctx context.Context, cfg *config.Config, password string) []Check
}

// What Setup.Store and Setup.Server tell apart.
var (
	ErrStoreBusy    = errors.New("another process holds the store")
	ErrStoreDamaged = errors.New("it is not a store, or it is damaged")
	ErrStoreDown    = errors.New("the store's server does not run")
	ErrStoreClock   = errors.New("the store's server has another clock")
	ErrStoreUnsafe  = errors.New("the store's server may lose what it has acknowledged")
)

// patience is the longest that an examination takes; what is not done then is
// reported as too slow.
const patience = 6 * time.Second

// exam is an examination under way. A part that did not load is nil.
type exam struct {
	Setup
	cfg   *config.Config
	house *people.Household
	rules *routing.File
	// instance is the Hub that answers at listen; empty where none does.
	instance string
	// runs is whether a Hub answers at listen.
	runs bool
}

// Examine looks at everything, in at most a few seconds, and gives the checks in a
// fixed order.
func Examine(ctx context.Context, s Setup) []Check {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	e := &exam{Setup: s}
	checks := slices.Concat(e.folder(), e.config())
	folks, rules := e.people(), e.routing()
	if e.cfg == nil {
		return slices.Concat(checks, folks, rules, e.clock(), []Check{{
			Check: "config", State: Warn,
			What: "tokens, store, port, projects and calendars were not looked at, for askhub.toml says where they are",
			Mend: `Mend askhub.toml, then run "askhub doctor" again.`,
		}})
	}
	var store, hub, app, model, connectors, network, phones []Check
	var public publicAnswer
	names := e.cfg.ProjectNames()
	found := make([]project, len(names))
	var all sync.WaitGroup
	all.Go(func() { store = e.store(ctx) })
	all.Go(func() {
		hub = e.hub(ctx)
		app = e.admin(ctx)
	})
	all.Go(func() { public = e.askPublic(ctx) })
	all.Go(func() { model = e.model(ctx) })
	all.Go(func() { connectors = e.connectors(ctx) })
	all.Go(func() { network = e.network(ctx) })
	all.Go(func() { phones = e.phones(ctx) })
	for i, name := range names {
		all.Go(func() { found[i] = e.project(ctx, name) })
	}
	all.Wait()
	checks = slices.Concat(checks, folks, rules, e.lint(found), e.guest(), e.waysIn(), e.wyoming(ctx), e.secrets(), e.disk(), store, hub, app)
	for _, p := range found {
		checks = append(checks, p.checks...)
	}
	return slices.Concat(checks, e.destinations(), connectors, e.unreachable(), e.calendars(), e.mailAccounts(), e.internet(), network, e.chat(), phones, e.reach(public), e.clock(), model)
}

// Verdict is what an examination comes to as a whole.
type Verdict int

// The verdicts.
const (
	Fine  Verdict = iota // nothing is wrong, though there may be warnings
	Wrong                // the set-up has a fault
	Down                 // the set-up has none, and something that it needs is not running
)

// VerdictOf weighs the checks.
func VerdictOf(checks []Check) Verdict {
	v := Fine
	for _, c := range checks {
		switch {
		case c.State == Fault && !c.Down:
			return Wrong
		case c.State == Fault:
			v = Down
		}
	}
	return v
}

// String is the check in one line.
func (c Check) String() string {
	state := string(c.State)
	if c.State == Fault {
		state = "FAULT"
	}
	line := fmt.Sprintf("%-5s %s: %s", state, c.Check, strings.Join(strings.Fields(c.What), " "))
	if c.Mend != "" {
		if !strings.HasSuffix(line, "?") {
			line += "."
		}
		line += " " + c.Mend
	}
	return line
}

// clock looks at the year only: how far the clock is off shows beside a project's.
func (e *exam) clock() []Check {
	now := e.Now()
	if y := now.Year(); y < 2025 || y > 2100 {
		return []Check{{"clock", Fault, fmt.Sprintf("this machine believes that it is %d", y), "Set the clock, and let the machine set it from the network.", false}}
	}
	return []Check{{Check: "clock", State: OK, What: "this machine says " + now.Format("2006-01-02 15:04 MST")}}
}

// each are the errors that err joins.
func each(err error) []error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return joined.Unwrap()
	}
	return []error{err}
}

// halves splits a message at its last sep into what is wrong and the mend; a message
// that says no mend gets the one given.
func halves(message, sep, mend string) (string, string) {
	if i := strings.LastIndex(message, sep); i >= 0 {
		return message[:i], sentence(message[i+len(sep):])
	}
	return message, mend
}

// sentence begins with a capital and ends with a full stop; a command at its end
// stays as it is, so that it can be pasted.
func sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if strings.Contains(s, "with: ") || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// count is "1 person" or "3 people".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
