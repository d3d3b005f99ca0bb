package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/wholefile"
)

type projectAddCmd struct {
	URL      string `arg:"" help:"The project's address, such as http://127.0.0.1:8422."`
	Name     string `help:"The project's name: the Hub uses the token that it has for it, or makes one." placeholder:"NAME"`
	TokenEnv string `name:"token-env" help:"The environment variable that holds the project's token." placeholder:"VARIABLE"`
	Write    bool   `help:"Write its row into routing.md instead of showing it."`
	Config   string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (projectAddCmd) Help() string {
	return "Asks the project what it knows, gives it its tokens and its place in askhub.toml, and proposes its row of routing.md. " +
		"Where nobody has a token yet, it makes one and prints it once: give it to the project, start that, and run the same command again.\n\n" +
		"Examples:\n  askhub project add http://127.0.0.1:8422 --name email_agent --write\n  askhub project add http://127.0.0.1:8422 --token-env EMAIL_TOKEN"
}

// newProject is a project that is being added.
type newProject struct {
	name  string
	url   string
	token ask.BearerToken
	caps  ask.Capabilities
}

// Run looks at everything first, so that a fault leaves every file as it was.
func (c *projectAddCmd) Run(e *env) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	p := &newProject{name: c.Name}
	if p.url, err = projectAddress(c.URL); err != nil {
		return exitError{exitUsage, err}
	}
	if err := p.known(cfg); err != nil {
		return err
	}
	if p.token, err = c.token(e, cfg, p.name); err != nil {
		return err
	}
	if p.token == "" {
		return p.makeToken(e, cfg)
	}
	if err := p.introduce(e.ctx); err != nil {
		return err
	}
	if err := p.known(cfg); err != nil {
		return err
	}
	pairs, err := p.tokens(e, cfg)
	if err != nil {
		return err
	}
	settings, err := p.settings(cfg)
	if err != nil {
		return err
	}
	row, err := p.row(cfg)
	if err != nil {
		return err
	}
	if c.Write && row.unfit != nil {
		return fmt.Errorf("%w; write it by hand: %s", row.unfit, row.text)
	}
	write := c.Write && row.text != ""
	if _, configured := cfg.Projects[p.name]; configured && len(pairs) == 0 && row.text == "" {
		return fmt.Errorf("%s is configured already at %s, and nothing is left to do", p.name, p.url)
	}

	p.greet(e)
	if len(pairs) > 0 {
		added, err := secrets.Append(cfg.Secrets, pairs...)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "Done: %s in %s\n", strings.Join(added, " and "), cfg.Secrets)
	}
	if settings.new != nil {
		if err := settings.replace(); err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "Done: [projects.%s] in %s\n", p.name, settings.path)
	}
	if write {
		if err := row.file.replace(); err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "Done: its row in line %d of %s\n", row.line, row.file.path)
	}
	row.tell(e, write)
	if settings.new != nil {
		fmt.Fprintln(e.stdout, `Left to do: restart "askhub serve", which reads askhub.toml at its start.`)
	}
	if slices.ContainsFunc(pairs, func(pair secrets.Pair) bool { return pair.Name == secrets.CallerVar(p.name) }) {
		fmt.Fprintf(e.stdout, "Left to do: if the project sends notices, give it %s from the secrets file.\n", secrets.CallerVar(p.name))
	}
	return nil
}

// projectAddress is the address as askhub.toml has it.
func projectAddress(s string) (string, error) {
	s = strings.TrimRight(s, "/")
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", errors.New(`the address must be like "http://127.0.0.1:8422"`)
	case u.User != nil:
		return "", errors.New("the address must hold no user name or password; a project takes its token")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(s, "#"):
		return "", errors.New("the address must have no ? and no # part; askhub adds /ask and the like itself")
	}
	return s, nil
}

// known takes the name from the config where it has this address, and refuses what
// the config has under another one.
func (p *newProject) known(cfg *config.Config) error {
	for _, name := range cfg.ProjectNames() {
		if cfg.Projects[name].URL != p.url {
			continue
		}
		if p.name == "" {
			p.name = name
		}
		if p.name != name {
			return fmt.Errorf("%s is the address of %s in askhub.toml already; each project has its own", p.url, name)
		}
	}
	if p.name == "" {
		return nil // its capabilities will say
	}
	if !tokenNameForm.MatchString(p.name) {
		return fmt.Errorf("%q cannot be a project's name: small letters, digits and _, a letter first (its token's name is made from it); rename the project", p.name)
	}
	_, wayIn := cfg.WaysIn[p.name]
	if wayIn || p.name == config.AdminName {
		return fmt.Errorf("%s is the name of a way in already, and both would share %s; rename the project", p.name, secrets.CallerVar(p.name))
	}
	if has, ok := cfg.Projects[p.name]; ok && has.URL != p.url {
		return fmt.Errorf("%s is configured already, at %s; mend its url in askhub.toml if it has moved", p.name, has.URL)
	}
	return nil
}

