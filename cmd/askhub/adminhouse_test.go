package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/admin/admintest"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/project/internet/sample"
)

// adminHouse is a household of three processes: the Hub, and as its children the admin app
// and the internet project over a network in memory.
type adminHouse struct {
	*house
	dir, program, origin string
	http                 *http.Client
	log                  *bytes.Buffer
}

func startAdminHouse(t *testing.T) *adminHouse {
	t.Helper()
	return startAdminHouseWith(t, "", "")
}

// startAdminHouseWith is one with more settings and more lines of the secrets file.
func startAdminHouseWith(t *testing.T, more, secrets string) *adminHouse {
	t.Helper()
	h := &adminHouse{house: &house{t: t}, dir: t.TempDir(), program: program(t)}
	hub, app := addressOf(t), addressOf(t)
	_, port, _ := strings.Cut(app, ":")
	h.url, h.origin = "http://"+hub, "http://localhost:"+port
	var settings strings.Builder
	fmt.Fprintf(&settings, "listen = %q\nsecrets = \"secrets.conf\"\n[admin]\nlisten = %q\n[projects.internet_control]\nurl = \"http://%s\"\nrun = \"internet\"\n[internet]\nbackend = \"sample\"\n", hub, app, addressOf(t))
	for _, d := range sample.Devices() {
		fmt.Fprintf(&settings, "[[internet.devices]]\nname = %q\nperson = %q\nids = [%q]\n", d.Name, d.Person, d.IDs[0])
	}
	settings.WriteString(more)
	h.token = strings.Repeat("a", 40)
	tokens := "HUB_TOKEN_ADMIN=" + h.token + "\nPROJECT_TOKEN_INTERNET_CONTROL=" + strings.Repeat("p", 40) + "\nAPPROVAL_TOKEN_INTERNET_CONTROL=" + strings.Repeat("y", 40) + "\n" + secrets
	for name, text := range map[string][]byte{
		config.FileName: []byte(settings.String()), "secrets.conf": []byte(tokens), config.RoutingName: routing.Default(), config.PeopleName: people.Sample(),
	} {
		if err := os.WriteFile(filepath.Join(h.dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.serve()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	h.http = &http.Client{Jar: jar}
	h.until(func() bool {
		resp, err := h.http.Get(h.origin + "/health")
		if err == nil {
			_ = resp.Body.Close()
		}
		return err == nil && resp.StatusCode == 200
	})
	return h
}

// serve starts the Hub, and keeps what it says.
func (h *adminHouse) serve() {
	h.log = &bytes.Buffer{}
	cmd := exec.Command(h.program, "serve", "--config", h.dir)
	cmd.Stdout, cmd.Stderr = h.log, h.log
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if h.t.Failed() {
			h.t.Logf("the household said:\n%s", h.log)
		}
		if strings.Contains(h.log.String(), strings.Repeat("y", 40)) {
			h.t.Error("a token stands in the log")
		}
	})
}

// sends posts one body from the app's own page, and reads the reply into into.
func (h *adminHouse) sends(path string, body, into any) {
	h.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.origin+path, bytes.NewReader(raw))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", h.origin)
	resp, err := h.http.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		h.t.Fatalf("%s: %d %s %v", path, resp.StatusCode, said, err)
	}
	if err := json.Unmarshal(said, into); err != nil {
		h.t.Fatalf("%s: %s: %v", path, said, err)
	}
}

func (h *adminHouse) page(path string) string {
	h.t.Helper()
	resp, err := h.http.Get(h.origin + path)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(said)
}

