// Package compass is the data project for school and appointments. It reads the
// calendars of a household (ICS files and addresses, CalDAV collections), each
// of one person and tagged school or health, and answers questions about them over
// the ask contract, in one sentence that says no more than the calendars do.
//
// The way of a question: package read makes a Reading of it by plain rules and without
// any calendar, which is planned as a look-up; the look-up reads the person's index; a
// sentence is written from its result alone, and checked against it. Package calendar
// knows iCalendar, package feed brings the calendars in.
package compass

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/internal/project/compass/calendar"
	"github.com/askhub/askhub/internal/project/compass/feed"
	"github.com/askhub/askhub/plan/planner"
)

// The tags of a calendar.
const (
	School = "school"
	Health = "health"
)

// DefaultName is the project's row in routing.md.
const DefaultName = "compass_nhs"

// Calendar is one calendar of one person. Exactly one of File, URL and CalDAV is set.
type Calendar struct {
	Person ask.Person
	// Tag is School or Health.
	Tag string
	// File is the path of an ICS file; URL the address of one (http, https or webcal);
	// CalDAV the address of a collection.
	File, URL, CalDAV string
	// Username and Password are for URL and CalDAV.
	Username, Password string
}

// Config is what the project needs.
type Config struct {
	// Name is the project's name in routing.md; "" is DefaultName.
	Name string
	// Zone is the household's time zone; nil is the machine's.
	Zone      *time.Location
	Calendars []Calendar
	// MaySee says whether asker may see what there is about person; nil lets nobody
	// but the person.
	MaySee func(asker ask.Asker, person ask.Person) bool
	// Aliases are what else a person is called in a question; nil is nothing.
	Aliases func(person ask.Person) []string
	// Second plans what the project's own rules find no look-up for, and Model writes
	// what its own sentences do not say, as askplan has them; nil is nobody.
	Second planner.Planner
	Model  planner.Model
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	Log *slog.Logger
	// CacheDir keeps the last good calendars over a restart, readable by this account
	// only; "" keeps none.
	CacheDir string
}

// Compass holds the calendars and answers from memory.
type Compass struct {
	cfg    Config
	people map[ask.Person]*holder
	names  []ask.Person // with a calendar, in the order of the configuration
	// planned is the project that answers.
	planned askserve.Project
}

// holder is one person with a calendar: their calendars and what they come to.
type holder struct {
	person ask.Person
	feeds  []*source
	mu     sync.Mutex // one rebuild at a time
	index  atomic.Pointer[index]
}

// source is one configured calendar with its feed.
type source struct {
	*feed.Feed
	number int
	tag    string
}

// label names a calendar in a log and to whoever set it up.
func (s *source) label(p ask.Person) string {
	return fmt.Sprintf("calendars[%d] (%s, %s)", s.number, p, s.tag)
}

// The window that is worked out around today.
const (
	daysBack  = 400
	daysAhead = 400
)

