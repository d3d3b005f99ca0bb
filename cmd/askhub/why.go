package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/askplan"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/record"
)

type whyCmd struct {
	ID     string `arg:"" optional:"" help:"The id of the reply, such as ask_01…"`
	About  string `help:"Instead: everything that is kept about this person." placeholder:"NAME" xor:"what"`
	Forget string `help:"Instead: remove everything that is kept about this person." placeholder:"NAME" xor:"what"`
	JSON   bool   `help:"Print as JSON."`
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (whyCmd) Help() string {
	return "Examples:\n  askhub why ask_01KEXAMPLE00000000000000000\n  askhub why --about harry --json > about-harry.json\n  askhub why --forget harry"
}

// Run shows one record of the Hub that this config folder is about, or what its
// store keeps about a person.
func (c *whyCmd) Run(e *env) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	person := cmp.Or(c.About, c.Forget)
	switch {
	case (c.ID == "") == (person == ""):
		return exitError{exitUsage, errors.New("name one: the id of a reply, --about NAME or --forget NAME")}
	case person != "":
		return c.person(e, cfg, person)
	}
	hub, err := adminClient(e, cfg)
	if err != nil {
		return err
	}
	raw, err := hub.call(e.ctx, http.MethodGet, "/ask/"+url.PathEscape(c.ID), nil)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.stdout, raw)
	}
	var r record.Record
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	return printRecord(e.stdout, &r)
}

// person shows or removes what the store keeps about one person, also one who is not in
// people.toml any more. It reads the store itself, beside a running Hub.
func (c *whyCmd) person(e *env, cfg *config.Config, name string) (err error) {
	house, err := loadPeople(cfg)
	if err != nil {
		return err
	}
	who := ask.Person(name)
	p, unknown := findPerson(house, name)
	if unknown == nil {
		who = p.Name
	}
	if !storeThere(cfg) {
		return exitError{exitNot, fmt.Errorf("there is no store at %s yet: nothing is kept", cfg.Store)}
	}
	db, err := openStore(e, cfg)
	if err != nil {
		return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
	}
	defer func() { err = errors.Join(err, db.close()) }()
	if c.Forget != "" {
		n, err := db.records.Remove(e.ctx, who)
		if err != nil {
			return err
		}
		approvals, err := db.approvals.Forget(e.ctx, string(who))
		if err != nil || n+approvals == 0 && unknown != nil {
			return errors.Join(err, unknown)
		}
		return tellForgotten(e.stdout, who, n, approvals)
	}
	kept, err := db.records.About(e.ctx, who)
	if err != nil {
		return err
	}
	approvals, err := db.approvals.About(e.ctx, string(who))
	if err != nil || len(kept)+len(approvals) == 0 && unknown != nil {
		return errors.Join(err, unknown)
	}
	if c.JSON {
		raw, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		return printJSON(e.stdout, raw)
	}
	for _, r := range kept {
		fmt.Fprintf(e.stdout, "%s  %s  asked by %s about %s: %s (%s)\n", r.ID, r.Time.Local().Format("2006-01-02 15:04"), r.Asker, r.Person, r.Question, r.Status)
	}
	if _, err := fmt.Fprintf(e.stdout, "%s about %s.\n", counted(len(kept), "record"), who); err != nil {
		return err
	}
	return listApprovals(e.stdout, who, approvals)
}

// printDetail shows a catalogue's plan, look-ups and proof.
func printDetail(line func(name, format string, args ...any), d *askplan.Detail) {
	if len(d.Plan) > 0 {
		line("  plan", "%s", d.Plan)
	}
	for _, l := range d.Lookups {
		line("  look-up", "%d %s: %s (%.1f ms) %s", l.Position, l.Tool, l.Outcome, l.MS, l.About)
	}
	for _, s := range d.Proof {
		line("  proof", "%q: %s, look-up %d, %s", s.Words, s.How, s.Position, s.Path)
	}
	if d.Catalogue != "" {
		line("  tools", "%s", d.Catalogue)
	}
}

func printRecord(w io.Writer, r *record.Record) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("asked", "%s by %s through %s, about %s", r.Time.Local().Format("2006-01-02 15:04:05"), r.Asker, r.WayIn, r.Person)
	if r.Question != "" {
		line("question", "%s", r.Question)
	}
	line("status", "%s", r.Status)
	if r.Reply != "" {
		line("reply", "%s", r.Reply)
	}
	line("decided", "%s by %s (%s, confidence %.2f)", r.Decision.Outcome, r.Route.By, r.Route.Reason, r.Decision.Confidence)
	if r.Decision.Why != "" {
		line("because", "%s", r.Decision.Why)
	}
	if len(r.Decision.Words) > 0 {
		line("words", "%s", strings.Join(r.Decision.Words, ", "))
	}
	for _, p := range r.Parts {
		how := fmt.Sprintf("%d ms", p.Took.Milliseconds())
		if p.Remembered {
			how = "from memory"
		}
		line("part", "%s, about %s: %s (%s) %s", p.Project, p.Person, p.Status, how, cmp.Or(p.Answer, p.Reason))
		var detail askplan.Detail
		if json.Unmarshal(p.Data, &detail) == nil {
			printDetail(line, &detail)
		}
	}
	if r.Approval != "" {
		line("approval", "%s", r.Approval)
	}
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	line("took", "%.2f ms: guard %.2f, decide %.2f, dispatch %.2f", ms(r.Timings.Total), ms(r.Timings.Guard), ms(r.Timings.Decide), ms(r.Timings.Dispatch))
	_, err := io.WriteString(w, b.String())
	return err
}
