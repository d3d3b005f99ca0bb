package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/filewatch"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/project/compass"
	"github.com/askhub/askhub/internal/project/email"
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

// lives says whether that is somebody's name as people.toml has it now.
func (s *set) lives(who string) bool {
	p, ok := s.house.get().Find(who)
	return ok && string(p.Name) == who
}

// cache is a folder of the project's own beside the store.
func (s *set) cache(run string) string {
	return filepath.Join(s.cfg.DataDir(), run+"-cache")
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
	names := append([]string{secrets.ProjectVar(name)}, ownSecrets(cfg, run, name)...)
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
	handler, err := projectHandler(project, token)
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
	if d.WithParent { // who starts it again where its own token changes
		names = names[1:]
	}
	refresh.Go(func() { followSecrets(ctx, cfg.Secrets, e.environ(), found, names, stop) })
	err = ask.Serve(ctx, ln, handler)
	if own, ok := project.(servedProject); ok {
		err = errors.Join(err, own.Close())
	}
	if err != nil {
		return err
	}
	return cause(ctx)
}

// errNewSecrets is how a project ends whose tokens or passwords are others now: whoever
// started it starts it again with them.
var errNewSecrets = errors.New("a line of the secrets file has changed, so that the project is to be started again")

// followSecrets ends the project by stop where one of those secrets is no longer what was
// found, so that a token that was taken away counts no longer.
func followSecrets(ctx context.Context, path string, environ []string, found map[string]string, names []string, stop context.CancelCauseFunc) {
	live, err := secrets.OpenLive(path, environ, names...)
	if err != nil {
		return // the start has just read it
	}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		if slices.ContainsFunc(names, func(name string) bool { return string(live.Token(name)) != found[name] }) {
			stop(errNewSecrets)
			return
		}
	}
}

// servedProject is a data project that makes its own handler, and ends by Close.
type servedProject interface {
	Handler(token ask.BearerToken) (http.Handler, error)
	Close() error
}

func projectHandler(p runningProject, token ask.BearerToken) (http.Handler, error) {
	if own, ok := p.(servedProject); ok {
		return own.Handler(token)
	}
	return askserve.New(p.Project(token))
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
		second, writer := s.byModel(s.cfg.Compass.ByModel)
		return compass.New(compass.Config{
			Second: second, Model: writer,
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
		accounts := mailAccounts(s.cfg, func(name string) string { return s.secrets[name] })
		second, writer := s.byModel(s.cfg.Email.ByModel)
		return email.New(email.Config{
			Second: second, Model: writer,
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
