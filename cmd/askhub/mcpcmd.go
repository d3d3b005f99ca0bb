package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/mcpserver"
)

type mcpCmd struct {
	As     string `placeholder:"NAME" help:"Who asks. By default the one person of people.toml, where there is just one."`
	WayIn  string `placeholder:"NAME" help:"The way in whose token is shown, instead of the admin app's; one with a single asker needs no --as."`
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (mcpCmd) Help() string {
	return "A program that speaks the Model Context Protocol starts this and talks to it on standard input and output. Over HTTP the Hub speaks it at /mcp.\n\nExamples:\n  askhub mcp --as sam\n  askhub mcp --way-in desk"
}

// Run serves one client until its input ends.
func (c *mcpCmd) Run(e *env) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	caller := config.AdminName
	if c.WayIn != "" {
		w, known := cfg.WaysIn[c.WayIn]
		if !known {
			return exitError{exitUsage, errors.New("askhub.toml has no such way in; it has " + strings.Join(cfg.WayInNames(), ", "))}
		}
		if c.As == "" && len(w.Askers) > 1 {
			return exitError{exitUsage, errors.New("say who asks with --as NAME: one of " + strings.Join(w.Askers, ", "))}
		}
		caller = c.WayIn
	} else if c.As == "" {
		if c.As, err = onlyPerson(cfg); err != nil {
			return err
		}
	}
	shown, err := lookupToken(e, cfg, "HUB_TOKEN_"+strings.ToUpper(caller))
	if err != nil {
		return err
	}
	hub, err := newHubClient(cfg, cfg.Listen, shown)
	if err != nil {
		return err
	}
	return mcpserver.Run(e.ctx, mcpserver.Config{Hub: mcpHub{hub, c.As}, Version: versionText()}, e.stdin, e.stdout)
}

// mcpHub is a running Hub, as the tools ask it. One person asks, whatever a model says.
type mcpHub struct {
	hub *hubClient
	as  string
}

var _ mcpserver.Hub = mcpHub{}

// Ask asks as the one person.
func (m mcpHub) Ask(ctx context.Context, q mcpserver.Question) (*mcpserver.Reply, error) {
	reply, err := m.hub.ask(ctx, question{
		Question: q.Question, Asker: m.as, Person: string(q.Person), Source: "chat", InReplyTo: q.InReplyTo,
	})
	if err != nil {
		return nil, err
	}
	return mcpserver.ReadReply(reply.raw)
}

// Capabilities is what can be asked.
func (m mcpHub) Capabilities(ctx context.Context) (jsontext.Value, error) {
	return m.hub.call(ctx, http.MethodGet, "/capabilities", nil)
}

// Why is one record.
func (m mcpHub) Why(ctx context.Context, id string) (jsontext.Value, error) {
	return m.hub.call(ctx, http.MethodGet, "/ask/"+url.PathEscape(id), nil)
}
