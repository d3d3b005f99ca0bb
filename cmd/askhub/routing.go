package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/hub/routing"
)

type routingCheckCmd struct {
	File   string `arg:"" optional:"" help:"The file; without it, the routing.md of the config folder."`
	Config string `help:"The config folder, by default ~/.config/askhub. Where it names projects, the file is compared with what they declare now." type:"path" placeholder:"DIR"`
	JSON   bool   `help:"Print the problems as JSON."`
}

// Help is the command's example.
func (routingCheckCmd) Help() string {
	return "Examples:\n  askhub routing check\n  askhub routing check ./routing.md --json"
}

// routingChecked is what --json prints.
type routingChecked struct {
	File string `json:"file"`
	// OK is whether the Hub takes the file.
	OK       bool              `json:"ok"`
	Problems []routing.Problem `json:"problems"`
	// NotCompared are the configured projects that did not say what they declare.
	NotCompared []string `json:"not_compared"`
}

// Run names every problem of the file.
func (c *routingCheckCmd) Run(e *env) error {
	dir := c.Config
	if dir == "" {
		dir = config.DefaultDir(e.getenv)
	}
	out := routingChecked{File: c.File, Problems: []routing.Problem{}, NotCompared: []string{}}
	if out.File == "" {
		out.File = filepath.Join(dir, config.RoutingName)
	}
	file, problems, err := routing.Load(out.File)
	var fault *routing.FaultError
	if err != nil && !errors.As(err, &fault) {
		return exitError{exitNot, err}
	}
	out.OK = err == nil
	out.Problems = append(out.Problems, problems...)
	if file != nil {
		more, silent, err := lintLive(e, dir, file)
		if err != nil { // the file itself is checked all the same
			fmt.Fprintf(e.stderr, "the file was not compared with the projects: %v\n", err)
		}
		out.Problems, out.NotCompared = append(out.Problems, more...), append(out.NotCompared, silent...)
		slices.SortStableFunc(out.Problems, func(a, b routing.Problem) int { return a.Line - b.Line })
	}
	if err := c.print(e, out, file); err != nil {
		return err
	}
	if !out.OK {
		return exitError{exitNot, errors.New("")} // everything has been said
	}
	return nil
}

func (c *routingCheckCmd) print(e *env, out routingChecked, file *routing.File) error {
	if c.JSON {
		if err := json.MarshalWrite(e.stdout, &out, jsontext.WithIndent("  ")); err != nil {
			return err
		}
		_, err := fmt.Fprintln(e.stdout)
		return err
	}
	for _, p := range out.Problems {
		fmt.Fprintf(e.stdout, "%s:%d: %s: %s\n", out.File, p.Line, p.Severity, p.Message)
	}
	for _, name := range out.NotCompared {
		fmt.Fprintf(e.stderr, "%s was not compared: it does not answer as it should (askhub doctor says why)\n", name)
	}
	if len(out.Problems) == 0 {
		fmt.Fprintf(e.stdout, "%s is fine: %d destinations, %d overlaps, %d control actions\n",
			out.File, len(file.Destinations), len(file.Overlaps), len(file.NeverRoute))
	}
	return nil
}

// lintLive compares the file with what the projects of the config folder declare
// now. Without a config there there is nothing to compare with. The projects that
// do not answer are silent.
func lintLive(e *env, dir string, file *routing.File) (problems []routing.Problem, silent []string, err error) {
	if _, err := os.Stat(filepath.Join(dir, config.FileName)); errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	cfg, err := loadConfig(e, dir)
	if err != nil {
		return nil, nil, err
	}
	if len(cfg.Projects) == 0 {
		return nil, nil, nil
	}
	tokens, err := openSecrets(e, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	projects := registry.New(targets(cfg, tokens), slog.New(slog.DiscardHandler))
	projects.Once(e.ctx)
	for _, s := range projects.States() {
		if !s.Up {
			silent = append(silent, s.Project)
		}
	}
	return routing.Lint(file, projects.Capabilities()), silent, nil
}
