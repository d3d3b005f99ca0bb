package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/freeport"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/project/compass"
	"github.com/askhub/askhub/internal/project/email"
	"github.com/askhub/askhub/internal/project/email/sample"
	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/secrets"
)

type demoCmd struct {
	Once *string `help:"Answer one question and end." placeholder:"QUESTION"`
	As   string  `help:"Who asks: sam or tom (adults), harry or emma (children), or guest." default:"sam"`
	JSON bool    `help:"Print the Hub's replies as JSON."`
}

// Help is the command's example.
func (demoCmd) Help() string {
	return "Examples:\n  askhub demo\n  askhub demo --once \"what does Harry have on today?\" --as sam --json"
}

// demoQuestions are worth a try, and each shows another side of the Hub.
var demoQuestions = []string{
	"what does Harry have on today?",
	"what homework is due for Emma this week?",
	"when is Harry's dentist appointment?",
	"any mail from the school?",
	"how long was Harry online today?",
	"turn off the kids' internet",
	"how are you?",
}

// Run makes a household in a temporary folder, serves it on loopback exactly as
// serve does, and asks it over HTTP.
func (c *demoCmd) Run(e *env) (err error) {
	if c.Once != nil && strings.TrimSpace(*c.Once) == "" {
		return exitError{exitUsage, errors.New("--once has no question; without --once, the demo answers what is typed")}
	}
	dir, err := os.MkdirTemp("", "askhub-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	mail, err := sample.Start(time.Now(), time.Local)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mail.Close()) }()
	var held claims
	defer held.release()
	tokens, err := writeDemo(dir, mail, c.Once == nil, &held)
	if err != nil {
		return err
	}
	cfg, err := config.Load(dir)
	if err != nil {
		return err
	}

	logs, err := os.Create(filepath.Join(dir, "demo.log"))
	if err != nil {
		return err
	}
	defer logs.Close()
	ctx, stop := context.WithCancel(e.ctx)
	defer stop()
	// The demo's household has its own secrets: none from outside may change it.
	inner := *e
	inner.ctx, inner.stderr, inner.environ = ctx, logs, func() []string { return withoutTokens(e.environ()) }
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- serve(&inner, cfg, func(address string) { ready <- address }) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
	}()
	select {
	case address := <-ready:
		hub, err := newHubClient(cfg, address, tokens.demo)
		if err != nil {
			return err
		}
		if err := hub.waitForProjects(ctx, len(cfg.Projects)); err != nil {
			return err
		}
		if c.Once != nil {
			return c.once(e, hub)
		}
		admin, err := newHubClient(cfg, address, tokens.admin)
		if err != nil {
			return err
		}
		where, err := demoAdmin(&inner, cfg)
		if err != nil {
			return err
		}
		return c.talk(e, hub, admin, where)
	case err := <-ended:
		ended <- nil
		return err
	}
}

// once answers one question.
func (c *demoCmd) once(e *env, hub *hubClient) error {
	reply, err := hub.ask(e.ctx, question{Question: *c.Once, Asker: c.As, Source: "chat"})
	if err != nil {
		return err
	}
	return reply.print(e.stdout, c.JSON)
}

// talk answers what is typed, until the end of the input.
func (c *demoCmd) talk(e *env, hub, admin *hubClient, where string) error {
	// What is said beside the replies stays out of a program's way.
	aside := e.stdout
	if c.JSON {
		aside = e.stderr
	}
	fmt.Fprintf(aside, "A household on sample data answers at %s (the API is described at /docs).\nYou are %s. Try, or type your own question (quit or Ctrl-D ends it):\n\n", hub.url, c.As)
	for i, q := range demoQuestions {
		fmt.Fprintf(aside, "  %d  %s\n", i+1, q)
	}
	fmt.Fprintf(aside, "\nThe chat page is at %s/chat. It answers in your name once you type its pairing code here: pair 1234 5678\n", hub.url)
	fmt.Fprintf(aside, "The admin app, where Sam says yes with a passkey: %s\n", where)
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(e.stdin); s.Scan(); {
			lines <- s.Text()
		}
	}()
	inReplyTo := ""
	for {
		fmt.Fprint(aside, "\n? ")
		var line string
		var more bool
		select {
		case line, more = <-lines:
		case <-e.ctx.Done():
		}
		if !more {
			fmt.Fprintln(aside)
			return nil
		}
		line = strings.TrimSpace(line)
		if inReplyTo == "" { // else a number is a choice
			line = pick(line)
		}
		switch strings.ToLower(line) {
		case "":
			continue
		case "quit", "exit":
			return nil
		}
		if words := strings.Fields(line); len(words) > 1 && words[0] == "pair" && words[1][0] <= '9' {
			fmt.Fprintln(aside, c.pair(e.ctx, admin, words[1:]))
			continue
		}
		reply, err := hub.ask(e.ctx, question{Question: line, Asker: c.As, Source: "chat", InReplyTo: inReplyTo})
		if err != nil {
			fmt.Fprintln(e.stdout, err)
			continue
		}
		inReplyTo = ""
		if reply.Status == "clarify" {
			inReplyTo = reply.ID
		}
		if err := reply.print(e.stdout, c.JSON); err != nil {
			return err
		}
	}
}

