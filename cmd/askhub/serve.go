package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/api"
	"github.com/askhub/askhub/internal/children"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/filewatch"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/store/sqlite"
)

type serveCmd struct {
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	Listen string `help:"Host and port, instead of the config's." placeholder:"ADDR"`
}

// Help is the command's example.
func (serveCmd) Help() string {
	return "Examples:\n  askhub serve\n  askhub serve --config ./home --listen 127.0.0.1:8500"
}

// Run serves until the process is told to stop.
func (c *serveCmd) Run(e *env) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	if c.Listen != "" {
		if err := cfg.ListenOn(c.Listen); err != nil {
			return exitError{exitUsage, err}
		}
	}
	return serve(e, cfg, func(address string) {
		fmt.Fprintf(e.stdout, "askhub listens on http://%s\n", address)
	})
}

// closeTimeout is how long a stop may take to save what is not saved yet.
const closeTimeout = 5 * time.Second

// gcPercent lets the few megabytes that live grow threefold before they are
// collected: a fifth of a busy Hub's time went into collecting at 100.
const gcPercent = 200

// settled is when the start is over.
const settled = 2 * time.Second

// serve runs the Hub of cfg and its child projects until e.ctx ends. Ready is
// called with the address once requests are answered.
func serve(e *env, cfg *config.Config, ready func(address string)) (err error) {
	log := slog.New(slog.NewTextHandler(e.stderr, nil))
	slog.SetDefault(log)
	for _, warning := range cfg.Warnings() {
		log.Warn(warning)
	}
	tokens, err := openSecrets(e, cfg, log)
	if err != nil {
		return err
	}
	ln, err := listen(cfg.Listen)
	if err != nil {
		return err
	}
	defer ln.Close()
	// The store opens while routing.md is read, and questions wait for the guard and
	// the router while they are built: a house should not wait for askhub after a
	// power cut.
	opening := make(chan opened, 1)
	go func() {
		db, err := sqlite.Open(e.ctx, cfg.Store)
		opening <- opened{db, err}
	}()
	projects := registry.New(targets(cfg, tokens), log)
	rules, err := loadRules(cfg, projects)
	store := <-opening
	if store.err != nil {
		return exitError{exitNeedDown, errors.Join(fmt.Errorf("the store: %w", store.err), err)}
	}
	defer func() { err = errors.Join(err, store.db.Close()) }()
	if err != nil {
		return err
	}
	records := record.NewLog(store.db.Records(), record.Keep{Days: cfg.Record.Days, Text: cfg.Record.Text}, log)
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), closeTimeout)
		defer cancel()
		err = errors.Join(err, records.Close(last))
	}()

	h := hub.New(hub.Config{
		Projects: projects, Record: records, Guest: cfg.Guest, Budget: cfg.Budget.Duration, Now: time.Now,
	})
	rules.hub = h
	// Everything below ends before this returns: first the listener, then the rest.
	ctx, stop := context.WithCancelCause(e.ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop(nil)
	fail := func(err error) {
		if err != nil {
			stop(err)
		}
	}
	all.Go(func() { rules.publish(func() {}) })
	all.Go(func() { fail(rules.watchRouting(ctx, cfg.RoutingPath(), log)) })
	all.Go(func() {
		followPeople(ctx, cfg.PeoplePath(), log, func(h *people.Household) { rules.publish(func() { rules.house = h }) })
	})
	all.Go(func() { projects.Run(ctx) })
	all.Go(func() { rules.watchProjects(ctx) })
	all.Go(func() { fail(tokens.Watch(ctx)) })
	kids, err := childProjects(e, cfg, tokens)
	if err != nil {
		return err
	}
	all.Go(func() { children.Keep(ctx, kids, log) })

	server := api.New(apiConfig(cfg, h, records, projects, tokens, rules))
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ready(ln.Addr().String())
	// What the start needed and nothing needs any more goes back to the machine,
	// which may be a small one.
	defer time.AfterFunc(settled, debug.FreeOSMemory).Stop()
	if err := ask.Serve(ctx, ln, server); err != nil {
		return err
	}
	return cause(ctx)
}

