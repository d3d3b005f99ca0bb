package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each official client is a program in the folder clients that ends with "fine" where a
// running household answers it as it should.
var clients = []struct {
	file, pack string
	needs      []string
}{
	{"openai_client.py", "openai", []string{"python3", "-c", "import openai"}},
	{"openai_client.mjs", "openai", []string{"node", "-e", "await import('openai')", "--input-type=module"}},
	{"mcp_client.py", "mcp", []string{"python3", "-c", "import mcp.client.client"}},
	{"mcp_client.mjs", "@modelcontextprotocol/sdk", []string{"node", "-e", "await import('@modelcontextprotocol/sdk/client/index.js')", "--input-type=module"}},
	{"wyoming_client.py", "wyoming", []string{"python3", "-c", "import wyoming"}},
}

func TestTheOfficialClientsAreAnswered(t *testing.T) {
	var h *house // started for the first client that is there
	voice := addressOf(t)
	for _, c := range clients {
		installed := inClients(t, c.needs).Run() == nil
		if installed && h == nil {
			h = startHouseWith(t, "[wyoming]\nlisten = \""+voice+"\"\n\n[[wyoming.satellites]]\nid = \"assist_satellite.kitchen\"\nasker = \"sam\"\nroom = \"kitchen\"\n\n")
		}
		t.Run(c.file, func(t *testing.T) {
			if !installed {
				t.Skipf("%s for %s is not installed; ./test peers installs it", c.pack, c.needs[0])
			}
			cmd := inClients(t, []string{c.needs[0], c.file})
			cmd.Env = append(
				os.Environ(), "ASKHUB_URL="+h.url, "ASKHUB_TOKEN="+h.token, "ASKHUB_WYOMING="+voice,
				"ASKHUB_PROGRAM="+h.program, "ASKHUB_CONFIG="+h.dir,
			)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasSuffix(string(bytes.TrimSpace(out)), "fine") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// inClients is a command in the clients' folder, where Node finds its packages.
func inClients(t *testing.T, line []string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), line[0], line[1:]...)
	cmd.Dir = filepath.Join(".", "clients")
	return cmd
}
