package main

import (
	"context"
	"fmt"
	"os"

	"github.com/askhub/askhub/internal/children"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/secrets"
)

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

// plainEnv is what any process needs to run, without a secret.
func plainEnv(e *env) []string {
	var out []string
	for _, key := range []string{"PATH", "HOME", "TZ", "LANG", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "ZONEINFO", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if v := e.getenv(key); v != "" {
			out = append(out, key+"="+v)
		}
	}
	return out
}

// childEnv is a child's whole environment: what a process needs to run, and the
// secrets that this project names.
func childEnv(e *env, cfg *config.Config, run, name string) ([]string, error) {
	out := plainEnv(e)
	wanted := append([]string{secrets.ProjectVar(name)}, projectSecrets(cfg, run)...)
	if run == internetRun { // it reads its other secrets itself: they are never in this process
		out = append(out, internetEnv(e)...)
	}
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
	use := map[string]config.ByModel{"compass": cfg.Compass.ByModel, "email": cfg.Email.ByModel}[run]
	if use.Any() {
		add(cfg.Model.KeyEnv)
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
