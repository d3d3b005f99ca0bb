package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/people"
)

type chatShowCmd struct {
	Thread  string      `arg:"" help:"The thread: its 16 digits, or its first ones, 4 at least."`
	Since   chat.Cursor `help:"Only messages after this epoch, in milliseconds." placeholder:"EPOCH"`
	Newest  int         `help:"Only the newest so many." placeholder:"N"`
	NoPager bool        `help:"Print, on a terminal too."`
	chatHost
}

// Help is the command's example.
func (chatShowCmd) Help() string {
	return "On a terminal it shows in $PAGER, or in less where that is there.\n\nExamples:\n  askhub chat show a1b2c3d4e5f60718\n  askhub chat show a1b2 --newest 10 --json"
}

// Run shows one thread of the store.
func (c *chatShowCmd) Run(e *env) error {
	switch {
	case c.Since < 0:
		return exitError{exitUsage, errors.New("--since is an epoch in milliseconds, such as 1792778400123; 0 is the start")}
	case c.Newest < 0:
		return exitError{exitUsage, errors.New("--newest is how many messages to show, 1 or more")}
	}
	return c.reading(e, func(store chatStore, rules chat.Rules) error { return c.show(e, store, rules) })
}

// threadShown is show --json.
type threadShown struct {
	wireSettings
	Messages []chat.WireMessage `json:"messages"`
	Awaiting bool               `json:"awaiting"`
	Cursor   chat.Cursor        `json:"cursor"`
}

func (c *chatShowCmd) show(e *env, store chatStore, rules chat.Rules) error {
	found, err := findThread(e.ctx, store, c.Thread)
	if err != nil {
		return err
	}
	messages, err := store.Whole(e.ctx, found.Thread)
	if err != nil {
		return storeFault(err)
	}
	out := threadShown{wireSettings: settingsOf(found.Thread, found.Settings, rules)}
	if n := len(messages); n > 0 {
		out.Awaiting, out.Cursor = awaits(messages[n-1]), messages[n-1].Epoch
	}
	if from := slices.IndexFunc(messages, func(m chat.Message) bool { return m.Epoch > c.Since }); from >= 0 {
		messages = messages[from:]
	} else {
		messages = nil
	}
	if c.Newest > 0 {
		messages = messages[max(0, len(messages)-c.Newest):]
	}
	out.Messages = onWire(messages)
	if c.JSON {
		return printDocument(e.stdout, &out)
	}
	width, _ := widthOf(e.stdout)
	var text strings.Builder
	if err := out.print(&text, width); err != nil {
		return err
	}
	if c.NoPager {
		_, err := io.WriteString(e.stdout, text.String())
		return err
	}
	return page(e, text.String())
}

func (t *threadShown) print(w io.Writer, width int) error {
	fmt.Fprintf(w, "Thread %s. %s\n\n", t.Thread, t.sentence())
	if len(t.Messages) == 0 {
		_, err := fmt.Fprintln(w, "No messages to show.")
		return err
	}
	lines := transcript{w: w, width: width}
	for _, m := range t.Messages {
		if err := lines.add(m); err != nil {
			return err
		}
	}
	if t.Awaiting {
		_, err := fmt.Fprintln(w, "\nThe newest message awaits an answer.")
		return err
	}
	return nil
}

// sentence says whom the thread speaks for and who answers.
func (s *wireSettings) sentence() string {
	who := "It speaks for nobody yet"
	if s.Person != "" {
		who = "It speaks for " + people.Spoken(oneLine(s.Person))
	}
	by := map[chat.Answers]string{chat.ByHub: "the Hub answers", chat.ByHost: "the host answers", chat.ByNobody: "nobody answers"}[s.Answers]
	return who + ", and " + by + "."
}
