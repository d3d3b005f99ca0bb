package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// chat checks who answers in the chat, and how an assistant on the host is told.
func (v *check) chat() {
	c := &v.c.Chat
	if !slices.Contains([]string{"hub", "host", "off"}, c.Answers) {
		v.fault("chat.answers", "must be hub (the Hub answers), host (an assistant on the host does) or off")
	}
	if c.Threads < 1 || c.Threads > 100_000 {
		v.fault("chat.threads", "must be from 1 to 100000; the usual is %d", DefaultThreads)
	}
	if _, set := v.at["chat.webhook"]; set {
		v.address("chat.webhook", c.Webhook)
	}
	if _, set := v.at["chat.webhook_token_env"]; set {
		switch {
		case c.Webhook == "":
			v.fault("chat.webhook_token_env", "goes with webhook only; set that, or take this line out")
		case !envForm().MatchString(c.WebhookTokenEnv):
			v.fault("chat.webhook_token_env", "must be the name of a secret, like ASSISTANT_TOKEN, not the secret itself")
		}
	}
	if _, set := v.at["chat.command"]; !set {
		return
	}
	switch {
	case len(c.Command) == 0 || c.Command[0] == "":
		v.fault("chat.command", `must be a program and its arguments, like ["/usr/local/bin/tell-assistant"]`)
	case slices.ContainsFunc(c.Command, func(part string) bool { return strings.ContainsRune(part, 0) }):
		v.fault("chat.command", "must hold no NUL")
	case !filepath.IsAbs(c.Command[0]):
		v.fault("chat.command", "must begin with the program's whole path, so that it is the same one however askhub was started")
	}
}
