package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/askhub/askhub/chat"
)

type chatReplyCmd struct {
	Thread string   `arg:"" help:"The thread: its 16 digits, or its first ones, 4 at least."`
	Text   []string `arg:"" optional:"" help:"What is said. Without it, or with -, standard input."`
	Key    string   `help:"A repeat with the same key is the same message." placeholder:"KEY"`
	chatHost
}

// Help is the command's example.
func (chatReplyCmd) Help() string {
	return "Prints the message's id and epoch. What waited in the thread counts as answered.\n\nExamples:\n  askhub chat reply a1b2c3d4e5f60718 \"Dinner is at six.\"\n  fortune | askhub chat reply a1b2 --key fortune-of-monday"
}

// Run writes the reply into the store.
func (c *chatReplyCmd) Run(e *env) error {
	if err := checkKey(c.Key); err != nil {
		return err
	}
	text, err := textFrom(e, c.Text)
	if err != nil {
		return err
	}
	return c.changing(e, func(store chatStore, _ chat.Rules) error { return c.reply(e, store, text, time.Now()) })
}

// checkKey says what is wrong with an idempotency key, if anything is.
func checkKey(key string) error {
	if len(key) > chat.MaxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return exitError{exitUsage, fmt.Errorf("--key is 1 to %d visible ASCII characters, without blanks", chat.MaxKey)}
	}
	return nil
}

// hostKey sets a key of the host apart from every key of the web, which holds no blank:
// nobody there can send the host's next reply away as a repeat.
func hostKey(key string) string {
	if key == "" {
		return ""
	}
	return "host " + key
}

func (c *chatReplyCmd) reply(e *env, store chatStore, text string, now time.Time) error {
	found, err := findThread(e.ctx, store, c.Thread)
	if err != nil {
		return err
	}
	receipt, err := store.Append(e.ctx, chat.Post{Thread: found.Thread, Author: chat.Hermes, Text: text, Now: now, Key: hostKey(c.Key)})
	if err != nil {
		return storeFault(err)
	}
	m := receipt.Message
	if receipt.Repeated {
		fmt.Fprintln(e.stderr, "A message with this key was there already; nothing was added.")
	}
	if c.JSON {
		return printDocument(e.stdout, &chat.Posted{Success: true, ID: m.ID, Epoch: m.Epoch, TS: m.TS(), Thread: found.Thread})
	}
	_, err = fmt.Fprintln(e.stdout, m.ID, m.Epoch)
	return err
}
