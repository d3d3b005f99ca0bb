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
	"github.com/askhub/askhub/internal/secrets"
)

type projectCompassCmd struct {
	Config     string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	Name       string `help:"The project's name in routing.md." default:"compass_nhs"`
	Listen     string `help:"Host and port, instead of those of the project's url in askhub.toml." placeholder:"ADDR"`
	WithParent bool   `help:"End when standard input does." hidden:""`
}

// Help is the command's example.
func (projectCompassCmd) Help() string {
	return "Reads the calendars of [compass] in askhub.toml, and answers over the ask contract.\n\nExample:\n  askhub project compass --config ./home --listen 127.0.0.1:8421"
}

// defaultProject is where a project listens that askhub.toml does not name.
const defaultProject = "127.0.0.1:8421"

// Run serves the project until the process is told to stop.
func (c *projectCompassCmd) Run(e *env) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(e.stderr, nil)).With("project", c.Name)
	slog.SetDefault(log)
	ctx, stop := context.WithCancelCause(e.ctx)
	defer stop(nil)
	if c.WithParent {
		go func() {
			_, _ = io.Copy(io.Discard, e.stdin)
			stop(nil)
		}()
	}
	names := append([]string{secrets.ProjectVar(c.Name)}, projectSecrets(cfg, "compass")...)
	found, err := secrets.Lookup(cfg.Secrets, e.environ(), names...)
	if err != nil {
		return err
	}
	token := ask.BearerToken(found[names[0]])
	if token == "" {
		return fmt.Errorf("%s is nowhere to be found: \"askhub token new --project %s\" makes one in %s", names[0], c.Name, cfg.Secrets)
	}
	house, err := watchedPeople(ctx, cfg, log)
	if err != nil {
		return err
	}
	project, err := compass.New(compass.Config{
		Name: c.Name, Zone: house.get().Zone(), Calendars: calendars(cfg, found), Log: log,
		CacheDir: filepath.Join(filepath.Dir(cfg.Store), "compass-cache"),
		MaySee:   func(asker ask.Asker, person ask.Person) bool { return house.get().MayAsk(asker, person) },
		Aliases: func(person ask.Person) []string {
			p, _ := house.get().Find(string(person))
			return p.Aliases
		},
	})
	if err != nil {
		return err
	}
	handler, err := askserve.New(project.Project(token))
	if err != nil {
		return err
	}
	ln, err := listen(c.address(cfg))
	if err != nil {
		return err
	}
	log.Info("the project listens", "address", ln.Addr().String(), "calendars", len(cfg.Compass.Calendars))
	var refresh sync.WaitGroup
	defer refresh.Wait()
	refresh.Go(func() { stop(project.Run(ctx)) })
	if err := ask.Serve(ctx, ln, handler); err != nil {
		return err
	}
	return cause(ctx)
}

// address is where the Hub expects the project.
func (c *projectCompassCmd) address(cfg *config.Config) string {
	if c.Listen != "" {
		return c.Listen
	}
	if p, ok := cfg.Projects[c.Name]; ok {
		if u, err := url.Parse(p.URL); err == nil {
			return u.Host
		}
	}
	return defaultProject
}

// calendars are the config's, with their passwords.
func calendars(cfg *config.Config, found map[string]string) []compass.Calendar {
	out := make([]compass.Calendar, len(cfg.Compass.Calendars))
	for i, c := range cfg.Compass.Calendars {
		out[i] = compass.Calendar{
			Person: ask.Person(c.Person), Tag: c.Tag, File: c.File, URL: c.URL, CalDAV: c.CalDAV,
			Username: c.Username, Password: found[c.PasswordEnv],
		}
	}
	return out
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
