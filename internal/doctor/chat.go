package doctor

import (
	"os"

	"github.com/askhub/askhub/internal/secrets"
)

// chat looks at who answers in the chat, and whether an assistant on the host can be
// told. Nobody is told anything: that is for messages.
func (e *exam) chat() []Check {
	set := &e.cfg.Chat
	checks := e.chatTellers()
	if len(checks) > 0 {
		return checks
	}
	what := map[string]string{
		"hub":  "the Hub answers where a thread has no setting of its own",
		"host": "an assistant on the host answers where a thread has no setting of its own",
		"off":  "nobody answers where a thread has no setting of its own",
	}[set.Answers]
	switch {
	case set.Webhook != "" && len(set.Command) > 0:
		what += "; messages for the host are told by webhook and by command"
	case set.Webhook != "":
		what += "; messages for the host are told by webhook"
	case len(set.Command) > 0:
		what += "; messages for the host are told by command"
	case set.Answers == "host":
		what += ", and looks for messages by itself"
	}
	return []Check{{Check: "chat", State: OK, What: what}}
}

func (e *exam) chatTellers() []Check {
	var checks []Check
	set := &e.cfg.Chat
	if name := set.WebhookTokenEnv; name != "" {
		found, err := secrets.Lookup(e.cfg.Secrets, e.Environ, name)
		if err == nil && found[name] == "" {
			checks = append(checks, Check{"chat.webhook_token_env", Fault, "its secret " + name + " is missing, so the webhook is told without it", "Put the line " + name + "=… into " + e.cfg.Secrets + ".", false})
		}
	}
	if len(set.Command) > 0 {
		program := set.Command[0]
		info, err := os.Stat(program)
		switch {
		case err != nil:
			checks = append(checks, Check{"chat.command", Fault, program + " is not there", "Mend command in askhub.toml, or install it.", false})
		case info.IsDir() || info.Mode().Perm()&0o111 == 0:
			checks = append(checks, Check{"chat.command", Fault, program + " is no program that can be started", "Make it one with: chmod +x " + program, false})
		}
	}
	return checks
}
