package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/children"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/secrets"
)

// adminChild is the admin app as serve runs it beside the Hub at address, if the config
// wants it and it has a token.
func adminChild(e *env, cfg *config.Config, tokens *secrets.Secrets, address string) ([]children.Child, error) {
	if !cfg.Admin.Serve || !slices.Contains(slices.Collect(maps.Values(tokens.Callers())), config.AdminName) {
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program's own file to start the admin app: %w", err)
	}
	return []children.Child{{
		Name: config.AdminName, Path: self, Output: e.stderr,
		Args: []string{"admin", "run", "--config", cfg.Dir, "--hub", config.Dialable(address), "--with-parent"},
		Env:  func() ([]string, error) { return adminEnv(e, cfg), nil },
	}}, nil
}

// adminEnv is the admin app's whole environment. What it has to know that is secret it
// reads by itself; of what is only in this process's environment, its own lines are passed
// on as they are, and the Hub looks into none of them.
func adminEnv(e *env, cfg *config.Config) []string {
	out := plainEnv(e)
	wanted := append(adminSecrets(cfg), config.StorePassword, "CREDENTIALS_DIRECTORY")
	for _, pair := range e.environ() {
		name, _, _ := strings.Cut(pair, "=")
		if slices.Contains(wanted, name) || cfg.StoreIsServer() && strings.HasPrefix(name, "PG") {
			out = append(out, pair)
		}
	}
	return out
}