// New checks the configuration and reads what is on this machine: files, and what
// CacheDir keeps. A calendar that cannot be read yet is no error; Run tries again.
func New(cfg Config) (*Compass, error) {
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
	if cfg.Aliases == nil {
		cfg.Aliases = func(ask.Person) []string { return nil }
	}
	if cfg.MaySee == nil {
		cfg.MaySee = func(asker ask.Asker, person ask.Person) bool { return string(asker) == string(person) }
	}
	if len(cfg.Calendars) == 0 {
		return nil, errors.New("calendars: there is none: add one with person, tag and one of file, url or caldav")
	}
	c := &Compass{cfg: cfg, people: map[ask.Person]*holder{}}
	var faults []error
	for i, cal := range cfg.Calendars {
		src, err := c.source(i, cal)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		h := c.people[cal.Person]
		if h == nil {
			h = &holder{person: cal.Person}
			c.people[cal.Person] = h
			c.names = append(c.names, cal.Person)
		}
		h.feeds = append(h.feeds, src)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	for _, p := range c.names {
		h := c.people[p]
		for _, s := range h.feeds {
			if cfg.Calendars[s.number].File != "" {
				_, _ = c.refresh(context.Background(), h, s) // its state keeps the error
			}
		}
		c.rebuild(h)
	}
	planned, err := c.plan()
	if err != nil {
		return nil, err
	}
	c.planned = planned
	return c, nil
}

// source checks one calendar of the configuration.
func (c *Compass) source(i int, cal Calendar) (*source, error) {
	fault := func(field, mend string) error { return fmt.Errorf("calendars[%d].%s %s", i, field, mend) }
	switch {
	case cal.Person == "":
		return nil, fault("person", "is missing: name whose calendar it is")
	case cal.Tag != School && cal.Tag != Health:
		return nil, fault("tag", `must be "school" or "health"`)
	}
	given := 0
	for _, s := range []string{cal.File, cal.URL, cal.CalDAV} {
		if s != "" {
			given++
		}
	}
	if given != 1 {
		return nil, fmt.Errorf("calendars[%d]: give exactly one of file, url and caldav, not %d", i, given)
	}
	var from feed.Source
	var err error
	field, address := "file", cal.File
	switch {
	case cal.URL != "":
		field, address = "url", cal.URL
		from, err = feed.NewURL(cal.URL, cal.Username, cal.Password)
	case cal.CalDAV != "":
		field, address = "caldav", cal.CalDAV
		from, err = feed.NewCalDAV(cal.CalDAV, cal.Username, cal.Password)
	case cal.Username != "" || cal.Password != "":
		return nil, fault("username", "and password are for url and caldav: leave them out for a file")
	default:
		from = feed.File{Path: cal.File}
	}
	if err != nil {
		return nil, fault(field, err.Error())
	}
	s := &source{number: i, tag: cal.Tag}
	o := feed.Options{Now: c.cfg.Now, Log: c.cfg.Log.With("calendar", s.label(cal.Person)), Check: c.usable}
	if c.cfg.CacheDir != "" {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%s", cal.Person, cal.Tag, field, address, cal.Username))
		o.CacheFile = filepath.Join(c.cfg.CacheDir, fmt.Sprintf("calendar-%x.json", sum[:12]))
	}
	s.Feed = feed.New(from, o)
	return s, nil
}

// window is what is worked out on the day of now.
func (c *Compass) window(now time.Time) (from, to time.Time) {
	now = now.In(c.cfg.Zone)
	return now.AddDate(0, 0, -daysBack), now.AddDate(0, 0, daysAhead)
}

// usable refuses a calendar that comes to more than a household can have.
func (c *Compass) usable(cal *calendar.Calendar) error {
	from, to := c.window(c.cfg.Now())
	_, err := calendar.Expand([]*calendar.Calendar{cal}, c.cfg.Zone, from, to)
	return err
}

// People are those with a calendar, in the order of the configuration.
func (c *Compass) People() []ask.Person { return slices.Clone(c.names) }

// Status is how one calendar stands, for whoever set it up.
type Status struct {
	// Calendar names it by its place in the configuration.
	Calendar string
	// Good is when it was last known to be right; zero for never.
	Good time.Time
	// Err is why the last try failed, with the mend; nil where it did not.
	Err error
	// Faults are entries that could not be read.
	Faults []string
}

// Status is how each calendar stands, in the order of the configuration.
func (c *Compass) Status() []Status {
	out := make([]Status, len(c.cfg.Calendars))
	for _, h := range c.people {
		for _, s := range h.feeds {
			cal, state := s.Calendar()
			st := Status{Calendar: s.label(h.person), Good: state.Good, Err: state.Err}
			if cal != nil {
				st.Faults = cal.Faults
			}
			out[s.number] = st
		}
	}
	return out
}

// Refresh asks every source once, and returns what went wrong, each with the
// calendar's place in the configuration.
func (c *Compass) Refresh(ctx context.Context) error {
	var faults []error
	for _, p := range c.names {
		h := c.people[p]
		changed := false
		for _, s := range h.feeds {
			ok, err := c.refresh(ctx, h, s)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", s.label(h.person), err))
			}
			changed = changed || ok
		}
		if changed {
			c.rebuild(h)
		}
	}
	return errors.Join(faults...)
}

// refresh asks one source, and tells the log when it goes down and comes back.
func (c *Compass) refresh(ctx context.Context, h *holder, s *source) (changed bool, err error) {
	_, before := s.Calendar()
	changed, err = s.Refresh(ctx)
	if ctx.Err() != nil {
		return changed, err
	}
	log := c.cfg.Log.With("calendar", s.label(h.person))
	switch {
	case err != nil && (before.Err == nil || before.Err.Error() != err.Error()):
		log.Warn("the calendar cannot be read", "err", err)
	case err == nil && before.Err != nil && !errors.Is(before.Err, feed.ErrNotTried):
		log.Info("the calendar can be read again")
	}
	if changed {
		if cal, _ := s.Calendar(); cal.Unread > 0 {
			log.Warn("some entries cannot be read", "count", cal.Unread, "first", cal.Faults[0])
		}
	}
	return changed, err
}

// Run keeps the calendars fresh until ctx ends; that is no error.
func (c *Compass) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, p := range c.names {
		h := c.people[p]
		for _, s := range h.feeds {
			wg.Go(func() { c.follow(ctx, h, s) })
		}
		wg.Go(func() { c.turnDays(ctx, h) })
	}
	wg.Wait()
	return nil
}

// follow refreshes one source for as long as ctx lasts.
func (c *Compass) follow(ctx context.Context, h *holder, s *source) {
	for {
		if changed, _ := c.refresh(ctx, h, s); changed {
			c.rebuild(h)
		}
		if !sleep(ctx, s.Wait()) {
			return
		}
	}
}

// turnDays works the window out anew on each new day.
func (c *Compass) turnDays(ctx context.Context, h *holder) {
	for sleep(ctx, 10*time.Minute) {
		if ix := h.index.Load(); ix == nil || !ix.madeOn(c.cfg.Now().In(c.cfg.Zone)) {
			c.rebuild(h)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// rebuild works out the person's index. Where the calendars together come to too
// much, the last good index stays.
func (c *Compass) rebuild(h *holder) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var cals []*calendar.Calendar
	var tags []string
	for _, s := range h.feeds {
		if cal, _ := s.Calendar(); cal != nil {
			cals = append(cals, cal)
			tags = append(tags, s.tag)
		}
	}
	now := c.cfg.Now().In(c.cfg.Zone)
	from, to := c.window(now)
	ix, err := newIndex(displayName(string(h.person)), cals, tags, c.cfg.Zone, now, from, to)
	if err != nil {
		c.cfg.Log.Warn("the calendars cannot be used together", "person", h.person, "err", err)
		return
	}
	h.index.Store(ix)
}
