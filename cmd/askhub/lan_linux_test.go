package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/logtest"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/project/internet/lantest"
	"github.com/askhub/askhub/internal/secrets"
)

// hostOfLAN is the test's program as a host of a network.
func hostOfLAN() { lantest.Main() }

// ownHouse is a household whose router runs the whole of askhub: the Hub, with the internet
// project as its child.
type ownHouse struct {
	*lantest.LAN
	t            *testing.T
	dir, program string
	// said is what the program said, the Hub and its child.
	said    *logtest.Log
	process *os.Process
	way     string
	approve ask.BearerToken
}

const (
	homeHub     = "http://127.0.0.1:8420"
	homeProject = "http://127.0.0.1:8423"
)

func startHome(t *testing.T) *ownHouse {
	t.Helper()
	h := &ownHouse{LAN: lantest.Start(t), t: t, dir: t.TempDir(), way: strings.Repeat("w", 40), approve: secrets.NewToken()}
	settings := fmt.Sprintf(`secrets = "secrets.conf"

[ways_in.phone]
askers = ["sam"]

[projects.internet_control]
url = %q
run = "internet"

[internet]
backend = "linux"
log = %q

[[internet.devices]]
name = "Harry's tablet"
person = "harry"
ids = [%q]

[[internet.devices]]
name = "Emma's console"
person = "emma"
ids = [%q, %q]
`, homeProject, h.Dnsmasq(), lantest.TabletMAC, lantest.ConsoleIP4, lantest.ConsoleIP6)
	tokens := fmt.Sprintf("HUB_TOKEN_PHONE=%s\nHUB_TOKEN_ADMIN=%s\nPROJECT_TOKEN_INTERNET_CONTROL=%s\n%s=%s\n",
		h.way, strings.Repeat("d", 40), strings.Repeat("p", 40), ask.ApprovalTokenVariable(internet.DefaultName), string(h.approve))
	for name, text := range map[string][]byte{
		config.FileName: []byte(settings), "secrets.conf": []byte(tokens), config.RoutingName: routing.Default(), config.PeopleName: people.Sample(),
	} {
		if err := os.WriteFile(filepath.Join(h.dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.program, h.said = program(t), &logtest.Log{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the program said:\n%s", h.said)
		}
	})
	return h
}

// run starts the program, and waits until the project is there. Its environment holds no
// secret of ours.
func (h *ownHouse) run() {
	h.t.Helper()
	h.said = &logtest.Log{}
	h.process = h.Start(lantest.Router, h.said, []string{"HOME=" + h.dir}, h.program, "serve", "--config", h.dir).Process
	h.Until(func() bool {
		status, said := h.Call(lantest.Router, "GET", homeHub+"/capabilities", h.way, "")
		return status == 200 && strings.Contains(said, `"internet_control"`) && strings.Contains(said, "harry")
	})
}

// kill ends the Hub as a power cut does; the child ends with it.
func (h *ownHouse) kill() {
	h.t.Helper()
	if err := h.process.Kill(); err != nil {
		h.t.Fatal(err)
	}
	h.Until(func() bool {
		status, _ := h.Call(lantest.Router, "GET", homeProject+"/health", "", "")
		return status == 0
	})
}

// ask asks the Hub.
func (h *ownHouse) ask(question string) string {
	h.t.Helper()
	_, said := h.Call(lantest.Router, "POST", homeHub+"/ask", h.way, fmt.Sprintf(`{"question":%q}`, question))
	var r struct{ Reply string }
	if err := json.Unmarshal([]byte(said), &r, json.MatchCaseInsensitiveNames(true)); err != nil {
		h.t.Fatalf("%s: %v", said, err)
	}
	return r.Reply
}

// change asks the project for a change, as the admin app does.
func (h *ownHouse) change(name, device string) approve.Approval {
	h.t.Helper()
	status, said := h.Call(lantest.Router, "POST", homeProject+"/changes", string(h.approve), fmt.Sprintf(`{"change":%q,"who":"sam","fields":{"device":%q}}`, name, device))
	var a approve.Approval
	if err := json.Unmarshal([]byte(said), &a); err != nil || status != 201 || a.State != approve.Pending {
		h.t.Fatalf("%d %s: %v", status, said, err)
	}
	return a
}

func (h *ownHouse) yes(a approve.Approval) {
	h.t.Helper()
	status, said := h.Call(lantest.Router, "POST", homeProject+"/approvals/"+a.ID, string(h.approve), fmt.Sprintf(`{"id":%q,"decision":"yes","digest":%q,"by":"sam"}`, a.ID, a.Digest))
	if err := json.Unmarshal([]byte(said), &a); err != nil || status != 200 || a.State != approve.Done {
		h.t.Fatalf("%d %s: %v", status, said, err)
	}
}

// TestCutAndRestoreWithRealPacketsPastTheHub is the household's main case: a device is cut
// after a yes, packets stop, it is given back, they flow, and the Hub was never in that path.
func TestCutAndRestoreWithRealPacketsPastTheHub(t *testing.T) {
	h := startHome(t)
	for range 2 {
		if !h.LookUp(lantest.Tablet, "video.example", lantest.RouterIP4) {
			t.Fatal("the tablet cannot look a name up")
		}
	}
	h.run()
	const device = "Harry's tablet"
	// Between the two look-ups another ten minutes may begin.
	if got := h.ask("how long was Harry online today?"); !regexp.MustCompile(`^Harry has roughly (one active ten-minute slot|2 active ten-minute slots) today; known since today at `).MatchString(got) {
		t.Errorf("it says %q", got)
	}
	if got := h.ask("turn off Harry's internet"); got != "Use the admin app to change internet limits." {
		t.Errorf("the Hub says %q", got)
	}

	cut := h.change("cut", device)
	h.Want(lantest.Tablet, true) // nothing happens before the yes
	h.yes(cut)
	h.Want(lantest.Tablet, false)
	h.Want(lantest.Console, true)
	if got := h.ask("is Harry's tablet cut off?"); got != "Harry's tablet is cut." {
		t.Errorf("asked, it says %q", got)
	}
	h.pastTheHub(cut)

	h.kill()
	h.Want(lantest.Tablet, false) // a dead askhub gives nothing back
	h.run()
	h.Want(lantest.Tablet, false)
	h.yes(cut) // a later tap hears the same, and cuts nothing twice
	restore := h.change("restore", device)
	h.yes(restore)
	h.Want(lantest.Tablet, true)
	h.pastTheHub(restore)
}

// pastTheHub sees that the Hub had no part in a change: nothing of it in its log, its
// record and its approvals, and no token for it in its process or its child's environment.
func (h *ownHouse) pastTheHub(a approve.Approval) {
	h.t.Helper()
	for line := range strings.Lines(h.said.String()) {
		if strings.Contains(line, "project=internet_control") || strings.Contains(line, "approvals_of=internet_control") {
			continue // the child's own
		}
		for _, word := range []string{a.ID, a.Digest, "tablet", "/changes", "/approvals", string(h.approve)} {
			if strings.Contains(line, word) {
				h.t.Errorf("the Hub's log says %s", line)
			}
		}
	}
	if strings.Contains(h.said.String(), string(h.approve)) {
		h.t.Error("the token is in a log")
	}
	for _, call := range []struct{ method, path, token string }{
		{"GET", "/approvals", strings.Repeat("d", 40)},
		{"GET", "/approvals/" + a.ID, strings.Repeat("d", 40)},
		{"GET", "/changes", strings.Repeat("d", 40)},
		{"GET", "/approvals/" + a.ID, string(h.approve)},
	} {
		if status, said := h.Call(lantest.Router, call.method, homeHub+call.path, call.token, ""); strings.Contains(said, a.ID) || strings.Contains(said, "tablet") {
			h.t.Errorf("the Hub knows of it: %s %s: %d %s", call.method, call.path, status, said)
		}
	}
	if status, said := h.Call(lantest.Router, "POST", homeProject+"/approvals/"+a.ID, strings.Repeat("p", 40), fmt.Sprintf(`{"id":%q,"decision":"yes","digest":%q}`, a.ID, a.Digest)); status != 401 {
		h.t.Errorf("the Hub's token for the project approves: %d %s", status, said)
	}
	for pid, environ := range h.environments() {
		if strings.Contains(environ, string(h.approve)) || strings.Contains(environ, "APPROVAL_TOKEN") {
			h.t.Errorf("process %s has the admin app's token in its environment", pid)
		}
	}
}

// environments are those of the processes of this household's program.
func (h *ownHouse) environments() map[string]string {
	h.t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		h.t.Fatal(err)
	}
	out := map[string]string{}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !slices.Contains(strings.Split(string(line), "\x00"), h.dir) {
			continue
		}
		environ, err := os.ReadFile(filepath.Join(filepath.Dir(file), "environ"))
		if err != nil {
			h.t.Fatal(err)
		}
		out[filepath.Base(filepath.Dir(file))] = string(environ)
	}
	if len(out) < 2 {
		h.t.Errorf("of the Hub and its child only %d processes were found", len(out))
	}
	return out
}
