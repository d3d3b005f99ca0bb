package target

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/freeport"
	"github.com/askhub/askhub/internal/notify"
)

// realNtfy is a ntfy server on loopback, whose topic "phone" only sam may use.
type realNtfy struct {
	*testing.T
	program, host, token string
	settings             string // the path of server.yml
}

func startNtfy(t *testing.T) *realNtfy {
	t.Helper()
	program, err := exec.LookPath("ntfy")
	if err != nil {
		t.Skip("ntfy is not installed")
	}
	dir := t.TempDir()
	n := &realNtfy{T: t, program: program, host: freeport.For(t).Address, settings: filepath.Join(dir, "server.yml")}
	text := fmt.Sprintf("base-url: http://%s\nlisten-http: %s\ncache-file: %s/cache.db\nauth-file: %s/auth.db\nauth-default-access: deny-all\nvisitor-request-limit-burst: 30\nvisitor-request-limit-replenish: 1h\n", n.host, n.host, dir, dir)
	if err := os.WriteFile(n.settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(program, "serve", "--config", n.settings)
	server.Stderr = os.Stderr
	if !testing.Verbose() {
		server.Stderr = nil
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	awaitServer(t, "http://"+n.host+"/v1/health")
	n.run("user", "--config", n.settings, "add", "sam")
	n.run("access", "--config", n.settings, "sam", "phone", "rw")
	n.token = regexp.MustCompile(`tk_[a-z0-9]+`).FindString(n.run("token", "--config", n.settings, "add", "sam"))
	if n.token == "" {
		t.Fatal("ntfy made no token")
	}
	return n
}

func (n *realNtfy) run(args ...string) string {
	n.Helper()
	cmd := exec.CommandContext(n.Context(), n.program, args...)
	cmd.Env = append(os.Environ(), "NTFY_PASSWORD=a-password-of-sams")
	out, err := cmd.CombinedOutput()
	if err != nil {
		n.Fatalf("ntfy %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// published is a message as a phone gets it.
type published struct {
	Event    string   `json:"event"`
	Message  string   `json:"message"`
	Title    string   `json:"title"`
	Priority int      `json:"priority"`
	Tags     []string `json:"tags"`
	Sequence string   `json:"sequence_id"`
}

// phone is what Sam's phone gets of the topic.
func (n *realNtfy) phone() (list []published) {
	n.Helper()
	req, err := http.NewRequestWithContext(n.Context(), http.MethodGet, "http://"+n.host+"/phone/json?poll=1", http.NoBody)
	if err != nil {
		n.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+n.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		n.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		var p published
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			n.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func TestARealNtfy(t *testing.T) {
	n := startNtfy(t)
	for _, in := range []string{":" + n.token + "@", n.token + "@", "sam:a-password-of-sams@"} {
		if err := send(t, "http://"+in+n.host+"/phone?tags=bus"); err != nil {
			t.Fatalf("%v", err)
		}
	}
	got := n.phone()
	if len(got) == 0 {
		t.Fatal("the phone got nothing")
	}
	last := got[len(got)-1]
	if last.Message != "Zoë’s bus is late." || last.Title != "compass nhs" || last.Priority != 4 || len(last.Tags) != 1 {
		t.Errorf("the phone got %+v", last)
	}
	// A notice that came twice has one id, by which the phone shows it once.
	for _, p := range got {
		if p.Sequence != "ntc_1" {
			t.Errorf("it is no repeat to the phone: %+v", p)
		}
	}
	for _, in := range []string{"", ":tk_wrong@", "sam:wrong@"} {
		err := send(t, "http://"+in+n.host+"/phone")
		if fault, ok := errors.AsType[*notify.Fault](err); !ok || fault.State != notify.Dead || !strings.Contains(fault.Reason, "does not let askhub write") {
			t.Errorf("with %q: %v", in, err)
		}
	}
	target, err := Parse("http://"+n.host+"/phone", noSecrets)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Sender.(Checker).Check(t.Context()); err != nil {
		t.Errorf("its health: %v", err)
	}
	var limited error
	for range 40 {
		if limited = send(t, "http://:"+n.token+"@"+n.host+"/phone"); limited != nil {
			break
		}
	}
	if fault, ok := errors.AsType[*notify.Fault](limited); !ok || fault.State != notify.Waiting || !strings.Contains(fault.Reason, "429") {
		t.Errorf("over its limit: %v", limited)
	}
}
