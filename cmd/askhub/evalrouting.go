package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/internal/eval"
	"github.com/askhub/askhub/internal/people"
)

type evalRoutingCmd struct {
	File         string `arg:"" help:"The JSON Lines file." type:"path"`
	Capabilities string `help:"What the projects declare, as {\"capabilities\": […]}." type:"path" placeholder:"FILE"`
	Routing      string `help:"The routing.md; without it, the config folder's, else the one that ships." type:"path" placeholder:"FILE"`
	Model        bool   `help:"Score the decision with the model of askhub.toml, and what it cost."`
	Decide       string `help:"With --model: model, sure-first or embedded, instead of the config's." placeholder:"HOW"`
	Config       string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	JSON         bool   `help:"Print the scores as JSON."`
}

// Help is the command's example.
func (evalRoutingCmd) Help() string {
	return "Each line is a JSON object, {\"text\": \"any new mail?\", \"decision\": \"route\", \"projects\": [\"email_agent\"]}; the decision is route, fanout, clarify or no_match.\n\nExamples:\n  askhub eval routing sentences.jsonl --capabilities capabilities.json --json\n  askhub eval routing sentences.jsonl --model --decide sure-first"
}

// Run scores the guard and the router together, as the Hub runs them.
func (c *evalRoutingCmd) Run(e *env) error {
	dry, err := openDryRun(e, c.Config, c.Routing, c.Capabilities)
	if err != nil {
		return err
	}
	judge := dry.decide
	var judged *judgedByModel
	if c.Model {
		if judged, err = openJudge(e, dry, c.Config, c.Decide); err != nil {
			return err
		}
		judge = judged.decide
	} else if c.Decide != "" {
		return exitError{exitUsage, errors.New("--decide says how to decide with a model; give --model too")}
	}
	in, err := os.Open(c.File)
	if err != nil {
		return exitError{exitNot, err}
	}
	defer in.Close()
	report, err := eval.Routing(in, judge, dry.people)
	if err != nil {
		return exitError{exitNot, fmt.Errorf("%s: %w", c.File, err)}
	}
	if err := e.ctx.Err(); err != nil {
		return errors.New("stopped before the end")
	}
	if judged != nil {
		report.Model = judged.cost()
	}
	if c.JSON {
		return printReport(e.stdout, &report)
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	row := func(name string, s eval.Sum) { fmt.Fprintf(w, "%s\t%d of %d\t%.3f\n", name, s.Right, s.N, s.Share()) }
	row("right", eval.Sum{N: report.N, Right: report.Right})
	for _, name := range eval.Names(report.BySource) {
		row("  source "+name, report.BySource[name])
	}
	for _, name := range eval.Names(report.ByDecision) {
		row("  "+name, report.ByDecision[name])
	}
	row("person", report.Person)
	fmt.Fprintf(w, "wrong without asking\t\t%.3f\n", report.WrongConfident)
	if m := report.Model; m != nil {
		fmt.Fprintf(w, "answered without the model\t%d of %d\t%.3f\n", report.N-m.Asked, report.N, eval.Sum{N: report.N, Right: report.N - m.Asked}.Share())
		fmt.Fprintf(w, "the model decided\t%d of %d asked\nmilliseconds\t%d usual, %d at most, %d together\n", m.Decided, m.Asked, m.MedianMS, m.SlowestMS, m.TotalMS)
		for _, why := range slices.Sorted(maps.Keys(m.Unused)) {
			fmt.Fprintf(w, "  not used: %s\t%d\n", why, m.Unused[why])
		}
	}
	for _, wrong := range report.Wrong {
		fmt.Fprintf(w, "%s: %q: want %s, got %s (%s)\n", wrong.ID, wrong.Text, wrong.Want, wrong.Got, wrong.Why)
	}
	return w.Flush()
}

type evalPersonCmd struct {
	File string `arg:"" help:"The JSON Lines file." type:"path"`
	JSON bool   `help:"Print the scores as JSON."`
}

// Help is the command's example.
func (evalPersonCmd) Help() string {
	return "Each line is a JSON object, {\"question\": \"what does Harry have on?\", \"asker\": \"sam\", \"routed_people\": [\"harry\", \"emma\"], \"want\": \"harry\"}.\n\nExample:\n  askhub eval person sentences.jsonl --json"
}

// Run scores the person rule. Aliases are none of the file's, so none count.
func (c *evalPersonCmd) Run(e *env) error {
	in, err := os.Open(c.File)
	if err != nil {
		return exitError{exitNot, err}
	}
	defer in.Close()
	report, err := eval.Person(in, (&people.Household{}).Listed)
	if err != nil {
		return exitError{exitNot, fmt.Errorf("%s: %w", c.File, err)}
	}
	if c.JSON {
		return printReport(e.stdout, &report)
	}
	fmt.Fprintf(e.stdout, "firm   %d of %d\ndoubt  %d of %d\n", report.Firm.Right, report.Firm.N, report.Doubt.Right, report.Doubt.N)
	for _, wrong := range report.Wrong {
		if _, err := fmt.Fprintf(e.stdout, "%s: %q: want %s, got %s\n", wrong.ID, wrong.Question, wrong.Want, wrong.Got); err != nil {
			return err
		}
	}
	return nil
}

// printReport prints a report as indented JSON.
func printReport(w io.Writer, report any) error {
	if err := json.MarshalWrite(w, report, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}
