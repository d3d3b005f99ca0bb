package main

import (
	"errors"
	"fmt"

	"github.com/askhub/askhub/chat"
)

type chatPollCmd struct {
	Since  *chat.Cursor `help:"Messages after this epoch, in milliseconds, instead of what is new; 0 is all." placeholder:"EPOCH"`
	Follow bool         `help:"Go on, and print what comes as it comes." short:"f"`
	chatCaller
}

// Help is the command's example.
func (chatPollCmd) Help() string {
	return "Prints what it has not printed yet; the file chat-cursor of your config folder notes up to where that is. With --follow, --json prints one document a line.\n\n" +
		"Examples:\n  askhub chat poll\n  askhub chat poll --follow\n  askhub chat poll --since 0 --json"
}

// Run prints what is new.
func (c *chatPollCmd) Run(e *env) error {
	if c.Since != nil && *c.Since < 0 {
		return exitError{exitUsage, errors.New("--since is an epoch in milliseconds, such as 1792778400123; 0 is all")}
	}
	host, err := c.client(e, false)
	if err != nil {
		return err
	}
	kept, err := openCursors(e)
	if err != nil {
		return err
	}
	return c.poll(e, host, kept)
}

func (c *chatPollCmd) poll(e *env, host *chatClient, kept *cursors) error {
	thread := host.token.Thread()
	seen := kept.get(host.url, thread)
	since := seen
	if c.Since != nil {
		// The wire's 0 is the newest 50; every message there is comes after 1.
		since = max(1, *c.Since)
	}
	width, _ := widthOf(e.stdout)
	lines := transcript{w: e.stdout, width: width}
	show := func(p *chat.Polled) error {
		switch {
		case c.JSON && c.Follow:
			if err := printOnOneLine(e.stdout, p); err != nil {
				return err
			}
		case c.JSON:
			if err := printDocument(e.stdout, p); err != nil {
				return err
			}
		default:
			for _, m := range p.Messages {
				if err := lines.add(m); err != nil {
					return err
				}
			}
		}
		if since > max(seen, 1) {
			return nil // what lies between was not printed
		}
		return kept.put(host.url, thread, p.Cursor)
	}
	if c.Follow {
		if err := host.follow(e.ctx, since, show); !errors.Is(err, errStop) {
			return err
		}
		return nil
	}
	p, err := host.poll(e.ctx, since)
	if err != nil {
		return err
	}
	if p.Messages == nil {
		p.Messages = []chat.WireMessage{}
	}
	if len(p.Messages) == 0 && !c.JSON {
		fmt.Fprintln(e.stderr, "Nothing is new.")
		return nil
	}
	return show(p)
}

// feedbackInboxCmd is the old name of poll.
type feedbackInboxCmd struct {
	chatPollCmd
}

// Run says what it is called now, and polls.
func (c *feedbackInboxCmd) Run(e *env) error {
	deprecated(e, "feedback-inbox", "chat poll")
	return c.chatPollCmd.Run(e)
}
