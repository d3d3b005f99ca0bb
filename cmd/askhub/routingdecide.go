package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/hub/guard"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
)

type routingDecideCmd struct {
	Question     string `arg:"" optional:"" help:"The question; without it, give --lines."`
	Lines        bool   `help:"Read one question a line from standard input, and print one JSON object a line."`
	As           string `help:"Who asks, to see whether they may ask about whom they name." placeholder:"NAME"`
	Routing      string `help:"The routing.md; without it, the config folder's, else the one that ships." type:"path" placeholder:"FILE"`
	Capabilities string `help:"What the projects declare, as {\"capabilities\": […]}; without it, the config's projects are read." type:"path" placeholder:"FILE"`
	Config       string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	JSON         bool   `help:"Print the decision as JSON."`
}

// Help is the command's example.
func (routingDecideCmd) Help() string {
	return "Examples:\n  askhub routing decide \"what does Harry have on today?\"\n  askhub routing decide --lines < questions.txt"
}

// routingDecided is what --json and --lines print.
type routingDecided struct {
	Question   string          `json:"question"`
	Outcome    routing.Outcome `json:"outcome"`
	Projects   []string        `json:"projects"`
	Person     *ask.Person     `json:"person"`
	By         routing.By      `json:"by"`
	Confidence float64         `json:"confidence"`
	Why        string          `json:"why"`
}

// Run says what would be asked, and asks nothing.
func (c *routingDecideCmd) Run(e *env) error {
	if (c.Question == "") != c.Lines {
		return exitError{exitUsage, errors.New("give a question, or --lines and questions on standard input")}
	}
	dry, err := openDryRun(e, c.Config, c.Routing, c.Capabilities)
	if err != nil {
		return err
	}
	if c.As != "" && dry.house != nil && ask.Asker(c.As) != people.Guest {
		if _, ok := dry.house.Find(c.As); !ok {
			return exitError{exitUsage, fmt.Errorf("--as %s: nobody of that name is in people.toml", c.As)}
		}
	}
	if !c.Lines {
		out := c.decide(dry, c.Question)
		if c.JSON {
			return printLine(e, out)
		}
		return printDecided(e, out)
	}
	in := bufio.NewScanner(e.stdin)
	in.Buffer(make([]byte, 0, 64<<10), 1<<20)
	line := 1
	for ; in.Scan(); line++ {
		if err := printLine(e, c.decide(dry, strings.TrimSuffix(in.Text(), "\r"))); err != nil {
			return err
		}
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return exitError{exitNot, fmt.Errorf("standard input: line %d is longer than 1 MB; give one question a line", line)}
	} else if err != nil {
		return exitError{exitNot, fmt.Errorf("standard input: line %d: %w", line, err)}
	}
	return nil
}

func (c *routingDecideCmd) decide(dry *dryRun, question string) routingDecided {
	// What is not UTF-8 cannot be said in JSON, and one such line must not end the others.
	question = strings.ToValidUTF8(question, "\ufffd")
	d := dry.decide(question)
	out := routingDecided{
		Question: question, Outcome: d.Outcome, Projects: d.Projects, By: d.By, Confidence: d.Confidence, Why: d.Reason,
	}
	if out.Projects == nil {
		out.Projects = []string{}
	}
	if d.Outcome == routing.OutcomeRefused {
		return out
	}
	named := dry.people(question, d.Projects)
	for _, project := range d.Projects {
		if p := named[project]; p != "" {
			out.Person = &p
			break
		}
	}
	if c.As != "" && dry.house != nil && out.Person != nil && !dry.house.MayAsk(ask.Asker(c.As), *out.Person) {
		out.Why += fmt.Sprintf("; %s may not ask about %s", c.As, *out.Person)
	}
	return out
}

func printLine(e *env, out routingDecided) error {
	line, err := json.Marshal(&out)
	if err != nil {
		return err
	}
	_, err = e.stdout.Write(append(line, '\n'))
	return err
}

func printDecided(e *env, out routingDecided) error {
	text := string(out.Outcome)
	if len(out.Projects) > 0 {
		text += " " + strings.Join(out.Projects, ", ")
	}
	if out.Person != nil {
		text += " about " + string(*out.Person)
	}
	_, err := fmt.Fprintf(e.stdout, "%s (%s, %s, confidence %.2f)\n", text, out.By, out.Why, out.Confidence)
	return err
}

