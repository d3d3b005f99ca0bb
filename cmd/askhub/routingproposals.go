package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/learn"
	"github.com/askhub/askhub/internal/record"
)

type routingProposalsCmd struct {
	Drop         string `help:"Leave this proposal out from now on." placeholder:"ID"`
	Since        int    `help:"How many days of the record are read; 30 if you do not say." placeholder:"DAYS"`
	Capabilities string `help:"What the projects declare, as {\"capabilities\": […]}; without it, the config's projects are read." type:"path" placeholder:"FILE"`
	Config       string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	JSON         bool   `help:"Print the proposals as JSON."`
}

// Help is the command's example.
func (routingProposalsCmd) Help() string {
	return "When somebody corrects an answer (\"no, school\"), how they had asked may be a phrasing for routing.md. None is ever added by itself.\n\n" +
		"Examples:\n  askhub routing proposals\n  askhub routing proposals --drop ask_01KEXAMPLE00000000000000000"
}

// routingProposed is what --json prints.
type routingProposed struct {
	Proposals []learn.Proposal `json:"proposals"`
	// WithoutText are requests whose words the record does not keep.
	WithoutText int `json:"without_text"`
}

// Run shows what the record's corrections propose, or drops one of them.
func (c *routingProposalsCmd) Run(e *env) error {
	if c.Since < 0 {
		return exitError{exitUsage, fmt.Errorf("--since %d: give a number of days from 1 on", c.Since)}
	}
	dir := c.Config
	if dir == "" {
		dir = config.DefaultDir(e.getenv)
	}
	dry, err := openDryRun(e, dir, "", c.Capabilities)
	if err != nil {
		return err
	}
	return withPast(e, dir, func(past record.Past) error {
		out, err := c.read(e, past, dry.view)
		if err != nil {
			return err
		}
		switch {
		case c.Drop != "":
			return c.drop(e, past, out)
		case c.JSON:
			if err := json.MarshalWrite(e.stdout, &out, jsontext.WithIndent("  ")); err != nil {
				return err
			}
			_, err := fmt.Fprintln(e.stdout)
			return err
		}
		return out.print(e.stdout)
	})
}

func (c *routingProposalsCmd) read(e *env, past record.Past, view routing.View) (out routingProposed, err error) {
	days := c.Since
	if days == 0 {
		days = learn.Days
	}
	corrections := learn.NewCorrections(view)
	if err := past.Since(e.ctx, learn.From(time.Now(), days), func(r record.Record) error { corrections.Add(r); return nil }); err != nil {
		return out, err
	}
	dropped, err := past.Dropped(e.ctx)
	if err != nil {
		return out, err
	}
	return routingProposed{corrections.Proposals(dropped), corrections.Untold}, nil
}

func (c *routingProposalsCmd) drop(e *env, past record.Past, out routingProposed) error {
	unknown := exitError{exitNot, fmt.Errorf("--drop %s: there is no such proposal; askhub routing proposals lists them", c.Drop)}
	i := slices.IndexFunc(out.Proposals, func(p learn.Proposal) bool { return slices.Contains(p.Records(), c.Drop) })
	if i < 0 {
		return unknown
	}
	err := past.Drop(e.ctx, out.Proposals[i].Records()...)
	if errors.Is(err, record.ErrNotFound) { // removed since it was read
		return unknown
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "Dropped: %q as %s.\n", out.Proposals[i].Question, out.Proposals[i].Meant)
	return err
}

func (out *routingProposed) print(w io.Writer) error {
	var b strings.Builder
	for _, p := range out.Proposals {
		fmt.Fprintf(&b, "%s  %q was corrected with %q on %s", p.ID, p.Question, p.Said, p.Last.Local().Format("2 January"))
		if p.Times > 1 {
			fmt.Fprintf(&b, ", %d times", p.Times)
		}
		b.WriteByte('\n')
		switch {
		case p.Add == "":
		case p.Line > 0:
			fmt.Fprintf(&b, "  in line %d, add this topic to the row of %s:\n    %s\n", p.Line, p.Meant, p.Add)
		default:
			fmt.Fprintf(&b, "  under %q, add this row:\n    %s\n", p.Section, p.Add)
		}
		if p.Note != "" {
			fmt.Fprintf(&b, "  %s\n", p.Note)
		}
	}
	fmt.Fprintf(&b, "%s. Nothing is added by itself; try a changed file with: askhub routing try FILE\n", counted(len(out.Proposals), "proposal"))
	if out.WithoutText > 0 {
		fmt.Fprintf(&b, "%s say nothing: the record keeps no texts of them ([record] text in %s).\n", counted(out.WithoutText, "request"), config.FileName)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
