package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/learn"
	"github.com/askhub/askhub/internal/record"
)

type routingTryCmd struct {
	File         string `arg:"" optional:"" help:"The changed file, which is compared with the routing.md of the config folder. Without it, that routing.md is compared with what was decided at the time."`
	Questions    string `help:"Try the questions of this file, one a line, instead of the record's." type:"path" placeholder:"FILE" xor:"from"`
	Since        int    `help:"How many days of the record are read; 30 if you do not say." placeholder:"DAYS" xor:"from"`
	Capabilities string `help:"What the projects declare, as {\"capabilities\": […]}; without it, the config's projects are read." type:"path" placeholder:"FILE"`
	Config       string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	JSON         bool   `help:"Print what changes as JSON."`
}

// Help is the command's example.
func (routingTryCmd) Help() string {
	return "Nothing is asked of any project, and nothing is saved.\n\nExamples:\n  askhub routing try ./routing-new.md\n  askhub routing try ./routing-new.md --questions sentences.txt --json"
}

// routingTried is what --json prints.
type routingTried struct {
	File string `json:"file"`
	// Asked is how many questions were read, Different how many of them differ.
	Asked     int `json:"asked"`
	Different int `json:"different"`
	// Changed is how many of those would be decided otherwise.
	Changed int           `json:"changed"`
	Groups  []learn.Group `json:"groups"`
	// WithoutText are requests whose words the record does not keep, Continued replies
	// to a question back, Unknown questions of which is not known what the embedded
	// router would have decided then.
	WithoutText int `json:"without_text"`
	Continued   int `json:"continued"`
	Unknown     int `json:"unknown"`
}

// Run decides every past question twice, and says where the two differ.
func (c *routingTryCmd) Run(e *env) error {
	switch {
	case c.Since < 0:
		return exitError{exitUsage, fmt.Errorf("--since %d: give a number of days from 1 on", c.Since)}
	case c.Questions != "" && c.File == "":
		return exitError{exitUsage, errors.New("name the changed file: a file of questions does not say what was decided at the time")}
	}
	dir := c.Config
	if dir == "" {
		dir = config.DefaultDir(e.getenv)
	}
	saved, err := openDryRun(e, dir, "", c.Capabilities)
	if err != nil {
		return err
	}
	out := routingTried{File: c.File, Groups: []learn.Group{}}
	before, after := saved.decide, saved.decide
	if c.File == "" {
		out.File, before = filepath.Join(dir, config.RoutingName), nil
	} else {
		file, _, err := routing.Load(c.File)
		if err != nil {
			return exitError{exitNot, err}
		}
		after = saved.under(file).decide
	}
	past, err := c.past(e, dir)
	if err != nil {
		return err
	}
	groups, unknown := past.Compare(before, after)
	out.Groups = append(out.Groups, groups...)
	for _, g := range groups {
		out.Changed += len(g.Questions)
	}
	out.Asked, out.Different = past.Total(), past.Different()
	out.WithoutText, out.Continued, out.Unknown = past.Untold, past.Continued, unknown
	if c.JSON {
		if err := json.MarshalWrite(e.stdout, &out, jsontext.WithIndent("  ")); err != nil {
			return err
		}
		_, err := fmt.Fprintln(e.stdout)
		return err
	}
	return c.print(e.stdout, out)
}

// past are the questions to try.
func (c *routingTryCmd) past(e *env, dir string) (*learn.Past, error) {
	past := &learn.Past{}
	if c.Questions == "" {
		return past, eachRecord(e, dir, c.Since, past.AddRecord)
	}
	f, err := os.Open(c.Questions)
	if err != nil {
		return nil, exitError{exitNot, fmt.Errorf("--questions: %w", err)}
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 0, 64<<10), 1<<20)
	line := 1
	for ; in.Scan(); line++ {
		past.Add(strings.ToValidUTF8(in.Text(), "\ufffd"))
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, exitError{exitNot, fmt.Errorf("--questions %s: line %d is longer than 1 MB; give one question a line", c.Questions, line)}
	} else if err != nil {
		return nil, exitError{exitNot, fmt.Errorf("--questions %s: line %d: %w", c.Questions, line, err)}
	}
	return past, nil
}

func (c *routingTryCmd) print(w io.Writer, out routingTried) error {
	var b strings.Builder
	for _, g := range out.Groups {
		fmt.Fprintf(&b, "%s → %s: %s\n", g.Before, g.After, counted(len(g.Questions), "question"))
		for _, q := range g.Questions {
			fmt.Fprintf(&b, "  %s", q.Question)
			if q.Times > 1 {
				fmt.Fprintf(&b, "  (%d times)", q.Times)
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s asked, %d different: %d would be decided otherwise.\n", counted(out.Asked, "question"), out.Different, out.Changed)
	if out.WithoutText > 0 {
		fmt.Fprintf(&b, "%s could not be tried: the record keeps no texts of them ([record] text in %s).\n", counted(out.WithoutText, "request"), config.FileName)
	}
	if out.Unknown > 0 {
		fmt.Fprintf(&b, "%s could not be compared: the embedded router did not decide then. Name a changed file to try them.\n", counted(out.Unknown, "question"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// withPast opens the household's record for as long as f runs, beside a running Hub
// too. Nothing kept yet is an error.
func withPast(e *env, dir string, f func(record.Past) error) (err error) {
	cfg, err := loadConfig(e, dir)
	if err != nil {
		return err
	}
	if !storeThere(cfg) {
		return exitError{exitNot, fmt.Errorf("there is no store at %s yet: nothing was asked", cfg.Store)}
	}
	db, err := openStore(e, cfg)
	if err != nil {
		return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
	}
	defer func() { err = errors.Join(err, db.close()) }()
	past, ok := db.records.(record.Past)
	if !ok {
		return fmt.Errorf("the store at %s cannot tell what was asked", cfg.Store)
	}
	return f(past)
}

// eachRecord gives f the record's requests of the last days, the oldest first; 0 days
// are the usual number.
func eachRecord(e *env, dir string, days int, f func(record.Record)) error {
	if days == 0 {
		days = learn.Days
	}
	return withPast(e, dir, func(past record.Past) error {
		return past.Since(e.ctx, learn.From(time.Now(), days), func(r record.Record) error { f(r); return nil })
	})
}
