package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/people"
)

// mcpFolder is a config folder of a Hub that does not run.
func mcpFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		config.FileName:   "listen = \"127.0.0.1:1\"\nsecrets = \"secrets.conf\"\n\n[ways_in.desk]\naskers = [\"sam\"]\n\n[ways_in.hall]\naskers = [\"sam\", \"emma\"]\n",
		"secrets.conf":    "HUB_TOKEN_ADMIN=" + strings.Repeat("a", 40) + "\nHUB_TOKEN_DESK=" + strings.Repeat("d", 40) + "\n",
		config.PeopleName: string(people.Sample()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runWith runs the program with an environment of its own, and gives what it said.
func runWith(t *testing.T, input string, args ...string) (code int, out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := &env{
		ctx: t.Context(), stdin: strings.NewReader(input), stdout: &stdout, stderr: &stderr,
		getenv: func(string) string { return "" }, environ: func() []string { return nil },
	}
	code = run(e, args)
	return code, stdout.String(), stderr.String()
}

func TestTheModelContextProtocolOnStandardInputSaysHowToStartIt(t *testing.T) {
	dir := mcpFolder(t)
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"nobody asks":          {nil, exitUsage, "say who asks with --as NAME: one of "},
		"no such way in":       {[]string{"--way-in", "attic"}, exitUsage, "no such way in; it has desk, hall"},
		"one of several":       {[]string{"--way-in", "hall"}, exitUsage, "say who asks with --as NAME: one of sam, emma"},
		"a token that is none": {[]string{"--way-in", "hall", "--as", "sam"}, exitNot, "HUB_TOKEN_HALL is nowhere to be found"},
		"its input ends":       {[]string{"--way-in", "desk"}, exitFine, ""},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, said := runWith(t, "", append([]string{"mcp", "--config", dir}, c.args...)...)
			if code != c.code || !strings.Contains(said, c.says) {
				t.Errorf("got %d %q, want %d %q", code, said, c.code, c.says)
			}
		})
	}
}

// A Hub that is down is told to the model; the program goes on, since the Hub may come back.
func TestAToolOfAHubThatIsDownSaysSo(t *testing.T) {
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	e := &env{
		ctx: t.Context(), stdin: in, stdout: out, stderr: io.Discard,
		getenv: func(string) string { return "" }, environ: func() []string { return nil },
	}
	ended := make(chan int, 1)
	go func() { ended <- run(e, []string{"mcp", "--config", mcpFolder(t), "--as", "sam"}) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromProgram, Writer: toProgram}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "hi"}})
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Content[0].(*mcp.TextContent).Text; !r.IsError || !strings.Contains(text, `start it with "askhub serve"`) {
			t.Errorf("got %q", text)
		}
	}
	_ = session.Close()
	if code := <-ended; code != exitFine {
		t.Errorf("it ended with %d", code)
	}
}
