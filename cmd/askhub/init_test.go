package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/secrets"
)

// home is a person's home folder, and what a command there wrote.
type home struct {
	dir      string
	environ  []string
	out, err bytes.Buffer
}

func newHome(t *testing.T, environ ...string) *home {
	t.Helper()
	h := &home{dir: t.TempDir()}
	t.Setenv("HOME", h.dir) // askhub.toml's own default names it
	h.environ = append([]string{"HOME=" + h.dir}, environ...)
	return h
}

func (h *home) env() *env {
	h.out.Reset()
	h.err.Reset()
	return &env{
		ctx: context.Background(), stdin: strings.NewReader(""), stdout: &h.out, stderr: &h.err,
		environ: func() []string { return h.environ },
		getenv: func(name string) string {
			for _, pair := range h.environ {
				if n, v, _ := strings.Cut(pair, "="); n == name {
					return v
				}
			}
			return ""
		},
	}
}

func (h *home) conf() string { return filepath.Join(h.dir, ".config", "askhub") }

func (h *home) secrets() string {
	return filepath.Join(h.dir, ".config", "environment.d", "10-secrets.conf")
}

// run parses the words as askhub does and runs the command.
func (h *home) run(t *testing.T, words ...string) error {
	t.Helper()
	var cli struct {
		Init    initCmd    `cmd:""`
		Token   tokenCmd   `cmd:""`
		Backup  backupCmd  `cmd:""`
		Restore restoreCmd `cmd:""`
	}
	parser, err := kong.New(&cli, kong.Bind(h.env()))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(words)
	if err != nil {
		return exitError{exitUsage, err}
	}
	return parsed.Run()
}

func (h *home) must(t *testing.T, words ...string) {
	t.Helper()
	if err := h.run(t, words...); err != nil {
		t.Fatalf("%v: %v", words, err)
	}
}

