package doctor_test

import (
	"path/filepath"
	"testing"

	"github.com/askhub/askhub/internal/doctor"
)

func TestTheChatsAssistantsAreLookedAt(t *testing.T) {
	for _, tt := range []struct{ name, settings, want string }{
		{"nobody is told", `answers = "host"`, "ok    chat: an assistant on the host answers where a thread has no setting of its own, and looks for messages by itself"},
		{"nobody answers", `answers = "off"`, "ok    chat: nobody answers"},
		{"a webhook", `webhook = "http://127.0.0.1:1/told"`, "ok    chat: the Hub answers where a thread has no setting of its own; messages for the host are told by webhook"},
		{"no secret", "webhook = \"http://127.0.0.1:1/told\"\nwebhook_token_env = \"ASSISTANT\"", "FAULT chat.webhook_token_env: its secret ASSISTANT is missing, so the webhook is told without it. Put the line ASSISTANT=… into "},
		{"no program", `command = ["/no/such/program"]`, "FAULT chat.command: /no/such/program is not there. Mend command in askhub.toml, or install it."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t)
			h.edit("askhub.toml", "[ways_in.phone]", "[chat]\n"+tt.settings+"\n\n[ways_in.phone]")
			checks := h.examine()
			if _, ok := find(checks, tt.want); !ok {
				t.Errorf("no line with %q:\n%s", tt.want, lines(checks))
			}
		})
	}
}

func TestTheChatsCommandMustBeAProgram(t *testing.T) {
	h := newHouse(t)
	program := filepath.Join(h.dir, "tell")
	h.write("tell", "#!/bin/sh\n")
	h.edit("askhub.toml", "[ways_in.phone]", "[chat]\ncommand = ["+`"`+program+`"`+"]\n\n[ways_in.phone]")
	if _, ok := find(h.examine(), "FAULT chat.command: "+program+" is no program that can be started. Make it one with: chmod +x "+program); !ok {
		t.Error(lines(h.examine()))
	}
	h.chmod("tell", 0o700)
	checks := h.examine()
	if _, ok := find(checks, "ok    chat: ", "told by command"); !ok || doctor.VerdictOf(checks) != doctor.Fine {
		t.Error(lines(checks))
	}
}
