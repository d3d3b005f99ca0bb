package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/secrets"
)

type initCmd struct {
	Dir     string `arg:"" optional:"" type:"path" help:"The config folder. By default ~/.config/askhub."`
	Secrets string `type:"path" placeholder:"FILE" help:"The secrets file. By default ~/.config/environment.d/10-secrets.conf."`

	LocalCA   bool   `name:"local-ca" help:"Make a CA that phones install, so that they reach the Hub over TLS. A new askhub.toml then listens on every address."`
	PublicURL string `name:"public-url" placeholder:"URL" help:"The address that people will type, such as https://askhub.home:8420."`
	QR        bool   `name:"qr" help:"Print the address for a phone as a QR code, in a pipe too."`
}

// Help is the command's example.
func (initCmd) Help() string {
	return "What is there already is kept.\n\nExamples:\n  askhub init\n  askhub init --local-ca --public-url https://askhub.home:8420\n  askhub init ./home --secrets ./home/secrets.conf"
}

// firstWayIn is the way in that a new household starts with.
const firstWayIn = "phone"

// newFile is a file that init writes where there is none.
type newFile struct {
	name, what string
	text       []byte
}

// Run writes what a household needs to serve, all of it or nothing.
func (c *initCmd) Run(e *env) error {
	dir, secretsFile, err := c.places(e)
	if err != nil {
		return err
	}
	// Whatever is wrong with the secrets file shows before anything is written.
	if _, err := secrets.List(secretsFile, e.environ()); err != nil {
		return err
	}
	ca, err := c.localCA(dir)
	if err != nil {
		return err
	}
	files := append([]newFile{
		{config.FileName, "the Hub's settings", c.settings(e, secretsFile)},
		{config.RoutingName, "who answers what", routing.Default()},
		{config.PeopleName, "who lives here", people.Default()},
	}, ca...)
	written, undo, err := writeNew(dir, files)
	if err != nil {
		return errors.Join(err, undo())
	}
	cfg, err := config.Load(dir)
	if err != nil {
		return errors.Join(err, undo())
	}
	pairs := []secrets.Pair{
		{Name: secrets.CallerVar(config.AdminName), Token: secrets.NewToken()},
		{Name: secrets.CallerVar(firstWayIn), Token: secrets.NewToken()},
	}
	added, err := secrets.Append(secretsFile, pairs...)
	if err != nil {
		return errors.Join(err, undo())
	}
	if err := c.tell(e, dir, secretsFile, files, written, added); err != nil || !c.LocalCA {
		return err
	}
	return c.tellCA(e, cfg)
}

// places are the config folder and the secrets file.
func (c *initCmd) places(e *env) (dir, secretsFile string, err error) {
	if e.getenv("HOME") == "" && (c.Dir == "" || c.Secrets == "") {
		return "", "", exitError{exitUsage, errors.New("HOME is not set; name the folder and the file: askhub init DIR --secrets FILE")}
	}
	dir, secretsFile = c.Dir, c.Secrets
	if dir == "" {
		dir = config.DefaultDir(e.getenv)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}
	if secretsFile == "" {
		secretsFile = config.DefaultSecrets(e.getenv)
	} else if secretsFile, err = filepath.Abs(secretsFile); err != nil {
		return "", "", err
	}
	// A config that is there says itself where its secrets are.
	cfg, err := config.Load(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dir, secretsFile, nil
	case err != nil:
		return "", "", err
	case c.Secrets != "" && cfg.Secrets != secretsFile:
		return "", "", fmt.Errorf("%s is there already and names another secrets file, %s; leave --secrets out, or change it there", filepath.Join(dir, config.FileName), cfg.Secrets)
	case c.PublicURL != "" && cfg.PublicURL != "" && cfg.PublicURL != c.PublicURL:
		return "", "", fmt.Errorf("%s is there already and names another public_url, %s; leave --public-url out, or change it there", filepath.Join(dir, config.FileName), cfg.PublicURL)
	}
	return dir, cfg.Secrets, nil
}

// writeNew writes those of the files that are not there. undo takes all of it back.
func writeNew(dir string, files []newFile) (written map[string]bool, undo func() error, err error) {
	written = map[string]bool{}
	var made []string // in the order of their making
	undo = func() error {
		var all []error
		for i := len(made) - 1; i >= 0; i-- {
			all = append(all, os.Remove(made[i]))
		}
		return errors.Join(all...)
	}
	folders, err := makeFolders(dir)
	made = folders
	if err != nil {
		return nil, undo, err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		err := writeFileNew(path, f.text)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, undo, fmt.Errorf("%s cannot be written: %w", path, err)
		}
		made = append(made, path)
		written[f.name] = true
	}
	return written, undo, nil
}

// makeFolders makes dir and what is missing above it, and gives what it made.
func makeFolders(dir string) (made []string, err error) {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if made, err = makeFolders(parent); err != nil {
			return made, err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return made, fmt.Errorf("the folder cannot be made: %w", err)
	}
	return append(made, dir), nil
}

func (c *initCmd) tell(e *env, dir, secretsFile string, files []newFile, written map[string]bool, added []string) error {
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, f := range files {
		fmt.Fprintf(w, "%s\t%s\t%s\n", did(written[f.name]), filepath.Join(dir, f.name), f.what)
	}
	isNew := map[string]bool{}
	for _, name := range added {
		isNew[name] = true
	}
	for _, t := range []struct{ name, what string }{
		{config.AdminName, "the admin app's token, and that of `askhub ask`"},
		{firstWayIn, "the token of the way in " + firstWayIn},
	} {
		name := secrets.CallerVar(t.name)
		fmt.Fprintf(w, "%s\t%s in %s\t%s\n", did(isNew[name]), name, secretsFile, t.what)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	serve := "askhub serve"
	if dir != config.DefaultDir(e.getenv) {
		serve += " --config " + dir
	}
	_, err := fmt.Fprintf(e.stdout, "\nWrite who lives here into people.toml, name them in askhub.toml, and start the Hub with:\n  %s\n", serve)
	return err
}

func did(written bool) string {
	if written {
		return "written"
	}
	return "kept"
}
