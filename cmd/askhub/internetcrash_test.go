package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/logtest"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/store/sqlite"
)

// cutter is a stand-in for the part of AdGuard Home's API that a cut needs. It calls die in
// the middle of a change: after it is made, or before.
type cutter struct {
	mu    sync.Mutex
	rules []string
	late  bool
	die   func()
	cuts  int
}

func (c *cutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var reply any
	switch r.URL.Path {
	case "/control/clients":
		reply = map[string]any{"clients": []any{map[string]any{"name": "tablet", "ids": []string{"192.168.1.20"}}}}
	case "/control/status":
		reply = map[string]any{"protection_enabled": true}
	case "/control/filtering/status":
		reply = map[string]any{"enabled": true, "user_rules": c.rules}
	case "/control/blocked_services/all":
		reply = map[string]any{"blocked_services": []any{}}
	case "/control/querylog/config":
		reply = map[string]any{"enabled": false}
	case "/control/filtering/set_rules":
		var in struct {
			Rules []string `json:"rules"`
		}
		if err := json.UnmarshalRead(r.Body, &in); err != nil {
			http.Error(w, "no JSON", http.StatusBadRequest)
			return
		}
		if c.late {
			c.rules = in.Rules
		}
		c.cuts++
		c.die()
		panic(http.ErrAbortHandler)
	default:
		http.NotFound(w, r)
		return
	}
	_ = json.MarshalWrite(w, reply)
}

// TestACrashBetweenAChangeAndItsResultIsToldByWhatTheNetworkShows kills the real program in
// the middle of a change. The next one tells what became of it, and runs nothing again.
func TestACrashBetweenAChangeAndItsResultIsToldByWhatTheNetworkShows(t *testing.T) {
	for name, try := range map[string]struct {
		late bool
		want string
	}{
		"after it was made":  {true, "That was done."},
		"before it was made": {false, "That was not done; ask for it again if it is still wanted."},
	} {
		t.Run(name, func(t *testing.T) {
			c := &cutter{late: try.late}
			network := httptest.NewServer(c)
			t.Cleanup(network.Close)
			p := newCrashing(t, network.URL)
			process := p.start()
			c.mu.Lock()
			c.die = func() {
				_ = process.Process.Kill()
				_, _ = process.Process.Wait()
			}
			c.mu.Unlock()
			var a approve.Approval
			if status := p.call("POST", "/changes", `{"change":"cut","who":"sam","fields":{"device":"Harry's tablet"}}`, &a); status != http.StatusCreated {
				t.Fatalf("status %d", status)
			}
			p.call("POST", "/approvals/"+a.ID, fmt.Sprintf(`{"id":%q,"decision":"yes","digest":%q}`, a.ID, a.Digest), nil)

			p.later()
			p.start()
			var reply struct {
				Unsettled []internet.Settled `json:"unsettled"`
			}
			if status := p.call("GET", "/changes", "", &reply); status != http.StatusOK || len(reply.Unsettled) != 1 || reply.Unsettled[0].ID != a.ID || reply.Unsettled[0].Now != try.want {
				t.Errorf("status %d, %+v; want %q", status, reply.Unsettled, try.want)
			}
			for range 2 { // further taps
				var after approve.Approval
				p.call("POST", "/approvals/"+a.ID, fmt.Sprintf(`{"id":%q,"decision":"yes","digest":%q}`, a.ID, a.Digest), &after)
				if after.State != approve.Unknown {
					t.Errorf("a later tap finds it %s", after.State)
				}
			}
			if c.cuts != 1 {
				t.Errorf("it was carried out %d times", c.cuts)
			}
		})
	}
}

// crashing is the project as a process of its own.
type crashing struct {
	t                     *testing.T
	dir, address, program string
	token                 ask.BearerToken
}

func newCrashing(t *testing.T, network string) *crashing {
	t.Helper()
	p := &crashing{t: t, dir: t.TempDir(), address: addressOf(t), program: program(t), token: secrets.NewToken()}
	settings := fmt.Sprintf("secrets = \"secrets.conf\"\n[projects.internet_control]\nurl = \"http://%s\"\nrun = \"internet\"\n"+
		"[internet]\nbackend = \"adguard\"\nurl = %q\nusername = \"askhub\"\npassword_env = \"ADGUARD_PASSWORD\"\n"+
		"[[internet.devices]]\nname = \"Harry's tablet\"\nperson = \"harry\"\nids = [\"192.168.1.20\"]\n", p.address, network)
	tokens := fmt.Sprintf("PROJECT_TOKEN_INTERNET_CONTROL=%s\n%s=%s\nADGUARD_PASSWORD=secret\n",
		strings.Repeat("p", 40), ask.ApprovalTokenVariable(internet.DefaultName), string(p.token))
	for name, text := range map[string][]byte{config.FileName: []byte(settings), "secrets.conf": []byte(tokens), config.PeopleName: people.Sample()} {
		if err := os.WriteFile(filepath.Join(p.dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *crashing) start() *exec.Cmd {
	p.t.Helper()
	said := &logtest.Log{}
	cmd := exec.Command(p.program, "project", "internet", "--config", p.dir)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if p.t.Failed() {
			p.t.Logf("the program said:\n%s", said)
		}
	})
	for limit := time.Now().Add(60 * time.Second); p.call("GET", "/health", "", nil) != http.StatusOK; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			p.t.Fatal("it does not answer")
		}
	}
	return cmd
}

// call gives the status, 0 where the connection broke off.
func (p *crashing) call(method, path, body string, v any) int {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, "http://"+p.address+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+string(p.token))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if v != nil {
		if err := json.UnmarshalRead(resp.Body, v); err != nil {
			p.t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return resp.StatusCode
}

// later lets so much time pass that nobody has to be waited for any more.
func (p *crashing) later() {
	p.t.Helper()
	db, err := sqlite.Open(p.t.Context(), filepath.Join(p.dir, config.DefaultStore))
	if err != nil {
		p.t.Fatal(err)
	}
	desk, err := approve.Open(p.t.Context(), approve.Options{
		Owner: internet.DefaultName, Store: db.Approvals(), Now: func() time.Time { return time.Now().Add(2 * time.Minute) },
		Execute: func(context.Context, approve.Approval) (string, error) {
			p.t.Error("it was run again")
			return "", nil
		},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	desk.Close()
	if err := db.Close(); err != nil {
		p.t.Fatal(err)
	}
}