// token is what the project is asked with; empty where there is none yet.
func (c *projectAddCmd) token(e *env, cfg *config.Config, name string) (ask.BearerToken, error) {
	if c.TokenEnv != "" {
		token := ask.BearerToken(e.getenv(c.TokenEnv))
		if err := token.Check(); err != nil {
			return "", exitError{exitUsage, fmt.Errorf("%s: %w", c.TokenEnv, err)}
		}
		return token, nil
	}
	if name == "" {
		return "", exitError{exitUsage, errors.New("say --name NAME, and the Hub uses or makes PROJECT_TOKEN_<NAME>; or say --token-env VARIABLE where the project has a token already")}
	}
	variable := secrets.ProjectVar(name)
	found, err := secrets.Lookup(cfg.Secrets, e.environ(), variable)
	return ask.BearerToken(found[variable]), err
}

// makeToken is all that can be done for a project that has no token yet.
func (p *newProject) makeToken(e *env, cfg *config.Config) error {
	token := secrets.NewToken()
	variable := secrets.ProjectVar(p.name)
	if _, err := secrets.Append(cfg.Secrets, secrets.Pair{Name: variable, Token: token}); err != nil {
		return err
	}
	if err := printToken(e, string(token)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.stderr, "This is %s, now in %s, and it is not shown again.\n"+
		"Give it to the project, start that at %s, and run the same command again.\n", variable, cfg.Secrets, p.url)
	return err
}

// introduce asks the project who it is.
func (p *newProject) introduce(ctx context.Context) error {
	client := askclient.New(askclient.Config{URL: p.url, Token: p.token})
	defer client.Close()
	err := client.Health(ctx)
	if err == nil {
		p.caps, err = client.Capabilities(ctx)
	}
	switch {
	case err == nil:
	case errors.Is(err, askclient.ErrDown), errors.Is(err, askclient.ErrSlow):
		return exitError{exitNeedDown, fmt.Errorf("%w at %s; start it, and run the same command again", err, p.url)}
	case errors.Is(err, askclient.ErrRefused):
		return fmt.Errorf("%w; start it with the token that the Hub has for it, or name the project's own with --token-env", err)
	case errors.Is(err, askclient.ErrNonsense):
		return fmt.Errorf("what answers at %s is not a project (%w); \"askhub check\" tells what is missing", p.url, err)
	default:
		return err
	}
	if p.name != "" && p.name != p.caps.Project {
		return fmt.Errorf("the project calls itself %s and not %s; say --name %s", p.caps.Project, p.name, p.caps.Project)
	}
	if len(p.caps.Topics) == 0 {
		return fmt.Errorf("%s declares no topics, so no question could reach it; let its capabilities name some", p.caps.Project)
	}
	p.name = p.caps.Project
	return nil
}

// greet says what the project said of itself.
func (p *newProject) greet(e *env) {
	about := ""
	if len(p.caps.People) > 0 {
		names := make([]string, len(p.caps.People))
		for i, person := range p.caps.People {
			names[i] = string(person)
		}
		about = "; it knows about " + strings.Join(names, ", ")
	}
	fmt.Fprintf(e.stdout, "%s answers at %s: %s%s\n", p.name, p.url, strings.Join(p.caps.Topics, ", "), about)
}

// tokens are those that the secrets lack: the project's, and the one with which it
// notifies the Hub.
func (p *newProject) tokens(e *env, cfg *config.Config) ([]secrets.Pair, error) {
	list, err := secrets.List(cfg.Secrets, e.environ())
	if err != nil {
		return nil, err
	}
	pairs := []secrets.Pair{
		{Name: secrets.ProjectVar(p.name), Token: p.token},
		{Name: secrets.CallerVar(p.name), Token: secrets.NewToken()},
	}
	for _, t := range list {
		mine, same := t.Var == pairs[0].Name, t.Digest == secrets.DigestOf(string(p.token))
		switch {
		case mine && (!same || t.HidesFile):
			return nil, fmt.Errorf("the secrets have another token as %s; take that out with \"askhub token revoke\", or give it to the project", t.Var)
		case same && !mine:
			return nil, fmt.Errorf("the project's token is that of %s too; give each its own", t.Var)
		}
	}
	// A token that stands in the environment alone is gone with it.
	return slices.DeleteFunc(pairs, func(pair secrets.Pair) bool {
		return slices.ContainsFunc(list, func(t secrets.Info) bool {
			return t.Var == pair.Name && (t.From != secrets.FromEnvironment || inFile(cfg, t.Var))
		})
	}), nil
}

// inFile is whether the secrets file itself has the variable.
func inFile(cfg *config.Config, variable string) bool {
	found, err := secrets.Lookup(cfg.Secrets, nil, variable)
	return err == nil && found[variable] != ""
}

// change is a file's new text. None is no change.
type change struct {
	path     string
	old, new []byte
}

