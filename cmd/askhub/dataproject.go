package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"path/filepath"
	"sync"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/filewatch"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/project/compass"
	"github.com/askhub/askhub/internal/project/email"
	"github.com/askhub/askhub/internal/project/email/mailbox"
	"github.com/askhub/askhub/internal/secrets"
)

// dataProject are the flags of every shipped data project.
type dataProject struct {
	Config     string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	Listen     string `help:"Host and port, instead of those of the project's url in askhub.toml." placeholder:"ADDR"`
	WithParent bool   `help:"End when standard input does." hidden:""`
}

// defaultProject is where a project listens that askhub.toml does not name.
const defaultProject = "127.0.0.1:8421"

// runningProject is a data project: what it answers, and what keeps that fresh.
type runningProject interface {
	Project(token ask.BearerToken) askserve.Project
	Run(ctx context.Context) error
}

// set is what a data project is built from.
type set struct {
	cfg *config.Config
	// secrets are those that the project's config names.
	secrets map[string]string
	house   *household
	log     *slog.Logger
}

// maySee is people.toml's rule, as it stands when it is asked.
func (s *set) maySee(asker ask.Asker, person ask.Person) bool {
	return s.house.get().MayAsk(asker, person)
}

// cache is a folder of the project's own beside the store.
func (s *set) cache(run string) string {
	return filepath.Join(filepath.Dir(s.cfg.Store), run+"-cache")
}

// serve serves the project that build makes until the process is told to stop.
func (d *dataProject) serve(e *env, run, name string, build func(*set) (runningProject, error)) error {
	cfg, err := loadConfig(e, d.Config)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(e.stderr, nil)).With("project", name)
	slog.SetDefault(log)
	ctx, stop := context.WithCancelCause(e.ctx)
	defer stop(nil)
	if d.WithParent {
		go func() {
			_, _ = io.Copy(io.Discard, e.stdin)
			stop(nil)
		}()
	}
	names := append([]string{secrets.ProjectVar(name)}, projectSecrets(cfg, run)...)
	found, err := secrets.Lookup(cfg.Secrets, e.environ(), names...)
	if err != nil {
		return err
	}
	token := ask.BearerToken(found[names[0]])
	if token == "" {
		return fmt.Errorf("%s is nowhere to be found: \"askhub token new --project %s\" makes one in %s", names[0], name, cfg.Secrets)
	}
	house, err := watchedPeople(ctx, cfg, log)
	if err != nil {
		return err
	}
	project, err := build(&set{cfg: cfg, secrets: found, house: house, log: log})
	if err != nil {
		return err
	}
	handler, err := askserve.New(project.Project(token))
	if err != nil {
		return err
	}
	ln, err := listen(d.address(cfg, name))
	if err != nil {
		return err
	}
	log.Info("the project listens", "address", ln.Addr().String())
	var refresh sync.WaitGroup
	defer refresh.Wait()
	refresh.Go(func() { stop(project.Run(ctx)) })
	if err := ask.Serve(ctx, ln, handler); err != nil {
		return err
	}
	return cause(ctx)
}

// address is where the Hub expects the project.
func (d *dataProject) address(cfg *config.Config, name string) string {
	if d.Listen != "" {
		return d.Listen
	}
	if p, ok := cfg.Projects[name]; ok {
		if u, err := url.Parse(p.URL); err == nil {
			return u.Host
		}
	}
	return defaultProject
}

type projectCompassCmd struct {
	dataProject
	Name string `help:"The project's name in routing.md." default:"compass_nhs"`
}

// Help is the command's example.
func (projectCompassCmd) Help() string {
	return "Reads the calendars of [compass] in askhub.toml, and answers over the ask contract.\n\nExample:\n  askhub project compass --config ./home --listen 127.0.0.1:8421"
}

// Run serves the calendars.
func (c *projectCompassCmd) Run(e *env) error {
	return c.serve(e, "compass", c.Name, func(s *set) (runningProject, error) {
		calendars := make([]compass.Calendar, len(s.cfg.Compass.Calendars))
		for i, cal := range s.cfg.Compass.Calendars {
			calendars[i] = compass.Calendar{
				Person: ask.Person(cal.Person), Tag: cal.Tag, File: cal.File, URL: cal.URL, CalDAV: cal.CalDAV,
				Username: cal.Username, Password: s.secrets[cal.PasswordEnv],
			}
		}
		return compass.New(compass.Config{
			Name: c.Name, Zone: s.house.get().Zone(), Calendars: calendars, Log: s.log, CacheDir: s.cache("compass"), MaySee: s.maySee,
			Aliases: func(person ask.Person) []string {
				p, _ := s.house.get().Find(string(person))
				return p.Aliases
			},
		})
	})
}

type projectEmailCmd struct {
	dataProject
	Name string `help:"The project's name in routing.md." default:"email_agent"`
}

// Help is the command's example.
func (projectEmailCmd) Help() string {
	return "Reads the mailboxes of [email] in askhub.toml without a trace, and answers over the ask contract.\n\nExample:\n  askhub project email --config ./home --listen 127.0.0.1:8422"
}

// Run serves the mailboxes.
func (c *projectEmailCmd) Run(e *env) error {
	return c.serve(e, "email", c.Name, func(s *set) (runningProject, error) {
		accounts := make([]email.Account, len(s.cfg.Email.Accounts))
		for i, a := range s.cfg.Email.Accounts {
			accounts[i] = email.Account{
				Person: ask.Person(a.Person), Addresses: a.Addresses, Mailboxes: a.Mailboxes,
				Account: mailbox.Account{
					Server: a.Server, Security: mailbox.Security(a.Security), PinnedSHA256: a.PinnedSHA256,
					Username: a.Username, Password: s.secrets[a.PasswordEnv],
				},
			}
		}
		return email.New(email.Config{
			Name: c.Name, Zone: s.house.get().Zone(), Accounts: accounts, Log: s.log, CacheDir: s.cache("email"), MaySee: s.maySee,
		})
	})
}

// household is people.toml as it was last good.
type household struct {
	mu    sync.Mutex
	house *people.Household
}

func (h *household) get() *people.Household {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.house
}

// watchedPeople reads people.toml, and follows it until ctx ends.
func watchedPeople(ctx context.Context, cfg *config.Config, log *slog.Logger) (*household, error) {
	house, err := loadPeople(cfg)
	if err != nil {
		return nil, err
	}
	h := &household{house: house}
	go followPeople(ctx, cfg.PeoplePath(), log, func(house *people.Household) {
		h.mu.Lock()
		h.house = house
		h.mu.Unlock()
	})
	return h, nil
}

// followPeople calls changed with each good version of people.toml until ctx ends.
func followPeople(ctx context.Context, path string, log *slog.Logger, changed func(*people.Household)) {
	filewatch.Watch(ctx, path, func() {
		src, err := readFile(path)
		if err == nil {
			var house *people.Household
			if house, err = people.Parse(path, src); err == nil {
				changed(house)
				return
			}
		}
		log.Error("people.toml is not taken; the last good version stays in use", "fault", err)
	})
}
