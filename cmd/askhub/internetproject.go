package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/project/internet/adguard"
	"github.com/askhub/askhub/internal/project/internet/linux"
	"github.com/askhub/askhub/internal/project/internet/sample"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/store/postgres"
	"github.com/askhub/askhub/internal/store/sqlite"
)

type projectInternetCmd struct {
	dataProject
	Name string `help:"The project's name in routing.md." default:"internet_control"`
}

// Help is the command's example.
func (projectInternetCmd) Help() string {
	return "Answers about the devices of [internet] in askhub.toml over the ask contract, and changes them after a yes in the admin app.\n\nExample:\n  askhub project internet --config ./home --listen 127.0.0.1:8423"
}

// internetRun is the value of run that starts it.
const internetRun = "internet"

// Run serves the devices.
func (c *projectInternetCmd) Run(e *env) error {
	return c.serve(e, internetRun, c.Name, func(s *set) (runningProject, error) {
		devices := internetDevices(s.cfg)
		zone := s.house.get().Zone()
		backend, err := internetBackend(s, devices, zone)
		if err != nil {
			return nil, err
		}
		second, writer := s.byModel(s.cfg.Internet.ByModel)
		project, err := internet.New(internet.Config{
			Second: second, Model: writer,
			Name: c.Name, Zone: zone, Devices: devices, Backend: backend, Log: s.log, MaySee: s.maySee,
			Known: func(name string) bool {
				p, ok := s.house.get().Find(name)
				return ok && p.Role != people.RoleGuest
			},
		})
		if err != nil {
			return nil, err
		}
		return &internetControl{Internet: project, name: c.Name, set: s, e: e}, nil
	})
}

// bedtimesName is the file in which a Linux router's bedtimes and limits are kept.
const bedtimesName = "bedtimes.json"

func bedtimesPath(cfg *config.Config) string {
	return filepath.Join((&set{cfg: cfg}).cache(internetRun), bedtimesName)
}

// internetBackend is the network that the config names.
func internetBackend(s *set, devices []internet.Device, zone *time.Location) (internet.Backend, error) {
	n := s.cfg.Internet
	switch n.Backend {
	case config.BackendAdGuard:
		return adguard.New(adguard.Options{URL: n.URL, Username: n.Username, Password: s.secrets[n.PasswordEnv], Zone: zone, Log: s.log})
	case config.BackendLinux:
		return linux.New(linux.Options{
			Log: n.Log, Leases: n.Leases, Devices: canonical(devices), Zone: zone, Slog: s.log,
			File: bedtimesPath(s.cfg),
		})
	case config.BackendSample:
		return sample.New(time.Now, zone), nil
	}
	return nil, fmt.Errorf("%s: internet.backend: there is no [internet] table: set one with backend and devices", config.FileName)
}

// internetControl is the internet project with its own desk of approvals. The Hub has no
// part in that, and not the token for it.
type internetControl struct {
	*internet.Internet
	name string
	set  *set
	e    *env

	closing func() error
}

// Handler is the project over the ask contract, with /approvals and /changes where it was
// given the token for them.
func (c *internetControl) Handler(token ask.BearerToken) (http.Handler, error) {
	p := c.Project(token)
	approvals := ask.BearerToken(c.set.secrets[ask.ApprovalTokenVariable(c.name)])
	if approvals == "" {
		c.set.log.Warn("nothing can be changed: the admin app's token for it is missing", "missing", ask.ApprovalTokenVariable(c.name))
		return askserve.New(p)
	}
	store, closing, err := openApprovals(c.e.ctx, c.e, c.set.cfg)
	if err != nil {
		return nil, exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
	}
	c.closing = closing
	desk, err := approve.Open(c.e.ctx, approve.Options{
		Owner: c.name, Store: store, Execute: c.Execute, Askers: c.set.lives,
		Lifetime: c.set.cfg.Approvals.Wait.Duration, Keep: c.set.cfg.Approvals.Keep(), Log: c.set.log,
		Changed: func(a approve.Approval) {
			if a.State == approve.Unknown { // also what another process left, when its time is over
				go c.tellUnsettled(c.e.ctx, c.set.log)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	c.closing = func() error {
		desk.Close()
		return closing()
	}
	p.Approvals, p.ApprovalToken = desk, approvals
	handler, err := askserve.New(p)
	if err != nil {
		return nil, err
	}
	go c.tellUnsettled(c.e.ctx, c.set.log)
	return c.Changes(desk, approvals, handler)
}

// tellUnsettled says at the start what became of changes whose end nobody saw.
func (c *internetControl) tellUnsettled(ctx context.Context, log *slog.Logger) {
	all, err := c.Unsettled(ctx)
	if err != nil {
		log.Warn("what became of earlier changes cannot be told", "why", err)
	}
	for _, s := range all {
		log.Warn("nobody saw the end of a change", "id", s.ID, "what", s.What, "now", s.Now)
	}
}

// Close waits for a change that is being made.
func (c *internetControl) Close() error {
	if c.closing == nil {
		return nil
	}
	return c.closing()
}

// openApprovals opens the household's store beside the running Hub, for a project's own
// approvals alone.
func openApprovals(ctx context.Context, e *env, cfg *config.Config) (approve.Store, func() error, error) {
	if !cfg.StoreIsServer() {
		db, err := sqlite.Open(ctx, cfg.Store)
		if err != nil {
			return nil, nil, err
		}
		return db.Approvals(), db.Close, nil
	}
	found, err := secrets.Lookup(cfg.Secrets, e.environ(), config.StorePassword)
	if err != nil {
		return nil, nil, err
	}
	db, err := postgres.Open(ctx, cfg.Store, found[config.StorePassword])
	if err != nil {
		return nil, nil, err
	}
	return db.Approvals(), db.Close, nil
}

// ownSecrets names the secrets that a shipped project reads for itself.
func ownSecrets(cfg *config.Config, run, name string) []string {
	names := projectSecrets(cfg, run)
	if run != internetRun {
		return names
	}
	names = append(names, ask.ApprovalTokenVariable(name))
	if cfg.Internet.PasswordEnv != "" {
		names = append(names, cfg.Internet.PasswordEnv)
	}
	if cfg.Internet.Any() && cfg.Model.KeyEnv != "" {
		names = append(names, cfg.Model.KeyEnv)
	}
	return names
}

// internetEnv is where the internet project finds its secrets: it reads the secrets file
// and systemd's credentials itself, so that the Hub's process never holds them.
func internetEnv(e *env) []string {
	if dir := e.getenv("CREDENTIALS_DIRECTORY"); dir != "" {
		return []string{"CREDENTIALS_DIRECTORY=" + dir}
	}
	return nil
}
