package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"text/tabwriter"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/secrets"
)

type tokenCmd struct {
	List   tokenListCmd   `cmd:"" help:"Show every token's name and where it comes from, never its value."`
	New    tokenNewCmd    `cmd:"" help:"Make a token and print it once."`
	Rotate tokenRotateCmd `cmd:"" help:"Put a new token in an old one's place and print it once."`
	Revoke tokenRevokeCmd `cmd:"" help:"Take a token out; it is dead within a second."`
}

// tokenName says whose token is meant.
type tokenName struct {
	Name    string `arg:"" help:"The caller (a way in, admin, or a project that notifies)."`
	Project bool   `help:"The token that the Hub presents to the project NAME." xor:"kind"`

	Approval bool `help:"The token that the admin app presents to the project NAME where it approves something there; the Hub never has it." xor:"kind"`

	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

var tokenNameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// variable is its name in the secrets file.
func (n tokenName) variable() (string, error) {
	if !tokenNameForm.MatchString(n.Name) {
		return "", exitError{exitUsage, fmt.Errorf("%q is not a name: small letters, digits and _, a letter first", n.Name)}
	}
	switch {
	case n.Project:
		return secrets.ProjectVar(n.Name), nil
	case n.Approval:
		return ask.ApprovalTokenVariable(n.Name), nil
	}
	return secrets.CallerVar(n.Name), nil
}

// open is what every change starts with.
func (n tokenName) open(e *env) (cfg *config.Config, name string, err error) {
	if name, err = n.variable(); err != nil {
		return nil, "", err
	}
	cfg, err = loadConfig(e, n.Config)
	return cfg, name, err
}

type tokenListCmd struct {
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (tokenListCmd) Help() string { return "Example:\n  askhub token list" }

// Run lists the tokens of all sources.
func (c *tokenListCmd) Run(e *env) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	list, err := secrets.List(cfg.Secrets, e.environ())
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tKIND\tDIGEST\tFROM\tNOTE")
	for _, t := range list {
		kind := "caller"
		switch {
		case t.Project:
			kind = "project"
		case t.Approval:
			kind = "approval"
		}
		note := ""
		switch {
		case t.Fault != nil:
			note = "\tnot taken: too short, or with a character that no header can carry"
		case t.HidesFile:
			note = "\tthe secrets file has another, which does not count"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s%s\n", t.Name, kind, t.Digest.Short(), t.From, note)
	}
	return w.Flush()
}

type tokenNewCmd struct {
	tokenName
}

// Help is the command's example.
func (tokenNewCmd) Help() string {
	return "Examples:\n  askhub token new kitchen\n  askhub token new --project compass_nhs\n  askhub token new --approval internet_control"
}

// Run makes a token where there is none.
func (c *tokenNewCmd) Run(e *env) error {
	cfg, name, err := c.open(e)
	if err != nil {
		return err
	}
	token := secrets.NewToken()
	added, err := secrets.Append(cfg.Secrets, secrets.Pair{Name: name, Token: token})
	if err != nil {
		return err
	}
	if len(added) == 0 {
		return fmt.Errorf("%s is in %s already; `askhub token rotate` gives it a new token", name, cfg.Secrets)
	}
	if err := printToken(e, string(token)); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s is now in %s, and is not shown again.\n", name, cfg.Secrets)
	c.hintConfig(e, cfg)
	return warnHidden(e, cfg, name)
}

// hintConfig says what is still missing before the token is of use.
func (n tokenName) hintConfig(e *env, cfg *config.Config) {
	_, wayIn := cfg.WaysIn[n.Name]
	_, project := cfg.Projects[n.Name]
	switch {
	case (n.Project || n.Approval) && !project:
		fmt.Fprintf(e.stderr, "askhub.toml has no [projects.%s] yet.\n", n.Name)
	case !n.Project && !n.Approval && !wayIn && !project && n.Name != config.AdminName:
		fmt.Fprintf(e.stderr, "askhub.toml has no [ways_in.%s] or [projects.%[1]s] yet; until then it may do nothing.\n", n.Name)
	}
}

type tokenRotateCmd struct {
	tokenName
}

// Help is the command's example.
func (tokenRotateCmd) Help() string { return "Example:\n  askhub token rotate phone" }

// Run replaces a token.
func (c *tokenRotateCmd) Run(e *env) error {
	cfg, name, err := c.open(e)
	if err != nil {
		return err
	}
	token := secrets.NewToken()
	if err := secrets.Replace(cfg.Secrets, secrets.Pair{Name: name, Token: token}); err != nil {
		return notThere(e, cfg, name, err)
	}
	if err := printToken(e, string(token)); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s has a new token in %s, not shown again; a Hub that runs takes it up by itself.\n", name, cfg.Secrets)
	if c.Project {
		fmt.Fprintf(e.stderr, "The project %s must be given it too.\n", c.Name)
	}
	return warnHidden(e, cfg, name)
}

type tokenRevokeCmd struct {
	tokenName
}

// Help is the command's example.
func (tokenRevokeCmd) Help() string { return "Example:\n  askhub token revoke phone" }

// Run takes a token out.
func (c *tokenRevokeCmd) Run(e *env) error {
	cfg, name, err := c.open(e)
	if err != nil {
		return err
	}
	if err := secrets.Remove(cfg.Secrets, name); err != nil {
		return notThere(e, cfg, name, err)
	}
	fmt.Fprintf(e.stderr, "%s is out of %s; a Hub that runs turns it away within a second.\n", name, cfg.Secrets)
	return warnHidden(e, cfg, name)
}

// printToken gives the token alone to standard output, so that a script can take it.
func printToken(e *env, token string) error {
	_, err := fmt.Fprintln(e.stdout, token)
	return err
}

// notThere says where else the token comes from, if anywhere.
func notThere(e *env, cfg *config.Config, name string, err error) error {
	if !errors.Is(err, secrets.ErrNotThere) {
		return err
	}
	if from := sourceOf(e, cfg, name); from != "" {
		return fmt.Errorf("%s comes from the %s and is not in %s; change it there", name, from, cfg.Secrets)
	}
	return fmt.Errorf("%s is not in %s; `askhub token list` shows what is", name, cfg.Secrets)
}

// warnHidden warns where another source wins over the file that was just changed.
func warnHidden(e *env, cfg *config.Config, name string) error {
	switch sourceOf(e, cfg, name) {
	case secrets.FromEnvironment:
		fmt.Fprintf(e.stderr, "Warning: %s also stands in this environment, and the environment wins over the file. "+
			"A Hub that starts with it goes on with that token: run `systemctl --user daemon-reload` (and `unset %s` in a shell) before you start one.\n", name, name)
	case secrets.FromCredential:
		fmt.Fprintf(e.stderr, "Warning: %s is also a systemd credential, which wins over the file; change it there.\n", name)
	}
	return nil
}

// sourceOf is where the token comes from; empty where it is nowhere.
func sourceOf(e *env, cfg *config.Config, name string) secrets.Source {
	list, err := secrets.List(cfg.Secrets, e.environ())
	if err != nil {
		return ""
	}
	i := slices.IndexFunc(list, func(t secrets.Info) bool { return t.Var == name })
	if i < 0 {
		return ""
	}
	return list[i].From
}