func (h *home) fails(t *testing.T, with string, words ...string) {
	t.Helper()
	err := h.run(t, words...)
	if err == nil {
		t.Fatalf("%v: done", words)
	}
	if !strings.Contains(err.Error(), with) {
		t.Errorf("%v: %v\nwant it to hold %s", words, err, with)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tree is every file below dir with its text.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			all[rel+"/"] = ""
		} else if d.Type().IsRegular() {
			all[rel] = read(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestInitMakesWhatServeNeeds(t *testing.T) {
	h := newHome(t)
	h.must(t, "init")
	cfg, err := config.Load(h.conf())
	if err != nil {
		t.Fatal(err)
	}
	if len(cfg.Projects) != 0 || len(cfg.WaysIn["phone"].Askers) == 0 || len(cfg.Warnings()) > 0 {
		t.Errorf("config %s, warnings %q", cfg, cfg.Warnings())
	}
	if _, problems := routing.Parse("routing.md", []byte(read(t, cfg.RoutingPath()))); len(problems) > 0 {
		t.Errorf("routing.md: %v", problems)
	}
	if _, err := people.Parse(cfg.PeoplePath(), []byte(read(t, cfg.PeoplePath()))); err != nil {
		t.Errorf("people.toml: %v", err)
	}
	s, err := secrets.Open(h.secrets(), nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, name := range s.Callers() {
		names[name] = true
	}
	if len(names) != 2 || !names["admin"] || !names["phone"] {
		t.Errorf("callers %v", names)
	}
	for path := range tree(t, filepath.Join(h.dir, ".config")) {
		info, err := os.Stat(filepath.Join(h.dir, ".config", path))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
	}
	for _, want := range []string{cfg.RoutingPath(), cfg.PeoplePath(), "askhub.toml", h.secrets(), "HUB_TOKEN_ADMIN", "HUB_TOKEN_PHONE", "askhub serve\n"} {
		if !strings.Contains(h.out.String(), want) {
			t.Errorf("it does not say %s:\n%s", want, h.out.String())
		}
	}
	for _, line := range strings.Split(read(t, h.secrets()), "\n") {
		if _, token, ok := strings.Cut(line, "="); ok && strings.Contains(h.out.String(), token) {
			t.Error("it shows a token")
		}
	}
}

func TestInitAgainChangesNothing(t *testing.T) {
	h := newHome(t)
	h.must(t, "init")
	before := tree(t, h.dir)
	h.must(t, "init")
	if after := tree(t, h.dir); len(after) != len(before) || read(t, h.secrets()) != before[".config/environment.d/10-secrets.conf"] {
		t.Errorf("before %v, after %v", before, after)
	}
	if strings.Contains(h.out.String(), "written") || strings.Count(h.out.String(), "kept") != 5 {
		t.Error(h.out.String())
	}
}

func TestInitKeepsWhatIsThere(t *testing.T) {
	h := newHome(t)
	text := "# mine\nOTHER=1\nHUB_TOKEN_PHONE='" + strings.Repeat("p", 40) + "'\n# the end, with no line end"
	write(t, h.secrets(), text)
	write(t, filepath.Join(h.conf(), "routing.md"), "mine")
	h.must(t, "init")
	if got := read(t, h.secrets()); !strings.HasPrefix(got, text+"\nHUB_TOKEN_ADMIN=") || strings.Count(got, "\n") != 5 {
		t.Errorf("secrets: %s", got)
	}
	if read(t, filepath.Join(h.conf(), "routing.md")) != "mine" {
		t.Error("routing.md was written over")
	}
	if strings.Count(h.out.String(), "kept") != 2 || strings.Count(h.out.String(), "written") != 3 {
		t.Error(h.out.String())
	}
}

func TestInitInAnotherFolder(t *testing.T) {
	h := newHome(t)
	dir, file := filepath.Join(h.dir, "a \"home\"", "conf"), filepath.Join(h.dir, "s", "hub.conf")
	h.must(t, "init", dir, "--secrets", file)
	cfg, err := config.Load(dir)
	if err != nil || cfg.Secrets != file {
		t.Fatalf("%v, secrets %s", err, cfg.Secrets)
	}
	if !strings.Contains(h.out.String(), "askhub serve --config "+dir) {
		t.Error(h.out.String())
	}
	if _, err := os.Stat(filepath.Join(h.dir, ".config")); err == nil {
		t.Error("it wrote to the usual place too")
	}
	// And again, without saying where: askhub.toml says it.
	h.must(t, "init", dir)
	if strings.Contains(h.out.String(), "written") {
		t.Error(h.out.String())
	}
	h.fails(t, "names another secrets file", "init", dir, "--secrets", file+"2")
}

func TestAnInitThatFailsLeavesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(h *home)
		want   string
	}{
		"secrets that others read": {func(h *home) {
			write(t, h.secrets(), "A=1\n")
			_ = os.Chmod(h.secrets(), 0o644)
		}, "chmod 600"},
		"secrets with an open quote": {func(h *home) { write(t, h.secrets(), "A='1\n") }, "never closed"},
		"secrets that run on":        {func(h *home) { write(t, h.secrets(), "A=1\\") }, "runs on"},
		"a file for a folder":        {func(h *home) { write(t, h.conf(), "x") }, ""},
		"a config with a fault":      {func(h *home) { write(t, filepath.Join(h.conf(), "askhub.toml"), "x = 1") }, "no such field"},
		"routing.md is a folder":     {func(h *home) { _ = os.MkdirAll(filepath.Join(h.conf(), "askhub.toml"), 0o700) }, "not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			tt.before(h)
			before := tree(t, h.dir)
			h.fails(t, tt.want, "init")
			after := tree(t, h.dir)
			if len(after) != len(before) {
				t.Errorf("before %v, after %v", before, after)
			}
			for path, text := range before {
				if after[path] != text {
					t.Errorf("%s changed", path)
				}
			}
		})
	}
	h := newHome(t)
	h.environ = nil
	h.fails(t, "HOME is not set", "init")
}