// settings is askhub.toml with the project at its end, read back before it counts.
func (p *newProject) settings(cfg *config.Config) (change, error) {
	if _, ok := cfg.Projects[p.name]; ok {
		return change{}, nil
	}
	path := filepath.Join(cfg.Dir, config.FileName)
	old, err := readFile(path)
	if err != nil {
		return change{}, err
	}
	text := bytes.Clone(old)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	text = fmt.Appendf(text, "\n[projects.%s]\nurl = %q\n", p.name, p.url)
	trial, err := os.MkdirTemp("", "askhub-")
	if err != nil {
		return change{}, err
	}
	defer os.RemoveAll(trial)
	if err := os.WriteFile(filepath.Join(trial, config.FileName), text, 0o600); err != nil {
		return change{}, err
	}
	read, err := config.Load(trial)
	if err == nil && read.Projects[p.name].URL != p.url {
		err = errors.New("it is not read back as it was written")
	}
	if err != nil {
		return change{}, fmt.Errorf("askhub.toml does not take [projects.%s] at its end; write it by hand: %s", p.name, strings.ReplaceAll(err.Error(), trial, cfg.Dir))
	}
	return change{path, old, text}, nil
}

// replace puts the new text in place in one step, unless somebody else was faster.
func (c change) replace() error {
	path, err := filepath.EvalSymlinks(c.path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	err = wholefile.Replace(path, c.new, func(file string) error {
		if err := os.Chmod(file, info.Mode().Perm()); err != nil {
			return err
		}
		if now, err := readFile(path); err != nil || !bytes.Equal(now, c.old) {
			return fmt.Errorf("%s was changed in the meantime; run the same command again", c.path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// rowChange is the project's row of routing.md.
type rowChange struct {
	// text is the row; empty where the file has one already.
	text string
	// line is where it goes, or where the one that is there stands.
	line int
	file change
	// unfit is why it cannot be written by itself.
	unfit error
	// notes are what a person should know about the row.
	notes []routing.Problem
}

// row is the project's row in the file as it stands.
func (p *newProject) row(cfg *config.Config) (rowChange, error) {
	path := cfg.RoutingPath()
	src, err := readFile(path)
	if err != nil {
		return rowChange{}, err
	}
	file, problems := routing.Parse(config.RoutingName, src)
	if file == nil {
		return rowChange{}, &routing.FaultError{Path: path, Problems: problems}
	}
	if d, ok := file.Find(p.name); ok {
		if d.Kind != routing.KindQuery {
			return rowChange{}, fmt.Errorf("routing.md line %d has %s as a %s, and a project that answers is a query; mend the row first", d.Line, p.name, d.Kind)
		}
		return rowChange{line: d.Line, notes: at(d.Line, routing.Lint(file, []ask.Capabilities{p.caps}))}, nil
	}
	return p.newRow(path, src, file), nil
}

// newRow writes the row into a copy of the file and reads it back.
func (p *newProject) newRow(path string, src []byte, file *routing.File) rowChange {
	cells := map[string]string{
		"topic": strings.Join(p.caps.Topics, ", "), "project": "`" + p.name + "`", "kind": "query `/ask`", "status": "active service",
	}
	plainRow := rowChange{text: "| " + strings.Join([]string{cells["topic"], cells["project"], cells["kind"], cells["status"]}, " | ") + " |"}
	table, ok := endOfTable(src, file)
	if !ok {
		plainRow.unfit = errors.New("routing.md's topic map has no row that a new one could follow")
		return plainRow
	}
	row := rowChange{text: table.row(cells), line: table.line}
	row.file = change{path, src, table.insert(src, row.text)}
	next, problems := routing.Parse(config.RoutingName, row.file.new)
	if next == nil {
		plainRow.unfit = fmt.Errorf("routing.md would not be good with this row (%s)", firstError(problems))
		return plainRow
	}
	d, ok := next.Find(p.name)
	whole := len(next.Destinations) == len(file.Destinations)+1 && len(next.Overlaps) == len(file.Overlaps) && len(next.NeverRoute) == len(file.NeverRoute)
	if !ok || !whole || d.Kind != routing.KindQuery || d.Placeholder || !slices.Equal(d.Topics, p.caps.Topics) {
		plainRow.unfit = errors.New("the row would not be read as it is meant, perhaps for a comma in a topic")
		return plainRow
	}
	row.notes = at(d.Line, problems)
	return row
}

func firstError(problems []routing.Problem) string {
	for _, p := range problems {
		if p.Severity == routing.Error {
			return fmt.Sprintf("line %d: %s", p.Line, p.Message)
		}
	}
	return ""
}

// at are the problems of that line.
func at(line int, problems []routing.Problem) []routing.Problem {
	return slices.DeleteFunc(problems, func(p routing.Problem) bool { return p.Line != line })
}

// tell says what became of the row, and what a person should look at.
func (r rowChange) tell(e *env, written bool) {
	switch {
	case r.text == "":
		fmt.Fprintf(e.stdout, "Kept: routing.md has its row already, in line %d\n", r.line)
	case r.unfit != nil:
		fmt.Fprintf(e.stdout, "Left to do: put its row into the topic map in routing.md by hand (%v):\n  %s\n", r.unfit, r.text)
	case !written:
		fmt.Fprintf(e.stdout, "Left to do: put its row into line %d of routing.md, or run the same command with --write:\n  %s\n", r.line, r.text)
	}
	for _, n := range r.notes {
		fmt.Fprintf(e.stdout, "Look at it: routing.md line %d: %s\n", n.Line, n.Message)
	}
}
