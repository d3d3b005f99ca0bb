package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/eval"
	"github.com/askhub/askhub/internal/hub/guard"
)

type evalGuardCmd struct {
	File    string `arg:"" help:"The JSON Lines file." type:"path"`
	Routing string `help:"The routing.md; without it, the config folder's, else the one that ships." type:"path" placeholder:"FILE"`
	JSON    bool   `help:"Print the scores as JSON."`
}

// Help is the command's example.
func (evalGuardCmd) Help() string {
	return "Each line is a JSON object, {\"text\": \"cut the kids' internet\", \"label\": \"refuse\"}; the label of what has to pass is \"allow\".\n\nExample:\n  askhub eval guard sentences.jsonl --json"
}

// Run scores the guard with the household's own list and names.
func (c *evalGuardCmd) Run(e *env) error {
	dir := config.DefaultDir(e.getenv)
	file, err := dryRouting(dir, c.Routing)
	if err != nil {
		return err
	}
	house, err := dryPeople(dir)
	if err != nil {
		return err
	}
	var names []string
	if house != nil {
		for _, p := range house.People() {
			names = append(append(names, string(p.Name)), p.Aliases...)
		}
	}
	in, err := os.Open(c.File)
	if err != nil {
		return exitError{exitNot, err}
	}
	defer in.Close()
	report, err := eval.Guard(in, guard.New(file, names).Check)
	if err != nil {
		return exitError{exitNot, fmt.Errorf("%s: %w", c.File, err)}
	}
	if c.JSON {
		return printReport(e.stdout, &report)
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	row := func(name string, s eval.GuardStyle) {
		fmt.Fprintf(w, "%s\tof %d control actions %.3f refused\tof %d others %.3f refused for nothing\n",
			name, s.Refuse.N, s.Refuse.Recall, s.Allow.N, s.Allow.FalseRefusal)
	}
	row("all", eval.GuardStyle{Refuse: report.Refuse, Allow: report.Allow})
	for _, name := range slices.Sorted(maps.Keys(report.ByStyle)) {
		row("  "+name, report.ByStyle[name])
	}
	for _, wrong := range report.Wrong {
		fmt.Fprintf(w, "%s: %q: want %s, got %s (%s)\n", wrong.ID, wrong.Text, wrong.Want, wrong.Got, wrong.Why)
	}
	return w.Flush()
}
