package config

import (
	"slices"
	"strings"
	"testing"
)

func TestTheChatIsRead(t *testing.T) {
	c, err := load(t, `[chat]
answers = "host"
threads = 50
webhook = "http://127.0.0.1:9000/told?key=hunter2"
webhook_token_env = "ASSISTANT_TOKEN"
command = ["/usr/local/bin/tell", "--quietly"]
`)
	if err != nil {
		t.Fatal(err)
	}
	if c.Chat.Answers != "host" || c.Chat.Threads != 50 || c.Chat.WebhookTokenEnv != "ASSISTANT_TOKEN" || !slices.Equal(c.Chat.Command, []string{"/usr/local/bin/tell", "--quietly"}) {
		t.Errorf("%+v", c.Chat)
	}
	if strings.Contains(c.String(), "hunter2") {
		t.Errorf("the webhook's key is shown: %s", c)
	}
	silent, err := load(t, "")
	if err != nil || silent.Chat.Answers != "hub" || silent.Chat.Threads != 500 {
		t.Errorf("a silent file: %v, %+v", err, silent.Chat)
	}
}

func TestEachFaultOfTheChatNamesLineFieldAndMend(t *testing.T) {
	for text, want := range map[string]string{
		`answers = "robot"`:           `:2: chat.answers: must be hub`,
		`threads = 0`:                 `:2: chat.threads: must be from 1`,
		`threads = 100001`:            `:2: chat.threads: must be from 1`,
		`webhook = "ftp://x"`:         `:2: chat.webhook: must begin with http`,
		`webhook = ""`:                `:2: chat.webhook: `,
		`webhook_token_env = "TOKEN"`: `:2: chat.webhook_token_env: goes with webhook only`,
		"webhook = \"http://x\"\nwebhook_token_env = \"a b\"": `:3: chat.webhook_token_env: must be the name of a secret`,
		`command = []`:               `:2: chat.command: must be a program`,
		`command = ["tell"]`:         `:2: chat.command: must begin with the program's whole path`,
		`command = ["/bin/x\u0000"]`: `:2: chat.command: must hold no NUL`,
		`command = "/bin/x"`:         `:2: chat.command: `,
		`assistant = "x"`:            `:2: chat.assistant: no such field`,
	} {
		_, err := load(t, "[chat]\n"+text+"\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %s", text, err, want)
		}
	}
}
