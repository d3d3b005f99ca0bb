package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/project/compass/calendar"
	"github.com/askhub/askhub/internal/store/sqlite"
)

type doctorCmd struct {
	JSON   bool   `help:"Print the checks as a JSON list."`
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (doctorCmd) Help() string {
	return "Exits 1 where something is wrong, and 3 where nothing is wrong and a project does not run.\n\nExamples:\n  askhub doctor\n  askhub doctor --config ./home --json"
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
		Dir: dir, Environ: e.environ(), Now: time.Now, Store: checkStore,
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

// checkStore reads the whole store in the doctor's words.
func checkStore(ctx context.Context, path string) error {
	err := sqlite.Check(ctx, path)
	switch {
	case errors.Is(err, sqlite.ErrLocked):
		return doctor.ErrStoreBusy
	case errors.Is(err, sqlite.ErrNotStore):
		return doctor.ErrStoreDamaged
	}
	return err
}
