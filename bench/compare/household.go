package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// rooms are the projects' names and topics.
var rooms = []string{"cellar", "attic", "garage"}

// A household is the Hub's config folder with the projects that it asks.
type household struct {
	dir, bin string
	// tokens are the ways in's: more than one, so that the limit for each is far away.
	tokens []string
	// projectToken is what the references pass on; the projects look at none.
	projectToken string
	projects     []*process
}

// newHousehold starts one project for each room, which answers after the delay, and
// writes a config folder that knows them.
func newHousehold(ctx context.Context, bin, dir string, delay time.Duration) (*household, error) {
	h := &household{dir: dir, bin: bin, projectToken: rand.Text() + rand.Text()}
	for _, room := range rooms {
		p, err := start(ctx, "project "+room, filepath.Join(bin, "peers"), "project", "{}", room, delay.String())
		if err != nil {
			return nil, errors.Join(err, h.stop())
		}
		h.projects = append(h.projects, p)
	}
	var config, secrets, rows strings.Builder
	fmt.Fprintf(&config, "secrets = %q\nstore = %q\n", filepath.Join(dir, "secrets.conf"), h.store())
	for i := range 8 {
		token := rand.Text() + rand.Text()
		h.tokens = append(h.tokens, token)
		fmt.Fprintf(&config, "[ways_in.bench%d]\naskers = [\"sam\"]\nwant = \"text\"\nper_minute = 100000\nat_once = 1000\n", i)
		fmt.Fprintf(&secrets, "HUB_TOKEN_BENCH%d=%s\n", i, token)
	}
	fmt.Fprintf(&secrets, "HUB_TOKEN_ADMIN=%s\n", rand.Text()+rand.Text())
	for i, room := range rooms {
		fmt.Fprintf(&config, "[projects.%s]\nurl = %q\n", room, h.projects[i].url)
		fmt.Fprintf(&secrets, "PROJECT_TOKEN_%s=%s\n", strings.ToUpper(room), rand.Text()+rand.Text())
		fmt.Fprintf(&rows, "| %s | `%s` | query `/ask` | active service |\n", room, room)
	}
	for name, text := range map[string]string{
		"askhub.toml":  config.String(),
		"secrets.conf": secrets.String(),
		"people.toml":  "zone = \"Europe/London\"\n\n[[person]]\nname = \"sam\"\nrole = \"adult\"\nasked_by = [\"adults\"]\n",
		"routing.md":   fmt.Sprintf(routingPage, rows.String()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, errors.Join(err, h.stop())
		}
	}
	return h, nil
}

const routingPage = `# Routing

## Topic to project map

| Topic (what the user says) | Project | Kind | Status |
|---|---|---|---|
%s
## Preferred project when two overlap

| Overlap | Preferred | Other | Reason |
|---|---|---|---|
| "what do I have on" | fanout (` + "`cellar` + `attic` + `garage`" + `) | one project | ask all three |

## Never-route list (control actions)

| Control action | Refuse? |
|---|---|
| Cut the kids' internet, or give it back | Yes |
`

func (h *household) store() string { return filepath.Join(h.dir, "askhub.db") }

// hub starts the Hub as it is released.
func (h *household) hub(ctx context.Context) (*process, error) {
	return start(ctx, "the Hub", filepath.Join(h.bin, "askhub"), "serve", "--config", h.dir, "--listen", "{}")
}

// stop ends the projects.
func (h *household) stop() error {
	var all error
	for _, p := range h.projects {
		all = errors.Join(all, p.stop())
	}
	return all
}

// The questions; each number makes a question that was never asked before.
func askOne(n int) string   { return fmt.Sprintf("What is in the cellar, box %d?", n) }
func askThree(n int) string { return fmt.Sprintf("What do I have on day %d?", n) }

// settle asks until the first right reply: the Hub is ready before it has heard
// from each project.
func (t *target) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	for {
		_, err := t.one(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no right reply within 15 s: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
