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
	"strings"
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
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/reach"
	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/web"
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
		fmt.Fprintf(e.stdout, "askhub listens on %s\n", reach.URL(cfg, address))
		if cfg.PublicURL != "" {
			fmt.Fprintf(e.stdout, "people reach it at %s\n", cfg.PublicURL)
		}
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
	release, err := serveAlone(cfg)
	if err != nil {
		return err
	}
	defer release()
	tokens, err := openSecrets(e, cfg, log)
	if err != nil {
		return err
	}
	door, err := reach.Open(cfg, time.Now, log)
	if err != nil {
		return err
	}
	ln, err := listen(cfg.Listen)
	if err != nil {
		return err
	}
	defer ln.Close()
	speech, err := listenWyoming(cfg)
	if err != nil {
		return err
	}
	defer speech.close()
	// The store opens while routing.md is read, and questions wait for the guard and
	// the router while they are built: a house should not wait for askhub after a
	// power cut.
	opening := make(chan opened, 1)
	go func() {
		db, err := openStore(e, cfg)
		opening <- opened{db, err}
	}()
	projects := registry.New(targets(cfg, tokens), log)
	rules, err := loadRules(cfg, projects)
	store := <-opening
	if store.err != nil {
		return exitError{exitNeedDown, errors.Join(fmt.Errorf("the store: %w", store.err), err)}
	}
	defer func() { err = errors.Join(err, store.db.close()) }()
	if err != nil {
		return err
	}
	records := record.NewLog(store.db.records, record.Keep{Days: cfg.Record.Days, Text: cfg.Record.Text}, log)
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), closeTimeout)
		defer cancel()
		err = errors.Join(err, records.Close(last))
	}()

	chatHeldTo := chatRules(cfg)
	talks := store.db.chat(chatHeldTo)
	model := openModel(cfg, tokens, log)
	happens := newEventPart()
	doing, err := openDoing(e.ctx, cfg, store.db, talks, rules, tokens, happens, log)
	if err != nil {
		return err
	}
	defer doing.close()
	h := hub.New(hub.Config{
		Projects: projects, Connectors: doing.connected.all(), Deciders: doing.work.deciders(), Record: recorder{records, happens}, Recall: store.db.records.Get, Guest: cfg.Guest,
		Budget: cfg.Budget.Duration, Now: time.Now, Decider: model.decides(),
	})
	rules.hub, rules.warmer = h, newWarmer(model, cfg, log)
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
	all.Go(func() { fail(rules.watchRouting(ctx, cfg.RoutingPath(), log)) })
	all.Go(func() {
		followPeople(ctx, cfg.PeoplePath(), log, func(h *people.Household) {
			rules.publish(func() { rules.house = h })
			doing.notices.look(h)
		})
	})
	all.Go(func() { projects.Run(ctx) })
	all.Go(func() { doing.ringing.Run(ctx) })
	all.Go(func() { doing.connected.run(ctx) })
	all.Go(func() { happens.projects(ctx, projects) })
	all.Go(func() { rules.warmer.run(ctx) })
	all.Go(func() { rules.watchProjects(ctx) })
	all.Go(func() { fail(tokens.Watch(ctx)) })
	kids, err := childProjects(e, cfg, tokens)
	if err != nil {
		return err
	}
	app, err := adminChild(e, cfg, tokens, ln.Addr().String())
	if err != nil {
		return err
	}
	all.Go(func() { children.Keep(ctx, append(kids, app...), log) })
	all.Go(func() { door.Watch(ctx) })

	settings := apiConfig(cfg, h, records, projects, tokens, rules)
	model.join(&settings)
	settings.Approvals, settings.Events, settings.Done = doing.desk, happens.stream, ctx.Done()
	doing.approvals.measure(settings.Metrics)
	talk := &chatPart{cfg: cfg, store: talks, rules: chatHeldTo, log: log, set: settings.Metrics}
	doing.notices.measure(settings.Metrics)
	settings.Notices = doing.notices
	settings.Chat, settings.Desk, settings.ChatRules = talk.handler(ctx.Done()), talk.store, talk.rules
	settings.ChatPage = web.Handler()
	settings.Past, _ = store.db.records.(record.Past)
	server := api.New(settings)
	all.Go(func() { fail(speech.serve(ctx, h, settings.Metrics, log)) })
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ready(ln.Addr().String())
	defer giveBack().Stop()
	answerer := talk.answerer(e, h, rules, tokens)
	all.Go(func() { answerer.Run(ctx) })
	all.Go(func() { talk.sweep(ctx) })
	all.Go(func() { doing.notices.Run(ctx) })
	all.Go(func() { doing.notices.sweepNotices(ctx) })
	all.Go(func() { doing.work.run(ctx) })
	if err := ask.Serve(ctx, door.Listener(ln), door.Handler(server)); err != nil {
		return err
	}
	return cause(ctx)
}

// giveBack returns, once the start is over, what it needed and nothing needs any more to the
// machine, which may be a small one.
func giveBack() *time.Timer {
	return time.AfterFunc(settled, func() {
		debug.FreeOSMemory()
		forgetCode()
	})
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
	db  *state
	err error
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
		Hub: h, Records: records, Projects: projectsInForce{projects, h}, Callers: tokens, WaysIn: waysIn, ProjectNames: cfg.ProjectNames(),
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

// listen opens the Hub's port; one that is taken says how to find out by whom.
func listen(address string) (net.Listener, error) {
	ln, err := net.Listen("tcp", address) // ask.Serve watches the heads, within TLS
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
	cfg, err := config.Load(dir)
	if err != nil {
		return nil, err
	}
	return cfg, checkShipped(cfg)
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
		return "", fmt.Errorf("%s is nowhere to be found: \"askhub token new %s\" makes one in %s", name, strings.ToLower(strings.TrimPrefix(name, "HUB_TOKEN_")), cfg.Secrets)
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