// cause is why ctx ended, where that is an error and not a stop.
func cause(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// opened is a store, or why there is none.
type opened struct {
	db  *sqlite.DB
	err error
}

// ruleBook holds what questions are judged by, and gives the Hub a new edition
// whenever a part of it changes.
type ruleBook struct {
	hub      *hub.Hub
	projects *registry.Registry

	mu    sync.Mutex
	file  *routing.File
	house *people.Household
}

// loadRules reads routing.md and people.toml as they are at the start.
func loadRules(cfg *config.Config, projects *registry.Registry) (*ruleBook, error) {
	file, _, err := routing.Load(cfg.RoutingPath())
	if err != nil {
		return nil, err
	}
	house, err := loadPeople(cfg)
	if err != nil {
		return nil, err
	}
	return &ruleBook{projects: projects, file: file, house: house}, nil
}

// household is the one in force.
func (b *ruleBook) household() *people.Household {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.house
}

// publish makes a change and gives the Hub the rules as they then stand.
func (b *ruleBook) publish(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
	b.hub.Use(hub.NewRules(b.file, b.house, b.projects.Capabilities()))
}

func (b *ruleBook) watchRouting(ctx context.Context, path string, log *slog.Logger) error {
	return routing.Watch(ctx, path, log, func(f *routing.File, _ []routing.Problem) {
		if f != nil {
			b.publish(func() { b.file = f })
		}
	})
}

func (b *ruleBook) watchProjects(ctx context.Context) {
	for {
		changed := b.projects.Changed()
		b.publish(func() {})
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func targets(cfg *config.Config, tokens *secrets.Secrets) []registry.Target {
	var out []registry.Target
	for _, name := range cfg.ProjectNames() {
		out = append(out, registry.Target{
			Name: name, URL: cfg.Projects[name].URL,
			Token: func() ask.BearerToken { token, _ := tokens.Project(name); return token },
		})
	}
	return out
}

func apiConfig(cfg *config.Config, h *hub.Hub, records *record.Log, projects *registry.Registry, tokens *secrets.Secrets, rules *ruleBook) api.Config {
	set := metrics.NewSet()
	set.NewGauge("askhub_record_waiting", func() float64 { return float64(records.Stats().Waiting) })
	set.NewGauge("askhub_record_lost_total", func() float64 { return float64(records.Stats().Lost) })
	set.NewGauge("askhub_record_failed_saves_total", func() float64 { return float64(records.Stats().Failed) })
	for i, name := range cfg.ProjectNames() {
		set.NewGauge(fmt.Sprintf("askhub_project_up{project=%q}", name), func() float64 {
			if states := projects.States(); i < len(states) && states[i].Up {
				return 1
			}
			return 0
		})
	}
	waysIn := make(map[string]api.WayIn)
	for name, w := range cfg.WaysIn {
		in := api.WayIn{Want: reply.Want(w.Want), PerMinute: w.PerMinute, AtOnce: w.AtOnce}
		for _, asker := range w.Askers {
			in.Askers = append(in.Askers, ask.Asker(asker))
		}
		waysIn[name] = in
	}
	return api.Config{
		Hub: h, Records: records, Projects: projects, Callers: tokens, WaysIn: waysIn, ProjectNames: cfg.ProjectNames(),
		Household: rules.household, Metrics: set, Version: versionText(), Now: time.Now,
		Health: func() []api.PartHealth {
			parts := []api.PartHealth{{Part: "record", OK: records.Stats().Err == nil}, {Part: "secrets", OK: tokens.Problem() == nil}}
			if !parts[0].OK {
				parts[0].Fault = "requests cannot be saved just now; see the log"
			}
			if !parts[1].OK {
				parts[1].Fault = "the secrets file has a fault; see the log"
			}
			return parts
		},
	}
}

// childProjects are the projects that the config wants run, each with its own
// secrets only.
func childProjects(e *env, cfg *config.Config, tokens *secrets.Secrets) ([]children.Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program's own file to start its projects: %w", err)
	}
	var out []children.Child
	for _, name := range cfg.ProjectNames() {
		p := cfg.Projects[name]
		if p.Run == "" {
			continue
		}
		restart := make(chan struct{}, 1)
		go restartOnNewToken(e.ctx, tokens, name, restart)
		out = append(out, children.Child{
			Name: name, Path: self, Restart: restart, Output: e.stderr,
			Args: []string{"project", p.Run, "--config", cfg.Dir, "--name", name, "--with-parent"},
			Env:  func() ([]string, error) { return childEnv(e, cfg, p.Run, name) },
		})
	}
	return out, nil
}

func restartOnNewToken(ctx context.Context, tokens *secrets.Secrets, name string, restart chan<- struct{}) {
	for last, _ := tokens.Project(name); ; {
		changed := tokens.Changed()
		if token, _ := tokens.Project(name); token != last {
			last = token
			select {
			case restart <- struct{}{}:
			default:
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// childEnv is a child's whole environment: what a process needs to run, and the
// secrets that this project names.
func childEnv(e *env, cfg *config.Config, run, name string) ([]string, error) {
	var out []string
	for _, key := range []string{"PATH", "HOME", "TZ", "LANG", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "ZONEINFO", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if v := e.getenv(key); v != "" {
			out = append(out, key+"="+v)
		}
	}
	wanted := append([]string{secrets.ProjectVar(name)}, projectSecrets(cfg, run)...)
	found, err := secrets.Lookup(cfg.Secrets, e.environ(), wanted...)
	if err != nil {
		return nil, err
	}
	for key, v := range found {
		out = append(out, key+"="+v)
	}
	return out, nil
}

// projectSecrets names the secrets that a shipped project's config asks for.
func projectSecrets(cfg *config.Config, run string) []string {
	var names []string
	add := func(name string) {
		if name != "" {
			names = append(names, name)
		}
	}
	switch run {
	case "compass":
		for _, c := range cfg.Compass.Calendars {
			add(c.PasswordEnv)
		}
	case "email":
		for _, a := range cfg.Email.Accounts {
			add(a.PasswordEnv)
		}
	}
	return names
}

// listen opens the Hub's port; one that is taken says how to find out by whom.
func listen(address string) (net.Listener, error) {
	ln, err := ask.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, exitError{exitNeedDown, fmt.Errorf("%s is in use: stop what listens there (is a Hub running already?), or set listen in askhub.toml", address)}
	case err != nil:
		return nil, exitError{exitNeedDown, fmt.Errorf("cannot listen on %s: set listen in askhub.toml to an address of this machine: %w", address, err)}
	}
	return ln, nil
}

// loadConfig reads the config folder, the usual one where none is named.
func loadConfig(e *env, dir string) (*config.Config, error) {
	if dir == "" {
		dir = config.DefaultDir(e.getenv)
	}
	return config.Load(dir)
}

func openSecrets(e *env, cfg *config.Config, log *slog.Logger) (*secrets.Secrets, error) {
	tokens, err := secrets.Open(cfg.Secrets, e.environ())
	if err != nil {
		return nil, err
	}
	tokens.SetLog(log)
	var missing []string
	for _, name := range cfg.ProjectNames() {
		if _, ok := tokens.Project(name); !ok {
			missing = append(missing, secrets.ProjectVar(name))
		}
	}
	for _, name := range missing {
		log.Warn("a project has no token; askhub token new --project makes one", "missing", name)
	}
	return tokens, nil
}

// lookupToken is one token from where the config keeps its secrets.
func lookupToken(e *env, cfg *config.Config, name string) (ask.BearerToken, error) {
	found, err := secrets.Lookup(cfg.Secrets, e.environ(), name)
	if err != nil {
		return "", err
	}
	if found[name] == "" {
		return "", fmt.Errorf("%s is nowhere to be found: \"askhub token new\" makes one in %s", name, cfg.Secrets)
	}
	return ask.BearerToken(found[name]), nil
}

// readFile reads a small file of the config folder.
func readFile(path string) ([]byte, error) {
	src, err := filewatch.Read(path, 1<<20+1)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read; askhub init writes the files that are missing: %w", filepath.Base(path), err)
	}
	if len(src) > 1<<20 {
		return nil, errors.New(path + " is larger than 1 MB")
	}
	return src, nil
}
