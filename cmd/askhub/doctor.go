package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/api"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/project/compass/calendar"
	"github.com/askhub/askhub/internal/reach"
	"github.com/askhub/askhub/internal/unreachable"
)

type doctorCmd struct {
	JSON   bool   `help:"Print the checks as a JSON list."`
	QR     bool   `name:"qr" help:"Print the address for a phone as a QR code, in a pipe too."`
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (doctorCmd) Help() string {
	return "Exits 1 where something is wrong, and 3 where nothing is wrong and a project does not run.\n\nExamples:\n  askhub doctor\n  askhub doctor --config ./home --json\n  askhub doctor --qr"
}

// Run examines the set-up of this config folder.
func (c *doctorCmd) Run(e *env) error {
	dir := c.Config
	if dir == "" {
		dir = config.DefaultDir(e.getenv)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	checks := doctor.Examine(e.ctx, doctor.Setup{
		Dir: dir, Environ: e.environ(), Now: time.Now, Store: checkStore, Server: checkServer,
		Model: tryModel, Models: listModels, Routes: hubRoutes(), Connectors: checkedConnectors(), Network: checkNetwork, Shipped: checkShipped,
		Passkeys: func(_ context.Context, cfg *config.Config) ([]doctor.Enrolled, error) { return enrolledKeys(e, cfg) },
		Calendar: func(ics []byte) error {
			_, err := calendar.Parse(ics)
			return err
		},
	})
	// Half of what a stopped examination says is not so.
	if err := e.ctx.Err(); err != nil {
		return errors.New("stopped before the end")
	}
	if err := c.print(e, checks); err != nil {
		return err
	}
	if !c.JSON {
		if err := c.offerPhone(e, dir); err != nil {
			return err
		}
	}
	switch doctor.VerdictOf(checks) {
	case doctor.Wrong:
		return exitError{exitNot, errors.New("")}
	case doctor.Down:
		return exitError{exitNeedDown, errors.New("")}
	default:
		return nil
	}
}

func (c *doctorCmd) print(e *env, checks []doctor.Check) error {
	if c.JSON {
		raw, err := json.Marshal(checks)
		if err != nil {
			return err
		}
		return printJSON(e.stdout, raw)
	}
	counted := map[doctor.State]int{}
	for _, check := range checks {
		counted[check.State]++
		if _, err := fmt.Fprintln(e.stdout, check); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(e.stdout, "\n%d ok, %d to look at (warn), %d to mend (FAULT)\n", counted[doctor.OK], counted[doctor.Warn], counted[doctor.Fault])
	return err
}

// hubRoutes are the Hub's own, as the proof of unreachability wants them.
func hubRoutes() []unreachable.Route {
	var out []unreachable.Route
	for _, r := range api.Routes() {
		route := unreachable.Route{Method: r.Method, Path: r.Path}
		for holder, may := range map[unreachable.Holder]bool{
			unreachable.WayIn: r.WayIn, unreachable.Admin: r.Admin, unreachable.Browser: r.Browser, unreachable.Project: r.Project, unreachable.Nobody: r.Anyone,
		} {
			if may {
				route.By = append(route.By, holder)
			}
		}
		out = append(out, route)
	}
	return out
}

// offerPhone gives the address for a phone, where there is one.
func (c *doctorCmd) offerPhone(e *env, dir string) error {
	cfg, err := config.Load(dir)
	if err != nil {
		return nil //nolint:nilerr // it stands among the checks
	}
	address := reach.Address(cfg)
	switch {
	case address == "" && c.QR:
		_, err := fmt.Fprintln(e.stdout, "\nThere is no address for a phone: set listen or public_url in askhub.toml, as docs/reach.md says.")
		return err
	case address == "":
		return nil
	case cfg.TLS == config.TLSLocalCA:
		return offerQR(e, "For each phone, once, to trust the local CA; compare the fingerprint above:", address, c.QR)
	}
	return offerQR(e, "For a phone:", address, c.QR)
}