func (h *adminHouse) command(args ...string) string {
	h.t.Helper()
	out, err := exec.Command(h.program, append(args, "--config", h.dir)...).CombinedOutput()
	if err != nil {
		h.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// enrol makes a passkey with a code from the host.
func (h *adminHouse) enrol(person string) *admintest.Device {
	h.t.Helper()
	var made enrolled
	if err := json.Unmarshal([]byte(h.command("admin", "enrol", "--person", person, "--json")), &made); err != nil {
		h.t.Fatal(err)
	}
	d := admintest.NewDevice(h.t, h.origin)
	var o admintest.Options
	h.sends("/api/enrol/begin", map[string]any{"code": made.Code}, &o)
	h.sends("/api/enrol", map[string]any{"credential": json.RawMessage(d.Make(&o))}, &struct{}{})
	return d
}

// From the form to the network: a parent asks for a change in the app, sees exactly what
// will run, says yes with the passkey, and it is so. The Hub is nowhere in that way.
func TestAChangeFromTheFormToTheNetwork(t *testing.T) {
	h := startAdminHouse(t)
	d := h.enrol("sam")
	h.until(func() bool { return strings.Contains(h.page("/changes"), "Harry&#39;s tablet") })
	change := func(name string, fields map[string]any) string {
		t.Helper()
		var to struct{ To string }
		h.sends("/api/changes", map[string]any{"owner": "internet_control", "change": name, "why": "dinner", "fields": fields}, &to)
		page := h.page(to.To)
		if !strings.Contains(page, "Did you ask for this?") || !strings.Contains(page, "&#34;change&#34;: &#34;"+name+"&#34;") || !strings.Contains(page, "dinner") {
			t.Fatalf("the page does not show what will run: %s", page)
		}
		at := "/api" + to.To
		_, digest, _ := strings.Cut(page, `data-digest="`)
		var o admintest.Options
		h.sends(at+"/begin", map[string]any{"digest": digest[:64]}, &o)
		var said struct {
			State approve.State
			Says  string
		}
		h.sends(at+"/yes", map[string]any{"credential": json.RawMessage(d.Use(&o))}, &said)
		if said.State != approve.Done {
			t.Fatalf("%s: %+v", name, said)
		}
		return said.Says
	}
	if says := change("cut", map[string]any{"device": "Harry's tablet"}); !strings.Contains(says, "Harry's tablet") {
		t.Errorf("it says %q", says)
	}
	change("restore", map[string]any{"device": "Harry's tablet"})
	if history := h.page("/history"); strings.Count(history, "Sam said yes") != 2 {
		t.Error("the history does not say it")
	}
	// The Hub was asked nothing, and knows of no approval.
	hub := h.command("ask", "turn off the kids' internet", "--as", "sam", "--json")
	if !strings.Contains(hub, `"refused"`) {
		t.Errorf("the Hub does not refuse it: %s", hub)
	}
	for path, want := range map[string]string{"/approvals": `{"approvals":[]}`, "/records": "turn off the kids"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+h.token)
		h.until(func() bool {
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return false
			}
			defer resp.Body.Close()
			said, _ := io.ReadAll(resp.Body)
			return strings.Contains(string(said), want) && strings.Count(string(said), `"id":"ask_`) <= 1
		})
	}
	h.until(func() bool { return strings.Contains(h.page("/console"), "Internet control</strong>: runs") })
}

// A lost phone: the host takes its passkey back, and its session is over at once.
func TestALostPhoneIsRevokedOnTheHost(t *testing.T) {
	h := startAdminHouse(t)
	h.enrol("sam")
	if page := h.page("/"); !strings.Contains(page, "Waiting for you") {
		t.Fatal(page)
	}
	listed := h.command("admin", "passkeys", "list")
	if !strings.Contains(listed, "sam") || !strings.Contains(listed, "localhost") {
		t.Fatal(listed)
	}
	if out := h.command("admin", "enrol", "--person", "sam", "--replace"); !strings.Contains(out, "Sam's passkeys were revoked (1)") {
		t.Error(out)
	}
	if page := h.page("/"); !strings.Contains(page, "Sign in with a passkey") {
		t.Error("the lost phone is still in")
	}
	h.enrol("sam")
	var keys struct {
		Passkeys []passkeyListed `json:"passkeys"`
	}
	if err := json.Unmarshal([]byte(h.command("admin", "passkeys", "list", "--json")), &keys); err != nil || len(keys.Passkeys) != 1 || keys.Passkeys[0].Sessions != 1 {
		t.Fatal(err, keys)
	}
	h.command("admin", "passkeys", "revoke", keys.Passkeys[0].Name[:6])
	if page := h.page("/"); !strings.Contains(page, "Sign in with a passkey") {
		t.Error("its session holds")
	}
}

// The admin app has its own secrets, and none of a project's; the Hub's process has not
// been given what says yes to a project.
func TestTheAdminAppHoldsItsOwnSecretsAlone(t *testing.T) {
	h := startAdminHouse(t)
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Skip("this machine has no /proc")
	}
	found := 0
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(line), h.dir) {
			continue
		}
		environ, err := os.ReadFile(filepath.Join(filepath.Dir(file), "environ"))
		if err != nil {
			continue
		}
		if strings.Contains(string(line), "\x00admin\x00") {
			found++
			for _, foreign := range []string{strings.Repeat("p", 40), "HUB_TOKEN_TEST"} {
				if strings.Contains(string(environ), foreign) {
					t.Error("the admin app was given a secret that is not its own")
				}
			}
		}
		if strings.Contains(string(line), "\x00serve\x00") && strings.Contains(string(environ), strings.Repeat("y", 40)) {
			t.Error("the Hub was given what says yes to a project")
		}
	}
	if found != 1 {
		t.Errorf("%d admin apps run", found)
	}
}
