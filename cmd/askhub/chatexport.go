package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize/english"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/wholefile"
)

type chatExportCmd struct {
	Dir   string `arg:"" help:"The folder to write into. It is made where it is not there." type:"path"`
	Force bool   `help:"Write into a folder that has something in it, and replace the files of these threads."`
	chatHost
}

// Help is the command's example.
func (chatExportCmd) Help() string {
	return "One file for each thread, with whom it speaks for. \"askhub chat import\" takes them over again.\n\n" +
		"Examples:\n  askhub chat export ./askhub-chat\n  askhub chat export /srv/copy/chat --force"
}

// exported is export --json.
type exported struct {
	Dir      string `json:"dir"`
	Threads  int    `json:"threads"`
	Messages int    `json:"count"`
}

// Run writes the folder.
func (c *chatExportCmd) Run(e *env) error {
	return c.reading(e, func(store chatStore, _ chat.Rules) error { return c.write(e, store) })
}

func (c *chatExportCmd) write(e *env, store chatStore) error {
	all, err := store.Threads(e.ctx)
	if err != nil {
		return storeFault(err)
	}
	if err := c.prepare(); err != nil {
		return err
	}
	done := exported{Dir: c.Dir}
	for i, s := range all {
		progress(e, i, len(all))
		messages, err := store.Whole(e.ctx, s.Thread)
		if err != nil {
			return storeFault(err)
		}
		file := threadFile{Thread: s.Thread, Person: s.Settings.Person, Answers: s.Settings.Answers, Messages: onWire(messages)}
		raw, err := json.Marshal(&file, jsontext.WithIndent("  "))
		if err != nil {
			return err
		}
		if err := wholefile.Replace(filepath.Join(c.Dir, string(s.Thread)+".json"), append(raw, '\n'), nil); err != nil {
			return exitError{exitNeedDown, fmt.Errorf("a thread's file cannot be written: %w", err)}
		}
		done.Threads, done.Messages = done.Threads+1, done.Messages+len(messages)
	}
	progress(e, len(all), len(all))
	if err := syncFolder(c.Dir); err != nil {
		return exitError{exitNeedDown, fmt.Errorf("the folder: %w", err)}
	}
	if c.JSON {
		return printDocument(e.stdout, &done)
	}
	_, err = fmt.Fprintf(e.stdout, "%s with %s %s in %s.\n",
		counted(done.Threads, "thread"), counted(done.Messages, "message"), english.PluralWord(done.Threads, "is", "are"), c.Dir)
	return err
}

// prepare makes the folder, or makes sure that nothing of somebody else's is in it.
func (c *chatExportCmd) prepare() error {
	entries, err := os.ReadDir(c.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(c.Dir, 0o700); err != nil {
			return exitError{exitNot, fmt.Errorf("the folder cannot be made: %w", err)}
		}
	case err != nil:
		return exitError{exitNot, fmt.Errorf("the folder cannot be read: %w", err)}
	case len(entries) > 0 && !c.Force:
		return exitError{exitNot, fmt.Errorf("%s has something in it: name another folder, or say --force to replace the files of these threads there", c.Dir)}
	case len(entries) == 0:
		if err := os.Chmod(c.Dir, 0o700); err != nil { //nolint:gosec // G302 speaks of files: a folder needs x to be entered
			return exitError{exitNot, fmt.Errorf("the folder cannot be closed to others: %w", err)}
		}
	}
	return nil
}