// dryRun is the Hub's first two stages, and nothing behind them.
type dryRun struct {
	guard  *guard.Guard
	router *decide.Embedded
	view   routing.View
	// house is nil where there is no people.toml.
	house *people.Household
}

// openDryRun reads what the Hub would decide by. Each file that is not named comes
// from the config folder, where there is one.
func openDryRun(e *env, dir, routingFile, capabilitiesFile string) (*dryRun, error) {
	if dir == "" {
		dir = config.DefaultDir(e.getenv)
	}
	dry := &dryRun{}
	var err error
	if dry.view.File, err = dryRouting(dir, routingFile); err != nil {
		return nil, err
	}
	if dry.house, err = dryPeople(dir); err != nil {
		return nil, err
	}
	if dry.view.Capabilities, err = dryCapabilities(e, dir, capabilitiesFile); err != nil {
		return nil, err
	}
	return dry.under(dry.view.File), nil
}

// under is the same household with another routing.md.
func (d *dryRun) under(file *routing.File) *dryRun {
	dry := &dryRun{house: d.house, view: routing.View{File: file, Capabilities: d.view.Capabilities}}
	var names []string
	if dry.house != nil {
		for _, p := range dry.house.People() {
			names = append(append(names, string(p.Name)), p.Aliases...)
		}
	}
	for _, c := range dry.view.Capabilities {
		for _, p := range c.People {
			names = append(names, string(p))
		}
	}
	dry.guard = guard.New(file, names)
	dry.router = decide.NewEmbedded(dry.view)
	return dry
}

func dryRouting(dir, path string) (*routing.File, error) {
	if path == "" {
		path = filepath.Join(dir, config.RoutingName)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			file, _ := routing.Parse(config.RoutingName, routing.Default())
			return file, nil
		}
	}
	file, _, err := routing.Load(path)
	if err != nil {
		return nil, exitError{exitNot, err}
	}
	return file, nil
}

func dryPeople(dir string) (*people.Household, error) {
	path := filepath.Join(dir, config.PeopleName)
	src, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, exitError{exitNot, err}
	}
	house, err := people.Parse(path, src)
	if err != nil {
		return nil, exitError{exitNot, err}
	}
	return house, nil
}

// dryCapabilities are the file's, else those that the config's projects declare now.
func dryCapabilities(e *env, dir, path string) ([]ask.Capabilities, error) {
	if path != "" {
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, exitError{exitNot, err}
		}
		var doc struct {
			Capabilities []ask.Capabilities `json:"capabilities"`
		}
		if err := json.Unmarshal(src, &doc); err != nil {
			return nil, exitError{exitNot, fmt.Errorf("%s: %w; write it as {\"capabilities\": […]}", path, err)}
		}
		return doc.Capabilities, nil
	}
	if _, err := os.Stat(filepath.Join(dir, config.FileName)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	cfg, err := loadConfig(e, dir)
	if err != nil {
		return nil, err
	}
	if len(cfg.Projects) == 0 {
		return nil, nil
	}
	quiet := slog.New(slog.DiscardHandler)
	tokens, err := openSecrets(e, cfg, quiet)
	if err != nil {
		return nil, err
	}
	projects := registry.New(targets(cfg, tokens), quiet)
	projects.Once(e.ctx)
	return projects.Capabilities(), nil
}

// decide is the guard, and behind it the embedded router.
func (d *dryRun) decide(question string) routing.Decision {
	if d.guard.Check(question).Refused {
		return routing.Decision{Outcome: routing.OutcomeRefused, By: routing.ByGuard, Confidence: 1, Reason: "high_consequence_control"}
	}
	return d.router.Decide(question)
}

// people is whom each project would be asked about; nobody where the question
// names nobody of its list, or two of them.
func (d *dryRun) people(question string, projects []string) map[string]ask.Person {
	named := make(map[string]ask.Person, len(projects))
	for _, project := range projects {
		named[project] = people.Match(question, d.listed(d.view.People(project))).Person
	}
	return named
}

// listed gives a list the aliases of people.toml, where there is one.
func (d *dryRun) listed(list []ask.Person) []people.Listed {
	house := d.house
	if house == nil {
		house = &people.Household{}
	}
	return house.Listed(list)
}