// pair lets the chat page speak for a person, as the admin app would: the one that is
// named behind the code, or else whoever asks here.
func (c *demoCmd) pair(ctx context.Context, admin *hubClient, words []string) string {
	which := readPairing(words)
	if which.code == "" {
		return "A pairing code has eight digits: on the chat page, “This chat” shows it."
	}
	person := cmp.Or(which.person, c.As)
	body, err := json.Marshal(map[string]string{"code": which.code, "person": person})
	if err != nil {
		return err.Error()
	}
	if _, err := admin.call(ctx, http.MethodPost, "/chat/pair", body); err != nil {
		return err.Error()
	}
	return "The chat page speaks for " + people.Spoken(person) + " now."
}

// pick is the line, or the question of that number.
func pick(line string) string {
	for i, q := range demoQuestions {
		if line == fmt.Sprint(i+1) {
			return q
		}
	}
	return line
}

// waitForProjects waits until that many projects have said what they know.
func (c *hubClient) waitForProjects(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		raw, err := c.call(ctx, "GET", "/capabilities", nil)
		if err != nil {
			return err
		}
		var got struct {
			Projects []struct {
				Answering bool `json:"answering"`
			} `json:"projects"`
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			return err
		}
		answering := 0
		for _, p := range got.Projects {
			if p.Answering {
				answering++
			}
		}
		if answering == n {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return exitError{exitNeedDown, errors.New("the demo's projects did not start")}
		}
	}
}

// demoConfig is the demo's askhub.toml but for its projects.
const demoConfig = `listen = "127.0.0.1:0"
secrets = "secrets.conf"

[ways_in.demo]
askers = ["sam", "tom", "harry", "emma", "guest"]
per_minute = 600
at_once = 16
`

// demoTokens are those of who asks, and of the admin app.
type demoTokens struct{ demo, admin ask.BearerToken }

// claims are the ports that the demo's household listens on.
type claims []*freeport.Port

// take is the address of one more.
func (c *claims) take() (address string, err error) {
	p, err := freeport.Claim()
	if err != nil {
		return "", err
	}
	*c = append(*c, p)
	return p.Address, nil
}

func (c *claims) release() {
	for _, p := range *c {
		_ = p.Release() // it ends with the process at the latest
	}
}

// writeDemo writes the demo's config folder into dir and gives its tokens. app is whether the
// admin app runs too.
func writeDemo(dir string, mail *sample.Server, app bool, ports *claims) (demoTokens, error) {
	made := demoTokens{secrets.NewToken(), secrets.NewToken()}
	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		return made, err
	}
	at, err := ports.take()
	if err != nil {
		return made, err
	}
	settings := demoConfig + fmt.Sprintf("\n[admin]\nlisten = %q\nserve = %v\n", at, app)
	tokens := secrets.CallerVar("demo") + "=" + string(made.demo) + "\n" + secrets.CallerVar(config.AdminName) + "=" + string(made.admin) + "\n"
	for name, run := range map[string]string{compass.DefaultName: "compass", email.DefaultName: "email", internet.DefaultName: internetRun} {
		address, err := ports.take()
		if err != nil {
			return made, err
		}
		settings += fmt.Sprintf("\n[projects.%s]\nurl = \"http://%s\"\nrun = %q\n", name, address, run)
		tokens += secrets.ProjectVar(name) + "=" + string(secrets.NewToken()) + "\n"
	}
	for _, c := range compass.SampleCalendars("") {
		settings += fmt.Sprintf("\n[[compass.calendars]]\nperson = %q\ntag = %q\nfile = %q\n", c.Person, c.Tag, c.File)
	}
	for _, p := range mail.People() {
		password := "MAIL_PASSWORD_" + strings.ToUpper(p.Name)
		settings += fmt.Sprintf("\n[[email.accounts]]\nperson = %q\nserver = %q\nsecurity = \"plain\"\nusername = %q\npassword_env = %q\nmailboxes = [\"INBOX\", %q]\n",
			p.Name, mail.Address(), p.Username, password, sample.SentMailbox)
		tokens += password + "=" + p.Password + "\n"
	}
	more, secret := demoInternet()
	settings, tokens = settings+more, tokens+secret
	files := compass.Sample(time.Now(), house.Zone())
	files[config.FileName], files["secrets.conf"] = []byte(settings), []byte(tokens)
	files[config.RoutingName], files[config.PeopleName] = routing.Default(), people.Sample()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return made, err
		}
	}
	return made, nil
}

func withoutTokens(environ []string) []string {
	var out []string
	for _, pair := range environ {
		if !strings.HasPrefix(pair, "HUB_TOKEN_") && !strings.HasPrefix(pair, "PROJECT_TOKEN_") && !strings.HasPrefix(pair, "APPROVAL_TOKEN_") && !strings.HasPrefix(pair, "CREDENTIALS_DIRECTORY=") {
			out = append(out, pair)
		}
	}
	return out
}
