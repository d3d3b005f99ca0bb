package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/admin"
	"github.com/askhub/askhub/internal/clientaddress"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/reach"
	"github.com/askhub/askhub/internal/secrets"
)

type adminCmd struct {
	Run      adminRunCmd      `cmd:"" default:"withargs" help:"Run the admin app; \"askhub serve\" does it by itself."`
	Enrol    adminEnrolCmd    `cmd:"" help:"Make a code by which a person enrols a device."`
	Passkeys adminPasskeysCmd `cmd:"" help:"List and revoke passkeys."`
}

type adminRunCmd struct {
	Config     string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	Listen     string `help:"Host and port, instead of the config's." placeholder:"ADDR"`
	Hub        string `help:"The Hub's host and port, instead of the config's." placeholder:"ADDR" hidden:""`
	WithParent bool   `help:"End when standard input does." hidden:""`
}

// Help is the command's example.
func (adminRunCmd) Help() string {
	return "Examples:\n  askhub admin\n  askhub admin --config ./home --listen 127.0.0.1:8530"
}

// Run serves the admin app until the process is told to stop.
func (c *adminRunCmd) Run(e *env) (err error) {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	if c.Listen != "" {
		if err := cfg.AdminListenOn(c.Listen); err != nil {
			return exitError{exitUsage, err}
		}
	}
	if c.Hub == "" {
		c.Hub = cfg.Listen
	}
	log := slog.New(slog.NewTextHandler(e.stderr, nil)).With("part", config.AdminName)
	slog.SetDefault(log)
	ctx, stop := context.WithCancelCause(e.ctx)
	defer stop(nil)
	if c.WithParent {
		go func() {
			_, _ = io.Copy(io.Discard, e.stdin)
			stop(nil)
		}()
	}
	ln, err := listenAdmin(cfg.Admin.Listen)
	if err != nil {
		return err
	}
	defer ln.Close()
	cfg.Admin.Listen = ln.Addr().String() // with the port that a 0 became
	door, err := reach.Open(cfg.AdminReach(), time.Now, log)
	if err != nil {
		return err
	}
	db, err := openStore(e, cfg)
	if err != nil {
		return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
	}
	defer func() { err = errors.Join(err, db.close()) }()
	app, err := c.open(ctx, e, cfg, db, log)
	if err != nil {
		return err
	}
	go app.Run(ctx)
	go door.Watch(ctx)
	fmt.Fprintf(e.stdout, "the admin app is at %s\n", cfg.AdminOrigin(cfg.Admin.Listen))
	defer giveBack().Stop()
	if err := ask.Serve(ctx, door.Listener(ln), door.Handler(app)); err != nil {
		return err
	}
	return cause(ctx)
}

// listenAdmin opens the admin app's port; one that is taken says how to find out by whom.
func listenAdmin(address string) (net.Listener, error) {
	ln, err := net.Listen("tcp", address) // ask.Serve watches the heads, within TLS
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, exitError{exitNeedDown, fmt.Errorf("%s is in use: \"askhub serve\" runs the admin app already, or set listen under [admin] in askhub.toml", address)}
	case err != nil:
		return nil, exitError{exitNeedDown, fmt.Errorf("cannot listen on %s: set listen under [admin] in askhub.toml to an address of this machine: %w", address, err)}
	}
	return ln, nil
}

// open builds the app over the household's store, its Hub and its projects.
func (c *adminRunCmd) open(ctx context.Context, e *env, cfg *config.Config, db *state, log *slog.Logger) (*admin.App, error) {
	house, err := watchedPeople(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	tokens, err := secrets.OpenLive(cfg.Secrets, e.environ(), adminSecrets(cfg)...)
	if err != nil {
		return nil, err
	}
	if tokens.Token(secrets.CallerVar(config.AdminName)) == "" {
		return nil, fmt.Errorf("HUB_TOKEN_ADMIN is nowhere to be found: \"askhub token new admin\" makes it in %s", cfg.Secrets)
	}
	trust, err := reach.ClientTLS(cfg)
	if err != nil {
		return nil, err
	}
	settings := admin.Config{
		Origin: cfg.AdminOrigin(cfg.Admin.Listen), Store: db.admin(), Household: house.get,
		Address: clientaddress.New(cfg.Proxies()), Now: time.Now, Log: log, Push: newAdminPush(cfg, db.notices, log),
	}
	token := func(name string) func() ask.BearerToken {
		return func() ask.BearerToken { return tokens.Token(name) }
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trust
	settings.Hub = &admin.Remote{
		Name: admin.HubName, Title: "the Hub", URL: reach.URL(cfg, c.Hub), Token: token(secrets.CallerVar(config.AdminName)), HTTP: clientOver(transport),
	}
	for _, name := range cfg.ProjectNames() {
		settings.Projects = append(settings.Projects, &admin.Remote{
			Name: name, Title: strings.ReplaceAll(name, "_", " "), URL: cfg.Projects[name].URL, Token: token(ask.ApprovalTokenVariable(name)), HTTP: clientOver(http.DefaultTransport),
		})
	}
	return admin.New(settings)
}

// clientOver calls the Hub or a project. A token must not follow a redirect to somewhere else.
func clientOver(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// adminSecrets names the secrets of the admin app: its own at the Hub, and those by which it
// tells projects what a person said.
func adminSecrets(cfg *config.Config) []string {
	names := []string{secrets.CallerVar(config.AdminName)}
	for _, name := range cfg.ProjectNames() {
		names = append(names, ask.ApprovalTokenVariable(name))
	}
	return names
}
