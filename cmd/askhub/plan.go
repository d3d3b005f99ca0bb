package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/plan"
)

type planCmd struct {
	Schema   planSchemaCmd   `cmd:"" help:"Print the JSON Schema of a plan, for a model."`
	Describe planDescribeCmd `cmd:"" help:"Print what a planner reads of the tools."`
	Hash     planHashCmd     `cmd:"" help:"Print the catalogue's hash."`
	Validate planValidateCmd `cmd:"" help:"Judge a plan, and print it normalised."`
}

// planTools is the catalogue that every subcommand reads, as a request would see it
// that holds every permission.
type planTools struct {
	Tools  string `required:"" help:"The catalogue, as {\"tools\": […], \"idKinds\": […]}." type:"path" placeholder:"FILE"`
	Remote bool   `help:"Switch remote tools on."`
}

func (t *planTools) offer() (*plan.Offer, error) {
	doc, err := os.ReadFile(t.Tools)
	if err != nil {
		return nil, exitError{exitUsage, fmt.Errorf("--tools: %w", err)}
	}
	c, err := plan.ParseCatalogue(doc)
	if err != nil {
		return nil, exitError{exitNot, err}
	}
	return c.Offer(plan.Access{Permissions: c.Permissions(), Remote: t.Remote}), nil
}

type planSchemaCmd struct{ planTools }

// Help is the command's example.
func (planSchemaCmd) Help() string { return "Example:\n  askhub plan schema --tools tools.json" }

// Run prints the schema.
func (c *planSchemaCmd) Run(e *env) error {
	o, err := c.offer()
	if err != nil {
		return err
	}
	schema := jsontext.Value(o.Schema())
	if err := schema.Indent(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s\n", schema)
	return err
}

type planDescribeCmd struct{ planTools }

// Help is the command's example.
func (planDescribeCmd) Help() string { return "Example:\n  askhub plan describe --tools tools.json" }

// Run prints the description.
func (c *planDescribeCmd) Run(e *env) error {
	o, err := c.offer()
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.stdout, o.Describe())
	return err
}

type planHashCmd struct{ planTools }

// Help is the command's example.
func (planHashCmd) Help() string { return "Example:\n  askhub plan hash --tools tools.json" }

// Run prints the hash.
func (c *planHashCmd) Run(e *env) error {
	o, err := c.offer()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.stdout, o.Catalogue().Hash())
	return err
}

type planValidateCmd struct {
	planTools
	Plan    string `help:"The plan; without it, standard input." type:"path" placeholder:"FILE"`
	Results string `help:"What the plan's calls found, as {\"results\": […], \"publicIds\": {\"customer\": […]}, \"context\": \"…\"}: the plan is printed with its second round filled from it." type:"path" placeholder:"FILE"`
}

// Help is the command's example.
func (planValidateCmd) Help() string {
	return "Examples:\n  askhub plan validate --tools tools.json --plan plan.json\n" +
		"  askhub plan validate --tools tools.json --results results.json < plan.json"
}

// Run judges the plan.
func (c *planValidateCmd) Run(e *env) error {
	o, err := c.offer()
	if err != nil {
		return err
	}
	reply, err := c.reply(e)
	if err != nil {
		return exitError{exitUsage, err}
	}
	p, err := o.Validate(reply)
	if err != nil {
		return exitError{exitNot, err}
	}
	if c.Results != "" {
		if p, err = c.resolve(e.ctx, o, p); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(e.stdout, "%s\n", p.AppendJSON(nil))
	return err
}

func (c *planValidateCmd) reply(e *env) ([]byte, error) {
	if c.Plan != "" {
		doc, err := os.ReadFile(c.Plan)
		if err != nil {
			return nil, fmt.Errorf("--plan: %w", err)
		}
		return doc, nil
	}
	return io.ReadAll(io.LimitReader(e.stdin, plan.MaxPlanBytes+1))
}

// planResults is what --results holds.
type planResults struct {
	// Results are in the order of the normalised plan's calls; those of round 2 may be
	// left out.
	Results []jsontext.Value `json:"results"`
	// PublicIDs are the app's own ids by kind. Without them there is no id check.
	PublicIDs map[string][]string `json:"publicIds"`
	// Context is what the page that asked is about.
	Context string `json:"context"`
}

// resolve fills the arguments of round 2, or says of each call why not.
func (c *planValidateCmd) resolve(ctx context.Context, o *plan.Offer, p plan.Plan) (plan.Plan, error) {
	doc, err := os.ReadFile(c.Results)
	if err != nil {
		return plan.Plan{}, exitError{exitUsage, fmt.Errorf("--results: %w", err)}
	}
	var given planResults
	if err := json.Unmarshal(doc, &given, json.RejectUnknownMembers(true)); err != nil {
		return plan.Plan{}, exitError{exitNot, fmt.Errorf("--results: %w", err)}
	}
	if len(given.Results) > len(p.Calls) {
		return plan.Plan{}, exitError{exitNot, fmt.Errorf("--results: %d results for %d calls", len(given.Results), len(p.Calls))}
	}
	var wrong []error
	results := make([]plan.Result, len(given.Results))
	for i, doc := range given.Results {
		if results[i], err = o.Catalogue().ParseResult(p.Calls[i].Tool, doc); err != nil {
			results[i] = plan.Result{Outcome: plan.OutcomeFailed}
			wrong = append(wrong, fmt.Errorf("result %d: %w", i+1, err))
		}
	}
	app := plan.Given{Context: given.Context}
	if given.PublicIDs != nil {
		app.IDs = func(_ context.Context, kind, id string) bool {
			if kind != "" {
				return slices.Contains(given.PublicIDs[kind], id)
			}
			for _, ids := range given.PublicIDs {
				if slices.Contains(ids, id) {
					return true
				}
			}
			return false
		}
	}
	for i, call := range p.Calls {
		if call.Round() != 2 {
			continue
		}
		args, err := o.Resolve(ctx, p, i+1, results, app)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("call %d (%s): %w", i+1, call.Tool, err))
			continue
		}
		p.Calls[i].Args = args
	}
	if wrong != nil {
		return plan.Plan{}, exitError{exitNot, errors.Join(wrong...)}
	}
	return p, nil
}
