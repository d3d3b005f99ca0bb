package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/slip"
)

type chatSendCmd struct {
	Text    []string      `arg:"" optional:"" help:"What is said. Without it, or with -, standard input."`
	Kind    string        `help:"Who says it: operator (a person) or agent." enum:"operator,agent" default:"operator" placeholder:"KIND"`
	Wait    bool          `help:"Wait for the answer, and print it."`
	Timeout time.Duration `help:"How long --wait waits." default:"2m" placeholder:"TIME"`
	NoWait  bool          `help:"Try once, whatever the host says about later."`
	chatCaller
}

// Help is the command's example.
func (chatSendCmd) Help() string {
	return "The chat token is $ASKHUB_CHAT_TOKEN, or it is in the file chat-token of your config folder, which is made at the first use. " +
		"A text that begins with a command's word needs the \"send\".\n\n" +
		"Examples:\n  askhub chat \"what is on today?\" --wait\n  uptime | askhub chat send --kind agent --url https://hub.example:8420"
}

// slipOfChat refuses "askhub chat lst", which would be sent as a message and was meant as
// a command.
func slipOfChat(args []string) error {
	if len(args) < 2 || args[0] != "chat" {
		return nil
	}
	for _, command := range []string{"list", "show", "reply", "pair", "import", "export", "send", "poll"} {
		if word := args[1]; word != command && slip.One(word, command) {
			return fmt.Errorf("%q is no command of askhub chat: did you mean %q? To send it as a message: askhub chat send %s …", word, command, word)
		}
	}
	return nil
}

// sent is send --json.
type sent struct {
	chat.Posted
	// Answer is there with --wait.
	Answer *chat.WireMessage `json:"answer,omitzero"`
}

// Run posts the message.
func (c *chatSendCmd) Run(e *env) error {
	text, err := textFrom(e, c.Text)
	if err != nil {
		return err
	}
	if c.Timeout <= 0 {
		return exitError{exitUsage, errors.New("--timeout is how long to wait, such as 30s or 2m")}
	}
	host, err := c.client(e, c.NoWait)
	if err != nil {
		return err
	}
	return c.send(e, host, text)
}

func (c *chatSendCmd) send(e *env, host *chatClient, text string) error {
	receipt, err := host.post(e.ctx, c.Kind, text, rand.Text())
	if err != nil {
		return err
	}
	out := sent{Posted: *receipt}
	if c.Wait {
		if out.Answer, err = c.answer(e.ctx, host, receipt.Epoch); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		return printDocument(e.stdout, &out)
	case c.Wait:
		width, ok := widthOf(e.stdout)
		shown := visible(out.Answer.Text)
		if ok {
			shown = strings.Join(wrap(shown, width), "\n")
		}
		_, err = fmt.Fprintln(e.stdout, shown)
	default:
		_, err = fmt.Fprintln(e.stdout, oneLine(out.ID), out.Epoch)
	}
	return err
}

// answer is the first message of the host's side after that epoch.
func (c *chatSendCmd) answer(ctx context.Context, host *chatClient, since chat.Cursor) (*chat.WireMessage, error) {
	waiting, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	var answer *chat.WireMessage
	err := host.follow(waiting, since, func(p *chat.Polled) error {
		for _, m := range p.Messages {
			if m.Author == chat.Hermes {
				answer = &m
				return errStop
			}
		}
		return nil
	})
	switch {
	case answer != nil:
		return answer, nil
	case ctx.Err() != nil:
		return nil, exitError{exitNot, errors.New("interrupted; the message is sent, and \"askhub chat poll\" shows the answer")}
	case waiting.Err() != nil:
		return nil, exitError{exitNot, fmt.Errorf("the message is sent, and has no answer after %s; \"askhub chat poll\" shows a later one", c.Timeout)}
	default:
		return nil, err
	}
}

// feedbackCmd is the old name of send.
type feedbackCmd struct {
	chatSendCmd
}

// Run says what it is called now, and sends.
func (c *feedbackCmd) Run(e *env) error {
	deprecated(e, "feedback", "chat")
	return c.chatSendCmd.Run(e)
}

func deprecated(e *env, old, now string) {
	fmt.Fprintf(e.stderr, "\"askhub %s\" is deprecated: use \"askhub %s\", which does the same.\n", old, now)
}
